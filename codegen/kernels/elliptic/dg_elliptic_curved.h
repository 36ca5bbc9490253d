// The interior penalty operator on curved elements, whose J and grad r_j vary. Types and layout of
// dg_elliptic.h, geometry of dg_curve.h.
//
// All integrals are sums over quadrature points, with the metric at these points. The two sides of
// a face exchange nodal values, as on straight elements, so that neither needs to know whether the
// other is curved. They exchange u, a polynomial of degree N on the face, and the flux sJ n.grad u.
// The flux is not a polynomial, but it is only integrated against polynomials of degree N.
// Therefore its projection F onto these polynomials is exchanged:
//
//   F = M_f^-1 sum_p w_p phi(p) sJ n.grad u(p),   sum over faces of  E M_f (-g (F- - F+))
//
// The transposed term is a sum over the same points, which makes the operator symmetric:
//
//   sum_p w_p sJ n.grad v(p) (-g [u](p)).
//
// The penalty tau sJ is one number per face, large enough for coercivity
// (src/elliptic/elliptic_curved.h). The factor of a boundary condition is multiplied by sJ at
// each point.
//
//   curves    [curved batches] of sedge_elliptic_curve
//   operators these arrays one after the other; `points` are those of the volume, then of the four
//             faces: D_j [nodes][3][points], D_j [points][nodes][3], traces [face nodes][face
//             points], M_f^-1 times weighted traces [face points][face nodes], reference
//             coordinates [points][3], weights [points]. The index over which the items of a block
//             run comes last.
#pragma once

#define SEDGE_ALL_FACE_POINTS (4 * SEDGE_CURVED_FACE_POINTS)
#define SEDGE_ALL_POINTS      (SEDGE_CURVED_POINTS + SEDGE_ALL_FACE_POINTS)

#define SEDGE_CURVED_SLOPES  0
#define SEDGE_CURVED_WEAK    (SEDGE_CURVED_SLOPES + 3 * SEDGE_ALL_POINTS * SEDGE_NODES)
#define SEDGE_CURVED_TRACE   (SEDGE_CURVED_WEAK + 3 * SEDGE_ALL_POINTS * SEDGE_NODES)
#define SEDGE_CURVED_PROJECT (SEDGE_CURVED_TRACE + SEDGE_CURVED_FACE_POINTS * SEDGE_FACE_NODES)
#define SEDGE_CURVED_PLACES  (SEDGE_CURVED_PROJECT + SEDGE_CURVED_FACE_POINTS * SEDGE_FACE_NODES)
#define SEDGE_CURVED_WEIGHTS (SEDGE_CURVED_PLACES + 3 * SEDGE_ALL_POINTS)

// The block's memory holds u of all its elements, and then a work area per element. The work area
// first has s and [u] at the nodes of the faces and four numbers at each point of the faces; later
// it has three numbers at each point of a chunk. Size of the work area, in SIMD batches:
#define SEDGE_CURVED_WORK (SEDGE_CURVED_SCRATCH - SEDGE_NODES)

typedef struct sedge_elliptic_curve {
    sedge_curve map;
    sedge_value tau[4];    // tau sJ of each face
    sedge_value factor[4]; // 1/2 the factor of a boundary's condition
} sedge_elliptic_curve;

// D_j u at point p; `words` are the nodal values of u.
SEDGE_FUNCTION void find_slopes(sedge_value *d, const SEDGE_BLOCKWIDE sedge_value *words, int p,
                                const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators)
{
    SEDGE_EACH (j, 3) d[j] = SEDGE_SPLAT(0.0);
    for (int n = 0; n < SEDGE_NODES; n++) {
        const SEDGE_GLOBAL sedge_real *const row =
            operators + SEDGE_CURVED_SLOPES + 3 * n * SEDGE_ALL_POINTS + p;
        SEDGE_EACH (j, 3) d[j] += row[j * SEDGE_ALL_POINTS] * words[n];
    }
}

