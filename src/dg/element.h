// The reference tetrahedron of order N: nodes, modes, operators, all in fp64.
//
// Warp & blend nodes (Warburton, J. Eng. Math. 56 (2006) 247), orthonormal PKDO modes (Hesthaven &
// Warburton, Nodal DG Methods, Springer 2008, ch. 10), vertices and faces as in mesh/mesh.h.
// Matrices are row-major: D[n][m] is the weight of node m in the derivative at node n.
#pragma once

#include "base/error.h"

#include <stdint.h>

typedef struct sedge_element {
    int order;             // N, 1..10
    int nodes;             // Np = (N+1)(N+2)(N+3)/6
    int face_nodes;        // Nfp = (N+1)(N+2)/2
    double *r, *s, *t;     // [nodes]
    double *vandermonde;   // V [nodes][modes]: mode j at node i
    double *inverse;       // V^-1 [modes][nodes]
    double *mass;          // M = (V V^T)^-1 [nodes][nodes], of the reference element (volume 4/3)
    double *derivative[3]; // D_r, D_s, D_t [nodes][nodes]
    double *lift;          // V V^T E [nodes][4 face_nodes]
    double *weak[3];       // (V V_r^T)(V V^T)^-1, the weak derivative [nodes][nodes]
    int *face_node;        // [4][face_nodes] volume node of each face node
    int *permuted;         // [6][face_nodes]: node i of my face f coincides with node
                           // permuted[o*face_nodes+i] of the neighbour's face g, whatever f and g,
                           // where the faces meet with orientation o (mesh/mesh.h)
    double *face_mass;     // [face_nodes][face_nodes], of the reference triangle (area 2)
} sedge_element;

// Orders 1..10; others fail with SEDGE_ERR_USAGE. The caller frees the result. No function here is
// collective.
SEDGE_MUST_USE
sedge_status sedge_element_create(sedge_element **out, int order);
void sedge_element_free(sedge_element *element);

// The weights l with u(r,s,t) = sum_i l_i u_i: psi(r,s,t)^T V^-1. `weights` has `nodes` entries.
// SEDGE_ERR_INTERNAL for coordinates that are not finite.
SEDGE_MUST_USE
sedge_status sedge_element_interpolate(const sedge_element *element, double r, double s, double t,
                                       double *weights);

// The place of such weights, which are `stride` numbers apart: coordinates are interpolated
// exactly.
void sedge_element_place(const sedge_element *element, const double *weights, int64_t stride,
                         double rst[3]);

// All modes [nodes] at a point.
void sedge_element_modes(const sedge_element *element, double r, double s, double t, double *modes);

// Affine map of one element.
typedef struct sedge_geometry {
    double jacobian;      // J = 6 V / 8
    double metric[3][3];  // metric[j][d] = d r_j / d x_d
    double normal[4][3];  // outward, unit
    double face_scale[4]; // sJ / J = area / (2 J)
} sedge_geometry;

// Compute the geometry of an element with `corners` [vertex][x,y,z] in length units of the mesh.
void sedge_geometry_compute(sedge_geometry *out, double corners[4][3]);

// x, y, z of reference point (r,s,t).
void sedge_geometry_map(double corners[4][3], double r, double s, double t, double x[3]);
