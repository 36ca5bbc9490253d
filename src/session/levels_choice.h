// Local time steps of a run: the deck's time.levels.
#pragma once

#include "deck/deck.h"
#include "dg/levels.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

// What a small launch costs on the device that the deck asks for, in stages of a plain element
// of the problem (sedge_traits.launch_nodes). The root's answer, on all ranks. Collective.
double sedge_levels_launch(const sedge_comm *comm, const sedge_deck *deck,
                           const sedge_problem *problem);

// How levels are to be chosen for the problem's integrator, which has a predictor. Not collective.
sedge_levels_options sedge_levels_plan(const sedge_comm *comm, const sedge_deck *deck,
                                       const sedge_problem *problem, double launch);

// The levels that cost the least. Unless the deck names integrator and number of levels, of those
// whose macro step is at most a tenth of the period of the highest frequency of signals and
// spectra. `launch` is that of sedge_levels_launch. The result does not depend on the number of
// ranks. SEDGE_ERR_MEMORY on all ranks. The caller clears `levels` in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_levels_find(sedge_levels *levels, const sedge_comm *comm, const sedge_deck *deck,
                               const sedge_problem *problem, const sedge_mesh *mesh, double launch);

// Set `levels`; `*stable_dt` is that of one step for all elements. Where the deck and the
// integrator allow more levels, choose them, unless `levels` has the levels of the mesh's elements
// already. Then, whatever the integrator, deal the elements to the ranks anew where these would
// wait for each other (sedge_mesh_balance, with the options that the mesh was created with), number
// them by level, and make `*stable_dt` the macro step. SEDGE_ERR_MEMORY. Collective.
SEDGE_MUST_USE
sedge_status sedge_levels_apply(sedge_levels *levels, double *stable_dt, const sedge_comm *comm,
                                const sedge_deck *deck, const sedge_problem *problem,
                                sedge_mesh *mesh, const sedge_mesh_options *mesh_options);

// Print the table of the levels, if the deck and the integrator allow more than one, and how long
// ranks wait for each other, to stdout.
// `dt` is the macro step of the run. Not collective; the caller is the root.
void sedge_levels_print(const sedge_levels *levels, const sedge_deck *deck,
                        const sedge_problem *problem, double dt);
