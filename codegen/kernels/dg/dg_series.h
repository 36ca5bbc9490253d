// The prediction of an ADER step (src/dg/predictor.h) in elements with neither terms nor source, in
// coefficients of the Bernstein-Bezier basis. L lowers the degree there: its k-th power has the
// coefficients of order N - k alone. So
//
//   w_k = f_k dt L w_{k-1},  w_0 = u      differences of four coefficients of the order above
//   mean = w_0 + R (w_1 + R (w_2 + R w_3)) + R Q w_1 / f_1
//
// where R raises coefficients to the next order, and Q damps at orders 4 to 8. The mean over the
// step's first half is that of a step of half the length, which other blocks compute. Types of
// dg_layout.h.
//
// Q lowers w_1 some times (T) and raises the results back. At high orders an item has too many
// numbers at a time for its registers if it does all this at once. With SEDGE_SERIES_FOLDS there
// are two passes: series_fold writes all that is raised twice or more, summed up at order N - 2,
// over w_2, and series_sum raises that twice. With SEDGE_SERIES_LOWERS, T w_1 and T T w_1 are
// computed together with w_2 and w_3, which have the same orders.
//
// An item of a GPU has one element of the block and a place: it computes some coefficients of w_k,
// all fields of each, then the sums of one field (or of a part of its coefficients), which are
// generated code of src/forms/series_products.c. Items are numbered, and strides chosen, such that
// those of a warp which access shared memory together meet different banks: neighbouring items have
// neighbouring elements of a group, then neighbouring places.
//
// Constants of a program, k = 1 to SEDGE_SERIES: SEDGE_SERIES_NODES_k coefficients of order N - k,
// SEDGE_SERIES_AT_k words before w_k, SEDGE_SERIES_TABLE_k where simplices of order N - k begin in
// `tables` (dg_lower.h), SEDGE_SERIES_FACTOR_k = -f_k (N - k + 1) / 2.
// With SEDGE_SERIES_LOWERS, for k = 2 and 3: SEDGE_SERIES_LOWERED_k words before T w_1 and T T w_1,
// SEDGE_SERIES_WEIGHTS_k where their weights begin in `tables`, and
// SEDGE_SERIES_SHARE_k = 1 / (N - k + 4).
#pragma once

// mean, half  over the step and over its first half; the latter only where `halves` is 1, with
//             twice as many blocks
#define SEDGE_SERIES_LIST(X)                                       \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)           \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)              \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, half)              \
    X(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)    \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)            \
    X(sedge_int64, first)                                          \
    X(sedge_int64, count)                                          \
    X(int, halves)                                                 \
    X(sedge_real, dt)

