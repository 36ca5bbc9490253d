// Elementwise kernels: every way of addressing against loops of this host, snippets, the tuner.
#include "array/iteration.h"
#include "array_case.h"
#include "base/memory.h"
#include "elementwise/elementwise.h"
#include "elementwise/snippet.h"

// Exact in float32: small integers.
static float value_of(int64_t i)
{
    return (float)(i % 1021) - 500.0f;
}

static sedge_array *make(sedge_context *context, int64_t size)
{
    sedge_array *const x = case_array(context, SEDGE_FLOAT32, 1, &size, NULL);
    float *values = NULL;

    CHECK_OK(sedge_allocate(&values, size, sizeof *values));
    for (int64_t i = 0; i < size; i++) values[i] = value_of(i);
    CHECK_OK(sedge_array_set(x, values));
    sedge_release(values);
    return x;
}

// Whole and partial blocks and packs, with operands at addresses that packs may and may not have.
static void check_contiguous(sedge_context *context, int64_t size, int64_t shift)
{
    sedge_array *const x = make(context, size + shift);
    sedge_array *const whole = make(context, size + 2);
    sedge_array *part = NULL;
    sedge_array *target = NULL;
    float *values = NULL;
    int64_t wrong = 0;

    CHECK_OK(sedge_array_slice(&part, x, &(sedge_slice){shift, SEDGE_SLICE_END, 1}));
    CHECK_OK(sedge_array_slice(&target, whole, &(sedge_slice){0, size, 1}));
    CHECK_OK(sedge_array_assign(
        target,
        sedge_subtract(sedge_multiply(sedge_number(2.0), sedge_use(part)), sedge_number(1.0))));
    CHECK_OK(sedge_allocate(&values, size + 2, sizeof *values));
    CHECK_OK(sedge_array_get(whole, values));
    for (int64_t i = 0; i < size; i++) wrong += values[i] != 2.0f * value_of(i + shift) - 1.0f;
    for (int64_t i = size; i < size + 2; i++) wrong += values[i] != value_of(i);
    CHECK(wrong == 0);
    sedge_release(values);
    sedge_array_free(part);
    sedge_array_free(target);
    sedge_array_free(x);
    sedge_array_free(whole);
}

static void test_contiguous(sedge_context *context)
{
    const int64_t sizes[] = {1, 3, 4, 7, 1024, 8191, 8192, 8193, 20001};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int64_t shift = 0; shift <= 4; shift += s < 2 ? 1 : 2)
            check_contiguous(context, sizes[s], shift);
    }
}

// Operands of different sizes: a pack has 16 bytes of the smallest, up to 64 of the largest.
static void test_mixed_sizes(sedge_context *context)
{
    enum { SIZE = 1000 };
    sedge_array *const bytes = CASE_ARRAY(context, SEDGE_UINT8, NULL, (SIZE));
    sedge_array *const words = CASE_COUNT(context, SEDGE_INT16, (SIZE));
    sedge_array *const complex = CASE_COUNT(context, SEDGE_COMPLEX128, (SIZE));
    sedge_array *result = NULL;
    double values[2 * SIZE];
    int wrong = 0;

    CHECK_OK(sedge_array_fill(bytes, 3.0));
    CHECK_OK(
        sedge_array_evaluate(&result, sedge_add(sedge_multiply(sedge_use(bytes), sedge_use(words)),
                                                sedge_use(complex))));
    CHECK(sedge_array_type(result) == SEDGE_COMPLEX128);
    CHECK_OK(sedge_array_get(result, values));
    for (int i = 0; i < SIZE; i++) wrong += values[2 * i] != 4.0 * i || values[2 * i + 1] != 0.0;
    CHECK(wrong == 0);
    sedge_array_free(bytes);
    sedge_array_free(words);
    sedge_array_free(complex);
    sedge_array_free(result);
}

