// Expressions: types, shapes, plain numbers, the text they become, what is refused.
#include "array_case.h"
#include "elementwise/analysis.h"

typedef struct world {
    sedge_context *context;
    sedge_array *of[SEDGE_TYPES]; // [2, 3], values 0..5
} world;

static void check_type(sedge_expression *expression, sedge_type wanted, const char *text)
{
    sedge_analysis analysis;

    CHECK_OK(sedge_expression_prepare(&analysis, expression));
    if (analysis.expression == NULL) return;
    CHECK_OK(sedge_analysis_write(&analysis));
    CHECK(analysis.type == wanted);
    if (text != NULL && strcmp(sedge_text_get(analysis.text), text) != 0) {
        check_failures++;
        (void)fprintf(stderr, "  text '%s', not '%s'\n", sedge_text_get(analysis.text), text);
    }
    sedge_analysis_free(&analysis);
}

static sedge_expression *use(const world *w, sedge_type type)
{
    return sedge_use(w->of[type]);
}

static void test_text(const world *w)
{
    check_type(sedge_add(sedge_multiply(sedge_number(2.0), use(w, SEDGE_FLOAT32)),
                         sedge_sin(use(w, SEDGE_FLOAT32))),
               SEDGE_FLOAT32, "((leaf1 * leaf0) + sinf(leaf0))"); // one leaf for both
    check_type(sedge_add(use(w, SEDGE_INT8), use(w, SEDGE_UINT8)), SEDGE_INT16,
               "sedge_add_i16(((short)leaf0), ((short)leaf1))");
    check_type(sedge_divide(use(w, SEDGE_INT8), use(w, SEDGE_INT8)), SEDGE_FLOAT64,
               "(((double)leaf0) / ((double)leaf0))");
    check_type(sedge_less(use(w, SEDGE_INT64), use(w, SEDGE_UINT64)), SEDGE_UINT8,
               "(unsigned char)sedge_less_iu(leaf0, leaf1)");
    check_type(sedge_multiply(use(w, SEDGE_FLOAT32), use(w, SEDGE_COMPLEX64)), SEDGE_COMPLEX64,
               "sedge_multiply_c64(sedge_make_c64((float)leaf0, 0), leaf1)");
    check_type(sedge_not(use(w, SEDGE_COMPLEX128)), SEDGE_UINT8,
               "(unsigned char)!sedge_true_c128(leaf0)");
    check_type(sedge_convert(use(w, SEDGE_COMPLEX128), SEDGE_UINT8), SEDGE_UINT8,
               "(unsigned char)(int)leaf0.re");
}

// As numpy 2 (NEP 50): Python's numbers never widen a type of their kind.
static void test_plain_numbers(const world *w)
{
    check_type(sedge_add(use(w, SEDGE_FLOAT32), sedge_number(1e300)), SEDGE_FLOAT32, NULL);
    check_type(sedge_add(use(w, SEDGE_INT8), sedge_integer(100)), SEDGE_INT8, NULL);
    check_type(sedge_add(use(w, SEDGE_INT8), sedge_number(1.0)), SEDGE_FLOAT64, NULL);
    check_type(sedge_add(use(w, SEDGE_UINT64), sedge_integer(1)), SEDGE_UINT64, NULL);
    check_type(sedge_add(use(w, SEDGE_FLOAT32), sedge_complex(0.0, 1.0)), SEDGE_COMPLEX64, NULL);
    check_type(sedge_add(use(w, SEDGE_FLOAT64), sedge_complex(0.0, 1.0)), SEDGE_COMPLEX128, NULL);
    check_type(sedge_add(use(w, SEDGE_INT16), sedge_complex(0.0, 1.0)), SEDGE_COMPLEX128, NULL);
    check_type(sedge_add(use(w, SEDGE_COMPLEX64), sedge_number(1.0)), SEDGE_COMPLEX64, NULL);
    // Numbers among themselves stay numbers.
    check_type(
        sedge_add(use(w, SEDGE_FLOAT32), sedge_multiply(sedge_number(2.0), sedge_integer(3))),
        SEDGE_FLOAT32, NULL);
    check_type(sedge_multiply(use(w, SEDGE_INT16), sedge_less(sedge_number(2.0), sedge_integer(3))),
               SEDGE_INT16, NULL);
    check_type(sedge_multiply(use(w, SEDGE_INT16), sedge_square_root(sedge_integer(3))),
               SEDGE_FLOAT64, NULL);
    check_type(sedge_multiply(use(w, SEDGE_FLOAT32), sedge_absolute(sedge_complex(3.0, 4.0))),
               SEDGE_FLOAT32, NULL);
    // A conversion makes a number an array's equal.
    check_type(sedge_add(use(w, SEDGE_FLOAT32), sedge_convert(sedge_number(1.0), SEDGE_FLOAT64)),
               SEDGE_FLOAT64, NULL);
    check_type(sedge_where(use(w, SEDGE_UINT8), use(w, SEDGE_FLOAT32), sedge_number(0.0)),
               SEDGE_FLOAT32, "(leaf0 ? leaf1 : leaf2)");
}

