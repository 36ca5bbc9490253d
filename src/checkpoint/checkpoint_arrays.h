// The monitors' arrays in a checkpoint: see checkpoint.h. Only checkpoint*.c include this.
#pragma once

#include "io/h5.h"
#include "monitor/monitors.h"

// The rows of each array, of all ranks: [count]. The caller releases them. Collective.
SEDGE_MUST_USE
sedge_status checkpoint_arrays_count(int64_t **rows, const sedge_comm *comm,
                                     const sedge_named_array *arrays, int count);

// Make the datasets; the root does it.
SEDGE_MUST_USE
sedge_status checkpoint_arrays_make(sedge_h5 *file, const sedge_named_array *arrays,
                                    const int64_t *rows, int count);

// Write the rows. Collective.
SEDGE_MUST_USE
sedge_status checkpoint_arrays_fill(sedge_h5 *file, const sedge_comm *comm,
                                    const sedge_named_array *arrays, int count);
