// Elements of arrays copied, converted and filled.
#pragma once

#include "array/array.h"

// ---- host memory -------------------------------------------------------------------------------

// A new array with the values of `host` (C order). Waits.
SEDGE_MUST_USE
sedge_status sedge_array_from(sedge_array **out, sedge_context *context, sedge_type type,
                              int dimensions, const int64_t *shape, const void *host);

// Between the array and host memory in C order, as many bytes as the array's elements have; any
// strides. They wait. The _async ones take contiguous arrays and pinned memory that stays until
// `stream`, or the context's stream for NULL, has come so far. Another stream than the context's is
// put in order with it by the caller, before the array is freed too: the pool does not know of it.
SEDGE_MUST_USE
sedge_status sedge_array_set(sedge_array *array, const void *host);
SEDGE_MUST_USE
sedge_status sedge_array_get(const sedge_array *array, void *host);
SEDGE_MUST_USE
sedge_status sedge_array_set_async(sedge_array *array, const void *pinned, sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_array_get_async(const sedge_array *array, void *pinned, sedge_stream *stream);

// ---- between arrays ----------------------------------------------------------------------------

// to = from, with conversion and broadcasting. The two may not overlap unless they are the same.
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
