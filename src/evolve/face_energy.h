// The energy that the memory of boundary faces stores (sedge_boundary_kind.energy), on a device.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

typedef struct evolve_face_energy {
    sedge_buffer *mass, *roots, *owners, *faces, *weights; // as dg_face_energy.h reads them
    int64_t elements; // of this rank that have such faces; 0: nothing is to be done
} evolve_face_energy;

// Find the faces and send what the kernel reads. Clear it in any case. Not collective.
SEDGE_MUST_USE
sedge_status evolve_face_energy_create(evolve_face_energy *out, const sedge_operator *op);
void evolve_face_energy_clear(evolve_face_energy *of);

// Add the energy of the present memory to that of elements, energy [slots] fp64. Does not wait.
SEDGE_MUST_USE
sedge_status evolve_face_energy_add(const evolve_face_energy *of, sedge_operator *op,
                                    const operator_fields *fields, const sedge_buffer *energy);
