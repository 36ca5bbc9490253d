// A x of compressed rows that are binned by length (after Greathouse and Daga 2014). A block takes
// as many whole rows as have SPARSE_CAPACITY entries: products go to block memory side by side, and
// then the rows are summed there. A longer row is cut into pieces, a block each, whose sums the
// kernel of sparse_fix.h adds up. Behind sparse_common.h.
//
//   offsets, columns, values   as in sparse_csr.h
//   work [blocks][4]           first row, rows, first entry, entries; rows -1 - p: piece p
#pragma once

#define SPARSE_ADAPTIVE_LIST(X)                                  \
    X(const SEDGE_GLOBAL sparse_offset *SEDGE_RESTRICT, offsets) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, columns)           \
    X(const SEDGE_GLOBAL sparse_value *SEDGE_RESTRICT, values)   \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, work)      \
    X(SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, pieces)          \
    SPARSE_VECTORS(X)

// An item's products of entries at, at + SPARSE_THREADS, ...: SPARSE_BATCH loads on their way at
// once.
#if SEDGE_TARGET_HOST
#define SPARSE_BATCH 1
#define SPARSE_PRODUCTS(USE)                                              \
    {                                                                     \
        const int k = at;                                                 \
        const sparse_real product = (sparse_real)value[k] * x[column[k]]; \
        USE                                                               \
    }
#else
#define SPARSE_BATCH (SPARSE_CAPACITY / SPARSE_THREADS < 8 ? SPARSE_CAPACITY / SPARSE_THREADS : 8)
#define SPARSE_PRODUCTS(USE)                                            \
    {                                                                   \
        int c[SPARSE_BATCH];                                            \
        sparse_value v[SPARSE_BATCH];                                   \
        sparse_real from[SPARSE_BATCH];                                 \
        SEDGE_EACH (u, SPARSE_BATCH) {                                  \
            const int k = at + u * SPARSE_THREADS;                      \
            c[u] = k < count ? SPARSE_READ(column + k) : -1;            \
            v[u] = k < count ? SPARSE_READ(value + k) : 0;              \
        }                                                               \
        SEDGE_EACH (u, SPARSE_BATCH) from[u] = c[u] >= 0 ? x[c[u]] : 0; \
        SEDGE_EACH (u, SPARSE_BATCH) {                                  \
            const int k = at + u * SPARSE_THREADS;                      \
            const sparse_real product = (sparse_real)v[u] * from[u];    \
            if (k < count) {                                            \
                USE                                                     \
            }                                                           \
        }                                                               \
    }
#endif

SEDGE_KERNEL(sedge_sparse, SPARSE_THREADS, SPARSE_ADAPTIVE_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(sparse_real, part, SPARSE_CAPACITY);
        SEDGE_SHARED(sparse_real, sum_of, SPARSE_THREADS);
        SPARSE_DOT_BEGIN
        const sedge_int64 first_row = work[4 * b];
        const sedge_int64 rows_or_piece = work[4 * b + 1];
        const sedge_int64 first = work[4 * b + 2];
        const int count = (int)work[4 * b + 3];
        const SEDGE_GLOBAL sparse_value *const value = values + first;
        const SEDGE_GLOBAL int *const column = columns + first;

        if (rows_or_piece < 0) {
            SPARSE_ITEM(t)
            {
                sparse_real sum = 0;
                for (int at = t; at < count; at += SPARSE_BATCH * SPARSE_THREADS)
                    SPARSE_PRODUCTS(sum += product;)
                sum_of[t] = sum;
            }
            for (int half = SPARSE_THREADS / 2; half > 0; half /= 2) {
                SEDGE_BARRIER();
                SPARSE_ITEM(t)
                if (t < half) {
                    const sparse_real sum = sum_of[t] + sum_of[t + half];
                    if (half > 1)
                        sum_of[t] = sum;
                    else
                        pieces[-1 - rows_or_piece] = sum;
                }
            }
        } else {
            const int rows = (int)rows_or_piece;
            int lanes = 1;

#if SEDGE_TARGET_HOST
            for (int k = 0; k < count; k++) part[k] = (sparse_real)value[k] * x[column[k]];
#else
            SPARSE_ITEM(t)
            {
                for (int at = t; at < count; at += SPARSE_BATCH * SPARSE_THREADS)
                    SPARSE_PRODUCTS(part[k] = product;)
            }
#endif
            SEDGE_BARRIER();
            while (lanes < 32 && 2 * lanes * rows <= SPARSE_THREADS) lanes *= 2;
            if (lanes == 1) {
                SEDGE_ITEMS (g, (rows + SPARSE_THREADS - 1) / SPARSE_THREADS, t, SPARSE_THREADS,
                             SPARSE_THREADS) {
                    const int r = g * SPARSE_THREADS + t;
                    if (r < rows) {
                        const int end = (int)((sedge_int64)offsets[first_row + r + 1] - first);
                        sparse_real sum = 0;
                        for (int k = (int)((sedge_int64)offsets[first_row + r] - first); k < end;
                             k++)
                            sum += part[k];
                        SPARSE_PUT(first_row + r, sum, t)
                    }
                }
            } else {
                SEDGE_ITEMS (r, rows, l, lanes, SPARSE_THREADS) {
                    const int end = (int)((sedge_int64)offsets[first_row + r + 1] - first);
                    sparse_real sum = 0;
                    for (int k = (int)((sedge_int64)offsets[first_row + r] - first) + l; k < end;
                         k += lanes)
                        sum += part[k];
                    sum_of[r * lanes + l] = sum;
                }
                for (int half = lanes / 2; half > 0; half /= 2) {
                    SEDGE_BARRIER();
                    SEDGE_ITEMS (r, rows, l, lanes, SPARSE_THREADS) {
                        if (l < half) {
                            const int at = r * lanes + l;
                            const sparse_real sum = sum_of[at] + sum_of[at + half];
                            if (half > 1)
                                sum_of[at] = sum;
                            else
                                SPARSE_PUT(first_row + r, sum, at)
                        }
                    }
                }
            }
        }
        SPARSE_DOT_END(b)
        (void)listed;
    }
}
