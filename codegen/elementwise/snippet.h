// Elementwise kernels from a piece of C that the caller writes.
#pragma once

#include "array/array.h"

// One operand of a snippet of C: an array or a number. In the snippet, `name` stands for the
// array's element or for the number.
typedef struct sedge_operand {
    const char *name;
    sedge_array *array; // NULL if is_number, else required
    bool written;
    sedge_type type; // of the number
    double value;
    bool is_number;
} sedge_operand;

#define SEDGE_IN(name, array)           ((sedge_operand){name, array, false, SEDGE_FLOAT64, 0.0, false})
#define SEDGE_OUT(name, array)          ((sedge_operand){name, array, true, SEDGE_FLOAT64, 0.0, false})
#define SEDGE_NUMBER(name, type, value) ((sedge_operand){name, 0, false, type, value, true})

// Run `body`, C text such as "z = a * x + sin(y);", for each element of the written arrays' shape
// (all the same); read arrays are broadcast. In the body `i` is the index in C order. `preamble`
// (NULL: none) is C source before the kernel, e.g. functions of its own. Messages of the compiler
// name `name` and the line of the body. The snippet is compiled once per context for the same
// source, types and dimensions. Names are variables in the body, and the body must not return. If
// the body does not assign a written name, the element keeps its value. Complex operands are
// structures with `re` and `im`; codegen/kernels/array/numbers.h has functions of them.
SEDGE_MUST_USE
sedge_status sedge_elementwise(sedge_context *context, const char *name, const char *preamble,
                               const char *body, int count, const sedge_operand *operands);
