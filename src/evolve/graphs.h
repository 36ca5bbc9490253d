// Whole time steps recorded as graphs of the device, so that the host launches a step at once.
//
// A graph repeats what was recorded: the same buffers, and the same places of the halo's messages
// (sedge_halo_turn). A step reads the state in one of two buffers, and after an odd number of
// stages the result is in the other one. So there are at most two graphs for all steps of one
// length.
#pragma once

#include "evolve/stages.h"

typedef struct evolve_graphs evolve_graphs;

// Keeps all three, which must outlive it.
SEDGE_MUST_USE
sedge_status evolve_graphs_create(evolve_graphs **out, sedge_operator *op, operator_fields *fields,
                                  evolve_stages *stages);

// Nothing that was launched may still run.
void evolve_graphs_free(evolve_graphs *graphs);

// All stages of a step of `dt` by a graph, which is recorded first unless a step from this state
// is.
SEDGE_MUST_USE
sedge_status evolve_graphs_launch(evolve_graphs *graphs, double dt);

// As sedge_evolution_recorded says.
int evolve_graphs_recorded(const evolve_graphs *graphs, int turn[2]);
