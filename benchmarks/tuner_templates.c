// Four kernels that are templates: z = 2.5 x - 1.5 y, a transpose, a product of matrices, a product
// with a sparse one; with what launches them, their candidates, their data and their right answers.
#include "matrices.h"
#include "tuner.h"

#include "array/context.h"
#include "base/memory.h"
#include "elementwise/copy.h"
#include "examples/multiply_text.h"
#include "reduce/random.h"
#include "reduce/reduce.h"

#include <stdio.h>

enum { CHOICES_MAX = 160, NUMBERS_MAX = 5, VALUES_MAX = 6 };

static const char transpose_text[] =
    "#define TRANSPOSE_LIST(X)                          \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, a) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, b) \\\n"
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, c)       \\\n"
    "    X(int, n)\n"
    "\n"
    "SEDGE_KERNEL(transpose, $THREADS$, TRANSPOSE_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (t) {\n"
    "        SEDGE_SHARED(float, tile, $TILE * (TILE + PAD)$);\n"
    "        const sedge_int64 row = t / (n / $TILE$) * $TILE$;\n"
    "        const sedge_int64 column = t % (n / $TILE$) * $TILE$;\n"
    "        SEDGE_ITEMS (i, $TILE$, j, $TILE$, $THREADS$)\n"
    "            tile[i * $TILE + PAD$ + j] = a[(row + i) * n + column + j];\n"
    "        SEDGE_BARRIER();\n"
    "        SEDGE_ITEMS (i, $TILE$, j, $TILE$, $THREADS$)\n"
    "            c[(column + i) * n + row + j] = tile[j * $TILE + PAD$ + i];\n"
    "    }\n"
    "}\n";

static const char linear_text[] =
    "#define LINEAR_LIST(X)                             \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, x) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, y) \\\n"
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, z)       \\\n"
    "    X(int, n)\n"
    "\n"
    "typedef struct SEDGE_ALIGN($4 * WIDTH$) pack {\n"
    "    float v[$WIDTH$];\n"
    "} pack;\n"
    "\n"
    "SEDGE_KERNEL(linear, $THREADS$, LINEAR_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        const SEDGE_GLOBAL pack *const from = (const SEDGE_GLOBAL pack *)x;\n"
    "        const SEDGE_GLOBAL pack *const other = (const SEDGE_GLOBAL pack *)y;\n"
    "        SEDGE_GLOBAL pack *const to = (SEDGE_GLOBAL pack *)z;\n"
    "        SEDGE_ITEMS_1D (n, $THREADS$, $THREADS$) {\n"
    "            const sedge_int64 first = b * $PACKS$ * $THREADS$ + n;\n"
    "$for p in 0..PACKS$\n"
    "            {\n"
    "                const pack s = from[first + $p * THREADS$], t = other[first + $p * "
    "THREADS$];\n"
    "                pack r;\n"
    "                SEDGE_EACH (k, $WIDTH$) r.v[k] = 2.5f * s.v[k] - 1.5f * t.v[k];\n"
    "                to[first + $p * THREADS$] = r;\n"
    "            }\n"
    "$end$\n"
    "        }\n"
    "    }\n"
    "}\n";

// y = A x, CSR; LANES items a row, whose sums meet in block memory.
static const char spmv_text[] =
    "$let ROWS = THREADS / LANES$\n"
    "#define SPMV_LIST(X)                                        \\\n"
    "    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, offsets) \\\n"
    "    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, columns)      \\\n"
    "    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, values)    \\\n"
    "    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, x)         \\\n"
    "    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, y)               \\\n"
    "    X(int, rows)\n"
    "\n"
    "SEDGE_KERNEL(spmv, $THREADS$, SPMV_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_SHARED(double, part, $THREADS$);\n"
    "        SEDGE_ITEMS (r, $ROWS$, l, $LANES$, $THREADS$) {\n"
    "            const sedge_int64 row = b * $ROWS$ + r;\n"
    "            double sum = 0.0;\n"
    "            if (row < rows)\n"
    "                for (sedge_int64 k = offsets[row] + l; k < offsets[row + 1]; k += $LANES$)\n"
    "                    sum += values[k] * x[columns[k]];\n"
    "            part[r * $LANES$ + l] = sum;\n"
    "        }\n"
    "        SEDGE_BARRIER();\n"
    "        SEDGE_ITEMS_1D (r, $ROWS$, $THREADS$) {\n"
    "            const sedge_int64 row = b * $ROWS$ + r;\n"
    "            double sum = 0.0;\n"
    "            SEDGE_EACH (l, $LANES$) sum += part[r * $LANES$ + l];\n"
    "            if (row < rows) y[row] = sum;\n"
    "        }\n"
    "    }\n"
    "}\n";

