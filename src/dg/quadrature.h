// Points and positive weights on the reference triangle (area 2) and tetrahedron (volume 4/3).
//
// All weights are positive and no point lies outside, so a quadratic form that is positive at each
// point has a positive integral.
#pragma once

#include "base/error.h"

typedef struct sedge_quadrature {
    int points;
    double (*place)[3]; // [points] r, s, t; of the triangle r, s
    double *weight;     // [points]
} sedge_quadrature;

#define SEDGE_QUADRATURE_FACE_DEGREE 22 // the largest of the triangle

// Exact for polynomials of `degree`, 1..SEDGE_QUADRATURE_FACE_DEGREE. The set of points is
// symmetric under rotations and reflections of the triangle, so that the elements on both sides of
// a face use the same points. SEDGE_ERR_INTERNAL for another degree. The caller clears it.
SEDGE_MUST_USE
sedge_status sedge_quadrature_triangle(sedge_quadrature *out, int degree);

// Exact for polynomials of `degree`, at least 1, else SEDGE_ERR_INTERNAL. The permutations of
// dg/orbits.h map the points of an even degree to themselves. The caller clears it.
SEDGE_MUST_USE
sedge_status sedge_quadrature_tet(sedge_quadrature *out, int degree);

void sedge_quadrature_clear(sedge_quadrature *quadrature);
