// The stage by matrix instructions in fp64, where div F is made of curls; types and layout of
// dg_layout.h, copies into the block's memory of dg_stage.h.
//
// Curls are taken in the reference element: with the covariant components
// h_p = sum_d dx_d/dr_p u_d of each vector,
//   (curl u)_d = 1/J sum_p dx_d/dr_p (D_{p+1} h_{p+2} - D_{p+2} h_{p+1}),
// two products a component instead of three, and a third of the sums (the Piola transformation: the
// curl of a covariant field is a contravariant one). In the block's memory h takes the place of u,
// which is read a second time, from a cache, when the products are done.
// Jacobians: [SIMD batches][SEDGE_JACOBIAN_WORDS], dx_d/dr_p at 3 d + p, then 1/J; behind the
// geometry.
//
// A warp takes SEDGE_GROUPS times 8 elements (rows: 8 elements with two fields each, as often as
// there are pairs of fields) and 8 nodes (columns), and sums over nodes, then over face points, 8
// at a time. So a lane holds all fields of one element at two nodes, and applies geometry, flux and
// Runge-Kutta step to them where they are, in its registers. Lane 4 g + t has element g of a group;
// its numbers of the sum, and its nodes, are SEDGE_PLACE(t, i), i = 0 and 1, of each 8.
//
//   deriv  [tiles of 8 nodes][steps of 8 nodes][r, s, t][lanes] of sedge_pack: the lane's numbers
//   lift   [tiles of 8 nodes][steps of 8 face points][lanes] of sedge_pack
//
// Rows do not mix: what is not a number stays in its element. Numbers behind the last node and the
// last face point are zero in the block's memory and in the operators.
#pragma once

#define SEDGE_JACOBIAN_WORDS 12

#if SEDGE_TENSOR && SEDGE_STAGE

SEDGE_FUNCTION const SEDGE_GLOBAL sedge_value *
find_jacobians(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT geometry, sedge_int64 slots)
{
    return (const SEDGE_GLOBAL sedge_value *)(geometry + slots / SEDGE_LANES);
}

// Jacobians in the place of metrics.
SEDGE_FUNCTION void copy_jacobians(SEDGE_BLOCKWIDE sedge_geometry *SEDGE_RESTRICT to,
                                   const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT from,
                                   sedge_int64 start, sedge_int64 left)
{
    SEDGE_ITEMS (e, SEDGE_BLOCK, p, SEDGE_JACOBIAN_WORDS / SEDGE_PACK, SEDGE_THREADS) {
        if (e < left)
            SEDGE_COPY_PACK(to[e].metric + p * SEDGE_PACK,
                            from + (start + e) * SEDGE_JACOBIAN_WORDS + p * SEDGE_PACK);
    }
}

// Covariant components of the vectors at one node; g: the Jacobian. May be done in place.
SEDGE_FUNCTION void make_covariant(SEDGE_BLOCKWIDE sedge_value *to,
                                   const SEDGE_BLOCKWIDE sedge_value *from,
                                   const SEDGE_BLOCKWIDE sedge_value *g)
{
    SEDGE_EACH (v, SEDGE_FIELDS / 3) {
        sedge_value x[3];
        SEDGE_EACH (d, 3) x[d] = from[3 * v + d];
        SEDGE_EACH (p, 3) to[3 * v + p] = g[p] * x[0] + g[3 + p] * x[1] + g[6 + p] * x[2];
    }
}

#define SEDGE_NODE_STEPS  ((SEDGE_NODES + 7) / 8)
#define SEDGE_FACE_STEPS  ((SEDGE_FACE_POINTS + 7) / 8)
#define SEDGE_WARP_VALUES (8 * SEDGE_GROUPS)
#define SEDGE_PARTS       (SEDGE_BLOCK / SEDGE_WARP_VALUES)
#define SEDGE_WARPS       (SEDGE_THREADS / 32)
#define SEDGE_PIECES      (SEDGE_NODE_STEPS * SEDGE_PARTS)

// Pairs of fields, and the field of pair p in row g (r = 0) and in row g + 8 (r = 1); with curls,
// the same component of two vectors.
#define SEDGE_PAIRS          ((SEDGE_FIELDS / 3 + 1) / 2 * 3)
#define SEDGE_FIELD_OF(p, r) ((p) / 3 * 6 + (p) % 3 + 3 * (r))
#define SEDGE_PAIR_OF(f)     ((f) / 6 * 3 + (f) % 3)
#define SEDGE_ROW_OF(f)      ((f) / 3 % 2)

