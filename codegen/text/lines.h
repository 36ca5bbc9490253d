// Inside codegen/text: output with #line directives, so that a compiler's message names the line of
// the pattern and not the line of the generated code. A #line is written where the two line numbers
// begin to differ.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "text/pattern.h"

#include <stdbool.h>
#include <stddef.h>

// The beginning of the first line of generated code; sedge_program_write looks for it.
#define SEDGE_ORIGIN_START "// Made from "

// What the end of the output is inside of, by the rules of C.
typedef enum sedge_lines_state {
    SEDGE_LINES_CODE,
    SEDGE_LINES_STRING,
    SEDGE_LINES_CHARACTER,
    SEDGE_LINES_COMMENT, // to the end of the line
    SEDGE_LINES_LONG_COMMENT
} sedge_lines_state;

typedef struct sedge_lines {
    sedge_text *out;
    bool marked;    // with #line where needed
    int line;       // the number that the compiler gives to the next line
    bool fresh;     // nothing stands in the present line
    bool blank;     // at most white space stands in it
    bool directive; // the present line is a preprocessor directive
    bool continued; // the line before it ended in a backslash
    int depth;      // of open parentheses
    char last;      // character
    sedge_lines_state state;
} sedge_lines;

// Write the comment line and the first #line. The caller sets nothing in the structure.
SEDGE_MUST_USE
sedge_status sedge_lines_begin(sedge_lines *lines, sedge_text *out, const sedge_pattern *pattern);

// Append bytes that come from line `line` of the pattern. All of them count as that line, even if
// they contain newlines.
SEDGE_MUST_USE
sedge_status sedge_lines_add(sedge_lines *lines, int line, const char *bytes, size_t length);
