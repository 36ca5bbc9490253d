// Rows that several blocks have worked on: the sum of their pieces, in order. Behind
// sparse_common.h and a kernel that writes pieces; a program of its own.
//
//   runs [..][3]   row, first piece, pieces; `few` of them an item each, the others a block each
#pragma once

#define SPARSE_FIX_LIST(X)                                    \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, runs)   \
    X(const SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, pieces) \
    X(sedge_int64, few)                                       \
    SPARSE_VECTORS(X)

SEDGE_KERNEL(sedge_sparse_fix, SPARSE_THREADS, SPARSE_FIX_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(sparse_real, sum_of, SPARSE_THREADS);
        SPARSE_DOT_BEGIN
        const sedge_int64 few_blocks = (few + SPARSE_THREADS - 1) / SPARSE_THREADS;

        if (b < few_blocks) {
            SPARSE_ITEM(t)
            {
                const sedge_int64 run = b * SPARSE_THREADS + t;
                if (run < few) {
                    const SEDGE_GLOBAL sparse_real *const piece = pieces + runs[3 * run + 1];
                    const int count = (int)runs[3 * run + 2];
                    sparse_real sum = 0;
                    for (int k = 0; k < count; k++) sum += piece[k];
                    SPARSE_PUT(runs[3 * run], sum, t)
                }
            }
        } else {
            const sedge_int64 run = few + b - few_blocks;
            const SEDGE_GLOBAL sparse_real *const piece = pieces + runs[3 * run + 1];
            const sedge_int64 count = runs[3 * run + 2];
            SPARSE_ITEM(t)
            {
                sparse_real sum = 0;
                for (sedge_int64 k = t; k < count; k += SPARSE_THREADS) sum += piece[k];
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
                        SPARSE_PUT(runs[3 * run], sum, t)
                }
            }
        }
        SPARSE_DOT_END(b)
        (void)listed;
        (void)x;
        (void)beta;
    }
}
