// Four kernels that are templates: z = 2.5 x - 1.5 y, a transpose, a product of matrices, a product
// with a sparse one; with what launches them, their candidates, their data and their right answers.
#include "elementwise/copy.h"
#include "tuner.h"

#include "array/context.h"
#include "base/hash.h"
#include "base/memory.h"
#include "examples/multiply_text.h"
#include "program/launch.h"
#include "reduce/random.h"
#include "reduce/reduce.h"
#include "text/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHOICES_MAX 160
#define NUMBERS_MAX 6

static const char transpose_text[] =
    "#define TRANSPOSE_LIST(X)                          \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, a) \\\n"
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, b)       \\\n"
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
    "            b[(column + i) * n + row + j] = tile[j * $TILE + PAD$ + i];\n"
    "    }\n"
    "}\n";

static const char linear_text[] =
    "#define LINEAR_LIST(X)                             \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, x) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, y) \\\n"
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, z)\n"
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
    "    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, offsets)      \\\n"
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
    "                for (int k = offsets[row] + l; k < offsets[row + 1]; k += $LANES$)\n"
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

// One kernel: a template, the values that its names take, and what a launch needs.
typedef struct template_case {
    sedge_context *context;
    const char *name;
    const char *text;
    const char *other_text; // where the last number is not 0; NULL: none
    int numbers;
    const char *number_names[NUMBERS_MAX];
    int choices;
    int choice[CHOICES_MAX][NUMBERS_MAX];
    char choice_names[CHOICES_MAX][48];
    sedge_tune_candidate candidates[CHOICES_MAX];
    sedge_array *a, *b, *c, *right, *offsets, *columns;
    int32_t size;
    double bytes, flops;
    sedge_status (*start)(struct template_case *own, const int *numbers, const sedge_kernel *kernel,
                          sedge_stream *stream);
} template_case;

// ---- callbacks of the tuner ---------------------------------------------------------------------

static sedge_status write_text(void *context, int operation, int candidate, sedge_text *out)
{
    const template_case *const own = context;
    sedge_binding values[NUMBERS_MAX];
    sedge_text *text = NULL;
    sedge_status status;

    (void)operation;
    for (int k = 0; k < own->numbers; k++)
        values[k] = SEDGE_BIND_INTEGER(own->number_names[k], own->choice[candidate][k]);
    const bool other = own->other_text != NULL && own->choice[candidate][own->numbers - 1] != 0;
    const sedge_pattern pattern = {.name = own->name,
                                   .text = other ? own->other_text : own->text,
                                   .bindings = values,
                                   .count = own->numbers};
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_template_write(text, &pattern));
    const sedge_program_options options = {
        .name = own->name,
        .sources = &(sedge_source){own->name, sedge_text_get(text)},
        .count = 1,
        .shared_bytes = (int)own->candidates[candidate].shared_bytes};
    SEDGE_TRY_GOTO(status, sedge_program_write(
                               out, sedge_device_get_info(sedge_context_device(own->context))->kind,
                               &options));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status launch(void *context, int operation, int candidate,
                           const sedge_program *program, sedge_stream *stream)
{
    template_case *const own = context;
    const sedge_kernel *kernel = NULL;

    (void)operation;
    SEDGE_TRY(sedge_program_get(&kernel, program, own->name));
    return own->start(own, own->choice[candidate], kernel, stream);
}

