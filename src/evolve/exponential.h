// The exponential updates of stiff terms (dg/exponential.h) on a device. A stage launches them
// last, after the point sources.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

typedef struct evolve_exponential evolve_exponential;

// Those of the operator's problem. Not collective. Keeps the operator, which must outlive it; its
// layout must not change.
SEDGE_MUST_USE
sedge_status evolve_exponential_create(evolve_exponential **out, sedge_operator *op);
void evolve_exponential_free(evolve_exponential *exponential);

// Make the numbers for steps of `dt`. Waits for work that reads those of another dt.
SEDGE_MUST_USE
sedge_status evolve_exponential_prepare(evolve_exponential *exponential, double dt);

// Update fields and memory after a stage of a step of the prepared length.
SEDGE_MUST_USE
sedge_status evolve_exponential_run(const evolve_exponential *exponential,
                                    const operator_fields *fields, int stage);
