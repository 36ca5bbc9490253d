// Random numbers: Philox against its published vectors and against an implementation of its own;
// the same bits however the work is split, for any strides, and from this file's compiler, which
// contracts nothing; distributions.
#include "reduce_kit.h"

#include "reduce/random.h"

#include <float.h>
#include <math.h>

// The functions of the kernel, compiled here.
#define SEDGE_TARGET_CUDA    0
#define SEDGE_TARGET_OPENCL  0
#define SEDGE_FUNCTION       static inline
#define SEDGE_EACH(i, count) for (int i = 0; i < (count); i++)
typedef long long sedge_int64;
typedef unsigned long long sedge_uint64;
#include "kernels/reduce/philox.h"

// ---- the generator -----------------------------------------------------------------------------

// As in the paper's section 3.3, by its words: two multiplications, a permutation, keys.
static void philox_reference(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t x[4], k[2] = {key[0], key[1]};

    memcpy(x, counter, sizeof x);
    for (int round = 0; round < 10; round++) {
        const uint64_t p = UINT64_C(0xD2511F53) * x[0];
        const uint64_t q = UINT64_C(0xCD9E8D57) * x[2];
        const uint32_t y[4] = {(uint32_t)(q >> 32) ^ x[1] ^ k[0], (uint32_t)q,
                               (uint32_t)(p >> 32) ^ x[3] ^ k[1], (uint32_t)p};
        memcpy(x, y, sizeof x);
        k[0] += UINT32_C(0x9E3779B9); // the golden ratio
        k[1] += UINT32_C(0xBB67AE85); // sqrt(3) - 1
    }
    memcpy(out, x, sizeof x);
}

