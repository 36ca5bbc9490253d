// Energies of elements, computed on the device, and their sum. One measurement is under way or
// known at a time; the one that was kept stays beside it, to compare with.
#pragma once

#include "dg/energy_sum.h"
#include "operator/fields.h"
#include "operator/operator.h"

typedef struct evolve_energy evolve_energy;

// What the kernels read beside the fields. Not collective. Keeps the operator, which must outlive
// it; its layout must not change.
SEDGE_MUST_USE
sedge_status evolve_energy_create(evolve_energy **out, sedge_operator *op);
void evolve_energy_free(evolve_energy *energy);

// Measure the state at the end of the queue. Does not wait.
SEDGE_MUST_USE
sedge_status evolve_energy_begin(const evolve_energy *energy, const operator_fields *fields);

// Wait for what was begun, and for nothing after it.
SEDGE_MUST_USE
sedge_status evolve_energy_end(const evolve_energy *energy, sedge_energy_sum *sum);

// Keep what was measured, in place of what was kept before.
void evolve_energy_keep(evolve_energy *energy);

// The energy of each element of this rank in mesh order, values [elements]: what was measured, or
// what was kept. Waits for it.
SEDGE_MUST_USE
sedge_status evolve_energy_get(const evolve_energy *energy, bool kept, double *values);
