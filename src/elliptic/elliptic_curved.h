// Curved elements of the elliptic operator, on the host: the quadrature points of its integrals,
// the metric at these points, and the penalty.
//
// The quadrature is exact to degree 2N + 1 inside and 2N + 2 on faces. From order 2 on, a solution
// that is linear in x is found exactly: its integrands have degree N + 1 inside and N + 2 on faces.
//
// The penalty. Let G = J grad r_j . grad r_k, which varies, and let q be the reference gradient of
// u, of degree N - 1. The flux is n.Gq and the energy density q.Gq. By Cauchy and Schwarz
//
//   sum_face w (n.Gq)^2 <= max_face(n.Gn) sum_face w q.Gq,
//
// Let b be an upper bound of G on the face and a a lower bound of G inside, both relative to the
// mean metric. The trace inequality of polynomials, which the quadrature integrates exactly, gives
//
//   sum_face w q.Gq <= b / a (N+1)(N+3)/3 3/2 sum_inside w q.Gq.
//
// So tau sJ = penalty k (N+1)(N+3)/3 times 3/2 max_face(n.Gn) b / a is as safe as the penalty of a
// straight element, where the last factor is sJ area / volume. The larger value of the two sides is
// used, one number for the whole face. Bounds at the quadrature points are sufficient, because the
// integrals are sums over these points.
#pragma once

#include "elliptic_face.h"

#include "base/error.h"
#include "dg/element.h"
#include "dg/quadrature.h"
#include "mesh/mesh.h"

#include <stdbool.h>

typedef struct elliptic_curved {
    int nodes, face_nodes;
    int points, face_points, all; // all: of the volume, then of the four faces
    double (*place)[3];           // [all] r, s, t
    double *weight;               // [all]
    // NULL without `operators`:
    double *values;  // [all][nodes] nodal functions
    double *slopes;  // [all][nodes][3] their D_j
    double *project; // [face_points][face_nodes] M_f^-1 times weighted traces
} elliptic_curved;

// No function in this file is collective. The caller frees the result.
SEDGE_MUST_USE
sedge_status elliptic_curved_create(elliptic_curved **out, const sedge_element *element,
                                    bool operators);
void elliptic_curved_free(elliptic_curved *curved);

// The value of a face's nodal function i at the face's point p; needs `operators`.
double elliptic_curved_trace(const elliptic_curved *curved, const sedge_element *element, int p,
                             int i);

// The geometry of an element at one point.
typedef struct elliptic_point {
    double x[3];
    double jacobian;
    double cofactor[3][3]; // J dr_j/dx_d
    double weight;         // of the quadrature, in the reference element
    // At points of faces only:
    double normal[3]; // outward, unit
    double surface;   // sJ
} elliptic_point;

// Evaluate the geometry at point p. `map` is that of sedge_mesh_expand.
void elliptic_curved_point(elliptic_point *out, const elliptic_curved *curved,
                           double map[SEDGE_CURVE_TERMS][3], int p);

// The gradient, at point p, of the function with nodal values u. `at` is the geometry at p.
void elliptic_curved_gradient(double gradient[3], const elliptic_curved *curved,
                              const elliptic_point *at, int p, const double *u);

// 3/2 max(n.Gn) b / a of each face, as above. It is at least 3/2 n.Gn of the mean metric, so that
// the blocks of elliptic_shape.h are positive definite, too.
void elliptic_curved_penalty(double penalty[SEDGE_FACES], const elliptic_curved *curved,
                             double map[SEDGE_CURVE_TERMS][3]);

// Means over an element, for preconditioners: of J grad r_j . grad r_k for rr, ss, tt, rs, rt, st;
// and of sJ on each face.
void elliptic_curved_means(double metric[6], double surface[SEDGE_FACES],
                           const elliptic_curved *curved, double map[SEDGE_CURVE_TERMS][3]);
