// Derivatives in the Bernstein-Bezier basis: those of a polynomial of order N are polynomials of
// order N - 1, whose coefficients are differences of four neighbouring ones (dg_bernstein.h). Types
// of dg_layout.h.
#pragma once

// The coefficients beta + e_0, .., beta + e_3 of a beta of order N - 1 (tables, dg_layout.h).
typedef struct SEDGE_ALIGN(8) sedge_simplex {
    short node[4];
} sedge_simplex;

// w = div F at a coefficient of order N - 1, without the factor N/2: `words` the states of order N,
// `at` the coefficient's four, g the metric terms of the element, m the values of its material.
SEDGE_FUNCTION void combine_slopes(sedge_value *SEDGE_RESTRICT w,
                                   const SEDGE_BLOCKWIDE sedge_value *words,
                                   const sedge_simplex *at, const sedge_value *g,
                                   const sedge_value *m)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_state corner[4];

    SEDGE_EACH (k, 4)
        corner[k] = *(const SEDGE_BLOCKWIDE sedge_state *)(words + at->node[k] * SEDGE_FIELDS);
    SEDGE_EACH (k, 3)
        SEDGE_EACH (f, SEDGE_FIELDS) corner[k + 1].f[f] = corner[k + 1].f[f] - corner[0].f[f];
    SEDGE_EACH (f, SEDGE_FIELDS) w[f] = SEDGE_SPLAT(-0.0); // -0 + x is x: no addition is compiled
    SEDGE_EACH (x, 3) {
        sedge_value slope[SEDGE_FIELDS];
        sedge_value flux[3][SEDGE_FIELDS];

        SEDGE_EACH (f, SEDGE_FIELDS)
            slope[f] =
                g[x] * corner[1].f[f] + g[3 + x] * corner[2].f[f] + g[6 + x] * corner[3].f[f];
        SEDGE_FLUX(slope, m, constants, flux[0], flux[1], flux[2]);
        SEDGE_EACH (f, SEDGE_FIELDS) w[f] = w[f] + flux[x][f];
    }
}

// The same at coefficient i of order N - 1.
SEDGE_FUNCTION void find_lower(sedge_value *SEDGE_RESTRICT w,
                               const SEDGE_BLOCKWIDE sedge_value *words, int i, sedge_int64 value,
                               const SEDGE_BLOCKWIDE sedge_geometry *geometry,
                               const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_LOCAL_COPY(sedge_simplex, at,
                     (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_SIMPLEX_AT) + i);
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value g[9];

    get_material(m, material, materials, value);
    SEDGE_EACH (k, 9) g[k] = geometry->metric[k];
    combine_slopes(w, words, at, g, m);
}
