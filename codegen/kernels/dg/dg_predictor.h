// The prediction of an ADER step (src/dg/predictor.h), in coefficients of the Bernstein-Bezier
// basis, and the traces between elements of different levels of the time step. Types of
// dg_layout.h.
#pragma once

// ---- elements with terms or a source ------------------------------------------------------------

#ifdef SEDGE_EACH_TERM
// With L also on the terms' memory w,
//
//   mean = u + f_1 dt L v + Q dt D v,   v = u + f_2 dt L (u + f_3 dt L u),
//
// where D is the derivatives' part of L, from the innermost bracket, of full degree each: the
// bracket's fields are in the block's memory, its w in registers. A bracket is what the terms make
// of the one before at a coefficient, plus its derivatives, of order N - 1, raised by text that
// src/forms/series_products.c writes. What terms do over the step follows from the means at the
// node alone. So it is done here, u += dt s(mean) and w += dt q(mean), and the stage has no terms
// to add but matrices to multiply by.
//
// An item has a coefficient of one element of the block; of the text, a field. Neighbouring items
// have neighbouring elements, then neighbouring coefficients or fields, and strides are such that
// they meet different banks.

#define SEDGE_PREDICT_ITEMS (SEDGE_NODES * SEDGE_PREDICT_BLOCK)
#define SEDGE_NODE_PIECES   (SEDGE_FIELDS / SEDGE_PIECE_WORDS)
#define SEDGE_METRIC_PACKS  (SEDGE_METRIC_STRIDE / SEDGE_PACK)
#define SEDGE_METRIC_STRIDE 12 // words of an element's metric terms

// u, mean  the state, and the mean of the solution of u' = L u over a step of dt
// updates  whether u and the terms' memory become what terms make of them
#define SEDGE_PREDICT_LIST(X)                                      \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)                 \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)              \
    X(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)    \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)            \
    X(sedge_int64, first)                                          \
    X(sedge_int64, count)                                          \
    X(int, updates)                                                \
    X(sedge_real, dt)                                              \
    SEDGE_TERMS_LIST(X)

#ifdef SEDGE_FROM_CURLS
// The curls of the vectors of u at a coefficient of order N - 1, without the factor N/2: as
// combine_slopes, with fewer operations.
SEDGE_FUNCTION void find_curls(sedge_value *curl, const SEDGE_BLOCKWIDE sedge_value *words,
                               const sedge_simplex *at, const sedge_value *g)
{
    sedge_state corner[4];

    SEDGE_EACH (k, 4)
        corner[k] = *(const SEDGE_BLOCKWIDE sedge_state *)(words + at->node[k] * SEDGE_FIELDS);
    SEDGE_EACH (k, 3)
        SEDGE_EACH (f, SEDGE_FIELDS) corner[k + 1].f[f] = corner[k + 1].f[f] - corner[0].f[f];
    SEDGE_EACH (f, SEDGE_FIELDS) {
        const int y = (f + 1) % 3;
        const int z = (f + 2) % 3;
        curl[f] = g[y] * corner[1].f[f / 3 * 3 + z] - g[z] * corner[1].f[f / 3 * 3 + y];
        SEDGE_EACH (k, 2)
            curl[f] = curl[f] + g[3 * k + 3 + y] * corner[k + 2].f[f / 3 * 3 + z] -
                      g[3 * k + 3 + z] * corner[k + 2].f[f / 3 * 3 + y];
    }
}
#endif

// factor div F at coefficient i of order N - 1 of an element, without the factor N/2 of
// derivatives.
SEDGE_FUNCTION void find_slope(sedge_value *slope, const SEDGE_BLOCKWIDE sedge_value *states, int i,
                               sedge_int64 value, const SEDGE_BLOCKWIDE sedge_value *metric,
                               sedge_real factor, const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_LOCAL_COPY(sedge_simplex, at,
                     (const SEDGE_GLOBAL sedge_simplex *)(tables + SEDGE_SIMPLEX_AT) + i);
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];
    sedge_value g[SEDGE_METRIC_STRIDE];

    get_material(m, material, materials, value);
    SEDGE_EACH (k, SEDGE_METRIC_STRIDE / SEDGE_PACK) {
        const sedge_pack pack = *(const SEDGE_BLOCKWIDE sedge_pack *)(metric + k * SEDGE_PACK);
        SEDGE_EACH (j, SEDGE_PACK) g[k * SEDGE_PACK + j] = pack.v[j];
    }
