// The monitors' arrays in a checkpoint: see checkpoint.h. Only checkpoint*.c include this.
#pragma once

#include "checkpoint/checkpoint_file.h"
#include "io/h5.h"
#include "io/writer.h"
#include "monitor/monitors.h"

// An array that is being written: a copy, since the monitor goes on with its own.
typedef struct checkpoint_array {
    sedge_named_array named;
    int64_t first, all; // rows of lower ranks, and of all ranks
    double *values;     // [rows][width]
    int64_t *sums;      // [rows]
    int64_t places[CHECKPOINT_SETS];
} checkpoint_array;

// Copies of the arrays: [count]. Release them. Collective.
SEDGE_MUST_USE
sedge_status checkpoint_arrays_keep(checkpoint_array **out, const sedge_comm *comm,
                                    const sedge_named_array *arrays, int count);
void checkpoint_arrays_release(checkpoint_array *arrays, int count);

// Make the datasets, and find their places [count][CHECKPOINT_SETS]; the root does it.
SEDGE_MUST_USE
sedge_status checkpoint_arrays_make(sedge_h5 *file, const checkpoint_array *arrays, int count,
                                    int64_t *places);

// Write this rank's rows at their places; of one rank.
SEDGE_MUST_USE
sedge_status checkpoint_arrays_fill(const checkpoint_array *arrays, int count,
                                    const sedge_write *file);