// p_j = scale sum_d g_jd v_d.
SEDGE_FUNCTION void turn_back(SEDGE_BLOCKWIDE sedge_value *p, const sedge_value *g,
                              const sedge_value *v, sedge_value scale)
{
    SEDGE_EACH (j, 3) p[j] = scale * (g[3 * j] * v[0] + g[3 * j + 1] * v[1] + g[3 * j + 2] * v[2]);
}

// J grad u, from D_j u.
SEDGE_FUNCTION void turn_slopes(sedge_value *v, const sedge_value *g, const sedge_value *d)
{
    SEDGE_EACH (i, 3) v[i] = g[i] * d[0] + g[3 + i] * d[1] + g[6 + i] * d[2];
}

// Load u of the batches first .. first + count - 1 into the block's memory.
SEDGE_FUNCTION void load_curved(SEDGE_BLOCKWIDE sedge_value *s_u,
                                const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT u, sedge_int64 first,
                                sedge_int64 count)
{
    SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
        if (e < count) s_u[e * SEDGE_NODES + n] = u[(first + e) * SEDGE_NODES + n];
    }
}

// ---- fluxes ------------------------------------------------------------------------------------

#define SEDGE_CURVED_FLUX_LIST(X)                                      \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, u)               \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, flux)                  \
    X(const SEDGE_GLOBAL sedge_elliptic_curve *SEDGE_RESTRICT, curves) \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, operators)        \
    X(sedge_int64, first)                                              \
    X(sedge_int64, first_curve)                                        \
    X(sedge_int64, count)

SEDGE_KERNEL(sedge_elliptic_curved_flux, SEDGE_CURVED_THREADS, SEDGE_CURVED_FLUX_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_value, s_u, SEDGE_CURVED_BLOCK * SEDGE_CURVED_SCRATCH);
        SEDGE_BLOCKWIDE sedge_value *const s_w = s_u + SEDGE_CURVED_BLOCK * SEDGE_NODES;
        const sedge_int64 start = first + b * SEDGE_CURVED_BLOCK;
        const sedge_int64 curve = first_curve + b * SEDGE_CURVED_BLOCK;
        const sedge_int64 left = count - b * SEDGE_CURVED_BLOCK;

        load_curved(s_u, u, start, left);
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, p, SEDGE_ALL_FACE_POINTS, SEDGE_CURVED_THREADS) {
            if (e < left) {
                const int at = SEDGE_CURVED_POINTS + p;
                sedge_value d[3];
                sedge_value v[3];
                sedge_value n[3];
                sedge_value g[9];

                find_slopes(d, s_u + e * SEDGE_NODES, at, operators);
                const sedge_value jacobian = find_cofactors(
                    g, &curves[curve + e].map, operators + SEDGE_CURVED_PLACES + 3 * at);
                find_normal(n, g, p / SEDGE_CURVED_FACE_POINTS);
                turn_slopes(v, g, d);
                s_w[e * SEDGE_CURVED_WORK + p] =
                    (n[0] * v[0] + n[1] * v[1] + n[2] * v[2]) / jacobian;
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, k, SEDGE_FACE_POINTS, SEDGE_CURVED_THREADS) {
            if (e < left) {
                const SEDGE_BLOCKWIDE sedge_value *const words =
                    s_w + e * SEDGE_CURVED_WORK + k / SEDGE_FACE_NODES * SEDGE_CURVED_FACE_POINTS;
                sedge_value sum = SEDGE_SPLAT(0.0);
                for (int p = 0; p < SEDGE_CURVED_FACE_POINTS; p++)
                    sum += operators[SEDGE_CURVED_PROJECT + p * SEDGE_FACE_NODES +
                                     k % SEDGE_FACE_NODES] *
                           words[p];
                flux[(start + e) * SEDGE_FACE_POINTS + k] = sum;
            }
        }
    }
}

// ---- the operator ------------------------------------------------------------------------------

