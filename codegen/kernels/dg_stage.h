// One Runge-Kutta stage of u_t = -div F(u) + S(u) on affine tetrahedra of order N.
//
//   rhs = -sum_d dF_d/dx_d - LIFT Fscale (n.F* - n.F) + S
//   residual = a residual + dt rhs,   next = u + b residual
//
// Slots: the rank's elements, interior ones first, each of the two ranges filled up to a multiple
// of SEDGE_LANES. A "value" below is SEDGE_LANES neighbouring slots.
//
//   u, next, residual, rhs  [values][nodes][fields] of sedge_value
//   trace    [trace slots][face nodes] of sedge_point: halo faces, then boundary faces, as the
//            neighbour orders its nodes (halo) or as the own face does (boundary)
//   links    [slots][4]: neighbour slot, or -1 - trace slot; neighbour's face * 6 + orientation
//   metric   [values][9] d r_j / d x_d;  faces [values][4] of normal and scale
//   deriv    [nodes][SEDGE_TILES] of D_r, D_s, D_t at the tile's nodes;  lift [4 face nodes][tiles]
//   tables   own volume node [4 face nodes], then neighbour's volume node [24][face nodes], then
//            neighbour's face node [24][face nodes]
//
// A block works on SEDGE_BLOCK values, a work item on SEDGE_TN nodes (a tile) of one value.
// Neighbouring items have neighbouring elements and the same nodes: an operator's entry is one
// number for all of them, a field's value lies in neighbouring words of the block's memory, and
// each is used for several products before the next is loaded. "fused" does the stage in one
// kernel; "split" writes rhs of the volume first. Both read u and write next, so that neighbours
// never see a half-updated state. With SEDGE_OVERLAY volume and surface share the block's memory,
// one after the other; own values then are read again from u.
#pragma once

#define SEDGE_FACE_POINTS (4 * SEDGE_FACE_NODES)
#define SEDGE_TILES       ((SEDGE_NODES + SEDGE_TN - 1) / SEDGE_TN)
#define SEDGE_WORDS       (SEDGE_NODES * SEDGE_FIELDS)
// An odd stride: neighbouring rows start in different banks.
#define SEDGE_STRIDE (SEDGE_BLOCK | 1)

typedef struct SEDGE_ALIGN(SEDGE_STATE_ALIGN) sedge_state {
    sedge_value f[SEDGE_FIELDS];
} sedge_state;

typedef struct SEDGE_ALIGN(SEDGE_STATE_ALIGN) sedge_point {
    sedge_real f[SEDGE_FIELDS];
} sedge_point;

typedef struct SEDGE_ALIGN(16) sedge_face_geometry {
    sedge_value n[3];
    sedge_value scale;
} sedge_face_geometry;

typedef struct SEDGE_ALIGN(8) sedge_link {
    int neighbour;
    int code;
} sedge_link;

// Operators of one tile, for vector loads.
typedef struct SEDGE_ALIGN(16) sedge_deriv {
    sedge_real w[SEDGE_DERIV_WIDTH]; // [node of the tile][r, s, t], padded
} sedge_deriv;

typedef struct SEDGE_ALIGN(16) sedge_lift {
    sedge_real w[SEDGE_LIFT_WIDTH]; // [node of the tile], padded
} sedge_lift;

#define SEDGE_STAGE_LIST(X)                             \
    X(const sedge_state *SEDGE_RESTRICT, u)             \
    X(sedge_state *SEDGE_RESTRICT, next)                \
    X(sedge_state *SEDGE_RESTRICT, residual)            \
    X(sedge_state *SEDGE_RESTRICT, rhs)                 \
    X(const sedge_point *SEDGE_RESTRICT, trace)         \
    X(const sedge_link *SEDGE_RESTRICT, links)          \
    X(const sedge_value *SEDGE_RESTRICT, metric)        \
    X(const sedge_face_geometry *SEDGE_RESTRICT, faces) \
    X(const int *SEDGE_RESTRICT, material)              \
    X(const sedge_real *SEDGE_RESTRICT, materials)      \
    X(const sedge_deriv *SEDGE_RESTRICT, deriv)         \
    X(const sedge_lift *SEDGE_RESTRICT, lift)           \
    X(const short *SEDGE_RESTRICT, tables)              \
    X(long long, first)                                 \
    X(long long, count)                                 \
    X(long long, slots)                                 \
    X(sedge_real, rk_a)                                 \
    X(sedge_real, rk_b)                                 \
    X(sedge_real, dt)