// The largest difference between result and right answer, and the largest of the right ones.
static sedge_status measure_error(const template_case *own, double *wrong, double *scale)
{
    sedge_array *error = NULL, *largest = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_array_reduce(&largest, SEDGE_NORM_MAX, sedge_use(own->right),
                                              SEDGE_ALL_AXES));
    SEDGE_TRY_GOTO(status,
                   sedge_array_reduce(&error, SEDGE_NORM_MAX,
                                      sedge_subtract(sedge_use(own->c), sedge_use(own->right)),
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
static sedge_status verify(void *context, int operation, int candidate,
                           const sedge_program *program)
{
    template_case *const own = context;
    double wrong, scale;

    SEDGE_TRY(sedge_array_fill(own->c, -1.0));
    SEDGE_TRY(launch(own, operation, candidate, program, sedge_context_stream(own->context)));
    SEDGE_TRY(measure_error(own, &wrong, &scale));
    if (wrong <= 1e-4 * scale) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "wrong by %g of %g", wrong, scale);
}

// ---- the kernels' launches ----------------------------------------------------------------------

static sedge_status start_transpose(template_case *own, const int *numbers,
                                    const sedge_kernel *kernel, sedge_stream *stream)
{
    const int64_t tiles = own->size / numbers[0];

    return SEDGE_LAUNCH(
        kernel, stream, tiles * tiles, sedge_address_argument(sedge_array_address(own->a)),
        sedge_address_argument(sedge_array_address(own->c)), sedge_int32_argument(own->size));
}

static sedge_status start_linear(template_case *own, const int *numbers, const sedge_kernel *kernel,
                                 sedge_stream *stream)
{
    return SEDGE_LAUNCH(kernel, stream,
                        (int64_t)own->size * own->size / numbers[0] / numbers[1] / numbers[2],
                        sedge_address_argument(sedge_array_address(own->a)),
                        sedge_address_argument(sedge_array_address(own->b)),
                        sedge_address_argument(sedge_array_address(own->c)));
}

static sedge_status start_multiply(template_case *own, const int *numbers,
                                   const sedge_kernel *kernel, sedge_stream *stream)
{
    return SEDGE_LAUNCH(
        kernel, stream, (int64_t)(own->size / numbers[0]) * (own->size / numbers[1]),
        sedge_address_argument(sedge_array_address(own->a)),
        sedge_address_argument(sedge_array_address(own->b)),
        sedge_address_argument(sedge_array_address(own->c)), sedge_int32_argument(own->size));
}

static sedge_status start_spmv(template_case *own, const int *numbers, const sedge_kernel *kernel,
                               sedge_stream *stream)
{
    const int rows = numbers[0] / numbers[1];

    return SEDGE_LAUNCH(kernel, stream, (own->size + rows - 1) / rows,
                        sedge_address_argument(sedge_array_address(own->offsets)),
                        sedge_address_argument(sedge_array_address(own->columns)),
                        sedge_address_argument(sedge_array_address(own->a)),
                        sedge_address_argument(sedge_array_address(own->b)),
                        sedge_address_argument(sedge_array_address(own->c)),
                        sedge_int32_argument(own->size));
}

// ---- their candidates ---------------------------------------------------------------------------

static void add_choice(template_case *own, const int *numbers, int threads, int64_t shared,
                       double prior)
{
    if (own->choices == CHOICES_MAX) return;
    char *const name = own->choice_names[own->choices];
    size_t length = 0;

    for (int k = 0; k < own->numbers; k++) {
        own->choice[own->choices][k] = numbers[k];
        length += (size_t)snprintf(name + length, sizeof own->choice_names[0] - length, "%s%d",
                                   k > 0 ? "," : "", numbers[k]);
    }
    own->candidates[own->choices] = (sedge_tune_candidate){
        .name = name, .threads = threads, .shared_bytes = shared, .prior = prior};
    own->choices++;
}

static void add_transposes(template_case *own)
{
    static const int tiles[] = {32, 16, 64}, threads[] = {256, 64, 128, 512, 1024};

    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < 5; k++) {
            for (int pad = 1; pad >= 0; pad--) {
                add_choice(own, (const int[NUMBERS_MAX]){tiles[t], threads[k], pad}, threads[k],
                           (int64_t)4 * tiles[t] * (tiles[t] + pad), 2.0 - pad);
            }
        }
    }
}

