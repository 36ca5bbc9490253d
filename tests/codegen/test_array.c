// Arrays: making, host memory, copies, views.
#include "array_case.h"

#include "reduce/reduce.h"

static const sedge_slice whole = {SEDGE_SLICE_END, SEDGE_SLICE_END, 1};

static void test_types(void)
{
    CHECK(strcmp(sedge_type_name(SEDGE_COMPLEX64), "complex64") == 0);
    CHECK(strcmp(sedge_type_word(SEDGE_UINT64), "sedge_uint64") == 0);
    CHECK(sedge_type_bytes(SEDGE_COMPLEX128) == 16 && sedge_type_bytes(SEDGE_INT16) == 2);
    CHECK(sedge_type_is_complex(SEDGE_COMPLEX64) && !sedge_type_is_complex(SEDGE_FLOAT64));
    CHECK(sedge_type_is_integer(SEDGE_UINT64) && !sedge_type_is_integer(SEDGE_FLOAT32));
}

static void test_host_memory(sedge_context *context)
{
    const double given[6] = {1.0, -2.0, 3.5, 0.0, 5.0, 6.0};
    sedge_array *const x = CASE_ARRAY(context, SEDGE_FLOAT64, given, (2, 3));
    double *pinned = NULL;
    double values[6];

    CHECK(sedge_array_type(x) == SEDGE_FLOAT64 && CASE_HAS_SHAPE(x, (2, 3)));
    CHECK(sedge_array_size(x) == 6 && sedge_array_is_contiguous(x));
    CHECK(sedge_array_stride(x)[0] == 3 && sedge_array_stride(x)[1] == 1);
    CHECK(sedge_array_context(x) == context);
    CHECK_OK(sedge_array_get(x, values));
    CHECK(memcmp(values, given, sizeof given) == 0);
    CHECK_OK(sedge_pinned_allocate(&pinned, sedge_context_device(context), sizeof given));
    for (int i = 0; i < 6; i++) pinned[i] = -given[i];
    CHECK_OK(sedge_array_set_async(x, pinned, NULL));
    CHECK_OK(sedge_context_wait(context));
    memset(pinned, 0, sizeof given);
    CHECK_OK(sedge_array_get_async(x, pinned, NULL));
    CHECK_OK(sedge_context_wait(context));
    for (int i = 0; i < 6; i++) CHECK(pinned[i] == -given[i]);
    sedge_pinned_release(sedge_context_device(context), pinned);
    sedge_array_free(x);
}

static void test_empty(sedge_context *context)
{
    sedge_array *const x = CASE_ARRAY(context, SEDGE_FLOAT32, NULL, (3, 0, 2));
    sedge_array *y = NULL;
    sedge_array *number = NULL;
    float value = 0.0f;

    CHECK(sedge_array_size(x) == 0 && sedge_array_address(x) == 0);
    CHECK(sedge_array_is_contiguous(x));
    CHECK_OK(sedge_array_set(x, NULL));
    CHECK_OK(sedge_array_get(x, NULL));
    CHECK_OK(sedge_array_fill(x, 1.0));
    CHECK_OK(sedge_array_evaluate(&y, sedge_sin(sedge_use(x))));
    CHECK(CASE_HAS_SHAPE(y, (3, 0, 2)));
    CHECK_OK(sedge_array_copy(x, y));
    CHECK_OK(sedge_array_create(&number, context, SEDGE_FLOAT32, 0, NULL)); // one number
    CHECK(sedge_array_size(number) == 1);
    CHECK_OK(sedge_array_fill(number, 2.5));
    CHECK_OK(sedge_array_get(number, &value));
    CHECK(value == 2.5f);
    sedge_array_free(x);
    sedge_array_free(y);
    sedge_array_free(number);
}

