// Sparse products: what the tuner chooses for matrices of several kinds, against the floor of the
// compulsory bytes, against cuSPARSE's algorithms on cuda, and the best of each format.
//
//     sedge-bench-sparse [--device D] [--large] [--matrix NAME,NAME,...] [--precision 32|64]
//                        [--kernel TEXT] [--tune LEVEL] [--table] [--json FILE]
//
// Times are of one product in the context's stream, the least of several batches (sedge_time). The
// floor: each value, 32-bit column, offset and number of x and y once, at the measured copy rate.
#include "matrices.h"

#include "base/memory.h"
#include "device/cusparse.h"
#include "program/launch.h"
#include "tune/ceiling.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 12 };

typedef struct bench {
    const char *device, *matrix, *json;
    const char *kernel; // only candidates whose name contains this; NULL: any
    int bits;           // 0: both
    bool large, table;
    sedge_tune_level tune;
    sedge_context *context;
    sedge_cusparse *cusparse; // NULL: none
    json_t *rows;
} bench;

static const struct {
    const char *name;
    int64_t small, large;
} sizes[] = {{"7-point", 64, 256},
             {"27-point", 40, 256},
             {"tets", 32, 128},
             {"shuffled", 32, 128},
             {"banded", 200000, 4000000},
             {"rmat", 1 << 15, 1 << 20},
             {"arrow", 200000, 4000000},
             {"dg-1", 12, 48},
             {"dg-2", 8, 24}};

// ---- one matrix --------------------------------------------------------------------------------

typedef struct product {
    sedge_sparse *sparse;
    sedge_cusparse_matrix *vendor;
    sedge_cusparse_algorithm algorithm;
    sedge_buffer *x, *y, *sums;
} product;

static sedge_status run_plain(void *context, sedge_stream *stream)
{
    const product *const p = context;

    return sedge_sparse_apply(p->sparse, stream, 1.0, p->x, 0.0, p->y);
}

static sedge_status run_dot(void *context, sedge_stream *stream)
{
    const product *const p = context;

    return sedge_sparse_apply_dot(p->sparse, stream, 1.0, p->x, 0.0, p->y, p->x, p->sums);
}

static sedge_status run_vendor(void *context, sedge_stream *stream)
{
    const product *const p = context;

    return sedge_cusparse_multiply(p->vendor, stream, p->algorithm, 1.0, sedge_buffer_address(p->x),
                                   0.0, sedge_buffer_address(p->y));
}

static sedge_status make_vector(sedge_buffer **out, sedge_device *device, int64_t count, int size)
{
    sedge_status status;
    char *values = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&values, count, (size_t)size));
    for (int64_t i = 0; i < count; i++) {
        if (size == 8) {
            ((double *)(void *)values)[i] = bench_number(i);
        } else {
            ((float *)(void *)values)[i] = (float)bench_number(i);
        }
    }
    SEDGE_TRY_GOTO(status, sedge_buffer_create(out, device, count * size));
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(*out, 0, values, count * size, NULL));
done:
    sedge_release(values);
    return status;
}

// ---- cuSPARSE ----------------------------------------------------------------------------------

// The least time of its two algorithms of rows, on the arrays of our own csr.
static sedge_status time_rows(double *best, const char **name, const bench *b, product *p,
                              const bench_matrix *m, int size)
{
    sedge_device *const device = sedge_context_device(b->context);
    const int64_t rows = m->csr.rows, entries = m->offsets[rows];
    sedge_buffer *offsets = NULL, *columns = NULL, *values = NULL;
    int32_t *narrow = NULL;
    float *single = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&narrow, rows + 1, sizeof *narrow));
    SEDGE_TRY_GOTO(status, sedge_allocate(&single, size == 4 ? entries : 1, sizeof *single));
    for (int64_t r = 0; r <= rows; r++) narrow[r] = (int32_t)m->offsets[r];
    for (int64_t k = 0; size == 4 && k < entries; k++) single[k] = (float)m->values[k];
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&offsets, device, 4 * (rows + 1)));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&columns, device, 4 * entries));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&values, device, size * entries));
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(offsets, 0, narrow, 4 * (rows + 1), NULL));
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(columns, 0, m->columns, 4 * entries, NULL));
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_upload(values, 0, size == 4 ? (const void *)single : m->values,
                                       size * entries, NULL));
    const sedge_cusparse_arrays arrays = {.rows = rows,
                                          .columns = m->csr.columns,
                                          .entries = entries,
                                          .stored = entries,
                                          .offsets = sedge_buffer_address(offsets),
                                          .indices = sedge_buffer_address(columns),
                                          .values = sedge_buffer_address(values),
                                          .fp64 = size == 8};
    SEDGE_TRY_GOTO(status, sedge_cusparse_matrix_create(&p->vendor, b->cusparse, &arrays));
    for (int a = 0; a < 2; a++) {
        double seconds;
        p->algorithm = a == 0 ? SEDGE_CUSPARSE_CSR_1 : SEDGE_CUSPARSE_CSR_2;
        SEDGE_TRY_GOTO(status, sedge_time(&seconds, device, ROUNDS, run_vendor, p));
        if (*best > 0.0 && seconds >= *best) continue;
        *best = seconds;
        *name = a == 0 ? "CSR_ALG1" : "CSR_ALG2";
    }
