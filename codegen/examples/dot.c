// Scalar products and reductions of one's own. Each is one pass over memory, and its result stays
// on the device until the program reads it. Every run gives the same bits.
#include "example.h"
#include "program/launch.h"
#include "reduce/random.h"
#include "reduce/reduce.h"

#include <math.h>

typedef struct vectors {
    sedge_context *context;
    sedge_array *x, *y;
} vectors;

static sedge_status dot(void *context, sedge_stream *stream)
{
    const vectors *const v = context;
    sedge_array *sum = NULL;

    sedge_context_set_stream(v->context, stream);
    const sedge_status status = sedge_array_dot(&sum, sedge_use(v->x), sedge_use(v->y));
    sedge_array_free(sum);
    sedge_context_set_stream(v->context, NULL);
    return status;
}

// x . y, twice, and the same through the sum of an expression.
static sedge_status compare(const vectors *v, int64_t size)
{
    sedge_array *sum[3] = {NULL, NULL, NULL};
    sedge_status status;
    double value[3];

    SEDGE_TRY_GOTO(status, sedge_array_dot(&sum[0], sedge_use(v->x), sedge_use(v->y)));
    SEDGE_TRY_GOTO(status, sedge_array_dot(&sum[1], sedge_use(v->x), sedge_use(v->y)));
    SEDGE_TRY_GOTO(status, sedge_array_reduce(&sum[2], SEDGE_SUM,
                                              sedge_multiply(sedge_use(v->x), sedge_use(v->y)),
                                              SEDGE_ALL_AXES));
    for (int k = 0; k < 3; k++) SEDGE_TRY_GOTO(status, sedge_array_number(sum[k], &value[k]));
    printf("x . y = %.17g, of %lld uniform numbers: 1/4 of them expected\n", value[0],
           (long long)size);
    // The mean of the products is 1/4, its standard deviation sqrt(7/144/size); six of them.
    if (value[0] != value[1] || fabs(value[2] - value[0]) > 1e-12 * value[0] ||
        fabs(value[0] / (double)size - 0.25) > 6.0 * sqrt(7.0 / 144.0 / (double)size)) {
        status = SEDGE_FAIL(SEDGE_ERR_COMPUTE, "%.17g, %.17g and %.17g should be alike", value[0],
                            value[1], value[2]);
    }
done:
    for (int k = 0; k < 3; k++) sedge_array_free(sum[k]);
    return status;
}

static sedge_status run(sedge_context *context, int64_t size)
{
    vectors v = {.context = context};
    sedge_random random = {.seed = 42};
    sedge_status status;
    double seconds;

    SEDGE_TRY_GOTO(status, sedge_array_vector(&v.x, context, SEDGE_FLOAT64, size));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&v.y, context, SEDGE_FLOAT64, size));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(v.x, &random));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(v.y, &random));
    SEDGE_TRY_GOTO(status, compare(&v, size));
    SEDGE_TRY_GOTO(status, sedge_context_wait(context));
    SEDGE_TRY_GOTO(status, sedge_time(&seconds, sedge_context_device(context), 5, dot, &v));
    printf("%.1f us, %.1f GB/s\n", 1e6 * seconds, 16e-9 * (double)size / seconds);
done:
    sedge_array_free(v.y);
    sedge_array_free(v.x);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 1 << 20);
}
