// A u of -div(k grad u) = f by the symmetric interior penalty method, on affine tetrahedra of order
// N, k constant in each element; and what its multigrid needs in each element.
//
//   v.Au = sum_K k grad v.grad u - sum_F (g n.(grad u- + grad u+) [v] + g n.(grad v- + grad v+)
//   [u])
//          + sum_F tau [v][u],   [u] = u- - u+, g half the harmonic mean of k- and k+
//
// At a boundary u+ = -u- and grad u+ = grad u-, with g and tau that make this the homogeneous
// condition (sedge_elliptic_face in solvers/elliptic/elliptic.h).
//
// Slots: the rank's elements, interior ones first, each of the two ranges filled up to a multiple
// of SEDGE_LANES. A "value" below is SEDGE_LANES neighbouring slots.
//
//   u, out   [values][SEDGE_NODES] of sedge_value; empty slots are zero
//   flux     [values][4 face nodes]: sJ n.grad u at the face points, n outward, sJ half the area
//   halo     [halo faces][face nodes] of sedge_trace, as the neighbour orders its nodes
//   links    [slots][4]: neighbour slot, or -1 - trace slot; neighbour's face * 6 + orientation
//   geometry [values] of sedge_shape
//   tables   own volume node [4 face nodes], then neighbour's volume node [24][face nodes], then
//            neighbour's face node [24][face nodes]
//
// Two kernels make an application: sedge_elliptic_flux differentiates in each element and leaves
// the normal derivatives at the faces; sedge_elliptic_apply takes them from both sides. With the
// jump d = -g [u] lifted into the element, the gradient and the second face term are one field:
//   Au = sum_j D_j^T M sum_k J G_jk (k D_k u + Y_k) + sum_f E_f M_f s_f,
//   s = -g (F- - F+) + tau sJ [u],  F of `flux`,  G_jk = grad r_j . grad r_k,  Y_k lifts of d.
//
// A work item computes a tile of SEDGE_TN nodes of one value; neighbouring items have neighbouring
// elements and the same nodes, so that an operator's entry is one number for all of them.
#pragma once

#define SEDGE_FACE_POINTS (4 * SEDGE_FACE_NODES)
#define SEDGE_TILES       ((SEDGE_NODES + SEDGE_TN - 1) / SEDGE_TN)
// Words to the next element in the block's memory: odd, against bank conflicts.
#define SEDGE_U_STRIDE (SEDGE_NODES | 1)
#define SEDGE_P_STRIDE ((3 * SEDGE_NODES) | 1)
#define SEDGE_S_STRIDE ((2 * SEDGE_FACE_POINTS) | 1)

typedef struct SEDGE_ALIGN(8) sedge_link {
    int neighbour;
    int code;
} sedge_link;

typedef struct sedge_trace {
    sedge_real u;
    sedge_real flux;
} sedge_trace;

// At 0: J G_rr, J G_ss, J G_tt, J G_rs, J G_rt, J G_st; at 6 the coefficient k; at 7 nothing; at
// 8 + 2 f: g and tau sJ of face f.
typedef struct SEDGE_ALIGN(16) sedge_shape {
    sedge_value w[16];
} sedge_shape;

// Of one tile of nodes and one node or face point, for vector loads.
typedef struct SEDGE_ALIGN(16) sedge_slopes {
    sedge_real w[SEDGE_SLOPES_WIDTH]; // [node of the tile][r, s, t], padded
} sedge_slopes;

typedef struct SEDGE_ALIGN(16) sedge_lifts {
    sedge_real w[SEDGE_LIFTS_WIDTH]; // [node of the tile][lift, face mass], padded
} sedge_lifts;

// Values [base, base + filled) of u to the block's memory, zero behind them.
SEDGE_FUNCTION void load_words(SEDGE_BLOCKWIDE sedge_value *s_u,
                               const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT u, sedge_int64 base,
                               int filled)
{
    SEDGE_ITEMS (e, SEDGE_BLOCK, n, SEDGE_NODES, SEDGE_THREADS) {
        s_u[e * SEDGE_U_STRIDE + n] =
            e < filled ? u[(base + e) * SEDGE_NODES + n] : SEDGE_SPLAT(0.0);
    }
}

