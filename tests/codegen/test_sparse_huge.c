// More than 2^31 entries: 2^22 rows of 513, 17 GB here and on the device. For GPUs with room; the
// places beyond 2^32 are tested everywhere, without the memory (test_sparse_create.c).
//
//     test_sparse_huge [FORMAT ...]      default: csr "sell packed"
#include "base/parallel.h"
#include "sparse_kit.h"

enum { ROWS = 1 << 22, EACH = 513, GRAIN = 1 << 12, JUMP = 8191 };

static int64_t column_of(int64_t row, int k)
{
    return (row + (int64_t)JUMP * k) % ROWS;
}

static double value_of(int64_t row, int k)
{
    return (double)((row + k) % 5) - 2.0;
}

static double x_of(int64_t column)
{
    return (double)(scramble((uint64_t)column) % 9) - 4.0;
}

typedef struct huge {
    int64_t *offsets;
    int32_t *columns;
    float *values;
} huge;

static void fill(void *context, int64_t first, int64_t end)
{
    const huge *const m = context;

    for (int64_t r = first; r < end; r++) {
        m->offsets[r + 1] = (r + 1) * EACH;
        for (int k = 0; k < EACH; k++) {
            m->columns[r * EACH + k] = (int32_t)column_of(r, k);
            m->values[r * EACH + k] = (float)value_of(r, k);
        }
    }
}

// Whole numbers below 2^24: sums are exact in fp32. Some rows, and all of the last ones.
static void check_rows(const double *y, const char *format)
{
    int64_t wrong = 0;

    for (int64_t r = 0; r < ROWS; r += r < ROWS - 5000 ? 997 : 1) {
        double right = 0.0;
        for (int k = 0; k < EACH; k++) right += value_of(r, k) * x_of(column_of(r, k));
        wrong += y[r] != right;
    }
    CHECK(wrong == 0);
    if (wrong > 0) (void)fprintf(stderr, "  %s: %lld rows are wrong\n", format, (long long)wrong);
}

static void check_format(sedge_context *context, const sedge_csr *csr, const char *format,
                         double *x)
{
    const sedge_sparse_options options = {
        .real_bytes = 4, .has_tune = true, .tune = SEDGE_TUNE_OFF, .format = format};
    sedge_sparse *sparse = NULL;

    CHECK_OK(sedge_sparse_create(&sparse, context, csr, &options));
    if (sparse == NULL) return;
    CHECK(sedge_sparse_get_info(sparse)->entries > INT32_MAX);
    sedge_buffer *const device_x = upload(context, x, ROWS, 4);
    sedge_buffer *const device_y = upload(context, x, ROWS, 4);
    double *const y = calloc(ROWS, sizeof *y);
    CHECK_OK(sedge_sparse_apply(sparse, NULL, 1.0, device_x, 0.0, device_y));
    CHECK_OK(sedge_context_wait(context));
    download(y, device_y, ROWS, 4);
    check_rows(y, format);
    (void)printf("%s: %lld entries, %.1f GB on the device\n", sedge_sparse_get_info(sparse)->kernel,
                 (long long)sedge_sparse_get_info(sparse)->entries,
                 1e-9 * (double)sedge_sparse_get_info(sparse)->device_bytes);
    free(y);
    sedge_buffer_free(device_y);
    sedge_buffer_free(device_x);
    sedge_sparse_free(sparse);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"csr", "sell packed"};
    const int64_t entries = (int64_t)ROWS * EACH;
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    huge m = {calloc(ROWS + 1, sizeof *m.offsets), malloc((size_t)entries * sizeof *m.columns),
              malloc((size_t)entries * sizeof *m.values)};
    double *const x = calloc(ROWS, sizeof *x);
    CHECK(m.offsets != NULL && m.columns != NULL && m.values != NULL && x != NULL);
    if (m.offsets != NULL && m.columns != NULL && m.values != NULL && x != NULL) {
        sedge_parallel(sedge_device_compilers(1), ROWS, GRAIN, fill, &m);
        for (int64_t c = 0; c < ROWS; c++) x[c] = x_of(c);
        const sedge_csr csr = {.rows = ROWS,
                               .columns = ROWS,
                               .offsets = m.offsets,
                               .columns32 = m.columns,
                               .values32 = m.values};
        for (int f = 1; f < argc; f++) check_format(context, &csr, argv[f], x);
        for (int f = 0; argc < 2 && f < 2; f++) check_format(context, &csr, usual[f], x);
    }
    free(x);
    free(m.values);
    free(m.columns);
    free(m.offsets);
    sedge_context_free(context);
    return CHECK_END();
}
