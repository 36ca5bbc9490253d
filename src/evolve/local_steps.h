// Steps of integrators with `predictor` (dg/predictor.h), with local time steps where the mesh has
// levels: the evolution's step is that of the coarsest level, and the finest level takes 2^(levels
// - 1) steps in it.
#pragma once

#include "evolve/exponential.h"
#include "evolve/point_sources.h"
#include "operator/fields.h"
#include "operator/operator.h"

typedef struct evolve_local_steps evolve_local_steps;

// For an integrator without `predictor` *out is NULL. Keeps its arguments, which must outlive it.
// SEDGE_ERR_MEMORY. Not collective. The caller frees it; NULL is fine.
SEDGE_MUST_USE
sedge_status evolve_local_steps_create(evolve_local_steps **out, sedge_operator *op,
                                       operator_fields *fields,
                                       const evolve_point_sources *point_sources,
                                       const evolve_exponential *exponential);
void evolve_local_steps_free(evolve_local_steps *steps);

// Queue a step of all elements over dt. Collective.
SEDGE_MUST_USE
sedge_status evolve_local_steps_run(evolve_local_steps *steps, double dt);
