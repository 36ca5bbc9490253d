// What the kernels of sparse matrices share. For sparse/sparse_program.c, which writes before it
//
//   sparse_real, sparse_value  numbers of the vectors, of the stored matrix
//   sparse_offset              places of entries in the rows: int, or sedge_int64 for many entries
//   SPARSE_THREADS             of a block
//   SPARSE_LISTED              1: row r of the matrix is row listed[r] of y; 0: r itself
//   SPARSE_STREAMED            1: the matrix is read past the cache, which is left to x
//
// All padding has an index that says so, and is not multiplied: x may hold anything.
#pragma once

#define SPARSE_VECTORS(X)                                \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, listed)    \
    X(const SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, x) \
    X(SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, y)       \
    X(const SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, w) \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, sums)         \
    X(sedge_int64, first_sum)                            \
    X(sparse_real, alpha)                                \
    X(sparse_real, beta)

#if SEDGE_TARGET_CUDA && SPARSE_STREAMED
#define SPARSE_READ(pointer) __ldcs(pointer)
#else
#define SPARSE_READ(pointer) (*(pointer))
#endif

#if SPARSE_LISTED
#define SPARSE_PLACE(row) ((sedge_int64)listed[row])
#else
#define SPARSE_PLACE(row) ((sedge_int64)(row))
#endif

// Row `row` of A x is `sum`; `item` has found it.
#define SPARSE_PUT(row, sum, item)                                                          \
    {                                                                                       \
        const sedge_int64 sparse_at = SPARSE_PLACE(row);                                    \
        const sparse_real sparse_product = alpha * (sum);                                   \
        y[sparse_at] =                                                                      \
            beta != (sparse_real)0 ? sparse_product + beta * y[sparse_at] : sparse_product; \
        SPARSE_DOT_ADD(sparse_at, sparse_product, item)                                     \
    }

#define SPARSE_ITEM(t) SEDGE_ITEMS (sparse_one, 1, t, SPARSE_THREADS, SPARSE_THREADS)

// The block's part of the dot product w . (alpha A x), where `sums` is not 0: BEGIN before the
// first SPARSE_PUT, END after the last one.
#define SPARSE_DOT_ADD(at, product, item) \
    if (sums != 0) SEDGE_MINE(dot, (item) % SPARSE_THREADS)[0] += (double)w[at] * (double)(product);
#define SPARSE_DOT_BEGIN                           \
    SEDGE_SHARED(double, dots, SPARSE_THREADS);    \
    SEDGE_PRIVATE(double, dot, SPARSE_THREADS, 1); \
    if (sums != 0) SPARSE_ITEM(t) SEDGE_MINE(dot, t)[0] = 0.0;
#if SEDGE_TARGET_CUDA // SPARSE_THREADS is a multiple of 32
#define SPARSE_DOT_END(b)                                                              \
    if (sums != 0) {                                                                   \
        for (int far = 16; far > 0; far /= 2)                                          \
            dot[0][0] += __shfl_down_sync(0xffffffffu, dot[0][0], far);                \
        if (SEDGE_THREAD % 32 == 0) dots[SEDGE_THREAD / 32] = dot[0][0];               \
        SEDGE_BARRIER();                                                               \
        if (SEDGE_THREAD == 0) {                                                       \
            double all = dots[0];                                                      \
            SEDGE_UNROLL for (int k = 1; k < SPARSE_THREADS / 32; k++) all += dots[k]; \
            sums[first_sum + b] = all;                                                 \
        }                                                                              \
    }
#else
#define SPARSE_DOT_END(b)                                                  \
    if (sums != 0) {                                                       \
        SPARSE_ITEM(t) dots[t] = SEDGE_MINE(dot, t)[0];                    \
        for (int left = SPARSE_THREADS; left > 1; left = (left + 1) / 2) { \
            SEDGE_BARRIER();                                               \
            SPARSE_ITEM(t)                                                 \
            if (t < left / 2) dots[t] += dots[t + (left + 1) / 2];         \
        }                                                                  \
        SPARSE_ITEM(t)                                                     \
        if (t == 0) sums[first_sum + b] = dots[0];                         \
    }
#endif
