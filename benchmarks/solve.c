// An iteration of conjugate gradients against its floor: the bytes that it must move, at the copy
// rate of the same run. 7-point Laplacian, random right-hand side, no preconditioner.
//
//     sedge-bench-solve [DEVICE [SIDE ...]]      default: auto 256 100 37 22
//
// Times are differences of two solves that end at the iteration limit, the least of three each, so
// that set-up, first and last residual do not count. Plain: the same steps one operation a kernel,
// scalars on the device, the product by cuSPARSE where there is one, else our own.
#include "base/file.h"
#include "base/memory.h"
#include "elementwise/copy.h"
#include "elementwise/expression.h"
#include "linear/krylov.h"
#include "reduce/reduce.h"
#include "sparse/sparse.h"
#include "tune/ceiling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct system_of {
    sedge_context *context;
    int real_bytes;
    int64_t rows;
    sedge_csr csr; // owned arrays
    int64_t *offsets;
    int32_t *columns;
    double *values;
    sedge_sparse *sparse;
    sedge_buffer *b, *x;
    sedge_buffer *plain[3]; // by rows, of small systems
    double copy;
} system_of;

// ---- the system --------------------------------------------------------------------------------

static sedge_status make_matrix(system_of *s, int64_t side)
{
    const int64_t steps[7] = {-side * side, -side, -1, 0, 1, side, side * side};
    int64_t at = 0;

    s->rows = side * side * side;
    SEDGE_TRY(sedge_allocate(&s->offsets, s->rows + 1, sizeof *s->offsets));
    SEDGE_TRY(sedge_allocate(&s->columns, 7 * s->rows, sizeof *s->columns));
    SEDGE_TRY(sedge_allocate(&s->values, 7 * s->rows, sizeof *s->values));
    for (int64_t row = 0; row < s->rows; row++) {
        const int64_t i = row % side, j = row / side % side, k = row / (side * side);
        const bool there[7] = {k > 0, j > 0, i > 0, true, i + 1 < side, j + 1 < side, k + 1 < side};
        for (int n = 0; n < 7; n++) {
            if (!there[n]) continue;
            s->columns[at] = (int32_t)(row + steps[n]);
            s->values[at++] = n == 3 ? 6.0 : -1.0;
        }
        s->offsets[row + 1] = at;
    }
    s->csr = (sedge_csr){.rows = s->rows,
                         .columns = s->rows,
                         .offsets = s->offsets,
                         .columns32 = s->columns,
                         .values64 = s->values};
    return SEDGE_OK;
}

static sedge_status upload(system_of *s, sedge_buffer **out, const void *from, int64_t bytes)
{
    SEDGE_TRY(sedge_buffer_create(out, sedge_context_device(s->context), bytes));
    return from != NULL ? sedge_buffer_upload(*out, 0, from, bytes, NULL) : SEDGE_OK;
}

static sedge_status upload_reals(system_of *s, sedge_buffer **out, const double *from,
                                 int64_t count)
{
    sedge_status status;
    float *narrow = NULL;

    if (s->real_bytes == 8) return upload(s, out, from, 8 * count);
    SEDGE_TRY(sedge_allocate(&narrow, count, sizeof *narrow));
    for (int64_t i = 0; i < count; i++) narrow[i] = (float)from[i];
    status = upload(s, out, narrow, 4 * count);
    sedge_release(narrow);
    return status;
}

static void release(system_of *s)
{
    sedge_sparse_free(s->sparse);
    sedge_buffer_free(s->b);
    sedge_buffer_free(s->x);
    for (int i = 0; i < 3; i++) sedge_buffer_free(s->plain[i]);
    sedge_release(s->offsets);
    sedge_release(s->columns);
    sedge_release(s->values);
}

