// Sources of the deck that act in few elements: those at points of the mesh (dg/point.h), and those
// of surfaces with a field (dg/surface_source.h). A stage adds them last, after the
// right-hand side.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"
#include "time/integrator.h"

typedef struct evolve_point_sources evolve_point_sources;

// Those of the operator's problem; SEDGE_ERR_USAGE for one outside the mesh. Collective. Keeps the
// operator, which must outlive it; its layout must not change.
SEDGE_MUST_USE
sedge_status evolve_point_sources_create(evolve_point_sources **out, sedge_operator *op);
void evolve_point_sources_free(evolve_point_sources *sources);

// Whether this rank has any.
bool evolve_point_sources_present(const evolve_point_sources *sources);

// Add them to the residual and to the state after a stage.
SEDGE_MUST_USE
sedge_status evolve_point_sources_add(const evolve_point_sources *sources,
                                      const operator_fields *fields, const sedge_stage *stage);

// The same for integrators with `predictor`, of elements of the levels 0 to the last one given;
// `stage` is that of level 0. Add the sources at points to the means of steps that begin now: u[0],
// u[1] for the first half, and of curved elements memory[].now; in straight elements what terms
// make of them over the step to the state, which is the residual, and to memory[].residual.
SEDGE_MUST_USE
sedge_status evolve_point_sources_predict(const evolve_point_sources *sources,
                                          const operator_fields *means, const sedge_stage *stage,
                                          int started);

// Add them to the state, which is the residual, at the end of steps.
SEDGE_MUST_USE
sedge_status evolve_point_sources_step(const evolve_point_sources *sources,
                                       const operator_fields *means, const sedge_stage *stage,
                                       int ended);