static void test_kinds(const world *w)
{
    check_type(sedge_square_root(use(w, SEDGE_INT8)), SEDGE_FLOAT32, NULL); // numpy: float16
    check_type(sedge_square_root(use(w, SEDGE_UINT16)), SEDGE_FLOAT32, NULL);
    check_type(sedge_square_root(use(w, SEDGE_INT32)), SEDGE_FLOAT64, NULL);
    check_type(sedge_arctan2(use(w, SEDGE_INT16), use(w, SEDGE_UINT16)), SEDGE_FLOAT32, NULL);
    check_type(sedge_hypot(use(w, SEDGE_INT64), use(w, SEDGE_FLOAT32)), SEDGE_FLOAT64, NULL);
    check_type(sedge_divide(use(w, SEDGE_INT8), use(w, SEDGE_FLOAT32)), SEDGE_FLOAT32, NULL);
    check_type(sedge_absolute(use(w, SEDGE_COMPLEX64)), SEDGE_FLOAT32, NULL);
    check_type(sedge_imaginary_of(use(w, SEDGE_COMPLEX128)), SEDGE_FLOAT64, "leaf0.im");
    check_type(sedge_imaginary_of(use(w, SEDGE_INT32)), SEDGE_INT32, NULL);
    check_type(sedge_floor(use(w, SEDGE_INT16)), SEDGE_INT16, "leaf0");
    check_type(sedge_is_nan(use(w, SEDGE_FLOAT32)), SEDGE_UINT8, NULL);
    check_type(sedge_and(use(w, SEDGE_FLOAT32), use(w, SEDGE_COMPLEX64)), SEDGE_UINT8, NULL);
}

// Bytes of the text of an operation whose first operand is such an operation, and so on.
static size_t measure_nested(const world *w, sedge_expression *(*make)(SEDGE_OPERANDS_2), int depth,
                             sedge_type first, sedge_type second)
{
    sedge_expression *nested = use(w, first);
    sedge_analysis analysis;
    size_t bytes = 0;

    for (int k = 0; k < depth; k++) nested = sedge_convert(make(nested, use(w, second)), first);
    CHECK_OK(sedge_expression_prepare(&analysis, nested));
    CHECK_OK(sedge_analysis_write(&analysis));
    if (analysis.text != NULL) bytes = sedge_text_length(analysis.text);
    sedge_analysis_free(&analysis);
    return bytes;
}

