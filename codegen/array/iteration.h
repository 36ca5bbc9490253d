// How the elements of several arrays of one shape are visited together: the sizes and strides of
// nested loops, as few of them as possible.
#pragma once

#include "array/array.h"

enum { SEDGE_ITERATION_OPERANDS = 25 };

// Dimensions are merged where all operands allow it, so that contiguous operands of one shape
// become one dimension. Strides count elements and are 0 where an operand is broadcast. Elements
// are visited in C order. Arrays without elements give no dimension.
typedef struct sedge_iteration {
    int64_t count; // elements
    int dimensions;
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    int64_t stride[SEDGE_ITERATION_OPERANDS][SEDGE_ARRAY_DIMENSIONS];
    bool contiguous; // all operands are contiguous or constant: no index arithmetic is needed
} sedge_iteration;

// Fill `iteration` for `arrays` [operands]. NULL stands for a number, whose strides are 0.
void sedge_iteration_make(sedge_iteration *iteration, int dimensions, const int64_t *shape,
                          int operands, const sedge_array *const *arrays);

// Visit the same elements in the order in which the first operand lies in memory: two transposed
// arrays become contiguous. For operations that do not use the index.
void sedge_iteration_sort(sedge_iteration *iteration, int operands);
