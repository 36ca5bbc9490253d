// A linear combination, z = a x + b y, in the two ways of writing elementwise operations: as an
// expression of arrays, and as a line of C. Both are one kernel and one pass over memory.
#include "elementwise/copy.h"
#include "elementwise/snippet.h"
#include "example.h"
#include "program/launch.h"
#include "reduce/reduce.h"

typedef struct vectors {
    sedge_context *context;
    sedge_array *x, *y, *z;
} vectors;

static sedge_status by_expression(void *context, sedge_stream *stream)
{
    const vectors *const v = context;

    sedge_context_set_stream(v->context, stream);
    const sedge_status status =
        sedge_array_assign(v->z, sedge_add(sedge_multiply(sedge_number(2.0), sedge_use(v->x)),
                                           sedge_multiply(sedge_number(-0.5), sedge_use(v->y))));
    sedge_context_set_stream(v->context, NULL);
    return status;
}

static sedge_status by_snippet(void *context, sedge_stream *stream)
{
    const vectors *const v = context;
    const sedge_operand operands[] = {SEDGE_OUT("z", v->z), SEDGE_IN("x", v->x),
                                      SEDGE_IN("y", v->y), SEDGE_NUMBER("a", SEDGE_FLOAT32, 2.0),
                                      SEDGE_NUMBER("b", SEDGE_FLOAT32, -0.5)};

    sedge_context_set_stream(v->context, stream);
    const sedge_status status =
        sedge_elementwise(v->context, "linear", NULL, "z = a * x + b * y;", 5, operands);
    sedge_context_set_stream(v->context, NULL);
    return status;
}

// x = i and y = 2 i: z = 2 i - i = i, exactly while i < 2^24.
static sedge_status check(const vectors *v)
{
    sedge_array *error = NULL;
    sedge_status status;
    double largest;

    SEDGE_TRY_GOTO(status, sedge_array_reduce(&error, SEDGE_NORM_MAX,
                                              sedge_subtract(sedge_use(v->z), sedge_use(v->x)),
                                              SEDGE_ALL_AXES));
    SEDGE_TRY_GOTO(status, sedge_array_number(error, &largest));
    if (largest != 0.0) status = SEDGE_FAIL(SEDGE_ERR_COMPUTE, "z is wrong by %g", largest);
done:
    sedge_array_free(error);
    return status;
}

static sedge_status run(sedge_context *context, int64_t size)
{
    static const struct {
        const char *name;
        sedge_status (*launch)(void *context, sedge_stream *stream);
    } ways[] = {{"expression", by_expression}, {"line of C", by_snippet}};
    vectors v = {.context = context};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_array_vector(&v.x, context, SEDGE_FLOAT32, size));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&v.y, context, SEDGE_FLOAT32, size));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&v.z, context, SEDGE_FLOAT32, size));
    SEDGE_TRY_GOTO(status, sedge_array_range(v.x, 0.0, 1.0));
    SEDGE_TRY_GOTO(status, sedge_array_range(v.y, 0.0, 2.0));
    for (int k = 0; k < 2; k++) {
        double seconds;
        SEDGE_TRY_GOTO(status, sedge_array_fill(v.z, -1.0));
        SEDGE_TRY_GOTO(status, sedge_context_wait(context));
        SEDGE_TRY_GOTO(status,
                       sedge_time(&seconds, sedge_context_device(context), 5, ways[k].launch, &v));
        SEDGE_TRY_GOTO(status, check(&v));
        printf("%s: %lld numbers in %.1f us, %.1f GB/s\n", ways[k].name, (long long)size,
               1e6 * seconds, 12e-9 * (double)size / seconds);
    }
done:
    sedge_array_free(v.z);
    sedge_array_free(v.y);
    sedge_array_free(v.x);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 1 << 20);
}
