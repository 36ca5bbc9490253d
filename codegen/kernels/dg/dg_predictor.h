// What belongs to the predictions of ADER steps (src/dg/predictor.h) of all elements: point
// sources, the damping in curved elements, and the traces between elements of different levels of
// the time step. Types of dg_layout.h.
#pragma once

// ---- point sources ------------------------------------------------------------------------------

// What a point source g f(t) adds to the means, one block for each SIMD batch on which it acts, as
// sedge_point_source has them: sum_m c_m L^m g with c_m the mean over the step of
//   int_0^s (s - r)^m / m! f(t + r) dr,
// by the step's Gauss points. `weights` [1 + powers][blocks][nodes]: (scale L)^m g. The step begins
// at clock + delay. The prediction before did not see this: with `acts` there are as many weights
// more, what the equation's source and terms make of the former, by which the state changes over
// the step.
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

// The factors of the source's weights in its part of the mean over `dt`: c_m / scale^m.
SEDGE_FUNCTION void find_source_factors(double *factors, const SEDGE_GLOBAL double *signal,
                                        double begin, double dt, double scale, int powers)
{
    const double times[SEDGE_TIMES] = {SEDGE_TIME_POINTS};
    const double shares[SEDGE_TIMES] = {SEDGE_TIME_WEIGHTS};
    double factor[SEDGE_TIMES];
    SEDGE_PRIVATE_COPY(double, numbers, signal, SEDGE_SIGNAL_VALUES);

    for (int q = 0; q < SEDGE_TIMES; q++)
        factor[q] = shares[q] * sedge_signal(numbers, begin + times[q] * dt);
    for (int m = 0; m <= powers; m++) {
        factors[m] = 0.0;
        for (int q = 0; q < SEDGE_TIMES; q++) {
            factor[q] *= (m == 0 ? dt : dt / scale) * (1.0 - times[q]) / (m + 1);
            factors[m] += factor[q];
        }
    }
}

// Add the source's part of the mean, times `part`, to `to`.
SEDGE_FUNCTION void add_source_mean(SEDGE_GLOBAL sedge_state *to,
                                    const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT weights,
                                    sedge_int64 step, const double *factors, int powers,
                                    double part)
{
    for (int m = 0; m <= powers; m++)
        SEDGE_EACH (f, SEDGE_FIELDS)
            to->f[f] += (sedge_real)(part * factors[m]) * weights[m * step].f[f];
}

SEDGE_KERNEL(sedge_predict_point, SEDGE_MONITOR_THREADS, SEDGE_PREDICT_POINT_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (n, SEDGE_NODES, SEDGE_MONITOR_THREADS) {
            const sedge_int64 at = values[b] * SEDGE_NODES_PADDED + n;
            const SEDGE_GLOBAL sedge_state *const own = weights + b * SEDGE_NODES + n;
            const sedge_int64 step = blocks * SEDGE_NODES;
            double factors[SEDGE_PREDICT_POWERS + 1];
            find_source_factors(factors, signal, clock[0] + delay, 0.5 * dt, scale, powers);
            add_source_mean(half + at, own, step, factors, powers, 1.0);
            find_source_factors(factors, signal, clock[0] + delay, dt, scale, powers);
            add_source_mean(mean + at, own, step, factors, powers, 1.0);
            if (acts != 0)
                add_source_mean(state + at, own + (1 + powers) * step, step, factors, powers, dt);
        }
    }
}

// The same of a term's memory, with `components` numbers at a coefficient: in curved elements what
// the source adds to its mean, `part` is 1; in straight ones, whose memory the prediction has taken
// to the step's end, by what it changes, `part` is dt. `weights` [1 + powers][blocks][components]
// [nodes]; `places` [blocks] of the SIMD batches in w, or -1.
#define SEDGE_PREDICT_POINT_MEMORY_LIST(X)                     \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, w)             \
    X(const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, weights) \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, places)  \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, signal)       \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, clock)        \
    X(double, delay)                                           \
    X(double, dt)                                              \
    X(double, scale)                                           \
    X(double, part)                                            \
    X(int, powers)                                             \
    X(int, components)                                         \
    X(sedge_int64, blocks)