done:
    sedge_cusparse_matrix_free(p->vendor);
    p->vendor = NULL;
    sedge_buffer_free(values);
    sedge_buffer_free(columns);
    sedge_buffer_free(offsets);
    sedge_release(single);
    sedge_release(narrow);
    return status;
}

// Its slices; a matrix that they pad too much has none.
static sedge_status time_slices(double *best, const char **name, const bench *b, product *p,
                                const bench_matrix *m, int size)
{
    const sedge_sparse_options options = {
        .real_bytes = size, .has_tune = true, .tune = SEDGE_TUNE_OFF, .format = "cusparse sell"};
    sedge_sparse *const own = p->sparse;
    double seconds;

    if (sedge_sparse_create(&p->sparse, b->context, &m->csr, &options) != SEDGE_OK) {
        sedge_error_clear();
        p->sparse = own;
        return SEDGE_OK;
    }
    const sedge_status status =
        sedge_time(&seconds, sedge_context_device(b->context), ROUNDS, run_plain, p);
    sedge_sparse_free(p->sparse);
    p->sparse = own;
    if (status == SEDGE_OK && seconds < *best) {
        *best = seconds;
        *name = "SELL_ALG1";
    }
    return status;
}

// ---- printing ----------------------------------------------------------------------------------

// The best time of each format that was measured.
static json_t *list_formats(const sedge_sparse_info *info)
{
    json_t *const list = json_object();

    for (int k = 0; k < info->count; k++) {
        const sedge_sparse_candidate *const c = &info->candidates[k];
        const json_t *const known = json_object_get(list, c->format);
        if (!(c->seconds > 0.0)) continue;
        if (known == NULL || json_real_value(known) > c->seconds)
            (void)json_object_set_new(list, c->format, json_real(c->seconds));
    }
    return list;
}

static sedge_status report(const bench *b, const char *name, int size,
                           const sedge_sparse_info *info, double plain, double dot, double vendor,
                           const char *vendor_name, double copy)
{
    const double floor = copy > 0.0 ? info->compulsory_bytes / copy : 0.0;

    (void)printf("%-9s fp%d %9lld %10lld  %-36s %9.1f %9.1f %6.3f %6.2f %6.2f", name, 8 * size,
                 (long long)info->rows, (long long)info->entries, info->kernel, plain * 1e6,
                 dot * 1e6, floor / plain, info->stored_bytes / plain * 1e-12, info->tune_seconds);
    if (vendor > 0.0) (void)printf(" %9.1f %-9s %6.2f", vendor * 1e6, vendor_name, vendor / plain);
    (void)printf("\n");
    (void)fflush(stdout);
    json_t *const row =
        json_pack("{s:s, s:i, s:I, s:I, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s, s:o}",
                  "matrix", name, "bits", 8 * size, "rows", (json_int_t)info->rows, "entries",
                  (json_int_t)info->entries, "format", info->format, "kernel", info->kernel,
                  "seconds", plain, "seconds_with_dot", dot, "compulsory_bytes",
                  info->compulsory_bytes, "stored_bytes", info->stored_bytes, "floor_seconds",
                  floor, "tune_seconds", info->tune_seconds, "cusparse_seconds", vendor,
                  "cusparse_algorithm", vendor_name, "formats", list_formats(info));
    if (row == NULL || json_array_append_new(b->rows, row) != 0)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "no memory for the report");
    return SEDGE_OK;
}

static sedge_status run_precision(const bench *b, const char *name, const bench_matrix *m, int size)
{
    sedge_device *const device = sedge_context_device(b->context);
    const sedge_sparse_options options = {.real_bytes = size,
                                          .dot = true,
                                          .has_tune = true,
                                          .tune = b->tune,
                                          .forget = true,
                                          .kernel = b->kernel};
    product p = {.sparse = NULL};
    sedge_ceilings ceilings;
    double plain, dot, vendor = 0.0;
    const char *vendor_name = "";
    sedge_status status;

    SEDGE_TRY(
        sedge_ceilings_get(&ceilings, NULL, device, sedge_context_cache(b->context), size, false));
    SEDGE_TRY_GOTO(status, make_vector(&p.x, device, m->csr.columns, size));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&p.y, device, m->csr.rows * size));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&p.sums, device, (int64_t)8 * SEDGE_SPARSE_SUMS));
    SEDGE_TRY_GOTO(status, sedge_sparse_create(&p.sparse, b->context, &m->csr, &options));
    SEDGE_TRY_GOTO(status, sedge_time(&plain, device, ROUNDS, run_plain, &p));
    SEDGE_TRY_GOTO(status, sedge_time(&dot, device, ROUNDS, run_dot, &p));
    if (b->cusparse != NULL) {
        SEDGE_TRY_GOTO(status, time_rows(&vendor, &vendor_name, b, &p, m, size));
        SEDGE_TRY_GOTO(status, time_slices(&vendor, &vendor_name, b, &p, m, size));
    }
    SEDGE_TRY_GOTO(status, report(b, name, size, sedge_sparse_get_info(p.sparse), plain, dot,
                                  vendor, vendor_name, ceilings.copy));
    if (b->table) SEDGE_TRY_GOTO(status, sedge_sparse_print(stdout, p.sparse));