// Sizes of 0 beside large ones: as with numpy, the others' product must fit, and then the array is
// empty. A sanitizer says what overflows.
static void test_empty_and_large(sedge_context *context)
{
    const int64_t large = (int64_t)1 << 40, half = (int64_t)1 << 30;
    const int64_t refused[][3] = {{large, large, 0}, {0, large, large}, {large, 0, large}};
    const int64_t shape[] = {half, 0, half};
    sedge_array *x = NULL, *y = NULL, *turned = NULL, *part = NULL, *sum = NULL;

    for (int k = 0; k < 3; k++) {
        CHECK_FAILS(sedge_array_create(&x, context, SEDGE_FLOAT32, 3, refused[k]), SEDGE_ERR_MEMORY,
                    "is too large");
    }
    CHECK_OK(sedge_array_create(&x, context, SEDGE_FLOAT32, 3, shape));
    CHECK(sedge_array_size(x) == 0 && sedge_array_is_contiguous(x));
    CHECK_OK(sedge_array_transpose(&turned, x, NULL));
    CHECK_OK(sedge_array_fill(turned, 1.0));
    CHECK_OK(sedge_array_evaluate(&y, sedge_add(sedge_use(x), sedge_sin(sedge_use(turned)))));
    CHECK(CASE_HAS_SHAPE(y, (half, 0, half)));
    CHECK_OK(sedge_array_slice(&part, x, (const sedge_slice[]){{5, 9, 2}, {0, 0, 1}, {7, 3, -1}}));
    CHECK(CASE_HAS_SHAPE(part, (2, 0, 4)));
    CHECK_OK(sedge_array_reduce(&sum, SEDGE_SUM, sedge_use(part), 1));
    CHECK(CASE_EQUALS(sum, 0, 0, 0, 0, 0, 0, 0, 0));
    sedge_array_free(sum);
    CHECK_FAILS(sedge_array_reshape(&sum, part, 3, (const int64_t[]){0, large, large}),
                SEDGE_ERR_MEMORY, "is too large");
    CHECK_FAILS(sedge_array_reshape(&sum, part, 2, (const int64_t[]){-1, 0}), SEDGE_ERR_USAGE,
                "shape (2, 0, 4) cannot take the shape (-1, 0)"); // any number would do
    CHECK_OK(sedge_array_reshape(&sum, part, 2, (const int64_t[]){-1, 4}));
    CHECK(CASE_HAS_SHAPE(sum, (0, 4)));
    sedge_array_free(sum);
    sedge_array_free(part);
    sedge_array_free(turned);
    sedge_array_free(y);
    sedge_array_free(x);
}

