// The integrator of a run whose deck leaves the choice to the program (time.integrator: auto).
#pragma once

#include "deck/deck.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

// The highest frequency of spectra and signals, in cycles per code time; 0: none is known. Not
// collective.
double sedge_integrator_frequency(const sedge_deck *deck, const sedge_problem *problem);

// Are the deck's fluxes wholly upwind?
bool sedge_integrator_is_upwind(const sedge_deck *deck);

#define SEDGE_SAMPLES_A_PERIOD 10.0 // at least, where the program chooses the integrator

// Of all Runge-Kutta methods the one that takes the fewest stages from the start to the deck's end,
// if its own error stays small: at the highest frequency that the deck asks for, or that its
// signals have, a wave is off by at most SEDGE_TIME_ERROR at the end of the run, and a period has
// at least ten samples. The problem's integrator (lsrk45) where that is not known or does not hold:
// a run of `steps`, whose length would change, no known frequency, an equation that is not linear,
// fluxes that are not wholly upwind for an integrator whose limit needs them, and stiff poles whose
// exponential update (dg/exponential.h), which of the Runge-Kutta methods lsrk45 alone bears,
// lengthens its steps: the caller has called sedge_exponential_choose. A run of the same deck gets
// the same one on any number of ranks. Collective.
#define SEDGE_TIME_ERROR 1e-3
const sedge_integrator *sedge_integrator_choose(const sedge_comm *comm, const sedge_deck *deck,
                                                const sedge_problem *problem,
                                                const sedge_mesh *mesh);

// Check that the problem's integrator can do this run: SEDGE_ERR_USAGE, with what it cannot do. The
// same on all ranks; not collective.
SEDGE_MUST_USE
sedge_status sedge_integrator_check(const sedge_deck *deck, const sedge_problem *problem);
