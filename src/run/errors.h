// Errors of the fields against an exact solution, for the report.
#pragma once

#include "run/report.h"

// Fill the errors in the report: u [elements][fields][nodes] against the exact solution of the
// initial kind at time t. Does nothing if the problem has no exact solution.
//   l2_error           for each field: L2 norm of the difference over the mesh
//   linf_error         for each field: largest difference at the nodes
//   l2_error_relative  over all fields: L2 norm of the difference / L2 norm of the solution; for an
//                      equation without time over its unknown only, without the gradient
//   l2_error_group     the same ratio for each output group ("E", "potential")
// If the solution is zero everywhere the absolute error takes the place of the relative one. The
// quadrature is exact to degree 2N + 2 on a straight element and evaluates the exact solution at
// its points. Comparing with the solution's interpolant at the nodes would be wrong: the
// interpolant is as inaccurate as the fields, and errors that vanish at the nodes would be missed.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_errors_fill(sedge_report *report, const sedge_session *session, const double *u,
                               double t);

// Print the relative errors as a line of the summary; nothing without an exact solution.
void sedge_errors_print(const sedge_report *report);