// Empty parts of one array share nothing; and few numbers that are repeated have no size that
// cannot be counted.
static void test_empty_parts(sedge_context *context)
{
    const int64_t large = (int64_t)1 << 40;
    sedge_array *const x = CASE_COUNT(context, SEDGE_FLOAT32, (4, 3));
    sedge_array *none = NULL, *other = NULL, *row = NULL, *column = NULL, *sum = NULL;

    CHECK_OK(sedge_array_slice(&none, x, (const sedge_slice[]){{1, 1, 1}, {0, 3, 1}}));
    CHECK_OK(
        sedge_array_slice(&other, x, (const sedge_slice[]){{2, 2, 1}, {2, SEDGE_SLICE_END, -1}}));
    CHECK_OK(sedge_array_copy(none, other));
    CHECK(CASE_EQUALS(x, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    sedge_array_free(none);
    sedge_array_free(other);
    CHECK_OK(sedge_array_slice(&none, x, (const sedge_slice[]){{0, 1, 1}, {0, 1, 1}}));
    CHECK_OK(sedge_array_broadcast(&row, none, 2, (const int64_t[]){1, large}));
    CHECK_OK(sedge_array_broadcast(&column, none, 2, (const int64_t[]){large, 1}));
    CHECK_FAILS(sedge_array_reduce(&sum, SEDGE_SUM, sedge_add(sedge_use(row), sedge_use(column)),
                                   SEDGE_ALL_AXES),
                SEDGE_ERR_MEMORY, "shape (1099511627776, 1099511627776) is too large");
    CHECK(sum == NULL);
    sedge_array_free(row);
    sedge_array_free(column);
    sedge_array_free(none);
    sedge_array_free(x);
}

static void test_wrap(sedge_context *context)
{
    sedge_buffer *buffer = NULL;
    sedge_array *x = NULL;
    float values[64] = {0.0f};

    CHECK_OK(sedge_buffer_create(&buffer, sedge_context_device(context), sizeof values));
    CHECK_OK(sedge_array_wrap(&x, context, SEDGE_FLOAT32, 1, CASE_SHAPE(10), buffer, 20));
    CHECK(sedge_array_address(x) == sedge_buffer_address(buffer) + 20);
    CHECK_OK(sedge_array_range(x, 1.0, 1.0));
    CHECK_OK(sedge_context_wait(context));
    CHECK_OK(sedge_buffer_download(buffer, 0, values, sizeof values, NULL));
    CHECK(values[4] == 0.0f && values[5] == 1.0f && values[14] == 10.0f && values[15] == 0.0f);
    sedge_array_free(x);
    CHECK_FAILS(sedge_array_wrap(&x, context, SEDGE_FLOAT32, 1, CASE_SHAPE(61), buffer, 16),
                SEDGE_ERR_USAGE, "244 bytes at offset 16 does not lie in a buffer of 256 bytes");
    CHECK_FAILS(sedge_array_wrap(&x, context, SEDGE_FLOAT64, 1, CASE_SHAPE(2), buffer, 4),
                SEDGE_ERR_USAGE, "offset 4 is no multiple of the 8 bytes of float64");
    CHECK(x == NULL);
    sedge_buffer_free(buffer);
}

static void test_bad_shapes(sedge_context *context)
{
    const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    sedge_array *x = NULL;

    CHECK_FAILS(sedge_array_create(&x, context, SEDGE_INT8, 9, nine), SEDGE_ERR_USAGE,
                "an array of 9 dimensions: 0..8 are allowed");
    CHECK_FAILS(sedge_array_create(&x, context, SEDGE_INT8, 2, CASE_SHAPE(3, -1)), SEDGE_ERR_USAGE,
                "size -1 of dimension 1 is negative");
    CHECK_FAILS(sedge_array_create(&x, context, SEDGE_INT16, 2,
                                   CASE_SHAPE((int64_t)1 << 40, (int64_t)1 << 40)),
                SEDGE_ERR_MEMORY, "shape (1099511627776, 1099511627776) is too large");
    // As a count it fits, its bytes would be 0 in 64 bits.
    CHECK_FAILS(sedge_array_create(&x, context, SEDGE_FLOAT64, 1, CASE_SHAPE((int64_t)1 << 61)),
                SEDGE_ERR_MEMORY, "shape (2305843009213693952,) is too large");
    CHECK(x == NULL);
}

static void test_fill(sedge_context *context)
{
    sedge_array *const bytes = CASE_ARRAY(context, SEDGE_UINT8, NULL, (5));
    sedge_array *const numbers = CASE_ARRAY(context, SEDGE_COMPLEX64, NULL, (3));
    sedge_array *const large = CASE_ARRAY(context, SEDGE_UINT64, NULL, (2));
    float values[6];
    uint64_t words[2];

    CHECK_OK(sedge_array_fill(bytes, 255.0));
    CHECK(CASE_EQUALS(bytes, 255.0, 255.0, 255.0, 255.0, 255.0));
    CHECK_FAILS(sedge_array_fill(bytes, 256.0), SEDGE_ERR_USAGE,
                "the number 256 does not fit into uint8");
    CHECK_FAILS(sedge_array_fill(bytes, -1.0), SEDGE_ERR_USAGE, "-1 does not fit into uint8");
    CHECK_FAILS(sedge_array_fill(bytes, (double)NAN), SEDGE_ERR_USAGE, "does not fit into uint8");
    CHECK_OK(sedge_array_range(numbers, 1.5, -0.5));
    CHECK_OK(sedge_array_get(numbers, values));
    CHECK(values[0] == 1.5f && values[1] == 0.0f && values[4] == 0.5f && values[5] == 0.0f);
    CHECK_OK(sedge_array_fill(large, 0x1p63));
    CHECK_OK(sedge_array_get(large, words));
    CHECK(words[0] == (uint64_t)1 << 63 && words[1] == words[0]);
    sedge_array_free(bytes);
    sedge_array_free(numbers);
    sedge_array_free(large);
}

static void test_slices(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_INT32, (10));
    static const struct {
        sedge_slice slice;
        int count;
        double wanted[10];
    } cases[] = {
        // As Python's list(range(10))[start:stop:step].
        {{2, 5, 1}, 3, {2, 3, 4}},
        {{-3, SEDGE_SLICE_END, 1}, 3, {7, 8, 9}},
        {{SEDGE_SLICE_END, -7, 1}, 3, {0, 1, 2}},
        {{1, 100, 3}, 3, {1, 4, 7}},
        {{SEDGE_SLICE_END, SEDGE_SLICE_END, -4}, 3, {9, 5, 1}},
        {{7, 2, -2}, 3, {7, 5, 3}},
        {{-100, 100, 9}, 2, {0, 9}},
        {{3, 3, 1}, 0, {0}},
        {{5, 2, 1}, 0, {0}},
        {{100, 1000, 1}, 0, {0}},
        {{2, 5, -1}, 0, {0}},
        {{100, -100, -5}, 2, {9, 4}},
        {{0, SEDGE_SLICE_END, INT64_MAX}, 1, {0}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sedge_array *view = NULL;
        CHECK_OK(sedge_array_slice(&view, x, &cases[i].slice));
        CHECK(case_equals(view, cases[i].count, cases[i].wanted));
        sedge_array_free(view);
    }
    sedge_array *view = NULL;
    CHECK_FAILS(sedge_array_slice(&view, x, &(sedge_slice){0, 5, 0}), SEDGE_ERR_USAGE,
                "a slice of dimension 0 with step 0");
    CHECK(view == NULL);
    sedge_array_free(x);
}

// Strided arrays to and from host memory, which is in C order.
static void test_strided_memory(sedge_context *context)
{
    const sedge_slice slices[2] = {{SEDGE_SLICE_END, SEDGE_SLICE_END, -1}, {1, 4, 2}};
    const int32_t given[6] = {10, 20, 30, 40, 50, 60};
    sedge_array *const x = CASE_COUNT(context, SEDGE_INT32, (3, 4));
    sedge_array *view = NULL;
    int32_t values[6];

    CHECK_OK(sedge_array_slice(&view, x, slices));
    CHECK(CASE_HAS_SHAPE(view, (3, 2)) && !sedge_array_is_contiguous(view));
    CHECK(sedge_array_stride(view)[0] == -4 && sedge_array_stride(view)[1] == 2);
    CHECK_OK(sedge_array_get(view, values));
    CHECK(values[0] == 9 && values[1] == 11 && values[2] == 5 && values[5] == 3);
    CHECK_OK(sedge_array_set(view, given));
    CHECK(CASE_EQUALS(x, 0, 50, 2, 60, 4, 30, 6, 40, 8, 10, 10, 20));
    CHECK_FAILS(sedge_array_get_async(view, values, NULL), SEDGE_ERR_USAGE,
                "takes contiguous arrays; this one has shape (3, 2) and strides (-4, 2)");
    sedge_array_free(view);
    sedge_array_free(x);
}

static void test_at(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_INT16, (2, 3));
    sedge_array *row = NULL;
    sedge_array *column = NULL;
    sedge_array *number = NULL;
    sedge_array *none = NULL;

    CHECK_OK(sedge_array_at(&row, x, 0, -1));
    CHECK(CASE_EQUALS(row, 3, 4, 5));
    CHECK_OK(sedge_array_at(&column, x, 1, 1));
    CHECK(CASE_EQUALS(column, 1, 4));
    CHECK_OK(sedge_array_at(&number, row, 0, 2));
    CHECK(sedge_array_dimensions(number) == 0);
    CHECK_OK(sedge_array_fill(number, -7.0));
    CHECK(CASE_EQUALS(x, 0, 1, 2, 3, 4, -7));
    CHECK_FAILS(sedge_array_at(&none, x, 1, 3), SEDGE_ERR_USAGE,
                "index 3 is outside dimension 1 of size 3");
    CHECK_FAILS(sedge_array_at(&none, x, 0, -3), SEDGE_ERR_USAGE, "index -3 is outside");
    CHECK_FAILS(sedge_array_at(&none, x, 2, 0), SEDGE_ERR_USAGE, "dimension 2 is outside 0..1");
    CHECK(none == NULL);
    sedge_array_free(number);
    sedge_array_free(row);
    sedge_array_free(column);
    sedge_array_free(x);
}

static void test_transpose(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_FLOAT32, (2, 3));
    sedge_array *turned = NULL;
    sedge_array *none = NULL;

    CHECK_OK(sedge_array_transpose(&turned, x, NULL));
    CHECK(CASE_HAS_SHAPE(turned, (3, 2)) && CASE_EQUALS(turned, 0, 3, 1, 4, 2, 5));
    sedge_array_free(turned);
    CHECK_OK(sedge_array_transpose(&turned, x, (const int[]){0, 1}));
    CHECK(CASE_EQUALS(turned, 0, 1, 2, 3, 4, 5));
    sedge_array_free(turned);
    CHECK_FAILS(sedge_array_transpose(&none, x, (const int[]){1, 1}), SEDGE_ERR_USAGE,
                "dimension 1 occurs twice");
    CHECK_FAILS(sedge_array_transpose(&none, x, (const int[]){0, 2}), SEDGE_ERR_USAGE,
                "dimension 2 is outside 0..1");
    CHECK(none == NULL);
    sedge_array_free(x);
}

