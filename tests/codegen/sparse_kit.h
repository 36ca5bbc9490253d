// What the tests of sparse matrices share: matrices of random rows, products on the device and
// their errors against the slow reference.
#pragma once

#include "base/memory.h"
#include "reduce_kit.h"

#include "matrices.h"
#include "sparse/sparse_choose.h"
#include "sparse/sparse_create.h"
#include "sparse/sparse_launch.h"

// Rows of random lengths 0 .. longest with random columns, which may repeat; every `gap`-th row is
// empty (0: none). Values are whole numbers -8 .. 8 with `whole`.
static inline bench_matrix random_matrix(int64_t rows, int64_t columns, int longest, int gap,
                                         bool whole)
{
    bench_matrix m = {.csr = {.rows = rows, .columns = columns}};

    CHECK_OK(sedge_allocate(&m.offsets, rows + 1, sizeof *m.offsets));
    for (int64_t r = 0; r < rows; r++) {
        const bool is_empty = columns == 0 || (gap > 0 && r % gap == 0);
        m.offsets[r + 1] =
            m.offsets[r] +
            (is_empty ? 0 : (int64_t)(scramble((uint64_t)r) % (uint64_t)(longest + 1)));
    }
    const int64_t entries = m.offsets[rows];
    CHECK_OK(sedge_allocate(&m.columns, entries + 1, sizeof *m.columns));
    CHECK_OK(sedge_allocate(&m.values, entries + 1, sizeof *m.values));
    for (int64_t k = 0; k < entries; k++) {
        m.columns[k] = (int32_t)(scramble((uint64_t)k + 77) % (uint64_t)columns);
        m.values[k] = whole ? (double)(scramble((uint64_t)k + 5) % 17) - 8.0 : some_number(k);
    }
    m.csr.offsets = m.offsets;
    m.csr.columns32 = m.columns;
    m.csr.values64 = m.values;
    return m;
}

// Matrices of random_matrix and bench_matrix_make alike.
static inline void drop(bench_matrix *m)
{
    bench_matrix_clear(m);
}

typedef struct product_case {
    double alpha, beta;
    bool whole; // x, y and w are whole numbers: results are exact
    bool dot;
} product_case;

// Numbers of vectors, as the device has them.
static inline double vector_number(int64_t i, const product_case *p)
{
    return p->whole ? (double)(scramble((uint64_t)i + 3) % 9) - 4.0 : some_number(i);
}

static inline sedge_buffer *upload(sedge_context *context, const double *host, int64_t count,
                                   int size)
{
    sedge_buffer *buffer = NULL;
    char *const values = calloc((size_t)count + 1, (size_t)size);

    for (int64_t i = 0; i < count; i++) sedge_sparse_set(values, i, host[i], size);
    CHECK_OK(sedge_sparse_upload(&buffer, sedge_context_device(context), values, count * size));
    free(values);
    return buffer;
}

static inline void download(double *host, const sedge_buffer *buffer, int64_t count, int size)
{
    char *const values = calloc((size_t)count + 1, (size_t)size);

    CHECK_OK(sedge_buffer_download(buffer, 0, values, count * size, NULL));
    for (int64_t i = 0; i < count; i++)
        host[i] = size == 8 ? ((double *)values)[i] : (double)((float *)values)[i];
    free(values);
}

// One product and, in the same way, its dot product, beside the reference's. The bound of a row is
// that of any order of summation, (terms + 4) u sum |a x|, and the rounding of the stored values
// (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2); whole numbers are exact.
static inline void check_product(sedge_context *context, sedge_sparse *sparse, const sedge_csr *csr,
                                 int real_bytes, int value_bytes, const product_case *p)
{
    const int64_t rows = csr->rows, columns = csr->columns;
    const double unit = real_bytes == 8 ? 0x1p-53 : 0x1p-24;
    double *const x = calloc((size_t)columns + 1, sizeof *x);
    double *const y = calloc((size_t)rows + 1, sizeof *y);
    double *const w = calloc((size_t)rows + 1, sizeof *w);
    double *const bound = calloc((size_t)rows + 1, sizeof *bound);
    double *const got = calloc((size_t)rows + 1, sizeof *got);
    double *const old = calloc((size_t)rows + 1, sizeof *old);
    double sums[SEDGE_SPARSE_SUMS] = {0.0};
    double dot = 0.0, right_dot = 0.0, bound_dot = 0.0;
    int64_t wrong = 0, first = -1;

    for (int64_t i = 0; i < columns; i++) x[i] = vector_number(i, p);
    for (int64_t i = 0; i < rows; i++) {
        w[i] = vector_number(i + 99, p);
        old[i] = y[i] = p->beta != 0.0 ? vector_number(i + 12345, p) : (double)NAN;
    }
    sedge_buffer *const device_x = upload(context, x, columns, real_bytes);
    sedge_buffer *const device_y = upload(context, y, rows, real_bytes);
    sedge_buffer *const device_w = upload(context, w, rows, real_bytes);
    sedge_buffer *const device_sums = upload(context, sums, SEDGE_SPARSE_SUMS, 8);
    if (p->dot) {
        CHECK_OK(sedge_sparse_apply_dot(sparse, NULL, p->alpha, device_x, p->beta, device_y,
                                        device_w, device_sums));
    } else {
        CHECK_OK(sedge_sparse_apply(sparse, NULL, p->alpha, device_x, p->beta, device_y));
    }
    CHECK_OK(sedge_context_wait(context));
    download(got, device_y, rows, real_bytes);
    sedge_csr_apply(csr, p->alpha, x, p->beta, y, bound, 1);
    for (int64_t r = 0; r < rows; r++) {
        const double terms = (double)(csr->offsets[r + 1] - csr->offsets[r]) + 4.0;
        const double rounding = value_bytes < 8 ? 0x1p-24 : 0.0;
        bound[r] = p->whole ? 0.0 : bound[r] * (terms * unit + rounding);
        const double part = w[r] * (y[r] - (p->beta != 0.0 ? p->beta * old[r] : 0.0));
        right_dot += part;
        bound_dot += p->whole ? 0.0 : fabs(w[r]) * 2.0 * bound[r] + 0x1p-40 * fabs(part);
        if (fabs(got[r] - y[r]) <= bound[r]) continue;
        if (wrong++ == 0) first = r;
    }
    CHECK(wrong == 0);
    if (p->dot) {
        download(sums, device_sums, sedge_sparse_sums(sparse), 8);
        for (int s = 0; s < sedge_sparse_sums(sparse); s++) dot += sums[s];
        CHECK_BOUND(fabs(dot - right_dot), bound_dot);
    }
    if (wrong > 0) {
        (void)fprintf(stderr, "  %s, fp%d of fp%d: %lld of %lld rows, row %lld is %g, not %g\n",
                      sedge_sparse_get_info(sparse)->kernel, 8 * real_bytes, 8 * value_bytes,
                      (long long)wrong, (long long)rows, (long long)first, got[first], y[first]);
    }
    sedge_buffer_free(device_sums);
    sedge_buffer_free(device_w);
    sedge_buffer_free(device_y);
    sedge_buffer_free(device_x);
    free(old);
    free(got);
    free(bound);
    free(w);
    free(y);
    free(x);
}
