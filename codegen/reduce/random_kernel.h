// The kernel of random numbers: what its source depends on, and that source.
#pragma once

#include "array/array.h"
#include "base/text.h"

// As RANDOM_KIND of kernels/reduce/philox.h.
typedef enum sedge_random_kind {
    SEDGE_RANDOM_BITS,
    SEDGE_RANDOM_UNIFORM,
    SEDGE_RANDOM_NORMAL
} sedge_random_kind;

// What the kernel's source depends on; the cached kernel's key.
typedef struct sedge_random_shape {
    int type;
    int kind;
    int dimensions; // 0: contiguous
} sedge_random_shape;

// The whole program for a device of that kind, e.g. to compile it for a chip that is not here.
SEDGE_MUST_USE
sedge_status sedge_random_program_write(sedge_text *out, sedge_device_kind kind,
                                        const sedge_random_shape *shape);
