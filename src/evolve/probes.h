// Probes: the fields at points of this rank. Each record appends one sample to a buffer on the
// device, without waiting; a fetch copies all samples to the host and empties the buffer.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

typedef struct evolve_probes evolve_probes;

// As sedge_evolution_set_probes says. Keeps the operator, which must outlive it; its layout must
// not change.
SEDGE_MUST_USE
sedge_status evolve_probes_create(evolve_probes **out, sedge_operator *op, int count,
                                  const int32_t *elements, const double *weights, int capacity);
void evolve_probes_free(evolve_probes *probes);

SEDGE_MUST_USE
sedge_status evolve_probes_record(evolve_probes *probes, const operator_fields *fields);
SEDGE_MUST_USE
sedge_status evolve_probes_fetch(evolve_probes *probes, double *values, int *samples);
