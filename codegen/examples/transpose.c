// The transpose of a matrix, naive and through block memory.
//
// The naive kernel reads along rows and writes along columns: on a GPU each write touches another
// memory line. The second kernel transposes a tile of 32 x 32 in block memory, so that it reads and
// writes along rows. The tile has rows of 33 numbers, so that the entries of a column are in
// different banks.
#include "elementwise/copy.h"
#include "elementwise/expression.h"
#include "example.h"
#include "program/launch.h"
#include "reduce/reduce.h"

static const char text[] = "#define TRANSPOSE_LIST(X)                         \\\n"
                           "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, a) \\\n"
                           "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, b)       \\\n"
                           "    X(int, n)\n"
                           "\n"
                           "// Block t has tile (t / tiles, t % tiles); n is a multiple of 32.\n"
                           "SEDGE_KERNEL(naive, 256, TRANSPOSE_LIST)\n"
                           "{\n"
                           "    SEDGE_OUTER (t) {\n"
                           "        SEDGE_ITEMS (i, 32, j, 32, 256) {\n"
                           "            const sedge_int64 row = t / (n / 32) * 32 + i;\n"
                           "            const sedge_int64 column = t % (n / 32) * 32 + j;\n"
                           "            b[column * n + row] = a[row * n + column];\n"
                           "        }\n"
                           "    }\n"
                           "}\n"
                           "\n"
                           "SEDGE_KERNEL(tiled, 256, TRANSPOSE_LIST)\n"
                           "{\n"
                           "    SEDGE_OUTER (t) {\n"
                           "        SEDGE_SHARED(float, tile, 32 * 33);\n"
                           "        const sedge_int64 row = t / (n / 32) * 32;\n"
                           "        const sedge_int64 column = t % (n / 32) * 32;\n"
                           "        SEDGE_ITEMS (i, 32, j, 32, 256)\n"
                           "            tile[i * 33 + j] = a[(row + i) * n + column + j];\n"
                           "        SEDGE_BARRIER();\n"
                           "        SEDGE_ITEMS (i, 32, j, 32, 256)\n"
                           "            b[(column + i) * n + row + j] = tile[j * 33 + i];\n"
                           "    }\n"
                           "}\n";

typedef struct transpose {
    const sedge_kernel *kernel;
    sedge_array *a, *b;
    int32_t size;
} transpose;

static sedge_status launch(void *context, sedge_stream *stream)
{
    const transpose *const work = context;
    const int64_t tiles = work->size / 32;

    return SEDGE_LAUNCH(
        work->kernel, stream, tiles * tiles, sedge_address_argument(sedge_array_address(work->a)),
        sedge_address_argument(sedge_array_address(work->b)), sedge_int32_argument(work->size));
}

// b is the transpose: compared, on the device, with a view of a.
static sedge_status check(const transpose *work)
{
    sedge_array *view = NULL, *same = NULL;
    sedge_status status;
    int64_t differ;

    SEDGE_TRY_GOTO(status, sedge_array_transpose(&view, work->a, NULL));
    SEDGE_TRY_GOTO(status, sedge_array_reduce(&same, SEDGE_COUNT,
                                              sedge_not_equal(sedge_use(view), sedge_use(work->b)),
                                              SEDGE_ALL_AXES));
    SEDGE_TRY_GOTO(status, sedge_array_integer(same, &differ));
    if (differ != 0)
        status = SEDGE_FAIL(SEDGE_ERR_COMPUTE, "%lld entries are wrong", (long long)differ);
done:
    sedge_array_free(same);
    sedge_array_free(view);
    return status;
}

static sedge_status run(sedge_context *context, int64_t size)
{
    static const char *const names[] = {"naive", "tiled"};
    const int64_t shape[] = {size / 32 * 32, size / 32 * 32};
    transpose work = {.size = (int32_t)shape[0]};
    const sedge_program_options options = {
        .name = "transpose", .sources = &(sedge_source){"transpose.c", text}, .count = 1};
    const sedge_program *program = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_context_program(context, &program, &options));
    SEDGE_TRY_GOTO(status, sedge_array_create(&work.a, context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY_GOTO(status, sedge_array_create(&work.b, context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY_GOTO(status, sedge_array_range(work.a, 0.0, 1.0));
    for (int k = 0; k < 2; k++) {
        double seconds;
        SEDGE_TRY_GOTO(status, sedge_array_fill(work.b, -1.0));
        SEDGE_TRY_GOTO(status, sedge_context_wait(context)); // sedge_time has its own stream
        SEDGE_TRY_GOTO(status, sedge_program_get(&work.kernel, program, names[k]));
        SEDGE_TRY_GOTO(status,
                       sedge_time(&seconds, sedge_context_device(context), 5, launch, &work));
        SEDGE_TRY_GOTO(status, check(&work));
        printf("%s: %lld x %lld in %.1f us, %.1f GB/s\n", names[k], (long long)shape[0],
               (long long)shape[1], 1e6 * seconds, 8e-9 * (double)(shape[0] * shape[1]) / seconds);
    }
done:
    sedge_array_free(work.b);
    sedge_array_free(work.a);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 1024);
}