// One kernel.
typedef struct template_work template_work;
typedef struct template_kind {
    example_template of; // without choices
    struct {
        int count, value[VALUES_MAX];
    } values[NUMBERS_MAX]; // of each number; a missing one is 0
    double (*prior)(const int *number);
    int64_t (*blocks)(const int *number, int64_t size);
    sedge_status (*make)(template_work *work); // data and the right answer
    int side, large_side;
} template_kind;

struct template_work {
    const template_kind *kind;
    sedge_context *context;
    int choices;
    int number[CHOICES_MAX][EXAMPLE_NUMBERS];
    char names[CHOICES_MAX][48];
    sedge_tune_candidate candidates[CHOICES_MAX];
    sedge_array *a, *b, *c, *right, *offsets, *columns;
    int32_t size;
    double bytes, flops;
};

// ---- callbacks of the tuner ---------------------------------------------------------------------

static sedge_status write_text(void *context, int candidate, sedge_text *out)
{
    const template_work *const work = context;

    return example_write(out, &work->kind->of, work->number[candidate],
                         sedge_device_get_info(sedge_context_device(work->context))->kind);
}

static sedge_status launch(void *context, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    const template_work *const work = context;
    const int64_t blocks = work->kind->blocks(work->number[candidate], work->size);
    const sedge_argument a = sedge_address_argument(sedge_array_address(work->a));
    const sedge_argument b = sedge_address_argument(sedge_array_address(work->b));
    const sedge_argument c = sedge_address_argument(sedge_array_address(work->c));
    const sedge_kernel *kernel = NULL;

    SEDGE_TRY(sedge_program_get(&kernel, program, work->kind->of.name));
    if (work->offsets == NULL)
        return SEDGE_LAUNCH(kernel, stream, blocks, a, b, c, sedge_int32_argument(work->size));
    return SEDGE_LAUNCH(kernel, stream, blocks,
                        sedge_address_argument(sedge_array_address(work->offsets)),
                        sedge_address_argument(sedge_array_address(work->columns)), a, b, c,
                        sedge_int32_argument(work->size));
}

// The largest difference between result and right answer, and the largest of the right ones.
static sedge_status measure_error(const template_work *work, double *wrong, double *scale)
{
    sedge_array *error = NULL, *largest = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_array_reduce(&largest, SEDGE_NORM_MAX, sedge_use(work->right),
                                              SEDGE_ALL_AXES));
    SEDGE_TRY_GOTO(status,
                   sedge_array_reduce(&error, SEDGE_NORM_MAX,
                                      sedge_subtract(sedge_use(work->c), sedge_use(work->right)),
                                      SEDGE_ALL_AXES));
    SEDGE_TRY_GOTO(status, sedge_array_number(largest, scale));
    SEDGE_TRY_GOTO(status, sedge_array_number(error, wrong));
done:
    sedge_array_free(largest);
    sedge_array_free(error);
    return status;
}