static void add_linears(template_case *own)
{
    static const int threads[] = {256, 64, 128, 512, 1024}, packs[] = {1, 2, 4, 8};
    static const int widths[] = {4, 1, 2};

    for (int t = 0; t < 5; t++) {
        for (int p = 0; p < 4; p++) {
            for (int w = 0; w < 3; w++) {
                add_choice(own, (const int[NUMBERS_MAX]){threads[t], packs[p], widths[w]},
                           threads[t], 0, 1.0 / widths[w]);
            }
        }
    }
}

static void add_multiplies(template_case *own)
{
    static const int sides[] = {64, 32, 128}, depths[] = {8, 16, 32}, items[] = {4, 8};

    // What did best in the example is the rule's choice; those with warps are the example's.
    add_choice(own, (const int[NUMBERS_MAX]){64, 64, 16, 8, 8}, 64, 8192, 0.0);
    for (int c = 0; c < multiply_template.count; c++) {
        const int *const number = multiply_choices[c].number;
        if (number[MULTIPLY_LX] == 0) continue;
        add_choice(own, number, multiply_threads(number), multiply_shared_bytes(number),
                   1.0 / number[MULTIPLY_TM] + 1.0 / number[MULTIPLY_TN] +
                       8.0 / number[MULTIPLY_BM] + 8.0 / number[MULTIPLY_BN]);
    }
    for (int m = 0; m < 3; m++) {
        for (int n = 0; n < 3; n++) {
            for (int k = 0; k < 3; k++) {
                for (int i = 0; i < 2; i++) {
                    for (int j = 0; j < 2; j++) {
                        const int threads = sides[m] / items[i] * (sides[n] / items[j]);
                        if (threads < 32 || threads > 1024) continue;
                        if (m == 0 && n == 0 && k == 1 && i == 1 && j == 1) continue;
                        // Reads of block memory for each multiplication, in registers reused.
                        add_choice(own,
                                   (const int[NUMBERS_MAX]){sides[m], sides[n], depths[k], items[i],
                                                            items[j]},
                                   threads, (int64_t)4 * depths[k] * (sides[m] + sides[n]),
                                   1.0 / items[i] + 1.0 / items[j] + 8.0 / sides[m] +
                                       8.0 / sides[n]);
                    }
                }
            }
        }
    }
}

static void add_spmvs(template_case *own)
{
    static const int threads[] = {256, 64, 128, 512}, lanes[] = {4, 1, 2, 8, 16, 32};

    for (int t = 0; t < 4; t++) {
        for (int l = 0; l < 6; l++) {
            // What the lanes of a row of seven do together, idle or not: products, then the sum.
            const int steps = (7 + lanes[l] - 1) / lanes[l] * lanes[l];
            add_choice(own, (const int[NUMBERS_MAX]){threads[t], lanes[l]}, threads[t],
                       (int64_t)8 * threads[t], steps + (lanes[l] > 1 ? lanes[l] : 0));
        }
    }
}

// ---- their data ---------------------------------------------------------------------------------

