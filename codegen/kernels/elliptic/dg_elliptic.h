// A u of -div(k grad u) = f by the symmetric interior penalty method, on affine tetrahedra of order
// N, k constant in each element; and what its multigrid needs in each element.
//
//   v.Au = sum_K k grad v.grad u - sum_F (g n.(grad u- + grad u+) [v] + g n.(grad v- + grad v+)
//   [u])
//          + sum_F tau [v][u],   [u] = u- - u+, g half the harmonic mean of k- and k+
//
// At a boundary u+ = -u- and grad u+ = grad u-, with g and tau that make this the homogeneous
// condition (sedge_elliptic_face in src/elliptic/elliptic_face.h).
//
// Elements lie in slots (src/layout/slots.h). A SIMD batch is SEDGE_LANES neighbouring slots; a
// sedge_value holds one number of each of them.
//
//   u, out   [batches][SEDGE_NODES] of sedge_value; empty slots are zero
//   flux     [batches][4 face nodes]: sJ n.grad u at the face points, n outward, sJ half the area
//   halo     [halo faces][face nodes] of sedge_trace, as the neighbour orders its nodes
//   links    [slots][4]: neighbour slot, or -1 - trace slot; neighbour's face * 6 + orientation
//   geometry [batches / SEDGE_CHUNK][16][SEDGE_CHUNK]: J G_rr, J G_ss, J G_tt, J G_rs, J G_rt,
//            J G_st; at 6 the coefficient k; at 7 nothing; at 8 + 2 f: g and tau sJ of face f
//   deriv    [nodes][SEDGE_TILES] of D_r, D_s, D_t;  lift [4 face nodes][SEDGE_TILES]
//   weak     [nodes][SEDGE_WEAK_TILES] of D_j^T M;  mass [4 face nodes][SEDGE_WEAK_TILES] of E M
//   tables   own volume node [4 face nodes], then neighbour's volume node [24][face nodes], then
//            neighbour's face node [24][face nodes], then the point of each face at a node, or -1
//            [nodes][4]
//
// Two kernels make an application: sedge_elliptic_flux differentiates in each element and leaves
// the normal derivatives at the faces; sedge_elliptic_apply takes them from both sides. With the
// jump d = -g [u] lifted into the element, the gradient and the second face term are one field:
//   Au = sum_j D_j^T M sum_k J G_jk (k D_k u + Y_k) + sum_f E_f M_f s_f,
//   s = -g (F- - F+) + tau sJ [u],  F of `flux`,  G_jk = grad r_j . grad r_k,  Y_k lifts of d.
//
// A block works on SEDGE_BLOCK batches, a work item on a tile of nodes of SEDGE_EN of them:
// SEDGE_TN nodes where it differentiates and lifts, SEDGE_WEAK_TN where it integrates. With one
// field an operator's entry that is loaded, even if it is one number for all neighbouring items,
// costs as much as several products; so each is used for SEDGE_EN batches. Neighbouring items have
// neighbouring elements and the same nodes; strides of an odd number of words keep them in
// different banks of the block's memory, whose parts are used again as the work goes on. With
// SEDGE_MATRIX these two kernels are those of dg_elliptic_matrix.h, with the same memory but for
// the ends, which are filled up.
#pragma once

#define SEDGE_FACE_POINTS (4 * SEDGE_FACE_NODES)
#define SEDGE_TILES       ((SEDGE_NODES + SEDGE_TN - 1) / SEDGE_TN)
#define SEDGE_WEAK_TILES  ((SEDGE_NODES + SEDGE_WEAK_TN - 1) / SEDGE_WEAK_TN)
#define SEDGE_GROUPS      (SEDGE_BLOCK / SEDGE_EN)
// Loads of an item that are on their way at once.
#define SEDGE_AT_ONCE 4