// Results are sums of products of numbers in [0, 1): 1e-4 of the largest is far above rounding, and
// far below any wrong index.
static sedge_status verify(void *context, int candidate, const sedge_program *program)
{
    template_work *const work = context;
    double wrong, scale;

    SEDGE_TRY(sedge_array_fill(work->c, -1.0));
    SEDGE_TRY(launch(work, candidate, program, sedge_context_stream(work->context)));
    SEDGE_TRY(measure_error(work, &wrong, &scale));
    if (wrong <= 1e-4 * scale) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "wrong by %g of %g", wrong, scale);
}

// ---- data and right answers ---------------------------------------------------------------------

// What must come out, by the first candidate, which the examples' tests compare with others.
static sedge_status find_right(template_work *work)
{
    sedge_text *text = NULL;
    sedge_program *program = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, write_text(work, 0, text));
    const sedge_program_text whole = {work->kind->of.name, sedge_text_get(text)};
    SEDGE_TRY_GOTO(status,
                   sedge_programs_create(&program, NULL, NULL, sedge_context_device(work->context),
                                         sedge_context_cache(work->context), &whole, 1));
    SEDGE_TRY_GOTO(status, launch(work, 0, program, sedge_context_stream(work->context)));
    SEDGE_TRY_GOTO(status, sedge_array_convert(&work->right, work->c, sedge_array_type(work->c)));
    SEDGE_TRY_GOTO(status, sedge_context_wait(work->context));
done:
    sedge_program_free(program);
    sedge_text_free(text);
    return status;
}

