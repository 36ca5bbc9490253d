// A x of compressed rows along a merge path (Merrill and Garland 2016): every item consumes
// SPARSE_PER things, each an entry or the end of a row, however the rows are cut. What an item has
// of a row that it does not end goes to the item that does; what a block has, to the kernel of
// sparse_fix.h, which adds these carries in order. Behind sparse_common.h.
//
//   offsets, columns, values   as in sparse_csr.h
//   starts [blocks + 1]        rows ended before the block's first thing
//   pieces [blocks]            what the block has of row starts[b + 1]
#pragma once

#define SPARSE_THINGS (SPARSE_THREADS * SPARSE_PER)

#define SPARSE_MERGE_LIST(X)                                     \
    X(const SEDGE_GLOBAL sparse_offset *SEDGE_RESTRICT, offsets) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, columns)           \
    X(const SEDGE_GLOBAL sparse_value *SEDGE_RESTRICT, values)   \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, starts)    \
    X(SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, pieces)          \
    X(sedge_int64, things)                                       \
    SPARSE_VECTORS(X)

SEDGE_KERNEL(sedge_sparse, SPARSE_THREADS, SPARSE_MERGE_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(sparse_real, part, SPARSE_THINGS);
        SEDGE_SHARED(int, ends, SPARSE_THINGS);
        SEDGE_SHARED(sparse_real, carry, SPARSE_THREADS);
        SEDGE_SHARED(int, has_end, SPARSE_THREADS);
        SEDGE_PRIVATE(sparse_real, head_sum, SPARSE_THREADS, 1);
        SEDGE_PRIVATE(int, head, SPARSE_THREADS, 1);
        SPARSE_DOT_BEGIN
        const sedge_int64 begin = b * SPARSE_THINGS;
        const int all = things - begin < SPARSE_THINGS ? (int)(things - begin) : SPARSE_THINGS;
        const sedge_int64 first_row = starts[b];
        const int rows = (int)(starts[b + 1] - first_row);
        const int count = all - rows; // of entries
        const sedge_int64 first = (sedge_int64)offsets[0] + begin - first_row;
        const SEDGE_GLOBAL sparse_value *const value = values + first;
        const SEDGE_GLOBAL int *const column = columns + first;

        SEDGE_ITEMS (g, SPARSE_PER, t, SPARSE_THREADS, SPARSE_THREADS) {
            const int k = g * SPARSE_THREADS + t;
            if (k < count)
                part[k] = (sparse_real)SPARSE_READ(value + k) * x[SPARSE_READ(column + k)];
            if (k < rows) ends[k] = (int)((sedge_int64)offsets[first_row + k + 1] - first);
        }
        SEDGE_BARRIER();
        SPARSE_ITEM(t)
        {
            // Where the path crosses the item's diagonal.
            const int diagonal = t * SPARSE_PER < all ? t * SPARSE_PER : all;
            int i = diagonal > count ? diagonal - count : 0;
            int high = diagonal < rows ? diagonal : rows;
            while (i < high) {
                const int middle = (i + high) / 2;
                if (ends[middle] <= diagonal - 1 - middle)
                    i = middle + 1;
                else
                    high = middle;
            }
            int k = diagonal - i;
            sparse_real sum = 0;
            sparse_real first_sum_here = 0;
            int first_end = -1;
            for (int s = 0; s < SPARSE_PER && i + k < all; s++) {
                if (i < rows && ends[i] <= k) {
                    if (first_end < 0) {
                        first_end = i;
                        first_sum_here = sum;
                    } else {
                        SPARSE_PUT(first_row + i, sum, t)
                    }
                    sum = 0;
                    i++;
                } else {
                    sum += part[k];
                    k++;
                }
            }
            carry[t] = sum;
            has_end[t] = first_end >= 0;
            SEDGE_MINE(head, t)[0] = first_end;
            SEDGE_MINE(head_sum, t)[0] = first_sum_here;
        }
        SEDGE_BARRIER();
        SPARSE_ITEM(t)
        {
            if (SEDGE_MINE(head, t)[0] >= 0) {
                sparse_real sum = SEDGE_MINE(head_sum, t)[0];
                for (int u = t - 1; u >= 0; u--) {
                    sum += carry[u];
                    if (has_end[u]) break;
                }
                SPARSE_PUT(first_row + SEDGE_MINE(head, t)[0], sum, t)
            }
            if (t == 0) {
                sparse_real sum = 0;
                for (int u = SPARSE_THREADS - 1; u >= 0; u--) {
                    sum += carry[u];
                    if (has_end[u]) break;
                }
                pieces[b] = sum;
            }
        }
        SPARSE_DOT_END(b)
        (void)listed;
    }
}