// Words of an element in the block's memory while fluxes are computed: u, then fluxes.
// And in the operator: s at the face points; behind it first d there and u, then the contracted
// gradient [node][3], then the result.
#if SEDGE_MATRIX
// Rows of four terms; the next element is an odd number of four double words away.
#define SEDGE_FILL(words)   (((words) + 3) / 4 * 4)
#define SEDGE_STRIDE(words) (((words) + 3) / 8 * 8 + 4)
#else
#define SEDGE_FILL(words)   (words)
#define SEDGE_STRIDE(words) ((words) | 1)
#endif
#define SEDGE_FLUX_STRIDE SEDGE_STRIDE(SEDGE_FILL(SEDGE_NODES) + SEDGE_FACE_POINTS)
#define SEDGE_REST_WORDS                                                       \
    (SEDGE_FACE_POINTS + SEDGE_FILL(SEDGE_NODES) > SEDGE_FILL(3 * SEDGE_NODES) \
         ? SEDGE_FACE_POINTS + SEDGE_FILL(SEDGE_NODES)                         \
         : SEDGE_FILL(3 * SEDGE_NODES))
#define SEDGE_APPLY_STRIDE SEDGE_STRIDE(SEDGE_FACE_POINTS + SEDGE_REST_WORDS)

typedef struct SEDGE_ALIGN(8) sedge_link {
    int neighbour;
    int code;
} sedge_link;

typedef struct sedge_trace {
    sedge_real u;
    sedge_real flux;
} sedge_trace;

// Word k of a batch's geometry.
SEDGE_FUNCTION sedge_value get_shape(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT geometry,
                                     sedge_int64 value, int k)
{
    return geometry[(value / SEDGE_CHUNK * 16 + k) * SEDGE_CHUNK + value % SEDGE_CHUNK];
}

// Batches [base, base + filled) of u to the block's memory, zero behind them: the first at `to`,
// the next `stride` words on.
SEDGE_FUNCTION void load_words(SEDGE_BLOCKWIDE sedge_value *to, int stride,
                               const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT u, sedge_int64 base,
                               int filled)
{
#if SEDGE_TARGET_HOST
    for (int n = 0; n < SEDGE_NODES; n++) to[n] = u[base * SEDGE_NODES + n];
    (void)stride, (void)filled;
#else
    for (int first = SEDGE_THREAD; first < SEDGE_BLOCK * SEDGE_NODES;
         first += SEDGE_AT_ONCE * SEDGE_THREADS) {
        sedge_value words[SEDGE_AT_ONCE];

        SEDGE_EACH (i, SEDGE_AT_ONCE) {
            const int at = first + i * SEDGE_THREADS;
            words[i] = at < filled * SEDGE_NODES ? u[base * SEDGE_NODES + at] : SEDGE_SPLAT(0.0);
        }
        SEDGE_EACH (i, SEDGE_AT_ONCE) {
            const int at = first + i * SEDGE_THREADS;
            if (at < SEDGE_BLOCK * SEDGE_NODES)
                to[at / SEDGE_NODES * stride + at % SEDGE_NODES] = words[i];
        }
    }
#endif
}

// p_j = sum_k J G_jk v_k of one batch, v_k `step` apart.
SEDGE_FUNCTION void contract(sedge_value p[3], const sedge_value *v, int step,
                             const sedge_value shape[6])
{
    p[0] = shape[0] * v[0] + shape[3] * v[step] + shape[4] * v[2 * step];
    p[1] = shape[3] * v[0] + shape[1] * v[step] + shape[5] * v[2 * step];
    p[2] = shape[4] * v[0] + shape[5] * v[step] + shape[2] * v[2 * step];
}

// J G_jk of batch e of a block; behind the last batch, the last one's.
SEDGE_FUNCTION void get_metric(sedge_value shape[6],
                               const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT geometry,
                               sedge_int64 base, int e, int filled)
{
    SEDGE_EACH (k, 6) shape[k] = get_shape(geometry, base + (e < filled ? e : filled - 1), k);
}

// ---- fluxes ------------------------------------------------------------------------------------