// The material values of one value of slots. One material: literals, nothing is read.
SEDGE_FUNCTION void get_material(sedge_value *m, const int *SEDGE_RESTRICT material,
                                 const sedge_real *SEDGE_RESTRICT materials, long long value)
{
#if SEDGE_MATERIALS == 1
    const double list[SEDGE_MATERIAL_VALUES + 1] = {SEDGE_MATERIAL_LIST 0.0};
    SEDGE_EACH (k, SEDGE_MATERIAL_VALUES) m[k] = SEDGE_SPLAT(list[k]);
    (void)material, (void)materials, (void)value;
#else
    SEDGE_LANES_LOOP (l) {
        const int id = material[value * SEDGE_LANES + l];
        SEDGE_EACH (k, SEDGE_MATERIAL_VALUES)
            SEDGE_LANE(m[k], l) = materials[id * SEDGE_MATERIAL_VALUES + k];
    }
#endif
}

// Word w of value e in the block's memory; w = node * SEDGE_FIELDS + field, or of a face point.
#define SEDGE_AT(e, w) ((w)*SEDGE_STRIDE + (e))

// The values [start, start + left) of u into the block's memory.
SEDGE_FUNCTION void load_states(sedge_value *SEDGE_RESTRICT s_u,
                                const sedge_state *SEDGE_RESTRICT u, long long start,
                                long long left)
{
    const sedge_value *const words = u[start * SEDGE_NODES].f;

    SEDGE_ITEMS (e, SEDGE_BLOCK, w, SEDGE_WORDS, SEDGE_THREADS) {
        if (e < left) s_u[SEDGE_AT(e, w)] = words[e * SEDGE_WORDS + w];
    }
}

// The neighbour's trace v, and its material, at point i of face `face` of one value of slots.
SEDGE_FUNCTION void get_neighbour(sedge_value *v, sedge_value *mv, long long value, int face, int i,
                                  const sedge_state *SEDGE_RESTRICT u,
                                  const sedge_point *SEDGE_RESTRICT trace,
                                  const sedge_link *SEDGE_RESTRICT links,
                                  const int *SEDGE_RESTRICT material,
                                  const sedge_real *SEDGE_RESTRICT materials,
                                  const short *SEDGE_RESTRICT tables, long long slots)
{
    SEDGE_LANES_LOOP (l) {
        const sedge_link link = links[(value * SEDGE_LANES + l) * 4 + face];
        const short *const map = tables + SEDGE_FACE_POINTS + link.code * SEDGE_FACE_NODES + i;

        if (link.neighbour >= 0) {
            const long long other = link.neighbour / SEDGE_LANES;
            const int lane = link.neighbour % SEDGE_LANES;
            const sedge_state *const p = u + other * SEDGE_NODES + *map;
            SEDGE_EACH (f, SEDGE_FIELDS) SEDGE_LANE(v[f], l) = SEDGE_LANE(p->f[f], lane);
            (void)lane;
        } else {
            const sedge_point *const p = trace +
                                         (long long)(-1 - link.neighbour) * SEDGE_FACE_NODES +
                                         map[24 * SEDGE_FACE_NODES];
            SEDGE_EACH (f, SEDGE_FIELDS) SEDGE_LANE(v[f], l) = p->f[f];
        }
#if SEDGE_MATERIALS > 1
        const long long at = link.neighbour >= 0 ? link.neighbour : slots - 1 - link.neighbour;
        const int id = material[at];
        SEDGE_EACH (k, SEDGE_MATERIAL_VALUES)
            SEDGE_LANE(mv[k], l) = materials[id * SEDGE_MATERIAL_VALUES + k];
#endif
    }
#if SEDGE_MATERIALS == 1
    get_material(mv, material, materials, 0);
    (void)slots;
#endif
}