// kat_vectors of the authors' library Random123.
static void test_vectors(void)
{
    static const struct {
        uint32_t counter[4], key[2], wanted[4];
    } vectors[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                   {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                    {0xffffffff, 0xffffffff},
                    {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                   {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                    {0xa4093822, 0x299f31d0},
                    {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};

    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        const uint32_t *const c = vectors[k].counter;
        uint32_t reference[4];
        const sedge_philox p = philox_block((uint64_t)c[1] << 32 | c[0], c[2], c[3],
                                            vectors[k].key[0], vectors[k].key[1]);
        philox_reference(c, vectors[k].key, reference);
        CHECK(memcmp(p.word, vectors[k].wanted, 16) == 0);
        CHECK(memcmp(reference, vectors[k].wanted, 16) == 0);
    }
}

// Word `w` of the counter of element i of a stream, by the reference.
static uint32_t word_of(uint64_t seed, uint64_t counter, uint32_t class, int w)
{
    const uint32_t c[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), class, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];

    philox_reference(c, key, out);
    return out[w];
}

static uint64_t long_word_of(uint64_t seed, uint64_t element)
{
    const int w = (int)(element % 2) * 2;

    return (uint64_t)word_of(seed, element / 2, 2, w + 1) << 32 | word_of(seed, element / 2, 2, w);
}

enum { N = 10007 };
static const uint64_t seed = UINT64_C(0x123456789abcdef1);

// Bits and uniform numbers are the generator's words, from any offset; the offset goes on.
static void test_words(sedge_context *context)
{
    static const uint64_t offsets[] = {0, 1, 7, UINT64_C(0x400000000) - 5000, UINT64_MAX - 20000};
    static uint8_t narrow[N];
    static int32_t bits[N];
    static uint64_t wide[N];
    static float single[N];
    static double real[N];
    sedge_array *const a = vector_of(context, SEDGE_INT32, N, bits);
    sedge_array *const b = vector_of(context, SEDGE_UINT64, N, wide);
    sedge_array *const c = vector_of(context, SEDGE_UINT8, N, narrow);
    sedge_array *const x = vector_of(context, SEDGE_FLOAT32, N, single);
    sedge_array *const y = vector_of(context, SEDGE_FLOAT64, N, real);

    for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; o++) {
        sedge_random random = {seed, offsets[o]};
        int wrong = 0;
        CHECK_OK(sedge_array_random_bits(a, &random));
        CHECK(random.offset == offsets[o] + N && random.seed == seed);
        random.offset = offsets[o];
        CHECK_OK(sedge_array_random_bits(b, &random));
        random.offset = offsets[o];
        CHECK_OK(sedge_array_random_bits(c, &random));
        random.offset = offsets[o];
        CHECK_OK(sedge_array_random_uniform(x, &random));
        random.offset = offsets[o];
        CHECK_OK(sedge_array_random_uniform(y, &random));
        CHECK_OK(sedge_array_get(a, bits));
        CHECK_OK(sedge_array_get(b, wide));
        CHECK_OK(sedge_array_get(c, narrow));
        CHECK_OK(sedge_array_get(x, single));
        CHECK_OK(sedge_array_get(y, real));
        for (int i = 0; i < N; i++) {
            const uint64_t element = offsets[o] + (uint64_t)i;
            const uint32_t word = word_of(seed, element / 4, 1, (int)(element % 4));
            const uint64_t both = long_word_of(seed, element);
            wrong += (uint32_t)bits[i] != word || narrow[i] != (uint8_t)word || wide[i] != both;
            wrong += (double)single[i] != (double)(word >> 8) / 16777216.0;
            wrong += real[i] != (double)(both >> 11) / 9007199254740992.0;
        }
        CHECK(wrong == 0);
    }
    sedge_array_free(y);
    sedge_array_free(x);
    sedge_array_free(c);
    sedge_array_free(b);
    sedge_array_free(a);
}

// ---- normal numbers ----------------------------------------------------------------------------

// The device's bits are those of the functions compiled in this file.
static void test_normal_bits(sedge_context *context)
{
    static float single[N];
    static double real[N];
    sedge_array *const x = vector_of(context, SEDGE_FLOAT32, N, single);
    sedge_array *const y = vector_of(context, SEDGE_FLOAT64, N, real);
    sedge_random random = {seed, 4}; // a whole number of counters
    int wrong = 0;

    CHECK_OK(sedge_array_random_normal(x, &random));
    random.offset = 4;
    CHECK_OK(sedge_array_random_normal(y, &random));
    CHECK_OK(sedge_array_get(x, single));
    CHECK_OK(sedge_array_get(y, real));
    for (int i = 0; i + 1 < N; i += 2) {
        const uint64_t element = 4 + (uint64_t)i;
        const int w = (int)(element % 4);
        float c, s;
        double u, v;
        const float r = random_radius_float(word_of(seed, element / 4, 1, w));
        random_turn_float(word_of(seed, element / 4, 1, w + 1), &c, &s);
        wrong += single[i] != r * c || single[i + 1] != r * s;
        const double radius = random_radius_double(long_word_of(seed, element));
        random_turn_double(long_word_of(seed, element + 1), &u, &v);
        wrong += real[i] != radius * u || real[i + 1] != radius * v;
    }
    CHECK(wrong == 0);
    sedge_array_free(y);
    sedge_array_free(x);
}

// Errors of the own functions in units of the last place, against long double. In single precision
// polynomials of relative error 2^-28 and some five roundings; in double, 2^-58.
static void test_accuracy(void)
{
    const long double turn = 6.283185307179586476925286766559L;
    long double worst[4] = {0.0L, 0.0L, 0.0L, 0.0L};

    for (uint64_t i = 0; i < 200000; i++) {
        const uint32_t special[6] = {0, 1, 0xffffffffu, 0x80000000u, 0xb504f333u, 0xb504f334u};
        const uint64_t both = i < 6 ? (uint64_t)special[i] << 32 | special[i] : scramble(i);
        const uint32_t word = (uint32_t)(both >> 32);
        const long double u = ldexpl((long double)((float)word + 0.5f), -32);
        const long double t = ldexpl((long double)((double)both + 0.5), -64);
        float c, s;
        double dc, ds;

        random_turn_float(word, &c, &s);
        random_turn_double(both, &dc, &ds);
        const long double a = turn * ldexpl((long double)word, -32);
        const long double b = turn * ldexpl((long double)both, -64);
        const long double error[4] = {
            fabsl((long double)random_radius_float(word) / sqrtl(-2.0L * logl(u)) - 1.0L),
            fmaxl(fabsl((long double)c - cosl(a)), fabsl((long double)s - sinl(a))),
            fabsl((long double)random_radius_double(both) / sqrtl(-2.0L * logl(t)) - 1.0L),
            fmaxl(fabsl((long double)dc - cosl(b)), fabsl((long double)ds - sinl(b)))};
        for (int k = 0; k < 4; k++) {
            const bool is_zero = (k == 0 && u == 1.0L) || (k == 2 && t == 1.0L); // ln 1
            if (!is_zero && !(error[k] <= worst[k])) worst[k] = error[k];
        }
    }
    CHECK_BOUND((double)worst[0], 2.0 * (double)FLT_EPSILON);
    CHECK_BOUND((double)worst[1], 2.0 * (double)FLT_EPSILON);
    CHECK_BOUND((double)worst[2], 2.0 * DBL_EPSILON);
    CHECK_BOUND((double)worst[3], 2.0 * DBL_EPSILON);
    if (getenv("SEDGE_TEST_PRINT") != NULL) {
        (void)printf("errors in epsilons: %.2Lf %.2Lf %.2Lf %.2Lf\n", worst[0] / 0x1p-23L,
                     worst[1] / 0x1p-23L, worst[2] / 0x1p-52L, worst[3] / 0x1p-52L);
    }
    CHECK(random_radius_float(0xffffffffu) == 0.0f);
    CHECK(random_radius_float(0) < 6.8f && random_radius_float(0) > 6.7f);
}

// ---- splitting ---------------------------------------------------------------------------------

typedef sedge_status random_fill(sedge_array *array, sedge_random *random);

// In one go, in uneven pieces, into a transposed and a stepped view: the same bits.
static void check_splits(sedge_context *context, sedge_type type, random_fill *make)
{
    enum { A = 31, B = 44, SIZE = A * B };
    static const int64_t cuts[] = {0, 1, 4, 9, 10, 600, 1001, SIZE};
    const int bytes = sedge_type_bytes(type);
    const int64_t shape[2] = {A, B}, twice[2] = {A, 2 * B}, turned[2] = {B, A};
    unsigned char *const whole = room(SIZE, bytes);
    unsigned char *const pieces = room(SIZE, bytes);
    sedge_random random = {seed, 3};
    sedge_array *all = NULL, *base = NULL, *view = NULL;

    CHECK_OK(sedge_array_create(&all, context, type, 2, shape));
    CHECK_OK(make(all, &random));
    CHECK_OK(sedge_array_get(all, whole));
    sedge_array_free(all);
    random.offset = 3;
    CHECK_OK(sedge_array_vector(&all, context, type, SIZE));
    for (int k = 0; k + 1 < (int)(sizeof cuts / sizeof cuts[0]); k++) {
        const sedge_slice piece = {cuts[k], cuts[k + 1], 1};
        CHECK_OK(sedge_array_slice(&view, all, &piece));
        CHECK_OK(make(view, &random));
        sedge_array_free(view);
    }
    CHECK(random.offset == 3 + SIZE);
    CHECK_OK(sedge_array_get(all, pieces));
    CHECK(memcmp(whole, pieces, (size_t)(SIZE * bytes)) == 0);
    sedge_array_free(all);

    random.offset = 3;
    CHECK_OK(sedge_array_create(&base, context, type, 2, turned));
    CHECK_OK(sedge_array_transpose(&view, base, NULL));
    CHECK_OK(make(view, &random));
    CHECK_OK(sedge_array_get(view, pieces));
    CHECK(memcmp(whole, pieces, (size_t)(SIZE * bytes)) == 0);
    sedge_array_free(view);
    sedge_array_free(base);

    const sedge_slice stepped[2] = {{SEDGE_SLICE_END, SEDGE_SLICE_END, -1},
                                    {1, SEDGE_SLICE_END, 2}};
    random.offset = 3;
    CHECK_OK(sedge_array_create(&base, context, type, 2, twice));
    CHECK_OK(sedge_array_slice(&view, base, stepped));
    CHECK_OK(make(view, &random));
    CHECK_OK(sedge_array_get(view, pieces));
    CHECK(memcmp(whole, pieces, (size_t)(SIZE * bytes)) == 0);
    sedge_array_free(view);
    sedge_array_free(base);
    free(pieces);
    free(whole);
}

// ---- distributions -----------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Largest distance between the numbers' distribution and the wanted one, times sqrt(n): above 1.95
// once in a thousand seeds (Kolmogorov's distribution), and this seed is fixed.
static double kolmogorov(double *x, int64_t n, bool normal)
{
    double worst = 0.0;

    qsort(x, (size_t)n, sizeof x[0], compare);
    for (int64_t i = 0; i < n; i++) {
        const double wanted = normal ? 0.5 * erfc(-x[i] / sqrt(2.0)) : x[i];
        worst =
            fmax(worst, fmax((double)(i + 1) / (double)n - wanted, wanted - (double)i / (double)n));
    }
    return worst * sqrt((double)n);
}

// Mean, variance and kurtosis within five standard errors of a normal sample; neighbours, the two
// of a pair among them, and another stream's numbers uncorrelated within five.
static void check_distribution(sedge_context *context, sedge_type type, bool normal)
{
    enum { COUNT = 1 << 18 };
    double *const x = room(COUNT, 8);
    double *const y = room(COUNT, 8);
    sedge_random random = {42, 0}, other = {43, 0};
    sedge_array *array = NULL, *wide = NULL;
    double sum[5] = {0.0, 0.0, 0.0, 0.0, 0.0}, lag = 0.0, cross = 0.0;

    for (int stream = 0; stream < 2; stream++) {
        sedge_random *const own = stream == 0 ? &random : &other;
        CHECK_OK(sedge_array_vector(&array, context, type, COUNT));
        CHECK_OK(normal ? sedge_array_random_normal(array, own)
                        : sedge_array_random_uniform(array, own));
        CHECK_OK(sedge_array_convert(&wide, array, SEDGE_FLOAT64));
        CHECK_OK(sedge_array_get(wide, stream == 0 ? x : y));
        sedge_array_free(wide);
        sedge_array_free(array);
    }
    // The uniform ones, to mean 0 and variance 1.
    for (int i = 0; i < COUNT; i++) {
        const double scale = normal ? 1.0 : sqrt(12.0), shift = normal ? 0.0 : 0.5;
        const double z = scale * (x[i] - shift);
        for (int p = 1; p < 5; p++) sum[p] += pow(z, p) / COUNT;
        lag += i + 1 < COUNT ? z * scale * (x[i + 1] - shift) / COUNT : 0.0;
        cross += z * scale * (y[i] - shift) / COUNT;
    }
    const double error = 5.0 / sqrt((double)COUNT);
    const double fourth = normal ? 3.0 : 1.8;   // of the wanted distribution
    const double eighth = normal ? 105.0 : 9.0; // E z^8: sqrt(12)^8 / 2^8 / 9
    CHECK_BOUND(fabs(sum[1]), error);
    CHECK_BOUND(fabs(sum[2] - 1.0), error * sqrt(fourth - 1.0));
    CHECK_BOUND(fabs(sum[3]), error * sqrt(normal ? 15.0 : 27.0 / 7.0));
    CHECK_BOUND(fabs(sum[4] - fourth), error * sqrt(eighth - fourth * fourth));
    CHECK_BOUND(fabs(lag), error);
    CHECK_BOUND(fabs(cross), error);
    CHECK_BOUND(kolmogorov(x, COUNT, normal), 1.95);
    free(y);
    free(x);
}

static void test_errors(sedge_context *context)
{
    const int64_t x = 0, four = 4;
    sedge_array *const a = vector_of(context, SEDGE_INT64, 1, &x);
    sedge_array *const b = vector_of(context, SEDGE_FLOAT64, 1, &x);
    sedge_array *view = NULL;
    sedge_random random = {0, 5};

    CHECK_FAILS(sedge_array_random_bits(b, &random), SEDGE_ERR_USAGE, "random bits for float64");
    CHECK_FAILS(sedge_array_random_uniform(a, &random), SEDGE_ERR_USAGE,
                "uniform random numbers for int64");
    CHECK_FAILS(sedge_array_random_normal(a, &random), SEDGE_ERR_USAGE,
                "normal random numbers for int64");
    CHECK_OK(sedge_array_broadcast(&view, b, 1, &four));
    CHECK_FAILS(sedge_array_random_normal(view, &random), SEDGE_ERR_USAGE,
                "a broadcast view of shape (4,) cannot be written");
    CHECK(random.offset == 5);
    sedge_array_free(view);
    sedge_array_free(b);
    sedge_array_free(a);
}

int main(void)
{
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    test_vectors();
    test_words(context);
    test_normal_bits(context);
    test_accuracy();
    check_splits(context, SEDGE_FLOAT32, sedge_array_random_normal);
    check_splits(context, SEDGE_FLOAT64, sedge_array_random_normal);
    check_splits(context, SEDGE_COMPLEX64, sedge_array_random_normal);
    check_splits(context, SEDGE_COMPLEX128, sedge_array_random_uniform);
    check_splits(context, SEDGE_INT16, sedge_array_random_bits);
    test_errors(context);
    if (!in_random_order()) { // a quarter of a million items each
        check_distribution(context, SEDGE_FLOAT32, true);
        check_distribution(context, SEDGE_FLOAT64, false);
        check_distribution(context, SEDGE_FLOAT64, true);
        check_distribution(context, SEDGE_FLOAT32, false);
    }
    sedge_context_free(context);
    return CHECK_END();
}
