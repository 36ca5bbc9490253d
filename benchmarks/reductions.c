// Reductions, scans, selection and random numbers against a copy of the same bytes, each with the
// rule's numbers; sums of columns also as the tuner chooses (its 0.3 s), and reductions, on a GPU,
// with others: how the rule of reduce/reduce_plan.c was found.
//
//     sedge-bench-reductions [DEVICE [LOG2_ELEMENTS [CASE]]]
//
// CASE: this one alone, beside the copy: sum, dot, ..., "random normal".
#include "program/launch.h"
#include "reduce/random.h"
#include "reduce/reduce_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 10 }; // between two events, as arrays.c

typedef struct bench {
    sedge_context *context;
    sedge_array *x, *y; // float32, or float64
    sedge_array *mask;
    sedge_random random;
    const sedge_reduce_tuning *reduce; // of the case that runs; NULL: tuned
    double copy;                       // bytes a second
    const char *only;                  // case; NULL: all
} bench;

// ---- cases -------------------------------------------------------------------------------------

static sedge_status copy(bench *b, sedge_array **out)
{
    return sedge_array_evaluate(out, sedge_use(b->x));
}

static sedge_status sum(bench *b, sedge_array **out)
{
    return sedge_array_reduce_as(out, SEDGE_SUM, sedge_use(b->x), SEDGE_ALL_AXES, b->reduce);
}

static sedge_status dot(bench *b, sedge_array **out)
{
    return sedge_array_reduce_as(out, SEDGE_FORMULA_DOT,
                                 sedge_multiply(sedge_use(b->x), sedge_use(b->y)), SEDGE_ALL_AXES,
                                 b->reduce);
}

static sedge_status argmax(bench *b, sedge_array **out)
{
    return sedge_array_reduce_as(out, SEDGE_ARGMAX, sedge_use(b->x), SEDGE_ALL_AXES, b->reduce);
}

// The array as a matrix with rows of 4096.
static sedge_status sum_axis(bench *b, sedge_array **out, int axis)
{
    const int64_t shape[2] = {-1, 4096};
    sedge_array *matrix = NULL;

    SEDGE_TRY(sedge_array_reshape(&matrix, b->x, 2, shape));
    const sedge_status status =
        sedge_array_reduce_as(out, SEDGE_SUM, sedge_use(matrix), axis, b->reduce);
    sedge_array_free(matrix);
    return status;
}

static sedge_status sum_rows(bench *b, sedge_array **out)
{
    return sum_axis(b, out, 1);
}

static sedge_status sum_columns(bench *b, sedge_array **out)
{
    return sum_axis(b, out, 0);
}

static sedge_status scan(bench *b, sedge_array **out)
{
    return sedge_array_scan(out, b->x, SEDGE_SCAN_SUM, false, NULL);
}

static sedge_status scan_segments(bench *b, sedge_array **out)
{
    return sedge_array_scan(out, b->x, SEDGE_SCAN_SUM, false, b->mask);
}

static sedge_status compress(bench *b, sedge_array **out)
{
    return sedge_array_compress(out, b->x, b->mask);
}

static sedge_status random_uniform(bench *b, sedge_array **out)
{
    (void)out;
    return sedge_array_random_uniform(b->x, &b->random);
}

static sedge_status random_normal(bench *b, sedge_array **out)
{
    (void)out;
    return sedge_array_random_normal(b->x, &b->random);
}

// What a case reads and writes, in elements and in bytes of the mask.
typedef struct bench_case {
    const char *name;
    sedge_status (*call)(bench *b, sedge_array **out);
    double elements, mask;
    bool is_reduction;
} bench_case;

static const bench_case cases[] = {
    {"copy", copy, 2.0, 0.0, false},
    {"sum", sum, 1.0, 0.0, true},
    {"dot", dot, 2.0, 0.0, true},
    {"argmax", argmax, 1.0, 0.0, true},
    {"sum of rows", sum_rows, 1.0, 0.0, true},
    {"sum of columns", sum_columns, 1.0, 0.0, true},
    {"scan", scan, 2.0, 0.0, false},
    {"scan in segments", scan_segments, 2.0, 1.0, false},
    {"compress", compress, 1.5, 2.0, false}, // of half
    {"random uniform", random_uniform, 1.0, 0.0, false},
    {"random normal", random_normal, 1.0, 0.0, false},
};

static const sedge_reduce_tuning reduce_tunings[] = {
    {256, 128, 32, 4, 2, 1, 0, 0, 64, 64, 64, 2048, 0, 0, 0},
    {256, 128, 32, 4, 2, 1, 1, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 128, 32, 4, 1, 1, 0, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 128, 32, 4, 1, 1, 1, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 128, 32, 4, 4, 1, 1, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 128, 32, 6, 1, 1, 0, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 128, 32, 6, 1, 1, 1, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 128, 32, 8, 1, 1, 0, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 128, 32, 8, 1, 1, 1, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 128, 32, 8, 2, 1, 1, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 64, 16, 8, 1, 1, 0, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 64, 16, 8, 1, 1, 1, 1, 64, 64, 64, 2048, 0, 0, 0},
    {256, 64, 16, 8, 2, 1, 1, 1, 64, 64, 64, 2048, 0, 0, 0},
    {512, 64, 16, 4, 1, 1, 0, 1, 64, 64, 64, 2048, 0, 0, 0},
    {512, 128, 32, 4, 1, 1, 0, 1, 64, 64, 64, 2048, 0, 0, 0},
    {1024, 64, 16, 2, 1, 1, 0, 1, 64, 64, 64, 2048, 0, 0, 0},
};

