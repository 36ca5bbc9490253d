// One Runge-Kutta stage of u_t = -div F(u) + terms on affine tetrahedra of order N. The terms
// (dg_term.h) are in a program of their own, for elements that have some.
//
//   rhs = -sum_d dF_d/dx_d - LIFT Fscale (n.F* - n.F) + terms
//   residual = a residual + dt rhs,   next = u + b residual
//
// Slots, values and types are those of dg_layout.h and dg_behind.h; beside them
//
//   deriv    [node groups][SEDGE_TILES] of D_r, D_s, D_t;  lift [face point groups][lift tiles]
//
// A block works on SEDGE_BLOCK values, a work item on some nodes (a tile) of one value: SEDGE_TN in
// the volume, SEDGE_LIFT_TN, which needs fewer registers each, in the lift. Neighbouring items have
// neighbouring elements and the same nodes: an operator's entry is one number for all of them, and
// is used with all fields. The block's memory holds element after element; items read it by packs
// of 16 bytes, and strides of an odd number of packs keep neighbours in different banks. On a GPU
// states, residuals and geometry are copied in asynchronously while the neighbours' traces, the
// slowest to come, travel into registers. All read u and write next, so that neighbours never see
// a half-updated state.
#pragma once

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

#ifdef SEDGE_EACH_TERM
// sum += what the terms add at the tile's nodes, `words` the element's.
SEDGE_FUNCTION void add_tile_terms(sedge_value *SEDGE_RESTRICT sum,
                                   const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT words,
                                   int tile, sedge_int64 value,
                                   const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                   const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                   const sedge_substep rk,
                                   double t SEDGE_TERMS_LIST(SEDGE_COMMA_PARAMETER))
{
    SEDGE_EACH (i, SEDGE_TN) {
        const int n = tile * SEDGE_TN + i;
        if (n < SEDGE_NODES) {
            sedge_value own[SEDGE_FIELDS];
            SEDGE_EACH (f, SEDGE_FIELDS) own[f] = words[n * SEDGE_FIELDS + f];
            add_terms(sum + i * SEDGE_FIELDS, own, value, n, material, materials, rk,
                      t SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
        }
    }
}
#endif

#ifdef SEDGE_EACH_MULTIPLY
// sum, the faces' part of du/dt at the lift tile's nodes, times the matrices of terms.
SEDGE_FUNCTION void multiply_lift(sedge_value *SEDGE_RESTRICT sum, sedge_int64 value,
                                  const SEDGE_GLOBAL int *SEDGE_RESTRICT material
                                      SEDGE_TERMS_LIST(SEDGE_COMMA_PARAMETER))
{
    SEDGE_EACH (i, SEDGE_LIFT_TN)
        multiply_rate(sum + i * SEDGE_FIELDS, value, material SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
}
#endif

// residual = a r + dt sum at the tile's nodes. `before` has what r is found from, and may be the
// residual's memory; `own` the state.
SEDGE_FUNCTION void add_volume(SEDGE_BLOCKWIDE sedge_value *residual,
                               const SEDGE_BLOCKWIDE sedge_value *before,
                               const SEDGE_BLOCKWIDE sedge_value *own,
                               const sedge_value *SEDGE_RESTRICT sum, int tile,
                               const sedge_substep rk)
{
    SEDGE_EACH (p, SEDGE_TN * SEDGE_FIELDS / SEDGE_PACK) {
        const int w = tile * SEDGE_TN * SEDGE_FIELDS + p * SEDGE_PACK;

        if (w < SEDGE_WORDS) {
            sedge_pack change;

            SEDGE_EACH (i, SEDGE_PACK) change.v[i] = rk.dt * sum[p * SEDGE_PACK + i];
            if (rk.a != SEDGE_R(0.0)) {
                const sedge_pack memory = *(const SEDGE_BLOCKWIDE sedge_pack *)(before + w);
                const sedge_pack at = *(const SEDGE_BLOCKWIDE sedge_pack *)(own + w);
                SEDGE_EACH (i, SEDGE_PACK)
                    change.v[i] = change.v[i] + carry(rk, at.v[i], memory.v[i]);
            }
            *(SEDGE_BLOCKWIDE sedge_pack *)(residual + w) = change;
        }
    }
}

// residual -= dt sum, result = old + b residual at the lift tile's nodes; old and result may be the
// same memory.
SEDGE_FUNCTION void add_surface(SEDGE_BLOCKWIDE sedge_value *result,
                                const SEDGE_BLOCKWIDE sedge_value *old,
                                SEDGE_BLOCKWIDE sedge_value *residual,
                                const sedge_value *SEDGE_RESTRICT sum, int tile,
                                const sedge_substep rk)
{
    SEDGE_EACH (p, SEDGE_LIFT_TN * SEDGE_FIELDS / SEDGE_PACK) {
        const int w = tile * SEDGE_LIFT_TN * SEDGE_FIELDS + p * SEDGE_PACK;

        if (w < SEDGE_WORDS) {
            sedge_pack change = *(const SEDGE_BLOCKWIDE sedge_pack *)(residual + w);

            SEDGE_EACH (i, SEDGE_PACK) change.v[i] = change.v[i] - rk.dt * sum[p * SEDGE_PACK + i];
            *(SEDGE_BLOCKWIDE sedge_pack *)(residual + w) = change;
            sedge_pack next = *(const SEDGE_BLOCKWIDE sedge_pack *)(old + w);
            SEDGE_EACH (i, SEDGE_PACK) next.v[i] = next.v[i] + rk.b * change.v[i];
            *(SEDGE_BLOCKWIDE sedge_pack *)(result + w) = next;
        }
    }
}

// ---- kernels -----------------------------------------------------------------------------------

// A program has either these kernels, with its cut, or those that need the types only.
#if SEDGE_STAGE

// What the stage needs of an element's geometry: dg_tensor.h has others than metrics.
#if SEDGE_TENSOR
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
#define SEDGE_BEFORE (rk.c != SEDGE_R(0.0) ? s_n : s_r)
#else
#define SEDGE_BEFORE s_r // copied there
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
                      start + e, at % SEDGE_FACE_POINTS, tables[at % SEDGE_FACE_POINTS], links,   \
                      material, materials, slots);                                                \
    }