// Text grows by the same for each operation: no operand stands in it twice.
static void test_text_grows_evenly(const world *w)
{
    static sedge_expression *(*const binary[])(SEDGE_OPERANDS_2) = {
        sedge_add,        sedge_subtract, sedge_multiply,      sedge_divide,  sedge_floor_divide,
        sedge_remainder,  sedge_power,    sedge_minimum,       sedge_maximum, sedge_less,
        sedge_less_equal, sedge_greater,  sedge_greater_equal, sedge_equal,   sedge_not_equal,
        sedge_and,        sedge_or};
    static const sedge_type pairs[][2] = {{SEDGE_INT64, SEDGE_UINT64},
                                          {SEDGE_UINT64, SEDGE_INT64},
                                          {SEDGE_UINT8, SEDGE_INT16},
                                          {SEDGE_FLOAT32, SEDGE_FLOAT64}};

    for (size_t k = 0; k < sizeof binary / sizeof binary[0]; k++) {
        for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
            const size_t four = measure_nested(w, binary[k], 4, pairs[p][0], pairs[p][1]);
            const size_t eight = measure_nested(w, binary[k], 8, pairs[p][0], pairs[p][1]);
            const size_t twelve = measure_nested(w, binary[k], 12, pairs[p][0], pairs[p][1]);
            CHECK(four > 4 && eight > four && twelve - eight == eight - four);
        }
    }
}

static void check_refused(sedge_expression *expression, const char *message)
{
    sedge_array *array = NULL;

    CHECK_FAILS(sedge_array_evaluate(&array, expression), SEDGE_ERR_USAGE, message);
    CHECK(array == NULL);
}

static void test_refusals(const world *w)
{
    check_refused(sedge_bit_and(use(w, SEDGE_FLOAT32), use(w, SEDGE_INT8)),
                  "the operation 'bit_and' does not exist for float32");
    check_refused(sedge_less(use(w, SEDGE_COMPLEX64), use(w, SEDGE_INT8)),
                  "the operation 'less' does not exist for complex64");
    check_refused(sedge_shift_left(use(w, SEDGE_INT64), use(w, SEDGE_UINT64)),
                  "the operation 'shift_left' does not exist for float64");
    check_refused(sedge_add(use(w, SEDGE_UINT8), sedge_integer(256)),
                  "the number 256 does not fit into uint8");
    check_refused(sedge_add(use(w, SEDGE_UINT64), sedge_integer(-1)),
                  "the number -1 does not fit into uint64");
    check_refused(sedge_sin(sedge_number(1.0)), "an expression without an array");
    check_refused(sedge_sin(sedge_use(NULL)), "uses an array that was not created: NULL");
}

// One tree in two places is refused, and freed once.
static void test_used_twice(const world *w)
{
    const char *const twice = "an expression is used twice";
    sedge_expression *const x = use(w, SEDGE_FLOAT64);
    sedge_expression *const y = sedge_exp(use(w, SEDGE_FLOAT64));
    sedge_analysis analysis;

    check_refused(sedge_multiply(x, x), twice);
    sedge_expression *const whole = sedge_square_root(y);
    CHECK_FAILS(sedge_expression_prepare(&analysis, y), SEDGE_ERR_USAGE, "a part of another");
    check_refused(sedge_where(use(w, SEDGE_INT8), y, sedge_number(1.0)), twice);
    CHECK_OK(sedge_expression_prepare(&analysis, whole));
    sedge_analysis_free(&analysis);
}

static void test_shapes(const world *w)
{
    sedge_array *const row = CASE_COUNT(w->context, SEDGE_FLOAT32, (3));
    sedge_array *const column = CASE_COUNT(w->context, SEDGE_FLOAT32, (2, 1));
    sedge_array *const four = CASE_COUNT(w->context, SEDGE_FLOAT32, (4));
    sedge_array *const empty = CASE_ARRAY(w->context, SEDGE_FLOAT32, NULL, (0, 1));
    sedge_array *sum = NULL;

    CHECK_OK(sedge_array_evaluate(&sum, sedge_add(sedge_use(row), sedge_use(column))));
    CHECK(CASE_HAS_SHAPE(sum, (2, 3)) && CASE_EQUALS(sum, 0, 1, 2, 1, 2, 3));
    sedge_array_free(sum);
    CHECK_OK(sedge_array_evaluate(&sum, sedge_add(sedge_use(row), sedge_use(empty))));
    CHECK(CASE_HAS_SHAPE(sum, (0, 3)));
    sedge_array_free(sum);
    check_refused(sedge_add(use(w, SEDGE_FLOAT32), sedge_use(four)),
                  "shapes (2, 3) and (4,) do not broadcast");
    CHECK_FAILS(sedge_array_assign(row, use(w, SEDGE_FLOAT32)), SEDGE_ERR_USAGE,
                "shape (2, 3) does not broadcast to the array's (3,)");
    CHECK_FAILS(sedge_array_assign(row, sedge_use(four)), SEDGE_ERR_USAGE,
                "shape (4,) does not broadcast to the array's (3,)");
    sedge_array_free(row);
    sedge_array_free(column);
    sedge_array_free(four);
    sedge_array_free(empty);
}