// A loop that stays one: unrolled, it takes so many registers that blocks are missing. Operators,
// which come from a cache, are read a step ahead.
#if SEDGE_TARGET_CUDA
#define SEDGE_ROLLED _Pragma("unroll 1")
#else
#define SEDGE_ROLLED
#endif

// Neighbouring words of a lane: RUNS times RUN, 4 RUN words apart.
#define SEDGE_PLACE(t, i) ((t) + 4 * (i))
#define SEDGE_RUNS        2
#define SEDGE_RUN         SEDGE_FIELDS
#if SEDGE_RUN % SEDGE_PACK == 0
#define SEDGE_BY_PACKS 1
#else
#define SEDGE_BY_PACKS 0
#endif

// ---- products ----------------------------------------------------------------------------------

// The lane's words among those of 8 nodes or face points: [i][fields], i as in SEDGE_PLACE.
SEDGE_FUNCTION void fetch_lane(sedge_real *SEDGE_RESTRICT q,
                               const SEDGE_BLOCKWIDE sedge_real *SEDGE_RESTRICT from, int t)
{
    SEDGE_EACH (i, SEDGE_RUNS) {
        const SEDGE_BLOCKWIDE sedge_real *const run = from + (4 * i + t) * SEDGE_RUN;
#if SEDGE_BY_PACKS
        SEDGE_EACH (p, SEDGE_RUN / SEDGE_PACK) {
            const sedge_pack pack = ((const SEDGE_BLOCKWIDE sedge_pack *)run)[p];
            SEDGE_EACH (k, SEDGE_PACK) q[i * SEDGE_RUN + p * SEDGE_PACK + k] = pack.v[k];
        }
#else
        SEDGE_EACH (k, SEDGE_RUN) q[i * SEDGE_RUN + k] = run[k];
#endif
    }
}

// The lane's numbers of A for a pair of fields; zero where there is none.
SEDGE_FUNCTION void take_pair(sedge_real *SEDGE_RESTRICT a, const sedge_real *SEDGE_RESTRICT q,
                              int p)
{
    SEDGE_EACH (i, 4) {
        const int f = SEDGE_FIELD_OF(p, i % 2);
        a[i] = f < SEDGE_FIELDS ? q[i / 2 * SEDGE_FIELDS + f] : SEDGE_R(0.0);
    }
}

// What the fields at 8 nodes are for the matrix unit.
typedef struct sedge_rows {
    sedge_real a[SEDGE_PAIRS][4];
} sedge_rows;

SEDGE_FUNCTION void make_rows(sedge_rows *SEDGE_RESTRICT rows,
                              const SEDGE_BLOCKWIDE sedge_real *SEDGE_RESTRICT from, int t)
{
    sedge_real q[2 * SEDGE_FIELDS];

    fetch_lane(q, from, t);
    SEDGE_EACH (j, SEDGE_PAIRS) take_pair(rows->a[j], q, j);
}

// c += rows times the operator's numbers in `op`.
SEDGE_FUNCTION void multiply(sedge_real *SEDGE_RESTRICT c, const sedge_rows *SEDGE_RESTRICT rows,
                             int j, const sedge_pack *SEDGE_RESTRICT op)
{
    SEDGE_MULTIPLY_FP64(c, rows->a[j], op->v);
}

// Where a lane finds its elements' fields when products are done: in the block's memory, unless
// other things are there by then.
#define SEDGE_OWN const SEDGE_GLOBAL

// ---- volume, lift, step ------------------------------------------------------------------------

#define SEDGE_SUMS 1

// What a step adds to the sums of one element group: D_r, D_s, D_t of all fields; or the components
// of the curls, 1/J and the way back still missing.
SEDGE_FUNCTION void add_step(sedge_real (*SEDGE_RESTRICT d)[SEDGE_PAIRS][4],
                             const sedge_rows *SEDGE_RESTRICT rows,
                             const sedge_pack *SEDGE_RESTRICT op)
{
    sedge_pack minus[3];

    SEDGE_EACH (j, 3)
        SEDGE_EACH (k, SEDGE_PACK) minus[j].v[k] = -op[j].v[k];
    SEDGE_EACH (p, SEDGE_PAIRS) {
        const int vector = p / 3 * 3;
        multiply(d[0][p], rows, vector + (p + 2) % 3, &op[(p + 1) % 3]);
        multiply(d[0][p], rows, vector + (p + 1) % 3, &minus[(p + 2) % 3]);
    }
}

