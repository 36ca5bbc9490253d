// The exponential updates of stiff terms (dg/exponential.h) on a device. A Runge-Kutta stage
// launches them last, after the point sources; a step with a prediction has two parts of them.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

typedef struct evolve_exponential evolve_exponential;

// Those of the operator's problem. Not collective. Keeps the operator, which must outlive it; its
// layout must not change.
SEDGE_MUST_USE
sedge_status evolve_exponential_create(evolve_exponential **out, sedge_operator *op);
void evolve_exponential_free(evolve_exponential *exponential);

// Make the numbers for steps of `dt`, with local time steps those of the coarsest level, and the
// materials of the operator's predictions. Waits for work that reads those of another dt.
SEDGE_MUST_USE
sedge_status evolve_exponential_prepare(evolve_exponential *exponential, double dt);

// Update fields and memory after a stage of a step of the prepared length.
SEDGE_MUST_USE
sedge_status evolve_exponential_run(const evolve_exponential *exponential,
                                    const operator_fields *fields, int stage);

// The update of the elements of levels 0 to `level` in steps with a prediction: before it, or
// `after` the stage.
SEDGE_MUST_USE
sedge_status evolve_exponential_step(const evolve_exponential *exponential,
                                     const operator_fields *fields, bool after, int level);
