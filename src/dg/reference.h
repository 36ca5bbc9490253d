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

// Keeps comm, element, mesh and problem, which must outlive it. SEDGE_ERR_USAGE for a surface group
// with faces and no condition, a point source outside the mesh. Collective. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_reference_create(sedge_reference **out, const sedge_comm *comm,
                                    const sedge_element *element, const sedge_mesh *mesh,
                                    const sedge_problem *problem);
void sedge_reference_free(sedge_reference *reference);

// For single elements, and of this rank alone: without exchange, terms and point sources. Only
// sedge_reference_rhs_of, sedge_reference_outer and sedge_reference_initial may be called. It takes
// no memory for elements that the first two are not asked about. Not collective.
SEDGE_MUST_USE
sedge_status sedge_reference_create_alone(sedge_reference **out, const sedge_element *element,
                                          const sedge_mesh *mesh, const sedge_problem *problem);

// rhs = u_t at time t: -div F(u) - LIFT(Fscale jump) + S(u) + terms + point sources, the terms with
// the memory as it is. Exchanges traces. Collective.
SEDGE_MUST_USE
sedge_status sedge_reference_rhs(sedge_reference *reference, const double *u, double t,
                                 double *rhs);

// The same in element e alone, into rhs [fields][nodes], but for S, terms and point sources: what a
// stage kernel makes. `halo` has the other ranks' traces, [halo_faces][fields][face_nodes], as they
// order their nodes; of u, only e and its neighbours are read. Not collective.
void sedge_reference_rhs_of(sedge_reference *reference, int32_t e, const double *u,
                            const double *halo, double t, double *rhs);

// What a boundary makes of the trace of u: v [face_nodes][fields] outside trace face `slot`, which
// is none of the halo's. `halo` as above, for two-sided kinds. Not collective.
void sedge_reference_outer(sedge_reference *reference, int32_t slot, const double *u,
                           const double *halo, double t, double *v);

// The memory of problem->terms[term] on this rank, [elements][memory][nodes], of the elements that
// have the term in ascending order. It belongs to the reference, is zero at first, and may be read
// and written. Not of a reference alone. Not collective.
double *sedge_reference_memory(sedge_reference *reference, int term);

// One step of the problem's integrator from t: u and the terms' memory are replaced. Collective.
SEDGE_MUST_USE
sedge_status sedge_reference_step(sedge_reference *reference, double *u, double t, double dt);

// Energy 1/2 sum_K J sum_f w_f u_f^T M u_f of each element of this rank into `energy` [elements].
// Also used by the driver. Not collective.
void sedge_reference_energy(const sedge_reference *reference, const double *u, double *energy);

// The fields of the problem's initial kind at time t into u. Not collective.
void sedge_reference_initial(const sedge_reference *reference, double t, double *u);