static sedge_status make_matrices(template_work *work)
{
    const int64_t shape[] = {work->size, work->size};
    sedge_random random = {.seed = 7};

    SEDGE_TRY(sedge_array_create(&work->a, work->context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY(sedge_array_create(&work->b, work->context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY(sedge_array_create(&work->c, work->context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY(sedge_array_random_uniform(work->a, &random));
    work->bytes = 12.0 * work->size * work->size;
    return sedge_array_random_uniform(work->b, &random);
}

static sedge_status make_linear(template_work *work)
{
    SEDGE_TRY(make_matrices(work));
    return sedge_array_evaluate(
        &work->right, sedge_subtract(sedge_multiply(sedge_number(2.5), sedge_use(work->a)),
                                     sedge_multiply(sedge_number(1.5), sedge_use(work->b))));
}

static sedge_status make_transpose(template_work *work)
{
    sedge_array *view = NULL;

    SEDGE_TRY(make_matrices(work));
    work->bytes = 8.0 * work->size * work->size;
    SEDGE_TRY(sedge_array_transpose(&view, work->a, NULL));
    const sedge_status status = sedge_array_convert(&work->right, view, SEDGE_FLOAT32);
    sedge_array_free(view);
    return status;
}

static sedge_status make_multiply(template_work *work)
{
    SEDGE_TRY(make_matrices(work));
    work->flops = 2.0 * work->size * (double)work->size * work->size;
    return find_right(work);
}

// The seven-point Laplacian of a cube with `size` points an edge.
static sedge_status make_spmv(template_work *work)
{
    sedge_context *const context = work->context;
    sedge_status status;
    bench_matrix m = {.offsets = NULL};

    SEDGE_TRY_GOTO(status, bench_matrix_make(&m, "7-point", work->size));
    const int64_t rows = m.csr.rows, entries = m.offsets[rows], ends = rows + 1;
    work->size = (int32_t)rows;
    work->bytes = 12.0 * (double)entries + 24.0 * (double)rows;
    work->flops = 2.0 * (double)entries;
    SEDGE_TRY_GOTO(status,
                   sedge_array_from(&work->offsets, context, SEDGE_INT64, 1, &ends, m.offsets));
    SEDGE_TRY_GOTO(status,
                   sedge_array_from(&work->columns, context, SEDGE_INT32, 1, &entries, m.columns));
    SEDGE_TRY_GOTO(status,
                   sedge_array_from(&work->a, context, SEDGE_FLOAT64, 1, &entries, m.values));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&work->b, context, SEDGE_FLOAT64, rows));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&work->c, context, SEDGE_FLOAT64, rows));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(work->b, &(sedge_random){.seed = 3}));
    status = find_right(work);
done:
    bench_matrix_clear(&m);
    return status;
}

// ---- the four kernels ---------------------------------------------------------------------------

static const char *get_linear(const int *number)
{
    (void)number;
    return linear_text;
}

static const char *get_transpose(const int *number)
{
    (void)number;
    return transpose_text;
}

static const char *get_spmv(const int *number)
{
    (void)number;
    return spmv_text;
}

static int first_number(const int *number)
{
    return number[0];
}

static int second_number(const int *number)
{
    return number[1];
}

static int no_shared_bytes(const int *number)
{
    (void)number;
    return 0;
}

static int transpose_shared_bytes(const int *number)
{
    return 4 * number[0] * (number[0] + number[2]);
}

static int spmv_shared_bytes(const int *number)
{
    return 8 * number[0];
}

static double linear_prior(const int *number)
{
    return 1.0 / number[2];
}

static double transpose_prior(const int *number)
{
    return 2.0 - number[2];
}

// Reads of block memory for each multiplication, in registers reused.
static double multiply_prior(const int *number)
{
    return 1.0 / number[MULTIPLY_TM] + 1.0 / number[MULTIPLY_TN] + 8.0 / number[MULTIPLY_BM] +
           8.0 / number[MULTIPLY_BN];
}

// What the lanes of a row of seven do together, idle or not: products, then the sum.
static double spmv_prior(const int *number)
{
    const int lanes = number[1];
    const int products = (7 + lanes - 1) / lanes * lanes;

    return products + (lanes > 1 ? lanes : 0);
}

static int64_t linear_blocks(const int *number, int64_t size)
{
    return size * size / number[0] / number[1] / number[2];
}

static int64_t transpose_blocks(const int *number, int64_t size)
{
    return size / number[0] * (size / number[0]);
}

static int64_t multiply_blocks(const int *number, int64_t size)
{
    return size / number[MULTIPLY_BM] * (size / number[MULTIPLY_BN]);
}

static int64_t spmv_blocks(const int *number, int64_t size)
{
    const int rows = number[0] / number[1];

    return (size + rows - 1) / rows;
}

// The first values are the rule's.
static const template_kind kinds[] = {
    {.of = {.name = "linear",
            .text = get_linear,
            .names = {"THREADS", "PACKS", "WIDTH"},
            .threads = first_number,
            .shared_bytes = no_shared_bytes},
     .values = {{5, {256, 64, 128, 512, 1024}}, {4, {1, 2, 4, 8}}, {3, {4, 1, 2}}},
     .prior = linear_prior,
     .blocks = linear_blocks,
     .make = make_linear,
     .side = 1024,
     .large_side = 8192},
    {.of = {.name = "transpose",
            .text = get_transpose,
            .names = {"TILE", "THREADS", "PAD"},
            .threads = second_number,
            .shared_bytes = transpose_shared_bytes},
     .values = {{3, {32, 16, 64}}, {5, {256, 64, 128, 512, 1024}}, {2, {1, 0}}},
     .prior = transpose_prior,
     .blocks = transpose_blocks,
     .make = make_transpose,
     .side = 1024,
     .large_side = 8192},
    {.of = {.name = "multiply",
            .text = multiply_choose_text,
            .names = {"BM", "BN", "BK", "TM", "TN", "LX"},
            .threads = multiply_threads,
            .shared_bytes = multiply_shared_bytes},
     .values = {{3, {64, 32, 128}}, {3, {64, 32, 128}}, {3, {16, 8, 32}}, {2, {8, 4}}, {2, {8, 4}}},
     .prior = multiply_prior,
     .blocks = multiply_blocks,
     .make = make_multiply,
     .side = 256,
     .large_side = 2048},
    {.of = {.name = "spmv",
            .text = get_spmv,
            .names = {"THREADS", "LANES"},
            .threads = first_number,
            .shared_bytes = spmv_shared_bytes},
     .values = {{4, {256, 64, 128, 512}}, {6, {4, 1, 2, 8, 16, 32}}},
     .prior = spmv_prior,
     .blocks = spmv_blocks,
     .make = make_spmv,
     .side = 40,
     .large_side = 160},
};

// ---- candidates, and the race -------------------------------------------------------------------

static void add_choice(template_work *work, const int *number)
{
    const example_template *const of = &work->kind->of;
    const int threads = of->threads(number);
    size_t length = 0;

    if (work->choices == CHOICES_MAX || threads < 32 || threads > 1024) return;
    char *const name = work->names[work->choices];
    for (int k = 0; k < EXAMPLE_NUMBERS && of->names[k] != NULL; k++) {
        work->number[work->choices][k] = number[k];
        length += (size_t)snprintf(name + length, sizeof work->names[0] - length, "%s%d",
                                   k > 0 ? "," : "", number[k]);
    }
    work->candidates[work->choices++] =
        (sedge_tune_candidate){.name = name,
                               .threads = threads,
                               .shared_bytes = of->shared_bytes(number),
                               .prior = work->kind->prior(number)};
    memcpy(work->candidates[work->choices - 1].number, number, sizeof work->candidates[0].number);
}

// All that the values give; of the product also the example's choices with warps.
static void add_choices(template_work *work)
{
    const template_kind *const kind = work->kind;
    int all = 1;

    for (int k = 0; k < NUMBERS_MAX && kind->values[k].count > 0; k++) all *= kind->values[k].count;
    for (int c = 0; c < all; c++) {
        int number[EXAMPLE_NUMBERS] = {0};
        for (int k = NUMBERS_MAX - 1, rest = c; k >= 0; k--) {
            const int count = kind->values[k].count;
            if (count > 0) number[k] = kind->values[k].value[rest % count];
            if (count > 0) rest /= count;
        }
        add_choice(work, number);
    }
    for (int c = 0; c < multiply_template.count && kind->make == make_multiply; c++) {
        if (multiply_choices[c].number[MULTIPLY_LX] > 0)
            add_choice(work, multiply_choices[c].number);
    }
}

static sedge_status compare(template_work *work, const bench_tuning *bench)
{
    const example_template *const of = &work->kind->of;
    char hash[SEDGE_HASH_TEXT], size[32];
    double wrong, scale;

    add_choices(work);
    work->size = bench->large ? work->kind->large_side : work->kind->side;
    SEDGE_TRY(work->kind->make(work));
    const char *const text = of->text(work->number[0]);
    const sedge_hash digest = sedge_hash_bytes(text, strlen(text));
    sedge_hash_print(&digest, hash);
    (void)snprintf(size, sizeof size, "%d", work->size);
    const sedge_tune_task task = {.name = of->name,
                                  .size = size,
                                  .source_hash = hash,
                                  .layouts = 1,
                                  .layout_names = (const char *const[]){"plain"},
                                  .operation = of->name,
                                  .bytes = work->bytes,
                                  .flops = work->flops,
                                  .count = work->choices,
                                  .candidates = work->candidates,
                                  .context = work,
                                  .text = write_text,
                                  .launch = launch,
                                  .verify = verify};
    // What checks candidates is compiled before the clock starts: it is none of them.
    SEDGE_TRY(sedge_array_fill(work->c, -1.0));
    SEDGE_TRY(measure_error(work, &wrong, &scale));
    return bench_tuning_compare(bench, &task);
}

sedge_status bench_tuning_run_templates(sedge_context *context, const bench_tuning *bench)
{
    sedge_status status = SEDGE_OK;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && status == SEDGE_OK; i++) {
        template_work *work = NULL;
        SEDGE_TRY(sedge_allocate(&work, 1, sizeof *work));
        work->kind = &kinds[i];
        work->context = context;
        status = compare(work, bench);
        sedge_array *const all[] = {work->a,     work->b,       work->c,
                                    work->right, work->offsets, work->columns};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) sedge_array_free(all[k]);
        sedge_release(work);
    }
    return status;
}
