// The bases of the device's state, on the host: nodal values and coefficients of the
// Bernstein-Bezier basis; and in curved elements vectors or their covariant components.
//
// Where sedge_cubature_state_is_covariant holds, the device has of a curved element not the vectors
// E of the equation but their covariant components e_j = x_{r_j}.E, in the layout's basis; so it
// has of the terms' memory. All of the host's code that reads or writes the state goes through
// these functions; kernels get what takes e to E at the places that they need. At a place e = G^T E
// and E = G^-T e with G = dx/dr there. The functions set no error, and any thread may call them.
#pragma once

#include "dg/bernstein.h"
#include "operator/operator.h"

#include <stdbool.h>
#include <stdint.h>

// Make op->bernstein unless it is there. Not from several threads.
SEDGE_MUST_USE
sedge_status operator_bernstein_need(sedge_operator *op);

// `rows` rows of nodes, in the basis `from`, in place into the basis `to`; work has as many
// numbers. Needs op->bernstein where the two differ.
void operator_convert(const sedge_operator *op, sedge_basis to, sedge_basis from, double *values,
                      double *work, int64_t rows);

// Whether the device has covariant components of this element: it is curved, and the problem's
// state is covariant.
bool operator_view_needed(const sedge_operator *op, int32_t element);

// Nodal values [components][nodes] of one element, in place: vectors of the equation to covariant
// components. `components` is a multiple of three: all fields, or what a term's memory has. Nothing
// is done where no view is needed. Between nodal values and coefficients operator_convert converts.
void operator_view_from_physical(const sedge_operator *op, int32_t element, double *values,
                                 int components);

// The basis of the device's state.
sedge_basis operator_view_basis(const sedge_operator *op);

// Values [components][nodes] of one element, in place, from one basis of a state to another; `work`
// has as many numbers. `components` as above where just one of the two is covariant. Needs
// op->bernstein where the two differ.
void operator_view_convert(const sedge_operator *op, int32_t element, sedge_basis to,
                           sedge_basis from, double *values, double *work, int components);

// At reference coordinates `place` of an element what takes the state's vectors to the equation's:
// E_d = sum_j g[d][j] e_j. The unit matrix where no view is needed.
void operator_view_matrix(double g[3][3], const sedge_operator *op, int32_t element,
                          const double place[3]);
