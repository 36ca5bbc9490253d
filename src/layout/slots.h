// Where the elements of this rank lie in arrays on a device.
//
// Element data is stored in slots. A SIMD batch is `lanes` neighbouring slots, one for each lane of
// a vector register; on a GPU it is a single slot. A kernel launch works on whole batches, so each
// range of the mesh (sedge_range) begins a new batch, and its last batch may have empty slots.
#pragma once

#include "mesh/mesh.h"

#include <stdbool.h>
#include <stdint.h>

// The batches of consecutive ranges with equal `halo` and `curved`: what one launch works on.
// Curved batches are also counted by themselves, because some arrays hold curved elements only.
typedef struct sedge_span {
    int64_t first, count; // SIMD batches
    int64_t first_curve;  // of a curved span: index of its first batch among all curved batches
} sedge_span;

typedef struct sedge_slots {
    const sedge_mesh *mesh;
    int lanes;
    int64_t batches;                          // all
    int64_t curved_batches;                   // those of curved elements
    int64_t count;                            // slots: batches * lanes
    sedge_span span[2][2];                    // [halo][curved]
    sedge_span level[2][2][SEDGE_LEVELS_MAX]; // the part of each that has a level of the time step
} sedge_slots;

// Give each element of the mesh a slot. The result keeps `mesh`, which must outlive it.
sedge_slots sedge_slots_place(const sedge_mesh *mesh, int lanes);

// The first batch of a range of the mesh.
int64_t sedge_slots_first(const sedge_slots *slots, const sedge_range *range);

// The slot of an element.
int64_t sedge_slot(const sedge_slots *slots, int32_t element);

// The slot of a curved element in arrays of curved elements only.
int64_t sedge_curved_slot(const sedge_slots *slots, int32_t element);
