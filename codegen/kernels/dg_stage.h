// One Runge-Kutta stage of u_t = -div F(u) + S(u) on affine tetrahedra of order N.
//
//   rhs = -sum_d dF_d/dx_d - LIFT Fscale (n.F* - n.F) + S
//   residual = a residual + dt rhs,   next = u + b residual
//
// Slots: the rank's elements, interior ones first, each of the two ranges filled up to a multiple
// of SEDGE_LANES. A "value" below is SEDGE_LANES neighbouring slots.
//
//   u, next, residual  [values][SEDGE_NODES_PADDED][fields] of sedge_value; padding is zero
//   trace    [trace slots][face nodes] of sedge_point: halo faces, then boundary faces, as the
//            neighbour orders its nodes (halo) or as the own face does (boundary)
//   links    [slots][4]: neighbour slot, or -1 - trace slot; neighbour's face * 6 + orientation
//   geometry [values] of sedge_geometry
//   deriv    [node groups][SEDGE_TILES] of D_r, D_s, D_t;  lift [face point groups][lift tiles]
//   tables   own volume node [4 face nodes], then neighbour's volume node [24][face nodes], then
//            neighbour's face node [24][face nodes]
//
// A block works on SEDGE_BLOCK values, a work item on some nodes (a tile) of one value: SEDGE_TN in
// the volume, SEDGE_LIFT_TN, which needs fewer registers each, in the lift. Neighbouring items have
// neighbouring elements and the same nodes: an operator's entry is one number for all of them, and
// is used with all fields. The block's memory holds element after element; items read it by packs
// of 16 bytes, and strides of an odd number of packs keep neighbours in different banks. On a GPU
// states, residuals and geometry are copied in asynchronously while the neighbours' traces, the
// slowest to come, travel into registers. "fused" does the stage in one kernel; "split" leaves
// a residual + dt (volume + source) in the residual first and does the surface in a second one.
// "three" is the classical form, for comparison: volume and surface make the right-hand side in
// `next`, which the host hands to both as the residual, with a = 0 and dt = 1; a third kernel makes
// residual and next of it. All read u and write next, so that neighbours never see a half-updated
// state.
#pragma once

#define SEDGE_FACE_POINTS (4 * SEDGE_FACE_NODES)
#define SEDGE_TILES       ((SEDGE_NODES + SEDGE_TN - 1) / SEDGE_TN)
#define SEDGE_LIFT_TILES  ((SEDGE_NODES + SEDGE_LIFT_TN - 1) / SEDGE_LIFT_TN)
#define SEDGE_WORDS       (SEDGE_NODES_PADDED * SEDGE_FIELDS)
// Jumps of an element; tangential ones (dg_curl.h) are two numbers a vector, and those of a face
// are filled up to SEDGE_FACE_ROWS points.
#if SEDGE_TANGENTIAL
#define SEDGE_JUMP_FIELDS (SEDGE_FIELDS / 3 * 2)
#define SEDGE_FACE_WORDS  (4 * SEDGE_FACE_ROWS * SEDGE_JUMP_FIELDS)
#else
#define SEDGE_FACE_WORDS (SEDGE_FACE_POINTS * SEDGE_FIELDS)
#endif
// Face points an item takes on a GPU; what it keeps of each is in registers.
#define SEDGE_ROUNDS ((SEDGE_BLOCK * SEDGE_FACE_POINTS + SEDGE_THREADS - 1) / SEDGE_THREADS)
// Words to the next element in the block's memory: an odd number of packs. dg_tensor.h has others.
#if !SEDGE_TENSOR
#define SEDGE_STRIDE      ((SEDGE_WORDS / SEDGE_PACK | 1) * SEDGE_PACK)
#define SEDGE_FACE_STRIDE ((SEDGE_FACE_WORDS / SEDGE_PACK | 1) * SEDGE_PACK)
#endif

typedef struct SEDGE_ALIGN(SEDGE_STATE_ALIGN) sedge_state {
    sedge_value f[SEDGE_FIELDS];
} sedge_state;

typedef struct SEDGE_ALIGN(SEDGE_STATE_ALIGN) sedge_point {
    sedge_real f[SEDGE_FIELDS];
} sedge_point;

typedef struct SEDGE_ALIGN(16) sedge_face_geometry {
    sedge_value n[3]; // outward unit normal
    sedge_value scale;
} sedge_face_geometry;

// In fp32 an odd number of packs, as all that neighbouring items read.
typedef struct SEDGE_ALIGN(16) sedge_geometry {
    sedge_face_geometry face[4];
    sedge_value metric[12]; // d r_j / d x_d at 3 j + d; the rest is padding
} sedge_geometry;
#define SEDGE_GEOMETRY_WORDS 28

