// Orthonormal modes on the reference triangle and tetrahedron (Proriol, Koornwinder, Dubiner,
// Owens; Hesthaven & Warburton, Nodal DG Methods, ch. 6 and 10), and their derivatives.
//
// Modes up to order N are numbered with the last index fastest: (i, j, k), i + j + k <= N, on the
// tetrahedron; (i, j), i + j <= N, on the triangle (-1,-1), (1,-1), (-1,1).
#pragma once

// The orthonormal Jacobi polynomial P_n^{alpha,beta} at x: its square times (1-x)^alpha
// (1+x)^beta integrates to 1 over [-1, 1]. alpha, beta >= 0.
double sedge_jacobi(int n, int alpha, int beta, double x);

// All modes at a point: (order+1)(order+2)(order+3)/6 values.
void sedge_modes_tet(int order, double r, double s, double t, double *modes);

// The derivatives d/dr, d/ds, d/dt of all modes at a point.
void sedge_modes_tet_gradient(int order, double r, double s, double t, double *dr, double *ds,
                              double *dt);

// All modes at a point of the triangle: (order+1)(order+2)/2 values.
void sedge_modes_triangle(int order, double r, double s, double *modes);