// The fluxes of node n of one batch, p its contracted gradient, to the points of the faces it is
// on.
SEDGE_FUNCTION void put_fluxes(SEDGE_BLOCKWIDE sedge_value *words, const sedge_value p[3], int n,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    const SEDGE_GLOBAL short *const point =
        tables + SEDGE_FACE_POINTS + 48 * SEDGE_FACE_NODES + 4 * n;

    if (point[0] >= 0) words[point[0]] = -p[2];
    if (point[1] >= 0) words[point[1]] = -p[1];
    if (point[2] >= 0) words[point[2]] = p[0] + p[1] + p[2];
    if (point[3] >= 0) words[point[3]] = -p[0];
}

// Fluxes of all batches, the first at s_flux, from the block's memory.
SEDGE_FUNCTION void store_fluxes(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT flux,
                                 const SEDGE_BLOCKWIDE sedge_value *s_flux, sedge_int64 base,
                                 int filled)
{
    SEDGE_ITEMS (e, SEDGE_BLOCK, k, SEDGE_FACE_POINTS, SEDGE_THREADS) {
        if (e < filled)
            flux[(base + e) * SEDGE_FACE_POINTS + k] = s_flux[e * SEDGE_FLUX_STRIDE + k];
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
        SEDGE_ITEMS_1D (i, 128, 128) {
            const sedge_int64 at = b * 128 + i;
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

// ---- jumps and results -------------------------------------------------------------------------

// u and flux at a face point, on both sides.
typedef struct sedge_sides {
    sedge_value u, flux;   // own
    sedge_value u2, flux2; // behind the face
} sedge_sides;

// Both sides of face point k of one batch. Addresses are selected before anything is loaded, so
// that a compiler can have many loads on their way.
SEDGE_FUNCTION sedge_sides get_sides(sedge_int64 value, int k,
                                     const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT u,
                                     const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT flux,
                                     const SEDGE_GLOBAL sedge_trace *SEDGE_RESTRICT halo,
                                     const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                     const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                                     sedge_int64 halo_faces)
{
    const SEDGE_GLOBAL sedge_real *const all_u = (const SEDGE_GLOBAL sedge_real *)u;
    const SEDGE_GLOBAL sedge_real *const all_flux = (const SEDGE_GLOBAL sedge_real *)flux;
    sedge_sides sides;

    sides.u = u[value * SEDGE_NODES + tables[k]];
    sides.flux = flux[value * SEDGE_FACE_POINTS + k];
    sides.u2 = -sides.u; // a boundary: the value mirrored, the gradient the same
    sides.flux2 = -sides.flux;
    SEDGE_LANES_LOOP (l) {
        const sedge_link link = links[(value * SEDGE_LANES + l) * 4 + k / SEDGE_FACE_NODES];
        const SEDGE_GLOBAL short *const map =
            tables + SEDGE_FACE_POINTS + link.code * SEDGE_FACE_NODES + k % SEDGE_FACE_NODES;
        const int point = map[24 * SEDGE_FACE_NODES];
        const int inside = link.neighbour >= 0;
        const int behind = inside || -1 - link.neighbour < halo_faces;
        const sedge_int64 slot = inside ? link.neighbour : 0;
        const sedge_int64 at = slot / SEDGE_LANES;
        const SEDGE_GLOBAL sedge_real *from_u =
            all_u + (at * SEDGE_NODES + *map) * SEDGE_LANES + slot % SEDGE_LANES;
        const SEDGE_GLOBAL sedge_real *from_flux =
            all_flux +
            (at * SEDGE_FACE_POINTS + link.code / 6 * SEDGE_FACE_NODES + point) * SEDGE_LANES +
            slot % SEDGE_LANES;
        if (!inside && behind) {
            const SEDGE_GLOBAL sedge_trace *const trace =
                &halo[(sedge_int64)(-1 - link.neighbour) * SEDGE_FACE_NODES + point];
            from_u = &trace->u;
            from_flux = &trace->flux;
        }
        const sedge_real other_u = *from_u;
        const sedge_real other_flux = *from_flux;
        if (behind) {
            SEDGE_LANE(sides.u2, l) = other_u;
            SEDGE_LANE(sides.flux2, l) = other_flux;
        }
    }
    return sides;
}

// s and d at face point k of one batch whose words these are.
SEDGE_FUNCTION void put_jumps(SEDGE_BLOCKWIDE sedge_value *words, const sedge_sides *sides, int k,
                              sedge_value g, sedge_value tau)
{
    const sedge_value jump = sides->u - sides->u2;

    words[k] = tau * jump - g * (sides->flux - sides->flux2);
    words[SEDGE_FACE_POINTS + k] = -(g * jump);
}

// s and d at all face points of the block.
SEDGE_FUNCTION void find_jumps(SEDGE_BLOCKWIDE sedge_value *s_all, sedge_int64 base, int filled,
                               const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT u,
                               const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT flux,
                               const SEDGE_GLOBAL sedge_trace *SEDGE_RESTRICT halo,
                               const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                               const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT geometry,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                               sedge_int64 halo_faces)
{
#if SEDGE_TARGET_HOST
    for (int k = 0; k < SEDGE_FACE_POINTS; k++) {
        const sedge_sides sides = get_sides(base, k, u, flux, halo, links, tables, halo_faces);
        const int word = 8 + 2 * (k / SEDGE_FACE_NODES);
        put_jumps(s_all, &sides, k, get_shape(geometry, base, word),
                  get_shape(geometry, base, word + 1));
    }
    (void)filled;
#else
    for (int first = SEDGE_THREAD; first < filled * SEDGE_FACE_POINTS;
         first += SEDGE_AT_ONCE * SEDGE_THREADS) {
        sedge_sides sides[SEDGE_AT_ONCE];
        sedge_value g[SEDGE_AT_ONCE];
        sedge_value tau[SEDGE_AT_ONCE];

        SEDGE_EACH (i, SEDGE_AT_ONCE) {
            const int wanted = first + i * SEDGE_THREADS;
            const int at = wanted < filled * SEDGE_FACE_POINTS ? wanted : first;
            const sedge_int64 value = base + at / SEDGE_FACE_POINTS;
            const int k = at % SEDGE_FACE_POINTS;
            const int word = 8 + 2 * (k / SEDGE_FACE_NODES);
            sides[i] = get_sides(value, k, u, flux, halo, links, tables, halo_faces);
            g[i] = get_shape(geometry, value, word);
            tau[i] = get_shape(geometry, value, word + 1);
        }
        SEDGE_EACH (i, SEDGE_AT_ONCE) {
            const int at = first + i * SEDGE_THREADS;
            if (at < filled * SEDGE_FACE_POINTS)
                put_jumps(s_all + at / SEDGE_FACE_POINTS * SEDGE_APPLY_STRIDE, &sides[i],
                          at % SEDGE_FACE_POINTS, g[i], tau[i]);
        }
    }
#endif
}

// out from the results, the first batch's at s_result.
SEDGE_FUNCTION void store_result(SEDGE_GLOBAL sedge_value *out, const SEDGE_GLOBAL sedge_value *rhs,
                                 const SEDGE_BLOCKWIDE sedge_value *s_result, sedge_int64 base,
                                 int filled, sedge_real base_factor, sedge_real factor)
{
    SEDGE_ITEMS (e, SEDGE_BLOCK, n, SEDGE_NODES, SEDGE_THREADS) {
        if (e < filled) {
            const sedge_int64 at = (base + e) * SEDGE_NODES + n;
            sedge_value sum = factor * s_result[e * SEDGE_APPLY_STRIDE + n];
            if (base_factor != 0) sum += base_factor * rhs[at];
            out[at] = sum;
        }
    }
}

#if !SEDGE_MATRIX
// ---- the two kernels ---------------------------------------------------------------------------

// Operators of one tile of nodes and one node or face point, padded for vector loads.
typedef struct SEDGE_ALIGN(16) sedge_slopes {
    sedge_real w[SEDGE_SLOPES_WIDTH]; // [node of the tile][r, s, t]
} sedge_slopes;

typedef struct SEDGE_ALIGN(16) sedge_lifts {
    sedge_real w[SEDGE_LIFTS_WIDTH]; // [node of the tile]
} sedge_lifts;

typedef struct SEDGE_ALIGN(16) sedge_weak_slopes {
    sedge_real w[SEDGE_WEAK_WIDTH]; // [node of the tile][r, s, t]
} sedge_weak_slopes;

typedef struct SEDGE_ALIGN(16) sedge_masses {
    sedge_real w[SEDGE_MASS_WIDTH]; // [node of the tile]
} sedge_masses;

// d [node of a tile][j][batch] = D_j u; an item's batches are SEDGE_GROUPS strides apart.
SEDGE_FUNCTION void differentiate(sedge_value *d, const SEDGE_BLOCKWIDE sedge_value *words,
                                  int stride, int tile,
                                  const SEDGE_GLOBAL sedge_slopes *SEDGE_RESTRICT deriv)
{
    SEDGE_EACH (w, 3 * SEDGE_TN * SEDGE_EN) d[w] = SEDGE_SPLAT(0.0);
    for (int m = 0; m < SEDGE_NODES; m++) {
        SEDGE_LOCAL_COPY(sedge_slopes, op, &deriv[m * SEDGE_TILES + tile]);
        sedge_value q[SEDGE_EN];

        SEDGE_EACH (x, SEDGE_EN) q[x] = words[x * SEDGE_GROUPS * stride + m];
        SEDGE_EACH (w, 3 * SEDGE_TN)
            SEDGE_EACH (x, SEDGE_EN) d[w * SEDGE_EN + x] += op->w[w] * q[x];
    }
}

#define SEDGE_FLUX_LIST(X)                                      \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, u)        \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, flux)           \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL sedge_slopes *SEDGE_RESTRICT, deriv)   \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)         \
    X(sedge_int64, first)                                       \
    X(sedge_int64, count)

SEDGE_KERNEL_RESIDENT(sedge_elliptic_flux, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_FLUX_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_value, s_all, SEDGE_BLOCK * SEDGE_FLUX_STRIDE);
        SEDGE_BLOCKWIDE sedge_value *const s_flux = s_all + SEDGE_NODES;
        const sedge_int64 base = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        const int filled = left < SEDGE_BLOCK ? (int)left : SEDGE_BLOCK;

        load_words(s_all, SEDGE_FLUX_STRIDE, u, base, filled);
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, g, SEDGE_GROUPS, SEDGE_THREADS) {
            sedge_value d[3 * SEDGE_TN * SEDGE_EN];

            differentiate(d, s_all + g * SEDGE_FLUX_STRIDE, SEDGE_FLUX_STRIDE, tile, deriv);
            SEDGE_EACH (x, SEDGE_EN) {
                const int e = g + x * SEDGE_GROUPS;
                sedge_value shape[6];

                get_metric(shape, geometry, base, e, filled);
                SEDGE_EACH (i, SEDGE_TN) {
                    const int n = tile * SEDGE_TN + i;
                    sedge_value p[3];

                    contract(p, d + 3 * i * SEDGE_EN + x, SEDGE_EN, shape);
                    if (n < SEDGE_NODES) put_fluxes(s_flux + e * SEDGE_FLUX_STRIDE, p, n, tables);
                }
            }
        }
        SEDGE_BARRIER();
        store_fluxes(flux, s_flux, base, filled);
    }
}