typedef struct SEDGE_ALIGN(8) sedge_link {
    int neighbour;
    int code;
} sedge_link;

// 16 bytes of neighbouring words on a GPU, one word on the host.
typedef struct SEDGE_ALIGN(16) sedge_pack {
    sedge_value v[SEDGE_PACK];
} sedge_pack;

// Operators of one tile and SEDGE_GROUP nodes or face points, for vector loads.
typedef struct SEDGE_ALIGN(16) sedge_deriv {
    sedge_real w[SEDGE_DERIV_WIDTH]; // [point of the group][node of the tile][r, s, t], padded
} sedge_deriv;

typedef struct SEDGE_ALIGN(16) sedge_lift {
    sedge_real w[SEDGE_LIFT_WIDTH]; // [point of the group][node of the tile], padded
} sedge_lift;

#define SEDGE_STAGE_LIST(X)                                        \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)           \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, next)              \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, residual)          \
    X(const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT, trace)       \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, links)        \
    X(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)    \
    X(const SEDGE_GLOBAL sedge_deriv *SEDGE_RESTRICT, deriv)       \
    X(const SEDGE_GLOBAL sedge_lift *SEDGE_RESTRICT, lift)         \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)            \
    X(sedge_int64, first)                                          \
    X(sedge_int64, count)                                          \
    X(sedge_int64, slots)                                          \
    X(sedge_real, rk_a)                                            \
    X(sedge_real, rk_b)                                            \
    X(sedge_real, dt)

// The material values of one value of slots. One material: literals, nothing is read.
SEDGE_FUNCTION void get_material(sedge_value *m, const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                 const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                 sedge_int64 value)
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

// ---- traces ------------------------------------------------------------------------------------

// Where the neighbour's trace at point i of a face is.
SEDGE_FUNCTION const SEDGE_GLOBAL sedge_real *
find_neighbour(const sedge_link link, int i, const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
               const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace,
               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    const SEDGE_GLOBAL short *const map =
        tables + SEDGE_FACE_POINTS + link.code * SEDGE_FACE_NODES + i;

    if (link.neighbour < 0)
        return trace[(sedge_int64)(-1 - link.neighbour) * SEDGE_FACE_NODES +
                     map[24 * SEDGE_FACE_NODES]]
            .f;
    const sedge_int64 value = link.neighbour / SEDGE_LANES;
    const SEDGE_GLOBAL sedge_value *const words = u[value * SEDGE_NODES_PADDED + *map].f;
    return (const SEDGE_GLOBAL sedge_real *)words + link.neighbour % SEDGE_LANES;
}

// The neighbour's trace at face point k of one value, one lane after the other.
SEDGE_FUNCTION void get_trace_behind(sedge_value *v, sedge_int64 value, int k,
                                     const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                     const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace,
                                     const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                     const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_LANES_LOOP (l) {
        const sedge_link link = links[(value * SEDGE_LANES + l) * 4 + k / SEDGE_FACE_NODES];
        const SEDGE_GLOBAL sedge_real *const from =
            find_neighbour(link, k % SEDGE_FACE_NODES, u, trace, tables);
#if SEDGE_LANES == 1
        const sedge_point point = *(const SEDGE_GLOBAL sedge_point *)from;
        SEDGE_EACH (f, SEDGE_FIELDS) v[f] = point.f[f];
#else
        const int step = link.neighbour >= 0 ? SEDGE_LANES : 1;
        for (int f = 0; f < SEDGE_FIELDS; f++) SEDGE_LANE(v[f], l) = from[f * step];
#endif
    }
}

// The material values behind a face.
SEDGE_FUNCTION void get_neighbour_material(sedge_value *m, sedge_int64 value, int face,
                                           const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                           const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                           const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                           sedge_int64 slots)
{
#if SEDGE_MATERIALS == 1
    get_material(m, material, materials, value);
    (void)face, (void)links, (void)slots;
#else
    SEDGE_LANES_LOOP (l) {
        const int neighbour = links[(value * SEDGE_LANES + l) * 4 + face].neighbour;
        const int id = material[neighbour >= 0 ? neighbour : slots - 1 - neighbour];
        SEDGE_EACH (k, SEDGE_MATERIAL_VALUES)
            SEDGE_LANE(m[k], l) = materials[id * SEDGE_MATERIAL_VALUES + k];
    }
#endif
}

#if SEDGE_TANGENTIAL
SEDGE_FUNCTION void put_tangential(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT s_f,
                                   const sedge_value *jump, const SEDGE_BLOCKWIDE sedge_value *g,
                                   int k);
#endif

