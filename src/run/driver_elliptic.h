// The commands for elliptic equations, which have no time: `sedge run` solves them instead of
// stepping, and `sedge check` prints the size of the problem.
#pragma once

#include "base/error.h"
#include "base/stopwatch.h"
#include "elliptic/solve.h"
#include "session/session.h"

// Solve the open session's problem on the deck's device, write fields, probes, slices and
// report.json, and print a summary. `watch` is the run's stopwatch, in the phase SEDGE_PHASE_SETUP.
// SEDGE_ERR_COMPUTE if the solve does not converge; the report is written then, too. Collective.
SEDGE_MUST_USE
sedge_status sedge_elliptic_run(sedge_session *session, sedge_stopwatch watch);

// The options of the solve that the deck gives.
sedge_elliptic_solve_options sedge_elliptic_run_options(const sedge_session *session);

// Print unknowns, levels, memory and output to stdout. Root prints. Collective.
void sedge_elliptic_print_sizes(const sedge_session *session);
