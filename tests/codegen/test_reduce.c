// Reductions: values against slow sums on the host, numpy's rules for not-a-number, ties, empty
// sets and wrapping, own formulas, messages. Of axes: test_reduce_axes.c.
#include "reduce_kit.h"

#include <complex.h>
#include <float.h>
#include <limits.h>

static const int64_t sizes[] = {0,     1,     2,     3,     5,      16,     63,     64,
                                65,    255,   256,   1000,  2048,   8191,   8192,   8193,
                                32767, 32768, 32769, 65536, 100003, 300001, 2097169};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

// How many of them are tried: the last has nothing that only slow kernels could get wrong.
static int size_count(void)
{
    return is_slow() ? SIZES - 1 : SIZES;
}

static int size_step(void)
{
    return test_is_sampled() ? 4 : 1;
}

// No element goes through more than this many additions: 64 or 32 tiles of one sum, as many sums,
// the steps of two trees and those inside a tile.
enum { ADDITIONS = 64 + 64 + 40 };

// |computed - exact| <= ADDITIONS u sum |x|, the bound of any summation tree of that depth (Higham,
// Accuracy and Stability of Numerical Algorithms, section 4.2). One chain would have an error of
// n u: for the largest size 12 000 times the bound.
static void test_sums(sedge_context *context)
{
    for (int s = 0; s < size_count(); s += size_step()) {
        const int64_t n = sizes[s];
        float *const x = room(n, sizeof(float));
        double *const y = room(n, sizeof(double));
        long double sum = 0.0L, size = 0.0L, dot = 0.0L, dot_size = 0.0L;

        for (int64_t i = 0; i < n; i++) {
            y[i] = some_number(i) + 0.3;
            x[i] = (float)some_number(i + n) + 0.25f;
            sum += (long double)x[i];
            size += fabsl((long double)x[i]);
            dot += (long double)x[i] * (long double)y[i];
            dot_size += fabsl((long double)x[i] * (long double)y[i]);
        }
        sedge_array *const a = vector_of(context, SEDGE_FLOAT32, n, x);
        sedge_array *const b = vector_of(context, SEDGE_FLOAT64, n, y);
        sedge_array *product = NULL;

        const double got = number_of(reduced(SEDGE_SUM, a));
        CHECK_BOUND(fabs(got - (double)sum), ADDITIONS * 0x1p-24 * (double)size);
        const double again = number_of(reduced(SEDGE_SUM, a));
        CHECK(memcmp(&got, &again, sizeof got) == 0);
        CHECK_OK(sedge_array_dot(&product, sedge_use(a), sedge_use(b)));
        CHECK(sedge_array_type(product) == SEDGE_FLOAT64);
        CHECK_BOUND(fabs(number_of(product) - (double)dot),
                    (ADDITIONS + 1) * 0x1p-53 * (double)dot_size);
        sedge_array_free(b);
        sedge_array_free(a);
        free(y);
        free(x);
    }
}

// The depth of the tree is small: a sum of ones beyond 2^24, where a chain in float stops growing,
// at half of this number.
static void test_long_sum(sedge_context *context)
{
    const int64_t n = ((int64_t)1 << 25) + 3;
    const int64_t one = 1;
    const float value = 1.0f;
    sedge_array *single = vector_of(context, SEDGE_FLOAT32, one, &value);
    sedge_array *many = NULL;

    CHECK_OK(sedge_array_broadcast(&many, single, 1, &n));
    CHECK_BOUND(fabs(number_of(reduced(SEDGE_SUM, many)) - (double)n),
                ADDITIONS * 0x1p-24 * (double)n);
    sedge_array_free(many);
    sedge_array_free(single);
}

