// Making sparse matrices: refused input and its messages, offsets beyond 2^31, rows left out and
// the two parts of a distributed matrix, the tuner's choice and its wisdom.
#include "sparse_kit.h"

#include <pthread.h>

static const sedge_sparse_options off = {.has_tune = true, .tune = SEDGE_TUNE_OFF};

// ---- refused -----------------------------------------------------------------------------------

static void test_refused(sedge_context *context)
{
    int64_t offsets[] = {0, 2, 1, 3};
    int32_t columns[] = {0, 2, 1, 2};
    const double values[] = {1.0, 2.0, 3.0, 4.0};
    sedge_csr csr = {
        .rows = 3, .columns = 3, .offsets = offsets, .columns32 = columns, .values64 = values};
    sedge_sparse_options options = off;
    sedge_sparse *sparse = NULL;

    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &off), SEDGE_ERR_DATA,
                "the offsets descend, from 2 to 1 at row 1");
    offsets[2] = 3;
    columns[1] = 3;
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &off), SEDGE_ERR_DATA,
                "entry 1, in row 0, has column 3, and there are columns 0 to 2");
    columns[1] = -1;
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &off), SEDGE_ERR_DATA, "has column -1");
    columns[1] = 2;
    csr.rows = (int64_t)1 << 31;
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &off), SEDGE_ERR_DATA,
                "2147483648 rows and 3 columns; each is 0 to 2147483647");
    csr.rows = 3;
    csr.columns = -2;
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &off), SEDGE_ERR_DATA, "-2 columns");
    csr.columns = 3;
    offsets[0] = -1;
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &off), SEDGE_ERR_DATA,
                "its first offset is -1, below 0");
    offsets[0] = 0;
    csr.columns32 = NULL;
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &off), SEDGE_ERR_DATA,
                "neither columns32 nor columns64 is there");
    csr.columns32 = columns;
    csr.values64 = NULL;
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &off), SEDGE_ERR_DATA,
                "neither values32 nor values64 is there");
    csr.values64 = values;
    options.real_bytes = 2;
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &options), SEDGE_ERR_USAGE,
                "numbers of 2 bytes");
    options.real_bytes = 4;
    options.value_bytes = 8;
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &options), SEDGE_ERR_USAGE,
                "values of 8 bytes with vectors of 4");
    options = off;
    options.format = "diagonal";
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &csr, &options), SEDGE_ERR_USAGE,
                "no format 'diagonal' with a kernel 'any' for this matrix");
    CHECK(sparse == NULL);
}

