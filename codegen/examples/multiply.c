// The matrix product C = A B in four ways: one item per entry; tiles in block memory; a template
// whose tile sizes the tuner chooses; and cuBLAS, if it is installed.
//
// In the template, block memory has a tile of A and a tile of B, and each item has TM x TN entries
// of C in registers. Every number that an item reads from block memory is used TM or TN times. The
// forms with warps ("w4", "w8") copy the next tiles at the same time.
//
//     example_multiply [DEVICE [N [all]]]      N is made a multiple of 64
#include "device/blas.h"
#include "elementwise/copy.h"
#include "multiply_text.h"
#include "program/launch.h"
#include "reduce/random.h"
#include "reduce/reduce.h"

static const char simple_text[] =
    "#define MULTIPLY_LIST(X)                           \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, a) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, b) \\\n"
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, c)       \\\n"
    "    X(int, n)\n"
    "\n"
    "// Block t has the 16 x 16 entries of tile (t / tiles, t % tiles); n is a multiple of 16.\n"
    "SEDGE_KERNEL(simple, 256, MULTIPLY_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (t) {\n"
    "        const sedge_int64 row = t / (n / 16) * 16;\n"
    "        const sedge_int64 column = t % (n / 16) * 16;\n"
    "        SEDGE_ITEMS (i, 16, j, 16, 256) {\n"
    "            float sum = 0.0f;\n"
    "            for (int k = 0; k < n; k++)\n"
    "                sum += a[(row + i) * n + k] * b[(sedge_int64)k * n + column + j];\n"
    "            c[(row + i) * n + column + j] = sum;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n"
    "SEDGE_KERNEL(tiled, 256, MULTIPLY_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (t) {\n"
    "        SEDGE_SHARED(float, left, 256);\n"
    "        SEDGE_SHARED(float, right, 256);\n"
    "        SEDGE_PRIVATE(float, sum, 256, 1);\n"
    "        const sedge_int64 row = t / (n / 16) * 16;\n"
    "        const sedge_int64 column = t % (n / 16) * 16;\n"
    "        SEDGE_ITEMS (i, 16, j, 16, 256)\n"
    "            SEDGE_MINE(sum, i * 16 + j)[0] = 0.0f;\n"
    "        for (int k = 0; k < n; k += 16) {\n"
    "            SEDGE_ITEMS (i, 16, j, 16, 256) {\n"
    "                left[i * 16 + j] = a[(row + i) * n + k + j];\n"
    "                right[i * 16 + j] = b[(sedge_int64)(k + i) * n + column + j];\n"
    "            }\n"
    "            SEDGE_BARRIER();\n"
    "            SEDGE_ITEMS (i, 16, j, 16, 256) {\n"
    "                SEDGE_EACH (l, 16)\n"
    "                    SEDGE_MINE(sum, i * 16 + j)[0] += left[i * 16 + l] * right[l * 16 + j];\n"
    "            }\n"
    "            SEDGE_BARRIER();\n"
    "        }\n"
    "        SEDGE_ITEMS (i, 16, j, 16, 256)\n"
    "            c[(row + i) * n + column + j] = SEDGE_MINE(sum, i * 16 + j)[0];\n"
    "    }\n"
    "}\n";

// ---- one product --------------------------------------------------------------------------------

typedef struct product {
    sedge_context *context;
    const sedge_kernel *kernel;
    sedge_blas *blas;
    sedge_array *a, *b, *c, *right; // right: what c must be
    int32_t size;
    int tile_rows, tile_columns; // of a block
} product;

static sedge_status launch(void *context, sedge_stream *stream)
{
    const product *const p = context;
    const int64_t blocks = (int64_t)(p->size / p->tile_rows) * (int64_t)(p->size / p->tile_columns);

    return SEDGE_LAUNCH(
        p->kernel, stream, blocks, sedge_address_argument(sedge_array_address(p->a)),
        sedge_address_argument(sedge_array_address(p->b)),
        sedge_address_argument(sedge_array_address(p->c)), sedge_int32_argument(p->size));
}

static sedge_status launch_blas(void *context, sedge_stream *stream)
{
    const product *const p = context;

    return sedge_blas_multiply(p->blas, stream, false, p->size, p->size, p->size,
                               sedge_array_address(p->a), sedge_array_address(p->b),
                               sedge_array_address(p->c));
}

// Sums of n products of numbers in [0, 1), in any order: n units in the last place of n at most.
static sedge_status check(const product *p)
{
    const double bound = (double)p->size * (double)p->size * 6e-8;
    sedge_array *error = NULL;
    sedge_status status;
    double largest;

    SEDGE_TRY_GOTO(status, sedge_array_reduce(&error, SEDGE_NORM_MAX,
                                              sedge_subtract(sedge_use(p->c), sedge_use(p->right)),
                                              SEDGE_ALL_AXES));
    SEDGE_TRY_GOTO(status, sedge_array_number(error, &largest));
    if (!(largest <= bound))
        status = SEDGE_FAIL(SEDGE_ERR_COMPUTE, "an entry is wrong by %g", largest);
done:
    sedge_array_free(error);
    return status;
}