static void test_two_contexts(const world *w)
{
    sedge_context *other = NULL;

    CHECK_OK(sedge_context_create(&other, sedge_context_device(w->context),
                                  sedge_context_cache(w->context)));
    sedge_array *const x = CASE_COUNT(other, SEDGE_FLOAT32, (3));
    check_refused(sedge_add(use(w, SEDGE_FLOAT32), sedge_use(x)),
                  "an expression of arrays of two contexts");
    CHECK_FAILS(sedge_array_assign(x, use(w, SEDGE_FLOAT32)), SEDGE_ERR_USAGE, "of another");
    sedge_array_free(x);
    sedge_context_free(other);
}

static void test_limits(const world *w)
{
    sedge_expression *many = use(w, SEDGE_FLOAT64);
    sedge_expression *deep = use(w, SEDGE_FLOAT64);
    sedge_array *result = NULL;

    for (int i = 0; i < SEDGE_LEAVES; i++) many = sedge_add(many, sedge_number(i));
    check_refused(many, "more than 24 arrays and numbers");
    for (int i = 0; i < 300; i++) deep = sedge_negative(deep);
    check_refused(deep, "more than 256 operations");
    many = use(w, SEDGE_FLOAT64); // one array and 23 numbers are fine, and 255 operations
    for (int i = 1; i < SEDGE_LEAVES; i++) many = sedge_add(many, sedge_integer(i));
    for (int i = 2 * SEDGE_LEAVES; i < 256; i++) many = sedge_negative(many);
    CHECK_OK(sedge_array_evaluate(&result, many));
    CHECK(CASE_EQUALS(result, 276, 277, 278, 279, 280, 281)); // 1 + .. + 23 = 276
    sedge_array_free(result);
    check_refused(sedge_add(use(w, SEDGE_INT8), sedge_use(NULL)), "not created: NULL");
    check_refused(sedge_use(NULL), "not created: NULL");
    // Out of memory while building: nothing is lost, and evaluating says so.
    CHECK_FAILS(sedge_array_evaluate(&result, sedge_add(use(w, SEDGE_INT8), NULL)),
                SEDGE_ERR_MEMORY, "an expression or an operand is NULL: memory ran out");
    sedge_expression_free(sedge_sin(use(w, SEDGE_INT8)));
    sedge_expression_free(NULL);
}

