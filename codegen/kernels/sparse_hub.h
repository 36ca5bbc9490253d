// A x where a few columns have most entries: rows are cut into pieces, these sorted by length,
// longest first, and laid side by side in slices, an item a piece. Blocks stay for all of the
// product and take slices by turns; before, each brings the numbers of x that are used most into
// its own memory. Sums of rows in several pieces are added up by the kernel of sparse_fix.h. Behind
// sparse_common.h.
//
//   hot [hot_count]      x of the columns most used, at most SPARSE_HOT of them
//   starts [slices + 1]  in values
//   columns              one a value: column c, -1 for padding, -2 - h for hot[h]
//   targets [count]      of each piece: row r, of which it is all, or -1 - p, pieces[p]
//   blocks               that are launched
#pragma once

#define SPARSE_HEIGHT 32
#define SPARSE_SLICES (SPARSE_THREADS / SPARSE_HEIGHT)

#define SPARSE_HUB_LIST(X)                                     \
    X(const SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, hot)     \
    X(int, hot_count)                                          \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, starts)  \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, columns)         \
    X(const SEDGE_GLOBAL sparse_value *SEDGE_RESTRICT, values) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, targets)         \
    X(SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, pieces)        \
    X(sedge_int64, count)                                      \
    X(sedge_int64, blocks)                                     \
    SPARSE_VECTORS(X)

// What is brought into block memory at once: 16 bytes.
#define SPARSE_PACK (16 / (int)sizeof(sparse_real))
typedef struct SEDGE_ALIGN(16) sparse_pack {
    sparse_real w[SPARSE_PACK];
} sparse_pack;

// SPARSE_UNROLL loads on their way at once, the last time fewer. Values of padding are 0.
#define SPARSE_HUB_STEP(IS_THERE)                                                 \
    {                                                                             \
        int c[SPARSE_UNROLL];                                                     \
        sparse_value v[SPARSE_UNROLL];                                            \
        sparse_real from[SPARSE_UNROLL];                                          \
        SEDGE_EACH (u, SPARSE_UNROLL) {                                           \
            c[u] = (IS_THERE) ? SPARSE_READ(code + (k + u) * SPARSE_HEIGHT) : -1; \
            v[u] = (IS_THERE) ? SPARSE_READ(value + (k + u) * SPARSE_HEIGHT) : 0; \
        }                                                                         \
        SEDGE_EACH (u, SPARSE_UNROLL) {                                           \
            from[u] = 0;                                                          \
            if (c[u] >= 0) from[u] = x[c[u]];                                     \
            if (c[u] < -1) from[u] = own[-2 - c[u]];                              \
        }                                                                         \
        SEDGE_EACH (u, SPARSE_UNROLL) sum += (sparse_real)v[u] * from[u];         \
    }

SEDGE_KERNEL(sedge_sparse, SPARSE_THREADS, SPARSE_HUB_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sparse_pack, packs, SPARSE_HOT / SPARSE_PACK);
        SPARSE_DOT_BEGIN
        const sedge_int64 slices = (count + SPARSE_HEIGHT - 1) / SPARSE_HEIGHT;
        const sedge_int64 stride = blocks * SPARSE_SLICES;
        const int rounds = (int)((slices + stride - 1) / stride);
        const SEDGE_GLOBAL sparse_pack *const from_packs = (const SEDGE_GLOBAL sparse_pack *)hot;
        const SEDGE_BLOCKWIDE sparse_real *const own = (const SEDGE_BLOCKWIDE sparse_real *)packs;

        SPARSE_ITEM(t)
        {
            for (int at = t; at < hot_count / SPARSE_PACK; at += SPARSE_THREADS)
                SEDGE_COPY_PACK(packs + at, from_packs + at);
            SEDGE_COPY_WAIT();
        }
        SEDGE_BARRIER();
        // There and back: who has the longest slices of one round has the shortest of the next.
        SEDGE_ITEMS (s, rounds * SPARSE_SLICES, r, SPARSE_HEIGHT, SPARSE_THREADS) {
            const sedge_int64 turn = s / SPARSE_SLICES;
            const sedge_int64 mine = s % SPARSE_SLICES * blocks + b;
            const sedge_int64 slice = turn * stride + (turn % 2 == 0 ? mine : stride - 1 - mine);
            const sedge_int64 piece = slice * SPARSE_HEIGHT + r;
            if (piece < count) {
                const sedge_int64 start = starts[slice];
                const int width = (int)((starts[slice + 1] - start) / SPARSE_HEIGHT);
                const SEDGE_GLOBAL sparse_value *const value = values + start + r;
                const SEDGE_GLOBAL int *const code = columns + start + r;
                const int target = targets[piece];
                sparse_real sum = 0;
                int k = 0;
                for (; k + SPARSE_UNROLL <= width; k += SPARSE_UNROLL) SPARSE_HUB_STEP(1)
                if (k < width) SPARSE_HUB_STEP(k + u < width)
                if (target >= 0) {
                    SPARSE_PUT(target, sum, s * SPARSE_HEIGHT + r)
                } else {
                    pieces[-1 - target] = sum;
                }
            }
        }
        SPARSE_DOT_END(b)
        (void)listed;
    }
}
