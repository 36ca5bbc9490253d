// The prediction of an ADER step (src/dg/predictor.h), in coefficients of the Bernstein-Bezier
// basis, and the traces between elements of different levels of the time step. Types of
// dg_layout.h.
#pragma once

// ---- elements with terms or a source ------------------------------------------------------------

#ifdef SEDGE_EACH_TERM
// Behind the simplices of dg_lower.h, for each coefficient alpha of order N: the coefficients
// alpha - e_0, .., alpha - e_3 of order N - 1, and alpha itself. Where alpha_j = 0 the entry is not
// used.
typedef struct SEDGE_ALIGN(8) sedge_raise {
    short lower[4];
    short alpha[4];
} sedge_raise;

#define SEDGE_RAISE_AT (SEDGE_SIMPLEX_AT + 4 * SEDGE_LOWER_NODES)

// Work items of a block: coefficients of SEDGE_PREDICT_BLOCK values. Each keeps the sums at its
// coefficient; in the block's memory are the last power of L applied to u, its derivatives, and the
// geometry.
#define SEDGE_PREDICT_ITEMS (SEDGE_PREDICT_BLOCK * SEDGE_NODES)

// mean, half  the means of the solution of u' = L u over the step and its first half, by the powers
//             of L up to `terms`; `half` is written where `halves` is not 0
// Terms: their memory w is read as u is, and its mean is written to their residual.
#define SEDGE_PREDICT_LIST(X)                                      \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)           \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)              \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, half)              \
    X(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)    \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)            \
    X(sedge_int64, first)                                          \
    X(sedge_int64, count)                                          \
    X(int, terms)                                                  \
    X(int, halves)                                                 \
    X(sedge_real, dt)                                              \
    SEDGE_TERMS_LIST(X)

// rate = -div F at coefficient n of an element, from its derivatives s_l.
SEDGE_FUNCTION void raise_rate(sedge_value *rate, const SEDGE_BLOCKWIDE sedge_value *s_l, int n,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    SEDGE_LOCAL_COPY(sedge_raise, at,
                     (const SEDGE_GLOBAL sedge_raise *)(tables + SEDGE_RAISE_AT) + n);

    SEDGE_EACH (f, SEDGE_FIELDS) rate[f] = SEDGE_SPLAT(0.0);
    SEDGE_EACH (j, 4) {
        const sedge_real factor = SEDGE_R(-0.5) * (sedge_real)at->alpha[j];
        SEDGE_EACH (f, SEDGE_FIELDS)
            rate[f] = rate[f] + factor * s_l[at->lower[j] * SEDGE_FIELDS + f];
    }
}

// A term's memory at coefficient n of a SIMD batch, `words` components of all poles: zero where the
// batch does not have the term.
SEDGE_FUNCTION void load_memory(sedge_value *chain, sedge_value *sum,
                                const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT w, int place, int n,
                                const int words)
{
    const sedge_int64 at = (sedge_int64)place * words * SEDGE_NODES_PADDED + n;

    SEDGE_EACH (k, words) {
        chain[k] = SEDGE_SPLAT(0.0);
        if (place >= 0) chain[k] = w[at + k * SEDGE_NODES_PADDED];
        sum[k] = chain[k];
    }
}

SEDGE_FUNCTION void store_memory(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT w, const sedge_value *sum,
                                 int place, int n, const int words)
{
    const sedge_int64 at = (sedge_int64)place * words * SEDGE_NODES_PADDED + n;

    if (place >= 0)
        SEDGE_EACH (k, words) w[at + k * SEDGE_NODES_PADDED] = sum[k];
}

// The next power of L: chain, which holds L w, becomes factor L w and is added to the sum.
SEDGE_FUNCTION void add_memory(sedge_value *chain, sedge_value *sum, sedge_real factor,
                               const int words)
{
    SEDGE_EACH (k, words) {
        chain[k] = factor * chain[k];
        sum[k] = sum[k] + chain[k];
    }
}