// The sums of the warp's elements at its nodes; words: those of the lane's first element.
SEDGE_FUNCTION void differentiate_rows(sedge_real (*SEDGE_RESTRICT d)[SEDGE_SUMS][SEDGE_PAIRS][4],
                                       const SEDGE_BLOCKWIDE sedge_real *SEDGE_RESTRICT words,
                                       const SEDGE_GLOBAL sedge_pack *SEDGE_RESTRICT deriv, int t)
{
    SEDGE_EACH (h, SEDGE_GROUPS)
        SEDGE_EACH (j, SEDGE_SUMS)
            SEDGE_EACH (p, SEDGE_PAIRS)
                SEDGE_EACH (i, 4) d[h][j][p][i] = SEDGE_R(0.0);
    sedge_pack ahead[3];
    SEDGE_EACH (j, 3) ahead[j] = deriv[j * 32];
    SEDGE_ROLLED for (int k = 0; k < SEDGE_NODE_STEPS; k++)
    {
        sedge_pack op[3];

        SEDGE_EACH (j, 3) op[j] = ahead[j];
        SEDGE_EACH (j, 3) ahead[j] = deriv[((k + 1) * 3 + j) * 32];
        SEDGE_EACH (h, SEDGE_GROUPS) {
            sedge_rows rows;

            make_rows(&rows, words + h * 8 * SEDGE_STRIDE + k * 8 * SEDGE_FIELDS, t);
            add_step(d[h], &rows, op);
        }
    }
}

// div F at the lane's node i of one element, from the sums; g: the metric, or with curls the
// Jacobian and 1/J.
SEDGE_FUNCTION void find_flow(sedge_real *SEDGE_RESTRICT flow,
                              sedge_real (*SEDGE_RESTRICT d)[SEDGE_PAIRS][4],
                              const sedge_real *SEDGE_RESTRICT g,
                              const sedge_real *SEDGE_RESTRICT m, int i)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};

    sedge_real curl[SEDGE_FIELDS];

    SEDGE_EACH (f, SEDGE_FIELDS) {
        const int pair = SEDGE_PAIR_OF(f) / 3 * 3;
        const int at = SEDGE_ROW_OF(f) * 2 + i;
        const sedge_real *const row = g + f % 3 * 3;
        curl[f] =
            (row[0] * d[0][pair][at] + row[1] * d[0][pair + 1][at] + row[2] * d[0][pair + 2][at]) *
            g[9];
    }
    SEDGE_FROM_CURLS(curl, m, constants, flow);
}

// div F at the lane's two nodes of one element: `sum` as a product's numbers lie, [pairs][4].
SEDGE_FUNCTION void find_flows(sedge_real (*SEDGE_RESTRICT sum)[4],
                               sedge_real (*SEDGE_RESTRICT d)[SEDGE_PAIRS][4], sedge_int64 value,
                               const SEDGE_BLOCKWIDE sedge_geometry *SEDGE_RESTRICT geometry,
                               const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials)
{
    sedge_real m[SEDGE_MATERIAL_VALUES + 1];
    sedge_real g[10];

    get_material(m, material, materials, value);
    SEDGE_EACH (i, 10) g[i] = geometry->metric[i];
    SEDGE_EACH (p, SEDGE_PAIRS)
        SEDGE_EACH (i, 4) sum[p][i] = SEDGE_R(0.0);
    SEDGE_EACH (i, 2) {
        sedge_real flow[SEDGE_FIELDS];

        find_flow(flow, d, g, m, i);
        SEDGE_EACH (f, SEDGE_FIELDS) sum[SEDGE_PAIR_OF(f)][SEDGE_ROW_OF(f) * 2 + i] = flow[f];
    }
}