// s_f = Fscale (n.F* - n.F) at all face points of the block. Own traces come from s_u, or from u
// where s_u is null.
SEDGE_FUNCTION void
find_jumps(sedge_value *SEDGE_RESTRICT s_f, const sedge_value *SEDGE_RESTRICT s_u, long long start,
           long long left, const sedge_state *SEDGE_RESTRICT u,
           const sedge_point *SEDGE_RESTRICT trace, const sedge_link *SEDGE_RESTRICT links,
           const sedge_face_geometry *SEDGE_RESTRICT faces, const int *SEDGE_RESTRICT material,
           const sedge_real *SEDGE_RESTRICT materials, const short *SEDGE_RESTRICT tables,
           long long slots)
{
    SEDGE_ITEMS (e, SEDGE_BLOCK, k, SEDGE_FACE_POINTS, SEDGE_THREADS) {
        if (e < left) {
            const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
            const int face = k / SEDGE_FACE_NODES;
            const int node = tables[k];
            const sedge_face_geometry geometry = faces[(start + e) * 4 + face];
            sedge_value own[SEDGE_FIELDS];
            sedge_value other[SEDGE_FIELDS];
            sedge_value jump[SEDGE_FIELDS];
            sedge_value m[SEDGE_MATERIAL_VALUES + 1];
            sedge_value mv[SEDGE_MATERIAL_VALUES + 1];

            get_material(m, material, materials, start + e);
            get_neighbour(other, mv, start + e, face, k % SEDGE_FACE_NODES, u, trace, links,
                          material, materials, tables, slots);
            SEDGE_EACH (f, SEDGE_FIELDS)
                own[f] = s_u ? s_u[SEDGE_AT(e, node * SEDGE_FIELDS + f)]
                             : u[(start + e) * SEDGE_NODES + node].f[f];
            SEDGE_SURFACE(own, other, m, mv, geometry.n, constants, jump);
            SEDGE_EACH (f, SEDGE_FIELDS)
                s_f[SEDGE_AT(e, k * SEDGE_FIELDS + f)] = geometry.scale * jump[f];
        }
    }
}

#if SEDGE_LINEAR
// sum = -div F at the tile's nodes. F is linear and constant in an element, so the derivative comes
// first, and fields can be taken SEDGE_FIELD_BLOCK at a time: div F(u) = sum_d F_d(du/dx_d).
SEDGE_FUNCTION void find_divergence(sedge_value *SEDGE_RESTRICT sum,
                                    const sedge_value *SEDGE_RESTRICT s_u, int e, int tile,
                                    long long value, const sedge_value *SEDGE_RESTRICT metric,
                                    const int *SEDGE_RESTRICT material,
                                    const sedge_real *SEDGE_RESTRICT materials,
                                    const sedge_deriv *SEDGE_RESTRICT deriv)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    const sedge_value *const g = metric + value * 9;
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];

    get_material(m, material, materials, value);
    SEDGE_EACH (w, SEDGE_TN * SEDGE_FIELDS) sum[w] = SEDGE_SPLAT(0.0);
    SEDGE_EACH (part, SEDGE_FIELDS / SEDGE_FIELD_BLOCK) {
        sedge_value d[SEDGE_TN][3][SEDGE_FIELD_BLOCK];

        SEDGE_EACH (i, SEDGE_TN)
            SEDGE_EACH (j, 3)
                SEDGE_EACH (f, SEDGE_FIELD_BLOCK) d[i][j][f] = SEDGE_SPLAT(0.0);
        for (int n = 0; n < SEDGE_NODES; n++) {
            const sedge_deriv *const op = &deriv[n * SEDGE_TILES + tile];
            SEDGE_LOCAL_COPY(sedge_deriv, w, op);
            sedge_value q[SEDGE_FIELD_BLOCK];

            SEDGE_EACH (f, SEDGE_FIELD_BLOCK)
                q[f] = s_u[SEDGE_AT(e, n * SEDGE_FIELDS + part * SEDGE_FIELD_BLOCK + f)];
            SEDGE_EACH (i, SEDGE_TN)
                SEDGE_EACH (j, 3)
                    SEDGE_EACH (f, SEDGE_FIELD_BLOCK) d[i][j][f] += w->w[3 * i + j] * q[f];
        }
        SEDGE_EACH (i, SEDGE_TN)
            SEDGE_EACH (x, 3) {
                sedge_value slope[SEDGE_FIELDS];
                sedge_value flux[3][SEDGE_FIELDS];

                SEDGE_EACH (f, SEDGE_FIELDS) slope[f] = SEDGE_SPLAT(0.0);
                SEDGE_EACH (f, SEDGE_FIELD_BLOCK)
                    slope[part * SEDGE_FIELD_BLOCK + f] =
                        g[x] * d[i][0][f] + g[3 + x] * d[i][1][f] + g[6 + x] * d[i][2][f];
                SEDGE_FLUX(slope, m, constants, flux[0], flux[1], flux[2]);
                SEDGE_EACH (f, SEDGE_FIELDS)
                    sum[i * SEDGE_FIELDS + f] = sum[i * SEDGE_FIELDS + f] - flux[x][f];
            }
    }
}
#else
// s_u: the states become contravariant fluxes, r, s, t after each other, each as s_u was.
SEDGE_FUNCTION void find_fluxes(sedge_value *SEDGE_RESTRICT s_g,
                                const sedge_value *SEDGE_RESTRICT s_u, long long start,
                                long long left, const sedge_value *SEDGE_RESTRICT metric,
                                const int *SEDGE_RESTRICT material,
                                const sedge_real *SEDGE_RESTRICT materials)
{
    SEDGE_ITEMS (e, SEDGE_BLOCK, n, SEDGE_NODES, SEDGE_THREADS) {
        if (e < left) {
            const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
            const sedge_value *const g = metric + (start + e) * 9;
            sedge_value m[SEDGE_MATERIAL_VALUES + 1];
            sedge_value own[SEDGE_FIELDS];
            sedge_value flux[3][SEDGE_FIELDS];

            get_material(m, material, materials, start + e);
            SEDGE_EACH (f, SEDGE_FIELDS) own[f] = s_u[SEDGE_AT(e, n * SEDGE_FIELDS + f)];
            SEDGE_FLUX(own, m, constants, flux[0], flux[1], flux[2]);
            SEDGE_EACH (j, 3)
                SEDGE_EACH (f, SEDGE_FIELDS)
                    s_g[SEDGE_AT(e, (j * SEDGE_NODES + n) * SEDGE_FIELDS + f)] =
                        g[3 * j] * flux[0][f] + g[3 * j + 1] * flux[1][f] +
                        g[3 * j + 2] * flux[2][f];
        }
    }
}