// d[i][j] = D_j u at the nodes of a tile.
SEDGE_FUNCTION void differentiate(sedge_value d[SEDGE_TN][3],
                                  const SEDGE_BLOCKWIDE sedge_value *words, int tile,
                                  const SEDGE_GLOBAL sedge_slopes *SEDGE_RESTRICT deriv)
{
    SEDGE_EACH (i, SEDGE_TN)
        SEDGE_EACH (j, 3) d[i][j] = SEDGE_SPLAT(0.0);
    for (int m = 0; m < SEDGE_NODES; m++) {
        SEDGE_LOCAL_COPY(sedge_slopes, op, &deriv[m * SEDGE_TILES + tile]);
        const sedge_value q = words[m];
        SEDGE_EACH (i, SEDGE_TN)
            SEDGE_EACH (j, 3) d[i][j] += op->w[3 * i + j] * q;
    }
}

// p_j = sum_k J G_jk v_k.
SEDGE_FUNCTION void contract(SEDGE_BLOCKWIDE sedge_value *p, const sedge_value *v,
                             const sedge_shape *shape)
{
    p[0] = shape->w[0] * v[0] + shape->w[3] * v[1] + shape->w[4] * v[2];
    p[1] = shape->w[3] * v[0] + shape->w[1] * v[1] + shape->w[5] * v[2];
    p[2] = shape->w[4] * v[0] + shape->w[5] * v[1] + shape->w[2] * v[2];
}

// ---- fluxes ------------------------------------------------------------------------------------

#define SEDGE_FLUX_LIST(X)                                      \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, u)        \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, flux)           \
    X(const SEDGE_GLOBAL sedge_shape *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL sedge_slopes *SEDGE_RESTRICT, deriv)   \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)         \
    X(sedge_int64, first)                                       \
    X(sedge_int64, count)

SEDGE_KERNEL(sedge_elliptic_flux, SEDGE_THREADS, SEDGE_FLUX_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_value, s_all, SEDGE_BLOCK * (SEDGE_U_STRIDE + SEDGE_P_STRIDE));
        SEDGE_BLOCKWIDE sedge_value *const s_u = s_all;
        SEDGE_BLOCKWIDE sedge_value *const s_p = s_all + SEDGE_BLOCK * SEDGE_U_STRIDE;
        const sedge_int64 base = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        const int filled = left < SEDGE_BLOCK ? (int)left : SEDGE_BLOCK;

        load_words(s_u, u, base, filled);
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            if (e < filled) {
                SEDGE_LOCAL_COPY(sedge_shape, shape, &geometry[base + e]);
                sedge_value d[SEDGE_TN][3];

                differentiate(d, s_u + e * SEDGE_U_STRIDE, tile, deriv);
                SEDGE_EACH (i, SEDGE_TN) {
                    const int n = tile * SEDGE_TN + i;
                    if (n < SEDGE_NODES) contract(s_p + e * SEDGE_P_STRIDE + 3 * n, d[i], shape);
                }
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_BLOCK, k, SEDGE_FACE_POINTS, SEDGE_THREADS) {
            if (e < filled) {
                const int face = k / SEDGE_FACE_NODES;
                const SEDGE_BLOCKWIDE sedge_value *const p =
                    s_p + e * SEDGE_P_STRIDE + 3 * tables[k];
                flux[(base + e) * SEDGE_FACE_POINTS + k] = face == 0   ? -p[2]
                                                           : face == 1 ? -p[1]
                                                           : face == 2 ? p[0] + p[1] + p[2]
                                                                       : -p[0];
            }
        }
    }
}

// halo [faces] of (slot, face): which traces to send, in the order of the trace slots.
#define SEDGE_COLLECT_LIST(X)                              \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, u)    \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, flux) \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, halo) \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)    \
    X(SEDGE_GLOBAL sedge_trace *SEDGE_RESTRICT, packed)    \
    X(sedge_int64, points)

SEDGE_KERNEL(sedge_elliptic_collect, 128, SEDGE_COLLECT_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, i, 128, 128) {
            const sedge_int64 at = b * 128 + i + one;
            if (at < points) {
                const sedge_link face = halo[at / SEDGE_FACE_NODES];
                const int k = face.code * SEDGE_FACE_NODES + (int)(at % SEDGE_FACE_NODES);
                const sedge_int64 value = face.neighbour / SEDGE_LANES;
                const int lane = face.neighbour % SEDGE_LANES;

                packed[at].u = u[(value * SEDGE_NODES + tables[k]) * SEDGE_LANES + lane];
                packed[at].flux = flux[(value * SEDGE_FACE_POINTS + k) * SEDGE_LANES + lane];
            }
        }
    }
}

