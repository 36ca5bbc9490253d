// The curved elements' part of elliptic_results.c, by the operator's quadrature points
// (elliptic_curved.h). `curved` was created with operators; b and u [nodes] are one element's.
#pragma once

#include "elliptic_curved.h"

#include "dg/problem.h"

// b_n += the integral of f against nodal function n; f is evaluated at the quadrature points.
void elliptic_curved_add_source(double *b, const elliptic_curved *curved, const sedge_mesh *mesh,
                                const sedge_problem *problem, int32_t e);

// b_n += the contribution of a boundary face's condition; its data are evaluated at the points.
void elliptic_curved_add_condition(double *b, const elliptic_curved *curved, const sedge_mesh *mesh,
                                   const sedge_problem *problem, const sedge_trace_face *trace,
                                   const sedge_elliptic_face *form);

// The integral of grad u . grad u.
double elliptic_curved_energy(const elliptic_curved *curved, const sedge_mesh *mesh, int32_t e,
                              const double *u);

// The inflow through a boundary face: the integral of k du/dn as the form has it.
double elliptic_curved_face_flux(const elliptic_curved *curved, const sedge_mesh *mesh,
                                 const sedge_problem *problem, const sedge_trace_face *trace,
                                 const sedge_elliptic_face *form, const double *u);

// The integrals of the nodal functions, [nodes]; returns their sum, the volume.
double elliptic_curved_integrals(double *out, const elliptic_curved *curved, const sedge_mesh *mesh,
                                 int32_t e);