static void test_refused_use(sedge_context *context)
{
    bench_matrix m = random_matrix(100, 60, 5, 0, true);
    const double zeros[100] = {0.0};
    sedge_sparse_options options = off;
    sedge_sparse *sparse = NULL;

    CHECK_OK(sedge_sparse_create(&sparse, context, &m.csr, &off));
    CHECK(sedge_sparse_rows(sparse) == 100 && sedge_sparse_columns(sparse) == 60);
    sedge_buffer *const x = upload(context, zeros, 60, 8), *const y = upload(context, zeros, 99, 8);
    sedge_buffer *const w = upload(context, zeros, 100, 8);
    CHECK_FAILS(sedge_sparse_apply(sparse, NULL, 1.0, x, 0.0, y), SEDGE_ERR_USAGE,
                "100 x 60: y has 792 bytes, 100 numbers of 8 bytes are needed");
    CHECK_FAILS(sedge_sparse_apply(sparse, NULL, 1.0, w, 0.0, w), SEDGE_ERR_USAGE,
                "x and y are one buffer");
    CHECK_FAILS(sedge_sparse_apply_dot(sparse, NULL, 1.0, x, 0.0, w, w, y), SEDGE_ERR_USAGE,
                "not made for dot products");
    sedge_sparse_free(sparse);
    options.dot = true;
    CHECK_OK(sedge_sparse_create(&sparse, context, &m.csr, &options));
    sedge_buffer *const none = upload(context, zeros, 1, 4), *const few =
                                                                 upload(context, zeros, 59, 8);
    CHECK_FAILS(sedge_sparse_apply(sparse, NULL, 1.0, few, 0.0, w), SEDGE_ERR_USAGE,
                "100 x 60: x has 472 bytes, 60 numbers of 8 bytes are needed");
    CHECK_FAILS(sedge_sparse_apply_dot(sparse, NULL, 1.0, x, 0.0, w, y, y), SEDGE_ERR_USAGE,
                "100 x 60: w has 792 bytes, 100 numbers of 8 bytes are needed");
    CHECK_FAILS(sedge_sparse_apply_dot(sparse, NULL, 1.0, x, 0.0, w, w, none), SEDGE_ERR_USAGE,
                "100 x 60: sums has 4 bytes, ");
    sedge_sparse_free(sparse);
    sedge_buffer_free(none);
    sedge_buffer_free(few);
    // A word of a format's name is none.
    options = off;
    options.format = "cs";
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &m.csr, &options), SEDGE_ERR_USAGE,
                "no format 'cs' with a kernel 'any'");
    // Padding is the reason why a format is not there.
    bench_matrix arrow;
    CHECK_OK(bench_matrix_make(&arrow, "arrow", 5000));
    options.format = "ell";
    CHECK_FAILS(sedge_sparse_create(&sparse, context, &arrow.csr, &options), SEDGE_ERR_USAGE,
                "no format 'ell' with a kernel 'any' for this matrix and device: padding: ");
    drop(&arrow);
    sedge_buffer_free(w);
    sedge_buffer_free(y);
    sedge_buffer_free(x);
    drop(&m);
}

// ---- large offsets -----------------------------------------------------------------------------

// Offsets on the device begin beyond 2^32, at addresses that lie as far before the arrays: any
// place that is computed in 32 bits is wrong by that much.
static void test_large_offsets(sedge_context *context)
{
    static const char *const formats[] = {"csr",         "adaptive 1024", "sell",
                                          "sell packed", "packet",        "hub"};
    static const product_case plain = {1.0, 0.0, true, true};
    const int64_t shift = ((int64_t)1 << 33) + ((int64_t)1 << 31) + 64;
    bench_matrix m = random_matrix(3000, 3000, 20, 4, true);

    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        sedge_sparse_options options = off;
        sedge_sparse *sparse = NULL;
        options.format = formats[f];
        options.dot = true;
        CHECK_OK(sedge_sparse_create_shifted(&sparse, context, &m.csr, &options, shift));
        if (sparse == NULL) continue;
        check_product(context, sparse, &m.csr, 8, 8, &plain);
        sedge_sparse_free(sparse);
    }
    drop(&m);
}

// ---- parts of a distributed matrix -------------------------------------------------------------