// ---- the operator ------------------------------------------------------------------------------

// out = base b + factor A u; where base is 0, b is not read.
#define SEDGE_APPLY_LIST(X)                                     \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, u)        \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, flux)     \
    X(const SEDGE_GLOBAL sedge_trace *SEDGE_RESTRICT, halo)     \
    X(const SEDGE_GLOBAL sedge_value *, rhs)                    \
    X(SEDGE_GLOBAL sedge_value *, out)                          \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, links)     \
    X(const SEDGE_GLOBAL sedge_shape *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL sedge_slopes *SEDGE_RESTRICT, deriv)   \
    X(const SEDGE_GLOBAL sedge_slopes *SEDGE_RESTRICT, weak)    \
    X(const SEDGE_GLOBAL sedge_lifts *SEDGE_RESTRICT, lift)     \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)         \
    X(sedge_int64, first)                                       \
    X(sedge_int64, count)                                       \
    X(sedge_int64, halo_faces)                                  \
    X(sedge_real, base_factor)                                  \
    X(sedge_real, factor)

// What lies behind face point k of one value, one lane after the other.
SEDGE_FUNCTION void get_behind(sedge_value *v, sedge_value *w, sedge_int64 value, int k,
                               sedge_value own_u, sedge_value own_flux,
                               const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT u,
                               const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT flux,
                               const SEDGE_GLOBAL sedge_trace *SEDGE_RESTRICT halo,
                               const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                               sedge_int64 halo_faces)
{
    const int i = k % SEDGE_FACE_NODES;

    *v = -own_u; // a boundary: the value mirrored, the gradient the same
    *w = -own_flux;
    SEDGE_LANES_LOOP (l) {
        const sedge_link link = links[(value * SEDGE_LANES + l) * 4 + k / SEDGE_FACE_NODES];
        const SEDGE_GLOBAL short *const map =
            tables + SEDGE_FACE_POINTS + link.code * SEDGE_FACE_NODES + i;
        const int point = map[24 * SEDGE_FACE_NODES];

        if (link.neighbour >= 0) {
            const sedge_int64 other = link.neighbour / SEDGE_LANES;
            const int lane = link.neighbour % SEDGE_LANES;
            SEDGE_LANE(*v, l) = SEDGE_LANE(u[other * SEDGE_NODES + *map], lane);
            SEDGE_LANE(*w, l) = SEDGE_LANE(
                flux[other * SEDGE_FACE_POINTS + link.code / 6 * SEDGE_FACE_NODES + point], lane);
            (void)lane;
        } else if (-1 - link.neighbour < halo_faces) {
            const sedge_trace trace =
                halo[(sedge_int64)(-1 - link.neighbour) * SEDGE_FACE_NODES + point];
            SEDGE_LANE(*v, l) = trace.u;
            SEDGE_LANE(*w, l) = trace.flux;
        }
    }
}

// Lifts of d and the face masses of s, at the nodes of a tile: `points` has d and s of each face
// point. l[i][f] is face f's lift, kept[i] the sum over faces of E M s.
SEDGE_FUNCTION void lift_faces(sedge_value l[SEDGE_TN][4], sedge_value *kept,
                               const SEDGE_BLOCKWIDE sedge_value *points, int tile,
                               const SEDGE_GLOBAL sedge_lifts *SEDGE_RESTRICT lift)
{
    SEDGE_EACH (i, SEDGE_TN) kept[i] = SEDGE_SPLAT(0.0);
    SEDGE_EACH (f, 4) {
        SEDGE_EACH (i, SEDGE_TN) l[i][f] = SEDGE_SPLAT(0.0);
        for (int k = f * SEDGE_FACE_NODES; k < (f + 1) * SEDGE_FACE_NODES; k++) {
            SEDGE_LOCAL_COPY(sedge_lifts, op, &lift[k * SEDGE_TILES + tile]);
            const sedge_value d = points[2 * k];
            const sedge_value s = points[2 * k + 1];
            SEDGE_EACH (i, SEDGE_TN) {
                l[i][f] += op->w[2 * i] * d;
                kept[i] += op->w[2 * i + 1] * s;
            }
        }
    }
}