static sedge_status make_system(system_of *s, int64_t side)
{
    const sedge_sparse_options options = {
        .real_bytes = s->real_bytes, .dot = true, .has_tune = true, .tune = SEDGE_TUNE_FAST};
    sedge_status status;
    double *b = NULL;

    SEDGE_TRY(make_matrix(s, side));
    SEDGE_TRY(sedge_sparse_create(&s->sparse, s->context, &s->csr, &options));
    SEDGE_TRY_GOTO(status, sedge_allocate(&b, s->rows, sizeof *b));
    for (int64_t i = 0; i < s->rows; i++) b[i] = (double)((i * 7919) % 1009) / 504.5 - 1.0;
    SEDGE_TRY_GOTO(status, upload_reals(s, &s->b, b, s->rows));
    SEDGE_TRY_GOTO(status, upload(s, &s->x, NULL, s->rows * s->real_bytes));
    if (s->rows <= 65536) {
        SEDGE_TRY_GOTO(status, upload(s, &s->plain[0], s->offsets, 8 * (s->rows + 1)));
        SEDGE_TRY_GOTO(status, upload(s, &s->plain[1], s->columns, 4 * s->offsets[s->rows]));
        status = upload_reals(s, &s->plain[2], s->values, s->offsets[s->rows]);
    }
done:
    sedge_release(b);
    return status;
}

static sedge_status apply(void *context, sedge_stream *stream, const sedge_buffer *x,
                          sedge_buffer *y)
{
    const system_of *const s = context;

    return sedge_sparse_apply(s->sparse, stream, 1.0, x, 0.0, y);
}

static sedge_status apply_dot(void *context, sedge_stream *stream, const sedge_buffer *x,
                              sedge_buffer *y, sedge_buffer *sums)
{
    const system_of *const s = context;

    return sedge_sparse_apply_dot(s->sparse, stream, 1.0, x, 0.0, y, x, sums);
}

// ---- ours --------------------------------------------------------------------------------------

static sedge_status clear(system_of *s)
{
    const int64_t bytes = s->rows * s->real_bytes;
    sedge_status status;
    void *zeros = NULL;

    SEDGE_TRY(sedge_allocate(&zeros, bytes, 1));
    status = sedge_buffer_upload(s->x, 0, zeros, bytes, NULL);
    sedge_release(zeros);
    return status;
}

static sedge_status time_solve(system_of *s, sedge_krylov_options *options, int64_t iterations,
                               double *seconds, sedge_krylov_result *result)
{
    const sedge_krylov_operator op = {
        .context = s,
        .apply = apply,
        .apply_dot = apply_dot,
        .sums_count = sedge_sparse_sums(s->sparse),
        .bytes = sedge_sparse_get_info(s->sparse)->compulsory_bytes,
        .offsets = s->plain[0],
        .columns = s->plain[1],
        .values = s->plain[2],
    };
    sedge_status status;
    sedge_krylov *krylov = NULL;

    options->iterations = iterations;
    *seconds = (double)INFINITY;
    SEDGE_TRY(
        sedge_krylov_create(&krylov, s->context, NULL, s->real_bytes, s->rows, &op, NULL, options));
    for (int round = 0; round < 4; round++) { // the first records graphs
        SEDGE_TRY_GOTO(status, clear(s));
        SEDGE_TRY_GOTO(status, sedge_krylov_solve(result, krylov, s->b, s->x));
        if (round > 0) *seconds = fmin(*seconds, result->seconds);
    }
done:
    sedge_krylov_free(krylov);
    return status;
}

static sedge_status bench_form(system_of *s, const char *name, sedge_krylov_form form, int check,
                               bool no_graphs)
{
    const int64_t few = s->rows > 4000000 ? 20 : 100;
    sedge_krylov_options options = {
        .form = form, .check = check, .no_graphs = no_graphs, .tolerance = 0.0};
    sedge_krylov_result some;
    sedge_krylov_result more;
    double short_time;
    double long_time;

    const sedge_status status = time_solve(s, &options, few, &short_time, &some);
    if (status == SEDGE_ERR_USAGE) { // a form that this system or device cannot have
        printf("  %-22s refused: %s\n", name, sedge_error_message());
        return SEDGE_OK;
    }
    SEDGE_TRY(status);
    SEDGE_TRY(time_solve(s, &options, 3 * few, &long_time, &more));
    if (more.iterations <= 2 * some.iterations) {
        printf("  %-22s ended after %lld iterations: %s\n", name, (long long)more.iterations,
               sedge_krylov_reason_name(more.reason));
        return SEDGE_OK;
    }
    const double iteration = (long_time - short_time) / (double)(more.iterations - some.iterations);
    const double bytes = more.bytes / (double)more.iterations;
    const double floor_bytes =
        sedge_sparse_get_info(s->sparse)->compulsory_bytes + 8.0 * s->real_bytes * (double)s->rows;
    printf("  %-22s %9.2f us  %6.0f GB/s  %5.2f x floor  check %2d%s\n", name, 1e6 * iteration,
           1e-9 * bytes / iteration, iteration * s->copy / floor_bytes, more.check,
           more.graphs ? "  graphs" : "");
    (void)fflush(stdout);
    return SEDGE_OK;
}

