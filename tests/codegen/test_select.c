// Selection: against loops on the host; views; what is outside is named and nothing is written.
#include "reduce_kit.h"

#include "reduce/reduce.h"

#include <limits.h>

static const int64_t sizes[] = {0, 1, 2, 63, 4095, 4096, 4097, 100003, 1000003};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

// Masks of which about one in `rare` elements is set.
static void check_compress(sedge_context *context, int64_t n, uint64_t rare)
{
    double *const x = room(n, 8);
    double *const got = room(n, 8);
    int16_t *const mask = room(n, 2);
    sedge_array *out = NULL;
    int64_t count = 0, wrong = 0;

    for (int64_t i = 0; i < n; i++) {
        x[i] = some_number(i);
        mask[i] = scramble((uint64_t)(i + n)) % rare == 0 ? -256 : 0; // no bit in the low byte
    }
    sedge_array *const a = vector_of(context, SEDGE_FLOAT64, n, x);
    sedge_array *const b = vector_of(context, SEDGE_INT16, n, mask);
    CHECK_OK(sedge_array_compress(&out, a, b));
    for (int64_t i = 0; i < n; i++) count += mask[i] != 0;
    CHECK(sedge_array_dimensions(out) == 1 && sedge_array_size(out) == count);
    CHECK(sedge_array_type(out) == SEDGE_FLOAT64);
    CHECK_OK(sedge_array_get(out, got));
    for (int64_t i = 0, k = 0; i < n; i++)
        if (mask[i] != 0) wrong += got[k++] != x[i];
    CHECK(wrong == 0);
    sedge_array_free(out);
    sedge_array_free(b);
    sedge_array_free(a);
    free(mask);
    free(got);
    free(x);
}

static void test_compress(sedge_context *context)
{
    for (int s = 0; s < SIZES; s++) {
        check_compress(context, sizes[s], 3);
        if (is_slow() && sizes[s] > 1000000) continue;
        check_compress(context, sizes[s], 1);       // all
        check_compress(context, sizes[s], 1 << 20); // none, mostly
    }
}

// Transposed array and mask, elements of 16 bytes.
static void test_compress_views(sedge_context *context)
{
    enum { A = 40, B = 70 };
    static double x[A][B][2], got[A * B][2];
    static uint8_t mask[A][B];
    const int64_t shape[2] = {A, B};
    sedge_array *a = NULL, *m = NULL, *at = NULL, *mt = NULL, *out = NULL;
    int k = 0, wrong = 0;

    for (int i = 0; i < A; i++) {
        for (int j = 0; j < B; j++) {
            x[i][j][0] = i;
            x[i][j][1] = j;
            mask[i][j] = (i + j) % 3 == 0;
        }
    }
    CHECK_OK(sedge_array_from(&a, context, SEDGE_COMPLEX128, 2, shape, x));
    CHECK_OK(sedge_array_from(&m, context, SEDGE_UINT8, 2, shape, mask));
    CHECK_OK(sedge_array_transpose(&at, a, NULL));
    CHECK_OK(sedge_array_transpose(&mt, m, NULL));
    CHECK_OK(sedge_array_compress(&out, at, mt));
    CHECK_OK(sedge_array_get(out, got));
    for (int j = 0; j < B; j++) {
        for (int i = 0; i < A; i++) {
            if (mask[i][j] != 0) {
                wrong += got[k][0] != (double)i || got[k][1] != (double)j;
                k++;
            }
        }
    }
    CHECK(wrong == 0 && k == sedge_array_size(out));
    sedge_array_free(out);
    sedge_array_free(mt);
    sedge_array_free(at);
    sedge_array_free(m);
    sedge_array_free(a);
}