#ifdef SEDGE_EACH_TERM
// -sum = what the terms make of du/dt = -sum at the lane's two nodes of one element; `own`: its
// fields at the tile's first node.
SEDGE_FUNCTION void
take_lane_terms(sedge_real (*SEDGE_RESTRICT sum)[4], SEDGE_OWN sedge_real *SEDGE_RESTRICT own,
                sedge_int64 value, int tile, int t, const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials, const sedge_substep rk,
                double time SEDGE_TERMS_LIST(SEDGE_COMMA_PARAMETER))
{
    SEDGE_EACH (i, 2) {
        const int place = SEDGE_PLACE(t, i);
        if (tile * 8 + place < SEDGE_NODES) {
            sedge_real at_node[SEDGE_FIELDS];
            sedge_real rate[SEDGE_FIELDS];
            SEDGE_EACH (f, SEDGE_FIELDS) {
                at_node[f] = own[place * SEDGE_FIELDS + f];
#ifdef SEDGE_EACH_MULTIPLY
                rate[f] = -sum[SEDGE_PAIR_OF(f)][SEDGE_ROW_OF(f) * 2 + i];
#else
                rate[f] = SEDGE_R(0.0);
#endif
            }
            add_terms(rate, at_node, value, tile * 8 + place, material, materials, rk,
                      time SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#ifdef SEDGE_EACH_MULTIPLY
            SEDGE_EACH (f, SEDGE_FIELDS) sum[SEDGE_PAIR_OF(f)][SEDGE_ROW_OF(f) * 2 + i] = -rate[f];
#else
            SEDGE_EACH (f, SEDGE_FIELDS) sum[SEDGE_PAIR_OF(f)][SEDGE_ROW_OF(f) * 2 + i] -= rate[f];
#endif
        }
    }
}
#endif

// sum += LIFT times the jumps.
SEDGE_FUNCTION void lift_rows(sedge_real (*SEDGE_RESTRICT sum)[SEDGE_PAIRS][4],
                              const SEDGE_BLOCKWIDE sedge_real *SEDGE_RESTRICT words,
                              const SEDGE_GLOBAL sedge_pack *SEDGE_RESTRICT lift,
                              const SEDGE_BLOCKWIDE sedge_geometry *SEDGE_RESTRICT geometry, int t)
{
    sedge_pack ahead = lift[0];
    SEDGE_ROLLED for (int k = 0; k < SEDGE_FACE_STEPS; k++)
    {
        const sedge_pack op = ahead;
        ahead = lift[(k + 1) * 32];

        SEDGE_EACH (h, SEDGE_GROUPS) {
            sedge_rows rows;

            make_rows(&rows, words + h * 8 * SEDGE_FACE_STRIDE + k * 8 * SEDGE_FIELDS, t);
            SEDGE_EACH (p, SEDGE_PAIRS) multiply(sum[h][p], &rows, p, &op);
        }
    }
    (void)geometry;
}

// The stage's end (sedge_substep) with du/dt = -sum at the lane's nodes of one element, the states
// and the residual at the tile's first node; `most`: words up to the element's end.
SEDGE_FUNCTION void step_lane(SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT next,
                              SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT residual,
                              SEDGE_OWN sedge_real *SEDGE_RESTRICT own,
                              sedge_real (*SEDGE_RESTRICT sum)[4], int most, int t,
                              const sedge_substep rk)
{
    const SEDGE_GLOBAL sedge_real *const before = rk.c != SEDGE_R(0.0) ? next : residual;
    sedge_real change[2 * SEDGE_FIELDS];

    SEDGE_EACH (f, 2 * SEDGE_FIELDS) {
        const int field = f % SEDGE_FIELDS;
        change[f] = -rk.dt * sum[SEDGE_PAIR_OF(field)][SEDGE_ROW_OF(field) * 2 + f / SEDGE_FIELDS];
    }
    SEDGE_EACH (i, SEDGE_RUNS) {
#if SEDGE_BY_PACKS
        SEDGE_EACH (p, SEDGE_RUN / SEDGE_PACK) {
            const int w = (4 * i + t) * SEDGE_RUN + p * SEDGE_PACK;
            if (w < most) {
                sedge_pack now;
                sedge_pack then = *(SEDGE_OWN sedge_pack *)(own + w);

                SEDGE_EACH (k, SEDGE_PACK) now.v[k] = change[i * SEDGE_RUN + p * SEDGE_PACK + k];
                if (rk.a != SEDGE_R(0.0)) {
                    const sedge_pack memory = *(const SEDGE_GLOBAL sedge_pack *)(before + w);
                    SEDGE_EACH (k, SEDGE_PACK) now.v[k] += carry(rk, then.v[k], memory.v[k]);
                }
                SEDGE_EACH (k, SEDGE_PACK) then.v[k] += rk.b * now.v[k];
                if (rk.keep != 0) *(SEDGE_GLOBAL sedge_pack *)(residual + w) = now;
                *(SEDGE_GLOBAL sedge_pack *)(next + w) = then;
            }
        }
#else
        SEDGE_EACH (k, SEDGE_RUN) {
            const int w = (4 * i + t) * SEDGE_RUN + k;
            if (w < most) {
                sedge_real now = change[i * SEDGE_RUN + k];
                if (rk.a != SEDGE_R(0.0)) now += carry(rk, own[w], before[w]);
                if (rk.keep != 0) residual[w] = now;
                next[w] = own[w] + rk.b * now;
            }
        }
#endif
    }
}

// ---- kernel ------------------------------------------------------------------------------------

// Zeros behind what an element has, as far as the last step reads: from `used` to `read` words.
SEDGE_FUNCTION void clear_rest(SEDGE_BLOCKWIDE sedge_real *words, int stride, int used, int read)
{
    for (int k = SEDGE_THREAD; k < SEDGE_BLOCK * (read - used); k += SEDGE_THREADS)
        words[k / (read - used) * stride + used + k % (read - used)] = SEDGE_R(0.0);
}

#define SEDGE_FIND_OWN(value, e) (u[0].f + (value) * (SEDGE_NODES_PADDED * SEDGE_FIELDS))

SEDGE_KERNEL_RESIDENT(sedge_stage, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_STAGE_LIST)
{
    SEDGE_SUBSTEP;

    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        const int lane = SEDGE_THREAD % 32;
        const int t = lane % 4;
        SEDGE_SCRATCH(sedge_real, scratch, SEDGE_SCRATCH_WORDS);
        SEDGE_BLOCKWIDE sedge_geometry *const s_x = (SEDGE_BLOCKWIDE sedge_geometry *)scratch;
        SEDGE_BLOCKWIDE sedge_real *const s_u = scratch + SEDGE_BLOCK * SEDGE_GEOMETRY_WORDS;
        SEDGE_BLOCKWIDE sedge_real *const s_f = s_u + SEDGE_BLOCK * SEDGE_STRIDE;

        copy_geometry(s_x, geometry, start, left);
        copy_jacobians(s_x, find_jacobians(geometry, slots), start, left);
        copy_in(s_u, u, start, left);
        clear_rest(s_u, SEDGE_STRIDE, SEDGE_WORDS, SEDGE_NODE_STEPS * 8 * SEDGE_FIELDS);
        clear_rest(s_f, SEDGE_FACE_STRIDE, SEDGE_FACE_WORDS, SEDGE_FACE_STEPS * 8 * SEDGE_FIELDS);
        SEDGE_BLOCK_TRACES(other)
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
        SEDGE_BLOCK_JUMPS(other)
        SEDGE_BARRIER();
        SEDGE_ITEMS (v, SEDGE_BLOCK, n, SEDGE_NODES, SEDGE_THREADS) {
            SEDGE_BLOCKWIDE sedge_real *const at = s_u + v * SEDGE_STRIDE + n * SEDGE_FIELDS;
            if (v < left) make_covariant(at, at, s_x[v].metric);
        }
        SEDGE_BARRIER();
        // Each warp takes the same number of pieces; what is beyond the last is done and dropped.
        for (int piece = SEDGE_THREAD / 32; piece / SEDGE_WARPS * SEDGE_WARPS < SEDGE_PIECES;
             piece += SEDGE_WARPS) {
            const int tile = piece < SEDGE_PIECES ? piece / SEDGE_PARTS : 0;
            const int e = piece % SEDGE_PARTS * SEDGE_WARP_VALUES + lane / 4;
            const int tile_words = tile * 8 * SEDGE_FIELDS;
            sedge_real d[SEDGE_GROUPS][SEDGE_SUMS][SEDGE_PAIRS][4];
            sedge_real sum[SEDGE_GROUPS][SEDGE_PAIRS][4];

            differentiate_rows(d, s_u + e * SEDGE_STRIDE,
                               (const SEDGE_GLOBAL sedge_pack *)deriv +
                                   tile * SEDGE_NODE_STEPS * 3 * 32 + lane,
                               t);
            SEDGE_EACH (h, SEDGE_GROUPS) {
                const int here = e + 8 * h;
                const sedge_int64 value = here < left ? start + here : start;
                find_flows(sum[h], d[h], value, s_x + here, material, materials);
            }
            lift_rows(sum, s_f + e * SEDGE_FACE_STRIDE,
                      (const SEDGE_GLOBAL sedge_pack *)lift + tile * SEDGE_FACE_STEPS * 32 + lane,
                      s_x + e, t);
            SEDGE_EACH (h, SEDGE_GROUPS) {
                const int here = e + 8 * h;
                const sedge_int64 word = (start + here) * SEDGE_NODES_PADDED * SEDGE_FIELDS;
#ifdef SEDGE_EACH_TERM
                if (piece < SEDGE_PIECES && here < left)
                    take_lane_terms(sum[h], SEDGE_FIND_OWN(start + here, here) + tile_words,
                                    start + here, tile, t, material, materials, rk,
                                    clock[0] + delay SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#endif
                if (piece < SEDGE_PIECES && here < left)
                    step_lane(next[0].f + word + tile_words, residual[0].f + word + tile_words,
                              SEDGE_FIND_OWN(start + here, here) + tile_words, sum[h],
                              SEDGE_WORDS - tile_words, t, rk);
            }
        }
    }
}
#endif