#ifdef SEDGE_FROM_CURLS
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value curl[SEDGE_FIELDS];
    find_curls(curl, states, at, g);
    SEDGE_FROM_CURLS(curl, m, constants, slope);
#else
    combine_slopes(slope, states, at, g, m);
#endif
    SEDGE_EACH (f, SEDGE_FIELDS) slope[f] = factor * slope[f];
}

// A bracket from what terms make of it, `own`, and from derivatives: the outermost is damped.
SEDGE_FUNCTION void raise_slopes(int power, int part, SEDGE_BLOCKWIDE sedge_value *bracket,
                                 const SEDGE_BLOCKWIDE sedge_value *own,
                                 const SEDGE_BLOCKWIDE sedge_value *slopes)
{
    if (power == 1) {
        predict_last(part, bracket, own, slopes);
    } else {
        predict_sum(part, bracket, own, slopes);
    }
}

// The pieces of an element's fields that an item copies into the block's memory; and back. `to` and
// `from` are at the first of them.
SEDGE_FUNCTION void load_fields(SEDGE_BLOCKWIDE sedge_value *to,
                                const SEDGE_GLOBAL sedge_value *from)
{
    SEDGE_EACH (j, SEDGE_NODE_PIECES)
        copy_piece(to + j * SEDGE_NODES * SEDGE_PIECE_WORDS,
                   from + j * SEDGE_NODES * SEDGE_PIECE_WORDS);
}

SEDGE_FUNCTION void store_fields(SEDGE_GLOBAL sedge_value *to,
                                 const SEDGE_BLOCKWIDE sedge_value *from)
{
    SEDGE_EACH (j, SEDGE_NODE_PIECES)
        *(SEDGE_GLOBAL sedge_piece *)(to + j * SEDGE_NODES * SEDGE_PIECE_WORDS) =
            *(const SEDGE_BLOCKWIDE sedge_piece *)(from + j * SEDGE_NODES * SEDGE_PIECE_WORDS);
}

// The same of a term's memory, at coefficient n of an element.
SEDGE_FUNCTION void load_memory(SEDGE_BLOCKWIDE sedge_value *own_m,
                                const SEDGE_GLOBAL sedge_value *w, int place, int n,
                                const int words)
{
    if (place >= 0) {
        const sedge_int64 first = (sedge_int64)place * words * SEDGE_NODES_PADDED + n;
        SEDGE_EACH (k, words)
            copy_word(own_m + k * SEDGE_NODES_PADDED, w + first + k * SEDGE_NODES_PADDED);
    }
}

SEDGE_FUNCTION void store_memory(SEDGE_GLOBAL sedge_value *w,
                                 const SEDGE_BLOCKWIDE sedge_value *own_m, int place, int n,
                                 const int words)
{
    if (place >= 0) {
        const sedge_int64 first = (sedge_int64)place * words * SEDGE_NODES_PADDED + n;
        SEDGE_EACH (k, words) w[first + k * SEDGE_NODES_PADDED] = own_m[k * SEDGE_NODES_PADDED];
    }
}

// A bracket's memory at a coefficient: w at first, then w + factor times what it holds.
SEDGE_FUNCTION void start_bracket(sedge_value *bracket, const SEDGE_BLOCKWIDE sedge_value *own_w,
                                  int place, const int words)
{
    if (place >= 0)
        SEDGE_EACH (k, words) bracket[k] = own_w[k * SEDGE_NODES_PADDED];
}

SEDGE_FUNCTION void end_bracket(sedge_value *bracket, const SEDGE_BLOCKWIDE sedge_value *own_w,
                                sedge_real factor, int place, const int words)
{
    if (place >= 0)
        SEDGE_EACH (k, words) bracket[k] = own_w[k * SEDGE_NODES_PADDED] + factor * bracket[k];
}