static void test_take(sedge_context *context)
{
    enum { A = 50, B = 37, N = 9000 };
    static float x[A][B], got[N];
    static int32_t index[N];
    const int64_t shape[2] = {A, B}, wide[2] = {90, 100};
    const sedge_slice slices[2] = {{SEDGE_SLICE_END, SEDGE_SLICE_END, -1}, {1, SEDGE_SLICE_END, 2}};
    sedge_array *a = NULL, *view = NULL, *indices = NULL, *out = NULL;
    const int columns = (B - 1) / 2;
    int wrong = 0;

    for (int i = 0; i < A * B; i++) x[i / B][i % B] = (float)i;
    for (int k = 0; k < N; k++) index[k] = (int32_t)(scramble((uint64_t)k) % (2 * A * B)) - A * B;
    CHECK_OK(sedge_array_from(&a, context, SEDGE_FLOAT32, 2, shape, x));
    CHECK_OK(sedge_array_from(&indices, context, SEDGE_INT32, 2, wide, index));
    CHECK_OK(sedge_array_take(&out, a, indices));
    CHECK(sedge_array_dimensions(out) == 2 && sedge_array_shape(out)[1] == 100);
    CHECK_OK(sedge_array_get(out, got));
    for (int k = 0; k < N; k++)
        wrong += got[k] != (float)(index[k] < 0 ? index[k] + A * B : index[k]);
    CHECK(wrong == 0);
    sedge_array_free(out);
    sedge_array_free(indices);

    // From a view with negative and other strides, whose elements are counted in its own order.
    for (int k = 0; k < N; k++)
        index[k] = (int32_t)(scramble((uint64_t)k) % (A * (unsigned)columns));
    indices = vector_of(context, SEDGE_INT32, N, index);
    CHECK_OK(sedge_array_slice(&view, a, slices));
    CHECK(sedge_array_size(view) == A * columns);
    CHECK_OK(sedge_array_take(&out, view, indices));
    CHECK_OK(sedge_array_get(out, got));
    wrong = 0;
    for (int k = 0; k < N; k++)
        wrong += got[k] != x[A - 1 - index[k] / columns][1 + 2 * (index[k] % columns)];
    CHECK(wrong == 0);
    sedge_array_free(out);
    sedge_array_free(view);
    sedge_array_free(indices);
    sedge_array_free(a);
}

static void test_put(sedge_context *context)
{
    enum { N = 20000 };
    static int64_t x[N], index[N / 2];
    const int32_t seven = 7;
    double values[N / 2];
    const int64_t none = 0;
    sedge_array *one = NULL, *view = NULL, *empty = NULL;
    const sedge_slice backwards = {SEDGE_SLICE_END, SEDGE_SLICE_END, -1};
    int wrong = 0;

    for (int i = 0; i < N; i++) x[i] = -i;
    for (int k = 0; k < N / 2; k++) {
        index[k] = k % 2 == 0 ? 2 * k : 2 * k - N; // each even place once
        values[k] = k + 0.75;                      // converted to integers
    }
    sedge_array *const a = vector_of(context, SEDGE_INT64, N, x);
    sedge_array *const indices = vector_of(context, SEDGE_INT64, N / 2, index);
    sedge_array *const v = vector_of(context, SEDGE_FLOAT64, N / 2, values);
    CHECK_OK(sedge_array_put(a, indices, v));
    CHECK_OK(sedge_array_get(a, x));
    for (int i = 0; i < N; i++) wrong += x[i] != (i % 2 == 0 ? i / 2 : -i);
    CHECK(wrong == 0);
    // One value for all, into a view; and nothing into it.
    CHECK_OK(sedge_array_from(&one, context, SEDGE_INT32, 0, NULL, &seven));
    CHECK_OK(sedge_array_slice(&view, a, &backwards));
    CHECK_OK(sedge_array_put(view, indices, one));
    CHECK_OK(sedge_array_create(&empty, context, SEDGE_INT8, 1, &none));
    CHECK_OK(sedge_array_put(view, empty, one));
    CHECK_OK(sedge_array_get(a, x));
    for (int i = 0; i < N; i++) wrong += x[i] != (i % 2 == 0 ? i / 2 : 7);
    CHECK(wrong == 0);
    sedge_array_free(empty);
    sedge_array_free(view);
    sedge_array_free(one);
    sedge_array_free(v);
    sedge_array_free(indices);
    sedge_array_free(a);
}

