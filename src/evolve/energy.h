// Energies of elements, computed on the device.
#pragma once

#include "operator/operator.h"
#include "operator/operator_fields.h"

// Energy of each element of this rank in mesh order, [elements]. Waits.
SEDGE_MUST_USE
sedge_status evolve_energy(sedge_operator *op, const operator_fields *fields, double *energy);
