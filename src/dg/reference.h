// The slow reference: the operator as plain C that follows the formula, in fp64, one element at a
// time. Every generated kernel is tested against it. Runs do not use it for time steps.
//
// Arrays are [elements][fields][nodes] in mesh order.
#pragma once

#include "base/error.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

typedef struct sedge_reference sedge_reference;

// Keeps comm, element, mesh and problem, which must outlive the result. SEDGE_ERR_USAGE: a surface
// group that has faces but no condition, or a point source outside the mesh. Collective. The caller
// frees the result.
SEDGE_MUST_USE
sedge_status sedge_reference_create(sedge_reference **out, const sedge_comm *comm,
                                    const sedge_element *element, const sedge_mesh *mesh,
                                    const sedge_problem *problem);
void sedge_reference_free(sedge_reference *reference);

// Create a reference for single elements of this rank, without exchange, terms and point sources.
// Only functions ending in `_of`, sedge_reference_outer and sedge_reference_initial may be called
// on it. Elements for which these are never called take no memory. Not collective.
SEDGE_MUST_USE
sedge_status sedge_reference_create_alone(sedge_reference **out, const sedge_element *element,
                                          const sedge_mesh *mesh, const sedge_problem *problem);

// rhs = u_t at time t: -div F(u) - LIFT(Fscale jump) + S(u) + terms + point sources, but not the
// sources of surfaces with a field (dg/surface_source.h). The terms use their present memory;
// exponential ones are left out. Exchanges traces. Collective.
SEDGE_MUST_USE
sedge_status sedge_reference_rhs(sedge_reference *reference, const double *u, double t,
                                 double *rhs);

// The right-hand side in element e alone, rhs [fields][nodes], without S, terms and point sources:
// the part that a stage kernel computes. `halo` contains the traces of other ranks,
// [halo_faces][fields][face_nodes], in the node order of the sender. Of u only e and its neighbours
// are read. Not collective.
void sedge_reference_rhs_of(sedge_reference *reference, int32_t e, const double *u,
                            const double *halo, double t, double *rhs);

// What a signal of 1 that drives a condition (dg/surface_source.h) adds to u_t in element e, rhs
// [fields][nodes]. u and halo are as above and zero. Not collective.
void sedge_reference_driven_of(sedge_reference *reference, int32_t e,
                               const sedge_boundary *boundary, const double *u, const double *halo,
                               double *rhs);

// Add to rhs [fields][nodes] what S and the terms make of u [fields][nodes] in element e, matrices
// acting on what is there, too, and store the rates of the terms' memory. w and dw have the memory
// of all the problem's terms, one behind the other, [poles][memory][nodes] each; where the element
// does not have a term, its part is not touched. For linear terms. Not collective.
void sedge_reference_terms_of(const sedge_reference *reference, int32_t e, const double *u,
                              const double *w, double *rhs, double *dw);

// L in element e (dg/predictor.h): what the element makes of its fields and memory by itself. u
// [elements][fields][nodes], of which only e is read; rhs, w and dw as above. Not collective.
void sedge_reference_local_of(sedge_reference *reference, int32_t e, const double *u,
                              const double *w, double *rhs, double *dw);

// The mean of what L makes of element e over dt, and that over the first half of dt,
// [fields][nodes] each, of a straight element, or a curved one with covariant components, as if it
// had neither terms nor a source (dg/predictor.h). Of u only e is read. SEDGE_ERR_MEMORY. Not
// collective.
SEDGE_MUST_USE
sedge_status sedge_reference_predict_of(sedge_reference *reference, int32_t e, const double *u,
                                        double dt, double *mean, double *half);

// The outer trace v [face_nodes][fields] that the boundary condition of trace face `slot` gives for
// u. The face is a boundary face, not a halo face. `halo` as above, for two-sided kinds. Not
// collective.
void sedge_reference_outer(sedge_reference *reference, int32_t slot, const double *u,
                           const double *halo, double t, double *v);

// The memory of problem->terms[term] on this rank, [elements][memory][nodes], of the elements that
// have the term in ascending order. It belongs to the reference, is zero at first, and may be read
// and written. Not available from sedge_reference_create_alone. Not collective.
double *sedge_reference_memory(sedge_reference *reference, int term);

// The memory of this rank's boundary faces, [boundary_faces][sedge_problem_face_memory]
// [face_nodes]: zero where a face's kind has less or none; NULL: the problem has none. As above.
double *sedge_reference_face_memory(sedge_reference *reference);

// One step of the problem's integrator from t: u and the memory of terms and faces are replaced.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_reference_step(sedge_reference *reference, double *u, double t, double dt);

// Energy 1/2 sum_K J sum_f w_f u_f^T M u_f of each element of this rank into `energy` [elements],
// with that of the present memory of terms and faces (sedge_term_kind.energy,
// sedge_boundary_kind.energy). Not collective.
void sedge_reference_energy(const sedge_reference *reference, const double *u, double *energy);

// The fields of the problem's initial kind at time t into u, by up to `threads` threads. Not
// collective.
void sedge_reference_initial(const sedge_reference *reference, double t, int threads, double *u);
