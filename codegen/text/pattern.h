// Patterns: texts with named holes, and the values that fill them. text/substitute.h and
// text/template.h turn a pattern into program text.
//
// Both write, before the text, one comment line that says from which pattern and with which values
// it was made; the opening comment of a program repeats it (program/program.h). A #line stands
// wherever the lines of the output do not follow those of the pattern any more, so a compiler's
// message names the pattern's file and line. It never stands inside a continued line, parentheses
// or a comment, where it would not be one.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

// Written as: the text as it is; a decimal number; an exact hexadecimal constant. Negative numbers
// stand in parentheses, so that `-$x$` is right for every x.
typedef enum sedge_binding_kind {
    SEDGE_BINDING_TEXT,
    SEDGE_BINDING_INTEGER,
    SEDGE_BINDING_FLOAT, // rounded to float: 0x1.8p+0f
    SEDGE_BINDING_DOUBLE // 0x1.8p+0
} sedge_binding_kind;

// A name, and what stands in its place. All pointers are borrowed.
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

// Append a number as an exact constant, as bindings of its kind, SEDGE_BINDING_FLOAT or _DOUBLE,
// are written. Infinities and NaN are SEDGE_ERR_USAGE: not every target has a word for them.
SEDGE_MUST_USE
sedge_status sedge_constant_write(sedge_text *out, sedge_binding_kind kind, double value);