static sedge_status make_matrices(template_case *own, bool transpose)
{
    const int64_t shape[] = {own->size, own->size};
    sedge_random random = {.seed = 7};
    sedge_array *view = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_array_create(&own->a, own->context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY(sedge_array_create(&own->b, own->context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY(sedge_array_create(&own->c, own->context, SEDGE_FLOAT32, 2, shape));
    SEDGE_TRY(sedge_array_random_uniform(own->a, &random));
    SEDGE_TRY(sedge_array_random_uniform(own->b, &random));
    if (!transpose) return sedge_array_create(&own->right, own->context, SEDGE_FLOAT32, 2, shape);
    SEDGE_TRY_GOTO(status, sedge_array_transpose(&view, own->a, NULL));
    SEDGE_TRY_GOTO(status, sedge_array_convert(&own->right, view, SEDGE_FLOAT32));
done:
    sedge_array_free(view);
    return status;
}

// The seven-point Laplacian of a cube with `side` points an edge; what leaves the cube is left out.
static sedge_status make_laplacian(template_case *own, int side)
{
    static const int steps[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0},
                                    {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    const int64_t rows = (int64_t)side * side * side;
    int32_t *offsets = NULL, *columns = NULL;
    double *values = NULL;
    int32_t count = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&offsets, rows + 1, sizeof *offsets));
    SEDGE_TRY_GOTO(status, sedge_allocate(&columns, 7 * rows, sizeof *columns));
    SEDGE_TRY_GOTO(status, sedge_allocate(&values, 7 * rows, sizeof *values));
    for (int64_t row = 0; row < rows; row++) {
        const int64_t place[3] = {row % side, row / side % side, row / side / side};
        for (int k = 0; k < 7; k++) {
            bool inside = true;
            for (int d = 0; d < 3; d++)
                inside = inside && place[d] + steps[k][d] >= 0 && place[d] + steps[k][d] < side;
            if (!inside) continue;
            columns[count] = (int32_t)(row + steps[k][0] + (int64_t)steps[k][1] * side +
                                       (int64_t)steps[k][2] * side * side);
            values[count++] = k == 0 ? 6.0 : -1.0;
        }
        offsets[row + 1] = count;
    }
    own->size = (int32_t)rows;
    own->bytes = 12.0 * count + 20.0 * (double)rows;
    own->flops = 2.0 * count;
    SEDGE_TRY_GOTO(status, sedge_array_from(&own->offsets, own->context, SEDGE_INT32, 1,
                                            (const int64_t[]){rows + 1}, offsets));
    SEDGE_TRY_GOTO(status, sedge_array_from(&own->columns, own->context, SEDGE_INT32, 1,
                                            (const int64_t[]){count}, columns));
    SEDGE_TRY_GOTO(status, sedge_array_from(&own->a, own->context, SEDGE_FLOAT64, 1,
                                            (const int64_t[]){count}, values));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&own->b, own->context, SEDGE_FLOAT64, rows));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&own->c, own->context, SEDGE_FLOAT64, rows));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&own->right, own->context, SEDGE_FLOAT64, rows));
    SEDGE_TRY_GOTO(status, sedge_array_random_uniform(own->b, &(sedge_random){.seed = 3}));
done:
    sedge_release(values);
    sedge_release(columns);
    sedge_release(offsets);
    return status;
}

// What must come out, by the first candidate, which the examples' tests compare with others; of the
// transpose by a view.
static sedge_status make_right(template_case *own)
{
    sedge_text *text = NULL;
    sedge_program *program = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, write_text(own, 0, 0, text));
    SEDGE_TRY_GOTO(
        status, sedge_programs_create(&program, NULL, NULL, sedge_context_device(own->context),
                                      sedge_context_cache(own->context),
                                      &(sedge_program_text){own->name, sedge_text_get(text)}, 1));
    SEDGE_TRY_GOTO(status, launch(own, 0, 0, program, sedge_context_stream(own->context)));
    SEDGE_TRY_GOTO(status, sedge_array_copy(own->right, own->c));
    SEDGE_TRY_GOTO(status, sedge_context_wait(own->context));
done:
    sedge_program_free(program);
    sedge_text_free(text);
    return status;
}

static void free_case(template_case *own)
{
    sedge_array *const all[] = {own->a, own->b, own->c, own->right, own->offsets, own->columns};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sedge_array_free(all[i]);
    sedge_release(own);
}