// Fscale (n.F* - n.F) at face point k of an element into s_f. other is the neighbour's trace,
// own_words are the element's states.
SEDGE_FUNCTION void find_jump(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT s_f,
                              const SEDGE_BLOCKWIDE sedge_value *own_words,
                              const sedge_value *other,
                              const SEDGE_BLOCKWIDE sedge_geometry *geometry, sedge_int64 value,
                              int k, const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                              const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                              const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                              const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, sedge_int64 slots)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    const int face = k / SEDGE_FACE_NODES;
    const sedge_state own =
        *(const SEDGE_BLOCKWIDE sedge_state *)(own_words + tables[k] * SEDGE_FIELDS);
    const sedge_face_geometry at = geometry->face[face];
    sedge_state jump;
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value mv[SEDGE_MATERIAL_VALUES + 1];

    get_material(m, material, materials, value);
    get_neighbour_material(mv, value, face, links, material, materials, slots);
    SEDGE_SURFACE(own.f, other, m, mv, at.n, constants, jump.f);
    SEDGE_EACH (f, SEDGE_FIELDS) jump.f[f] = at.scale * jump.f[f];
#if SEDGE_TANGENTIAL
    put_tangential(s_f, jump.f, geometry->metric, k);
#else
    *(SEDGE_BLOCKWIDE sedge_state *)(s_f + k * SEDGE_FIELDS) = jump;
#endif
}

#if SEDGE_TARGET_HOST
// The neighbours' traces at all points of a face of one value, v [face points][fields]. Lane after
// lane: what a lane takes comes from one neighbour, and is written long before it is read as a
// register (a load that follows stores of its parts waits for all of them).
SEDGE_FUNCTION void get_face_behind(sedge_value *v, sedge_int64 value, int face,
                                    const sedge_state *SEDGE_RESTRICT u,
                                    const sedge_point *SEDGE_RESTRICT trace,
                                    const sedge_link *SEDGE_RESTRICT links,
                                    const short *SEDGE_RESTRICT tables)
{
    SEDGE_LANES_LOOP (l) {
        const sedge_link link = links[(value * SEDGE_LANES + l) * 4 + face];
        const short *const map = tables + SEDGE_FACE_POINTS + link.code * SEDGE_FACE_NODES;
        sedge_real *const to = (sedge_real *)v + l;

        if (link.neighbour >= 0) {
            const sedge_int64 behind = link.neighbour / SEDGE_LANES;
            const sedge_real *const from =
                (const sedge_real *)u[behind * SEDGE_NODES_PADDED].f + link.neighbour % SEDGE_LANES;
            for (int i = 0; i < SEDGE_FACE_NODES; i++) {
                const sedge_real *const at = from + map[i] * (SEDGE_FIELDS * SEDGE_LANES);
                for (int f = 0; f < SEDGE_FIELDS; f++)
                    to[(i * SEDGE_FIELDS + f) * SEDGE_LANES] = at[f * SEDGE_LANES];
            }
        } else {
            const sedge_point *const from =
                trace + (sedge_int64)(-1 - link.neighbour) * SEDGE_FACE_NODES;
            for (int i = 0; i < SEDGE_FACE_NODES; i++) {
                const sedge_point *const at = from + map[24 * SEDGE_FACE_NODES + i];
                for (int f = 0; f < SEDGE_FIELDS; f++)
                    to[(i * SEDGE_FIELDS + f) * SEDGE_LANES] = at->f[f];
            }
        }
    }
}

// find_jump at all face points of one value, whose neighbours it finds.
SEDGE_FUNCTION void
find_jumps(sedge_value *SEDGE_RESTRICT s_f, const sedge_value *own_words,
           const sedge_geometry *geometry, sedge_int64 value, const sedge_state *SEDGE_RESTRICT u,
           const sedge_point *SEDGE_RESTRICT trace, const sedge_link *SEDGE_RESTRICT links,
           const int *SEDGE_RESTRICT material, const sedge_real *SEDGE_RESTRICT materials,
           const short *SEDGE_RESTRICT tables, sedge_int64 slots)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value mv[SEDGE_MATERIAL_VALUES + 1];

    get_material(m, material, materials, value);
    for (int face = 0; face < 4; face++) {
        const sedge_face_geometry at = geometry->face[face];
        sedge_value other[SEDGE_FACE_NODES * SEDGE_FIELDS];

        get_face_behind(other, value, face, u, trace, links, tables);
        get_neighbour_material(mv, value, face, links, material, materials, slots);
        for (int i = 0; i < SEDGE_FACE_NODES; i++) {
            const int k = face * SEDGE_FACE_NODES + i;
            const sedge_state own = *(const sedge_state *)(own_words + tables[k] * SEDGE_FIELDS);
            sedge_value jump[SEDGE_FIELDS];

            SEDGE_SURFACE(own.f, other + i * SEDGE_FIELDS, m, mv, at.n, constants, jump);
#if SEDGE_TANGENTIAL
            SEDGE_EACH (f, SEDGE_FIELDS) jump[f] = at.scale * jump[f];
            put_tangential(s_f, jump, geometry->metric, k);
#else
            SEDGE_EACH (f, SEDGE_FIELDS) s_f[k * SEDGE_FIELDS + f] = at.scale * jump[f];
#endif
        }
    }
}
#endif

