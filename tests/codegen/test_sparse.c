// Sparse products: every format of every kind of matrix in every precision against the slow
// reference, exact on whole numbers, the same bits in every run.
#include "sampled.h"
#include "sparse_kit.h"

// All candidates of the matrix that no reason speaks against, each as it is.
static void check_candidates(sedge_context *context, const sedge_csr *csr, int real_bytes,
                             int value_bytes, const char *format, const product_case *cases,
                             int count)
{
    sedge_sparse_options options = {.real_bytes = real_bytes,
                                    .value_bytes = value_bytes,
                                    .dot = true,
                                    .has_tune = true,
                                    .tune = SEDGE_TUNE_OFF};
    sedge_sparse *any = NULL;
    char last[64] = "";

    CHECK_OK(sedge_sparse_create(&any, context, csr, &options));
    if (any == NULL) return;
    const sedge_sparse_info *const info = sedge_sparse_get_info(any);
    for (int k = 0; k < info->count; k++) {
        const sedge_sparse_candidate *const c = &info->candidates[k];
        sedge_sparse *one = NULL;
        // The first kernel of each layout: the others differ in numbers of threads.
        if (strcmp(c->reason, "not measured") != 0 || strcmp(c->format, last) == 0) continue;
        if (strncmp(c->format, format, strlen(format)) != 0) continue;
        (void)snprintf(last, sizeof last, "%s", c->format);
        options.format = c->format;
        options.kernel = c->kernel;
        CHECK_OK(sedge_sparse_create(&one, context, csr, &options));
        if (one == NULL) continue;
        CHECK(strcmp(sedge_sparse_get_info(one)->kernel, c->kernel) == 0);
        for (int p = 0; p < count; p++)
            check_product(context, one, csr, real_bytes, value_bytes, &cases[p]);
        sedge_sparse_free(one);
    }
    sedge_sparse_free(any);
}

// In all precisions, or in the first only: a program each has to be compiled.
static void check_matrix(sedge_context *context, const bench_matrix *m, const char *format,
                         bool all)
{
    static const product_case cases[] = {{1.0, 0.0, false, false},
                                         {1.0, 0.0, false, true},
                                         {-0.75, 0.5, false, true},
                                         {2.0, 1.0, false, false}};

    check_candidates(context, &m->csr, 8, 8, format, cases, 4);
    if (!all) return;
    check_candidates(context, &m->csr, 4, 4, format, cases, 4);
    check_candidates(context, &m->csr, 8, 4, format, cases, 2);
}

static void test_kinds(sedge_context *context, bool few)
{
    static const struct {
        const char *name;
        int64_t size;
        bool few;
    } kinds[] = {{"7-point", 13, true}, {"27-point", 9, false},  {"tets", 8, false},
                 {"shuffled", 8, true}, {"banded", 3001, false}, {"rmat", 1024, true},
                 {"arrow", 9001, true}, {"dg-1", 3, false},      {"dg-2", 2, true}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        bench_matrix m;
        if (few && !kinds[i].few) continue;
        CHECK_OK(bench_matrix_make(&m, kinds[i].name, kinds[i].size));
        check_matrix(context, &m, few && i == 0 ? "sell" : "", few ? i == 0 : i % 4 == 0);
        drop(&m);
    }
}

// Empty rows, columns that repeat and do not ascend, few columns, many columns, one row.
static void test_shapes(sedge_context *context, bool few)
{
    static const struct {
        int64_t rows, columns;
        int longest, gap;
    } shapes[] = {{1000, 1000, 9, 3}, {1, 5000, 5000, 0}, {5000, 1, 2, 0}, {33, 100000, 700, 2},
                  {2000, 300, 40, 7}, {1, 1, 1, 0},       {777, 3, 5, 0}};

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (few && i > 1) break;
        bench_matrix m = random_matrix(shapes[i].rows, shapes[i].columns, shapes[i].longest,
                                       shapes[i].gap, false);
        check_matrix(context, &m, "", false);
        drop(&m);
    }
}

// Nothing to multiply: beta y, and 0 where y is not to be read.
static void test_empty(sedge_context *context)
{
    static const int64_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {300, 200}};
    static const product_case cases[] = {{1.0, 0.0, false, true}, {3.0, -2.0, false, true}};

    for (int i = 0; i < 4; i++) {
        bench_matrix m = random_matrix(sizes[i][0], sizes[i][1], 0, 0, false);
        check_candidates(context, &m.csr, 8, 8, "", cases, 2);
        drop(&m);
    }
}

// Whole numbers: every sum is exact in any order, and so every format gives the same.
static void test_whole(sedge_context *context)
{
    static const product_case cases[] = {{1.0, 0.0, true, true}, {-2.0, 3.0, true, false}};

    for (int gap = 0; gap < 4; gap += 3) {
        bench_matrix m = random_matrix(3000, 2500, 30, gap, true);
        check_candidates(context, &m.csr, 8, 8, "", cases, 2);
        check_candidates(context, &m.csr, 4, 4, "", cases, 2);
        drop(&m);
    }
}

// Columns of 64 bits, values of 32 bits, and a view of some of the rows.
static void test_views(sedge_context *context)
{
    static const product_case plain = {1.0, 0.0, true, false};
    bench_matrix m = random_matrix(2000, 2000, 12, 5, true);
    const int64_t entries = m.offsets[2000];
    int64_t *const wide = calloc((size_t)entries, sizeof *wide);
    float *const narrow = calloc((size_t)entries, sizeof *narrow);

    for (int64_t k = 0; k < entries; k++) {
        wide[k] = m.columns[k];
        narrow[k] = (float)m.values[k];
    }
    sedge_csr csr = m.csr;
    csr.columns32 = NULL;
    csr.columns64 = wide;
    csr.values64 = NULL;
    csr.values32 = narrow;
    csr.offsets += 700;
    csr.rows = 900;
    check_candidates(context, &csr, 8, 8, "", &plain, 1);
    check_candidates(context, &csr, 4, 4, "", &plain, 1);
    free(narrow);
    free(wide);
    drop(&m);
}

