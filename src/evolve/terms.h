// The terms of a problem on the device (operator/terms.h): the list of SIMD batches that have each
// term, its parameters, its memory, and the kernel that adds it after a stage.
#pragma once

#include "evolve/transfer.h"
#include "time/integrator.h"

typedef struct evolve_terms evolve_terms;

// Those of the operator's problem; their memory is zero. Not collective. Keeps the operator, which
// must outlive it; its layout must not change.
SEDGE_MUST_USE
sedge_status evolve_terms_create(evolve_terms **out, sedge_operator *op);
void evolve_terms_free(evolve_terms *terms);

// Add them to what a stage has made, from the state before it, which is still u[0].
SEDGE_MUST_USE
sedge_status evolve_terms_add(const evolve_terms *terms, const operator_fields *fields,
                              const sedge_stage *stage);

// The blocks of the state: the fields, then the memory of each term that has one.
int evolve_terms_blocks(const evolve_terms *terms);
const evolve_block *evolve_terms_block(const evolve_terms *terms, int i);
