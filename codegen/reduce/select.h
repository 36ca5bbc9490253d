// The kernels of selection: what their source depends on, and that source.
#pragma once

#include "array/array.h"
#include "base/text.h"

typedef enum sedge_select_what {
    SEDGE_SELECT_COMPRESS,
    SEDGE_SELECT_TAKE,
    SEDGE_SELECT_PUT
} sedge_select_what;

// What the kernels' source depends on; the cached kernel's key.
typedef struct sedge_select_shape {
    int what;
    int unit;       // type of the elements
    int index;      // type of indices, or of the mask
    int dimensions; // of the array that is indexed; 0: contiguous
} sedge_select_shape;

// The whole program for a device of that kind, e.g. to compile it for a chip that is not here.
SEDGE_MUST_USE
sedge_status sedge_select_program_write(sedge_text *out, sedge_device_kind kind,
                                        const sedge_select_shape *shape);