// ---- the tuned one ------------------------------------------------------------------------------

static const char *refuse(const void *own, const int *number)
{
    const product *const p = own;

    if (p->size % number[MULTIPLY_BM] == 0 && p->size % number[MULTIPLY_BN] == 0) return NULL;
    return "the size is no multiple of its tiles";
}

static sedge_status launch_choice(void *own, const int *number, const sedge_kernel *kernel,
                                  sedge_stream *stream)
{
    product *const p = own;

    p->tile_rows = number[MULTIPLY_BM];
    p->tile_columns = number[MULTIPLY_BN];
    p->kernel = kernel;
    return launch(p, stream);
}

static sedge_status clear(void *own)
{
    const product *const p = own;

    return sedge_array_fill(p->c, -1.0);
}

static sedge_status check_choice(void *own)
{
    return check(own);
}

// ---- all four -----------------------------------------------------------------------------------

static sedge_status show(product *p, const char *name,
                         sedge_status (*call)(void *context, sedge_stream *stream))
{
    double seconds;

    SEDGE_TRY(sedge_array_fill(p->c, -1.0));
    SEDGE_TRY(sedge_context_wait(p->context));
    SEDGE_TRY(sedge_time(&seconds, sedge_context_device(p->context), 5, call, p));
    if (p->right != NULL) SEDGE_TRY(check(p));
    printf("%-8s %10.1f us %9.1f GFLOP/s\n", name, 1e6 * seconds,
           2e-9 * p->size * (double)p->size * p->size / seconds);
    return SEDGE_OK;
}

// The first two kernels; what the simple one gives is what the others are compared with.
static sedge_status show_simple(product *p)
{
    const sedge_program_options options = {
        .name = "multiply", .sources = &(sedge_source){"multiply.c", simple_text}, .count = 1};
    const sedge_program *program = NULL;

    SEDGE_TRY(sedge_context_program(p->context, &program, &options));
    p->tile_rows = p->tile_columns = 16;
    SEDGE_TRY(sedge_program_get(&p->kernel, program, "simple"));
    SEDGE_TRY(show(p, "simple", launch));
    SEDGE_TRY(sedge_array_convert(&p->right, p->c, SEDGE_FLOAT32));
    SEDGE_TRY(sedge_program_get(&p->kernel, program, "tiled"));
    return show(p, "tiled", launch);
}

static sedge_status show_blas(product *p)
{
    if (!sedge_device_get_traits(sedge_context_device(p->context))->vendor_libraries)
        return SEDGE_OK;
    SEDGE_TRY(sedge_blas_create(&p->blas, sedge_context_device(p->context)));
    return show(p, "cuBLAS", launch_blas);
}

static sedge_status solve(sedge_context *context, int64_t size,
                          sedge_status (*go)(example_problem *problem))
{
    const int64_t shape[] = {size / 64 * 64, size / 64 * 64};
    const double n = (double)shape[0];
    product p = {.context = context, .size = (int32_t)shape[0]};
    sedge_random random = {.seed = 1};
    char text[32];
    example_problem problem = {.of = &multiply_template,
                               .context = context,
                               .size = text,
                               .bytes = 12.0 * n * n,
                               .flops = 2.0 * n * n * n,
                               .own = &p,
                               .refuse = refuse,
                               .launch = launch_choice,
                               .clear = clear,
                               .check = check_choice};
    sedge_status status;

    (void)snprintf(text, sizeof text, "n %d", p.size);
    SEDGE_TRY_GOTO(status, sedge_array_create(&p.a, context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY_GOTO(status, sedge_array_create(&p.b, context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY_GOTO(status, sedge_array_create(&p.c, context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(p.a, &random));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(p.b, &random));
    SEDGE_TRY_GOTO(status, show_simple(&p));
    SEDGE_TRY_GOTO(status, go(&problem));
    SEDGE_TRY_GOTO(status, show_blas(&p));
done:
    sedge_blas_free(p.blas);
    sedge_array_free(p.right);
    sedge_array_free(p.c);
    sedge_array_free(p.b);
    sedge_array_free(p.a);
    return status;
}

static sedge_status run(sedge_context *context, int64_t size)
{
    return solve(context, size, example_tune);
}

static sedge_status run_all(sedge_context *context, int64_t size)
{
    return solve(context, size, example_try_all);
}

int main(int argc, char **argv)
{
    return example_main_all(argc, argv, run, run_all, 256);
}