// sum = -div F at the tile's nodes, F any function of u, from the fluxes s_g of find_fluxes.
SEDGE_FUNCTION void differentiate(sedge_value *SEDGE_RESTRICT sum,
                                  const sedge_value *SEDGE_RESTRICT s_g, int e, int tile,
                                  const sedge_deriv *SEDGE_RESTRICT deriv)
{
    SEDGE_EACH (w, SEDGE_TN * SEDGE_FIELDS) sum[w] = SEDGE_SPLAT(0.0);
    for (int n = 0; n < SEDGE_NODES; n++) {
        const sedge_deriv *const op = &deriv[n * SEDGE_TILES + tile];
        SEDGE_EACH (j, 3)
            SEDGE_EACH (f, SEDGE_FIELDS) {
                const sedge_value q = s_g[SEDGE_AT(e, (j * SEDGE_NODES + n) * SEDGE_FIELDS + f)];
                SEDGE_EACH (i, SEDGE_TN) sum[i * SEDGE_FIELDS + f] -= op->w[3 * i + j] * q;
            }
    }
}
#endif

// sum -= LIFT s_f at the tile's nodes.
SEDGE_FUNCTION void subtract_lift(sedge_value *SEDGE_RESTRICT sum,
                                  const sedge_value *SEDGE_RESTRICT s_f, int e, int tile,
                                  const sedge_lift *SEDGE_RESTRICT lift)
{
    SEDGE_EACH (part, SEDGE_FIELDS / SEDGE_LIFT_BLOCK) {
        sedge_value a[SEDGE_TN][SEDGE_LIFT_BLOCK];

        SEDGE_EACH (i, SEDGE_TN)
            SEDGE_EACH (f, SEDGE_LIFT_BLOCK) a[i][f] = SEDGE_SPLAT(0.0);
        for (int k = 0; k < SEDGE_FACE_POINTS; k++) {
            const sedge_lift *const op = &lift[k * SEDGE_TILES + tile];
            SEDGE_LOCAL_COPY(sedge_lift, w, op);
            sedge_value q[SEDGE_LIFT_BLOCK];

            SEDGE_EACH (f, SEDGE_LIFT_BLOCK)
                q[f] = s_f[SEDGE_AT(e, k * SEDGE_FIELDS + part * SEDGE_LIFT_BLOCK + f)];
            SEDGE_EACH (i, SEDGE_TN)
                SEDGE_EACH (f, SEDGE_LIFT_BLOCK) a[i][f] += w->w[i] * q[f];
        }
        SEDGE_EACH (i, SEDGE_TN)
            SEDGE_EACH (f, SEDGE_LIFT_BLOCK)
                sum[i * SEDGE_FIELDS + part * SEDGE_LIFT_BLOCK + f] -= a[i][f];
    }
}

