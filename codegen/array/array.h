// Arrays on a device: typed, n-dimensional, with strides and views.
//
//     sedge_array *x = NULL, *rows = NULL;
//     ...
//     SEDGE_TRY(sedge_array_vector(&x, context, SEDGE_FLOAT64, 1 << 20));
//     SEDGE_TRY(sedge_array_reshape(&rows, x, 2, (int64_t[]){1024, 1024}));
//
// Shapes are listed slowest dimension first, as in numpy; sizes and strides count elements. Work on
// arrays (elementwise/expression.h, elementwise/copy.h, reduce/reduce.h) is queued in the context's
// stream, and the caller does not wait, unless a comment says so. Nothing is collective. Types,
// shapes, indices or overlaps that do not fit are SEDGE_ERR_USAGE, and the message names them;
// failures of memory and of the device have their own statuses.
//
// Ownership: the caller frees every array that a function gives it. An array owns its memory (of
// the context's pool) or is a view, which borrows the memory of its base. Views are freed before
// their base. An array may be freed while work on it is still queued.
#pragma once

#include "array/context.h"
#include "array/type.h"
#include "base/error.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_ARRAY_DIMENSIONS 8

typedef struct sedge_array sedge_array;

// ---- arrays ------------------------------------------------------------------------------------

// An array with unspecified values. `dimensions` 0 makes a single number. A size may be 0: the
// array is then empty and takes no memory, and operations on it do nothing. SEDGE_ERR_USAGE: more
// than SEDGE_ARRAY_DIMENSIONS dimensions, or a negative size. SEDGE_ERR_MEMORY: out of memory, or
// the product of the sizes other than 0 exceeds an int64.
SEDGE_MUST_USE
sedge_status sedge_array_create(sedge_array **out, sedge_context *context, sedge_type type,
                                int dimensions, const int64_t *shape);
// One dimension.
SEDGE_MUST_USE
sedge_status sedge_array_vector(sedge_array **out, sedge_context *context, sedge_type type,
                                int64_t size);
// A view of `buffer`, which outlives it: e.g. a solver's own memory. C order, from byte `offset`.
SEDGE_MUST_USE
sedge_status sedge_array_wrap(sedge_array **out, sedge_context *context, sedge_type type,
                              int dimensions, const int64_t *shape, sedge_buffer *buffer,
                              int64_t offset);
void sedge_array_free(sedge_array *array);

sedge_type sedge_array_type(const sedge_array *array);
int sedge_array_dimensions(const sedge_array *array);
const int64_t *sedge_array_shape(const sedge_array *array);  // [dimensions], borrowed as the next
const int64_t *sedge_array_stride(const sedge_array *array); // [dimensions]; may be 0 or negative
int64_t sedge_array_size(const sedge_array *array);          // elements
bool sedge_array_is_contiguous(const sedge_array *array);    // in C order
sedge_context *sedge_array_context(const sedge_array *array);
// The address of the first element, for kernels of the caller's own.
uint64_t sedge_array_address(const sedge_array *array);

// ---- views -------------------------------------------------------------------------------------

// As numpy's start:stop:step of one dimension. Negative numbers count from the end; SEDGE_SLICE_END
// stands for an omitted number; `step` may be negative, but not 0.
#define SEDGE_SLICE_END INT64_MIN
typedef struct sedge_slice {
    int64_t start, stop, step;
} sedge_slice;

SEDGE_MUST_USE // slices [dimensions]
sedge_status sedge_array_slice(sedge_array **out, sedge_array *base, const sedge_slice *slices);
SEDGE_MUST_USE // the dimension disappears
sedge_status sedge_array_at(sedge_array **out, sedge_array *base, int dimension, int64_t index);
SEDGE_MUST_USE // order [dimensions]; NULL: reversed
sedge_status sedge_array_transpose(sedge_array **out, sedge_array *base, const int *order);
SEDGE_MUST_USE // one size may be -1; SEDGE_ERR_USAGE if that needs a copy
sedge_status sedge_array_reshape(sedge_array **out, sedge_array *base, int dimensions,
                                 const int64_t *shape);
SEDGE_MUST_USE
sedge_status sedge_array_broadcast(sedge_array **out, sedge_array *base, int dimensions,
                                   const int64_t *shape);
SEDGE_MUST_USE // of a complex array: float views of its parts
sedge_status sedge_array_real_part(sedge_array **out, sedge_array *base);
SEDGE_MUST_USE
sedge_status sedge_array_imaginary_part(sedge_array **out, sedge_array *base);
