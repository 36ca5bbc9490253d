// What src/linear adds to the products of sparse/sparse.h: gathering what other ranks need,
// and multiplying by the inverses of diagonal blocks. Constants: MATRIX_REAL, and MATRIX_BLOCK,
// rows of a block.
#pragma once

typedef MATRIX_REAL matrix_real;

#define MATRIX_PACK_LIST(X)                \
    X(const SEDGE_GLOBAL matrix_real *, x) \
    X(const SEDGE_GLOBAL int *, indices)   \
    X(SEDGE_GLOBAL matrix_real *, out)     \
    X(sedge_int64, count)

SEDGE_KERNEL(matrix_pack, 128, MATRIX_PACK_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (i, 128, 128) {
            const sedge_int64 at = b * 128 + i;
            if (at < count) out[at] = x[indices[at]];
        }
    }
}

// inverse [blocks][MATRIX_BLOCK columns][MATRIX_BLOCK rows]: neighbouring items read neighbouring
// numbers. The last block may be smaller.
#define MATRIX_BLOCKS_LIST(X)                    \
    X(const SEDGE_GLOBAL matrix_real *, inverse) \
    X(const SEDGE_GLOBAL matrix_real *, r)       \
    X(SEDGE_GLOBAL matrix_real *, z)             \
    X(sedge_int64, rows)

SEDGE_KERNEL(matrix_blocks, 128, MATRIX_BLOCKS_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (i, 128, 128) {
            const sedge_int64 row = b * 128 + i;
            if (row < rows) {
                const sedge_int64 first = row / MATRIX_BLOCK * MATRIX_BLOCK;
                const int own = (int)(row - first);
                const int end = rows - first < MATRIX_BLOCK ? (int)(rows - first) : MATRIX_BLOCK;
                matrix_real sum = 0;
                for (int j = 0; j < end; j++)
                    sum += inverse[(first + j) * MATRIX_BLOCK + own] * r[first + j];
                z[row] = sum;
            }
        }
    }
}
