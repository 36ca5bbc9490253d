// Inside the makers of text: for text/pattern.c, substitute.c, template*.c and tree.c.
#pragma once

#include "text/pattern.h"

#include <stddef.h>

// How the first line of a made text begins; sedge_program_write looks for it.
#define SEDGE_ORIGIN_START "// Made from "

// ---- bindings ----------------------------------------------------------------------------------

// Names are words and distinct, values are there and finite. `lists`: whether lists are allowed.
SEDGE_MUST_USE
sedge_status sedge_pattern_check(const sedge_pattern *pattern, bool lists);

// The place of the binding with the name of `length` bytes, or -1.
int sedge_pattern_find(const sedge_pattern *pattern, const char *name, size_t length);

// "; did you mean 'x'?" for a name of `length` bytes that is not bound, or "".
#define SEDGE_HINT_LENGTH 96
void sedge_pattern_hint(char text[SEDGE_HINT_LENGTH], const sedge_pattern *pattern,
                        const char *name, size_t length);

// SEDGE_ERR_USAGE for the first binding with `used[i]` false.
SEDGE_MUST_USE
sedge_status sedge_pattern_check_used(const sedge_pattern *pattern, const bool *used);

// The text to work on: the pattern's own, or the one found under its name, which `found` then owns
// (released by the caller with sedge_release).
SEDGE_MUST_USE
sedge_status sedge_pattern_text(const char **text, char **found, const sedge_pattern *pattern);

// Append a value as it stands in program text; not a list.
SEDGE_MUST_USE
sedge_status sedge_binding_write(sedge_text *out, const sedge_binding *binding);

// Whether `c` may stand in a name, at its start or later.
bool sedge_is_name_start(char c);
bool sedge_is_name_part(char c);

// ---- output that keeps lines -------------------------------------------------------------------

// Where the output is, as C sees it.
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
    int line;       // what the compiler takes the next line for
    bool fresh;     // nothing stands in the present line
    bool blank;     // at most white space stands in it
    bool directive; // it is one of the preprocessor
    bool continued; // the line before ended in a backslash
    int depth;      // of open parentheses
    char last;      // character
    sedge_lines_state state;
} sedge_lines;

// Write the comment line and the first #line. The rest of the structure is not to be touched.
SEDGE_MUST_USE
sedge_status sedge_lines_begin(sedge_lines *lines, sedge_text *out, const sedge_pattern *pattern);

// Append bytes that stand in line `line` of the pattern, all of them: also when they hold newlines.
SEDGE_MUST_USE
sedge_status sedge_lines_add(sedge_lines *lines, int line, const char *bytes, size_t length);
