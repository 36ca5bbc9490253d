// Reductions along every axis, of shapes that take each path of the kernel, of views, of
// expressions: against sums one by one on the host.
#include "reduce_kit.h"

// The elements of `array` along `axis`, one by one on the host, in the order of the result. Where
// the test is sampled, the sum or the place of the largest one, by turns.
static void check_axis(const sedge_array *array, const int32_t *host, int axis)
{
    static int calls = 0;
    const int turn = test_is_sampled() ? calls++ % 2 : -1; // 0: the sum alone, 1: the place alone
    const int dimensions = sedge_array_dimensions(array);
    const int64_t *const shape = sedge_array_shape(array);
    int64_t inner = 1, outer = 1;
    sedge_array *sum = NULL, *largest = NULL;

    for (int d = 0; d < axis; d++) outer *= shape[d];
    for (int d = axis + 1; d < dimensions; d++) inner *= shape[d];
    int64_t *const sums = room(outer * inner, 8);
    int64_t *const places = room(outer * inner, 8);

    if (turn != 1) {
        CHECK_OK(sedge_array_reduce(&sum, SEDGE_SUM, sedge_use(array), axis));
        CHECK(sedge_array_dimensions(sum) == dimensions - 1);
        CHECK(sedge_array_size(sum) == outer * inner);
        CHECK_OK(sedge_array_get(sum, sums));
    }
    if (turn != 0) {
        CHECK_OK(sedge_array_reduce(&largest, SEDGE_ARGMAX, sedge_use(array), axis));
        CHECK_OK(sedge_array_get(largest, places));
    }
    int wrong = 0;
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t c = 0; c < inner; c++) {
            const int32_t *const at = host + o * shape[axis] * inner + c;
            int64_t wanted = 0, place = 0;
            for (int64_t i = 0; i < shape[axis]; i++) {
                wanted += at[i * inner];
                if (at[i * inner] > at[place * inner]) place = i;
            }
            wrong += turn != 1 && sums[o * inner + c] != wanted;
            wrong += turn != 0 && places[o * inner + c] != place;
        }
    }
    CHECK(wrong == 0);
    if (wrong != 0) {
        (void)fprintf(stderr, "  axis %d of (%lld, %lld, %lld): %d of %lld\n", axis,
                      (long long)outer, (long long)shape[axis], (long long)inner, wrong,
                      (long long)outer * inner);
    }
    free(places);
    free(sums);
    sedge_array_free(largest);
    sedge_array_free(sum);
}

static void test_axes(sedge_context *context)
{
    static const int64_t shapes[][3] = {{1, 1, 1},     {7, 1, 9},     {1000, 3, 1},
                                        {70, 130, 2},  {2, 70, 130},  {40000, 3, 1},
                                        {1, 40000, 3}, {2, 5, 70000}, {5, 4097, 33}};

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s += is_slow() ? 2 : 1) {
        const int64_t *const shape = shapes[s];
        const int64_t n = shape[0] * shape[1] * shape[2];
        int32_t *const x = room(n, 4);
        sedge_array *array = NULL;

        for (int64_t i = 0; i < n; i++) x[i] = (int32_t)(scramble((uint64_t)i) % 2000003) - 1000000;
        CHECK_OK(sedge_array_from(&array, context, SEDGE_INT32, 3, shape, x));
        for (int axis = 0; axis < 3; axis++) check_axis(array, x, axis);
        sedge_array_free(array);
        free(x);
    }
}

// Views: every axis of a transposed, a stepped and reversed, and a shifted one, and all elements.
static void test_views(sedge_context *context)
{
    enum { A = 37, B = 66, C = 41 };
    static int32_t x[A][B][C], turned[C][B][A], stepped[A][B / 2][C];
    const int64_t shape[3] = {A, B, C};
    const sedge_slice slices[3] = {
        {0, SEDGE_SLICE_END, 1}, {SEDGE_SLICE_END, SEDGE_SLICE_END, -2}, {0, SEDGE_SLICE_END, 1}};
    sedge_array *array = NULL, *view = NULL;
    int64_t sum = 0, half = 0;

    for (int a = 0; a < A; a++) {
        for (int b = 0; b < B; b++) {
            for (int c = 0; c < C; c++) {
                x[a][b][c] =
                    (int32_t)(scramble(((uint64_t)a * B + (uint64_t)b) * C + (uint64_t)c) % 999);
                turned[c][b][a] = x[a][b][c];
                sum += x[a][b][c];
                if (b % 2 == 1) {
                    stepped[a][(B - 1 - b) / 2][c] = x[a][b][c];
                    half += x[a][b][c];
                }
            }
        }
    }
    CHECK_OK(sedge_array_from(&array, context, SEDGE_INT32, 3, shape, x));
    if (!test_is_sampled()) {
        CHECK_OK(sedge_array_transpose(&view, array, NULL));
        for (int axis = 0; axis < 3; axis++) check_axis(view, &turned[0][0][0], axis);
        CHECK(integer_of(reduced(SEDGE_SUM, view)) == sum);
        sedge_array_free(view);
    }
    CHECK_OK(sedge_array_slice(&view, array, slices));
    for (int axis = 0; axis < 3; axis++) check_axis(view, &stepped[0][0][0], axis);
    CHECK(integer_of(reduced(SEDGE_SUM, view)) == half);
    sedge_array_free(view);
    sedge_array_free(array);
}