// out = base b + factor A u; where base is 0, b is not read.
#define SEDGE_APPLY_LIST(X)                                       \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, u)          \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, flux)       \
    X(const SEDGE_GLOBAL sedge_trace *SEDGE_RESTRICT, halo)       \
    X(const SEDGE_GLOBAL sedge_value *, rhs)                      \
    X(SEDGE_GLOBAL sedge_value *, out)                            \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, links)       \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, geometry)   \
    X(const SEDGE_GLOBAL sedge_slopes *SEDGE_RESTRICT, deriv)     \
    X(const SEDGE_GLOBAL sedge_lifts *SEDGE_RESTRICT, lift)       \
    X(const SEDGE_GLOBAL sedge_weak_slopes *SEDGE_RESTRICT, weak) \
    X(const SEDGE_GLOBAL sedge_masses *SEDGE_RESTRICT, mass)      \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)           \
    X(sedge_int64, first)                                         \
    X(sedge_int64, count)                                         \
    X(sedge_int64, halo_faces)                                    \
    X(sedge_real, base_factor)                                    \
    X(sedge_real, factor)

// d [node of a tile][j][batch] += Y_j, the lifts of d at the face points at `points`.
SEDGE_FUNCTION void add_lifts(sedge_value *d, const SEDGE_BLOCKWIDE sedge_value *points, int tile,
                              const SEDGE_GLOBAL sedge_lifts *SEDGE_RESTRICT lift)
{
    SEDGE_EACH (f, 4) {
        sedge_value l[SEDGE_TN * SEDGE_EN];

        SEDGE_EACH (w, SEDGE_TN * SEDGE_EN) l[w] = SEDGE_SPLAT(0.0);
        for (int k = f * SEDGE_FACE_NODES; k < (f + 1) * SEDGE_FACE_NODES; k++) {
            SEDGE_LOCAL_COPY(sedge_lifts, op, &lift[k * SEDGE_TILES + tile]);
            sedge_value q[SEDGE_EN];

            SEDGE_EACH (x, SEDGE_EN) q[x] = points[x * SEDGE_GROUPS * SEDGE_APPLY_STRIDE + k];
            SEDGE_EACH (i, SEDGE_TN)
                SEDGE_EACH (x, SEDGE_EN) l[i * SEDGE_EN + x] += op->w[i] * q[x];
        }
        SEDGE_EACH (i, SEDGE_TN)
            SEDGE_EACH (x, SEDGE_EN)
                SEDGE_EACH (j, 3) {
                    if (f == 2) d[(3 * i + j) * SEDGE_EN + x] += l[i * SEDGE_EN + x];
                    if (f == (j == 0 ? 3 : 2 - j) && f != 2)
                        d[(3 * i + j) * SEDGE_EN + x] -= l[i * SEDGE_EN + x];
                }
    }
}

