// Scans: integers exactly as one by one, floating point within the bound of its tree, segments, own
// formulas, views, the same bits every time.
#include "reduce_kit.h"

#include "reduce/reduce.h"

#include <limits.h>

// Around the tiles of all devices (4096 and 32768 on the host, 1024 to 24576 elsewhere), and beyond
// two groups of tiles (256 x 24576) of the chained form.
static const int64_t sizes[] = {0,     1,     2,     31,     33,      256,     1000,  4095,
                                4096,  4097,  8192,  8193,   24575,   24576,   24577, 32767,
                                32768, 32769, 65537, 100003, 3500003, 13000003};
enum { SIZES = sizeof sizes / sizeof sizes[0] };
enum { MANY = 1000000 }; // elements: with more a scan by slow kernels takes a second

// What a failed call did not make, such as one whose kernels were refused: all that follows reads
// it.
static void end_without(const sedge_array *made)
{
    if (made == NULL) exit(CHECK_END());
}

static sedge_array *scanned(const sedge_array *array, sedge_scan_operation operation,
                            bool exclusive, const sedge_array *starts)
{
    sedge_array *out = NULL;

    CHECK_OK(sedge_array_scan(&out, array, operation, exclusive, starts));
    end_without(out);
    return out;
}

static void get_and_free(sedge_array *array, void *host)
{
    CHECK_OK(sedge_array_get(array, host));
    sedge_array_free(array);
}

// Sums of int32, inclusive and exclusive, whole and in segments of some 50 elements.
static void test_integers(sedge_context *context)
{
    for (int s = 0; s < SIZES; s += test_is_sampled() ? 5 : 1) {
        const int64_t n = sizes[s];
        int32_t *const x = room(n, 4);
        uint8_t *const start = room(n, 1);
        int64_t *const got = room(n, 8);

        for (int64_t i = 0; i < n; i++) {
            x[i] = (int32_t)scramble((uint64_t)i);
            start[i] = scramble((uint64_t)(i + n)) % 50 == 0 ? 3 : 0;
        }
        sedge_array *const a = vector_of(context, SEDGE_INT32, n, x);
        sedge_array *const b = vector_of(context, SEDGE_UINT8, n, start);
        for (int variant = 0; variant < 4; variant++) {
            if (is_slow() && n > MANY && variant % 3 != 0) continue;
            const bool exclusive = variant % 2 == 1, segments = variant >= 2;
            sedge_array *const out = scanned(a, SEDGE_SCAN_SUM, exclusive, segments ? b : NULL);
            int64_t sum = 0, wrong = 0;
            CHECK(sedge_array_type(out) == SEDGE_INT64);
            CHECK(sedge_array_dimensions(out) == 1 && sedge_array_size(out) == n);
            get_and_free(out, got);
            for (int64_t i = 0; i < n; i++) {
                if (segments && start[i] != 0) sum = 0;
                if (exclusive) wrong += got[i] != sum;
                sum += x[i];
                if (!exclusive) wrong += got[i] != sum;
            }
            CHECK(wrong == 0);
            if (wrong != 0) {
                (void)fprintf(stderr, "  size %lld, variant %d: %lld wrong\n", (long long)n,
                              variant, (long long)wrong);
            }
        }
        sedge_array_free(b);
        sedge_array_free(a);
        free(got);
        free(start);
        free(x);
    }
}

// Sums in floating point: out[i] has gone through few additions, whose number the layout bounds: of
// a row (256) or a thread's packs and a warp, of rows, tiles and groups.
static void test_floats(sedge_context *context)
{
    enum { ADDITIONS = 256 + 4 + 256 + 3500003 / 32768 + 16 };

    for (int s = 0; s < SIZES; s += test_is_sampled() ? 5 : 1) {
        const int64_t n = sizes[s];
        if (is_slow() && n > MANY) continue; // test_integers has them
        float *const x = room(n, 4);
        float *const got = room(n, 4);
        float *const again = room(n, 4);
        long double sum = 0.0L, size = 0.0L;
        double worst = 0.0;

        for (int64_t i = 0; i < n; i++) x[i] = (float)some_number(i) + 0.125f;
        sedge_array *const a = vector_of(context, SEDGE_FLOAT32, n, x);
        get_and_free(scanned(a, SEDGE_SCAN_SUM, false, NULL), got);
        get_and_free(scanned(a, SEDGE_SCAN_SUM, false, NULL), again);
        CHECK(n == 0 || memcmp(got, again, (size_t)n * 4) == 0);
        for (int64_t i = 0; i < n; i++) {
            sum += (long double)x[i];
            size += fabsl((long double)x[i]);
            const double error = fabs((double)((long double)got[i] - sum)) / (double)size;
            worst = fmax(worst, isnan(error) ? HUGE_VAL : error);
        }
        CHECK_BOUND(worst, ADDITIONS * 0x1p-24);
        sedge_array_free(a);
        free(again);
        free(got);
        free(x);
    }
}

