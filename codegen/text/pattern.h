// Patterns: texts with named holes, and the values that fill them. text/substitute.h and
// text/template.h turn a pattern into program source.
//
// Both begin their output with a comment line that names the pattern and the values; the opening
// comment of a program repeats this line (program/program.h). Where the line numbers of the output
// begin to differ from those of the pattern, a #line directive is written, so that compiler
// messages name the pattern's file and line. No #line is written inside a continued line,
// parentheses or a comment, because the compiler would not read it as a directive there.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

// A text is written as it is, an integer in decimal, and a floating-point number as an exact
// hexadecimal constant. Negative numbers are put in parentheses, so that `-$x$` is right for every
// x.
typedef enum sedge_binding_kind {
    SEDGE_BINDING_TEXT,
    SEDGE_BINDING_INTEGER,
    SEDGE_BINDING_FLOAT, // rounded to float: 0x1.8p+0f
    SEDGE_BINDING_DOUBLE // 0x1.8p+0
} sedge_binding_kind;

// A name and the value that replaces it. All pointers are borrowed.
typedef struct sedge_binding {
    const char *name; // letters, digits and '_', no digit first
    sedge_binding_kind kind;
    bool is_list; // only in templates
    int count;    // of a list
    const char *text;
    int64_t integer;
    double real;
    const char *const *texts; // [count]
    const int64_t *integers;  // [count]
    const double *reals;      // [count]
} sedge_binding;

#define SEDGE_BIND_TEXT(n, value) \
    ((sedge_binding){.name = (n), .kind = SEDGE_BINDING_TEXT, .text = (value)})
#define SEDGE_BIND_INTEGER(n, value) \
    ((sedge_binding){.name = (n), .kind = SEDGE_BINDING_INTEGER, .integer = (value)})
#define SEDGE_BIND_FLOAT(n, value) \
    ((sedge_binding){.name = (n), .kind = SEDGE_BINDING_FLOAT, .real = (double)(value)})
#define SEDGE_BIND_DOUBLE(n, value) \
    ((sedge_binding){.name = (n), .kind = SEDGE_BINDING_DOUBLE, .real = (value)})

#define SEDGE_BIND_LIST(n, type, length, member, values) \
    ((sedge_binding){                                    \
        .name = (n), .kind = (type), .is_list = true, .count = (length), .member = (values)})
#define SEDGE_BIND_TEXTS(n, values, count) \
    SEDGE_BIND_LIST(n, SEDGE_BINDING_TEXT, count, texts, values)
#define SEDGE_BIND_INTEGERS(n, values, count) \
    SEDGE_BIND_LIST(n, SEDGE_BINDING_INTEGER, count, integers, values)
#define SEDGE_BIND_FLOATS(n, values, count) \
    SEDGE_BIND_LIST(n, SEDGE_BINDING_FLOAT, count, reals, values)
#define SEDGE_BIND_DOUBLES(n, values, count) \
    SEDGE_BIND_LIST(n, SEDGE_BINDING_DOUBLE, count, reals, values)

typedef struct sedge_pattern {
    const char *name; // for messages: the file that a person edits
    const char *text; // NULL: the embedded source of that name or its override (sedge_source_get)
    const sedge_binding *bindings; // names are distinct, and each is used
    int count;
    bool without_lines; // no #line; messages then name the program's own lines
} sedge_pattern;

// Append `value` as an exact constant, in the form of a binding of `kind` (SEDGE_BINDING_FLOAT or
// SEDGE_BINDING_DOUBLE). Infinities and NaN are SEDGE_ERR_USAGE, because not every target can write
// them as a constant.
SEDGE_MUST_USE
sedge_status sedge_constant_write(sedge_text *out, sedge_binding_kind kind, double value);