// ---- plain -------------------------------------------------------------------------------------

typedef struct plain_cg {
    sedge_sparse *sparse;
    sedge_buffer *buffer[3];            // p, q, r
    sedge_array *p, *q, *r, *x;         // views
    sedge_array *rr, *pq, *next, *step; // numbers
} plain_cg;

static sedge_status plain_iteration(plain_cg *cg)
{
    sedge_array_free(cg->pq);
    cg->pq = NULL;
    SEDGE_TRY(sedge_sparse_apply(cg->sparse, NULL, 1.0, cg->buffer[0], 0.0, cg->buffer[1]));
    SEDGE_TRY(sedge_array_dot(&cg->pq, sedge_use(cg->p), sedge_use(cg->q)));
    SEDGE_TRY(sedge_array_assign(cg->step, sedge_divide(sedge_use(cg->rr), sedge_use(cg->pq))));
    SEDGE_TRY(sedge_array_assign(
        cg->x, sedge_add(sedge_use(cg->x), sedge_multiply(sedge_use(cg->step), sedge_use(cg->p)))));
    SEDGE_TRY(sedge_array_assign(
        cg->r,
        sedge_subtract(sedge_use(cg->r), sedge_multiply(sedge_use(cg->step), sedge_use(cg->q)))));
    sedge_array_free(cg->next);
    cg->next = NULL;
    SEDGE_TRY(sedge_array_dot(&cg->next, sedge_use(cg->r), sedge_use(cg->r)));
    SEDGE_TRY(sedge_array_assign(cg->step, sedge_divide(sedge_use(cg->next), sedge_use(cg->rr))));
    SEDGE_TRY(sedge_array_copy(cg->rr, cg->next));
    return sedge_array_assign(
        cg->p, sedge_add(sedge_use(cg->r), sedge_multiply(sedge_use(cg->step), sedge_use(cg->p))));
}

static sedge_status plain_prepare(plain_cg *cg, system_of *s)
{
    const sedge_type type = s->real_bytes == 8 ? SEDGE_FLOAT64 : SEDGE_FLOAT32;
    const int64_t bytes = s->rows * s->real_bytes;
    sedge_array **const views[3] = {&cg->p, &cg->q, &cg->r};

    for (int i = 0; i < 3; i++) {
        SEDGE_TRY(upload(s, &cg->buffer[i], NULL, bytes));
        SEDGE_TRY(sedge_array_wrap(views[i], s->context, type, 1, &s->rows, cg->buffer[i], 0));
    }
    SEDGE_TRY(sedge_array_wrap(&cg->x, s->context, type, 1, &s->rows, s->x, 0));
    SEDGE_TRY(sedge_buffer_copy(cg->buffer[2], s->b, bytes, sedge_context_stream(s->context)));
    SEDGE_TRY(sedge_buffer_copy(cg->buffer[0], s->b, bytes, sedge_context_stream(s->context)));
    SEDGE_TRY(sedge_array_create(&cg->step, s->context, type, 0, NULL));
    return sedge_array_dot(&cg->rr, sedge_use(cg->r), sedge_use(cg->r));
}

static void plain_free(plain_cg *cg)
{
    sedge_array *const arrays[] = {cg->p, cg->q, cg->r, cg->x, cg->rr, cg->pq, cg->next, cg->step};

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) sedge_array_free(arrays[i]);
    for (int i = 0; i < 3; i++) sedge_buffer_free(cg->buffer[i]);
}