// Coefficients of w_k of one element at places `place`, `place` + SEDGE_SERIES_PLACES, ..
#define SEDGE_SERIES_POWER(k, from)                                                               \
    if (is_mine) {                                                                                \
        for (int i = place; i < SEDGE_SERIES_NODES_##k; i += SEDGE_SERIES_PLACES) {               \
            const sedge_state power = find_power(from, i, SEDGE_SERIES_FACTOR_##k * step, g, m,   \
                                                 tables + SEDGE_SERIES_TABLE_##k);                \
            *(SEDGE_BLOCKWIDE sedge_state *)(w + SEDGE_SERIES_AT_##k + i * SEDGE_FIELDS) = power; \
        }                                                                                         \
    }                                                                                             \
    SEDGE_BARRIER();

// The same, and of T of `higher`, which has the order of w_k, too.
#define SEDGE_SERIES_LOWER(k, from, higher)                                                       \
    if (is_mine) {                                                                                \
        for (int i = place; i < SEDGE_SERIES_NODES_##k; i += SEDGE_SERIES_PLACES) {               \
            const sedge_state power = find_power(from, i, SEDGE_SERIES_FACTOR_##k * step, g, m,   \
                                                 tables + SEDGE_SERIES_TABLE_##k);                \
            const sedge_state lowered =                                                           \
                find_lowered(higher, i, SEDGE_SERIES_SHARE_##k, tables + SEDGE_SERIES_TABLE_##k,  \
                             tables + SEDGE_SERIES_WEIGHTS_##k);                                  \
            *(SEDGE_BLOCKWIDE sedge_state *)(w + SEDGE_SERIES_AT_##k + i * SEDGE_FIELDS) = power; \
            *(SEDGE_BLOCKWIDE sedge_state *)(w + SEDGE_SERIES_LOWERED_##k + i * SEDGE_FIELDS) =   \
                lowered;                                                                          \
        }                                                                                         \
    }                                                                                             \
    SEDGE_BARRIER();

// Coefficient i of a power of L times `factor`, from the power before.
SEDGE_FUNCTION sedge_state find_power(const SEDGE_BLOCKWIDE sedge_value *from, int i,
                                      sedge_real factor, const sedge_value *g, const sedge_value *m,
                                      const SEDGE_GLOBAL short *SEDGE_RESTRICT simplices)
{
    SEDGE_LOCAL_COPY(sedge_simplex, at, (const SEDGE_GLOBAL sedge_simplex *)simplices + i);
    sedge_state w;

    combine_slopes(w.f, from, at, g, m);
    SEDGE_EACH (f, SEDGE_FIELDS) w.f[f] = factor * w.f[f];
    return w;
}

#if SEDGE_SERIES_LOWERS
// Coefficient i of T p, from p: with beta the exponents of number i in order M of T p,
//   sum_j (beta_j + 1) / (M + 4) p_{beta + e_j}.
// `share` is 1 / (M + 4), and `weights` has all beta_j + 1 (operator_bernstein_lowered).
SEDGE_FUNCTION sedge_state find_lowered(const SEDGE_BLOCKWIDE sedge_value *from, int i,
                                        sedge_real share,
                                        const SEDGE_GLOBAL short *SEDGE_RESTRICT simplices,
                                        const SEDGE_GLOBAL short *SEDGE_RESTRICT weights)
{
    SEDGE_LOCAL_COPY(sedge_simplex, at, (const SEDGE_GLOBAL sedge_simplex *)simplices + i);
    SEDGE_LOCAL_COPY(sedge_simplex, weight, (const SEDGE_GLOBAL sedge_simplex *)weights + i);
    sedge_state w;

    SEDGE_EACH (j, 4) {
        const sedge_state corner =
            *(const SEDGE_BLOCKWIDE sedge_state *)(from + at->node[j] * SEDGE_FIELDS);
        const sedge_real part = share * (sedge_real)weight->node[j];
        SEDGE_EACH (f, SEDGE_FIELDS)
            w.f[f] = j == 0 ? part * corner.f[f] : w.f[f] + part * corner.f[f];
    }
    return w;
}
#endif

#if !SEDGE_TARGET_HOST
// States and metric terms of the block's elements into its memory: there at the next barrier.
SEDGE_FUNCTION void load_block(SEDGE_BLOCKWIDE sedge_value *s_u, SEDGE_BLOCKWIDE sedge_value *s_g,
                               const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                               const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT geometry,
                               SEDGE_BLOCKWIDE sedge_uint64 *arrived, int here)
{
#if SEDGE_BULK
    const unsigned bytes = SEDGE_NODES_PADDED * (unsigned)sizeof(sedge_state);

    if (SEDGE_THREAD == 0) {
        expect_bulk(arrived, (unsigned)here * bytes);
#if SEDGE_SERIES_STATE_STRIDE == SEDGE_NODES_PADDED * SEDGE_FIELDS
        copy_bulk(s_u, u, (unsigned)here * bytes, arrived);
#else
        for (int e = 0; e < here; e++)
            copy_bulk(s_u + e * SEDGE_SERIES_STATE_STRIDE, u + e * SEDGE_NODES_PADDED, bytes,
                      arrived);
#endif
    }
#else
    SEDGE_ITEMS (e, SEDGE_SERIES_BLOCK, p, SEDGE_WORDS / SEDGE_PACK, SEDGE_SERIES_THREADS) {
        if (e < here)
            SEDGE_COPY_PACK(s_u + e * SEDGE_SERIES_STATE_STRIDE + p * SEDGE_PACK,
                            u[e * SEDGE_NODES_PADDED].f + p * SEDGE_PACK);
    }
#endif
    SEDGE_ITEMS (e, SEDGE_SERIES_BLOCK, p, SEDGE_METRIC_WORDS / SEDGE_PACK, SEDGE_SERIES_THREADS) {
        if (e < here)
            SEDGE_COPY_PACK(s_g + e * SEDGE_METRIC_WORDS + p * SEDGE_PACK,
                            geometry[e].metric + p * SEDGE_PACK);
    }
    SEDGE_COPY_WAIT();
    SEDGE_BARRIER();
#if SEDGE_BULK
    wait_for_bulk(arrived);
#endif
    (void)arrived;
}

// What the block's items have summed, to `to`.
SEDGE_FUNCTION void store_block(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT to,
                                const SEDGE_BLOCKWIDE sedge_value *s_u, int here)
{
#if SEDGE_BULK
    const unsigned bytes = SEDGE_NODES_PADDED * (unsigned)sizeof(sedge_state);

    publish_bulk();
#endif
    SEDGE_BARRIER();
#if SEDGE_BULK
    if (SEDGE_THREAD == 0) {
#if SEDGE_SERIES_STATE_STRIDE == SEDGE_NODES_PADDED * SEDGE_FIELDS
        store_bulk(to, s_u, (unsigned)here * bytes);
#else
        for (int e = 0; e < here; e++)
            store_bulk(to + e * SEDGE_NODES_PADDED, s_u + e * SEDGE_SERIES_STATE_STRIDE, bytes);
#endif
        wait_for_stores();
    }
#else
    SEDGE_ITEMS (e, SEDGE_SERIES_BLOCK, p, SEDGE_WORDS / SEDGE_PACK, SEDGE_SERIES_THREADS) {
        if (e < here)
            *(SEDGE_GLOBAL sedge_pack *)(to[e * SEDGE_NODES_PADDED].f + p * SEDGE_PACK) =
                *(const SEDGE_BLOCKWIDE sedge_pack *)(s_u + e * SEDGE_SERIES_STATE_STRIDE +
                                                      p * SEDGE_PACK);
    }
#endif
}
#endif

SEDGE_KERNEL_RESIDENT(sedge_predict, SEDGE_SERIES_THREADS, SEDGE_SERIES_RESIDENT, SEDGE_SERIES_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 blocks = (count + SEDGE_SERIES_BLOCK - 1) / SEDGE_SERIES_BLOCK;
        const int is_half = halves != 0 && b >= blocks;
        const sedge_int64 start = first + (is_half ? b - blocks : b) * SEDGE_SERIES_BLOCK;
        SEDGE_GLOBAL sedge_state *const to = (is_half ? half : mean) + start * SEDGE_NODES_PADDED;
        const sedge_real step = is_half ? SEDGE_R(0.5) * dt : dt;
        sedge_value m[SEDGE_MATERIAL_VALUES + 1];
        sedge_value g[9];
#if SEDGE_TARGET_HOST
        SEDGE_SCRATCH(sedge_value, w, SEDGE_SERIES_SCRATCH);
        const sedge_value *const in = u[start * SEDGE_NODES_PADDED].f;
        sedge_value *const out = to[0].f;
        const sedge_value *const s_g = geometry[start].metric;
        const int place = 0;
        const int is_mine = 1;
        get_material(m, material, materials, start);
        SEDGE_EACH (k, 9) g[k] = s_g[k];
#else
        const sedge_int64 left = first + count - start;
        const int here = (int)(left < SEDGE_SERIES_BLOCK ? left : SEDGE_SERIES_BLOCK);
        SEDGE_SCRATCH(sedge_value, s_u, SEDGE_SERIES_SCRATCH);
        SEDGE_SHARED(sedge_uint64, arrived, 1);
        SEDGE_BLOCKWIDE sedge_value *const s_g =
            s_u + SEDGE_SERIES_BLOCK * SEDGE_SERIES_STATE_STRIDE;
        const int e = SEDGE_THREAD % SEDGE_SERIES_BLOCK;
        const int place = SEDGE_THREAD / SEDGE_SERIES_BLOCK;
        const int is_mine = e < here;
        SEDGE_BLOCKWIDE sedge_value *const w =
            s_g + SEDGE_SERIES_BLOCK * SEDGE_METRIC_WORDS + e * SEDGE_SERIES_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const out = s_u + e * SEDGE_SERIES_STATE_STRIDE;
        const SEDGE_BLOCKWIDE sedge_value *const in = out;

        if (is_mine) get_material(m, material, materials, start + e);
        load_block(s_u, s_g, u + start * SEDGE_NODES_PADDED, geometry + start, arrived, here);
        SEDGE_EACH (k, 9) g[k] = s_g[e * SEDGE_METRIC_WORDS + k];
#if SEDGE_BULK && SEDGE_SERIES_AHEAD > 0
        if (SEDGE_THREAD == 0 && left >= (SEDGE_SERIES_AHEAD + 1) * (sedge_int64)SEDGE_SERIES_BLOCK)
            ask_states(u, geometry, start + SEDGE_SERIES_AHEAD * SEDGE_SERIES_BLOCK,
                       SEDGE_SERIES_BLOCK);
#endif
#endif
        SEDGE_SERIES_POWER(1, in)
#if SEDGE_SERIES_LOWERS
        SEDGE_SERIES_LOWER(2, w + SEDGE_SERIES_AT_1, w + SEDGE_SERIES_AT_1)
        SEDGE_SERIES_LOWER(3, w + SEDGE_SERIES_AT_2, w + SEDGE_SERIES_LOWERED_2)
#else
#if SEDGE_SERIES >= 2
        SEDGE_SERIES_POWER(2, w + SEDGE_SERIES_AT_1)
#endif
#if SEDGE_SERIES >= 3
        SEDGE_SERIES_POWER(3, w + SEDGE_SERIES_AT_2)
#endif
#endif
#if SEDGE_SERIES_FOLDS
        if (is_mine) {
            for (int k = place; k < SEDGE_SERIES_PARTS * SEDGE_SERIES_COLUMNS;
                 k += SEDGE_SERIES_PLACES) {
                const int f = k % SEDGE_SERIES_COLUMNS;
                if (f < SEDGE_FIELDS) series_fold(k / SEDGE_SERIES_COLUMNS, w + f);
            }
        }
        SEDGE_BARRIER();
#endif
        if (is_mine) {
            for (int k = place; k < SEDGE_SERIES_PARTS * SEDGE_SERIES_COLUMNS;
                 k += SEDGE_SERIES_PLACES) {
                const int f = k % SEDGE_SERIES_COLUMNS;
                if (f < SEDGE_FIELDS) series_sum(k / SEDGE_SERIES_COLUMNS, out + f, in + f, w + f);
            }
        }
#if !SEDGE_TARGET_HOST
        store_block(to, s_u, here);
#endif
    }
}