// r[i][j][k] = a[k][j][i] + 1000 b[j] - c[i][0][k], with a turned and c every second: all ways in
// which an operand may go through memory, several blocks.
static void test_strided(sedge_context *context)
{
    enum { I = 30, J = 41, K = 23 };
    sedge_array *const a = CASE_COUNT(context, SEDGE_INT32, (K, J, I));
    sedge_array *const b = CASE_COUNT(context, SEDGE_INT32, (J, 1));
    sedge_array *const all = CASE_COUNT(context, SEDGE_INT32, (I, 1, 2 * K));
    const sedge_slice second[3] = {{0, I, 1}, {0, 1, 1}, {SEDGE_SLICE_END, SEDGE_SLICE_END, -2}};
    sedge_array *turned = NULL;
    sedge_array *c = NULL;
    sedge_array *r = NULL;
    int32_t *values = NULL;
    int64_t wrong = 0;

    CHECK_OK(sedge_array_transpose(&turned, a, NULL));
    CHECK_OK(sedge_array_slice(&c, all, second));
    CHECK_OK(sedge_array_evaluate(
        &r, sedge_subtract(
                sedge_add(sedge_use(turned), sedge_multiply(sedge_integer(1000), sedge_use(b))),
                sedge_use(c))));
    CHECK(CASE_HAS_SHAPE(r, (I, J, K)));
    CHECK_OK(sedge_allocate(&values, (int64_t)I * J * K, sizeof *values));
    CHECK_OK(sedge_array_get(r, values));
    for (int i = 0; i < I; i++) {
        for (int j = 0; j < J; j++) {
            for (int k = 0; k < K; k++) {
                const int wanted = (k * J + j) * I + i + 1000 * j - (i * 2 * K + 2 * K - 1 - 2 * k);
                wrong += values[(i * J + j) * K + k] != wanted;
            }
        }
    }
    CHECK(wrong == 0);
    sedge_release(values);
    sedge_array_free(c);
    sedge_array_free(turned);
    sedge_array_free(a);
    sedge_array_free(b);
    sedge_array_free(all);
    sedge_array_free(r);
}

static void test_strided_target(sedge_context *context)
{
    sedge_array *const x = CASE_ARRAY(context, SEDGE_FLOAT64, NULL, (4, 6));
    sedge_array *const row = CASE_COUNT(context, SEDGE_INT8, (2));
    const sedge_slice inner[2] = {{1, 3, 1}, {SEDGE_SLICE_END, 0, -3}};
    sedge_array *view = NULL;

    CHECK_OK(sedge_array_fill(x, 9.0));
    CHECK_OK(sedge_array_slice(&view, x, inner));
    CHECK(CASE_HAS_SHAPE(view, (2, 2)));
    CHECK_OK(sedge_array_assign(view, sedge_use(row))); // converted and broadcast
    CHECK(CASE_EQUALS(x, 9, 9, 9, 9, 9, 9, 9, 9, 1, 9, 9, 0, 9, 9, 1, 9, 9, 0, 9, 9, 9, 9, 9, 9));
    sedge_array_free(view);
    sedge_array_free(x);
    sedge_array_free(row);
}

// Each element once, also where a row goes on in the next block.
static void test_strided_in_place(sedge_context *context)
{
    enum { ROWS = 3, SIZE = 9001 };
    sedge_array *const x = CASE_COUNT(context, SEDGE_INT32, (ROWS, 2 * SIZE));
    const sedge_slice second[2] = {{0, ROWS, 1}, {1, SEDGE_SLICE_END, 2}};
    sedge_array *odd = NULL;
    int32_t *values = NULL;
    int64_t wrong = 0;

    CHECK_OK(sedge_array_slice(&odd, x, second));
    CHECK_OK(sedge_array_assign(odd, sedge_add(sedge_use(odd), sedge_integer(5))));
    CHECK_OK(sedge_allocate(&values, (int64_t)ROWS * 2 * SIZE, sizeof *values));
    CHECK_OK(sedge_array_get(x, values));
    for (int i = 0; i < ROWS * 2 * SIZE; i++) wrong += values[i] != i + 5 * (i % 2);
    CHECK(wrong == 0);
    sedge_release(values);
    sedge_array_free(odd);
    sedge_array_free(x);
}

static void check_iteration(const sedge_iteration *iteration, int dimensions, bool contiguous)
{
    CHECK(iteration->dimensions == dimensions);
    CHECK(iteration->contiguous == contiguous);
}

static void test_iterations(sedge_context *context)
{
    sedge_array *const x = CASE_ARRAY(context, SEDGE_FLOAT32, NULL, (2, 1, 3, 4));
    sedge_array *const plane = CASE_ARRAY(context, SEDGE_FLOAT32, NULL, (3, 4));
    sedge_array *const number = case_array(context, SEDGE_FLOAT32, 0, NULL, NULL);
    const sedge_array *operands[] = {x, x, number, NULL};
    sedge_array *turned[2] = {NULL, NULL};
    sedge_iteration iteration;

    sedge_iteration_make(&iteration, 4, sedge_array_shape(x), 4, operands);
    check_iteration(&iteration, 1, true);
    CHECK(iteration.count == 24 && iteration.shape[0] == 24);
    CHECK(iteration.stride[1][0] == 1 && iteration.stride[2][0] == 0 &&
          iteration.stride[3][0] == 0);
    operands[1] = plane; // the last two dimensions go together, the first is repeated
    sedge_iteration_make(&iteration, 4, sedge_array_shape(x), 4, operands);
    check_iteration(&iteration, 2, false);
    CHECK(iteration.shape[1] == 12 && iteration.stride[1][0] == 0 && iteration.stride[1][1] == 1);
    for (int k = 0; k < 2; k++) CHECK_OK(sedge_array_transpose(&turned[k], x, NULL));
    operands[0] = turned[0];
    operands[1] = turned[1];
    sedge_iteration_make(&iteration, 4, sedge_array_shape(turned[0]), 2, operands);
    check_iteration(&iteration, 3, false);
    sedge_iteration_sort(&iteration, 2); // in the order of memory
    check_iteration(&iteration, 1, true);
    CHECK(iteration.count == 24);
    for (int k = 0; k < 2; k++) sedge_array_free(turned[k]);
    sedge_array_free(x);
    sedge_array_free(plane);
    sedge_array_free(number);
}