static void test_reshape(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_INT32, (4, 6));
    sedge_array *rows = NULL;
    sedge_array *view = NULL;

    CHECK_OK(sedge_array_reshape(&view, x, 3, CASE_SHAPE(2, -1, 3)));
    CHECK(CASE_HAS_SHAPE(view, (2, 4, 3)) && sedge_array_is_contiguous(view));
    sedge_array_free(view);
    CHECK_FAILS(sedge_array_reshape(&view, x, 2, CASE_SHAPE(5, 5)), SEDGE_ERR_USAGE,
                "an array of shape (4, 6) cannot take the shape (5, 5)");
    CHECK_FAILS(sedge_array_reshape(&view, x, 2, CASE_SHAPE(-1, 7)), SEDGE_ERR_USAGE,
                "cannot take the shape (-1, 7)");
    CHECK_FAILS(sedge_array_reshape(&view, x, 3, CASE_SHAPE(-1, 6, -1)), SEDGE_ERR_USAGE,
                "size -1 of dimension 2 is negative");
    // Every second row: rows can be split, not joined.
    CHECK_OK(sedge_array_slice(&rows, x, (const sedge_slice[]){{0, SEDGE_SLICE_END, 2}, whole}));
    CHECK_OK(sedge_array_reshape(&view, rows, 4, CASE_SHAPE(2, 3, 1, 2)));
    CHECK(CASE_EQUALS(view, 0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17));
    sedge_array_free(view);
    CHECK_FAILS(sedge_array_reshape(&view, rows, 1, CASE_SHAPE(12)), SEDGE_ERR_USAGE,
                "a view of shape (2, 6) with its strides has no view of shape (12,); copy it");
    CHECK(view == NULL);
    sedge_array_free(rows);
    sedge_array_free(x);
}