// r [node of a weak tile][batch] = sum_f E_f M_f s_f + sum_j D_j^T M p_j.
SEDGE_FUNCTION void integrate(sedge_value *r, const SEDGE_BLOCKWIDE sedge_value *words, int tile,
                              const SEDGE_GLOBAL sedge_weak_slopes *SEDGE_RESTRICT weak,
                              const SEDGE_GLOBAL sedge_masses *SEDGE_RESTRICT mass)
{
    SEDGE_EACH (w, SEDGE_WEAK_TN * SEDGE_EN) r[w] = SEDGE_SPLAT(0.0);
    for (int k = 0; k < SEDGE_FACE_POINTS; k++) {
        SEDGE_LOCAL_COPY(sedge_masses, op, &mass[k * SEDGE_WEAK_TILES + tile]);
        sedge_value q[SEDGE_EN];

        SEDGE_EACH (x, SEDGE_EN) q[x] = words[x * SEDGE_GROUPS * SEDGE_APPLY_STRIDE + k];
        SEDGE_EACH (i, SEDGE_WEAK_TN)
            SEDGE_EACH (x, SEDGE_EN) r[i * SEDGE_EN + x] += op->w[i] * q[x];
    }
    for (int m = 0; m < SEDGE_NODES; m++) {
        SEDGE_LOCAL_COPY(sedge_weak_slopes, op, &weak[m * SEDGE_WEAK_TILES + tile]);

        SEDGE_EACH (j, 3) {
            sedge_value q[SEDGE_EN];

            SEDGE_EACH (x, SEDGE_EN)
                q[x] = words[x * SEDGE_GROUPS * SEDGE_APPLY_STRIDE + SEDGE_FACE_POINTS + 3 * m + j];
            SEDGE_EACH (i, SEDGE_WEAK_TN)
                SEDGE_EACH (x, SEDGE_EN) r[i * SEDGE_EN + x] += op->w[3 * i + j] * q[x];
        }
    }
}