// Integers: exact, modulo 2^64, and products; results are 64 bits wide with the sign of the type.
static void test_integers(sedge_context *context)
{
    for (int s = 0; s < size_count(); s += size_step()) {
        const int64_t n = sizes[s];
        int8_t *const x = room(n, 1);
        uint64_t *const y = room(n, 8);
        int64_t sum = 0;
        uint64_t wrapped = 0, product = 1;

        for (int64_t i = 0; i < n; i++) {
            x[i] = (int8_t)(scramble((uint64_t)i) & 255);
            y[i] = scramble((uint64_t)(i + 7)) | 1;
            sum += x[i];
            wrapped += y[i];
            product *= y[i];
        }
        sedge_array *const a = vector_of(context, SEDGE_INT8, n, x);
        sedge_array *const b = vector_of(context, SEDGE_UINT64, n, y);
        sedge_array *out;
        uint64_t got = 0;

        out = reduced(SEDGE_SUM, a);
        CHECK(sedge_array_type(out) == SEDGE_INT64);
        CHECK(integer_of(out) == sum);
        out = reduced(SEDGE_SUM, b);
        CHECK(sedge_array_type(out) == SEDGE_UINT64);
        CHECK_OK(sedge_array_get(out, &got));
        CHECK(got == wrapped);
        sedge_array_free(out);
        out = reduced(SEDGE_PRODUCT, b);
        CHECK_OK(sedge_array_get(out, &got));
        CHECK(got == product);
        sedge_array_free(out);
        sedge_array_free(b);
        sedge_array_free(a);
        free(y);
        free(x);
    }
}

// As numpy.vdot: the product's own type, wrapping.
static void test_integer_dot(sedge_context *context)
{
    const int32_t x[3] = {2000000000, -7, 5};
    sedge_array *const a = vector_of(context, SEDGE_INT32, 3, x);
    sedge_array *out = NULL;

    CHECK_OK(sedge_array_dot(&out, sedge_use(a), sedge_use(a)));
    CHECK(sedge_array_type(out) == SEDGE_INT32);
    CHECK(integer_of(out) == (int32_t)(2000000000u * 2000000000u + 49u + 25u));
    sedge_array_free(a);
}

static void test_extremes(sedge_context *context)
{
    for (int s = 1; s < size_count(); s += size_step()) {
        const int64_t n = sizes[s];
        float *const x = room(n, sizeof(float));
        int64_t least = 0, largest = 0;

        for (int64_t i = 0; i < n; i++) {
            x[i] = (float)(int)(scramble((uint64_t)i) % 1000) - 500.0f; // many equal ones
            if (x[i] < x[least]) least = i;
            if (x[i] > x[largest]) largest = i;
        }
        sedge_array *a = vector_of(context, SEDGE_FLOAT32, n, x);
        CHECK(number_of(reduced(SEDGE_MIN, a)) == (double)x[least]);
        CHECK(number_of(reduced(SEDGE_MAX, a)) == (double)x[largest]);
        CHECK(integer_of(reduced(SEDGE_ARGMIN, a)) == least);
        CHECK(integer_of(reduced(SEDGE_ARGMAX, a)) == largest);
        sedge_array_free(a);

        // The first not-a-number wins, wherever it stands and whatever comes before.
        const int64_t place = (int64_t)(scramble((uint64_t)n) % (uint64_t)n);
        x[n - 1] = NAN;
        x[place] = NAN;
        a = vector_of(context, SEDGE_FLOAT32, n, x);
        CHECK(isnan(number_of(reduced(SEDGE_MIN, a))));
        CHECK(isnan(number_of(reduced(SEDGE_MAX, a))));
        CHECK(integer_of(reduced(SEDGE_ARGMIN, a)) == place);
        CHECK(integer_of(reduced(SEDGE_ARGMAX, a)) == place);
        sedge_array_free(a);
        free(x);
    }
}

