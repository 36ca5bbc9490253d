// What elliptic_results.c finds, of curved elements: by the points of elliptic_curved.h, which are
// the operator's. `curved` has operators; b, u [nodes] are the element's.
#pragma once

#include "elliptic_curved.h"

// b_n += the integral of f against nodal function n, f taken at the points.
void elliptic_curved_add_source(double *b, const elliptic_curved *curved, const sedge_mesh *mesh,
                                const sedge_problem *problem, int32_t e);

// b_n += what the condition of a boundary face adds, its value taken at the points.
void elliptic_curved_add_condition(double *b, const elliptic_curved *curved, const sedge_mesh *mesh,
                                   const sedge_problem *problem, const sedge_trace_face *trace,
                                   const sedge_elliptic_face *form);

// The integral of grad u . grad u.
double elliptic_curved_energy(const elliptic_curved *curved, const sedge_mesh *mesh, int32_t e,
                              const double *u);

// What flows in through a boundary face.
double elliptic_curved_face_flux(const elliptic_curved *curved, const sedge_mesh *mesh,
                                 const sedge_problem *problem, const sedge_trace_face *trace,
                                 const sedge_elliptic_face *form, const double *u);

// The integrals of the nodal functions, [nodes]; returns their sum, the volume.
double elliptic_curved_integrals(double *out, const elliptic_curved *curved, const sedge_mesh *mesh,
                                 int32_t e);
