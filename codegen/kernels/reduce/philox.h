// Random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011), and the numbers made of its words. For reduce/random.c, which writes before
// it (without it there are only the functions)
//
//   random_real       type of a number; the parts of a complex one
//   RANDOM_KIND       0: bits, 1: uniform, 2: normal
//   RANDOM_DOUBLE     the number takes two words of a counter's four (64 bits), else one
//   RANDOM_PARTS      numbers an element: 2 of complex arrays
//   RANDOM_PER        elements a counter
//   RANDOM_CLASS      keeps counters of different uses apart: third word of the counter
//   RANDOM_THREADS, RANDOM_ITEMS   threads and counters a block
//   RANDOM_STRIDED    1: elements lie as random_place(j) says, else one behind the other
//   RANDOM_WALK(X)    parameters of random_place
//
// Every operation below is rounded in the same way by every device, and no product is ever an
// operand of + or -, so that no compiler can contract one: sums of products are explicit fma.
#pragma once

#if SEDGE_TARGET_OPENCL
#define fmaf fma
#endif

typedef struct sedge_philox {
    unsigned word[4];
} sedge_philox;

SEDGE_FUNCTION sedge_philox philox_block(sedge_uint64 counter, unsigned third, unsigned fourth,
                                         unsigned key0, unsigned key1)
{
    unsigned a = (unsigned)counter, b = (unsigned)(counter >> 32), c = third, d = fourth;
    sedge_philox out;

    SEDGE_EACH (round, 10) {
        const sedge_uint64 first = (sedge_uint64)0xD2511F53u * a;
        const sedge_uint64 second = (sedge_uint64)0xCD9E8D57u * c;
        a = (unsigned)(second >> 32) ^ b ^ key0;
        b = (unsigned)second;
        c = (unsigned)(first >> 32) ^ d ^ key1;
        d = (unsigned)first;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    out.word[0] = a;
    out.word[1] = b;
    out.word[2] = c;
    out.word[3] = d;
    return out;
}

// ---- single precision --------------------------------------------------------------------------

// sqrt(-2 ln u) for u = (word + 1/2) / 2^32, rounded to a float. With x = 2^k m and m in
// [sqrt(1/2), sqrt(2)), ln u = (k - 32) ln 2 + ln m, where nothing cancels; ln(1 + f) = f - f^2/2 +
// f^3 P(f), P minimax with relative error 8e-10. The root is taken in double precision and rounded:
// correct for floats.
SEDGE_FUNCTION float random_radius_float(unsigned word)
{
    union {
        float number;
        unsigned bits;
    } x;
    x.number = (float)word + 0.5f;
    const unsigned shifted = x.bits - 0x3F3504F3u + 0x40000000u; // k + 128 in the exponent's place
    const float k = (float)((int)(shifted >> 23) - 128 - 32);
    x.bits -= (shifted & 0xFF800000u) - 0x40000000u;
    const float f = x.number - 1.0f;
    float p = 0x1.14578p-4f;
    p = fmaf(p, f, -0x1.de3bdep-4f);
    p = fmaf(p, f, 0x1.e6f052p-4f);
    p = fmaf(p, f, -0x1.fc220ap-4f);
    p = fmaf(p, f, 0x1.23376ap-3f);
    p = fmaf(p, f, -0x1.555c4ep-3f);
    p = fmaf(p, f, 0x1.99a4b6p-3f);
    p = fmaf(p, f, -0x1.000006p-2f);
    p = fmaf(p, f, 0x1.555548p-2f);
    p = fmaf(p, f, -0.5f);
    const float tail = fmaf(f * f, p, k * 0x1.7f7d1cp-20f); // the rest of ln 2
    const float log = fmaf(k, 0x1.62e4p-1f, f + tail);
    return (float)sqrt((double)(-2.0f * log));
}

// cos and sin of 2 pi word / 2^32: quarter turns by integers, then polynomials of |x| <= pi/4.
SEDGE_FUNCTION void random_turn_float(unsigned word, float *cosine, float *sine)
{
    const unsigned quarter = (word + 0x20000000u) >> 30;
    const float x = (float)(int)(word - (quarter << 30)) * 0x1.921fb6p-30f;
    const float z = x * x;
    const float s =
        fmaf(x * z, fmaf(fmaf(-0x1.994eb4p-13f, z, 0x1.11076p-7f), z, -0x1.555546p-3f), x);
    const float q = fmaf(fmaf(0x1.9a025ap-16f, z, -0x1.6c0c8cp-10f), z, 0x1.55554ap-5f);
    const float c = fmaf(z, fmaf(z, q, -0.5f), 1.0f);
    const float u = (quarter & 1u) != 0u ? s : c;
    const float v = (quarter & 1u) != 0u ? c : s;
    *cosine = ((quarter + 1u) & 2u) != 0u ? -u : u;
    *sine = (quarter & 2u) != 0u ? -v : v;
}

// ---- double precision --------------------------------------------------------------------------

// The same for u = (word + 1/2) / 2^64, rounded to a double: ln(1 + f) = f - s (f - R(s^2)) with s
// = f / (2 + f), R minimax with relative error 1.3e-18.
SEDGE_FUNCTION double random_radius_double(sedge_uint64 word)
{
    union {
        double number;
        sedge_uint64 bits;
    } x;
    x.number = (double)word + 0.5;
    const sedge_uint64 shifted = x.bits - 0x3FE6A09E667F3BCDu + 0x4000000000000000u;
    const double k = (double)((int)(shifted >> 52) - 1024 - 64);
    x.bits -= (shifted & 0xFFF0000000000000u) - 0x4000000000000000u;
    const double f = x.number - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double r = 0x1.2f0568a84ffb1p-3;
    r = fma(r, z, 0x1.39a1ba314aa2fp-3);
    r = fma(r, z, 0x1.74663eedf6e1dp-3);
    r = fma(r, z, 0x1.c71c52093ed37p-3);
    r = fma(r, z, 0x1.24924941f151bp-2);
    r = fma(r, z, 0x1.999999997fdb3p-2);
    r = fma(r, z, 0x1.5555555555592p-1);
    const double rest = fma(-z, r, f);
    const double tail = fma(-s, rest, k * 0x1.ef35793c76730p-45);
    const double log = fma(k, 0x1.62e42fefa3800p-1, f + tail);
    return sqrt(-2.0 * log);
}

SEDGE_FUNCTION void random_turn_double(sedge_uint64 word, double *cosine, double *sine)
{
    const sedge_uint64 quarter = (word + 0x2000000000000000u) >> 62;
    const double x = (double)(sedge_int64)(word - (quarter << 62)) * 0x1.921fb54442d18p-62;
    const double z = x * x;
    double s = 0x1.5d932f926046ap-33;
    s = fma(s, z, -0x1.ae5e66d5b43e8p-26);
    s = fma(s, z, 0x1.71de3578751ccp-19);
    s = fma(s, z, -0x1.a01a019c126b6p-13);
    s = fma(s, z, 0x1.111111110f881p-7);
    s = fma(s, z, -0x1.5555555555549p-3);
    s = fma(x * z, s, x);
    double c = -0x1.8faed003c9c4bp-37;
    c = fma(c, z, 0x1.1ee9ec4956ca1p-29);
    c = fma(c, z, -0x1.27e4f80a78ddfp-22);
    c = fma(c, z, 0x1.a01a019cb272bp-16);
    c = fma(c, z, -0x1.6c16c16c15185p-10);
    c = fma(c, z, 0x1.555555555554cp-5);
    c = fma(z, fma(z, c, -0.5), 1.0);
    const double u = (quarter & 1u) != 0u ? s : c;
    const double v = (quarter & 1u) != 0u ? c : s;
    *cosine = ((quarter + 1u) & 2u) != 0u ? -u : u;
    *sine = (quarter & 2u) != 0u ? -v : v;
}

#ifdef RANDOM_KIND

// ---- elements ----------------------------------------------------------------------------------

#define RANDOM_NUMBERS (RANDOM_PER * RANDOM_PARTS) // a counter

typedef struct SEDGE_ALIGN(RANDOM_NUMBERS * sizeof(random_real)) random_values {
    random_real part[RANDOM_NUMBERS];
} random_values;

SEDGE_FUNCTION random_values random_make(sedge_uint64 counter, unsigned key0, unsigned key1)
{
    const sedge_philox p = philox_block(counter, RANDOM_CLASS, 0u, key0, key1);
    random_values out;
#if RANDOM_DOUBLE
    const sedge_uint64 first = (sedge_uint64)p.word[1] << 32 | p.word[0];
    const sedge_uint64 second = (sedge_uint64)p.word[3] << 32 | p.word[2];
#if RANDOM_KIND == 0
    out.part[0] = (random_real)first;
    out.part[1] = (random_real)second;
#elif RANDOM_KIND == 1
    out.part[0] = (double)(first >> 11) * 0x1p-53;
    out.part[1] = (double)(second >> 11) * 0x1p-53;
#else
    const double radius = random_radius_double(first);
    double cosine, sine;
    random_turn_double(second, &cosine, &sine);
    out.part[0] = radius * cosine;
    out.part[1] = radius * sine;
#endif
#else
#if RANDOM_KIND == 0
    SEDGE_EACH (w, 4) out.part[w] = (random_real)p.word[w];
#elif RANDOM_KIND == 1
    SEDGE_EACH (w, 4) out.part[w] = (float)(p.word[w] >> 8) * 0x1p-24f;
#else
    SEDGE_EACH (w, 2) {
        const float radius = random_radius_float(p.word[2 * w]);
        float cosine, sine;
        random_turn_float(p.word[2 * w + 1], &cosine, &sine);
        out.part[2 * w] = radius * cosine;
        out.part[2 * w + 1] = radius * sine;
    }
#endif
#endif
    return out;
}

#define RANDOM_LIST(X)                                                               \
    X(SEDGE_GLOBAL random_real *SEDGE_RESTRICT, to)                                  \
    X(sedge_int64, count)   /* elements */                                           \
    X(sedge_uint64, first)  /* counter of the first block's first item */            \
    X(sedge_int64, skipped) /* elements of that counter before the array's first */  \
    X(sedge_int64, packed)  /* whether what a counter makes may be stored at once */ \
    X(unsigned, key0)                                                                \
    X(unsigned, key1)                                                                \
    RANDOM_WALK(X)

#define RANDOM_ACTUAL(type, name) , name

SEDGE_KERNEL(sedge_random, RANDOM_THREADS, RANDOM_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 begin = b * (RANDOM_ITEMS * RANDOM_PER) - skipped;
        const sedge_uint64 counter = first + (sedge_uint64)(b * RANDOM_ITEMS);

        if (packed && begin >= 0 && begin + RANDOM_ITEMS * RANDOM_PER <= count) {
            SEDGE_GLOBAL random_values *const at =
                (SEDGE_GLOBAL random_values *)(to + begin * RANDOM_PARTS);
            SEDGE_ITEMS_1D (k, RANDOM_ITEMS, RANDOM_THREADS)
                at[k] = random_make(counter + (sedge_uint64)k, key0, key1);
        } else {
            SEDGE_ITEMS_1D (k, RANDOM_ITEMS, RANDOM_THREADS) {
                const random_values v = random_make(counter + (sedge_uint64)k, key0, key1);
                SEDGE_EACH (n, RANDOM_PER) {
                    const sedge_int64 j = begin + (sedge_int64)k * RANDOM_PER + n;
                    if (j >= 0 && j < count) {
#if RANDOM_STRIDED
                        const sedge_int64 place = random_place(j RANDOM_WALK(RANDOM_ACTUAL));
#else
                        const sedge_int64 place = j;
#endif
                        SEDGE_EACH (c, RANDOM_PARTS)
                            to[place * RANDOM_PARTS + c] = v.part[n * RANDOM_PARTS + c];
                    }
                }
            }
        }
    }
}

#endif
