// The stages of a time step by the problem's integrator. Each stage launches the tuned right-hand
// side, then the kernels of the point sources, then those of stiff terms.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

typedef struct evolve_stages evolve_stages;

// As evolve_point_sources_create.
SEDGE_MUST_USE
sedge_status evolve_stages_create(evolve_stages **out, sedge_operator *op, operator_fields *fields);
void evolve_stages_free(evolve_stages *stages);

// Before the first step of `dt`: what the stages read that depends on it. Waits where there is
// such.
SEDGE_MUST_USE
sedge_status evolve_stages_prepare(evolve_stages *stages, double dt);

// Stages in a step, each with an exchange of traces.
int evolve_stages_count(const evolve_stages *stages);

// All stages of a step of the prepared `dt`, launched kernel by kernel: then u[0] is the state
// after it.
SEDGE_MUST_USE
sedge_status evolve_stages_run(evolve_stages *stages, double dt);
