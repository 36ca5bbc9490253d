// Array operations on one device: time on the device, time of the host a call, first call. One JSON
// line a case, which arrays.py sets beside CuPy's. With SEDGE_TUNE=fast the first calls are tuned;
// `choice` is what the tuner took, "" where it was not asked.
//
//     sedge-bench-arrays [DEVICE [ELEMENTS [CALLS]]]
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "elementwise/copy.h"
#include "program/launch.h"
#include "reduce/reduce.h"

#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 31

// The arrays of one precision. Results are freed as soon as they are queued: the pool gives the
// next call the same memory, as CuPy's does.
typedef struct arrays {
    sedge_context *context;
    sedge_array *x, *y, *z;
} arrays;

static sedge_status call_copy(const arrays *a)
{
    return sedge_array_copy(a->z, a->x);
}

static sedge_status call_lin_comb(const arrays *a)
{
    return sedge_array_assign(a->z, sedge_add(sedge_multiply(sedge_number(2.5), sedge_use(a->x)),
                                              sedge_multiply(sedge_number(-1.5), sedge_use(a->y))));
}

static sedge_status call_dot(const arrays *a)
{
    sedge_array *sum = NULL;
    const sedge_status status = sedge_array_dot(&sum, sedge_use(a->x), sedge_use(a->y));

    sedge_array_free(sum);
    return status;
}

static sedge_status call_sum(const arrays *a)
{
    sedge_array *sum = NULL;
    const sedge_status status =
        sedge_array_reduce(&sum, SEDGE_SUM, sedge_use(a->x), SEDGE_ALL_AXES);

    sedge_array_free(sum);
    return status;
}

static sedge_status call_cumsum(const arrays *a)
{
    sedge_array *sums = NULL;
    const sedge_status status = sedge_array_scan(&sums, a->x, SEDGE_SCAN_SUM, false, NULL);

    sedge_array_free(sums);
    return status;
}

static const struct {
    const char *name;
    sedge_status (*call)(const arrays *a);
    int words; // read and written an element
} cases[] = {
    {"copy", call_copy, 2}, {"lin_comb", call_lin_comb, 3}, {"dot", call_dot, 2},
    {"sum", call_sum, 1},   {"cumsum", call_cumsum, 2},
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static sedge_status call_many(const arrays *a, int k, int calls)
{
    for (int i = 0; i < calls; i++) SEDGE_TRY(cases[k].call(a));
    return SEDGE_OK;
}

// Device seconds a call, by events around `calls` calls, of each sample.
static sedge_status sample(const arrays *a, int k, int calls, sedge_event *from, sedge_event *to,
                           double *seconds)
{
    sedge_stream *const stream = sedge_context_stream(a->context);

    for (int s = 0; s < SAMPLES; s++) {
        SEDGE_TRY(sedge_event_record(from, stream));
        SEDGE_TRY(call_many(a, k, calls));
        SEDGE_TRY(sedge_event_record(to, stream));
        SEDGE_TRY(sedge_event_wait(to));
        SEDGE_TRY(sedge_event_seconds(&seconds[s], from, to));
        seconds[s] /= calls;
    }
    qsort(seconds, SAMPLES, sizeof *seconds, compare);
    return SEDGE_OK;
}

static sedge_status measure(const arrays *a, int k, int calls, sedge_event *from, sedge_event *to)
{
    const sedge_type type = sedge_array_type(a->x);
    const double size = (double)sedge_array_size(a->x);
    double seconds[SAMPLES];
    double began = sedge_clock();

    sedge_context_set_tuning(a->context, sedge_context_tuning(a->context)); // no choice yet
    SEDGE_TRY(cases[k].call(a));
    SEDGE_TRY(sedge_context_wait(a->context));
    const double first = sedge_clock() - began;
    SEDGE_TRY(call_many(a, k, 20));
    SEDGE_TRY(sedge_context_wait(a->context));
    SEDGE_TRY(sample(a, k, calls, from, to, seconds));
    began = sedge_clock();
    SEDGE_TRY(call_many(a, k, 200));
    const double host = (sedge_clock() - began) / 200.0;
    SEDGE_TRY(sedge_context_wait(a->context));
    printf("{\"by\": \"sedge\", \"case\": \"%s\", \"type\": \"%s\", \"elements\": %.0f, "
           "\"least_us\": %.3f, \"median_us\": %.3f, \"host_us\": %.3f, \"first_ms\": %.3f, "
           "\"bytes\": %.0f, \"choice\": \"%s\"}\n",
           cases[k].name, sedge_type_name(type), size, 1e6 * seconds[0], 1e6 * seconds[SAMPLES / 2],
           1e6 * host, 1e3 * first, size * sedge_type_bytes(type) * cases[k].words,
           sedge_context_choice(a->context));
    (void)fflush(stdout);
    return SEDGE_OK;
}

static sedge_status run(sedge_context *context, sedge_type type, int64_t size, int calls)
{
    arrays a = {.context = context};
    sedge_event *from = NULL, *to = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_event_create(&from, sedge_context_device(context)));
    SEDGE_TRY_GOTO(status, sedge_event_create(&to, sedge_context_device(context)));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&a.x, context, type, size));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&a.y, context, type, size));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&a.z, context, type, size));
    SEDGE_TRY_GOTO(status, sedge_array_fill(a.x, 1.0));
    SEDGE_TRY_GOTO(status, sedge_array_fill(a.y, 2.0));
    for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]); k++)
        SEDGE_TRY_GOTO(status, measure(&a, k, calls, from, to));
done:
    sedge_array_free(a.z);
    sedge_array_free(a.y);
    sedge_array_free(a.x);
    sedge_event_free(to);
    sedge_event_free(from);
    return status;
}

int main(int argc, char **argv)
{
    const int64_t size = argc > 2 ? strtoll(argv[2], NULL, 10) : (int64_t)1 << 22;
    const int calls = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 10;
    const double began = sedge_clock();
    sedge_context *context = NULL;
    sedge_status status = sedge_context_open(&context, argc > 1 ? argv[1] : "auto");
    if (status == SEDGE_OK) status = sedge_device_make_current(sedge_context_device(context));

    if (status == SEDGE_OK && (size < 1 || calls < 1))
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "elements and calls are positive numbers");
    if (status == SEDGE_OK) {
        printf("{\"by\": \"sedge\", \"case\": \"open\", \"first_ms\": %.3f}\n",
               1e3 * (sedge_clock() - began));
        status = run(context, SEDGE_FLOAT32, size, calls);
    }
    if (status == SEDGE_OK) status = run(context, SEDGE_FLOAT64, size, calls);
    sedge_context_free(context);
    if (status != SEDGE_OK) (void)fprintf(stderr, "%s: %s\n", argv[0], sedge_error_message());
    return sedge_status_exit_code(status);
}
