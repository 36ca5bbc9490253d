// Errors of the fields against an exact solution, for the report.
#pragma once

#include "run/report.h"

// Fill the report's errors of u [elements][fields][nodes] against the initial kind's solution at
// time t, if the problem is to be compared with it:
//   l2_error           of each field, the L2 norm of the difference over the mesh
//   linf_error         of each field, the largest difference at the nodes
//   l2_error_relative  over all fields, by the L2 norm of the solution; of an equation without time
//                      of its unknown alone, not mixed with the gradient
//   l2_error_group     of each output group ("E", "potential"), relative in the same way
// Relative to a solution that is zero everywhere an error is the absolute one. Integrals are by
// quadrature exact to degree 2N + 2 on a straight element, with the solution itself at the points:
// interpolated at the nodes it is off by as much as the fields are, and hides errors that vanish
// there. Collective.
SEDGE_MUST_USE
sedge_status sedge_errors_fill(sedge_report *report, const sedge_session *session, const double *u,
                               double t);

// A line of the summary: the relative errors; nothing without an exact solution.
void sedge_errors_print(const sedge_report *report);