// ---- volume ------------------------------------------------------------------------------------

// `count` neighbouring words of the block's memory; by packs where that can be.
SEDGE_FUNCTION void fetch(sedge_value *SEDGE_RESTRICT q,
                          const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT from)
{
#if SEDGE_PACK > 1
    SEDGE_EACH (p, SEDGE_GROUP * SEDGE_FIELDS / SEDGE_PACK) {
        const sedge_pack pack = ((const SEDGE_BLOCKWIDE sedge_pack *)from)[p];
        SEDGE_EACH (i, SEDGE_PACK) q[p * SEDGE_PACK + i] = pack.v[i];
    }
#else
    SEDGE_EACH (f, SEDGE_FIELD_BLOCK) q[f] = from[f];
#endif
}

#if SEDGE_LINEAR
// sum = -div F at the tile's nodes, `words` the element's. F is linear and constant in an element,
// so the derivative comes first: div F(u) = sum_d F_d(du/dx_d). On the host fields are taken
// SEDGE_FIELD_BLOCK at a time, on a GPU all at once.
SEDGE_FUNCTION void find_divergence(sedge_value *SEDGE_RESTRICT sum,
                                    const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT words,
                                    int tile, sedge_int64 value,
                                    const SEDGE_BLOCKWIDE sedge_geometry *geometry,
                                    const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                    const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                    const SEDGE_GLOBAL sedge_deriv *SEDGE_RESTRICT deriv)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    const SEDGE_BLOCKWIDE sedge_value *const g = geometry->metric;
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];

    get_material(m, material, materials, value);
    SEDGE_EACH (w, SEDGE_TN * SEDGE_FIELDS) sum[w] = SEDGE_SPLAT(0.0);
    SEDGE_EACH (part, SEDGE_FIELDS / SEDGE_FIELD_BLOCK) {
        sedge_value d[SEDGE_TN][3][SEDGE_FIELD_BLOCK];

        SEDGE_EACH (i, SEDGE_TN)
            SEDGE_EACH (j, 3)
                SEDGE_EACH (f, SEDGE_FIELD_BLOCK) d[i][j][f] = SEDGE_SPLAT(0.0);
        for (int n = 0; n < SEDGE_NODES_PADDED / SEDGE_GROUP; n++) {
            SEDGE_LOCAL_COPY(sedge_deriv, op, &deriv[n * SEDGE_TILES + tile]);
            sedge_value q[SEDGE_GROUP * SEDGE_FIELD_BLOCK];

            fetch(q, words + n * SEDGE_GROUP * SEDGE_FIELDS + part * SEDGE_FIELD_BLOCK);
            SEDGE_EACH (p, SEDGE_GROUP)
                SEDGE_EACH (i, SEDGE_TN)
                    SEDGE_EACH (j, 3)
                        SEDGE_EACH (f, SEDGE_FIELD_BLOCK)
                            d[i][j][f] +=
                                op->w[(p * SEDGE_TN + i) * 3 + j] * q[p * SEDGE_FIELD_BLOCK + f];
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
// Contravariant fluxes at node n: three times the element's words behind s_g, r, s, t.
SEDGE_FUNCTION void find_flux(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT s_g,
                              const SEDGE_BLOCKWIDE sedge_value *words, int n, sedge_int64 value,
                              const SEDGE_BLOCKWIDE sedge_geometry *geometry,
                              const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                              const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    const SEDGE_BLOCKWIDE sedge_value *const g = geometry->metric;
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value own[SEDGE_FIELDS];
    sedge_value flux[3][SEDGE_FIELDS];

    get_material(m, material, materials, value);
    SEDGE_EACH (f, SEDGE_FIELDS) own[f] = words[n * SEDGE_FIELDS + f];
    SEDGE_FLUX(own, m, constants, flux[0], flux[1], flux[2]);
    SEDGE_EACH (j, 3)
        SEDGE_EACH (f, SEDGE_FIELDS)
            s_g[j * SEDGE_WORDS + n * SEDGE_FIELDS + f] =
                g[3 * j] * flux[0][f] + g[3 * j + 1] * flux[1][f] + g[3 * j + 2] * flux[2][f];
}

// sum = -div F at the tile's nodes, F any function of u, from the fluxes of find_flux.
SEDGE_FUNCTION void differentiate(sedge_value *SEDGE_RESTRICT sum,
                                  const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT s_g, int tile,
                                  const SEDGE_GLOBAL sedge_deriv *SEDGE_RESTRICT deriv)
{
    SEDGE_EACH (w, SEDGE_TN * SEDGE_FIELDS) sum[w] = SEDGE_SPLAT(0.0);
    for (int n = 0; n < SEDGE_NODES; n++) {
        const SEDGE_GLOBAL sedge_deriv *const op = &deriv[n / SEDGE_GROUP * SEDGE_TILES + tile];
        SEDGE_EACH (j, 3)
            SEDGE_EACH (f, SEDGE_FIELDS) {
                const sedge_value q = s_g[j * SEDGE_WORDS + n * SEDGE_FIELDS + f];
                SEDGE_EACH (i, SEDGE_TN)
                    sum[i * SEDGE_FIELDS + f] -=
                        op->w[(n % SEDGE_GROUP * SEDGE_TN + i) * 3 + j] * q;
            }
    }
}
#endif

// ---- surface and update ------------------------------------------------------------------------

// sum = LIFT s_f at the tile's SEDGE_LIFT_TN nodes, `words` the element's jumps.
SEDGE_FUNCTION void find_lift(sedge_value *SEDGE_RESTRICT sum,
                              const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT words, int tile,
                              const SEDGE_GLOBAL sedge_lift *SEDGE_RESTRICT lift)
{
#if SEDGE_PACK > 1
    SEDGE_EACH (w, SEDGE_LIFT_TN * SEDGE_FIELDS) sum[w] = SEDGE_SPLAT(0.0);
    for (int k = 0; k < SEDGE_FACE_POINTS / SEDGE_GROUP; k++) {
        SEDGE_LOCAL_COPY(sedge_lift, op, &lift[k * SEDGE_LIFT_TILES + tile]);
        sedge_value q[SEDGE_GROUP * SEDGE_FIELDS];

        fetch(q, words + k * SEDGE_GROUP * SEDGE_FIELDS);
        SEDGE_EACH (p, SEDGE_GROUP)
            SEDGE_EACH (i, SEDGE_LIFT_TN)
                SEDGE_EACH (f, SEDGE_FIELDS)
                    sum[i * SEDGE_FIELDS + f] +=
                        op->w[p * SEDGE_LIFT_TN + i] * q[p * SEDGE_FIELDS + f];
    }
#else
    SEDGE_EACH (part, SEDGE_FIELDS / SEDGE_LIFT_BLOCK) {
        sedge_value a[SEDGE_LIFT_TN][SEDGE_LIFT_BLOCK];

        SEDGE_EACH (i, SEDGE_LIFT_TN)
            SEDGE_EACH (f, SEDGE_LIFT_BLOCK) a[i][f] = SEDGE_SPLAT(0.0);
        for (int k = 0; k < SEDGE_FACE_POINTS; k++) {
            const SEDGE_GLOBAL sedge_lift *const op = &lift[k * SEDGE_LIFT_TILES + tile];
            SEDGE_EACH (i, SEDGE_LIFT_TN)
                SEDGE_EACH (f, SEDGE_LIFT_BLOCK)
                    a[i][f] += op->w[i] * words[k * SEDGE_FIELDS + part * SEDGE_LIFT_BLOCK + f];
        }
        SEDGE_EACH (i, SEDGE_LIFT_TN)
            SEDGE_EACH (f, SEDGE_LIFT_BLOCK)
                sum[i * SEDGE_FIELDS + part * SEDGE_LIFT_BLOCK + f] = a[i][f];
    }
#endif
}

// sum += S(u) at the tile's nodes, `words` the element's.
SEDGE_FUNCTION void add_source(sedge_value *SEDGE_RESTRICT sum,
                               const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT words, int tile,
                               sedge_int64 value, const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials)
{
#if SEDGE_HAS_SOURCE
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];

    get_material(m, material, materials, value);
    SEDGE_EACH (i, SEDGE_TN) {
        const int n = tile * SEDGE_TN + i;
        if (n < SEDGE_NODES) {
            sedge_value own[SEDGE_FIELDS];
            SEDGE_EACH (f, SEDGE_FIELDS) own[f] = words[n * SEDGE_FIELDS + f];
            SEDGE_SOURCE(own, m, constants, sum + i * SEDGE_FIELDS);
        }
    }
#else
    (void)sum, (void)words, (void)tile, (void)value, (void)material, (void)materials;
#endif
}

// residual = a before + dt sum at the tile's nodes; the two may be the same memory. In the first
// stage a = 0 and `before` is not read: it may hold anything.
SEDGE_FUNCTION void add_volume(SEDGE_BLOCKWIDE sedge_value *residual,
                               const SEDGE_BLOCKWIDE sedge_value *before,
                               const sedge_value *SEDGE_RESTRICT sum, int tile, sedge_real rk_a,
                               sedge_real dt)
{
    SEDGE_EACH (p, SEDGE_TN * SEDGE_FIELDS / SEDGE_PACK) {
        const int w = tile * SEDGE_TN * SEDGE_FIELDS + p * SEDGE_PACK;

        if (w < SEDGE_WORDS) {
            sedge_pack change;

            SEDGE_EACH (i, SEDGE_PACK) change.v[i] = dt * sum[p * SEDGE_PACK + i];
            if (rk_a != SEDGE_R(0.0)) {
                const sedge_pack memory = *(const SEDGE_BLOCKWIDE sedge_pack *)(before + w);
                SEDGE_EACH (i, SEDGE_PACK) change.v[i] = change.v[i] + rk_a * memory.v[i];
            }
            *(SEDGE_BLOCKWIDE sedge_pack *)(residual + w) = change;
        }
    }
}

// residual -= dt sum, result = old + b residual at the lift tile's nodes; old and result may be the
// same memory. In three kernels there is no result yet.
SEDGE_FUNCTION void add_surface(SEDGE_BLOCKWIDE sedge_value *result,
                                const SEDGE_BLOCKWIDE sedge_value *old,
                                SEDGE_BLOCKWIDE sedge_value *residual,
                                const sedge_value *SEDGE_RESTRICT sum, int tile, sedge_real rk_b,
                                sedge_real dt)
{
    SEDGE_EACH (p, SEDGE_LIFT_TN * SEDGE_FIELDS / SEDGE_PACK) {
        const int w = tile * SEDGE_LIFT_TN * SEDGE_FIELDS + p * SEDGE_PACK;

        if (w < SEDGE_WORDS) {
            sedge_pack change = *(const SEDGE_BLOCKWIDE sedge_pack *)(residual + w);

            SEDGE_EACH (i, SEDGE_PACK) change.v[i] = change.v[i] - dt * sum[p * SEDGE_PACK + i];
            *(SEDGE_BLOCKWIDE sedge_pack *)(residual + w) = change;
#if SEDGE_THREE
            (void)result, (void)old, (void)rk_b;
#else
            sedge_pack next = *(const SEDGE_BLOCKWIDE sedge_pack *)(old + w);
            SEDGE_EACH (i, SEDGE_PACK) next.v[i] = next.v[i] + rk_b * change.v[i];
            *(SEDGE_BLOCKWIDE sedge_pack *)(result + w) = next;
#endif
        }
    }
}

// ---- kernels -----------------------------------------------------------------------------------

// A program has either these kernels, with its cut, or those that need the types only.
#if SEDGE_STAGE

// What the stage needs of an element's geometry: with curls, others than metrics (dg_tensor.h).
#if SEDGE_CURLS
#define SEDGE_NEEDED_WORDS 16
#else
#define SEDGE_NEEDED_WORDS SEDGE_GEOMETRY_WORDS
#endif

// The geometry of values [start, start + left), the same way.
SEDGE_FUNCTION void copy_geometry(SEDGE_BLOCKWIDE sedge_geometry *SEDGE_RESTRICT to,
                                  const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT from,
                                  sedge_int64 start, sedge_int64 left)
{
    SEDGE_ITEMS (e, SEDGE_BLOCK, p, SEDGE_NEEDED_WORDS / SEDGE_PACK, SEDGE_THREADS) {
        if (e < left)
            SEDGE_COPY_PACK((SEDGE_BLOCKWIDE sedge_value *)(to + e) + p * SEDGE_PACK,
                            (const SEDGE_GLOBAL sedge_value *)(from + start + e) + p * SEDGE_PACK);
    }
}

// Start to copy the words of values [start, start + left) into the block's memory.
SEDGE_FUNCTION void copy_in(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT to,
                            const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT from, sedge_int64 start,
                            sedge_int64 left)
{
    const SEDGE_GLOBAL sedge_value *const words = from[start * SEDGE_NODES_PADDED].f;

    SEDGE_ITEMS (e, SEDGE_BLOCK, p, SEDGE_WORDS / SEDGE_PACK, SEDGE_THREADS) {
        if (e < left)
            SEDGE_COPY_PACK(to + e * SEDGE_STRIDE + p * SEDGE_PACK,
                            words + e * SEDGE_WORDS + p * SEDGE_PACK);
    }
}

SEDGE_FUNCTION void copy_out(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT to,
                             const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT from,
                             sedge_int64 start, sedge_int64 left)
{
    SEDGE_GLOBAL sedge_value *const words = to[start * SEDGE_NODES_PADDED].f;

    SEDGE_ITEMS (e, SEDGE_BLOCK, p, SEDGE_WORDS / SEDGE_PACK, SEDGE_THREADS) {
        if (e < left)
            *(SEDGE_GLOBAL sedge_pack *)(words + e * SEDGE_WORDS + p * SEDGE_PACK) =
                *(const SEDGE_BLOCKWIDE sedge_pack *)(from + e * SEDGE_STRIDE + p * SEDGE_PACK);
    }
}

// Where a block finds geometry, states, residuals: on the host where they are, else in its memory.
#if SEDGE_TARGET_HOST
#define SEDGE_BLOCK_STATES(scratch)                                  \
    const sedge_geometry *const s_x = geometry + start;              \
    const sedge_value *const s_u = u[start * SEDGE_NODES_PADDED].f;  \
    sedge_value *const s_r = residual[start * SEDGE_NODES_PADDED].f; \
    sedge_value *const s_n = next[start * SEDGE_NODES_PADDED].f;     \
    sedge_value *const s_f = (scratch)
#else
#define SEDGE_BLOCK_STATES(scratch)                                                          \
    SEDGE_BLOCKWIDE sedge_geometry *const s_x = (SEDGE_BLOCKWIDE sedge_geometry *)(scratch); \
    SEDGE_BLOCKWIDE sedge_value *const s_u = (scratch) + SEDGE_BLOCK * SEDGE_GEOMETRY_WORDS; \
    SEDGE_BLOCKWIDE sedge_value *const s_r = s_u + SEDGE_BLOCK * SEDGE_STRIDE;               \
    SEDGE_BLOCKWIDE sedge_value *const s_n = s_u;                                            \
    SEDGE_BLOCKWIDE sedge_value *const s_f = s_r + SEDGE_BLOCK * SEDGE_STRIDE
#endif

// Traces behind all face points of a block, each item some; then, when states and geometry are
// there, their jumps. `other` is what an item keeps in between.
#define SEDGE_BLOCK_TRACES(other)                                                              \
    sedge_value other[SEDGE_ROUNDS][SEDGE_FIELDS];                                             \
    SEDGE_EACH (round, SEDGE_ROUNDS) {                                                         \
        const int at = SEDGE_THREAD + round * SEDGE_THREADS;                                   \
        const int e = at / SEDGE_FACE_POINTS;                                                  \
        if (e < SEDGE_BLOCK && e < left)                                                       \
            get_trace_behind(other[round], start + e, at % SEDGE_FACE_POINTS, u, trace, links, \
                             tables);                                                          \
    }
#define SEDGE_BLOCK_JUMPS(other)                                                                  \
    SEDGE_EACH (round, SEDGE_ROUNDS) {                                                            \
        const int at = SEDGE_THREAD + round * SEDGE_THREADS;                                      \
        const int e = at / SEDGE_FACE_POINTS;                                                     \
        if (e < SEDGE_BLOCK && e < left)                                                          \
            find_jump(s_f + e * SEDGE_FACE_STRIDE, s_u + e * SEDGE_STRIDE, other[round], s_x + e, \
                      start + e, at % SEDGE_FACE_POINTS, links, material, materials, tables,      \
                      slots);                                                                     \
    }

#if !SEDGE_TENSOR && !SEDGE_CURLS

// -div F at the tile's nodes of element e.
#if SEDGE_LINEAR
#define SEDGE_FIND_VOLUME(sum)                                                                  \
    find_divergence(sum, s_u + e * SEDGE_STRIDE, tile, start + e, s_x + e, material, materials, \
                    deriv)
#else
#define SEDGE_FIND_VOLUME(sum) differentiate(sum, s_g + e * 3 * SEDGE_WORDS, tile, deriv)
#endif

#if !SEDGE_FUSED
SEDGE_KERNEL_RESIDENT(sedge_volume, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_STAGE_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        SEDGE_SCRATCH(sedge_value, scratch, SEDGE_SCRATCH_WORDS);
        SEDGE_BLOCK_STATES(scratch);

#if !SEDGE_TARGET_HOST
        copy_geometry(s_x, geometry, start, left);
        copy_in(s_u, u, start, left);
        if (rk_a != SEDGE_R(0.0)) copy_in(s_r, residual, start, left);
#endif
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
#if !SEDGE_LINEAR
        SEDGE_BLOCKWIDE sedge_value *const s_g = s_f;
        SEDGE_ITEMS (e, SEDGE_BLOCK, n, SEDGE_NODES, SEDGE_THREADS) {
            if (e < left)
                find_flux(s_g + e * 3 * SEDGE_WORDS, s_u + e * SEDGE_STRIDE, n, start + e, s_x + e,
                          material, materials);
        }
        SEDGE_BARRIER();
#endif
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            if (e < left) {
                sedge_value sum[SEDGE_TN * SEDGE_FIELDS];
                SEDGE_FIND_VOLUME(sum);
                add_source(sum, s_u + e * SEDGE_STRIDE, tile, start + e, material, materials);
                add_volume(s_r + e * SEDGE_STRIDE, s_r + e * SEDGE_STRIDE, sum, tile, rk_a, dt);
            }
        }
#if !SEDGE_TARGET_HOST
        SEDGE_BARRIER();
        copy_out(residual, s_r, start, left);
#endif
        (void)s_n, (void)s_f;
    }
    (void)next, (void)trace, (void)links, (void)lift, (void)tables, (void)slots;
    (void)rk_b;
}
#endif

