// Point sources: sources of the deck that act at single points of the mesh (dg/point.h). A stage
// adds them last, after the right-hand side.
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

// Add them to the residual and to the state after a stage.
SEDGE_MUST_USE
sedge_status evolve_point_sources_add(const evolve_point_sources *sources,
                                      const operator_fields *fields, const sedge_stage *stage);