// Minimum, maximum and product, exclusive: the first is the neutral element.
static void test_operations(sedge_context *context)
{
    enum { N = 50000 };
    static double x[N], got[N];
    static int8_t k[N], least[N];
    static uint64_t u[N], product[N];
    double most = -(double)INFINITY;
    int8_t small = INT8_MAX;
    uint64_t p = 1;
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i] = some_number(i) + 1e-4 * i;
        k[i] = (int8_t)(120 - i / 256);
        u[i] = scramble((uint64_t)i) | 1;
    }
    sedge_array *const a = vector_of(context, SEDGE_FLOAT64, N, x);
    sedge_array *const b = vector_of(context, SEDGE_INT8, N, k);
    sedge_array *const c = vector_of(context, SEDGE_UINT64, N, u);
    get_and_free(scanned(a, SEDGE_SCAN_MAX, true, NULL), got);
    get_and_free(scanned(b, SEDGE_SCAN_MIN, true, NULL), least);
    get_and_free(scanned(c, SEDGE_SCAN_PRODUCT, false, NULL), product);
    for (int i = 0; i < N; i++) {
        p *= u[i];
        wrong += got[i] != most;
        wrong += least[i] != small;
        wrong += product[i] != p;
        most = x[i] > most ? x[i] : most;
        small = (int8_t)(k[i] < small ? k[i] : small);
    }
    CHECK(wrong == 0);
    x[777] = (double)NAN; // from there on
    sedge_array *const d = vector_of(context, SEDGE_FLOAT64, N, x);
    get_and_free(scanned(d, SEDGE_SCAN_MIN, false, NULL), got);
    wrong = 0;
    for (int i = 0; i < N; i++) wrong += isnan(got[i]) != (i >= 777);
    CHECK(wrong == 0);
    sedge_array_free(d);
    sedge_array_free(c);
    sedge_array_free(b);
    sedge_array_free(a);
}

// Complex sums, by parts.
static void test_complex(sedge_context *context)
{
    enum { N = 20000 };
    static double x[N][2], got[N][2];
    double sum[2] = {0.0, 0.0}, worst = 0.0;

    for (int i = 0; i < N; i++) {
        x[i][0] = (double)(scramble((uint64_t)i) % 1000); // whole: no rounding
        x[i][1] = -(double)(scramble((uint64_t)i + N) % 77);
    }
    sedge_array *const a = vector_of(context, SEDGE_COMPLEX128, N, x);
    get_and_free(scanned(a, SEDGE_SCAN_SUM, false, NULL), got);
    for (int i = 0; i < N; i++) {
        sum[0] += x[i][0];
        sum[1] += x[i][1];
        worst = fmax(worst, fabs(sum[0] - got[i][0]) + fabs(sum[1] - got[i][1]));
    }
    CHECK(worst == 0.0);
    sedge_array_free(a);
}

// A formula that is associative and not commutative: the last element that is not 0; and a map.
static void test_own(sedge_context *context)
{
    enum { N = 300001 };
    const sedge_reduction_text last = {"last", NULL, "x", "b != 0 ? b : a", "0", SEDGE_INT32};
    const sedge_reduction_text evens = {
        "evens",    "#define EVEN(x) ((x) % 2 == 0)\n", "EVEN(x) ? i : 0", "a > b ? a : b", "0",
        SEDGE_INT64};
    int32_t *const x = room(N, 4);
    int32_t *const got = room(N, 4);
    int64_t *const places = room(N, 8);
    sedge_array *out = NULL;
    int32_t value = 0;
    int64_t place = 0, wrong = 0;

    for (int64_t i = 0; i < N; i++) x[i] = scramble((uint64_t)i) % 5000 == 0 ? (int32_t)i + 1 : 0;
    sedge_array *const a = vector_of(context, SEDGE_INT32, N, x);
    CHECK_OK(sedge_array_scan_text(&out, a, &last, false, NULL));
    end_without(out);
    get_and_free(out, got);
    CHECK_OK(sedge_array_scan_text(&out, a, &evens, true, NULL));
    end_without(out);
    get_and_free(out, places);
    for (int64_t i = 0; i < N; i++) {
        value = x[i] != 0 ? x[i] : value;
        wrong += got[i] != value;
        wrong += places[i] != place;
        place = x[i] % 2 == 0 ? i : place;
    }
    CHECK(wrong == 0);
    sedge_array_free(a);
    free(places);
    free(got);
    free(x);
}