// The memory after the step.
SEDGE_FUNCTION void keep_bracket(SEDGE_BLOCKWIDE sedge_value *own_w, const sedge_value *bracket,
                                 int place, const int words)
{
    if (place >= 0)
        SEDGE_EACH (k, words) own_w[k * SEDGE_NODES_PADDED] = bracket[k];
}

// Of term i: where its memory at the item's coefficient lies in the block's, and in the item's.
#define SEDGE_PREDICT_OWN(i) (own_m + SEDGE_TERM_AT_##i * SEDGE_NODES_PADDED)
#define SEDGE_PREDICT_W(i)   (SEDGE_MINE(bracket, item) + SEDGE_TERM_AT_##i)

#define SEDGE_PREDICT_LOAD(i)                                                           \
    load_memory(SEDGE_PREDICT_OWN(i), term_memory_##i, (term_places_##i + start)[e], n, \
                SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_STORE(i)                                                           \
    store_memory(term_memory_##i, SEDGE_PREDICT_OWN(i), (term_places_##i + start)[e], n, \
                 SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_START(i)                                                            \
    start_bracket(SEDGE_PREDICT_W(i), SEDGE_PREDICT_OWN(i), (term_places_##i + start)[e], \
                  SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_KEEP(i)                                                            \
    keep_bracket(SEDGE_PREDICT_OWN(i), SEDGE_PREDICT_W(i), (term_places_##i + start)[e], \
                 SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_APPLY(i, fields)                                                          \
    predict_term_##i(rate, fields, SEDGE_PREDICT_W(i), start + e, material, materials,          \
                     term_places_##i, term_parameters_##i);                                     \
    end_bracket(SEDGE_PREDICT_W(i), SEDGE_PREDICT_OWN(i), factor, (term_places_##i + start)[e], \
                SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_BEFORE(i) SEDGE_PREDICT_APPLY(i, before.f)
#ifdef SEDGE_EACH_MULTIPLY
#define SEDGE_PREDICT_MULTIPLY(rate) \
    multiply_rate(rate, start + e, material SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#else
#define SEDGE_PREDICT_MULTIPLY(rate)
#endif
// The order is that of add_terms (dg_terms.h).
#ifdef SEDGE_EACH_DRIVE
#define SEDGE_PREDICT_SEEN(i) SEDGE_PREDICT_APPLY(i, seen)
#define SEDGE_PREDICT_DRIVE(i)                                                        \
    predict_drive_##i(seen, SEDGE_PREDICT_W(i), start + e, material, term_places_##i, \
                      term_parameters_##i);
#define SEDGE_PREDICT_TERMS                             \
    sedge_value seen[SEDGE_FIELDS];                     \
    SEDGE_EACH (f, SEDGE_FIELDS) seen[f] = before.f[f]; \
    SEDGE_EACH_DRIVE(SEDGE_PREDICT_DRIVE)               \
    SEDGE_EACH_DRIVEN(SEDGE_PREDICT_SEEN)               \
    SEDGE_PREDICT_MULTIPLY(rate)                        \
    SEDGE_EACH_DRIVE(SEDGE_PREDICT_BEFORE)
#else
#define SEDGE_PREDICT_TERMS               \
    SEDGE_EACH_TERM(SEDGE_PREDICT_BEFORE) \
    SEDGE_PREDICT_MULTIPLY(rate)
#endif

SEDGE_KERNEL_RESIDENT(sedge_predict_terms, SEDGE_PREDICT_THREADS, SEDGE_PREDICT_RESIDENT,
                      SEDGE_PREDICT_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_PREDICT_BLOCK;
        const sedge_int64 left = first + count - start;
        const int here = (int)(left < SEDGE_PREDICT_BLOCK ? left : SEDGE_PREDICT_BLOCK);
        SEDGE_GLOBAL sedge_value *const words = u[start * SEDGE_NODES_PADDED].f;
        SEDGE_GLOBAL sedge_value *const means = mean[start * SEDGE_NODES_PADDED].f;
        // Metric terms; the bracket; the next one without derivatives, and at last u; derivatives;
        // the terms' memory.
        SEDGE_SCRATCH(sedge_value, s_g, SEDGE_PREDICT_SCRATCH);
        SEDGE_BLOCKWIDE sedge_value *const s_v = s_g + SEDGE_PREDICT_BLOCK * SEDGE_METRIC_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_t = s_v + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_l = s_t + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_STRIDE;
        SEDGE_BLOCKWIDE sedge_value *const s_m =
            s_l + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_LOWER_STRIDE;
        SEDGE_PRIVATE(sedge_value, state, SEDGE_PREDICT_ITEMS, SEDGE_FIELDS);
        SEDGE_PRIVATE(sedge_value, bracket, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_WORDS + 1);

        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
            const int e = item / SEDGE_NODES;
            const int n = item % SEDGE_NODES;
            if (e < here) {
                SEDGE_BLOCKWIDE sedge_value *const own_m =
                    s_m + e * SEDGE_PREDICT_MEMORY_STRIDE + n;
                load_fields(s_v + e * SEDGE_PREDICT_STRIDE + n * SEDGE_PIECE_WORDS,
                            words + e * SEDGE_WORDS + n * SEDGE_PIECE_WORDS);
                SEDGE_EACH_TERM(SEDGE_PREDICT_LOAD)
                (void)own_m;
            }
        }
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_BLOCK * SEDGE_METRIC_PACKS, SEDGE_PREDICT_THREADS) {
            const int e = item / SEDGE_METRIC_PACKS;
            const int p = item % SEDGE_METRIC_PACKS;
            if (e < here)
                SEDGE_COPY_PACK(s_g + e * SEDGE_METRIC_STRIDE + p * SEDGE_PACK,
                                geometry[start + e].metric + p * SEDGE_PACK);
        }
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
            const int n = item / SEDGE_PREDICT_BLOCK;
            const int e = item % SEDGE_PREDICT_BLOCK;
            if (e < here) {
                const SEDGE_BLOCKWIDE sedge_value *const own_m =
                    s_m + e * SEDGE_PREDICT_MEMORY_STRIDE + n;
                const sedge_state own =
                    *(const SEDGE_BLOCKWIDE sedge_state *)(s_v + e * SEDGE_PREDICT_STRIDE +
                                                           n * SEDGE_FIELDS);
                SEDGE_EACH (f, SEDGE_FIELDS) SEDGE_MINE(state, item)[f] = own.f[f];
                SEDGE_EACH_TERM(SEDGE_PREDICT_START)
                (void)own_m;
            }
        }
        // Behind the last power of L: what the terms do over the step.
        SEDGE_UNROLL
        for (int power = SEDGE_PREDICT_POWERS; power >= 0; power--) {
            if (power == 0 && updates == 0) break;
            const sedge_real factor = dt * (power == 0   ? SEDGE_R(1.0)
                                            : power == 1 ? SEDGE_PREDICT_FACTOR_1
                                            : power == 2 ? SEDGE_PREDICT_FACTOR_2
                                                         : SEDGE_PREDICT_FACTOR_3);
            if (power > 0) {
                SEDGE_ITEMS_1D (item, SEDGE_LOWER_NODES * SEDGE_PREDICT_BLOCK,
                                SEDGE_PREDICT_THREADS) {
                    const int i = item / SEDGE_PREDICT_BLOCK;
                    const int e = item % SEDGE_PREDICT_BLOCK;
                    if (e < here) {
                        sedge_state slope;
                        find_slope(slope.f, s_v + e * SEDGE_PREDICT_STRIDE, i, start + e,
                                   s_g + e * SEDGE_METRIC_STRIDE,
                                   SEDGE_R(-0.5 * SEDGE_ORDER) * factor, material, materials,
                                   tables);
                        SEDGE_PREDICT_MULTIPLY(slope.f)
                        *(SEDGE_BLOCKWIDE sedge_state *)(s_l + e * SEDGE_PREDICT_LOWER_STRIDE +
                                                         i * SEDGE_FIELDS) = slope;
                    }
                }
            }
            SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
                const int n = item / SEDGE_PREDICT_BLOCK;
                const int e = item % SEDGE_PREDICT_BLOCK;
                if (e < here) {
                    const int at = e * SEDGE_PREDICT_STRIDE + n * SEDGE_FIELDS;
                    SEDGE_BLOCKWIDE sedge_value *const own_m =
                        s_m + e * SEDGE_PREDICT_MEMORY_STRIDE + n;
                    const sedge_state before = *(const SEDGE_BLOCKWIDE sedge_state *)(s_v + at);
                    const sedge_value *const own = SEDGE_MINE(state, item);
                    sedge_value rate[SEDGE_FIELDS];
                    sedge_state next;
                    SEDGE_EACH (f, SEDGE_FIELDS) rate[f] = SEDGE_SPLAT(0.0);
                    SEDGE_PREDICT_TERMS
                    SEDGE_EACH (f, SEDGE_FIELDS) next.f[f] = own[f] + factor * rate[f];
                    *(SEDGE_BLOCKWIDE sedge_state *)(s_t + at) = next;
                    if (power == 0) {
                        SEDGE_EACH_TERM(SEDGE_PREDICT_KEEP)
                    }
                    (void)own_m;
                }
            }
            SEDGE_BARRIER();
            if (power > 0) {
                const int parts = power == 1 ? SEDGE_PREDICT_LAST_PARTS : SEDGE_PREDICT_PARTS;
                SEDGE_ITEMS_1D (item, parts * SEDGE_PREDICT_COLUMNS * SEDGE_PREDICT_BLOCK,
                                SEDGE_PREDICT_THREADS) {
                    const int c = item / SEDGE_PREDICT_BLOCK;
                    const int e = item % SEDGE_PREDICT_BLOCK;
                    const int f = c % SEDGE_PREDICT_COLUMNS;
                    if (e < here && f < SEDGE_FIELDS)
                        raise_slopes(power, c / SEDGE_PREDICT_COLUMNS,
                                     s_v + e * SEDGE_PREDICT_STRIDE + f,
                                     s_t + e * SEDGE_PREDICT_STRIDE + f,
                                     s_l + e * SEDGE_PREDICT_LOWER_STRIDE + f);
                }
                SEDGE_BARRIER();
            }
        }
        SEDGE_ITEMS_1D (item, SEDGE_PREDICT_ITEMS, SEDGE_PREDICT_THREADS) {
            const int e = item / SEDGE_NODES;
            const int n = item % SEDGE_NODES;
            if (e < here) {
                const SEDGE_BLOCKWIDE sedge_value *const own_m =
                    s_m + e * SEDGE_PREDICT_MEMORY_STRIDE + n;
                const int at = e * SEDGE_PREDICT_STRIDE + n * SEDGE_PIECE_WORDS;
                const int to = e * SEDGE_WORDS + n * SEDGE_PIECE_WORDS;
                store_fields(means + to, s_v + at);
                if (updates != 0) {
                    store_fields(words + to, s_t + at);
                    SEDGE_EACH_TERM(SEDGE_PREDICT_STORE)
                }
                (void)own_m;
            }
        }
    }
}
#endif

// ---- point sources ------------------------------------------------------------------------------

// What a point source g f(t) adds to the means, one block for each SIMD batch on which it acts, as
// sedge_point_source has them: sum_m c_m L^m g with c_m the mean over the step of
//   int_0^s (s - r)^m / m! f(t + r) dr,
// by the step's Gauss points. `weights` [1 + powers][blocks][nodes]: (scale L)^m g. The step begins
// at clock + delay. The prediction before did not see this: with `acts` there are as many weights
// more, what the equation's source makes of the former, by which the state changes over the step.
#define SEDGE_PREDICT_POINT_LIST(X)                            \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)          \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, half)          \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, state)         \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, weights) \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, values)  \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, signal)       \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, clock)        \
    X(double, delay)                                           \
    X(double, dt)                                              \
    X(double, scale)                                           \
    X(int, powers)                                             \
    X(int, acts)                                               \
    X(sedge_int64, blocks)

// Add the source's part of the mean over `dt`, times `part`, to `to`.
SEDGE_FUNCTION void add_source_mean(SEDGE_GLOBAL sedge_state *to,
                                    const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT weights,
                                    sedge_int64 step, const SEDGE_GLOBAL double *signal,
                                    double begin, double dt, double scale, int powers, double part)
{
    const double times[SEDGE_TIMES] = {SEDGE_TIME_POINTS};
    const double shares[SEDGE_TIMES] = {SEDGE_TIME_WEIGHTS};
    double factor[SEDGE_TIMES];
    SEDGE_PRIVATE_COPY(double, numbers, signal, SEDGE_SIGNAL_VALUES);

    for (int q = 0; q < SEDGE_TIMES; q++)
        factor[q] = shares[q] * sedge_signal(numbers, begin + times[q] * dt);
    for (int m = 0; m <= powers; m++) {
        double sum = 0.0;
        for (int q = 0; q < SEDGE_TIMES; q++) {
            factor[q] *= (m == 0 ? dt : dt / scale) * (1.0 - times[q]) / (m + 1);
            sum += factor[q];
        }
        SEDGE_EACH (f, SEDGE_FIELDS) to->f[f] += (sedge_real)(part * sum) * weights[m * step].f[f];
    }
}

SEDGE_KERNEL(sedge_predict_point, SEDGE_MONITOR_THREADS, SEDGE_PREDICT_POINT_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (n, SEDGE_NODES, SEDGE_MONITOR_THREADS) {
            const sedge_int64 at = values[b] * SEDGE_NODES_PADDED + n;
            const SEDGE_GLOBAL sedge_state *const own = weights + b * SEDGE_NODES + n;
            const sedge_int64 step = blocks * SEDGE_NODES;
            add_source_mean(mean + at, own, step, signal, clock[0] + delay, dt, scale, powers, 1.0);
            add_source_mean(half + at, own, step, signal, clock[0] + delay, 0.5 * dt, scale, powers,
                            1.0);
            if (acts != 0)
                add_source_mean(state + at, own + (1 + powers) * step, step, signal,
                                clock[0] + delay, dt, scale, powers, dt);
        }
    }
}

// to = from at all coefficients of `count` SIMD batches from `first` on.
#define SEDGE_COPY_STATES_LIST(X)                           \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, from) \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, to)         \
    X(sedge_int64, first)                                   \
    X(sedge_int64, count)

SEDGE_KERNEL(sedge_copy_states, SEDGE_TRACE_THREADS, SEDGE_COPY_STATES_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (k, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + k;
            if (at < count * SEDGE_NODES_PADDED)
                to[first * SEDGE_NODES_PADDED + at] = from[first * SEDGE_NODES_PADDED + at];
        }
    }
}

// mean = bracket + damping (bracket - u), one block for each SIMD batch of curved elements from
// `first` on; damping [from][to].
#define SEDGE_DAMP_CURVED_LIST(X)                              \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)       \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, bracket) \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)          \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, damping)  \
    X(sedge_int64, first)

SEDGE_KERNEL(sedge_damp_curved, SEDGE_TRACE_THREADS, SEDGE_DAMP_CURVED_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (n, SEDGE_NODES, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = (first + b) * SEDGE_NODES_PADDED;
            sedge_state sum = bracket[at + n];
            for (int j = 0; j < SEDGE_NODES; j++) {
                const sedge_real weight = damping[j * SEDGE_NODES + n];
                SEDGE_EACH (f, SEDGE_FIELDS)
                    sum.f[f] = sum.f[f] + weight * (bracket[at + j].f[f] - u[at + j].f[f]);
            }
            mean[at + n] = sum;
        }
    }
}

// ---- traces between levels ---------------------------------------------------------------------

// A face behind which is another level, or another rank: the slot of its element, its number there,
// the element's level, and the level behind it minus that.
typedef struct SEDGE_ALIGN(16) sedge_step_face {
    int slot;
    int face;
    int level;
    int behind;
} sedge_step_face;

// Levels 0 to `started` begin a step now. For each face the mean of its element's trace over the
// present step of the element behind it, at `points` points of faces, in the order of the own
// face's nodes. A trace stays unchanged if no step began on either side. Those that change are
// stored in the `parcels`, too, if there are any, and `ended` is as in dg_trace.h.
#define SEDGE_STEP_TRACES_LIST(X)                                \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)      \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, half)      \
    X(const SEDGE_GLOBAL sedge_step_face *SEDGE_RESTRICT, faces) \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)          \
    X(SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT, trace)           \
    X(const SEDGE_GLOBAL sedge_parcel *SEDGE_RESTRICT, parcel)   \
    X(SEDGE_GLOBAL int *SEDGE_RESTRICT, ended)                   \
    X(sedge_int64, points)                                       \
    X(int, parcels)                                              \
    X(int, turns)                                                \
    X(int, started)

