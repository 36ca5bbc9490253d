// The Runge-Kutta stage of curved elements (src/dg/cubature.h has the method). Types of
// dg_layout.h, geometry of dg_curve.h, parameters of dg_curved_parts.h.
//
//   rhs = P 1/J V (sum_j W_j (sum_d g_jd F_d(V u)) - L sJ n.F*) + S
//
// V takes fields from the nodes to quadrature points, P projects back; g_jd = J dr_j/dx_d, J and sJ
// n come from the 30 coefficients of the element's map at each point: they cost less than reading
// them would. Boundary functions are called here, at the faces' points with the normals there, and
// so are two-sided conditions, for which trace slots and their materials are those of the other
// side.
//
//   curves    [curved values][30] of sedge_value: monomial * 3 + coordinate, mesh/mesh.h
//   shapes    [curved slots][30], fp64, for the places of boundary points
//   operators one after the other, the points or nodes that items take last: V [nodes][points], W
//             [points][nodes][3], P [points][nodes], traces [face nodes][face points], L [4 face
//             points][nodes], places [points][3], those on faces [4 face points][3], weights
//             [points]
//
// A block works on SEDGE_CURVED_BLOCK values. Its memory holds their states, then what comes and
// goes: fluxes at some points (a chunk), traces and fluxes at the faces.
#pragma once

#define SEDGE_ALL_POINTS (4 * SEDGE_CURVED_FACE_POINTS)

#define SEDGE_CURVED_VALUES      0
#define SEDGE_CURVED_WEAK        (SEDGE_CURVED_VALUES + SEDGE_CURVED_POINTS * SEDGE_NODES)
#define SEDGE_CURVED_PROJECT     (SEDGE_CURVED_WEAK + 3 * SEDGE_CURVED_POINTS * SEDGE_NODES)
#define SEDGE_CURVED_TRACE       (SEDGE_CURVED_PROJECT + SEDGE_CURVED_POINTS * SEDGE_NODES)
#define SEDGE_CURVED_LIFT        (SEDGE_CURVED_TRACE + SEDGE_CURVED_FACE_POINTS * SEDGE_FACE_NODES)
#define SEDGE_CURVED_PLACES      (SEDGE_CURVED_LIFT + SEDGE_ALL_POINTS * SEDGE_NODES)
#define SEDGE_CURVED_FACE_PLACES (SEDGE_CURVED_PLACES + 3 * SEDGE_CURVED_POINTS)
#define SEDGE_CURVED_WEIGHTS     (SEDGE_CURVED_FACE_PLACES + 3 * SEDGE_ALL_POINTS)

// Of the block's memory, in values an element: states, and the larger of what faces and chunks
// take.
#define SEDGE_CURVED_STATES  (SEDGE_NODES * SEDGE_FIELDS)
#define SEDGE_CURVED_SURFACE ((SEDGE_FACE_POINTS + SEDGE_ALL_POINTS) * SEDGE_FIELDS)

// ---- volume ------------------------------------------------------------------------------------

// u at a point: `words` of all nodes, `column` the weights of the first, the next `step` further.
SEDGE_FUNCTION void find_value(sedge_value *u, const SEDGE_BLOCKWIDE sedge_value *words,
                               const SEDGE_GLOBAL sedge_real *column, int step)
{
    SEDGE_EACH (f, SEDGE_FIELDS) u[f] = SEDGE_SPLAT(0.0);
    for (int n = 0; n < SEDGE_NODES; n++) {
        const sedge_real weight = column[n * step];
        SEDGE_EACH (f, SEDGE_FIELDS) u[f] += weight * words[n * SEDGE_FIELDS + f];
    }
}

// sum_d g_jd F_d(u) at point q: to s_g[j * fields + f].
SEDGE_FUNCTION void find_curved_flux(SEDGE_BLOCKWIDE sedge_value *s_g,
                                     const SEDGE_BLOCKWIDE sedge_value *words, int q,
                                     sedge_int64 value, const SEDGE_GLOBAL sedge_curve *curve,
                                     const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                     const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                     const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value u[SEDGE_FIELDS];
    sedge_value flux[3][SEDGE_FIELDS];
    sedge_value g[9];

    find_value(u, words, operators + SEDGE_CURVED_VALUES + q, SEDGE_CURVED_POINTS);
    get_material(m, material, materials, value);
    SEDGE_FLUX(u, m, constants, flux[0], flux[1], flux[2]);
    (void)find_cofactors(g, curve, operators + SEDGE_CURVED_PLACES + 3 * q);
    SEDGE_EACH (j, 3)
        SEDGE_EACH (f, SEDGE_FIELDS)
            s_g[j * SEDGE_FIELDS + f] =
                g[3 * j] * flux[0][f] + g[3 * j + 1] * flux[1][f] + g[3 * j + 2] * flux[2][f];
}

// ---- faces -------------------------------------------------------------------------------------