static sedge_status run_case(template_case *own, const bench_tuning *bench)
{
    char hash[SEDGE_HASH_TEXT], size[32];
    const sedge_hash digest = sedge_hash_bytes(own->text, strlen(own->text));

    sedge_hash_print(&digest, hash);
    (void)snprintf(size, sizeof size, "%d", own->size);
    const sedge_tune_operation operation = {.name = own->name,
                                            .weight = 1.0,
                                            .bytes = own->bytes,
                                            .flops = own->flops,
                                            .count = own->choices,
                                            .candidates = own->candidates};
    const sedge_tune_task task = {.name = own->name,
                                  .size = size,
                                  .source_hash = hash,
                                  .layouts = 1,
                                  .layout_names = (const char *const[]){"plain"},
                                  .operations = 1,
                                  .operation = &operation,
                                  .context = own,
                                  .text = write_text,
                                  .launch = launch,
                                  .verify = verify};
    double wrong, scale;
    // What checks candidates is compiled before the clock starts: it is none of them.
    SEDGE_TRY(sedge_array_fill(own->c, -1.0));
    SEDGE_TRY(measure_error(own, &wrong, &scale));
    return bench_tuning_compare(bench, &task);
}

static sedge_status run_transpose(sedge_context *context, const bench_tuning *bench)
{
    template_case *own = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&own, 1, sizeof *own));
    *own = (template_case){.context = context,
                           .name = "transpose",
                           .text = transpose_text,
                           .numbers = 3,
                           .number_names = {"TILE", "THREADS", "PAD"},
                           .size = bench->large ? 8192 : 1024,
                           .start = start_transpose};
    own->bytes = 8.0 * own->size * own->size;
    add_transposes(own);
    status = make_matrices(own, true);
    if (status == SEDGE_OK) status = run_case(own, bench);
    free_case(own);
    return status;
}

static sedge_status run_linear(sedge_context *context, const bench_tuning *bench)
{
    template_case *own = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&own, 1, sizeof *own));
    *own = (template_case){.context = context,
                           .name = "linear",
                           .text = linear_text,
                           .numbers = 3,
                           .number_names = {"THREADS", "PACKS", "WIDTH"},
                           .size = bench->large ? 8192 : 1024,
                           .start = start_linear};
    own->bytes = 12.0 * own->size * own->size;
    add_linears(own);
    status = make_matrices(own, false);
    if (status == SEDGE_OK) {
        status = sedge_array_assign(
            own->right, sedge_subtract(sedge_multiply(sedge_number(2.5), sedge_use(own->a)),
                                       sedge_multiply(sedge_number(1.5), sedge_use(own->b))));
    }
    if (status == SEDGE_OK) status = run_case(own, bench);
    free_case(own);
    return status;
}

static sedge_status run_multiply(sedge_context *context, const bench_tuning *bench)
{
    template_case *own = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&own, 1, sizeof *own));
    *own = (template_case){.context = context,
                           .name = "multiply",
                           .text = multiply_text,
                           .other_text = multiply_warp_text,
                           .numbers = 6,
                           .number_names = {"BM", "BN", "BK", "TM", "TN", "LX"},
                           .size = bench->large ? 2048 : 256,
                           .start = start_multiply};
    own->bytes = 12.0 * own->size * own->size;
    own->flops = 2.0 * own->size * (double)own->size * own->size;
    add_multiplies(own);
    status = make_matrices(own, false);
    if (status == SEDGE_OK) status = make_right(own);
    if (status == SEDGE_OK) status = run_case(own, bench);
    free_case(own);
    return status;
}

static sedge_status run_spmv(sedge_context *context, const bench_tuning *bench)
{
    template_case *own = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&own, 1, sizeof *own));
    *own = (template_case){.context = context,
                           .name = "spmv",
                           .text = spmv_text,
                           .numbers = 2,
                           .number_names = {"THREADS", "LANES"},
                           .start = start_spmv};
    add_spmvs(own);
    status = make_laplacian(own, bench->large ? 160 : 40);
    if (status == SEDGE_OK) status = make_right(own);
    if (status == SEDGE_OK) status = run_case(own, bench);
    free_case(own);
    return status;
}

sedge_status bench_tuning_run_templates(sedge_context *context, const bench_tuning *bench)
{
    SEDGE_TRY(run_linear(context, bench));
    SEDGE_TRY(run_transpose(context, bench));
    SEDGE_TRY(run_multiply(context, bench));
    return run_spmv(context, bench);
}