#define SEDGE_PREDICT_PRIVATE(i)                                                          \
    SEDGE_PRIVATE(sedge_value, chain_##i, SEDGE_PREDICT_ITEMS, SEDGE_TERM_WORDS_##i + 1); \
    SEDGE_PRIVATE(sedge_value, sum_##i, SEDGE_PREDICT_ITEMS, SEDGE_TERM_WORDS_##i + 1);
#define SEDGE_PREDICT_LOAD(i)                                                            \
    load_memory(SEDGE_MINE(chain_##i, item), SEDGE_MINE(sum_##i, item), term_memory_##i, \
                term_places_##i[start + e], n, SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_STORE(i)                                                                \
    store_memory(term_residual_##i, SEDGE_MINE(sum_##i, item), term_places_##i[start + e], n, \
                 SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_APPLY(i, fields)                                                          \
    predict_term_##i(rate, fields, SEDGE_MINE(chain_##i, item), start + e, material, materials, \
                     term_places_##i, term_parameters_##i);                                     \
    add_memory(SEDGE_MINE(chain_##i, item), SEDGE_MINE(sum_##i, item), factor,                  \
               SEDGE_TERM_WORDS_##i);
#define SEDGE_PREDICT_OWN(i) SEDGE_PREDICT_APPLY(i, before)
#ifdef SEDGE_EACH_MULTIPLY
#define SEDGE_PREDICT_MULTIPLY \
    multiply_rate(rate, start + e, material SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#else
#define SEDGE_PREDICT_MULTIPLY
#endif
// The order is that of add_terms (dg_terms.h).
#ifdef SEDGE_EACH_DRIVE
#define SEDGE_PREDICT_SEEN(i) SEDGE_PREDICT_APPLY(i, seen)
#define SEDGE_PREDICT_DRIVE(i)                                                                 \
    predict_drive_##i(seen, SEDGE_MINE(chain_##i, item), start + e, material, term_places_##i, \
                      term_parameters_##i);
#define SEDGE_PREDICT_TERMS                           \
    sedge_value seen[SEDGE_FIELDS];                   \
    SEDGE_EACH (f, SEDGE_FIELDS) seen[f] = before[f]; \
    SEDGE_EACH_DRIVE(SEDGE_PREDICT_DRIVE)             \
    SEDGE_EACH_DRIVEN(SEDGE_PREDICT_SEEN)             \
    SEDGE_PREDICT_MULTIPLY                            \
    SEDGE_EACH_DRIVE(SEDGE_PREDICT_OWN)
#else
#define SEDGE_PREDICT_TERMS            \
    SEDGE_EACH_TERM(SEDGE_PREDICT_OWN) \
    SEDGE_PREDICT_MULTIPLY
#endif

SEDGE_KERNEL(sedge_predict_terms, SEDGE_PREDICT_THREADS, SEDGE_PREDICT_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_PREDICT_BLOCK;
        const sedge_int64 left = count - b * SEDGE_PREDICT_BLOCK;
        SEDGE_SCRATCH(sedge_value, s_w, SEDGE_PREDICT_SCRATCH);
        SEDGE_BLOCKWIDE sedge_value *const s_l = s_w + SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_STRIDE;
        SEDGE_PRIVATE(sedge_value, sums, SEDGE_PREDICT_ITEMS, 2 * SEDGE_FIELDS);
        SEDGE_EACH_TERM(SEDGE_PREDICT_PRIVATE)
#if SEDGE_TARGET_HOST
        const sedge_geometry *const s_x = geometry + start;
#else
        SEDGE_BLOCKWIDE sedge_geometry *const s_x =
            (SEDGE_BLOCKWIDE sedge_geometry *)(s_l +
                                               SEDGE_PREDICT_BLOCK * SEDGE_PREDICT_LOWER_STRIDE);
        SEDGE_ITEMS (e, SEDGE_PREDICT_BLOCK, w, SEDGE_GEOMETRY_WORDS, SEDGE_PREDICT_THREADS) {
            if (e < left)
                ((SEDGE_BLOCKWIDE sedge_value *)(s_x + e))[w] =
                    ((const SEDGE_GLOBAL sedge_value *)(geometry + start + e))[w];
        }
#endif
        SEDGE_ITEMS (e, SEDGE_PREDICT_BLOCK, n, SEDGE_NODES, SEDGE_PREDICT_THREADS) {
            if (e < left) {
                const int item = e * SEDGE_NODES + n;
                sedge_value *const sum = SEDGE_MINE(sums, item);
                const sedge_state own = u[(start + e) * SEDGE_NODES_PADDED + n];
                SEDGE_EACH (f, SEDGE_FIELDS) {
                    s_w[e * SEDGE_PREDICT_STRIDE + n * SEDGE_FIELDS + f] = own.f[f];
                    sum[f] = own.f[f];
                    sum[SEDGE_FIELDS + f] = own.f[f];
                }
                SEDGE_EACH_TERM(SEDGE_PREDICT_LOAD)
                (void)item;
            }
        }
        sedge_real part = SEDGE_R(1.0);
        for (int power = 1; power <= terms; power++) {
            const sedge_real factor =
                (power == 1 ? SEDGE_PREDICT_LEAN * dt : dt) / (sedge_real)(power + 1);
            part = part * SEDGE_R(0.5);
            SEDGE_BARRIER();
            SEDGE_ITEMS (e, SEDGE_PREDICT_BLOCK, i, SEDGE_LOWER_NODES, SEDGE_PREDICT_THREADS) {
                if (e < left) {
                    sedge_value w[SEDGE_FIELDS];
                    find_lower(w, s_w + e * SEDGE_PREDICT_STRIDE, i, start + e, s_x + e, material,
                               materials, tables);
                    SEDGE_EACH (f, SEDGE_FIELDS)
                        s_l[e * SEDGE_PREDICT_LOWER_STRIDE + i * SEDGE_FIELDS + f] = w[f];
                }
            }
            SEDGE_BARRIER();
            SEDGE_ITEMS (e, SEDGE_PREDICT_BLOCK, n, SEDGE_NODES, SEDGE_PREDICT_THREADS) {
                if (e < left) {
                    const int item = e * SEDGE_NODES + n;
                    sedge_value *const sum = SEDGE_MINE(sums, item);
                    SEDGE_BLOCKWIDE sedge_value *const own =
                        s_w + e * SEDGE_PREDICT_STRIDE + n * SEDGE_FIELDS;
                    sedge_value rate[SEDGE_FIELDS];
                    raise_rate(rate, s_l + e * SEDGE_PREDICT_LOWER_STRIDE, n, tables);
                    sedge_value before[SEDGE_FIELDS];
                    SEDGE_EACH (f, SEDGE_FIELDS) before[f] = own[f];
                    SEDGE_PREDICT_TERMS
                    SEDGE_EACH (f, SEDGE_FIELDS) {
                        const sedge_value now = factor * rate[f];
                        own[f] = now;
                        sum[f] = sum[f] + now;
                        sum[SEDGE_FIELDS + f] = sum[SEDGE_FIELDS + f] + part * now;
                    }
                }
            }
        }
        SEDGE_ITEMS (e, SEDGE_PREDICT_BLOCK, n, SEDGE_NODES, SEDGE_PREDICT_THREADS) {
            if (e < left) {
                const int item = e * SEDGE_NODES + n;
                sedge_value *const sum = SEDGE_MINE(sums, item);
                const sedge_int64 at = (start + e) * SEDGE_NODES_PADDED + n;
                sedge_state out;
                SEDGE_EACH (f, SEDGE_FIELDS) out.f[f] = sum[f];
                mean[at] = out;
                SEDGE_EACH (f, SEDGE_FIELDS) out.f[f] = sum[SEDGE_FIELDS + f];
                if (halves != 0) half[at] = out;
                SEDGE_EACH_TERM(SEDGE_PREDICT_STORE)
                (void)item;
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
// at clock + delay.
#define SEDGE_PREDICT_POINT_LIST(X)                            \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)          \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, half)          \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, weights) \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, values)  \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, signal)       \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, clock)        \
    X(double, delay)                                           \
    X(double, dt)                                              \
    X(double, scale)                                           \
    X(int, powers)                                             \
    X(sedge_int64, blocks)

// Add the source's part of the mean over `dt` to `to`.
SEDGE_FUNCTION void add_source_mean(SEDGE_GLOBAL sedge_state *to,
                                    const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT weights,
                                    sedge_int64 step, const SEDGE_GLOBAL double *signal,
                                    double begin, double dt, double scale, int powers)
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
        SEDGE_EACH (f, SEDGE_FIELDS) to->f[f] += (sedge_real)sum * weights[m * step].f[f];
    }
}

SEDGE_KERNEL(sedge_predict_point, SEDGE_MONITOR_THREADS, SEDGE_PREDICT_POINT_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (n, SEDGE_NODES, SEDGE_MONITOR_THREADS) {
            const sedge_int64 at = values[b] * SEDGE_NODES_PADDED + n;
            const SEDGE_GLOBAL sedge_state *const own = weights + b * SEDGE_NODES + n;
            const sedge_int64 step = blocks * SEDGE_NODES;
            add_source_mean(mean + at, own, step, signal, clock[0] + delay, dt, scale, powers);
            add_source_mean(half + at, own, step, signal, clock[0] + delay, 0.5 * dt, scale,
                            powers);
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

SEDGE_KERNEL(sedge_step_traces, SEDGE_TRACE_THREADS, SEDGE_STEP_TRACES_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (k, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + k;
            if (at < points) {
                const sedge_step_face face = faces[at / SEDGE_FACE_NODES];
                const int node =
                    tables[face.face * SEDGE_FACE_NODES + (int)(at % SEDGE_FACE_NODES)];
                const int begins = face.level <= started;
                const int behind_begins = face.level + face.behind <= started;
                if (face.behind == 0 && begins) trace[at] = get_trace(mean, face.slot, node);
                if (face.behind < 0 && begins) trace[at] = get_trace(half, face.slot, node);
                if (face.behind < 0 && !begins && behind_begins) {
                    const sedge_point whole = get_trace(mean, face.slot, node);
                    const sedge_point first = get_trace(half, face.slot, node);
                    SEDGE_EACH (f, SEDGE_FIELDS)
                        trace[at].f[f] = SEDGE_R(2.0) * whole.f[f] - first.f[f];
                }
                if (face.behind > 0 && begins) {
                    const sedge_point whole = get_trace(mean, face.slot, node);
                    SEDGE_EACH (f, SEDGE_FIELDS) {
                        const sedge_real before = behind_begins ? SEDGE_R(0.0) : trace[at].f[f];
                        trace[at].f[f] = before + SEDGE_R(0.5) * whole.f[f];
                    }
                }
                if (parcels > 0 && SEDGE_FACE_BEGINS(face, started))
                    store_parcel(trace, parcel, parcels, at);
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