static sedge_status bench_plain(system_of *s)
{
    const bool cuda = sedge_device_get_traits(sedge_context_device(s->context))->vendor_libraries;
    const sedge_sparse_options vendor = {.real_bytes = s->real_bytes,
                                         .has_tune = true,
                                         .tune = SEDGE_TUNE_FAST,
                                         .format = "cusparse"};
    const int count = s->rows > 4000000 ? 40 : 200;
    sedge_status status;
    plain_cg cg = {.sparse = s->sparse};
    double best = (double)INFINITY;
    sedge_sparse *own = NULL;

    SEDGE_TRY_GOTO(status, clear(s));
    if (cuda) {
        SEDGE_TRY_GOTO(status, sedge_sparse_create(&own, s->context, &s->csr, &vendor));
        cg.sparse = own;
    }
    SEDGE_TRY_GOTO(status, plain_prepare(&cg, s));
    for (int round = 0; round < 4; round++) {
        SEDGE_TRY_GOTO(status, sedge_context_wait(s->context));
        const double began = sedge_clock();
        for (int i = 0; i < count; i++) SEDGE_TRY_GOTO(status, plain_iteration(&cg));
        SEDGE_TRY_GOTO(status, sedge_context_wait(s->context));
        if (round > 0) best = fmin(best, (sedge_clock() - began) / count);
    }
    printf("  %-22s %9.2f us\n", cuda ? "plain, cuSPARSE" : "plain", 1e6 * best);
done:
    plain_free(&cg);
    sedge_sparse_free(own);
    return status;
}

// ---- all ---------------------------------------------------------------------------------------

static sedge_status bench_size(sedge_context *context, int64_t side, int real_bytes, double copy)
{
    system_of s = {.context = context, .real_bytes = real_bytes, .copy = copy};
    sedge_status status;

    SEDGE_TRY_GOTO(status, make_system(&s, side));
    const sedge_sparse_info *const info = sedge_sparse_get_info(s.sparse);
    printf("%lld^3 = %lld rows, fp%d, %s, product %.2f us\n", (long long)side, (long long)s.rows,
           8 * real_bytes, info->kernel, 1e6 * info->seconds);
    SEDGE_TRY_GOTO(status, bench_form(&s, "auto", SEDGE_KRYLOV_AUTO, 0, false));
    SEDGE_TRY_GOTO(status, bench_form(&s, "standard", SEDGE_KRYLOV_STANDARD, 0, false));
    SEDGE_TRY_GOTO(status, bench_form(&s, "standard, no graphs", SEDGE_KRYLOV_STANDARD, 0, true));
    SEDGE_TRY_GOTO(status, bench_form(&s, "standard, check 1", SEDGE_KRYLOV_STANDARD, 1, false));
    SEDGE_TRY_GOTO(status, bench_form(&s, "single-reduction", SEDGE_KRYLOV_SINGLE, 0, false));
    SEDGE_TRY_GOTO(status, bench_form(&s, "pipelined", SEDGE_KRYLOV_PIPELINED, 0, false));
    if (s.plain[0] != NULL)
        SEDGE_TRY_GOTO(status, bench_form(&s, "persistent", SEDGE_KRYLOV_PERSISTENT, 0, false));
    status = bench_plain(&s);
done:
    release(&s);
    return status;
}

static sedge_status run(const char *kind, int sides, char **side)
{
    static char standard[4][4] = {"256", "100", "37", "22"};
    char *usual[4] = {standard[0], standard[1], standard[2], standard[3]};
    sedge_status status;
    sedge_context *context = NULL;

    if (sides == 0) {
        sides = 4;
        side = usual;
    }
    SEDGE_TRY_GOTO(status, sedge_context_open(&context, kind));
    SEDGE_TRY_GOTO(status, sedge_device_make_current(sedge_context_device(context)));
    for (int i = 0; i < sides; i++) {
        const long long value = strtoll(side[i], NULL, 10);
        if (value >= 2 && value <= 1024) continue;
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "side '%s' is not a number in 2..1024", side[i]);
        goto done;
    }
    for (int bytes = 8; bytes >= 4; bytes -= 4) {
        sedge_ceilings ceilings;
        SEDGE_TRY_GOTO(status,
                       sedge_ceilings_measure(&ceilings, NULL, sedge_context_device(context),
                                              sedge_context_cache(context), bytes));
        printf("copy %.0f GB/s\n", 1e-9 * ceilings.copy);
        for (int i = 0; i < sides; i++)
            SEDGE_TRY_GOTO(status, bench_size(context, atoll(side[i]), bytes, ceilings.copy));
    }
done:
    sedge_context_free(context);
    return status;
}

int main(int argc, char **argv)
{
    const sedge_status status = run(argc > 1 ? argv[1] : "auto", argc > 2 ? argc - 2 : 0, argv + 2);

    if (status != SEDGE_OK) (void)fprintf(stderr, "%s\n", sedge_error_message());
    sedge_device_stop_helper();
    return sedge_status_exit_code(status);
}
