// Matrix products, C = A B, four times: one item an entry; tiles in block memory; a template whose
// tile sizes the tuner chooses; and cuBLAS, where it is.
//
// The template holds a tile of A and one of B in block memory, and each item TM x TN entries of C
// in registers: every number read from block memory is used TM or TN times.
#include "base/hash.h"
#include "codegen/launch.h"
#include "codegen/random.h"
#include "codegen/reduce.h"
#include "codegen/template.h"
#include "codegen/tune.h"
#include "device/blas.h"
#include "example.h"
#include "multiply_text.h"

#include "base/memory.h"

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

// ---- the tuner's choices ------------------------------------------------------------------------

#define CANDIDATES 8

typedef struct tiles {
    const char *name;
    int bm, bn, bk, tm, tn;
} tiles;

static const tiles choices[CANDIDATES] = {
    {"64x64x8 4x4", 64, 64, 8, 4, 4},     {"32x32x8 4x4", 32, 32, 8, 4, 4},
    {"32x64x16 4x4", 32, 64, 16, 4, 4},   {"64x64x16 8x4", 64, 64, 16, 8, 4},
    {"64x64x16 8x8", 64, 64, 16, 8, 8},   {"128x64x8 8x8", 128, 64, 8, 8, 8},
    {"128x128x8 8x8", 128, 128, 8, 8, 8}, {"128x128x16 8x8", 128, 128, 16, 8, 8},
};

// A tile of A and one of B.
static int shared_bytes(const tiles *t)
{
    return (int)sizeof(float) * t->bk * (t->bm + t->bn);
}

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

static sedge_status write_text(void *context, int operation, int candidate, sedge_text *out)
{
    const product *const p = context;
    const tiles *const t = &choices[candidate];
    const sedge_binding values[] = {
        SEDGE_BIND_INTEGER("BM", t->bm), SEDGE_BIND_INTEGER("BN", t->bn),
        SEDGE_BIND_INTEGER("BK", t->bk), SEDGE_BIND_INTEGER("TM", t->tm),
        SEDGE_BIND_INTEGER("TN", t->tn)};
    const sedge_pattern pattern = {
        .name = "multiply.c", .text = multiply_text, .bindings = values, .count = 5};
    sedge_text *text = NULL;
    sedge_status status;

    (void)operation;
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_template_write(text, &pattern));
    const sedge_program_options options = {.name = "multiply",
                                           .sources =
                                               &(sedge_source){"multiply.c", sedge_text_get(text)},
                                           .count = 1,
                                           .shared_bytes = shared_bytes(t)};
    SEDGE_TRY_GOTO(
        status, sedge_program_write(
                    out, sedge_device_get_info(sedge_context_device(p->context))->kind, &options));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status launch_choice(void *context, int operation, int candidate,
                                  const sedge_program *program, sedge_stream *stream)
{
    product *const p = context;

    (void)operation;
    p->tile_rows = choices[candidate].bm;
    p->tile_columns = choices[candidate].bn;
    SEDGE_TRY(sedge_program_get(&p->kernel, program, "tuned"));
    return launch(p, stream);
}

static sedge_status verify(void *context, int operation, int candidate,
                           const sedge_program *program)
{
    product *const p = context;

    SEDGE_TRY(sedge_array_fill(p->c, -1.0));
    SEDGE_TRY(launch_choice(p, operation, candidate, program, sedge_context_stream(p->context)));
    return check(p);
}

// Leave the best tiles' program in `program` and its kernel in `p`.
static sedge_status tune(product *p, sedge_program **program)
{
    sedge_device *const device = sedge_context_device(p->context);
    sedge_cache *const cache = sedge_context_cache(p->context);
    sedge_tune_candidate candidates[CANDIDATES];
    sedge_tune_result *result = NULL;
    sedge_text *text = NULL;
    char size[32], hash[SEDGE_HASH_TEXT];
    sedge_status status;

    for (int i = 0; i < CANDIDATES; i++) {
        const tiles *const t = &choices[i];
        const bool fits = p->size % t->bm == 0 && p->size % t->bn == 0;
        candidates[i] =
            (sedge_tune_candidate){.name = t->name,
                                   .threads = t->bm / t->tm * (t->bn / t->tn),
                                   .shared_bytes = shared_bytes(t),
                                   .refused = fits ? NULL : "the size is no multiple of its tiles"};
    }
    (void)snprintf(size, sizeof size, "n %d", p->size);
    const sedge_hash digest = sedge_hash_bytes(multiply_text, sizeof multiply_text);
    sedge_hash_print(&digest, hash);
    const double n = p->size;
    const sedge_tune_operation operation = {.name = "multiply",
                                            .weight = 1.0,
                                            .bytes = 12.0 * n * n,
                                            .flops = 2.0 * n * n * n,
                                            .count = CANDIDATES,
                                            .candidates = candidates};
    const sedge_tune_task task = {.name = "multiply",
                                  .size = size,
                                  .source_hash = hash,
                                  .layouts = 1,
                                  .layout_names = (const char *const[]){"rows"},
                                  .operations = 1,
                                  .operation = &operation,
                                  .context = p,
                                  .text = write_text,
                                  .launch = launch_choice,
                                  .verify = verify};
    const sedge_tune_options options = {.level = SEDGE_TUNE_FAST, .budget = 3.0};
    SEDGE_TRY_GOTO(status, sedge_tune(&result, NULL, device, cache, &task, &options));
    SEDGE_TRY_GOTO(status, sedge_tune_print(stdout, &task, result));
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, write_text(p, 0, result->choice[0], text));
    SEDGE_TRY_GOTO(
        status, sedge_programs_create(program, NULL, NULL, device, cache,
                                      &(sedge_program_text){"multiply", sedge_text_get(text)}, 1));
    p->tile_rows = choices[result->choice[0]].bm;
    p->tile_columns = choices[result->choice[0]].bn;
    SEDGE_TRY_GOTO(status, sedge_program_get(&p->kernel, *program, "tuned"));
done:
    sedge_text_free(text);
    sedge_tune_result_free(result);
    return status;
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

static sedge_status show_all(product *p, sedge_program **tuned)
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
    SEDGE_TRY(show(p, "tiled", launch));
    SEDGE_TRY(tune(p, tuned));
    SEDGE_TRY(show(p, "tuned", launch));
    if (sedge_device_get_info(sedge_context_device(p->context))->kind != SEDGE_DEVICE_CUDA)
        return SEDGE_OK;
    SEDGE_TRY(sedge_blas_create(&p->blas, sedge_context_device(p->context)));
    return show(p, "cuBLAS", launch_blas);
}

static sedge_status run(sedge_context *context, int64_t size)
{
    const int64_t shape[] = {size / 64 * 64, size / 64 * 64};
    product p = {.context = context, .size = (int32_t)shape[0]};
    sedge_random random = {.seed = 1};
    sedge_program *tuned = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_array_create(&p.a, context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY_GOTO(status, sedge_array_create(&p.b, context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY_GOTO(status, sedge_array_create(&p.c, context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(p.a, &random));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(p.b, &random));
    SEDGE_TRY_GOTO(status, show_all(&p, &tuned));
done:
    sedge_blas_free(p.blas);
    sedge_program_free(tuned);
    sedge_array_free(p.right);
    sedge_array_free(p.c);
    sedge_array_free(p.b);
    sedge_array_free(p.a);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 256);
}