// A start that is not aligned for wide loads, and one stride.
static void test_shifted(sedge_context *context)
{
    enum { N = 50001 };
    static int32_t x[N];
    static const sedge_slice slices[3] = {
        {1, SEDGE_SLICE_END, 1}, {4, SEDGE_SLICE_END, 1}, {2, SEDGE_SLICE_END, 3}};

    for (int i = 0; i < N; i++) x[i] = (int32_t)(scramble((uint64_t)i) % 1001) - 500;
    sedge_array *const array = vector_of(context, SEDGE_INT32, N, x);
    for (int s = 0; s < 3; s++) {
        sedge_array *view = NULL;
        int64_t sum = 0, least = slices[s].start;
        for (int64_t i = slices[s].start; i < N; i += slices[s].step) {
            sum += x[i];
            if (x[i] < x[least]) least = i;
        }
        CHECK_OK(sedge_array_slice(&view, array, &slices[s]));
        CHECK(integer_of(reduced(SEDGE_SUM, view)) == sum);
        CHECK(integer_of(reduced(SEDGE_ARGMIN, view)) ==
              (least - slices[s].start) / slices[s].step);
        sedge_array_free(view);
    }
    sedge_array_free(array);
}

// Expressions of several arrays, broadcast, with numbers, of mixed types.
static void test_expressions(sedge_context *context)
{
    enum { A = 300, B = 1001 };
    static double x[A][B];
    static float y[B];
    static int16_t k[A];
    static double rows[A], columns[B], got[A + B];
    const int64_t shape[2] = {A, B}, tall[2] = {A, 1};
    sedge_array *a = NULL, *b = NULL, *c = NULL, *out = NULL;
    double sum = 0.0, most = 0.0;

    for (int j = 0; j < B; j++) y[j] = (float)some_number(j + 5);
    for (int i = 0; i < A; i++) k[i] = (int16_t)(i - 100);
    for (int i = 0; i < A; i++) {
        for (int j = 0; j < B; j++) {
            x[i][j] = some_number(i * B + j);
            const double value = 2.0 * x[i][j] + (double)y[j] * k[i];
            rows[i] += value;
            columns[j] += value;
            sum += value;
            most += fabs(value);
        }
    }
    CHECK_OK(sedge_array_from(&a, context, SEDGE_FLOAT64, 2, shape, x));
    b = vector_of(context, SEDGE_FLOAT32, B, y);
    CHECK_OK(sedge_array_from(&c, context, SEDGE_INT16, 2, tall, k));
#define EXPRESSION                                             \
    sedge_add(sedge_multiply(sedge_number(2.0), sedge_use(a)), \
              sedge_multiply(sedge_use(b), sedge_convert(sedge_use(c), SEDGE_FLOAT64)))
    CHECK_OK(sedge_array_reduce(&out, SEDGE_SUM, EXPRESSION, SEDGE_ALL_AXES));
    // Also the sums here are made of up to A B terms.
    const double bound = 4.0 * A * B * 0x1p-53 * most;
    CHECK_BOUND(fabs(number_of(out) - sum), bound);
    CHECK_OK(sedge_array_reduce(&out, SEDGE_SUM, EXPRESSION, 1));
    CHECK_OK(sedge_array_get(out, got));
    for (int i = 0; i < A; i++) CHECK_BOUND(fabs(got[i] - rows[i]), bound);
    sedge_array_free(out);
    CHECK_OK(sedge_array_reduce(&out, SEDGE_SUM, EXPRESSION, 0));
    CHECK_OK(sedge_array_get(out, got));
    for (int j = 0; j < B; j++) CHECK_BOUND(fabs(got[j] - columns[j]), bound);
    sedge_array_free(out);
#undef EXPRESSION
    CHECK_OK(sedge_array_reduce(&out, SEDGE_COUNT, sedge_greater(sedge_use(b), sedge_number(0.0)),
                                SEDGE_ALL_AXES));
    int positive = 0;
    for (int j = 0; j < B; j++) positive += y[j] > 0.0f;
    CHECK(integer_of(out) == positive);
    sedge_array_free(c);
    sedge_array_free(b);
    sedge_array_free(a);
}

int main(void)
{
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    test_shifted(context);
    test_axes(context);
    if (with_all_types()) {
        test_views(context);
        test_expressions(context);
    }
    sedge_context_free(context);
    return CHECK_END();
}
