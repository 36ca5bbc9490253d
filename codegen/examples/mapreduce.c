// A map and a reduction, written as three lines of C: an estimate of pi from random points in a
// square. With "auto" it runs on a GPU if this machine has one, else on its processor.
#include "example.h"
#include "reduce/random.h"
#include "reduce/reduce.h"

#include <math.h>

static sedge_status run(sedge_context *context, int64_t size)
{
    static const sedge_reduction_text inside = {.name = "points in the circle",
                                                .map = "x.re * x.re + x.im * x.im < 1.0f ? 1 : 0",
                                                .combine = "a + b",
                                                .neutral = "0",
                                                .type = SEDGE_INT64};
    sedge_array *points = NULL, *sum = NULL;
    sedge_random random = {.seed = 2026};
    sedge_status status;
    int64_t count;

    // A point is a complex number with independent parts in [0, 1).
    SEDGE_TRY_GOTO(status, sedge_array_vector(&points, context, SEDGE_COMPLEX64, size));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(points, &random));
    SEDGE_TRY_GOTO(status, sedge_array_reduce_text(&sum, &inside, sedge_use(points)));
    SEDGE_TRY_GOTO(status, sedge_array_integer(sum, &count));

    const double guess = 4.0 * (double)count / (double)size;
    const double deviation = sqrt(3.141592653589793 * (4.0 - 3.141592653589793) / (double)size);
    printf("pi is %.5f, give or take %.5f\n", guess, deviation);
    if (fabs(guess - 3.141592653589793) > 6.0 * deviation)
        status = SEDGE_FAIL(SEDGE_ERR_COMPUTE, "which it is not");
done:
    sedge_array_free(sum);
    sedge_array_free(points);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 1 << 20);
}
