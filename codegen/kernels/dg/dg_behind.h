// What kernels that advance a state share: how they divide an element, what a stage does, an
// element's material, and traces and materials behind its faces. Types of dg_layout.h; the
// equation's functions and constants.
#pragma once

#define SEDGE_TILES      ((SEDGE_NODES + SEDGE_TN - 1) / SEDGE_TN)
#define SEDGE_LIFT_TILES ((SEDGE_NODES + SEDGE_LIFT_TN - 1) / SEDGE_LIFT_TN)
// Face points an item takes on a GPU; what it keeps of each is in registers.
#define SEDGE_ROUNDS ((SEDGE_BLOCK * SEDGE_FACE_POINTS + SEDGE_THREADS - 1) / SEDGE_THREADS)
// Words to the next element in the block's memory: an odd number of packs. dg_tensor.h has others.
#if !SEDGE_TENSOR
#define SEDGE_STRIDE      ((SEDGE_WORDS / SEDGE_PACK | 1) * SEDGE_PACK)
#define SEDGE_FACE_STRIDE ((SEDGE_FACE_WORDS / SEDGE_PACK | 1) * SEDGE_PACK)
#endif

// Operators of one tile and SEDGE_GROUP nodes or face points, for vector loads.
typedef struct SEDGE_ALIGN(16) sedge_deriv {
    sedge_real w[SEDGE_DERIV_WIDTH]; // [point of the group][node of the tile][r, s, t], padded
} sedge_deriv;

typedef struct SEDGE_ALIGN(16) sedge_lift {
    sedge_real w[SEDGE_LIFT_WIDTH]; // [point of the group][node of the tile], padded
} sedge_lift;

// How a stage advances the state (src/time/integrator.h):
//   residual = a r + dt rate,  next = u + b residual
// with r the residual of the stage before. It is read, or, where c is not 0, found from the states
// before and after that stage, c (u - next), of which `next` still has the former.
typedef struct sedge_substep {
    sedge_real a, b, c, dt;
    int keep; // whether the residual is written
    int back; // whether the terms' memory is written in place (dg_term.h)
} sedge_substep;

// The kernel parameters with these values, for a kernel's list; SEDGE_SUBSTEP gathers them in `rk`.
#define SEDGE_SUBSTEP_LIST(X) \
    X(sedge_real, rk_a)       \
    X(sedge_real, rk_b)       \
    X(sedge_real, rk_c)       \
    X(sedge_real, dt)         \
    X(int, keep)              \
    X(int, back)
#if SEDGE_FINDS
#define SEDGE_SUBSTEP const sedge_substep rk = {rk_a, rk_b, rk_c, dt, keep, back}
#else // each stage of such a problem reads the residual and keeps it, and memory stays
#define SEDGE_SUBSTEP                                              \
    const sedge_substep rk = {rk_a, rk_b, SEDGE_R(0.0), dt, 1, 1}; \
    (void)rk_c, (void)keep, (void)back
#endif

// a r, from what was read: the residual or the state before. Not read if a = 0: either may hold
// anything then.
SEDGE_FUNCTION sedge_value carry(sedge_substep rk, sedge_value own, sedge_value before)
{
    if (rk.c != SEDGE_R(0.0)) return rk.a * rk.c * (own - before);
    return rk.a * before;
}

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
    SEDGE_SUBSTEP_LIST(X)                                          \
    SEDGE_STAGE_TERMS_LIST(X)

// The material values of one value of slots. One medium: literals, nothing is read.
SEDGE_FUNCTION void get_material(sedge_value *m, const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                 const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                 sedge_int64 value)
{
#if SEDGE_ONE_MEDIUM
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

#define SEDGE_STRAIGHT_BEHIND 32

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

#if SEDGE_LANES == 1
// The same in two steps, so that all tables may be read before the first trace: the node, and where
// that is.
SEDGE_FUNCTION int find_node_behind(const sedge_link link, int i,
                                    const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    return tables[SEDGE_FACE_POINTS + link.code * SEDGE_FACE_NODES + i +
                  (link.neighbour < 0 ? 24 * SEDGE_FACE_NODES : 0)];
}
SEDGE_FUNCTION const SEDGE_GLOBAL sedge_value *
find_trace(const sedge_link link, int node, const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
           const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace)
{
    const int inside = link.neighbour >= 0;
    const unsigned number = (unsigned)(inside ? link.neighbour : -1 - link.neighbour);
    const unsigned bytes = (unsigned)(inside ? SEDGE_NODES_PADDED * (int)sizeof(sedge_state)
                                             : SEDGE_FACE_NODES * (int)sizeof(sedge_point));
    const SEDGE_GLOBAL char *const from =
        (inside ? (const SEDGE_GLOBAL char *)u : (const SEDGE_GLOBAL char *)trace) +
        (sedge_uint64)number * bytes + (unsigned)node * (unsigned)sizeof(sedge_state);
    return (const SEDGE_GLOBAL sedge_value *)from;
}
#endif

// The neighbour's trace at face point k of one value, one lane after the other.
SEDGE_FUNCTION void get_trace_behind(sedge_value *v, sedge_int64 value, int k,
                                     const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                     const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace,
                                     const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                     const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_LANES_LOOP (l) {
        sedge_link link = links[(value * SEDGE_LANES + l) * 4 + k / SEDGE_FACE_NODES];
        link.code %= SEDGE_STRAIGHT_BEHIND;
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
#if SEDGE_ONE_MEDIUM
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

// Fscale (n.F* - n.F) at face point k of an element, which is its node `node`, into s_f. other is
// the neighbour's trace, own_words are the element's states.
SEDGE_FUNCTION void find_jump(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT s_f,
                              const SEDGE_BLOCKWIDE sedge_value *own_words,
                              const sedge_value *other,
                              const SEDGE_BLOCKWIDE sedge_geometry *geometry, sedge_int64 value,
                              int k, int node, const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                              const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                              const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                              sedge_int64 slots)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    const int face = k / SEDGE_FACE_NODES;
    const sedge_state own = *(const SEDGE_BLOCKWIDE sedge_state *)(own_words + node * SEDGE_FIELDS);
    const sedge_face_geometry at = geometry->face[face];
    sedge_state jump;
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value mv[SEDGE_MATERIAL_VALUES + 1];

    get_material(m, material, materials, value);
    get_neighbour_material(mv, value, face, links, material, materials, slots);
    SEDGE_SURFACE(own.f, other, m, mv, at.n, constants, jump.f);
    SEDGE_EACH (f, SEDGE_FIELDS) jump.f[f] = at.scale * jump.f[f];
    *(SEDGE_BLOCKWIDE sedge_state *)(s_f + k * SEDGE_FIELDS) = jump;
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
            SEDGE_EACH (f, SEDGE_FIELDS) s_f[k * SEDGE_FIELDS + f] = at.scale * jump[f];
        }
    }
}
#endif
