// Do local time steps pay in a run whose deck leaves the integrator to the program?
#pragma once

#include "deck/deck.h"
#include "dg/element.h"
#include "dg/levels.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

// ADER with local time steps is taken if it is this many times faster than the best Runge-Kutta
// method, at equal errors of waves.
#define SEDGE_LOCAL_STEPS_WORTH 1.2

// What was found.
typedef struct sedge_local_steps {
    const sedge_integrator *integrator; // that has them; NULL: not looked at
    const sedge_integrator *other;      // the best Runge-Kutta method
    double gain;        // the work of `other` by that of `integrator`, by the cost model
    bool bound;         // the gain is this at most
    double wavelengths; // that waves travel in the run
    double penalty;     // sedge_predictor_penalty
    bool taken;
    char obstacle[160]; // why the run cannot have them; ""
} sedge_local_steps;

// Compare local time steps with the problem's integrator, the best Runge-Kutta method. Where they
// pay, `problem->integrator` becomes the one that has them and `levels` theirs, which
// sedge_levels_apply takes; else `levels` is empty. They pay if the gain by the cost model
// (time/pass_cost.h) is above SEDGE_LOCAL_STEPS_WORTH times the penalty of ADER's waves. These
// travel until the deck's end; where a surface lets waves out, at most about the diameter of the
// mesh. They are as short as the highest frequency of signals and spectra makes them. The
// result depends on the device that the deck asks for, not
// on the number of ranks. SEDGE_ERR_MEMORY on all ranks. Collective.
SEDGE_MUST_USE
sedge_status sedge_local_steps_choose(sedge_local_steps *out, sedge_levels *levels,
                                      const sedge_comm *comm, const sedge_deck *deck,
                                      sedge_problem *problem, const sedge_mesh *mesh);

// Print a line about it to stdout, if it was looked at. Not collective; the caller is the root.
void sedge_local_steps_print(const sedge_local_steps *found);