// sum += S(u) at the tile's nodes.
SEDGE_FUNCTION void add_source(sedge_value *SEDGE_RESTRICT sum, int tile, long long value,
                               const sedge_state *SEDGE_RESTRICT u,
                               const int *SEDGE_RESTRICT material,
                               const sedge_real *SEDGE_RESTRICT materials)
{
#if SEDGE_HAS_SOURCE
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];

    get_material(m, material, materials, value);
    SEDGE_EACH (i, SEDGE_TN) {
        if (tile * SEDGE_TN + i < SEDGE_NODES) {
            const sedge_state own = u[value * SEDGE_NODES + tile * SEDGE_TN + i];
            SEDGE_SOURCE(own.f, m, constants, sum + i * SEDGE_FIELDS);
        }
    }
#else
    (void)sum, (void)tile, (void)value, (void)u, (void)material, (void)materials;
#endif
}

// The tile's sums into the block's memory, so that what follows goes by words, not by elements.
SEDGE_FUNCTION void store_sums(sedge_value *SEDGE_RESTRICT s_r,
                               const sedge_value *SEDGE_RESTRICT sum, int e, int tile)
{
    SEDGE_EACH (i, SEDGE_TN) {
        const int n = tile * SEDGE_TN + i;
        if (n < SEDGE_NODES)
            SEDGE_EACH (f, SEDGE_FIELDS)
                s_r[SEDGE_AT(e, n * SEDGE_FIELDS + f)] = sum[i * SEDGE_FIELDS + f];
    }
}

// Runge-Kutta update of the block's values. In the first stage a = 0 and the residual is not read:
// it may hold anything. `more` (may be null) is added to the rhs.
SEDGE_FUNCTION void update(const sedge_value *SEDGE_RESTRICT s_r, long long start, long long left,
                           const sedge_value *SEDGE_RESTRICT s_u,
                           const sedge_state *SEDGE_RESTRICT u, sedge_state *SEDGE_RESTRICT next,
                           sedge_state *SEDGE_RESTRICT residual,
                           const sedge_state *SEDGE_RESTRICT more, sedge_real rk_a, sedge_real rk_b,
                           sedge_real dt)
{
    const long long at = start * SEDGE_NODES;
    const sedge_value *const old = u[at].f;
    sedge_value *const result = next[at].f;
    sedge_value *const memory = residual[at].f;

    SEDGE_ITEMS (e, SEDGE_BLOCK, w, SEDGE_WORDS, SEDGE_THREADS) {
        if (e < left) {
            const int k = e * SEDGE_WORDS + w;
            sedge_value rhs = s_r[SEDGE_AT(e, w)];

            if (more) rhs = rhs + more[at].f[k];
            sedge_value change = dt * rhs;
            if (rk_a != SEDGE_R(0.0)) change = change + rk_a * memory[k];
            memory[k] = change;
            result[k] = (s_u ? s_u[SEDGE_AT(e, w)] : old[k]) + rk_b * change;
        }
    }
}

#if SEDGE_LINEAR
#define SEDGE_VOLUME_WORDS SEDGE_WORDS
#else
#define SEDGE_VOLUME_WORDS (4 * SEDGE_WORDS)
#endif
#define SEDGE_SURFACE_WORDS (SEDGE_FACE_POINTS * SEDGE_FIELDS)

#if SEDGE_FUSED
SEDGE_KERNEL(sedge_stage, SEDGE_THREADS, SEDGE_STAGE_LIST)
{
    SEDGE_OUTER (b) {
        const long long start = first + b * SEDGE_BLOCK;
        const long long left = count - b * SEDGE_BLOCK;
        SEDGE_SCRATCH(sedge_value, scratch, SEDGE_SCRATCH_WORDS);
        sedge_value *const s_u = scratch;
        sedge_value *const s_f =
            SEDGE_OVERLAY ? scratch : scratch + SEDGE_STRIDE * SEDGE_VOLUME_WORDS;
        const sedge_value *const kept = SEDGE_OVERLAY ? 0 : s_u;
        SEDGE_PRIVATE(sedge_value, sum, SEDGE_TILES * SEDGE_BLOCK, SEDGE_TN * SEDGE_FIELDS);

        load_states(s_u, u, start, left);
        SEDGE_BARRIER();
#if !SEDGE_OVERLAY
        find_jumps(s_f, kept, start, left, u, trace, links, faces, material, materials, tables,
                   slots);
#endif
#if SEDGE_LINEAR
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS)
            find_divergence(SEDGE_MINE(sum, tile * SEDGE_BLOCK + e), s_u, e, tile,
                            start + (e < left ? e : 0), metric, material, materials, deriv);
#else
        find_fluxes(s_u + SEDGE_STRIDE * SEDGE_WORDS, s_u, start, left, metric, material,
                    materials);
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS)
            differentiate(SEDGE_MINE(sum, tile * SEDGE_BLOCK + e), s_u + SEDGE_STRIDE * SEDGE_WORDS,
                          e, tile, deriv);