SEDGE_KERNEL_RESIDENT(sedge_elliptic_apply, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_APPLY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_value, s_all, SEDGE_BLOCK * SEDGE_APPLY_STRIDE);
        SEDGE_PRIVATE(sedge_value, slopes, SEDGE_TILES * SEDGE_GROUPS, 3 * SEDGE_TN * SEDGE_EN);
        SEDGE_PRIVATE(sedge_value, sums, SEDGE_WEAK_TILES * SEDGE_GROUPS, SEDGE_WEAK_TN * SEDGE_EN);
        SEDGE_BLOCKWIDE sedge_value *const s_rest = s_all + SEDGE_FACE_POINTS;
        SEDGE_BLOCKWIDE sedge_value *const s_u = s_rest + SEDGE_FACE_POINTS;
        const sedge_int64 base = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        const int filled = left < SEDGE_BLOCK ? (int)left : SEDGE_BLOCK;

        load_words(s_u, SEDGE_APPLY_STRIDE, u, base, filled);
        find_jumps(s_all, base, filled, u, flux, halo, links, geometry, tables, halo_faces);
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, g, SEDGE_GROUPS, SEDGE_THREADS) {
            sedge_value d[3 * SEDGE_TN * SEDGE_EN];

            differentiate(d, s_u + g * SEDGE_APPLY_STRIDE, SEDGE_APPLY_STRIDE, tile, deriv);
            SEDGE_EACH (x, SEDGE_EN) {
                const int e = g + x * SEDGE_GROUPS;
                const sedge_value k = get_shape(geometry, base + (e < filled ? e : filled - 1), 6);
                SEDGE_EACH (w, 3 * SEDGE_TN) d[w * SEDGE_EN + x] *= k;
            }
            add_lifts(d, s_rest + g * SEDGE_APPLY_STRIDE, tile, lift);
            SEDGE_EACH (w, 3 * SEDGE_TN * SEDGE_EN)
                SEDGE_MINE(slopes, tile * SEDGE_GROUPS + g)[w] = d[w];
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, g, SEDGE_GROUPS, SEDGE_THREADS) {
            const sedge_value *const d = SEDGE_MINE(slopes, tile * SEDGE_GROUPS + g);

            SEDGE_EACH (x, SEDGE_EN) {
                const int e = g + x * SEDGE_GROUPS;
                sedge_value shape[6];

                get_metric(shape, geometry, base, e, filled);
                SEDGE_EACH (i, SEDGE_TN) {
                    const int n = tile * SEDGE_TN + i;
                    SEDGE_BLOCKWIDE sedge_value *const to = s_rest + e * SEDGE_APPLY_STRIDE + 3 * n;
                    sedge_value p[3];

                    contract(p, d + 3 * i * SEDGE_EN + x, SEDGE_EN, shape);
                    if (n < SEDGE_NODES) {
                        to[0] = p[0];
                        to[1] = p[1];
                        to[2] = p[2];
                    }
                }
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_WEAK_TILES, g, SEDGE_GROUPS, SEDGE_THREADS) {
            sedge_value r[SEDGE_WEAK_TN * SEDGE_EN];

            integrate(r, s_all + g * SEDGE_APPLY_STRIDE, tile, weak, mass);
            SEDGE_EACH (w, SEDGE_WEAK_TN * SEDGE_EN)
                SEDGE_MINE(sums, tile * SEDGE_GROUPS + g)[w] = r[w];
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_WEAK_TILES, g, SEDGE_GROUPS, SEDGE_THREADS) {
            const sedge_value *const r = SEDGE_MINE(sums, tile * SEDGE_GROUPS + g);

            SEDGE_EACH (i, SEDGE_WEAK_TN) {
                const int n = tile * SEDGE_WEAK_TN + i;
                SEDGE_EACH (x, SEDGE_EN)
                    if (n < SEDGE_NODES)
                        s_rest[(g + x * SEDGE_GROUPS) * SEDGE_APPLY_STRIDE + n] =
                            r[i * SEDGE_EN + x];
            }
        }
        SEDGE_BARRIER();
        store_result(out, rhs, s_rest, base, filled, base_factor, factor);
    }
}
#endif // !SEDGE_MATRIX
