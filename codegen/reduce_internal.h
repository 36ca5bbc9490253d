// Inside the reductions: how one is laid over memory and blocks (reduce_axis.c).
#pragma once

#include "codegen/array_internal.h"
#include "codegen/formula.h"
#include "codegen/launch.h"

// ---- layout (reduce_axis.c) --------------------------------------------------------------------

typedef enum sedge_reduce_form {
    SEDGE_REDUCE_ONE, // as REDUCE_ONE, _COLUMNS, _MANY of kernels/reduce.h
    SEDGE_REDUCE_COLUMNS,
    SEDGE_REDUCE_MANY
} sedge_reduce_form;

// What the kernel's text depends on; the recipe's key, with the formula and the expression.
typedef struct sedge_reduce_shape {
    int form, elements, rows_fast;
    int rows, lanes; // of a block
    int pack, unroll, run, resident;
    int dimensions;                 // of the walk, at most 8
    int narrow;                     // indices fit into 32 bits
    signed char step[SEDGE_LEAVES]; // 0, 1; -1: a parameter
    signed char side[SEDGE_LEAVES];
} sedge_reduce_shape;

// A reduction over an axis, or over all: sizes and strides of one call.
typedef struct sedge_reduce_plan {
    sedge_reduce_shape shape;
    int64_t rows, columns, length, chunk, cuts;
    int64_t groups;  // of rows; a block is one cut of one group
    int blocks;      // a multiprocessor; 0: on the host
    sedge_walk walk; // of rows, or of elements
    int64_t step[SEDGE_LEAVES];
} sedge_reduce_plan;

// Lay out the reduction of the analysed expression over `axis` (0 .. dimensions - 1, or
// SEDGE_ALL_AXES) on a device of that kind.
void sedge_reduce_plan_make(sedge_reduce_plan *plan, const sedge_analysis *analysis,
                            sedge_device_kind kind, int multiprocessors, int axis, int state_bytes);

// Numbers on which the places of elements depend: further arguments of the kernel, in which they
// are called reduce_w0, reduce_w1, ... Returns how many there are.
enum { SEDGE_REDUCE_NUMBERS_MOST = (SEDGE_LEAVES + 1) * (SEDGE_ARRAY_DIMENSIONS + 2) };
int sedge_reduce_places_values(int64_t values[SEDGE_REDUCE_NUMBERS_MOST],
                               const sedge_reduce_plan *plan, const sedge_analysis *analysis);

// Append what the kernel needs of them.
SEDGE_MUST_USE
sedge_status sedge_reduce_places_write(sedge_text *out, const sedge_reduce_plan *plan,
                                       const sedge_analysis *analysis);

// The whole program for a device of that kind, e.g. to compile it for a chip that is not here.
// Frees the expression.
SEDGE_MUST_USE
sedge_status sedge_reduce_program_write(sedge_text *out, sedge_device_kind kind,
                                        sedge_reduction reduction, sedge_expression *expression,
                                        int axis);