// Write to s_p, for point p of the faces, the three factors of D_j v and then the factor of v.
// `words` has s and [u] at the nodes of the faces.
SEDGE_FUNCTION void find_curved_face(SEDGE_BLOCKWIDE sedge_value *s_p,
                                     const SEDGE_BLOCKWIDE sedge_value *words, int p, sedge_value g,
                                     const SEDGE_GLOBAL sedge_elliptic_curve *curve,
                                     const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators)
{
    const int face = p / SEDGE_CURVED_FACE_POINTS;
    const int at = SEDGE_CURVED_POINTS + p;
    const sedge_real weight = operators[SEDGE_CURVED_WEIGHTS + at];
    sedge_value s = SEDGE_SPLAT(0.0);
    sedge_value jump = SEDGE_SPLAT(0.0);
    sedge_value cofactor[9];
    sedge_value n[3];

    for (int i = 0; i < SEDGE_FACE_NODES; i++) {
        const sedge_real trace = operators[SEDGE_CURVED_TRACE + i * SEDGE_CURVED_FACE_POINTS +
                                           p % SEDGE_CURVED_FACE_POINTS];
        s += trace * words[face * SEDGE_FACE_NODES + i];
        jump += trace * words[SEDGE_FACE_POINTS + face * SEDGE_FACE_NODES + i];
    }
    const sedge_value jacobian =
        find_cofactors(cofactor, &curve->map, operators + SEDGE_CURVED_PLACES + 3 * at);
    find_normal(n, cofactor, face);
    turn_back(s_p, cofactor, n, -(weight * g) * jump / jacobian);
    s_p[3] = weight *
             (s + curve->factor[face] * sedge_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * jump);
}

// out = base b + factor A u; where base is 0, b is not read.
#define SEDGE_CURVED_APPLY_LIST(X)                                     \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, u)               \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, flux)            \
    X(const SEDGE_GLOBAL sedge_trace *SEDGE_RESTRICT, halo)            \
    X(const SEDGE_GLOBAL sedge_value *, rhs)                           \
    X(SEDGE_GLOBAL sedge_value *, out)                                 \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, links)            \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, geometry)        \
    X(const SEDGE_GLOBAL sedge_elliptic_curve *SEDGE_RESTRICT, curves) \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, operators)        \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)                \
    X(sedge_int64, first)                                              \
    X(sedge_int64, first_curve)                                        \
    X(sedge_int64, count)                                              \
    X(sedge_int64, halo_faces)                                         \
    X(sedge_real, base_factor)                                         \
    X(sedge_real, factor)