static void test_broadcast(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_INT32, (3, 1));
    sedge_array *view = NULL;
    sedge_array *none = NULL;

    CHECK_OK(sedge_array_broadcast(&view, x, 3, CASE_SHAPE(2, 3, 2)));
    CHECK(CASE_EQUALS(view, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2));
    CHECK_FAILS(sedge_array_fill(view, 1.0), SEDGE_ERR_USAGE,
                "a broadcast view of shape (2, 3, 2) cannot be written");
    CHECK_FAILS(sedge_array_broadcast(&none, x, 2, CASE_SHAPE(4, 4)), SEDGE_ERR_USAGE,
                "shape (3, 1) does not broadcast to (4, 4)");
    CHECK(none == NULL);
    sedge_array_free(view);
    sedge_array_free(x);
}

static void test_parts(sedge_context *context)
{
    const float given[6] = {1, 2, 3, 4, 5, 6};
    sedge_array *const z = CASE_ARRAY(context, SEDGE_COMPLEX64, given, (3));
    sedge_array *re = NULL;
    sedge_array *im = NULL;
    sedge_array *none = NULL;
    float values[6];

    CHECK_OK(sedge_array_real_part(&re, z));
    CHECK_OK(sedge_array_imaginary_part(&im, z));
    CHECK(sedge_array_type(re) == SEDGE_FLOAT32 && CASE_EQUALS(re, 1, 3, 5));
    CHECK_OK(sedge_array_copy(im, re)); // interleaved, not overlapping
    CHECK_OK(sedge_array_get(z, values));
    CHECK(values[1] == 1.0f && values[3] == 3.0f && values[4] == 5.0f && values[5] == 5.0f);
    CHECK_FAILS(sedge_array_real_part(&none, re), SEDGE_ERR_USAGE,
                "an array of float32 has no real and imaginary parts");
    sedge_array_free(re);
    sedge_array_free(im);
    sedge_array_free(z);
}

