// How the elements of several arrays of one shape are visited together.
#pragma once

#include "array/array.h"

enum { SEDGE_ITERATION_OPERANDS = 25 };

// Dimensions are merged where all operands allow
// it, so that contiguous operands of one shape become one dimension. Strides in elements, 0 where
// an operand is broadcast. Elements are counted in C order. No element: no dimension.
typedef struct sedge_iteration {
    int64_t count; // elements
    int dimensions;
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    int64_t stride[SEDGE_ITERATION_OPERANDS][SEDGE_ARRAY_DIMENSIONS];
    bool contiguous; // all operands are contiguous or constant: no index arithmetic is needed
} sedge_iteration;

// `arrays` [operands]; NULL is a number, whose strides are 0.
void sedge_iteration_make(sedge_iteration *iteration, int dimensions, const int64_t *shape,
                          int operands, const sedge_array *const *arrays);

// The same elements in the order in which the first operand lies in memory, for operations that do
// not ask for the index: two transposed arrays become contiguous.
void sedge_iteration_sort(sedge_iteration *iteration, int operands);
