// Real numbers in a run's precision, and device buffers filled from host arrays.
#pragma once

#include "base/error.h"
#include "device/device.h"

#include <stddef.h>
#include <stdint.h>

// array[index] = value, as numbers of `real_bytes` bytes: 8 (fp64) or 4 (fp32).
static inline void sedge_real_put(void *array, int real_bytes, int64_t index, double value)
{
    if (real_bytes == 8) {
        ((double *)array)[index] = value;
    } else {
        ((float *)array)[index] = (float)value;
    }
}

static inline double sedge_real_get(const void *array, int real_bytes, int64_t index)
{
    return real_bytes == 8 ? ((const double *)array)[index] : (double)((const float *)array)[index];
}

// A new buffer with `count` items of `size` bytes from the host array `from`, which is released in
// any case. The caller frees the buffer.
SEDGE_MUST_USE
sedge_status sedge_upload(sedge_buffer **out, sedge_device *device, void *from, int64_t count,
                          size_t size);

// A new buffer with a copy of `bytes` bytes of a host array. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_upload_copy(sedge_buffer **out, sedge_device *device, const void *from,
                               int64_t bytes);

// A new buffer with `count` real numbers. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_upload_reals(sedge_buffer **out, sedge_device *device, int real_bytes,
                                const double *values, int64_t count);

// A new buffer with `words` real numbers of each slot, from values [slots][words]. The same word of
// a SIMD batch's slots lies together: [batches][words][lanes]. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_upload_words(sedge_buffer **out, sedge_device *device, int real_bytes,
                                const double *values, int64_t slots, int words, int lanes);