// y = A_local x, then y += A_halo x_halo, and both parts' shares of the dot product, against the
// whole matrix.
static void test_parts(sedge_context *context)
{
    enum { N = 1500, OWN = 1000 };
    bench_matrix m = random_matrix(OWN, N, 12, 0, true);
    bench_matrix part[2] = {random_matrix(OWN, OWN, 12, 0, true),
                            random_matrix(OWN, N - OWN, 12, 0, true)};
    double x[N], w[OWN], y[OWN], got[OWN] = {0.0}, sums[2][SEDGE_SPARSE_SUMS] = {{0.0}};
    double dot = 0.0, right_dot = 0.0;
    sedge_sparse *sparse[2] = {NULL, NULL};
    sedge_sparse_options options = off;

    // Few rows have columns beyond the local ones.
    for (int64_t r = 0; r < OWN; r++)
        for (int64_t k = m.offsets[r]; r >= 50 && k < m.offsets[r + 1]; k++) m.columns[k] %= OWN;
    for (int h = 0; h < 2; h++) {
        int64_t count = 0;
        for (int64_t r = 0; r < OWN; r++) {
            for (int64_t k = m.offsets[r]; k < m.offsets[r + 1]; k++) {
                if ((m.columns[k] >= OWN) != (h == 1)) continue;
                part[h].columns[count] = m.columns[k] - (h == 1 ? OWN : 0);
                part[h].values[count++] = m.values[k];
            }
            part[h].offsets[r + 1] = count;
        }
    }
    for (int i = 0; i < N; i++) x[i] = (double)(i % 13) - 6.0;
    for (int i = 0; i < OWN; i++) w[i] = (double)(i % 5) - 2.0;
    sedge_csr_apply(&m.csr, 1.0, x, 0.0, y, NULL, 1);
    sedge_buffer *const own_x = upload(context, x, OWN, 8);
    sedge_buffer *const halo_x = upload(context, x + OWN, N - OWN, 8);
    sedge_buffer *const device_w = upload(context, w, OWN, 8);
    sedge_buffer *const device_y = upload(context, got, OWN, 8);
    sedge_buffer *const device_sums = upload(context, sums[0], SEDGE_SPARSE_SUMS, 8);
    options.dot = true;
    for (int h = 0; h < 2; h++) {
        CHECK_OK(sedge_sparse_create(&sparse[h], context, &part[h].csr, &options));
        CHECK_OK(sedge_sparse_apply_dot(sparse[h], NULL, 1.0, h == 0 ? own_x : halo_x,
                                        h == 0 ? 0.0 : 1.0, device_y, device_w, device_sums));
        CHECK_OK(sedge_context_wait(context));
        download(sums[h], device_sums, sedge_sparse_sums(sparse[h]), 8);
        for (int s = 0; s < sedge_sparse_sums(sparse[h]); s++) dot += sums[h][s];
    }
    download(got, device_y, OWN, 8);
    CHECK(memcmp(got, y, sizeof y) == 0);
    for (int i = 0; i < OWN; i++) right_dot += w[i] * y[i];
    CHECK(dot == right_dot);
    // The halo's rows alone are stored: 50 of 1000.
    CHECK(sedge_sparse_get_info(sparse[1])->device_bytes <
          sedge_sparse_get_info(sparse[0])->device_bytes / 4);
    for (int h = 0; h < 2; h++) {
        sedge_sparse_free(sparse[h]);
        drop(&part[h]);
    }
    sedge_buffer_free(device_sums);
    sedge_buffer_free(device_y);
    sedge_buffer_free(device_w);
    sedge_buffer_free(halo_x);
    sedge_buffer_free(own_x);
    drop(&m);
}

// ---- choice ------------------------------------------------------------------------------------

// On a grid the rule stores no indices: fewer bytes than the compulsory ones of compressed rows.
static void test_rule(sedge_context *context)
{
    bench_matrix m;
    sedge_sparse *sparse = NULL;

    CHECK_OK(bench_matrix_make(&m, "7-point", 32));
    CHECK_OK(sedge_sparse_create(&sparse, context, &m.csr, &off));
    const sedge_sparse_info *const info = sedge_sparse_get_info(sparse);
    CHECK(strncmp(info->format, "sell packed", 11) == 0);
    // 7 values of 8 bytes and x and y, at most 12 % more; compressed rows need 104 bytes a row.
    CHECK_BOUND(info->stored_bytes / (double)info->rows, 1.12 * (7.0 * 8.0 + 16.0));
    CHECK(info->compulsory_bytes > 100.0 * (double)info->rows);
    CHECK(info->source == SEDGE_TUNE_BY_RULE && info->seconds == 0.0);
    sedge_sparse_free(sparse);
    drop(&m);
}

