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

// A slice as an item sees it; `target` is that of its piece there, if it has one.
typedef struct sparse_share {
    sedge_int64 at; // of its entry 0
    int width, target;
    int is_mine;
} sparse_share;

// There and back: who has the longest slices of one round has the shortest of the next.
#define SPARSE_SHARE(share, turn)                                                                 \
    {                                                                                             \
        const sedge_int64 slice = (turn)*stride + ((turn) % 2 == 0 ? place : stride - 1 - place); \
        const sedge_int64 piece = slice * SPARSE_HEIGHT + r;                                      \
        share.width = 0;                                                                          \
        share.is_mine = piece < count;                                                            \
        if (share.is_mine) {                                                                      \
            share.at = starts[slice];                                                             \
            share.width = (int)((starts[slice + 1] - share.at) / SPARSE_HEIGHT);                  \
            share.at += r;                                                                        \
            share.target = targets[piece];                                                        \
        }                                                                                         \
    }

// Entries k, k + 1, ... of a share: SPARSE_UNROLL loads on their way at once. Values of padding are
// 0, as is what lies behind the end.
#define SPARSE_HUB_LOAD(c, v, share, k)                                   \
    SEDGE_EACH (u, SPARSE_UNROLL) {                                       \
        const sedge_int64 entry = share.at + ((k) + u) * SPARSE_HEIGHT;   \
        c[u] = (k) + u < share.width ? SPARSE_READ(columns + entry) : -1; \
        v[u] = (k) + u < share.width ? SPARSE_READ(values + entry) : 0;   \
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
        // While x is waited for, the next entries are on their way, and the next slice's place.
        SPARSE_ITEM(t)
        {
            const int r = t % SPARSE_HEIGHT;
            const sedge_int64 place = t / SPARSE_HEIGHT * blocks + b;
            sparse_share now = {0, 0, 0, 0};
            sparse_share next = {0, 0, 0, 0};
            sparse_real sum = 0;
            int c[SPARSE_UNROLL];
            sparse_value v[SPARSE_UNROLL];
            int turn = 0;
            int k = 0;

            SPARSE_SHARE(now, 0)
            SPARSE_SHARE(next, 1)
            SPARSE_HUB_LOAD(c, v, now, 0)
            while (turn < rounds) {
                const int is_last = k + SPARSE_UNROLL >= now.width;
                int c_next[SPARSE_UNROLL];
                sparse_value v_next[SPARSE_UNROLL];
                sparse_real from[SPARSE_UNROLL];
                if (is_last) {
                    SPARSE_HUB_LOAD(c_next, v_next, next, 0)
                } else {
                    SPARSE_HUB_LOAD(c_next, v_next, now, k + SPARSE_UNROLL)
                }
                SEDGE_EACH (u, SPARSE_UNROLL) {
                    from[u] = 0;
                    if (c[u] >= 0) from[u] = x[c[u]];
                    if (c[u] < -1) from[u] = own[-2 - c[u]];
                }
                SEDGE_EACH (u, SPARSE_UNROLL) sum += (sparse_real)v[u] * from[u];
                k += SPARSE_UNROLL;
                if (is_last) {
                    if (now.is_mine && now.target >= 0) SPARSE_PUT(now.target, sum, t)
                    if (now.is_mine && now.target < 0) pieces[-1 - now.target] = sum;
                    turn++;
                    k = 0;
                    sum = 0;
                    now = next;
                    SPARSE_SHARE(next, turn + 1)
                }
                SEDGE_EACH (u, SPARSE_UNROLL) {
                    c[u] = c_next[u];
                    v[u] = v_next[u];
                }
            }
        }
        SPARSE_DOT_END(b)
        (void)listed;
    }
}