// Whether a step begins on one of its sides.
#define SEDGE_FACE_BEGINS(face, started) \
    ((face).level + ((face).behind < 0 ? (face).behind : 0) <= (started))

// Point `at` of all that `trace` begins with, in its parcel.
SEDGE_FUNCTION void store_parcel(SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace,
                                 const SEDGE_GLOBAL sedge_parcel *SEDGE_RESTRICT parcel,
                                 int parcels, sedge_int64 at)
{
    SEDGE_GLOBAL char *const from = (SEDGE_GLOBAL char *)trace;
    int to = 0;

    while (to + 1 < parcels && parcel[to + 1].first <= at * SEDGE_FIELDS) to++;
    ((SEDGE_GLOBAL sedge_point *)(from + parcel[to].bytes))[at] = trace[at];
}

// The trace of point `at`.
SEDGE_FUNCTION void make_step_trace(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT mean,
                                    const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT half,
                                    const sedge_step_face face, int node,
                                    SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace, sedge_int64 at,
                                    int started)
{
    const int begins = face.level <= started;
    const int behind_begins = face.level + face.behind <= started;

    if (face.behind == 0 && begins) trace[at] = get_trace(mean, face.slot, node);
    if (face.behind < 0 && begins) trace[at] = get_trace(half, face.slot, node);
    if (face.behind < 0 && !begins && behind_begins) {
        const sedge_point whole = get_trace(mean, face.slot, node);
        const sedge_point first = get_trace(half, face.slot, node);
        SEDGE_EACH (f, SEDGE_FIELDS) trace[at].f[f] = SEDGE_R(2.0) * whole.f[f] - first.f[f];
    }
    if (face.behind > 0 && begins) {
        const sedge_point whole = get_trace(mean, face.slot, node);
        SEDGE_EACH (f, SEDGE_FIELDS) {
            const sedge_real before = behind_begins ? SEDGE_R(0.0) : trace[at].f[f];
            trace[at].f[f] = before + SEDGE_R(0.5) * whole.f[f];
        }
    }
}

