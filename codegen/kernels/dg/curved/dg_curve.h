// The map of a curved element, and the metric and normals that follow from it. The map has 30
// coefficients of polynomials of degree two, at index 3 * monomial + coordinate (mesh/mesh.h).
#pragma once

#define SEDGE_CURVE_WORDS 30

typedef struct sedge_curve {
    sedge_value c[SEDGE_CURVE_WORDS];
} sedge_curve;

// g[3 j + d] = J dr_j/dx_d at r, s, t; returns J.
SEDGE_FUNCTION sedge_value find_cofactors(sedge_value *g, const SEDGE_GLOBAL sedge_curve *curve,
                                          const SEDGE_GLOBAL sedge_real *rst)
{
    const SEDGE_GLOBAL sedge_value *const c = curve->c;
    const sedge_real r = rst[0];
    const sedge_real s = rst[1];
    const sedge_real t = rst[2];
    sedge_value x[9]; // dx_d/dr_j at 3 j + d

    SEDGE_EACH (d, 3) {
        x[d] = c[3 + d] + (SEDGE_R(2.0) * r) * c[12 + d] + s * c[21 + d] + t * c[24 + d];
        x[3 + d] = c[6 + d] + (SEDGE_R(2.0) * s) * c[15 + d] + r * c[21 + d] + t * c[27 + d];
        x[6 + d] = c[9 + d] + (SEDGE_R(2.0) * t) * c[18 + d] + r * c[24 + d] + s * c[27 + d];
    }
    SEDGE_EACH (j, 3)
        SEDGE_EACH (d, 3)
            g[3 * j + d] = x[(j + 1) % 3 * 3 + (d + 1) % 3] * x[(j + 2) % 3 * 3 + (d + 2) % 3] -
                           x[(j + 1) % 3 * 3 + (d + 2) % 3] * x[(j + 2) % 3 * 3 + (d + 1) % 3];
    return x[0] * g[0] + x[1] * g[1] + x[2] * g[2];
}

// A vector u [3] from its covariant components, in place, with g and J of find_cofactors.
SEDGE_FUNCTION void from_covariant(sedge_value *u, const sedge_value *g, sedge_value jacobian)
{
    const sedge_value e[3] = {u[0], u[1], u[2]};

    SEDGE_EACH (d, 3) u[d] = (g[d] * e[0] + g[3 + d] * e[1] + g[6 + d] * e[2]) / jacobian;
}

// The outward normal of a face, as long as its surface element.
SEDGE_FUNCTION void find_normal(sedge_value *n, const sedge_value *g, int face)
{
    SEDGE_EACH (d, 3) {
        if (face == 0) {
            n[d] = -g[6 + d];
        } else if (face == 1) {
            n[d] = -g[3 + d];
        } else if (face == 2) {
            n[d] = g[d] + g[3 + d] + g[6 + d];
        } else {
            n[d] = -g[d];
        }
    }
}