// sJ n.F* at point p of the four faces. `behind` are the neighbours' traces at the nodes of the
// faces, in the own order.
SEDGE_FUNCTION void
find_curved_surface(SEDGE_BLOCKWIDE sedge_value *s_f, const SEDGE_BLOCKWIDE sedge_value *words,
                    const SEDGE_BLOCKWIDE sedge_value *behind, int p, sedge_int64 value,
                    sedge_int64 curve_value, const SEDGE_GLOBAL sedge_curve *curve,
                    const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                    const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                    const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                    const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                    const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators,
                    sedge_int64 slots SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_PARAMETER))
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    const int face = p / SEDGE_CURVED_FACE_POINTS;
    const SEDGE_GLOBAL sedge_real *const rst = operators + SEDGE_CURVED_FACE_PLACES + 3 * p;
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value mv[SEDGE_MATERIAL_VALUES + 1];
    sedge_value u[SEDGE_FIELDS];
    sedge_value v[SEDGE_FIELDS];
    sedge_value jump[SEDGE_FIELDS];
    sedge_value flux[3][SEDGE_FIELDS];
    sedge_value g[9];
    sedge_value n[3];

    SEDGE_EACH (f, SEDGE_FIELDS) u[f] = v[f] = SEDGE_SPLAT(0.0);
    for (int i = 0; i < SEDGE_FACE_NODES; i++) {
        const sedge_real weight = operators[SEDGE_CURVED_TRACE + i * SEDGE_CURVED_FACE_POINTS +
                                            p % SEDGE_CURVED_FACE_POINTS];
        const int k = face * SEDGE_FACE_NODES + i;
        SEDGE_EACH (f, SEDGE_FIELDS) {
            u[f] += weight * words[tables[k] * SEDGE_FIELDS + f];
            v[f] += weight * behind[k * SEDGE_FIELDS + f];
        }
    }
    (void)find_cofactors(g, curve, rst);
    find_normal(n, g, face);
    const sedge_value scale = sedge_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    SEDGE_EACH (d, 3) n[d] = n[d] / scale;
    get_material(m, material, materials, value);
    get_neighbour_material(mv, value, face, links, material, materials, slots);
    SEDGE_LANES_LOOP (l) {
        const sedge_int64 slot = -1 - links[(value * SEDGE_LANES + l) * 4 + face].neighbour;
        if (slot >= halo_faces && slot < boundary_end)
            apply_boundary(v, u, m, mv, n, l, slot, curve_value * SEDGE_LANES + l,
                           rst SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_NAME));
    }
    SEDGE_SURFACE(u, v, m, mv, n, constants, jump);
    SEDGE_FLUX(u, m, constants, flux[0], flux[1], flux[2]);
    SEDGE_EACH (f, SEDGE_FIELDS)
        s_f[f] = scale * (jump[f] + n[0] * flux[0][f] + n[1] * flux[1][f] + n[2] * flux[2][f]);
}

// ---- the stage ---------------------------------------------------------------------------------

