// What a device does at most: a copy, and multiply-adds that wait for nothing. For
// tune/ceiling.c.
//
//   from, to  [blocks][SEDGE_COPY_ITEMS] of sedge_pack
//   results   [blocks][SEDGE_FMA_ITEMS] of sedge_value: the sum over the item's chains c of
//             a -> x a + y, rounds * SEDGE_FMA_UNROLL times, from a = c + item
#pragma once

// What an item copies at once: a vector load of a GPU, a register of the host.
#if !SEDGE_TARGET_HOST
typedef struct SEDGE_ALIGN(16) sedge_pack {
    sedge_real w[SEDGE_PACK];
} sedge_pack;
#else
typedef sedge_value sedge_pack;
#endif

#define SEDGE_COPY_LIST(X)                                 \
    X(const SEDGE_GLOBAL sedge_pack *SEDGE_RESTRICT, from) \
    X(SEDGE_GLOBAL sedge_pack *SEDGE_RESTRICT, to)

SEDGE_KERNEL(sedge_copy, SEDGE_COPY_THREADS, SEDGE_COPY_LIST)
{
    SEDGE_OUTER (b) {
#if SEDGE_TARGET_CUDA // one item a thread: without the loop's arithmetic
        const sedge_int64 at = b * SEDGE_COPY_ITEMS + SEDGE_THREAD;
        to[at] = from[at];
#else
        SEDGE_ITEMS_1D (k, SEDGE_COPY_ITEMS, SEDGE_COPY_THREADS) {
            const sedge_int64 at = b * SEDGE_COPY_ITEMS + k;
            to[at] = from[at];
        }
#endif
    }
}

#define SEDGE_FMA_LIST(X)                                \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, results) \
    X(sedge_real, x)                                     \
    X(sedge_real, y)                                     \
    X(sedge_int64, rounds)

SEDGE_KERNEL(sedge_fma, SEDGE_FMA_ITEMS, SEDGE_FMA_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (k, SEDGE_FMA_ITEMS, SEDGE_FMA_ITEMS) {
            const sedge_value factor = SEDGE_SPLAT(x);
            const sedge_value term = SEDGE_SPLAT(y);
            sedge_value a[SEDGE_FMA_CHAINS];
            sedge_value sum = SEDGE_SPLAT(0.0);

            SEDGE_EACH (c, SEDGE_FMA_CHAINS) a[c] = SEDGE_SPLAT(c + k);
            for (sedge_int64 r = 0; r < rounds; r++)
                SEDGE_EACH (i, SEDGE_FMA_UNROLL)
                    SEDGE_EACH (c, SEDGE_FMA_CHAINS) a[c] = a[c] * factor + term;
            SEDGE_EACH (c, SEDGE_FMA_CHAINS) sum = sum + a[c];
            results[b * SEDGE_FMA_ITEMS + k] = sum;
        }
    }
}