// ---- measuring ---------------------------------------------------------------------------------

typedef struct timed_call {
    bench *b;
    const bench_case *c;
} timed_call;

static sedge_status run_call(void *context, sedge_stream *stream)
{
    const timed_call *const call = context;
    sedge_status status = SEDGE_OK;

    sedge_context_set_stream(call->b->context, stream);
    for (int i = 0; i < CALLS && status == SEDGE_OK; i++) {
        sedge_array *out = NULL;
        status = call->c->call(call->b, &out);
        sedge_array_free(out);
    }
    sedge_context_set_stream(call->b->context, NULL);
    return status;
}

static sedge_status measure(bench *b, const bench_case *c, const char *tuning)
{
    const double size = (double)sedge_array_size(b->x);
    const double bytes = size * (c->elements * sedge_type_bytes(sedge_array_type(b->x)) + c->mask);
    timed_call call = {b, c};
    double seconds;

    SEDGE_TRY(sedge_time(&seconds, sedge_context_device(b->context), 15, run_call, &call));
    seconds /= CALLS;
    if (c->call == copy) b->copy = bytes / seconds;
    (void)printf("%-8s %-17s %-58s %10.1f us %8.1f GB/s  %5.3f of copy\n",
                 sedge_type_name(sedge_array_type(b->x)), c->name, tuning, seconds * 1e6,
                 bytes / seconds * 1e-9, bytes / seconds / b->copy);
    (void)fflush(stdout);
    return SEDGE_OK;
}

// By the rule's numbers and as the tuner chooses; on a GPU with others, too.
static sedge_status measure_case(bench *b, const bench_case *c, bool others)
{
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(b->context));
    sedge_array *out = NULL;
    char name[SEDGE_TUNE_NAME + 16];

    b->reduce = sedge_reduce_rule(info->kind);
    SEDGE_TRY(measure(b, c, "rule"));
    if (c->call == sum_columns) { // the only ones that are tuned
        b->reduce = NULL;
        sedge_context_set_tuning(b->context, SEDGE_TUNE_FAST);
        SEDGE_TRY(c->call(b, &out));
        sedge_array_free(out);
        (void)snprintf(name, sizeof name, "tuned: %s", sedge_context_choice(b->context));
        SEDGE_TRY(measure(b, c, name));
    }
    for (size_t k = 0;
         others && c->is_reduction && k < sizeof reduce_tunings / sizeof reduce_tunings[0]; k++) {
        b->reduce = &reduce_tunings[k];
        (void)snprintf(name, sizeof name, "%d items, %d B, %d x %d%s%s%s", b->reduce->items,
                       b->reduce->bytes, b->reduce->blocks, b->reduce->waves,
                       b->reduce->streamed ? ", s" : "", b->reduce->striped ? ", turns" : "",
                       b->reduce->last ? ", last" : "");
        SEDGE_TRY(measure(b, c, name));
    }
    return SEDGE_OK;
}

static sedge_status measure_type(bench *b, sedge_type type, int64_t size)
{
    sedge_status status;
    const bool others = sedge_device_get_traits(sedge_context_device(b->context))->vendor_libraries;

    SEDGE_TRY_GOTO(status, sedge_array_vector(&b->x, b->context, type, size));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&b->y, b->context, type, size));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(b->x, &b->random));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(b->y, &b->random));
    SEDGE_TRY_GOTO(status,
                   sedge_array_evaluate(&b->mask, sedge_less(sedge_use(b->x), sedge_number(0.5))));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        if (k > 0 && b->only != NULL && strcmp(b->only, cases[k].name) != 0) continue;
        SEDGE_TRY_GOTO(status, measure_case(b, &cases[k], others));
    }
done:
    sedge_array_free(b->mask);
    sedge_array_free(b->y);
    sedge_array_free(b->x);
    b->mask = b->y = b->x = NULL;
    return status;
}

int main(int argc, char **argv)
{
    sedge_status status;
    bench b = {.random = {1, 0}, .only = argc > 3 ? argv[3] : NULL};
    bool is_known = b.only == NULL;
    const long log2_size = argc > 2 ? strtol(argv[2], NULL, 10) : 27;

    if (log2_size < 12 || log2_size > 32) {
        (void)fprintf(stderr, "2^%ld elements: 12 to 32\n", log2_size);
        return 1;
    }
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        if (b.only != NULL && strcmp(b.only, cases[k].name) == 0) is_known = true;
    if (!is_known) {
        (void)fprintf(stderr, "no case '%s': the table without it has all names\n", b.only);
        return 1;
    }
    SEDGE_TRY_GOTO(status, sedge_context_open(&b.context, argc > 1 ? argv[1] : "auto"));
    SEDGE_TRY_GOTO(status, sedge_device_make_current(sedge_context_device(b.context)));
    SEDGE_TRY_GOTO(status, measure_type(&b, SEDGE_FLOAT32, (int64_t)1 << log2_size));
    SEDGE_TRY_GOTO(status, measure_type(&b, SEDGE_FLOAT64, (int64_t)1 << log2_size));
done:
    if (status != SEDGE_OK) (void)fprintf(stderr, "%s\n", sedge_error_message());
    sedge_context_free(b.context);
    return sedge_status_exit_code(status);
}