static void test_overlap(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_FLOAT32, (8));
    sedge_array *head = NULL;
    sedge_array *tail = NULL;
    sedge_array *even = NULL;
    sedge_array *odd = NULL;
    sedge_array *back = NULL;

    CHECK_OK(sedge_array_slice(&head, x, &(sedge_slice){0, 7, 1}));
    CHECK_OK(sedge_array_slice(&tail, x, &(sedge_slice){1, 8, 1}));
    CHECK_OK(sedge_array_slice(&even, x, &(sedge_slice){0, 8, 2}));
    CHECK_OK(sedge_array_slice(&odd, x, &(sedge_slice){1, 8, 2}));
    CHECK_OK(sedge_array_slice(&back, x, &(sedge_slice){SEDGE_SLICE_END, SEDGE_SLICE_END, -1}));
    CHECK_FAILS(sedge_array_copy(tail, head), SEDGE_ERR_USAGE,
                "of shape (7,), overlaps one that is read, of shape (7,)");
    CHECK_FAILS(sedge_array_copy(x, back), SEDGE_ERR_USAGE, "overlaps");
    CHECK_OK(sedge_array_copy(even, odd)); // no element of both
    CHECK(CASE_EQUALS(x, 1, 1, 3, 3, 5, 5, 7, 7));
    CHECK_OK(sedge_array_assign(tail, sedge_multiply(sedge_use(tail), sedge_number(2.0))));
    CHECK(CASE_EQUALS(x, 1, 2, 6, 6, 10, 10, 14, 14));
    // Elements in common, where steps differ.
    const struct {
        sedge_slice to, from;
    } pairs[] = {{{2, 0, -1}, {0, 2, 1}}, {{0, 4, 1}, {0, 8, 2}}, {{0, 8, 2}, {1, 5, 1}}};
    for (int i = 0; i < 3; i++) {
        sedge_array *to = NULL;
        sedge_array *from = NULL;
        CHECK_OK(sedge_array_slice(&to, x, &pairs[i].to));
        CHECK_OK(sedge_array_slice(&from, x, &pairs[i].from));
        CHECK_FAILS(sedge_array_copy(to, from), SEDGE_ERR_USAGE, "overlaps");
        sedge_array_free(to);
        sedge_array_free(from);
    }
    // From one address on, but of another size.
    sedge_buffer *buffer = NULL;
    sedge_array *narrow = NULL;
    sedge_array *wide = NULL;
    CHECK_OK(sedge_buffer_create(&buffer, sedge_context_device(context), 64));
    CHECK_OK(sedge_array_wrap(&narrow, context, SEDGE_FLOAT32, 1, (int64_t[]){8}, buffer, 0));
    CHECK_OK(sedge_array_wrap(&wide, context, SEDGE_FLOAT64, 1, (int64_t[]){8}, buffer, 0));
    CHECK_FAILS(sedge_array_assign(wide, sedge_use(narrow)), SEDGE_ERR_USAGE, "overlaps");
    sedge_array_free(narrow);
    sedge_array_free(wide);
    sedge_buffer_free(buffer);
    sedge_array_free(head);
    sedge_array_free(tail);
    sedge_array_free(even);
    sedge_array_free(odd);
    sedge_array_free(back);
    sedge_array_free(x);
}

static void test_convert(sedge_context *context)
{
    const double given[4] = {1.9, -1.9, 300.0, -0.0};
    sedge_array *const x = CASE_ARRAY(context, SEDGE_FLOAT64, given, (4));
    sedge_array *narrow = NULL;
    sedge_array *complex = NULL;
    double values[8];

    CHECK_OK(sedge_array_convert(&narrow, x, SEDGE_INT16));
    CHECK(CASE_EQUALS(narrow, 1, -1, 300, 0));
    CHECK_OK(sedge_array_convert(&complex, x, SEDGE_COMPLEX128));
    CHECK_OK(sedge_array_get(complex, values));
    CHECK(values[0] == 1.9 && values[1] == 0.0 && values[4] == 300.0);
    sedge_array_free(narrow);
    sedge_array_free(complex);
    sedge_array_free(x);
}

int main(void)
{
    sedge_context *const context = case_open();

    test_types();
    test_host_memory(context);
    test_empty(context);
    test_empty_and_large(context);
    test_empty_parts(context);
    test_wrap(context);
    test_bad_shapes(context);
    test_fill(context);
    test_slices(context);
    test_strided_memory(context);
    test_at(context);
    test_transpose(context);
    test_reshape(context);
    test_broadcast(context);
    test_parts(context);
    test_overlap(context);
    test_convert(context);
    case_close(context);
    return CHECK_END();
}