SEDGE_KERNEL(sedge_elliptic_apply, SEDGE_THREADS, SEDGE_APPLY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_value, s_all,
                      SEDGE_BLOCK * (SEDGE_U_STRIDE + SEDGE_P_STRIDE + SEDGE_S_STRIDE));
        SEDGE_PRIVATE(sedge_value, kept, SEDGE_TILES * SEDGE_BLOCK, SEDGE_TN);
        SEDGE_BLOCKWIDE sedge_value *const s_u = s_all;
        SEDGE_BLOCKWIDE sedge_value *const s_p = s_all + SEDGE_BLOCK * SEDGE_U_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_s =
            s_all + SEDGE_BLOCK * (SEDGE_U_STRIDE + SEDGE_P_STRIDE);
        const sedge_int64 base = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        const int filled = left < SEDGE_BLOCK ? (int)left : SEDGE_BLOCK;

        load_words(s_u, u, base, filled);
        SEDGE_ITEMS (e, SEDGE_BLOCK, k, SEDGE_FACE_POINTS, SEDGE_THREADS) {
            if (e < filled) {
                const sedge_int64 value = base + e;
                const SEDGE_GLOBAL sedge_value *const face =
                    geometry[value].w + 8 + 2 * (k / SEDGE_FACE_NODES);
                const sedge_value own_u = u[value * SEDGE_NODES + tables[k]];
                const sedge_value own_flux = flux[value * SEDGE_FACE_POINTS + k];
                SEDGE_BLOCKWIDE sedge_value *const point = s_s + e * SEDGE_S_STRIDE + 2 * k;
                sedge_value v;
                sedge_value w;

                get_behind(&v, &w, value, k, own_u, own_flux, u, flux, halo, links, tables,
                           halo_faces);
                point[0] = -face[0] * (own_u - v);
                point[1] = face[1] * (own_u - v) - face[0] * (own_flux - w);
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            if (e < filled) {
                SEDGE_LOCAL_COPY(sedge_shape, shape, &geometry[base + e]);
                sedge_value d[SEDGE_TN][3];
                sedge_value l[SEDGE_TN][4];

                differentiate(d, s_u + e * SEDGE_U_STRIDE, tile, deriv);
                lift_faces(l, SEDGE_MINE(kept, tile * SEDGE_BLOCK + e), s_s + e * SEDGE_S_STRIDE,
                           tile, lift);
                SEDGE_EACH (i, SEDGE_TN) {
                    const int n = tile * SEDGE_TN + i;
                    d[i][0] = shape->w[6] * d[i][0] + l[i][2] - l[i][3];
                    d[i][1] = shape->w[6] * d[i][1] + l[i][2] - l[i][1];
                    d[i][2] = shape->w[6] * d[i][2] + l[i][2] - l[i][0];
                    if (n < SEDGE_NODES) contract(s_p + e * SEDGE_P_STRIDE + 3 * n, d[i], shape);
                }
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            if (e < filled) {
                sedge_value r[SEDGE_TN];

                SEDGE_EACH (i, SEDGE_TN) r[i] = SEDGE_MINE(kept, tile * SEDGE_BLOCK + e)[i];
                for (int m = 0; m < SEDGE_NODES; m++) {
                    SEDGE_LOCAL_COPY(sedge_slopes, op, &weak[m * SEDGE_TILES + tile]);
                    const SEDGE_BLOCKWIDE sedge_value *const p = s_p + e * SEDGE_P_STRIDE + 3 * m;
                    const sedge_value p0 = p[0];
                    const sedge_value p1 = p[1];
                    const sedge_value p2 = p[2];
                    SEDGE_EACH (i, SEDGE_TN)
                        r[i] += op->w[3 * i] * p0 + op->w[3 * i + 1] * p1 + op->w[3 * i + 2] * p2;
                }
                // u of the block is not needed any more.
                SEDGE_EACH (i, SEDGE_TN)
                    if (tile * SEDGE_TN + i < SEDGE_NODES)
                        s_u[e * SEDGE_U_STRIDE + tile * SEDGE_TN + i] = r[i];
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_BLOCK, n, SEDGE_NODES, SEDGE_THREADS) {
            if (e < filled) {
                const sedge_int64 at = (base + e) * SEDGE_NODES + n;
                sedge_value sum = factor * s_u[e * SEDGE_U_STRIDE + n];
                if (base_factor != 0) sum += base_factor * rhs[at];
                out[at] = sum;
            }
        }
    }
}
