// A x of packets: rows that use few columns together (after Bell and Garland 2008). A block first
// brings these numbers of x into its own memory, once; the entries' columns are places there, in 16
// bits. Inside a packet rows are laid in slices of 32. Behind sparse_common.h.
//
//   work [packets][4]     first of `tile`, numbers there, first slice, slices
//   tile                  columns of the packets
//   starts [slices + 1]   in values
//   codes                 a place a value, 65535 is padding
#pragma once

#define SPARSE_HEIGHT 32

#define SPARSE_PACKET_LIST(X)                                   \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, work)     \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, tile)             \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, starts)   \
    X(const SEDGE_GLOBAL unsigned short *SEDGE_RESTRICT, codes) \
    X(const SEDGE_GLOBAL sparse_value *SEDGE_RESTRICT, values)  \
    X(sedge_int64, rows)                                        \
    SPARSE_VECTORS(X)

// SPARSE_UNROLL loads on their way at once, the last time fewer.
#define SPARSE_PACKET_STEP(IS_THERE)                                                 \
    {                                                                                \
        int c[SPARSE_UNROLL];                                                        \
        sparse_value v[SPARSE_UNROLL];                                               \
        SEDGE_EACH (u, SPARSE_UNROLL) {                                              \
            c[u] = (IS_THERE) ? SPARSE_READ(code + (k + u) * SPARSE_HEIGHT) : 65535; \
            v[u] = (IS_THERE) ? SPARSE_READ(value + (k + u) * SPARSE_HEIGHT) : 0;    \
        }                                                                            \
        SEDGE_EACH (u, SPARSE_UNROLL)                                                \
            if (c[u] != 65535) sum += (sparse_real)v[u] * own[c[u]];                 \
    }

SEDGE_KERNEL(sedge_sparse, SPARSE_THREADS, SPARSE_PACKET_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(sparse_real, own, SPARSE_TILE);
        SPARSE_DOT_BEGIN
        const sedge_int64 first_tile = work[4 * b];
        const int count = (int)work[4 * b + 1];
        const sedge_int64 first_slice = work[4 * b + 2];
        const int slices = (int)work[4 * b + 3];

#if SEDGE_TARGET_HOST
        for (int k = 0; k < count; k++) own[k] = x[tile[first_tile + k]];
#else
        SPARSE_ITEM(t)
        {
            for (int at = t; at < count; at += 4 * SPARSE_THREADS) {
                int c[4];
                SEDGE_EACH (u, 4)
                    c[u] = at + u * SPARSE_THREADS < count
                               ? tile[first_tile + at + u * SPARSE_THREADS]
                               : -1;
                SEDGE_EACH (u, 4)
                    if (c[u] >= 0) own[at + u * SPARSE_THREADS] = x[c[u]];
            }
        }
#endif
        SEDGE_BARRIER();
#if SEDGE_TARGET_HOST
        for (int s = 0; s < slices; s++) {
            const sedge_int64 start = starts[first_slice + s];
            const int width = (int)((starts[first_slice + s + 1] - start) / SPARSE_HEIGHT);
            const sedge_int64 first_row = (first_slice + s) * SPARSE_HEIGHT;
            const sedge_int64 left = rows - first_row;
            const int here = left < SPARSE_HEIGHT ? (int)left : SPARSE_HEIGHT;
            sparse_real sum[SPARSE_HEIGHT] = {0};
            for (int k = 0; k < width; k++) {
                for (int r = 0; r < SPARSE_HEIGHT; r++) {
                    const int c = codes[start + k * SPARSE_HEIGHT + r];
                    const sparse_real more = (sparse_real)values[start + k * SPARSE_HEIGHT + r] *
                                             own[c == 65535 ? 0 : c];
                    sum[r] += c == 65535 ? (sparse_real)0 : more;
                }
            }
            for (int r = 0; r < here; r++) SPARSE_PUT(first_row + r, sum[r], s * SPARSE_HEIGHT + r)
        }
#else
        SEDGE_ITEMS (s, slices, r, SPARSE_HEIGHT, SPARSE_THREADS) {
            const sedge_int64 start = starts[first_slice + s];
            const int width = (int)((starts[first_slice + s + 1] - start) / SPARSE_HEIGHT);
            const sedge_int64 row = (first_slice + s) * SPARSE_HEIGHT + r;
            if (row < rows) {
                const SEDGE_GLOBAL sparse_value *const value = values + start + r;
                const SEDGE_GLOBAL unsigned short *const code = codes + start + r;
                sparse_real sum = 0;
                int k = 0;
                for (; k + SPARSE_UNROLL <= width; k += SPARSE_UNROLL) SPARSE_PACKET_STEP(1)
                if (k < width) SPARSE_PACKET_STEP(k + u < width)
                SPARSE_PUT(row, sum, s * SPARSE_HEIGHT + r)
            }
        }
#endif
        SPARSE_DOT_END(b)
        (void)listed;
    }
}