// A transposed and a shifted array, and starts with strides.
static void test_views(sedge_context *context)
{
    enum { A = 70, B = 90, N = A * B };
    static int32_t x[A][B];
    static int64_t got[N], starts[2 * N];
    const int64_t shape[2] = {A, B};
    const sedge_slice second = {0, SEDGE_SLICE_END, 2}, shift = {3, SEDGE_SLICE_END, 1};
    sedge_array *a = NULL, *view = NULL, *marks = NULL;
    int64_t sum = 0, wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i / B][i % B] = (int32_t)(scramble((uint64_t)i) % 2001) - 1000;
        starts[2 * i] = i % 17 == 5;
        starts[2 * i + 1] = 1;
    }
    CHECK_OK(sedge_array_from(&a, context, SEDGE_INT32, 2, shape, x));
    sedge_array *const all = vector_of(context, SEDGE_INT64, 2 * N, starts);
    CHECK_OK(sedge_array_slice(&marks, all, &second));
    CHECK_OK(sedge_array_transpose(&view, a, NULL));
    get_and_free(scanned(view, SEDGE_SCAN_SUM, false, marks), got);
    for (int i = 0; i < N; i++) {
        sum = i % 17 == 5 ? 0 : sum;
        sum += x[i % A][i / A];
        wrong += got[i] != sum;
    }
    CHECK(wrong == 0);
    sedge_array_free(view);
    sedge_array_free(marks);
    sedge_array_free(all);
    sedge_array_free(a);

    a = vector_of(context, SEDGE_INT32, N, x);
    CHECK_OK(sedge_array_slice(&view, a, &shift));
    get_and_free(scanned(view, SEDGE_SCAN_SUM, false, NULL), got);
    sum = wrong = 0;
    for (int i = 3; i < N; i++) {
        sum += x[i / B][i % B];
        wrong += got[i - 3] != sum;
    }
    CHECK(wrong == 0);
    sedge_array_free(view);
    sedge_array_free(a);
}

static void test_errors(sedge_context *context)
{
    const int32_t x[3] = {1, 2, 3};
    const float marks[3] = {1.0f, 0.0f, 0.0f};
    const sedge_reduction_text wrong = {"slope", NULL, "x", "a +* b", "0", SEDGE_INT32};
    sedge_array *const a = vector_of(context, SEDGE_INT32, 3, x);
    sedge_array *const two = vector_of(context, SEDGE_INT32, 2, x);
    sedge_array *const real = vector_of(context, SEDGE_FLOAT32, 3, marks);
    sedge_array *out = NULL;

    CHECK_FAILS(sedge_array_scan(&out, a, SEDGE_SCAN_SUM, false, two), SEDGE_ERR_USAGE,
                "2 starts of segments for 3 elements");
    CHECK_FAILS(sedge_array_scan(&out, a, SEDGE_SCAN_SUM, false, real), SEDGE_ERR_USAGE,
                "starts of segments are float32: an integer type is needed");
    CHECK_FAILS(sedge_array_scan_text(&out, a, &wrong, false, NULL), SEDGE_ERR_DEVICE,
                "slope, combine");
    CHECK(out == NULL);
    sedge_array_free(real);
    sedge_array_free(two);
    sedge_array_free(a);
}

int main(void)
{
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    test_integers(context);
    test_floats(context);
    test_own(context);
    if (with_all_types()) {
        test_operations(context);
        test_complex(context);
        test_views(context);
        test_errors(context);
    }
    sedge_context_free(context);
    return CHECK_END();
}