// `turns` as in sedge_collect.
SEDGE_KERNEL(sedge_step_traces, SEDGE_SENT_THREADS, SEDGE_STEP_TRACES_LIST)
{
    SEDGE_OUTER (b) {
        for (int turn = 0; turn < turns; turn++) {
            SEDGE_ITEMS_1D (k, SEDGE_SENT_THREADS, SEDGE_SENT_THREADS) {
                const sedge_int64 at = (b * turns + turn) * SEDGE_SENT_THREADS + k;
                if (at < points) {
                    const sedge_step_face face = faces[at / SEDGE_FACE_NODES];
                    const int node =
                        tables[face.face * SEDGE_FACE_NODES + (int)(at % SEDGE_FACE_NODES)];
                    make_step_trace(mean, half, face, node, trace, at, started);
                    if (parcels > 0 && SEDGE_FACE_BEGINS(face, started))
                        store_parcel(trace, parcel, parcels, at);
                }
            }
        }
#if SEDGE_TARGET_CUDA
        if (ended != 0 && SEDGE_LAST_BLOCK(ended)) {
            for (int i = 0; i < parcels; i++)
                *(volatile SEDGE_GLOBAL int *)((SEDGE_GLOBAL char *)trace + parcel[i].flag) = 1;
        }
#endif
    }
    (void)ended;
}

// trace = what other ranks stored of faces where a step begins, at `points` points of them.
#define SEDGE_TAKE_TRACES_LIST(X)                                \
    X(const SEDGE_GLOBAL sedge_step_face *SEDGE_RESTRICT, faces) \
    X(const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT, stored)    \
    X(SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT, trace)           \
    X(sedge_int64, points)                                       \
    X(int, started)

SEDGE_KERNEL(sedge_take_traces, SEDGE_TRACE_THREADS, SEDGE_TAKE_TRACES_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (k, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + k;
            if (at < points && SEDGE_FACE_BEGINS(faces[at / SEDGE_FACE_NODES], started))
                trace[at] = stored[at];
        }
    }
}