// ---- snippets ----------------------------------------------------------------------------------

static void test_snippet(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_FLOAT32, (2, 3));
    sedge_array *const y = CASE_COUNT(context, SEDGE_INT32, (3));
    sedge_array *const z = CASE_ARRAY(context, SEDGE_FLOAT32, NULL, (2, 3));
    sedge_array *const count = CASE_COUNT(context, SEDGE_INT64, (2, 3));
    const sedge_operand operands[] = {
        SEDGE_NUMBER("a", SEDGE_FLOAT32, 10.0),
        SEDGE_NUMBER("zero", SEDGE_FLOAT32, 0.0),
        SEDGE_IN("x", x),
        SEDGE_IN("y", y),
        SEDGE_OUT("z", z),
        SEDGE_OUT("count", count),
    };

    for (int twice = 0; twice < 2; twice++) {
        CHECK_OK(sedge_elementwise(context, "steps",
                                   "SEDGE_FUNCTION float halve(float v)\n"
                                   "{\n    return 0.5f * v;\n}\n",
                                   "if (i % 2 == 0) count += 100;\n"
                                   "z = a * x + halve((float)y) + zero;",
                                   6, operands));
    }
    CHECK(CASE_EQUALS(z, 0, 10.5, 21, 30, 40.5, 51));
    CHECK(CASE_EQUALS(count, 200, 1, 202, 3, 204, 5));
    sedge_array_free(x);
    sedge_array_free(y);
    sedge_array_free(z);
    sedge_array_free(count);
}

// The index is in C order, also where memory is not.
static void test_snippet_index(sedge_context *context)
{
    sedge_array *const x = CASE_ARRAY(context, SEDGE_INT32, NULL, (3, 2));
    sedge_array *turned = NULL;

    CHECK_OK(sedge_array_transpose(&turned, x, NULL));
    CHECK_OK(sedge_elementwise(context, "index", NULL, "v = (int)i;", 1, &SEDGE_OUT("v", turned)));
    CHECK(CASE_EQUALS(turned, 0, 1, 2, 3, 4, 5));
    CHECK(CASE_EQUALS(x, 0, 3, 1, 4, 2, 5));
    sedge_array_free(turned);
    sedge_array_free(x);
}

static void test_snippet_refusals(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_FLOAT32, (4));
    sedge_array *const y = CASE_COUNT(context, SEDGE_FLOAT32, (3));
    sedge_array *tail = NULL;
    sedge_array *head = NULL;

    CHECK_OK(sedge_array_slice(&tail, x, &(sedge_slice){1, 4, 1}));
    CHECK_OK(sedge_array_slice(&head, x, &(sedge_slice){0, 3, 1}));
