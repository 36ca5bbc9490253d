// Elements of arrays copied, converted and filled.
#pragma once

#include "array/array.h"

// ---- host memory -------------------------------------------------------------------------------

// A new array with the values of `host` (C order). Waits.
SEDGE_MUST_USE
sedge_status sedge_array_from(sedge_array **out, sedge_context *context, sedge_type type,
                              int dimensions, const int64_t *shape, const void *host);

// Copy all elements between an array with any strides and host memory in C order. These two wait.
// The _async functions require a contiguous array and pinned memory, which must stay valid until
// `stream` (NULL: the context's) has done the copy. If `stream` is not the context's stream, the
// caller synchronises the two, also before the array is freed, because the pool does not know of
// `stream`.
SEDGE_MUST_USE
sedge_status sedge_array_set(sedge_array *array, const void *host);
SEDGE_MUST_USE
sedge_status sedge_array_get(const sedge_array *array, void *host);
SEDGE_MUST_USE
sedge_status sedge_array_set_async(sedge_array *array, const void *pinned, sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_array_get_async(const sedge_array *array, void *pinned, sedge_stream *stream);

// ---- between arrays ----------------------------------------------------------------------------

// to = from, with conversion and broadcasting. The two arrays must not overlap unless they are the
// same.
SEDGE_MUST_USE
sedge_status sedge_array_copy(sedge_array *to, const sedge_array *from);
// A contiguous copy of another type.
SEDGE_MUST_USE
sedge_status sedge_array_convert(sedge_array **out, const sedge_array *from, sedge_type type);
SEDGE_MUST_USE
sedge_status sedge_array_fill(sedge_array *array, double value);
// start + step * index, indices counted in C order.
SEDGE_MUST_USE
sedge_status sedge_array_range(sedge_array *array, double start, double step);