// Indices that are the array itself, or lie in it, are those from before the call.
static void test_put_own_indices(sedge_context *context)
{
    enum { N = 5000 };
    static int64_t x[N], wanted[N], huge[N];
    const sedge_slice half = {0, N / 2, 1};
    sedge_array *view = NULL;
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i] = (i + 1) % N;
        huge[i] = INT64_MAX - i; // far outside, were it taken for an index
    }
    for (int i = 0; i < N; i++) wanted[(i + 1) % N] = huge[i];
    sedge_array *const a = vector_of(context, SEDGE_INT64, N, x);
    sedge_array *const v = vector_of(context, SEDGE_INT64, N, huge);
    CHECK_OK(sedge_array_put(a, a, v));
    CHECK_OK(sedge_array_get(a, huge));
    for (int i = 0; i < N; i++) wrong += huge[i] != wanted[i];
    CHECK(wrong == 0);

    CHECK_OK(sedge_array_set(a, x));
    CHECK_OK(sedge_array_slice(&view, a, &half));
    CHECK_OK(sedge_array_put(a, view, view)); // a[i + 1] = i + 1
    CHECK_OK(sedge_array_get(a, huge));
    for (int i = 0; i < N; i++) wrong += huge[i] != (i > 0 && i <= N / 2 ? i : x[i]);
    CHECK(wrong == 0);
    sedge_array_free(view);
    sedge_array_free(v);
    sedge_array_free(a);
}

// The first index outside is named, and nothing is written.
static void test_outside(sedge_context *context)
{
    enum { N = 30000 };
    static int32_t x[100], index[N];
    uint64_t huge[2] = {3, UINT64_MAX};
    sedge_array *out = NULL;

    for (int k = 0; k < N; k++) index[k] = k % 100;
    index[29998] = 100;
    index[20001] = -101;
    index[20000] = -100; // the first element
    sedge_array *const a = vector_of(context, SEDGE_INT32, 100, x);
    sedge_array *const indices = vector_of(context, SEDGE_INT32, N, index);
    sedge_array *const large = vector_of(context, SEDGE_UINT64, 2, huge);
    const int32_t nine = 9;
    sedge_array *one = NULL;
    CHECK_OK(sedge_array_from(&one, context, SEDGE_INT32, 0, NULL, &nine));
    CHECK_FAILS(sedge_array_take(&out, a, indices), SEDGE_ERR_USAGE,
                "take: index -101 at place 20001 is outside an array of 100 elements");
    CHECK_FAILS(sedge_array_take(&out, a, large), SEDGE_ERR_USAGE,
                "take: index 18446744073709551615 at place 1 is outside");
    CHECK_FAILS(sedge_array_put(a, indices, one), SEDGE_ERR_USAGE,
                "put: index -101 at place 20001");
    CHECK(out == NULL);
    CHECK_OK(sedge_array_get(a, x));
    for (int i = 0; i < 100; i++) CHECK(x[i] == 0);
    sedge_array_free(one);
    sedge_array_free(large);
    sedge_array_free(indices);
    sedge_array_free(a);
}

static void test_errors(sedge_context *context)
{
    const float x[3] = {1.0f, 2.0f, 3.0f};
    const int8_t mask[2] = {1, 1};
    sedge_array *const a = vector_of(context, SEDGE_FLOAT32, 3, x);
    sedge_array *const m = vector_of(context, SEDGE_INT8, 2, mask);
    sedge_array *out = NULL;

    CHECK_FAILS(sedge_array_compress(&out, a, m), SEDGE_ERR_USAGE,
                "compress: a mask of shape (2,) for an array of shape (3,)");
    CHECK_FAILS(sedge_array_compress(&out, a, a), SEDGE_ERR_USAGE, "values are float32");
    CHECK_FAILS(sedge_array_take(&out, a, a), SEDGE_ERR_USAGE, "take: the indices are float32");
    CHECK_FAILS(sedge_array_put(a, m, a), SEDGE_ERR_USAGE, "(3,)"); // does not broadcast to (2,)
    CHECK(out == NULL);
    const int64_t shape[2] = {4, 3};
    CHECK_OK(sedge_array_broadcast(&out, a, 2, shape));
    CHECK_FAILS(sedge_array_put(out, m, m), SEDGE_ERR_USAGE,
                "a broadcast view of shape (4, 3) cannot be written");
    sedge_array_free(out);
    sedge_array_free(m);
    sedge_array_free(a);
}

int main(void)
{
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    test_compress(context);
    test_outside(context);
    test_take(context);
    test_put(context);
    if (with_all_types()) {
        test_compress_views(context);
        test_put_own_indices(context);
        test_errors(context);
    }
    sedge_context_free(context);
    return CHECK_END();
}