// Padding is not multiplied: numbers of x that a row does not ask for may be infinite.
static void test_infinite(sedge_context *context)
{
    static const char *const formats[] = {"sell",  "sell packed", "ell", "hybrid",
                                          "block", "packet",      "hub"};
    enum { N = 4096 };
    bench_matrix m;
    double *const x = calloc(N, sizeof *x), *const y = calloc(N, sizeof *y);
    double *const right = calloc(N, sizeof *right);

    CHECK_OK(bench_matrix_make(&m, "tets", 16));
    for (int i = 0; i < N; i++) x[i] = i % 64 == 0 ? (double)INFINITY : 1.0;
    sedge_csr_apply(&m.csr, 1.0, x, 0.0, right, NULL, 1);
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        const sedge_sparse_options options = {
            .has_tune = true, .tune = SEDGE_TUNE_OFF, .format = formats[f]};
        sedge_sparse *sparse = NULL;
        if (sedge_sparse_create(&sparse, context, &m.csr, &options) != SEDGE_OK) continue;
        sedge_buffer *const device_x = upload(context, x, N, 8);
        sedge_buffer *const device_y = upload(context, y, N, 8);
        CHECK_OK(sedge_sparse_apply(sparse, NULL, 1.0, device_x, 0.0, device_y));
        CHECK_OK(sedge_context_wait(context));
        download(y, device_y, N, 8);
        int wrong = 0;
        for (int r = 0; r < N; r++) wrong += isfinite(right[r]) != isfinite(y[r]);
        CHECK(wrong == 0);
        if (wrong > 0) (void)fprintf(stderr, "  %s: %d rows\n", formats[f], wrong);
        sedge_buffer_free(device_y);
        sedge_buffer_free(device_x);
        sedge_sparse_free(sparse);
    }
    free(right);
    free(y);
    free(x);
    drop(&m);
}

// A (a x + b z) = a A x + b A z, exactly on whole numbers; and the same bits in every call.
static void test_linear(sedge_context *context)
{
    enum { N = 2048, AGAIN = 5 };
    bench_matrix m;
    double x[3][N], y[3][N], again[N];

    CHECK_OK(bench_matrix_make(&m, "rmat", N));
    for (int64_t k = 0; k < m.offsets[N]; k++) m.values[k] = (double)(k % 7) - 3.0;
    for (int i = 0; i < N; i++) {
        x[0][i] = (double)(scramble((uint64_t)i) % 11) - 5.0;
        x[1][i] = (double)(scramble((uint64_t)i + 7) % 5) - 2.0;
        x[2][i] = 3.0 * x[0][i] - 2.0 * x[1][i];
    }
    static const char *const formats[] = {"csr", "adaptive", "hub"};
    for (int f = 0; f < 3; f++) {
        const sedge_sparse_options options = {.has_tune = true,
                                              .tune = SEDGE_TUNE_OFF,
                                              .format = f == 0 ? "csr" : NULL,
                                              .kernel = f > 0 ? formats[f] : NULL};
        sedge_sparse *sparse = NULL;
        CHECK_OK(sedge_sparse_create(&sparse, context, &m.csr, &options));
        if (sparse == NULL) continue;
        for (int v = 0; v < 3; v++) {
            sedge_buffer *const device_x = upload(context, x[v], N, 8);
            sedge_buffer *const device_y = upload(context, x[v], N, 8);
            CHECK_OK(sedge_sparse_apply(sparse, NULL, 1.0, device_x, 0.0, device_y));
            CHECK_OK(sedge_context_wait(context));
            download(y[v], device_y, N, 8);
            for (int a = 0; a < AGAIN; a++) {
                CHECK_OK(sedge_sparse_apply(sparse, NULL, 1.0, device_x, 0.0, device_y));
                CHECK_OK(sedge_context_wait(context));
                download(again, device_y, N, 8);
                CHECK(memcmp(again, y[v], sizeof again) == 0);
            }
            sedge_buffer_free(device_y);
            sedge_buffer_free(device_x);
        }
        int wrong = 0;
        for (int r = 0; r < N; r++) wrong += y[2][r] != 3.0 * y[0][r] - 2.0 * y[1][r];
        CHECK(wrong == 0);
        sedge_sparse_free(sparse);
    }
    drop(&m);
}

// One format of tiny matrices, for sanitizers, which are slow: "small sell", "small hub", ...
static void test_small(sedge_context *context, const char *format)
{
    static const struct {
        const char *name;
        int64_t size;
    } kinds[] = {{"7-point", 4}, {"rmat", 256}, {"dg-1", 1}};
    static const product_case plain = {1.0, 0.5, false, true};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        bench_matrix m;
        CHECK_OK(bench_matrix_make(&m, kinds[i].name, kinds[i].size));
        check_candidates(context, &m.csr, 8, 8, format, &plain, 1);
        drop(&m);
    }
}

int main(int argc, char **argv)
{
    const bool few = is_few(argc, argv) || in_random_order();
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    if (argc > 1 && strcmp(argv[1], "small") == 0) {
        test_small(context, argc > 2 ? argv[2] : "");
        sedge_context_free(context);
        return CHECK_END();
    }
    test_kinds(context, few || test_is_small());
    test_shapes(context, few || test_is_small());
    test_empty(context);
    test_infinite(context);
    test_linear(context);
    if (!few) {
        test_whole(context);
        test_views(context);
    }
    sedge_context_free(context);
    return CHECK_END();
}
