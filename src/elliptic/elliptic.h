// -div(k grad u) = f on tetrahedra, straight and curved, by the symmetric interior penalty method,
// on a device.
//
//   A(v, u) = sum_K (k grad v, grad u)_K - sum_F <{k grad u}.n, [v]> + <{k grad v}.n, [u]>
//             + sum_F <tau [u], [v]>
//
// [u] is the jump over a face, {k grad u} the mean weighted so that the side with the smaller k
// counts more (Ern, Stephansen and Zunino, IMA J. Numer. Anal. 29 (2009) 235): half the harmonic
// mean of the two k times the sum of the gradients. The penalty takes the sharp constant of the
// trace inequality of polynomials of degree N on a tetrahedron, face area by volume (Warburton and
// Hesthaven, CMAME 192 (2003) 2765):
//
//   tau = penalty <k> (N+1)(N+3)/3 max(area / volume of the two), <k> the harmonic mean;
//
// on a face where u is given, tau is twice that value with the element's own k, because u is
// mirrored there. For a curved element, bounds of its metric replace area and volume
// (elliptic_curved.h). A is symmetric, and positive definite for penalty >= 1 (0.5 was enough in
// all meshes tried, 0.25 in few). Without a condition that fixes u its null space is the constants.
//
// Unknowns are nodal values, [elements][nodes] in mesh order for callers; on the device they are a
// vector in the operator's own order (dg_elliptic.h), filled up with zeros, and A maps it to the
// integrals against the nodal functions.
#pragma once

#include "elliptic_config.h"
#include "elliptic_form.h"

#include "array/context.h"
#include "base/error.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "linear/krylov.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// ---- the operator ------------------------------------------------------------------------------

typedef struct sedge_elliptic sedge_elliptic;

// Compile, allocate, upload. The operator's order is that of `element` and may be below the
// problem's order (a level of multigrid). Collective. Keeps all arguments but the options.
// SEDGE_ERR_USAGE for an order above SEDGE_ELLIPTIC_ORDER_MAX.
SEDGE_MUST_USE
sedge_status sedge_elliptic_create(sedge_elliptic **out, const sedge_comm *comm,
                                   sedge_context *context, const sedge_element *element,
                                   const sedge_mesh *mesh, const sedge_problem *problem,
                                   const sedge_elliptic_options *options);
// Collective, as sedge_halo_free.
void sedge_elliptic_free(sedge_elliptic *op);

// Compile the kernels with another configuration. Vectors stay valid. On failure the operator is
// unchanged; SEDGE_ERR_DEVICE: the configuration does not fit the device. Collective.
SEDGE_MUST_USE
sedge_status sedge_elliptic_configure(sedge_elliptic *op, const sedge_elliptic_options *options);

// Numbers in a vector of this rank, and the bytes of one.
int64_t sedge_elliptic_rows(const sedge_elliptic *op);
int sedge_elliptic_real_bytes(const sedge_elliptic *op);

// Zeroed vector; the caller frees it.
SEDGE_MUST_USE
sedge_status sedge_elliptic_vector(sedge_buffer **out, const sedge_elliptic *op);

// u [elements][nodes] in mesh order to and from a vector. Waits. Not collective.
SEDGE_MUST_USE
sedge_status sedge_elliptic_upload(const sedge_elliptic *op, sedge_buffer *vector, const double *u);
SEDGE_MUST_USE
sedge_status sedge_elliptic_download(const sedge_elliptic *op, const sedge_buffer *vector,
                                     double *u);

// y = A x, in the stream. Collective.
SEDGE_MUST_USE
sedge_status sedge_elliptic_apply(sedge_elliptic *op, sedge_stream *stream, const sedge_buffer *x,
                                  sedge_buffer *y);

// r = b - A x; r may be b. Collective.
SEDGE_MUST_USE
sedge_status sedge_elliptic_residual(sedge_elliptic *op, sedge_stream *stream,
                                     const sedge_buffer *b, const sedge_buffer *x, sedge_buffer *r);

// As sedge_krylov_create takes it; borrowed.
sedge_krylov_operator sedge_elliptic_as_operator(sedge_elliptic *op);

// What an application of the operator costs on this rank, in bytes that must be moved and in
// arithmetic operations, and the kernel configuration in use.
typedef struct sedge_elliptic_cost {
    double bytes; // u in, A u out, face fluxes out and in, geometry and links of both kernels
    double flops;
    bool matrix;
    int item_nodes, weak_nodes, item_elements, block_elements, threads, resident;
    int64_t shared_bytes;  // of a block
    const char *transport; // of the halo: "none" (one rank), "staged", "direct", "peer"
} sedge_elliptic_cost;

void sedge_elliptic_get_cost(const sedge_elliptic *op, sedge_elliptic_cost *out);

// ---- right-hand side and results, on the host --------------------------------------------------

// The right-hand side b [elements][nodes]: the integrals of f against the nodal functions, point
// sources, and the data of inhomogeneous boundary conditions. In a straight element f is
// interpolated at the nodes; in a curved one it is evaluated at the quadrature points. Collective.
SEDGE_MUST_USE
sedge_status sedge_elliptic_right_hand_side(double *b, const sedge_comm *comm,
                                            const sedge_element *element, const sedge_mesh *mesh,
                                            const sedge_problem *problem);

// -grad u at the nodes, [elements][3][nodes], element by element.
void sedge_elliptic_field(double *field, const sedge_element *element, const sedge_mesh *mesh,
                          const double *u);

// The energy 1/2 sum_K (k grad u, grad u)_K, and this rank's elements' parts of it, `parts`
// [elements]; `field` is that of sedge_elliptic_field. Collective.
SEDGE_MUST_USE
sedge_status sedge_elliptic_energy(double *energy, double *parts, const sedge_comm *comm,
                                   const sedge_element *element, const sedge_mesh *mesh,
                                   const sedge_problem *problem, const double *u,
                                   const double *field);

// The inflow through each surface group, [surfaces]: the integral of k du/dn as the discrete form
// has it, including the penalty where u is fixed. So the inflows and the sources add up to zero.
// `field` is that of sedge_elliptic_field for u. Collective.
SEDGE_MUST_USE
sedge_status sedge_elliptic_surface_flux(double *flux, const sedge_comm *comm,
                                         const sedge_element *element, const sedge_mesh *mesh,
                                         const sedge_problem *problem, const double *u,
                                         const double *field);
