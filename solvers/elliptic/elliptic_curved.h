// Curved elements of the elliptic operator, on the host: the points that its integrals are sums
// over, the metric there, and the penalty that it needs.
//
// Points are exact to degree 2N + 1 inside and 2N + 2 on faces: a function that is linear in x is
// solved for exactly from order 2 on, where the element has it, since the integrands are then of
// degree N + 1 inside and N + 2 on faces.
//
// The penalty. With G = J grad r_j . grad r_k, which varies, and the reference gradient q of u, of
// degree N - 1, the flux is n.Gq and the energy q.Gq. By Cauchy and Schwarz
//
//   sum_face w (n.Gq)^2 <= max_face(n.Gn) sum_face w q.Gq,
//
// and with an upper bound b of G on the face and a lower one a inside, both relative to the mean
// metric, the trace inequality of polynomials, for which the points are exact, gives
//
//   sum_face w q.Gq <= b / a (N+1)(N+3)/3 3/2 sum_inside w q.Gq.
//
// So tau sJ = penalty k (N+1)(N+3)/3 times 3/2 max_face(n.Gn) b / a is as safe as on a straight
// element, where that is sJ area / volume: max over the two sides of a face, one number for all of
// it. The points' bounds are what counts, since the integrals are sums over them.
#pragma once

#include "elliptic.h"

#include "dg/quadrature.h"

typedef struct elliptic_curved {
    int nodes, face_nodes;
    int points, face_points, all; // all: of the volume, then of the four faces
    double (*place)[3];           // [all] r, s, t
    double *weight;               // [all]
    double *values;               // [all][nodes] nodal functions, and
    double *slopes;               // [all][nodes][3] their D_j; both NULL without `operators`
    double *project;              // [face_points][face_nodes] M_f^-1 times weighted traces, too
} elliptic_curved;

// Not collective, as all here but for what says so. The caller frees it.
SEDGE_MUST_USE
sedge_status elliptic_curved_create(elliptic_curved **out, const sedge_element *element,
                                    bool operators);
void elliptic_curved_free(elliptic_curved *curved);

// The trace of node i of a face at point p of it; with `operators` only.
double elliptic_curved_trace(const elliptic_curved *curved, const sedge_element *element, int p,
                             int i);

// An element at one point.
typedef struct elliptic_point {
    double x[3];
    double jacobian;
    double cofactor[3][3]; // J dr_j/dx_d
    double weight;         // of the quadrature, in the reference element
    double normal[3];      // of a face's point: outward, unit
    double surface;        // and sJ
} elliptic_point;

// At point p. `map` of sedge_mesh_expand.
void elliptic_curved_point(elliptic_point *out, const elliptic_curved *curved,
                           double map[SEDGE_CURVE_TERMS][3], int p);

// grad of the function with nodal values u there.
void elliptic_curved_gradient(double gradient[3], const elliptic_curved *curved,
                              const elliptic_point *at, int p, const double *u);

// The mean of J grad r_j . grad r_k: rr, ss, tt, rs, rt, st.
void elliptic_curved_mean(double mean[6], const elliptic_curved *curved,
                          double map[SEDGE_CURVE_TERMS][3]);

// The mean of sJ over a face.
double elliptic_curved_surface(const elliptic_curved *curved, double map[SEDGE_CURVE_TERMS][3],
                               int face);

// 3/2 max(n.Gn) b / a of each face, as above; at least 3/2 of n.Gn by the mean metric, so that the
// blocks of elliptic_curved_shape are positive definite, too.
void elliptic_curved_penalty(double penalty[SEDGE_FACES], const elliptic_curved *curved,
                             double map[SEDGE_CURVE_TERMS][3]);

// What a straight element's words of the device's geometry are (dg_elliptic.h), but for the
// coefficient, by the means: for preconditioners. `faces` of the element's four.
#define ELLIPTIC_SHAPE_WORDS 16
void elliptic_curved_shape(double shape[ELLIPTIC_SHAPE_WORDS], const elliptic_curved *curved,
                           double map[SEDGE_CURVE_TERMS][3], const sedge_elliptic_face *faces);
