// A x of dense blocks of SPARSE_BLOCK rows and columns. SPARSE_GROUP rows of blocks are a slice,
// laid side by side: an item a row. Behind sparse_common.h.
//
//   starts [slices + 1]                          in positions of blocks
//   columns [positions][SPARSE_GROUP]            block columns, -1 is padding
//   values [positions][SPARSE_BLOCK][SPARSE_HEIGHT]   column of the block, row of the slice
#pragma once

#define SPARSE_HEIGHT (SPARSE_GROUP * SPARSE_BLOCK)
#define SPARSE_SLICES (SPARSE_THREADS / SPARSE_HEIGHT)

#define SPARSE_BLOCK_LIST(X)                                   \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, starts)  \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, columns)         \
    X(const SEDGE_GLOBAL sparse_value *SEDGE_RESTRICT, values) \
    X(sedge_int64, rows)                                       \
    SPARSE_VECTORS(X)

SEDGE_KERNEL(sedge_sparse, SPARSE_THREADS, SPARSE_BLOCK_LIST)
{
    SEDGE_OUTER (b) {
        SPARSE_DOT_BEGIN
        SEDGE_ITEMS (s, SPARSE_SLICES, r, SPARSE_HEIGHT, SPARSE_THREADS) {
            const sedge_int64 slice = b * SPARSE_SLICES + s;
            const sedge_int64 row = slice * SPARSE_HEIGHT + r;
            if (row < rows) {
                const sedge_int64 end = starts[slice + 1];
                const int own = r / SPARSE_BLOCK;
                sparse_real sum = 0;
                for (sedge_int64 p = starts[slice]; p < end; p++) {
                    const int c = columns[p * SPARSE_GROUP + own];
                    const SEDGE_GLOBAL sparse_value *const value =
                        values + p * (SPARSE_BLOCK * SPARSE_HEIGHT) + r;
                    const SEDGE_GLOBAL sparse_real *const from = x + (sedge_int64)c * SPARSE_BLOCK;
                    if (c >= 0) {
                        sparse_value v[SPARSE_BLOCK];
                        SEDGE_EACH (j, SPARSE_BLOCK) v[j] = SPARSE_READ(value + j * SPARSE_HEIGHT);
                        SEDGE_EACH (j, SPARSE_BLOCK) sum += (sparse_real)v[j] * from[j];
                    }
                }
                SPARSE_PUT(row, sum, s * SPARSE_HEIGHT + r)
            }
        }
        SPARSE_DOT_END(b)
        (void)listed;
    }
}
