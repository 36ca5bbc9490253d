// Arrays and an own kernel, with the installed library only.
#include <sedge/codegen.h>

#include <math.h>
#include <stdio.h>

#define COUNT 1000

static const char square_text[] =
    "#define SQUARE_LIST(X) X(SEDGE_GLOBAL float *SEDGE_RESTRICT, x) X(sedge_int64, count)\n"
    "SEDGE_KERNEL(square, 64, SQUARE_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_ITEMS_1D (n, 64, 64) {\n"
    "            const sedge_int64 i = b * 64 + n;\n"
    "            if (i < count) x[i] *= x[i];\n"
    "        }\n"
    "    }\n"
    "}\n";

static sedge_status compute(sedge_context *context, double *sum)
{
    sedge_array *x = NULL, *total = NULL;
    const sedge_kernel *square = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_array_vector(&x, context, SEDGE_FLOAT32, COUNT));
    SEDGE_TRY_GOTO(status, sedge_array_range(x, 0.0, 0.5));
    SEDGE_TRY_GOTO(status,
                   sedge_context_kernel(context, &square, "square", "square.c", square_text));
    SEDGE_TRY_GOTO(status, SEDGE_LAUNCH(square, sedge_context_stream(context), (COUNT + 63) / 64,
                                        sedge_address_argument(sedge_array_address(x)),
                                        sedge_int64_argument(COUNT)));
    SEDGE_TRY_GOTO(status,
                   sedge_array_reduce(&total, SEDGE_SUM, sedge_convert(sedge_use(x), SEDGE_FLOAT64),
                                      SEDGE_ALL_AXES));
    SEDGE_TRY_GOTO(status, sedge_array_number(total, sum));
done:
    sedge_array_free(total);
    sedge_array_free(x);
    return status;
}

int main(void)
{
    sedge_context *context = NULL;
    double sum = 0.0;
    sedge_status status = sedge_context_open(&context, "host");

    if (status == SEDGE_OK) status = compute(context, &sum);
    sedge_context_free(context);
    if (status != SEDGE_OK) {
        fprintf(stderr, "%s\n", sedge_error_message());
        return sedge_status_exit_code(status);
    }
    // Quarters of squares below 2^18 are exact in float32, and so is their sum in float64.
    printf("sum of (i/2)^2, i < %d: %.17g\n", COUNT, sum);
    return sum == 332833500.0 / 4.0 ? 0 : 1;
}