// A search measures, names a winner, is right, and is not made again for the same kind of matrix.
static void test_tuned(sedge_context *context)
{
    static const product_case plain = {1.0, 0.0, false, true};
    const sedge_sparse_options options = {.dot = true,
                                          .has_tune = true,
                                          .tune = SEDGE_TUNE_FAST,
                                          .kernel = "t256",
                                          .format = "sell packed"};
    bench_matrix m;
    int winners = 0, timed = 0;

    CHECK_OK(bench_matrix_make(&m, "banded", 20000));
    for (int again = 0; again < 2; again++) {
        sedge_sparse_options own = options;
        sedge_sparse *sparse = NULL;
        own.forget = again == 0;
        CHECK_OK(sedge_sparse_create(&sparse, context, &m.csr, &own));
        if (sparse == NULL) break;
        const sedge_sparse_info *const info = sedge_sparse_get_info(sparse);
        CHECK(info->source == (again == 0 ? SEDGE_TUNE_BY_MEASUREMENT : SEDGE_TUNE_BY_WISDOM));
        for (int k = 0; again == 0 && k < info->count; k++) {
            winners += strncmp(info->candidates[k].reason, "winner", 6) == 0;
            timed += info->candidates[k].seconds > 0.0;
        }
        check_product(context, sparse, &m.csr, 8, 8, &plain);
        sedge_sparse_free(sparse);
    }
    CHECK(winners == 1 && timed >= 2);
    drop(&m);
}

// Equal diagonals are stored once: an interior point of the grid costs its values, x and y and a
// place for 32 rows. Of a shuffled mesh, columns in the order of a search take 16 bits or fewer.
static void test_few_bytes(sedge_context *context)
{
    sedge_sparse_options options = off;
    sedge_sparse *sparse = NULL;
    bench_matrix m;

    options.format = "sell packed";
    CHECK_OK(bench_matrix_make(&m, "7-point", 32));
    CHECK_OK(sedge_sparse_create(&sparse, context, &m.csr, &options));
    CHECK_BOUND(sedge_sparse_get_info(sparse)->stored_bytes / (32.0 * 32.0 * 32.0),
                1.02 * (7.0 * 8.0 + 16.0));
    sedge_sparse_free(sparse);
    drop(&m);
    CHECK_OK(bench_matrix_make(&m, "shuffled", 32));
    for (int ordered = 0; ordered < 2; ordered++) {
        // 15 values; 4 or 2.5 bytes of index; x, y, and in another order the list of rows, what is
        // gathered, and x there.
        const double bound[2] = {15.0 * 12.0 + 17.0, 15.0 * 10.5 + 16.0 + 4.0 + 20.0};
        options.format = ordered ? "sell packed 32 ordered" : "sell 32";
        sparse = NULL;
        if (!ordered &&
            sedge_device_get_info(sedge_context_device(context))->kind == SEDGE_DEVICE_HOST)
            continue; // another height
        CHECK_OK(sedge_sparse_create(&sparse, context, &m.csr, &options));
        if (sparse == NULL) continue;
        CHECK_BOUND(sedge_sparse_get_info(sparse)->stored_bytes / (32.0 * 32.0 * 32.0),
                    bound[ordered]);
        sedge_sparse_free(sparse);
    }
    drop(&m);
}

// The vendor's product without a stream is done when the call returns: y += A x again and again,
// and then y is read, by the device's own stream.
static void test_vendor_waits(sedge_context *context)
{
    enum { N = 100000, AGAIN = 100 };
    static const sedge_sparse_layout layout = {
        .format = &sedge_sparse_cusparse, .window = 1, .name = "cusparse csr"};
    static const sedge_sparse_kernel kernel = {.threads = 256, .lanes = SEDGE_CUSPARSE_CSR_2};
    static const sedge_sparse_programs none = {.main = NULL};
    bench_matrix m = random_matrix(N, N, 15, 0, true);
    double *const x = calloc(N, sizeof *x), *const y = calloc(N, sizeof *y);
    double *const right = calloc(N, sizeof *right);
    sedge_cusparse *cusparse = NULL;
    sedge_sparse_matrix matrix;
    sedge_sparse_store *store = NULL;
    int wrong = 0;

    for (int i = 0; i < N; i++) x[i] = (double)(i % 13) - 6.0;
    sedge_csr_apply(&m.csr, 1.0, x, 0.0, right, NULL, 1);
    CHECK_OK(sedge_cusparse_create(&cusparse, sedge_context_device(context)));
    CHECK_OK(sedge_sparse_matrix_make(&matrix, &m.csr, 8, 8, 1));
    CHECK_OK(sedge_sparse_store_create(&store, context, &matrix, &layout, cusparse));
    sedge_buffer *const device_x = upload(context, x, N, 8), *const device_y =
                                                                 upload(context, y, N, 8);
    const sedge_sparse_call call = {.alpha = 1.0, .beta = 1.0, .x = device_x, .y = device_y};
    for (int a = 0; a < AGAIN; a++) CHECK_OK(sedge_sparse_run(store, &kernel, &none, NULL, &call));
    download(y, device_y, N, 8);
    for (int i = 0; i < N; i++) wrong += y[i] != AGAIN * right[i];
    CHECK(wrong == 0);
    sedge_buffer_free(device_y);
    sedge_buffer_free(device_x);
    sedge_sparse_store_free(store);
    sedge_sparse_matrix_clear(&matrix);
    sedge_cusparse_free(cusparse);
    free(right);
    free(y);
    free(x);
    drop(&m);
}

