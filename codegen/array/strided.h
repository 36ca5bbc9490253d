// The structure of an array: a place in a buffer, a shape and strides. For the layers that write
// kernels on arrays; all other code uses array/array.h.
#pragma once

#include "array/array.h"

struct sedge_array {
    sedge_context *context;
    sedge_buffer *buffer; // not owned; NULL: the array is empty
    void *block;          // the pool's, to give back; NULL: a view
    int64_t offset;       // bytes from the buffer's start to the first element
    sedge_type type;
    int dimensions;
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    int64_t stride[SEDGE_ARRAY_DIMENSIONS]; // elements
};

// As numpy prints it: "(3, 4)", "(5,)", "()".
enum { SEDGE_SHAPE_TEXT = 24 * SEDGE_ARRAY_DIMENSIONS };
void sedge_shape_print(char text[SEDGE_SHAPE_TEXT], int dimensions, const int64_t *shape);

int64_t sedge_shape_count(int dimensions, const int64_t *shape); // elements

// SEDGE_ERR_USAGE for too many dimensions or a negative size, SEDGE_ERR_MEMORY where the bytes
// cannot be counted.
SEDGE_MUST_USE
sedge_status sedge_shape_check(int dimensions, const int64_t *shape, sedge_type type);