#if !SEDGE_TENSOR

// -div F at the tile's nodes of element e.
#if SEDGE_LINEAR
#define SEDGE_FIND_VOLUME(sum)                                                                  \
    find_divergence(sum, s_u + e * SEDGE_STRIDE, tile, start + e, s_x + e, material, materials, \
                    deriv)
#else
#define SEDGE_FIND_VOLUME(sum) differentiate(sum, s_g + e * 3 * SEDGE_WORDS, tile, deriv)
#endif

SEDGE_KERNEL_RESIDENT(sedge_stage, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_STAGE_LIST)
{
    SEDGE_SUBSTEP;

    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        SEDGE_SCRATCH(sedge_value, scratch, SEDGE_SCRATCH_WORDS);
        SEDGE_BLOCK_STATES(scratch);

#if !SEDGE_TARGET_HOST
        copy_geometry(s_x, geometry, start, left);
        copy_in(s_u, u, start, left);
        if (rk.a != SEDGE_R(0.0)) copy_in(s_r, rk.c != SEDGE_R(0.0) ? next : residual, start, left);

        SEDGE_BLOCK_TRACES(other)
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
        SEDGE_BLOCK_JUMPS(other)
#else
        find_jumps(s_f, s_u, s_x, start, u, trace, links, material, materials, tables, slots);
        (void)left;
#endif
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
#ifdef SEDGE_EACH_TERM
                add_tile_terms(sum, s_u + e * SEDGE_STRIDE, tile, start + e, material, materials,
                               rk, clock[0] + delay SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#endif
                add_volume(s_r + e * SEDGE_STRIDE, SEDGE_BEFORE + e * SEDGE_STRIDE,
                           s_u + e * SEDGE_STRIDE, sum, tile, rk);
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (tile, SEDGE_LIFT_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            if (e < left) {
                sedge_value sum[SEDGE_LIFT_TN * SEDGE_FIELDS];
                find_lift(sum, s_f + e * SEDGE_FACE_STRIDE, tile, lift);
#ifdef SEDGE_EACH_MULTIPLY
                multiply_lift(sum, start + e, material SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#endif
                add_surface(s_n + e * SEDGE_STRIDE, s_u + e * SEDGE_STRIDE, s_r + e * SEDGE_STRIDE,
                            sum, tile, rk);
            }
        }
#if !SEDGE_TARGET_HOST
        SEDGE_BARRIER();
        copy_out(next, s_u, start, left);
        if (rk.keep != 0) copy_out(residual, s_r, start, left);
#endif
    }
    (void)deriv, (void)next;
}

#endif // SEDGE_TENSOR
#endif // SEDGE_STAGE