SEDGE_KERNEL(sedge_elliptic_curved_apply, SEDGE_CURVED_THREADS, SEDGE_CURVED_APPLY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_value, s_u, SEDGE_CURVED_BLOCK * SEDGE_CURVED_SCRATCH);
        SEDGE_PRIVATE(sedge_value, sums, SEDGE_CURVED_BLOCK * SEDGE_NODES, 1);
        SEDGE_BLOCKWIDE sedge_value *const s_w = s_u + SEDGE_CURVED_BLOCK * SEDGE_NODES;
        const sedge_int64 start = first + b * SEDGE_CURVED_BLOCK;
        const sedge_int64 curve = first_curve + b * SEDGE_CURVED_BLOCK;
        const sedge_int64 left = count - b * SEDGE_CURVED_BLOCK;

        load_curved(s_u, u, start, left);
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, k, SEDGE_FACE_POINTS, SEDGE_CURVED_THREADS) {
            if (e < left) {
                const int face = k / SEDGE_FACE_NODES;
                SEDGE_BLOCKWIDE sedge_value *const words = s_w + e * SEDGE_CURVED_WORK + k;
                const sedge_sides sides =
                    get_sides(start + e, k, u, flux, halo, links, tables, halo_faces);
                const sedge_value jump = sides.u - sides.u2;
                const sedge_value g = get_shape(geometry, start + e, 8 + 2 * face);

                words[0] = curves[curve + e].tau[face] * jump - g * (sides.flux - sides.flux2);
                words[SEDGE_FACE_POINTS] = jump;
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, p, SEDGE_ALL_FACE_POINTS, SEDGE_CURVED_THREADS) {
            if (e < left) {
                SEDGE_BLOCKWIDE sedge_value *const words = s_w + e * SEDGE_CURVED_WORK;
                find_curved_face(
                    words + 2 * SEDGE_FACE_POINTS + 4 * p, words, p,
                    get_shape(geometry, start + e, 8 + 2 * (p / SEDGE_CURVED_FACE_POINTS)),
                    &curves[curve + e], operators);
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            const SEDGE_BLOCKWIDE sedge_value *const words =
                s_w + e * SEDGE_CURVED_WORK + 2 * SEDGE_FACE_POINTS;
            const SEDGE_GLOBAL short *const point =
                tables + SEDGE_FACE_POINTS + 48 * SEDGE_FACE_NODES + 4 * n;
            sedge_value sum = SEDGE_SPLAT(0.0);

            for (int p = 0; p < SEDGE_ALL_FACE_POINTS && e < left; p++) {
                const SEDGE_GLOBAL sedge_real *const weak =
                    operators + SEDGE_CURVED_WEAK +
                    3 * ((SEDGE_CURVED_POINTS + p) * SEDGE_NODES + n);
                const int k = point[p / SEDGE_CURVED_FACE_POINTS];
                SEDGE_EACH (j, 3) sum += weak[j] * words[4 * p + j];
                if (k >= 0)
                    sum += operators[SEDGE_CURVED_TRACE +
                                     k % SEDGE_FACE_NODES * SEDGE_CURVED_FACE_POINTS +
                                     p % SEDGE_CURVED_FACE_POINTS] *
                           words[4 * p + 3];
            }
            SEDGE_MINE(sums, e * SEDGE_NODES + n)[0] = sum;
        }
        SEDGE_BARRIER();

        // The volume, some points after the other.
        for (int part = 0; part < SEDGE_CURVED_POINTS; part += SEDGE_CURVED_CHUNK) {
            SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, q, SEDGE_CURVED_CHUNK, SEDGE_CURVED_THREADS) {
                if (e < left && part + q < SEDGE_CURVED_POINTS) {
                    sedge_value d[3];
                    sedge_value v[3];
                    sedge_value g[9];

                    find_slopes(d, s_u + e * SEDGE_NODES, part + q, operators);
                    const sedge_value jacobian =
                        find_cofactors(g, &curves[curve + e].map,
                                       operators + SEDGE_CURVED_PLACES + 3 * (part + q));
                    turn_slopes(v, g, d);
                    turn_back(s_w + e * SEDGE_CURVED_WORK + 3 * q, g, v,
                              operators[SEDGE_CURVED_WEIGHTS + part + q] *
                                  get_shape(geometry, start + e, 6) / jacobian);
                }
            }
            SEDGE_BARRIER();
            SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
                sedge_value sum = SEDGE_MINE(sums, e * SEDGE_NODES + n)[0];
                for (int q = 0;
                     q < SEDGE_CURVED_CHUNK && part + q < SEDGE_CURVED_POINTS && e < left; q++) {
                    const SEDGE_GLOBAL sedge_real *const weak =
                        operators + SEDGE_CURVED_WEAK + 3 * ((part + q) * SEDGE_NODES + n);
                    SEDGE_EACH (j, 3) sum += weak[j] * s_w[e * SEDGE_CURVED_WORK + 3 * q + j];
                }
                SEDGE_MINE(sums, e * SEDGE_NODES + n)[0] = sum;
            }
            SEDGE_BARRIER();
        }
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            if (e < left) {
                const sedge_int64 at = (start + e) * SEDGE_NODES + n;
                sedge_value sum = factor * SEDGE_MINE(sums, e * SEDGE_NODES + n)[0];
                if (base_factor != 0) sum += base_factor * rhs[at];
                out[at] = sum;
            }
        }
    }
}