// ---- threads -----------------------------------------------------------------------------------

static int threads_made; // by this program, which is linked so that it counts them

// The linker's option --wrap gives these names.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif
// NOLINTBEGIN(readability-identifier-naming)
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    threads_made++;
    return __real_pthread_create(thread, attributes, start, argument);
}
// NOLINTEND(readability-identifier-naming)

// Threads that creating a matrix of many rows starts on the host device of a rank that shares the
// node with `ranks` - 1 others; its kernels are compiled before, by a first matrix.
static int count_threads(int ranks)
{
    enum { ROWS = 1 << 17 };
    const sedge_sparse_options options = {.tune = SEDGE_TUNE_OFF, .format = "csr"};
    sedge_device *device = NULL;
    sedge_cache *cache = NULL;
    sedge_context *context = NULL;
    sedge_sparse *sparse = NULL;
    int64_t *const offsets = calloc(ROWS + 1, sizeof *offsets);
    int64_t *const columns = calloc(ROWS, sizeof *columns);
    double *const values = calloc(ROWS, sizeof *values);
    int made = 0;

    for (int r = 0; r < ROWS; r++) {
        offsets[r + 1] = r + 1;
        columns[r] = r;
        values[r] = 1.0;
    }
    const sedge_csr csr = {.rows = ROWS,
                           .columns = ROWS,
                           .offsets = offsets,
                           .columns64 = columns,
                           .values64 = values};
    CHECK_OK(sedge_device_create(&device, "host", 0, ranks));
    CHECK_OK(sedge_cache_create(&cache, NULL));
    CHECK_OK(sedge_context_create(&context, device, cache));
    for (int again = 0; again < 2; again++) {
        const int before = threads_made;
        CHECK_OK(sedge_sparse_create(&sparse, context, &csr, &options));
        made = threads_made - before;
        sedge_sparse_free(sparse);
    }
    sedge_context_free(context);
    sedge_cache_free(cache);
    sedge_device_free(device);
    free(values);
    free(columns);
    free(offsets);
    return made;
}

// Many ranks of a node do not each take all its processors.
static void test_threads(void)
{
    CHECK(count_threads(4096) == 0);
    if (sedge_device_compilers(1) > 1) CHECK(count_threads(1) > 0);
}

int main(int argc, char **argv)
{
    const bool few = is_few(argc, argv) || in_random_order();
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    test_refused(context);
    test_refused_use(context);
    test_parts(context);
    const char *const device = getenv("SEDGE_TEST_DEVICE");
    // OpenCL takes no addresses outside of buffers.
    if (device == NULL || strcmp(device, "opencl") != 0) test_large_offsets(context);
    if (device != NULL && strcmp(device, "cuda") == 0) test_vendor_waits(context);
    test_few_bytes(context);
    test_rule(context);
    test_threads();
    if (!few) test_tuned(context);
    sedge_context_free(context);
    return CHECK_END();
}
