// Energies of elements, computed on the device.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

typedef struct evolve_energy evolve_energy;

// What the kernels read beside the fields. Not collective. Keeps the operator, which must outlive
// it; its layout must not change.
SEDGE_MUST_USE
sedge_status evolve_energy_create(evolve_energy **out, sedge_operator *op);
void evolve_energy_free(evolve_energy *energy);

// The energy of each element of this rank in mesh order, values [elements]. Waits.
SEDGE_MUST_USE
sedge_status evolve_energy_measure(const evolve_energy *energy, const operator_fields *fields,
                                   double *values);
