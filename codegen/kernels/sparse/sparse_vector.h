// Vector work around sparse kernels. Behind sparse_common.h.
#pragma once

// y = beta y, before a kernel that visits some rows only adds to it.
#define SPARSE_SCALE_LIST(X)                       \
    X(SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, y) \
    X(sedge_int64, rows)                           \
    X(sparse_real, beta)

SEDGE_KERNEL(sedge_sparse_scale, SPARSE_THREADS, SPARSE_SCALE_LIST)
{
    SEDGE_OUTER (b) {
        SPARSE_ITEM(t)
        {
            const sedge_int64 row = b * SPARSE_THREADS + t;
            if (row < rows) y[row] = beta != (sparse_real)0 ? beta * y[row] : (sparse_real)0;
        }
    }
}

// to[i] = x[places[i]], for a matrix whose columns have another order.
#define SPARSE_GATHER_LIST(X)                               \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, places)       \
    X(const SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, from) \
    X(SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, to)         \
    X(sedge_int64, count)

SEDGE_KERNEL(sedge_sparse_gather, SPARSE_THREADS, SPARSE_GATHER_LIST)
{
    SEDGE_OUTER (b) {
        SPARSE_ITEM(t)
        {
            const sedge_int64 i = b * SPARSE_THREADS + t;
            if (i < count) to[i] = from[places[i]];
        }
    }
}

// y = alpha p + beta y for a product p = A x that is there, with its dot product.
#define SPARSE_COMBINE_LIST(X)                                 \
    X(const SEDGE_GLOBAL sparse_real *SEDGE_RESTRICT, product) \
    X(sedge_int64, rows)                                       \
    SPARSE_VECTORS(X)

SEDGE_KERNEL(sedge_sparse_combine, SPARSE_THREADS, SPARSE_COMBINE_LIST)
{
    SEDGE_OUTER (b) {
        SPARSE_DOT_BEGIN
        SPARSE_ITEM(t)
        {
            const sedge_int64 row = b * SPARSE_THREADS + t;
            if (row < rows) SPARSE_PUT(row, product[row], t)
        }
        SPARSE_DOT_END(b)
        (void)listed;
        (void)x;
    }
}

// to[b] = the sum of parts b chunk .. (b + 1) chunk - 1 of `count`.
#define SPARSE_SUMS_LIST(X)                             \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, parts) \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, to)          \
    X(sedge_int64, count)                               \
    X(sedge_int64, chunk)

SEDGE_KERNEL(sedge_sparse_sums, SPARSE_THREADS, SPARSE_SUMS_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SHARED(double, sum_of, SPARSE_THREADS);
        const sedge_int64 behind = (b + 1) * chunk;
        const sedge_int64 end = behind < count ? behind : count;

        SPARSE_ITEM(t)
        {
            double sum = 0.0;
            for (sedge_int64 k = b * chunk + t; k < end; k += SPARSE_THREADS) sum += parts[k];
            sum_of[t] = sum;
        }
        for (int half = SPARSE_THREADS / 2; half > 0; half /= 2) {
            SEDGE_BARRIER();
            SPARSE_ITEM(t)
            if (t < half) {
                const double sum = sum_of[t] + sum_of[t + half];
                if (half > 1)
                    sum_of[t] = sum;
                else
                    to[b] = sum;
            }
        }
    }
}