SEDGE_KERNEL(sedge_curved, SEDGE_CURVED_THREADS, SEDGE_CURVED_LIST)
{
    SEDGE_SUBSTEP;

    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_CURVED_BLOCK;
        const sedge_int64 curve = first_curve + b * SEDGE_CURVED_BLOCK;
        const sedge_int64 left = count - b * SEDGE_CURVED_BLOCK;
        SEDGE_SCRATCH(sedge_value, s_u, SEDGE_CURVED_BLOCK * SEDGE_CURVED_SCRATCH);
        SEDGE_BLOCKWIDE sedge_value *const s_w = s_u + SEDGE_CURVED_BLOCK * SEDGE_CURVED_STATES;
        SEDGE_BLOCKWIDE sedge_value *const s_f =
            s_w + SEDGE_CURVED_BLOCK * SEDGE_FACE_POINTS * SEDGE_FIELDS;
        SEDGE_PRIVATE(sedge_value, sums, SEDGE_CURVED_BLOCK * SEDGE_NODES, SEDGE_FIELDS);

        // States, and what is behind the faces.
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            if (e < left) {
                SEDGE_EACH (f, SEDGE_FIELDS)
                    s_u[(e * SEDGE_NODES + n) * SEDGE_FIELDS + f] =
                        u[(start + e) * SEDGE_NODES_PADDED + n].f[f];
            }
        }
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, k, SEDGE_FACE_POINTS, SEDGE_CURVED_THREADS) {
            if (e < left) {
                sedge_value v[SEDGE_FIELDS];
                get_trace_behind(v, start + e, k, u, trace, links, tables);
                SEDGE_EACH (f, SEDGE_FIELDS)
                    s_w[(e * SEDGE_FACE_POINTS + k) * SEDGE_FIELDS + f] = v[f];
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, p, SEDGE_ALL_POINTS, SEDGE_CURVED_THREADS) {
            if (e < left)
                find_curved_surface(
                    s_f + (e * SEDGE_ALL_POINTS + p) * SEDGE_FIELDS, s_u + e * SEDGE_CURVED_STATES,
                    s_w + e * SEDGE_FACE_POINTS * SEDGE_FIELDS, p, start + e, curve + e,
                    &curves[curve + e], links, material, materials, tables, operators,
                    slots SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_NAME));
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            sedge_value *const sum = SEDGE_MINE(sums, e * SEDGE_NODES + n);
            SEDGE_EACH (f, SEDGE_FIELDS) sum[f] = SEDGE_SPLAT(0.0);
            for (int p = 0; p < SEDGE_ALL_POINTS && e < left; p++) {
                const sedge_real weight = operators[SEDGE_CURVED_LIFT + p * SEDGE_NODES + n];
                SEDGE_EACH (f, SEDGE_FIELDS)
                    sum[f] -= weight * s_f[(e * SEDGE_ALL_POINTS + p) * SEDGE_FIELDS + f];
            }
        }
        SEDGE_BARRIER();

        // The volume, some points after the other.
        for (int part = 0; part < SEDGE_CURVED_POINTS; part += SEDGE_CURVED_CHUNK) {
            SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, q, SEDGE_CURVED_CHUNK, SEDGE_CURVED_THREADS) {
                if (e < left && part + q < SEDGE_CURVED_POINTS)
                    find_curved_flux(s_w + (e * SEDGE_CURVED_CHUNK + q) * 3 * SEDGE_FIELDS,
                                     s_u + e * SEDGE_CURVED_STATES, part + q, start + e,
                                     &curves[curve + e], material, materials, operators);
            }
            SEDGE_BARRIER();
            SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
                sedge_value *const sum = SEDGE_MINE(sums, e * SEDGE_NODES + n);
                for (int q = 0;
                     q < SEDGE_CURVED_CHUNK && part + q < SEDGE_CURVED_POINTS && e < left; q++) {
                    const SEDGE_GLOBAL sedge_real *const weight =
                        operators + SEDGE_CURVED_WEAK + ((part + q) * SEDGE_NODES + n) * 3;
                    SEDGE_EACH (j, 3)
                        SEDGE_EACH (f, SEDGE_FIELDS)
                            sum[f] +=
                                weight[j] *
                                s_w[((e * SEDGE_CURVED_CHUNK + q) * 3 + j) * SEDGE_FIELDS + f];
                }
            }
            SEDGE_BARRIER();
        }

        // Divided by J at the points: the sums first, then chunks of points behind them.
        SEDGE_BLOCKWIDE sedge_value *const s_q = s_w + SEDGE_CURVED_BLOCK * SEDGE_CURVED_STATES;
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            sedge_value *const sum = SEDGE_MINE(sums, e * SEDGE_NODES + n);
            SEDGE_EACH (f, SEDGE_FIELDS) {
                s_w[(e * SEDGE_NODES + n) * SEDGE_FIELDS + f] = sum[f];
                sum[f] = SEDGE_SPLAT(0.0);
            }
        }
        SEDGE_BARRIER();
        for (int part = 0; part < SEDGE_CURVED_POINTS; part += SEDGE_CURVED_CHUNK) {
            SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, q, SEDGE_CURVED_CHUNK, SEDGE_CURVED_THREADS) {
                if (e < left && part + q < SEDGE_CURVED_POINTS) {
                    sedge_value at[SEDGE_FIELDS];
                    sedge_value g[9];
                    find_value(at, s_w + e * SEDGE_CURVED_STATES,
                               operators + SEDGE_CURVED_VALUES + part + q, SEDGE_CURVED_POINTS);
                    const sedge_value jacobian = find_cofactors(
                        g, &curves[curve + e], operators + SEDGE_CURVED_PLACES + 3 * (part + q));
                    SEDGE_EACH (f, SEDGE_FIELDS)
                        s_q[(e * SEDGE_CURVED_CHUNK + q) * SEDGE_FIELDS + f] = at[f] / jacobian;
                }
            }
            SEDGE_BARRIER();
            SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
                sedge_value *const sum = SEDGE_MINE(sums, e * SEDGE_NODES + n);
                for (int q = 0;
                     q < SEDGE_CURVED_CHUNK && part + q < SEDGE_CURVED_POINTS && e < left; q++) {
                    const sedge_real weight =
                        operators[SEDGE_CURVED_PROJECT + (part + q) * SEDGE_NODES + n];
                    SEDGE_EACH (f, SEDGE_FIELDS)
                        sum[f] += weight * s_q[(e * SEDGE_CURVED_CHUNK + q) * SEDGE_FIELDS + f];
                }
            }
            SEDGE_BARRIER();
        }
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            const sedge_int64 at = (start + e) * SEDGE_NODES_PADDED + n;
            if (e < left) {
                sedge_value *const sum = SEDGE_MINE(sums, e * SEDGE_NODES + n);
                const SEDGE_BLOCKWIDE sedge_value *const words =
                    s_u + (e * SEDGE_NODES + n) * SEDGE_FIELDS;
                sedge_value own[SEDGE_FIELDS];
                SEDGE_EACH (f, SEDGE_FIELDS) own[f] = words[f];
#ifdef SEDGE_EACH_TERM
                add_terms(sum, own, start + e, n, material, materials, rk,
                          clock[0] + delay SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#endif
                update_node(&next[at], &residual[at], own, sum, rk);
            }
        }
    }
}
