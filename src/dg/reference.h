// The slow reference: the operator written as the formula, fp64, one element at a time, by the host
// compiler. It is the oracle for every generated kernel and is never used for a run.
//
// Arrays are [elements][fields][nodes] in mesh order.
#pragma once

#include "base/error.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

typedef struct sedge_reference sedge_reference;

// Keeps element, mesh and problem, which must outlive it. Collective.
SEDGE_MUST_USE
sedge_status sedge_reference_create(sedge_reference **out, const sedge_comm *comm,
                                    const sedge_element *element, const sedge_mesh *mesh,
                                    const sedge_problem *problem);
void sedge_reference_free(sedge_reference *reference);

// rhs = u_t at time t: -div F(u) - LIFT(Fscale jump) + S(u) + point sources. Exchanges traces.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_reference_rhs(sedge_reference *reference, const double *u, double t,
                                 double *rhs);

// One LSRK4(5) step from t: u is replaced. Collective.
SEDGE_MUST_USE
sedge_status sedge_reference_step(sedge_reference *reference, double *u, double t, double dt);

// Energy 1/2 sum_K J sum_f w_f u_f^T M u_f of each element of this rank into `energy` [elements].
// Also used by the driver. Not collective.
void sedge_reference_energy(const sedge_reference *reference, const double *u, double *energy);

// u_f at the nodes of the problem's initial kind at time t. Not collective.
void sedge_reference_initial(const sedge_reference *reference, double t, double *u);
