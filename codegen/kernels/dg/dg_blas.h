// The stage whose products are one of cuBLAS: a kernel makes everything that is multiplied, another
// takes what comes out. Types and layout of dg_layout.h, one element a value.
//
// Rows are (element, field), and the operators stand one behind the other:
//   rates [rows][SEDGE_RATES] = fluxes [rows][SEDGE_FLUXES] [-D_r; -D_s; -D_t; -LIFT]
// with the contravariant fluxes at the nodes, r, s, t, and Fscale (n.F* - n.F) at the face points.
// Rows of both are filled up, the fluxes with zeros, so that each begins on 16 bytes. A launch
// works on `count` values from `first` on, whose rows begin at 0.
#pragma once

#define SEDGE_BLAS_THREADS 128
#define SEDGE_BLAS_POINTS  (SEDGE_NODES + SEDGE_FACE_POINTS) // of an element

#define SEDGE_FLUXES_LIST(X)                                       \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)           \
    X(SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, fluxes)             \
    X(const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT, trace)       \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, links)        \
    X(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)    \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)            \
    X(sedge_int64, first)                                          \
    X(sedge_int64, count)                                          \
    X(sedge_int64, slots)

// Contravariant fluxes at node n; `row` is the element's first.
SEDGE_FUNCTION void put_fluxes(SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT row, const sedge_state own,
                               int n, const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT geometry,
                               const sedge_real *m)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_real flux[3][SEDGE_FIELDS];

    SEDGE_FLUX(own.f, m, constants, flux[0], flux[1], flux[2]);
    SEDGE_EACH (j, 3) {
        const SEDGE_GLOBAL sedge_real *const g = geometry->metric + 3 * j;
        SEDGE_EACH (f, SEDGE_FIELDS)
            row[f * SEDGE_FLUXES + j * SEDGE_NODES + n] =
                g[0] * flux[0][f] + g[1] * flux[1][f] + g[2] * flux[2][f];
    }
}

SEDGE_KERNEL(sedge_fluxes, SEDGE_BLAS_THREADS, SEDGE_FLUXES_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, i, SEDGE_BLAS_THREADS, SEDGE_BLAS_THREADS) {
            const sedge_int64 at = b * SEDGE_BLAS_THREADS + i + one;
            const sedge_int64 e = at / SEDGE_BLAS_POINTS;
            const int k = (int)(at % SEDGE_BLAS_POINTS) - SEDGE_NODES; // a face point, or a node
            if (e < count) {
                const sedge_int64 value = first + e;
                SEDGE_GLOBAL sedge_real *const row = fluxes + e * SEDGE_FIELDS * SEDGE_FLUXES;
                sedge_real m[SEDGE_MATERIAL_VALUES + 1];

                get_material(m, material, materials, value);
                if (k < 0) {
                    const sedge_state own = u[value * SEDGE_NODES_PADDED + SEDGE_NODES + k];
                    put_fluxes(row, own, SEDGE_NODES + k, geometry + value, m);
                } else {
                    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
                    const sedge_state own = u[value * SEDGE_NODES_PADDED + tables[k]];
                    const sedge_face_geometry here = geometry[value].face[k / SEDGE_FACE_NODES];
                    sedge_real mv[SEDGE_MATERIAL_VALUES + 1];
                    sedge_real other[SEDGE_FIELDS];
                    sedge_real jump[SEDGE_FIELDS];

                    get_trace_behind(other, value, k, u, trace, links, tables);
                    get_neighbour_material(mv, value, k / SEDGE_FACE_NODES, links, material,
                                           materials, slots);
                    SEDGE_SURFACE(own.f, other, m, mv, here.n, constants, jump);
                    SEDGE_EACH (f, SEDGE_FIELDS)
                        row[f * SEDGE_FLUXES + 3 * SEDGE_NODES + k] = here.scale * jump[f];
                }
            }
        }
    }
}

#define SEDGE_RATES_LIST(X)                                     \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)        \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, next)           \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, residual)       \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, rates)     \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)         \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials) \
    X(sedge_int64, first)                                       \
    X(sedge_int64, count)                                       \
    X(sedge_real, rk_a)                                         \
    X(sedge_real, rk_b)                                         \
    X(sedge_real, dt)

// residual = a residual + dt (rates + S), next = u + b residual
SEDGE_KERNEL(sedge_update, SEDGE_BLAS_THREADS, SEDGE_RATES_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, i, SEDGE_BLAS_THREADS, SEDGE_BLAS_THREADS) {
            const sedge_int64 at = b * SEDGE_BLAS_THREADS + i + one;
            const sedge_int64 e = at / SEDGE_NODES;
            const int n = (int)(at % SEDGE_NODES);
            if (e < count) {
                const sedge_int64 place = (first + e) * SEDGE_NODES_PADDED + n;
                const SEDGE_GLOBAL sedge_real *const row =
                    rates + e * SEDGE_FIELDS * SEDGE_RATES + n;
                const sedge_state own = u[place];
                sedge_real rate[SEDGE_FIELDS];
                sedge_state change;
                sedge_state result;

                SEDGE_EACH (f, SEDGE_FIELDS) rate[f] = row[f * SEDGE_RATES];
#if SEDGE_HAS_SOURCE
                const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
                sedge_real m[SEDGE_MATERIAL_VALUES + 1];
                get_material(m, material, materials, first + e);
                SEDGE_SOURCE(own.f, m, constants, rate);
#endif
                SEDGE_EACH (f, SEDGE_FIELDS) change.f[f] = dt * rate[f];
                if (rk_a != SEDGE_R(0.0)) { // in the first stage the residual may hold anything
                    const sedge_state memory = residual[place];
                    SEDGE_EACH (f, SEDGE_FIELDS) change.f[f] += rk_a * memory.f[f];
                }
                SEDGE_EACH (f, SEDGE_FIELDS) result.f[f] = own.f[f] + rk_b * change.f[f];
                residual[place] = change;
                next[place] = result;
            }
        }
    }
    (void)material, (void)materials;
}