#if SEDGE_FUSED
SEDGE_KERNEL_RESIDENT(sedge_stage, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_STAGE_LIST)
#else
SEDGE_KERNEL_RESIDENT(sedge_surface, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_STAGE_LIST)
#endif
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        SEDGE_SCRATCH(sedge_value, scratch, SEDGE_SCRATCH_WORDS);
        SEDGE_BLOCK_STATES(scratch);

#if !SEDGE_TARGET_HOST
        copy_geometry(s_x, geometry, start, left);
        copy_in(s_u, u, start, left);
#if SEDGE_FUSED
        if (rk_a != SEDGE_R(0.0))
#endif
            copy_in(s_r, residual, start, left);

        SEDGE_BLOCK_TRACES(other)
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
        SEDGE_BLOCK_JUMPS(other)
#else
        find_jumps(s_f, s_u, s_x, start, u, trace, links, material, materials, tables, slots);
        (void)left;
#endif
#if SEDGE_FUSED
#if !SEDGE_LINEAR
        SEDGE_BLOCKWIDE sedge_value *const s_g = s_f + SEDGE_BLOCK * SEDGE_FACE_STRIDE;
        SEDGE_ITEMS (e, SEDGE_BLOCK, n, SEDGE_NODES, SEDGE_THREADS) {
            if (e < left)
                find_flux(s_g + e * 3 * SEDGE_WORDS, s_u + e * SEDGE_STRIDE, n, start + e, s_x + e,
                          material, materials);
        }
        SEDGE_BARRIER();