// Integers that fit no common type are compared by value; numpy 2 does so, too.
static void test_comparing_by_value(const world *w)
{
    const int64_t with_sign[4] = {-1, INT64_MIN, INT64_MAX, 5};
    const uint64_t without[4] = {UINT64_MAX, (uint64_t)1 << 63, (uint64_t)INT64_MAX, 5};
    sedge_array *const a = CASE_ARRAY(w->context, SEDGE_INT64, with_sign, (4));
    sedge_array *const b = CASE_ARRAY(w->context, SEDGE_UINT64, without, (4));
    sedge_array *const c = CASE_COUNT(w->context, SEDGE_UINT8, (3));
    const struct {
        sedge_expression *expression;
        double wanted[4];
    } cases[] = {
        {sedge_less(sedge_use(a), sedge_use(b)), {1, 1, 0, 0}},
        {sedge_less_equal(sedge_use(a), sedge_use(b)), {1, 1, 1, 1}},
        {sedge_greater(sedge_use(a), sedge_use(b)), {0, 0, 0, 0}},
        {sedge_greater_equal(sedge_use(a), sedge_use(b)), {0, 0, 1, 1}},
        {sedge_equal(sedge_use(a), sedge_use(b)), {0, 0, 1, 1}},
        {sedge_not_equal(sedge_use(a), sedge_use(b)), {1, 1, 0, 0}},
        {sedge_less(sedge_use(b), sedge_use(a)), {0, 0, 0, 0}},
        {sedge_less_equal(sedge_use(b), sedge_use(a)), {0, 0, 1, 1}},
        {sedge_greater(sedge_use(b), sedge_use(a)), {1, 1, 0, 0}},
        {sedge_greater_equal(sedge_use(b), sedge_use(a)), {1, 1, 1, 1}},
        {sedge_equal(sedge_use(b), sedge_use(a)), {0, 0, 1, 1}},
        {sedge_not_equal(sedge_use(b), sedge_use(a)), {1, 1, 0, 0}},
        {sedge_greater(sedge_use(b), sedge_integer(-1)), {1, 1, 1, 1}},
        {sedge_less(sedge_integer(-1), sedge_use(b)), {1, 1, 1, 1}},
    };
    sedge_array *result = NULL;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(sedge_array_evaluate(&result, cases[i].expression));
        CHECK(case_equals(result, 4, cases[i].wanted));
        sedge_array_free(result);
    }
    CHECK_OK(sedge_array_evaluate(&result, sedge_less(sedge_use(c), sedge_integer(300))));
    CHECK(CASE_EQUALS(result, 1, 1, 1));
    sedge_array_free(result);
    sedge_array_free(a);
    sedge_array_free(b);
    sedge_array_free(c);
}

// Keys tell apart what needs other kernels, and only that.
static void test_keys(const world *w)
{
    sedge_analysis one;
    sedge_analysis two;
    sedge_expression *const same[2] = {sedge_add(use(w, SEDGE_INT8), sedge_integer(1)),
                                       sedge_add(use(w, SEDGE_INT8), sedge_integer(2))};
    sedge_expression *const other[4] = {
        sedge_add(sedge_integer(1), use(w, SEDGE_INT8)),
        sedge_subtract(use(w, SEDGE_INT8), sedge_integer(1)),
        sedge_add(use(w, SEDGE_INT16), sedge_integer(1)),
        sedge_add(use(w, SEDGE_INT8), sedge_number(1)),
    };

    CHECK_OK(sedge_expression_prepare(&one, same[0]));
    CHECK_OK(sedge_expression_prepare(&two, same[1]));
    CHECK(one.key_bytes == two.key_bytes);
    CHECK(memcmp(one.key, two.key, (size_t)one.key_bytes) == 0);
    sedge_analysis_free(&two);
    for (int k = 0; k < 4; k++) {
        CHECK_OK(sedge_expression_prepare(&two, other[k]));
        CHECK(one.key_bytes != two.key_bytes ||
              memcmp(one.key, two.key, (size_t)one.key_bytes) != 0);
        sedge_analysis_free(&two);
    }
    sedge_analysis_free(&one);
}

int main(void)
{
    world w = {.context = case_open()};

    for (int t = 0; t < SEDGE_TYPES; t++) w.of[t] = CASE_COUNT(w.context, (sedge_type)t, (2, 3));
    test_text(&w);
    test_plain_numbers(&w);
    test_kinds(&w);
    test_text_grows_evenly(&w);
    test_refusals(&w);
    test_used_twice(&w);
    test_shapes(&w);
    test_two_contexts(&w);
    test_limits(&w);
    test_comparing_by_value(&w);
    test_keys(&w);
    for (int t = 0; t < SEDGE_TYPES; t++) sedge_array_free(w.of[t]);
    case_close(w.context);
    return CHECK_END();
}