#endif
        SEDGE_BARRIER();
#if SEDGE_OVERLAY
        find_jumps(s_f, kept, start, left, u, trace, links, faces, material, materials, tables,
                   slots);
        SEDGE_BARRIER();
#endif
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            subtract_lift(SEDGE_MINE(sum, tile * SEDGE_BLOCK + e), s_f, e, tile, lift);
            if (e < left)
                add_source(SEDGE_MINE(sum, tile * SEDGE_BLOCK + e), tile, start + e, u, material,
                           materials);
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS)
            store_sums(s_f, SEDGE_MINE(sum, tile * SEDGE_BLOCK + e), e, tile);
        SEDGE_BARRIER();
        update(s_f, start, left, kept, u, next, residual, 0, rk_a, rk_b, dt);
    }
    (void)rhs;
}
#else
SEDGE_KERNEL(sedge_volume, SEDGE_THREADS, SEDGE_STAGE_LIST)
{
    SEDGE_OUTER (b) {
        const long long start = first + b * SEDGE_BLOCK;
        const long long left = count - b * SEDGE_BLOCK;
        SEDGE_SCRATCH(sedge_value, s_u, SEDGE_SCRATCH_WORDS);
        SEDGE_PRIVATE(sedge_value, sum, SEDGE_TILES * SEDGE_BLOCK, SEDGE_TN * SEDGE_FIELDS);
        sedge_value *const out = rhs[start * SEDGE_NODES].f;

        load_states(s_u, u, start, left);
        SEDGE_BARRIER();
#if SEDGE_LINEAR
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS)
            find_divergence(SEDGE_MINE(sum, tile * SEDGE_BLOCK + e), s_u, e, tile,
                            start + (e < left ? e : 0), metric, material, materials, deriv);
#else
        find_fluxes(s_u + SEDGE_STRIDE * SEDGE_WORDS, s_u, start, left, metric, material,
                    materials);
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS)
            differentiate(SEDGE_MINE(sum, tile * SEDGE_BLOCK + e), s_u + SEDGE_STRIDE * SEDGE_WORDS,
                          e, tile, deriv);
#endif
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS)
            store_sums(s_u, SEDGE_MINE(sum, tile * SEDGE_BLOCK + e), e, tile);
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_BLOCK, w, SEDGE_WORDS, SEDGE_THREADS) {
            if (e < left) out[e * SEDGE_WORDS + w] = s_u[SEDGE_AT(e, w)];
        }
    }
    (void)next, (void)residual, (void)trace, (void)links, (void)faces, (void)lift, (void)tables;
    (void)slots, (void)rk_a, (void)rk_b, (void)dt;
}

SEDGE_KERNEL(sedge_surface, SEDGE_THREADS, SEDGE_STAGE_LIST)
{
    SEDGE_OUTER (b) {
        const long long start = first + b * SEDGE_BLOCK;
        const long long left = count - b * SEDGE_BLOCK;
        SEDGE_SCRATCH(sedge_value, s_f, SEDGE_SCRATCH_WORDS);
        SEDGE_PRIVATE(sedge_value, sum, SEDGE_TILES * SEDGE_BLOCK, SEDGE_TN * SEDGE_FIELDS);

        find_jumps(s_f, 0, start, left, u, trace, links, faces, material, materials, tables, slots);
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            sedge_value *const mine = SEDGE_MINE(sum, tile * SEDGE_BLOCK + e);
            SEDGE_EACH (w, SEDGE_TN * SEDGE_FIELDS) mine[w] = SEDGE_SPLAT(0.0);
            subtract_lift(mine, s_f, e, tile, lift);
            if (e < left) add_source(mine, tile, start + e, u, material, materials);
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS)
            store_sums(s_f, SEDGE_MINE(sum, tile * SEDGE_BLOCK + e), e, tile);
        SEDGE_BARRIER();
        update(s_f, start, left, 0, u, next, residual, rhs, rk_a, rk_b, dt);
    }
    (void)metric, (void)deriv;
}
#endif
