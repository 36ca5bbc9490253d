// The clock of a step, and sedge_collect, which collects the traces that other ranks wait for.
// Types of dg_layout.h.
#pragma once

// The time of a step's beginning in the device's memory: what is recorded once and launched for
// each step finds it there; its stages begin `delay` later.
#define SEDGE_CLOCK_LIST(X)                       \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, clock) \
    X(double, time)

SEDGE_KERNEL(sedge_clock, SEDGE_TRACE_THREADS, SEDGE_CLOCK_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, i, 1, SEDGE_TRACE_THREADS) clock[b + one + i] = time;
    }
}

// What of the traces to send goes where: from word `first` on, to those `bytes` behind `packed`,
// which may be another rank's memory. `flag` bytes behind `packed` is the flag that tells that
// rank.
typedef struct sedge_parcel {
    sedge_int64 first, bytes, flag;
} sedge_parcel;

// halo    [faces] of (slot, face): which traces to send, in the order of the trace slots
// packed  [faces][face nodes][fields], `words` numbers
// parcel  [parcels], the first from word 0 on
// ended   a counter of blocks if the kernel is to set the flags, else NULL
#define SEDGE_COLLECT_LIST(X)                                  \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)       \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, halo)     \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)        \
    X(const SEDGE_GLOBAL sedge_parcel *SEDGE_RESTRICT, parcel) \
    X(SEDGE_GLOBAL char *SEDGE_RESTRICT, packed)               \
    X(SEDGE_GLOBAL int *SEDGE_RESTRICT, ended)                 \
    X(sedge_int64, words)                                      \
    X(int, parcels)                                            \
    X(int, turns)

// Words that an item sends. One where a point's words are neighbours in the state: neighbouring
// items then store neighbouring words, as the links between GPUs want it.
#define SEDGE_SENT_WORDS (SEDGE_LANES == 1 ? 1 : SEDGE_FIELDS)

SEDGE_FUNCTION void send_words(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                               const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT halo,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                               const SEDGE_GLOBAL sedge_parcel *SEDGE_RESTRICT parcel,
                               SEDGE_GLOBAL char *SEDGE_RESTRICT packed, int parcels,
                               sedge_int64 at)
{
    const sedge_int64 point = at / SEDGE_FIELDS;
    const sedge_link face = halo[point / SEDGE_FACE_NODES];
    const int i = (int)(point % SEDGE_FACE_NODES);
    const SEDGE_GLOBAL sedge_state *const p =
        u + (sedge_int64)(face.neighbour / SEDGE_LANES) * SEDGE_NODES_PADDED +
        tables[face.code * SEDGE_FACE_NODES + i];
    int to = 0;

    while (to + 1 < parcels && parcel[to + 1].first <= at) to++;
    SEDGE_GLOBAL sedge_real *const out =
        (SEDGE_GLOBAL sedge_real *)(packed + parcel[to].bytes) + at;
    SEDGE_EACH (f, SEDGE_SENT_WORDS) {
        const int field = (int)(at % SEDGE_FIELDS) + f;
        out[f] = SEDGE_LANE(p->f[field], face.neighbour % SEDGE_LANES);
    }
}

// A block of SEDGE_SENT_THREADS threads does the work of `turns` blocks, SEDGE_SENT_AT_ONCE of them
// at a time, so that few multiprocessors store at other ranks (operator/shapes.h).
#define SEDGE_SENT_AT_ONCE 4

SEDGE_KERNEL(sedge_collect, SEDGE_SENT_THREADS, SEDGE_COLLECT_LIST)
{
    SEDGE_OUTER (b) {
        for (int turn = 0; turn < turns; turn += SEDGE_SENT_AT_ONCE) {
            SEDGE_ITEMS (one, 1, k, SEDGE_SENT_THREADS, SEDGE_SENT_THREADS) {
                SEDGE_EACH (i, SEDGE_SENT_AT_ONCE) {
                    const sedge_int64 at =
                        ((b * turns + turn + i) * SEDGE_SENT_THREADS + k + one) * SEDGE_SENT_WORDS;
                    if (turn + i < turns && at < words)
                        send_words(u, halo, tables, parcel, packed, parcels, at);
                }
            }
        }
#if SEDGE_TARGET_CUDA
        if (ended != 0 && SEDGE_LAST_BLOCK(ended)) {
            for (int i = 0; i < parcels; i++)
                *(volatile SEDGE_GLOBAL int *)(packed + parcel[i].flag) = 1;
        }
#endif
    }
    (void)ended;
}
