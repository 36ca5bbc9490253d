// A x of compressed rows, SPARSE_LANES items a row (a power of two up to 32). Behind
// sparse_common.h.
//
//   offsets [rows + 1], columns and values [offsets[rows]]
#pragma once

#define SPARSE_ROWS (SPARSE_THREADS / SPARSE_LANES)

#define SPARSE_CSR_LIST(X)                                       \
    X(const SEDGE_GLOBAL sparse_offset *SEDGE_RESTRICT, offsets) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, columns)           \
    X(const SEDGE_GLOBAL sparse_value *SEDGE_RESTRICT, values)   \
    X(sedge_int64, rows)                                         \
    SPARSE_VECTORS(X)

SEDGE_KERNEL(sedge_sparse, SPARSE_THREADS, SPARSE_CSR_LIST)
{
    SEDGE_OUTER (b) {
        SPARSE_DOT_BEGIN
#if SEDGE_TARGET_HOST
        const sedge_int64 behind = (b + 1) * SPARSE_ROWS;
        const sedge_int64 last = behind < rows ? behind : rows;
        for (sedge_int64 row = b * SPARSE_ROWS; row < last; row++) {
            const sedge_int64 end = offsets[row + 1];
            sparse_real sum = 0;
#if SPARSE_LANES > 1
            _Pragma("omp simd reduction(+ : sum)")
#endif
                for (sedge_int64 k = offsets[row]; k < end; k++) sum +=
                (sparse_real)values[k] * x[columns[k]];
            SPARSE_PUT(row, sum, (int)(row - b * SPARSE_ROWS))
        }
#else
#if SPARSE_LANES > 1 && !SEDGE_TARGET_CUDA
        SEDGE_SHARED(sparse_real, part, SPARSE_THREADS);
#endif
        SEDGE_ITEMS (r, SPARSE_ROWS, l, SPARSE_LANES, SPARSE_THREADS) {
            const sedge_int64 row = b * SPARSE_ROWS + r;
            sparse_real sum = 0;
            if (row < rows) {
                const sedge_int64 end = offsets[row + 1];
                for (sedge_int64 k = offsets[row] + l; k < end; k += SPARSE_LANES)
                    sum += (sparse_real)SPARSE_READ(values + k) * x[SPARSE_READ(columns + k)];
            }
#if SPARSE_LANES == 1
            if (row < rows) SPARSE_PUT(row, sum, r)
#elif SEDGE_TARGET_CUDA
            SEDGE_UNROLL for (int far = SPARSE_LANES / 2; far > 0; far /= 2) sum +=
                __shfl_down_sync(0xffffffffu, sum, far, SPARSE_LANES);
            if (l == 0 && row < rows) SPARSE_PUT(row, sum, r * SPARSE_LANES)
#else
            part[r * SPARSE_LANES + l] = sum;
#endif
        }
#if SPARSE_LANES > 1 && !SEDGE_TARGET_CUDA
        for (int half = SPARSE_LANES / 2; half > 0; half /= 2) {
            SEDGE_BARRIER();
            SEDGE_ITEMS (r, SPARSE_ROWS, l, SPARSE_LANES, SPARSE_THREADS)
                if (l < half) part[r * SPARSE_LANES + l] += part[r * SPARSE_LANES + l + half];
        }
        SEDGE_ITEMS (r, SPARSE_ROWS, l, SPARSE_LANES, SPARSE_THREADS) {
            const sedge_int64 row = b * SPARSE_ROWS + r;
            if (l == 0 && row < rows) SPARSE_PUT(row, part[r * SPARSE_LANES], r * SPARSE_LANES)
        }
#endif
#endif
        SPARSE_DOT_END(b)
        (void)listed;
    }
}