SEDGE_KERNEL(sedge_predict_point_memory, SEDGE_MONITOR_THREADS, SEDGE_PREDICT_POINT_MEMORY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (n, SEDGE_NODES, SEDGE_MONITOR_THREADS) {
            if (places[b] >= 0) {
                double factors[SEDGE_PREDICT_POWERS + 1];
                find_source_factors(factors, signal, clock[0] + delay, dt, scale, powers);
                for (int k = 0; k < components; k++) {
                    SEDGE_GLOBAL sedge_value *const to =
                        w + (places[b] * components + k) * SEDGE_NODES_PADDED + n;
                    for (int m = 0; m <= powers; m++)
                        *to += (sedge_real)(part * factors[m]) *
                               weights[((m * blocks + b) * components + k) * SEDGE_NODES + n];
                }
            }
        }
    }
}

// to = from at all coefficients of `count` SIMD batches, from `first` and `to_first` on.
#define SEDGE_COPY_STATES_LIST(X)                           \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, from) \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, to)         \
    X(sedge_int64, first)                                   \
    X(sedge_int64, to_first)                                \
    X(sedge_int64, count)

SEDGE_KERNEL(sedge_copy_states, SEDGE_TRACE_THREADS, SEDGE_COPY_STATES_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (k, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + k;
            if (at < count * SEDGE_NODES_PADDED)
                to[to_first * SEDGE_NODES_PADDED + at] = from[first * SEDGE_NODES_PADDED + at];
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

// Whether a step begins on one of its sides; levels 0 to `started` begin one now.
#define SEDGE_FACE_BEGINS(face, started) \
    ((face).level + ((face).behind < 0 ? (face).behind : 0) <= (started))

// Point `at` of the traces of `faces`, in the order of the own face's nodes, if a step begins: the
// mean of its element's trace over the present step of the element behind it. Returns whether one
// began.
SEDGE_FUNCTION int make_step_trace(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT mean,
                                   const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT half,
                                   const SEDGE_GLOBAL sedge_step_face *SEDGE_RESTRICT faces,
                                   const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                                   SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace, sedge_int64 at,
                                   int started)
{
    const sedge_step_face face = faces[at / SEDGE_FACE_NODES];
    const int node = tables[face.face * SEDGE_FACE_NODES + (int)(at % SEDGE_FACE_NODES)];
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
    return SEDGE_FACE_BEGINS(face, started);
}

// The traces at `points` points of faces. One stays unchanged if no step begins on either side.
#define SEDGE_STEP_TRACES_LIST(X)                                \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, mean)      \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, half)      \
    X(const SEDGE_GLOBAL sedge_step_face *SEDGE_RESTRICT, faces) \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)          \
    X(SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT, trace)           \
    X(sedge_int64, points)                                       \
    X(int, started)

SEDGE_KERNEL(sedge_step_traces, SEDGE_TRACE_THREADS, SEDGE_STEP_TRACES_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (k, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + k;
            if (at < points) make_step_trace(mean, half, faces, tables, trace, at, started);
        }
    }
}

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

// As sedge_step_traces, for faces behind which are other ranks: traces that change are stored in
// the parcels, too, if there are any. `turns` as in sedge_collect, `ended` as in dg_sent.h.
#define SEDGE_PACK_TRACES_LIST(X)                              \
    SEDGE_STEP_TRACES_LIST(X)                                  \
    X(const SEDGE_GLOBAL sedge_parcel *SEDGE_RESTRICT, parcel) \
    X(SEDGE_GLOBAL int *SEDGE_RESTRICT, ended)                 \
    X(int, parcels)                                            \
    X(int, turns)

SEDGE_KERNEL(sedge_pack_traces, SEDGE_SENT_THREADS, SEDGE_PACK_TRACES_LIST)
{
    SEDGE_OUTER (b) {
        for (int turn = 0; turn < turns; turn++) {
            SEDGE_ITEMS_1D (k, SEDGE_SENT_THREADS, SEDGE_SENT_THREADS) {
                const sedge_int64 at = (b * turns + turn) * SEDGE_SENT_THREADS + k;
                if (at < points && make_step_trace(mean, half, faces, tables, trace, at, started) &&
                    parcels > 0)
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