done:
    sedge_sparse_free(p.sparse);
    sedge_buffer_free(p.sums);
    sedge_buffer_free(p.y);
    sedge_buffer_free(p.x);
    return status;
}

static sedge_status run_matrix(const bench *b, const char *name, int64_t size)
{
    bench_matrix m;
    sedge_status status;

    SEDGE_TRY_GOTO(status, bench_matrix_make(&m, name, size));
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        if (b->bits == 0 || b->bits == 8 * bytes)
            SEDGE_TRY_GOTO(status, run_precision(b, name, &m, bytes));
    }
done:
    bench_matrix_clear(&m);
    return status;
}

// ---- the program -------------------------------------------------------------------------------

static sedge_status check_precision(int *bits, const char *value)
{
    *bits = strcmp(value, "32") == 0 ? 32 : strcmp(value, "64") == 0 ? 64 : 0;
    if (*bits != 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--precision: '%s' is not 32 or 64", value);
}

// Names with commas between them.
static sedge_status check_matrices(const char *list)
{
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        size_t i = 0;

        if (*at == ',') at++;
        const size_t length = strcspn(at, ",");
        while (i < sizeof sizes / sizeof sizes[0] &&
               (strlen(sizes[i].name) != length || strncmp(at, sizes[i].name, length) != 0))
            i++;
        if (i < sizeof sizes / sizeof sizes[0]) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "--matrix: '%.*s' is not known; 7-point, 27-point, tets, shuffled, "
                          "banded, rmat, arrow, dg-1 and dg-2 are",
                          (int)length, at);
    }
    return SEDGE_OK;
}

static sedge_status read_options(bench *b, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *const value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--large") == 0) {
            b->large = true;
            continue;
        }
        if (strcmp(argv[i], "--table") == 0) {
            b->table = true;
            continue;
        }
        i++;
        if (strcmp(argv[i - 1], "--device") == 0) {
            b->device = value;
        } else if (strcmp(argv[i - 1], "--matrix") == 0) {
            b->matrix = value;
            SEDGE_TRY(check_matrices(value));
        } else if (strcmp(argv[i - 1], "--kernel") == 0) {
            b->kernel = value;
        } else if (strcmp(argv[i - 1], "--json") == 0) {
            b->json = value;
        } else if (strcmp(argv[i - 1], "--precision") == 0) {
            SEDGE_TRY(check_precision(&b->bits, value));
        } else if (strcmp(argv[i - 1], "--tune") == 0) {
            SEDGE_TRY(sedge_tune_level_parse(&b->tune, value));
        } else {
            return SEDGE_FAIL(
                SEDGE_ERR_USAGE,
                "'%s' is no option: --device, --large, --matrix, --precision, --kernel, --tune, "
                "--table, --json are",
                argv[i - 1]);
        }
    }
    return SEDGE_OK;
}

// Whether a list of names, with commas between them, has this one; NULL has all.
static bool is_wanted(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, name, length) == 0 && (at[length] == '\0' || at[length] == ','))
            return true;
    }
    return list == NULL;
}

static sedge_status run_all(bench *b)
{
    SEDGE_TRY(sedge_context_open(&b->context, b->device));
    SEDGE_TRY(sedge_device_make_current(sedge_context_device(b->context)));
    if (sedge_cusparse_create(&b->cusparse, sedge_context_device(b->context)) != SEDGE_OK) {
        (void)printf("# %s\n", sedge_error_message());
        sedge_error_clear();
    }
    b->rows = json_array();
    (void)printf("# %s, tuning %s\n", sedge_device_get_info(sedge_context_device(b->context))->name,
                 sedge_tune_level_name(b->tune));
    (void)printf(
        "# matrix            rows    entries  kernel                                      us "
        "   dot us  floor  TB/s  tune s  cuSPARSE us\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!is_wanted(b->matrix, sizes[i].name)) continue;
        SEDGE_TRY(run_matrix(b, sizes[i].name, b->large ? sizes[i].large : sizes[i].small));
    }
    if (b->json != NULL && json_dump_file(b->rows, b->json, JSON_INDENT(1)) != 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s' cannot be written", b->json);
    return SEDGE_OK;
}

int main(int argc, char **argv)
{
    bench b = {.device = "auto", .tune = SEDGE_TUNE_FAST};
    sedge_status status = read_options(&b, argc, argv);

    if (status == SEDGE_OK) status = run_all(&b);
    if (status != SEDGE_OK) (void)fprintf(stderr, "%s\n", sedge_error_message());
    json_decref(b.rows);
    sedge_cusparse_free(b.cusparse);
    sedge_context_free(b.context);
    return sedge_status_exit_code(status);
}