#define RUN(body, ...)                                                                       \
    sedge_elementwise(context, "mine", NULL, body,                                           \
                      (int)(sizeof((sedge_operand[]){__VA_ARGS__}) / sizeof(sedge_operand)), \
                      (const sedge_operand[]){__VA_ARGS__})
    CHECK_FAILS(RUN("z = 1;", SEDGE_OUT("z", x), SEDGE_IN("y", y)), SEDGE_ERR_USAGE,
                "shape (3,) does not broadcast to the array's (4,)");
    CHECK_FAILS(RUN("z = y;", SEDGE_IN("z", x), SEDGE_IN("y", y)), SEDGE_ERR_USAGE,
                "kernel 'mine' writes no array");
    CHECK_FAILS(RUN("z = y;", SEDGE_OUT("z", tail), SEDGE_IN("y", head)), SEDGE_ERR_USAGE,
                "overlaps");
    CHECK_FAILS(RUN("z = y;", SEDGE_OUT("z", x), SEDGE_OUT("y", x)), SEDGE_ERR_USAGE,
                "writes one array as 'z' and as 'y'");
    CHECK_FAILS(RUN("z = z;", SEDGE_OUT("z", x), SEDGE_IN("z", x)), SEDGE_ERR_USAGE,
                "has two operands 'z'");
    CHECK_FAILS(RUN("i = 1;", SEDGE_OUT("i", x)), SEDGE_ERR_USAGE, "operand 'i'");
    CHECK_FAILS(RUN("z = 1;", SEDGE_OUT("z;", x)), SEDGE_ERR_USAGE, "operand 'z;'");
    // No array is no number, also not 0.
    CHECK_FAILS(RUN("z = y;", SEDGE_OUT("z", x), SEDGE_IN("y", NULL)), SEDGE_ERR_USAGE,
                "operand 'y' is an array that was not created: NULL");
    CHECK_FAILS(RUN("z = y;", SEDGE_OUT("z", NULL), SEDGE_IN("y", x)), SEDGE_ERR_USAGE,
                "operand 'z' is an array that was not created: NULL");
    sedge_operand number = SEDGE_NUMBER("a", SEDGE_FLOAT32, 0.0);
    number.array = y;
    CHECK_FAILS(RUN("z = a;", SEDGE_OUT("z", x), number), SEDGE_ERR_USAGE,
                "operand 'a' is a number, but it has an array");
    number = (sedge_operand){.name = "a", .written = true, .is_number = true};
    CHECK_FAILS(RUN("a = 1;", SEDGE_OUT("z", x), number), SEDGE_ERR_USAGE,
                "operand 'a' is a number, but it is marked as written");
    CHECK_FAILS(RUN("z = a;", SEDGE_OUT("z", x), SEDGE_NUMBER("a", SEDGE_INT8, 128.0)),
                SEDGE_ERR_USAGE, "the number 128 does not fit into int8");
    // The compiler's message has the snippet's name and line.
    CHECK_FAILS(RUN("z = 1;\nz = nonsense;", SEDGE_OUT("z", x)), SEDGE_ERR_DEVICE, "mine");
    CHECK(strstr(sedge_error_message(), "nonsense") != NULL);
    CHECK(strstr(sedge_error_message(), "mine:2") != NULL ||
          strstr(sedge_error_message(), "mine(2)") != NULL);
#undef RUN
    CHECK(CASE_EQUALS(x, 0, 1, 2, 3)); // untouched
    sedge_array_free(tail);
    sedge_array_free(head);
    sedge_array_free(x);
    sedge_array_free(y);
}

// ---- memory and time ---------------------------------------------------------------------------

// A call known already takes only the result from the pool.
static void test_no_allocation(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_FLOAT32, (100));
    sedge_array *y = NULL;

    CHECK_OK(sedge_array_evaluate(&y, sedge_sin(sedge_use(x))));
    sedge_array_free(y);
    const sedge_pool_statistics before = sedge_context_pool(context);
    CHECK_OK(sedge_array_evaluate(&y, sedge_sin(sedge_use(x))));
    CHECK_OK(sedge_array_assign(x, sedge_cos(sedge_use(y))));
    CHECK_OK(sedge_array_assign(x, sedge_cos(sedge_use(y))));
    const sedge_pool_statistics after = sedge_context_pool(context);
    CHECK(after.requests == before.requests + 1 && after.hits == before.hits + 1);
    sedge_array_free(x);
    sedge_array_free(y);
}

// Tuned at its first use where it is large. In place, and still done once.
static void test_tuned(sedge_context *context)
{
    const int64_t size = SEDGE_TUNED_ELEMENTS + 3;
    sedge_array *const x = case_array(context, SEDGE_INT32, 1, &size, NULL);
    int32_t *values = NULL;
    int64_t wrong = 0;

    CHECK_OK(sedge_array_range(x, 0.0, 1.0));
    sedge_context_set_tuning(context, SEDGE_TUNE_FAST);
    CHECK_OK(sedge_array_assign(x, sedge_add(sedge_use(x), sedge_integer(7))));
    CHECK_OK(sedge_elementwise(context, "more", NULL, "x += 1;", 1, &SEDGE_OUT("x", x)));
    sedge_context_set_tuning(context, SEDGE_TUNE_OFF);
    CHECK_OK(sedge_allocate(&values, size, sizeof *values));
    CHECK_OK(sedge_array_get(x, values));
    for (int64_t i = 0; i < size; i++) wrong += values[i] != (int32_t)i + 8;
    CHECK(wrong == 0);
    sedge_release(values);
    sedge_array_free(x);
}

int main(void)
{
    sedge_context *const context = case_open();

    test_contiguous(context);
    test_mixed_sizes(context);
    test_strided(context);
    test_strided_target(context);
    test_strided_in_place(context);
    test_iterations(context);
    test_snippet(context);
    test_snippet_index(context);
    test_snippet_refusals(context);
    test_no_allocation(context);
    if (!sedge_device_get_info(sedge_context_device(context))->random_order) test_tuned(context);
    case_close(context);
    return CHECK_END();
}