// Values at the ends of the types: also the neutral element is found where it stands.
static void test_ends(sedge_context *context)
{
    const double all_infinite[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    const int64_t most[3] = {INT64_MAX, INT64_MAX, INT64_MAX};
    const int8_t small[3] = {-128, 127, -128};
    const uint32_t large[2] = {0, UINT32_MAX};
    const double pairs[5][2] = {{1.0, 2.0}, {1.0, -3.0}, {-1.0, 9.0}, {1.0, 2.0}, {-1.0, 4.0}};
    sedge_array *a = vector_of(context, SEDGE_FLOAT64, 4, all_infinite);
    sedge_array *out;
    double complex z = 0.0;

    CHECK(number_of(reduced(SEDGE_MIN, a)) == (double)INFINITY);
    CHECK(integer_of(reduced(SEDGE_ARGMIN, a)) == 0);
    sedge_array_free(a);
    a = vector_of(context, SEDGE_INT64, 3, most);
    CHECK(integer_of(reduced(SEDGE_MIN, a)) == INT64_MAX);
    CHECK(integer_of(reduced(SEDGE_ARGMIN, a)) == 0);
    CHECK(integer_of(reduced(SEDGE_ARGMAX, a)) == 0);
    sedge_array_free(a);
    a = vector_of(context, SEDGE_INT8, 3, small);
    CHECK(integer_of(reduced(SEDGE_MIN, a)) == -128);
    CHECK(integer_of(reduced(SEDGE_ARGMAX, a)) == 1);
    sedge_array_free(a);
    a = vector_of(context, SEDGE_UINT32, 2, large);
    CHECK(integer_of(reduced(SEDGE_MAX, a)) == UINT32_MAX);
    sedge_array_free(a);
    a = vector_of(context, SEDGE_COMPLEX128, 5, pairs);
    CHECK(integer_of(reduced(SEDGE_ARGMIN, a)) == 4);
    CHECK(integer_of(reduced(SEDGE_ARGMAX, a)) == 0);
    out = reduced(SEDGE_MAX, a);
    CHECK_OK(sedge_array_get(out, &z));
    CHECK(creal(z) == 1.0 && cimag(z) == 2.0);
    sedge_array_free(out);
    sedge_array_free(a);
}

static void test_truth(sedge_context *context)
{
    uint8_t *const x = room(100000, 1);
    sedge_array *a = vector_of(context, SEDGE_UINT8, 100000, x);
    const double parts[2] = {0.0, (double)NAN};

    CHECK(integer_of(reduced(SEDGE_ANY, a)) == 0);
    CHECK(integer_of(reduced(SEDGE_COUNT, a)) == 0);
    sedge_array_free(a);
    x[77777] = 3;
    a = vector_of(context, SEDGE_UINT8, 100000, x);
    CHECK(integer_of(reduced(SEDGE_ANY, a)) == 1);
    CHECK(integer_of(reduced(SEDGE_ALL, a)) == 0);
    CHECK(integer_of(reduced(SEDGE_COUNT, a)) == 1);
    sedge_array_free(a);
    memset(x, 2, 100000);
    a = vector_of(context, SEDGE_UINT8, 100000, x);
    CHECK(integer_of(reduced(SEDGE_ALL, a)) == 1);
    CHECK(integer_of(reduced(SEDGE_COUNT, a)) == 100000);
    sedge_array_free(a);
    a = vector_of(context, SEDGE_FLOAT64, 2, parts); // not-a-number is not 0
    CHECK(integer_of(reduced(SEDGE_COUNT, a)) == 1);
    sedge_array_free(a);
    a = vector_of(context, SEDGE_COMPLEX128, 1, parts);
    CHECK(integer_of(reduced(SEDGE_ALL, a)) == 1);
    sedge_array_free(a);
    free(x);
}

static void test_norms(sedge_context *context)
{
    enum { N = 5000 };
    float complex x[N];
    int16_t k[3] = {3, -4, -32768};
    double one = 0.0, two = 0.0, most = 0.0;
    double complex sum = 0.0;
    float complex z;

    for (int i = 0; i < N; i++) {
        x[i] = (float)some_number(i) + (float)some_number(i + N) * (float complex)I;
        const double size = cabs((double complex)x[i]);
        one += size;
        two += size * size;
        most = size > most ? size : most;
        sum += (double complex)x[i];
    }
    sedge_array *a = vector_of(context, SEDGE_COMPLEX64, N, x);
    sedge_array *out = reduced(SEDGE_NORM_2, a);
    CHECK(sedge_array_type(out) == SEDGE_FLOAT32);
    CHECK_BOUND(fabs(number_of(out) - sqrt(two)), ADDITIONS * 0x1p-24 * sqrt(two));
    CHECK_BOUND(fabs(number_of(reduced(SEDGE_NORM_1, a)) - one), ADDITIONS * 0x1p-24 * one);
    CHECK_BOUND(fabs(number_of(reduced(SEDGE_NORM_MAX, a)) - most), 2 * 0x1p-24 * most);
    out = reduced(SEDGE_SUM, a);
    CHECK_OK(sedge_array_get(out, &z));
    CHECK_BOUND(cabs((double complex)z - sum), ADDITIONS * 0x1p-24 * one);
    sedge_array_free(out);
    // sum(x conj(x)) is the square of the norm, and real
    CHECK_OK(sedge_array_dot(&out, sedge_use(a), sedge_use(a)));
    CHECK_OK(sedge_array_get(out, &z));
    CHECK_BOUND(fabs((double)crealf(z) - two), (ADDITIONS + 2) * 0x1p-24 * two);
    CHECK_BOUND(fabs((double)cimagf(z)), (ADDITIONS + 2) * 0x1p-24 * two);
    sedge_array_free(out);
    sedge_array_free(a);

    a = vector_of(context, SEDGE_INT16, 3, k);
    out = reduced(SEDGE_NORM_MAX, a);
    CHECK(sedge_array_type(out) == SEDGE_FLOAT64);
    CHECK(number_of(out) == 32768.0);
    CHECK(number_of(reduced(SEDGE_NORM_1, a)) == 32775.0);
    CHECK(number_of(reduced(SEDGE_NORM_2, a)) == sqrt(9.0 + 16.0 + 32768.0 * 32768.0));
    sedge_array_free(a);
}

static void test_complex_product(sedge_context *context)
{
    enum { N = 333 };
    double complex x[N], product = 1.0, got = 0.0;

    for (int i = 0; i < N; i++) {
        x[i] = cexp(some_number(i) * (double complex)I);
        product *= x[i];
    }
    sedge_array *const a = vector_of(context, SEDGE_COMPLEX128, N, x);
    sedge_array *const out = reduced(SEDGE_PRODUCT, a);
    CHECK_OK(sedge_array_get(out, &got));
    // Each of the N factors on either side is off by at most 4 u, and has modulus 1.
    CHECK_BOUND(cabs(got - product), 8.0 * N * 0x1p-53);
    sedge_array_free(out);
    sedge_array_free(a);
}

// ---- own formulas, empty sets, errors ----------------------------------------------------------

static void test_own(sedge_context *context)
{
    enum { N = 70000 };
    static float x[N];
    const sedge_reduction_text largest = {"largest",       NULL, "fabsf(x)",
                                          "a > b ? a : b", "0",  SEDGE_FLOAT32};
    const sedge_reduction_text moment = {
        "moment", "#define WEIGHT 2\n", "WEIGHT * (double)i * x", "a + b", "0", SEDGE_FLOAT64};
    sedge_array *out = NULL;
    double most = 0.0, sum = 0.0, size = 0.0;

    for (int i = 0; i < N; i++) {
        x[i] = (float)some_number(i);
        most = fabs((double)x[i]) > most ? fabs((double)x[i]) : most;
        sum += 2.0 * i * (double)x[i];
        size += 2.0 * i * fabs((double)x[i]);
    }
    sedge_array *const a = vector_of(context, SEDGE_FLOAT32, N, x);
    CHECK_OK(sedge_array_reduce_text(&out, &largest, sedge_use(a)));
    CHECK(sedge_array_type(out) == SEDGE_FLOAT32);
    CHECK(number_of(out) == most);
    CHECK_OK(sedge_array_reduce_text(&out, &moment, sedge_use(a)));
    CHECK_BOUND(fabs(number_of(out) - sum), N * 0x1p-52 * size);
    sedge_array_free(a);
}

static void test_empty(sedge_context *context)
{
    const int64_t shape[2] = {0, 3};
    const sedge_reduction_text own = {"own", NULL, "x", "a < b ? a : b", "17", SEDGE_FLOAT64};
    double got[3] = {5.0, 5.0, 5.0};
    sedge_array *a = NULL, *out = NULL;

    CHECK_OK(sedge_array_create(&a, context, SEDGE_FLOAT64, 2, shape));
    CHECK(number_of(reduced(SEDGE_SUM, a)) == 0.0);
    CHECK(number_of(reduced(SEDGE_PRODUCT, a)) == 1.0);
    CHECK(number_of(reduced(SEDGE_NORM_1, a)) == 0.0);
    CHECK(number_of(reduced(SEDGE_NORM_2, a)) == 0.0);
    CHECK(number_of(reduced(SEDGE_NORM_MAX, a)) == 0.0);
    CHECK(integer_of(reduced(SEDGE_COUNT, a)) == 0);
    CHECK(integer_of(reduced(SEDGE_ANY, a)) == 0);
    CHECK(integer_of(reduced(SEDGE_ALL, a)) == 1);
    CHECK_OK(sedge_array_reduce_text(&out, &own, sedge_use(a)));
    CHECK(number_of(out) == 17.0);
    CHECK_OK(sedge_array_reduce(&out, SEDGE_PRODUCT, sedge_use(a), 0));
    CHECK_OK(sedge_array_get(out, got));
    CHECK(got[0] == 1.0 && got[1] == 1.0 && got[2] == 1.0);
    sedge_array_free(out);
    // No row, no question.
    CHECK_OK(sedge_array_reduce(&out, SEDGE_MIN, sedge_use(a), 1));
    CHECK(sedge_array_size(out) == 0 && sedge_array_dimensions(out) == 1);
    sedge_array_free(out);
    out = NULL;
    CHECK_FAILS(sedge_array_reduce(&out, SEDGE_MIN, sedge_use(a), 0), SEDGE_ERR_USAGE,
                "min of no elements: the shape is (0, 3)");
    CHECK_FAILS(sedge_array_reduce(&out, SEDGE_ARGMAX, sedge_use(a), SEDGE_ALL_AXES),
                SEDGE_ERR_USAGE, "argmax of no elements");
    CHECK(out == NULL);
    sedge_array_free(a);
}

static void test_errors(sedge_context *context)
{
    const float x[2] = {1.5f, -3e30f};
    const double z[2] = {1.0, 2.0};
    const sedge_reduction_text wrong = {"steepest", NULL, "slope * x", "a + b", "0", SEDGE_FLOAT32};
    sedge_array *const a = vector_of(context, SEDGE_FLOAT32, 2, x);
    sedge_array *const c = vector_of(context, SEDGE_COMPLEX128, 1, z);
    sedge_array *out = NULL;
    double value;
    int64_t integer;

    CHECK_FAILS(sedge_array_reduce(&out, SEDGE_SUM, sedge_use(a), 1), SEDGE_ERR_USAGE,
                "sum over axis 1 of 1 dimensions: 0 to 0");
    CHECK_FAILS(sedge_array_reduce(&out, SEDGE_SUM, sedge_number(1.0), SEDGE_ALL_AXES),
                SEDGE_ERR_USAGE, "");
    CHECK_FAILS(sedge_array_reduce_text(&out, &wrong, sedge_use(a)), SEDGE_ERR_DEVICE,
                "steepest, map");
    CHECK(strstr(sedge_error_message(), "slope") != NULL);
    CHECK(out == NULL);
    CHECK_FAILS(sedge_array_number(a, &value), SEDGE_ERR_USAGE, "shape (2,)");
    out = reduced(SEDGE_MIN, a);
    CHECK_FAILS(sedge_array_integer(out, &integer), SEDGE_ERR_USAGE, "does not fit into an int64");
    sedge_array_free(out);
    out = reduced(SEDGE_SUM, c);
    CHECK_FAILS(sedge_array_number(out, &value), SEDGE_ERR_USAGE, "complex128 is not one number");
    sedge_array_free(out);
    sedge_array_free(c);
    sedge_array_free(a);
}

int main(void)
{
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    test_sums(context);
    test_own(context);
    test_extremes(context);
    if (with_all_types()) {
        test_integers(context);
        test_truth(context);
        test_norms(context);
        test_errors(context);
    }
    if (with_all_types() && !test_is_sampled()) {
        if (!is_slow()) test_long_sum(context);
        test_integer_dot(context);
        test_ends(context);
        test_complex_product(context);
        test_empty(context);
    }
    sedge_context_free(context);
    return CHECK_END();
}
