// Local time steps of a run: the deck's time.levels.
#pragma once

#include "deck/deck.h"
#include "dg/levels.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

// Set `levels`; `*stable_dt` is that of one step for all elements. Where the deck and the
// integrator allow more levels, choose them, deal the elements of the mesh to the ranks anew
// (sedge_mesh_balance, with the options that it was created with), number them by level, and make
// `*stable_dt` the macro step. SEDGE_ERR_MEMORY. Collective.
SEDGE_MUST_USE
sedge_status sedge_levels_apply(sedge_levels *levels, double *stable_dt, const sedge_comm *comm,
                                const sedge_deck *deck, const sedge_problem *problem,
                                sedge_mesh *mesh, const sedge_mesh_options *mesh_options);

// Print the table of the levels, if the deck and the integrator allow more than one, to stdout.
// `dt` is the macro step of the run. Not collective; the caller is the root.
void sedge_levels_print(const sedge_levels *levels, const sedge_deck *deck,
                        const sedge_problem *problem, double dt);