#endif
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            if (e < left) {
                sedge_value sum[SEDGE_TN * SEDGE_FIELDS];
                SEDGE_FIND_VOLUME(sum);
                add_source(sum, s_u + e * SEDGE_STRIDE, tile, start + e, material, materials);
                add_volume(s_r + e * SEDGE_STRIDE, s_r + e * SEDGE_STRIDE, sum, tile, rk_a, dt);
            }
        }
#endif
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_LIFT_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            if (e < left) {
                sedge_value sum[SEDGE_LIFT_TN * SEDGE_FIELDS];
                find_lift(sum, s_f + e * SEDGE_FACE_STRIDE, tile, lift);
                add_surface(s_n + e * SEDGE_STRIDE, s_u + e * SEDGE_STRIDE, s_r + e * SEDGE_STRIDE,
                            sum, tile, rk_b, dt);
            }
        }
#if !SEDGE_TARGET_HOST
        SEDGE_BARRIER();
#if !SEDGE_THREE
        copy_out(next, s_u, start, left);
#endif
        copy_out(residual, s_r, start, left);
#endif
    }
    (void)deriv, (void)rk_a, (void)next;
}

#if SEDGE_THREE
// `next` holds the right-hand side and gets the fields.
SEDGE_KERNEL(sedge_update, SEDGE_THREADS, SEDGE_STAGE_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;

        SEDGE_ITEMS (e, SEDGE_BLOCK, p, SEDGE_WORDS / SEDGE_PACK, SEDGE_THREADS) {
            if (e < left) {
                const sedge_int64 at = ((start + e) * SEDGE_WORDS) / SEDGE_PACK + p;
                const sedge_pack old = ((const SEDGE_GLOBAL sedge_pack *)u)[at];
                sedge_pack change = ((const SEDGE_GLOBAL sedge_pack *)next)[at];
                sedge_pack result;

                SEDGE_EACH (i, SEDGE_PACK) change.v[i] = dt * change.v[i];
                if (rk_a != SEDGE_R(0.0)) {
                    const sedge_pack memory = ((const SEDGE_GLOBAL sedge_pack *)residual)[at];
                    SEDGE_EACH (i, SEDGE_PACK) change.v[i] = change.v[i] + rk_a * memory.v[i];
                }
                SEDGE_EACH (i, SEDGE_PACK) result.v[i] = old.v[i] + rk_b * change.v[i];
                ((SEDGE_GLOBAL sedge_pack *)residual)[at] = change;
                ((SEDGE_GLOBAL sedge_pack *)next)[at] = result;
            }
        }
    }
    (void)trace, (void)links, (void)geometry, (void)material, (void)materials;
    (void)deriv, (void)lift, (void)tables, (void)slots;
}
#endif
#endif // SEDGE_TENSOR, SEDGE_CURLS
#endif // SEDGE_STAGE
