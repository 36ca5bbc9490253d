// The first program: it compiles a kernel from a string and runs it on an array.
//
// The kernel is written in the dialect of codegen/kernels/README.md: blocks, and items in them. It
// is compiled when the program runs, for the device that is used.
#include "base/memory.h"
#include "elementwise/copy.h"
#include "example.h"
#include "program/launch.h"

static const char text[] =
    "#define SQUARE_LIST(X) X(SEDGE_GLOBAL float *SEDGE_RESTRICT, x) X(sedge_int64, count)\n"
    "\n"
    "SEDGE_KERNEL(square, 128, SQUARE_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_ITEMS_1D (n, 128, 128) {\n"
    "            const sedge_int64 i = b * 128 + n;\n"
    "            if (i < count) x[i] = x[i] * x[i];\n"
    "        }\n"
    "    }\n"
    "}\n";

static sedge_status check(const float *y, int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        const float x = 0.5f * (float)i; // exact, as is its square below 2^24
        if (y[i] != x * x) {
            return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the square of %g came out as %g", (double)x,
                              (double)y[i]);
        }
    }
    return SEDGE_OK;
}

static sedge_status run(sedge_context *context, int64_t size)
{
    sedge_stream *const stream = sedge_context_stream(context);
    const sedge_kernel *square = NULL;
    sedge_array *x = NULL;
    float *y = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_context_kernel(context, &square, "square", "square.c", text));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&x, context, SEDGE_FLOAT32, size));
    SEDGE_TRY_GOTO(status, sedge_array_range(x, 0.0, 0.5));
    SEDGE_TRY_GOTO(status, SEDGE_LAUNCH(square, stream, (size + 127) / 128,
                                        sedge_address_argument(sedge_array_address(x)),
                                        sedge_int64_argument(size)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&y, size, sizeof *y));
    SEDGE_TRY_GOTO(status, sedge_array_get(x, y));
    SEDGE_TRY_GOTO(status, check(y, size));
    printf("squared %lld numbers: %g, ..., %g\n", (long long)size, (double)y[0],
           (double)y[size - 1]);
done:
    sedge_release(y);
    sedge_array_free(x);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 4000);
}
