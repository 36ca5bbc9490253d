// Numbers in kernels as numpy computes with them: integers that wrap, division that rounds down,
// minimum and maximum that keep not-a-number, complex numbers. One word a type and operation:
// sedge_<operation>_<type>, with i8 .. i64, u8 .. u64, f32, f64, c64 (two f32), c128 (two f64).
//
// Functions of C's mathematics have their C names, with f for float. Not here: the integer value of
// a floating-point number beyond the integer's range, which every machine chooses itself.
#pragma once

#ifdef __OPENCL_VERSION__ // one name for both precisions
#define sqrtf     sqrt
#define expf      exp
#define logf      log
#define log10f    log10
#define log1pf    log1p
#define sinf      sin
#define cosf      cos
#define tanf      tan
#define asinf     asin
#define acosf     acos
#define atanf     atan
#define atan2f    atan2
#define sinhf     sinh
#define coshf     cosh
#define tanhf     tanh
#define asinhf    asinh
#define powf      pow
#define fmodf     fmod
#define hypotf    hypot
#define fabsf     fabs
#define floorf    floor
#define ceilf     ceil
#define copysignf copysign
#endif

// glibc has these for whole vectors, with errors of up to 4 units in the last place; it tells gcc
// so only under -ffast-math, which nothing here is compiled with.
#if SEDGE_TARGET_HOST && defined __x86_64__ && defined __GLIBC__ && !defined __clang__
#if __GLIBC_PREREQ(2, 35)
#define SEDGE_VECTOR_1(name)                                       \
    _Pragma("omp declare simd notinbranch") double name(double a); \
    _Pragma("omp declare simd notinbranch") float name##f(float a);
#define SEDGE_VECTOR_2(name)                                                 \
    _Pragma("omp declare simd notinbranch") double name(double a, double b); \
    _Pragma("omp declare simd notinbranch") float name##f(float a, float b);
SEDGE_VECTOR_1(exp)
SEDGE_VECTOR_1(log)
SEDGE_VECTOR_1(log10)
SEDGE_VECTOR_1(log1p)
SEDGE_VECTOR_1(sin)
SEDGE_VECTOR_1(cos)
SEDGE_VECTOR_1(tan)
SEDGE_VECTOR_1(asin)
SEDGE_VECTOR_1(acos)
SEDGE_VECTOR_1(atan)
SEDGE_VECTOR_1(sinh)
SEDGE_VECTOR_1(cosh)
SEDGE_VECTOR_1(tanh)
SEDGE_VECTOR_1(asinh)
SEDGE_VECTOR_2(atan2)
SEDGE_VECTOR_2(hypot)
SEDGE_VECTOR_2(pow)
#endif
#endif

// ---- integers ----------------------------------------------------------------------------------

// Sums, differences and products wrap: they are made in the unsigned type `wide` of at least 32
// bits. Division by 0 gives 0. A shift by the width or more, or by a negative number, shifts all
// bits out.
#define SEDGE_INTEGER(s, type, wide, bits)                                   \
    SEDGE_FUNCTION type sedge_add_##s(type a, type b)                        \
    {                                                                        \
        return (type)((wide)a + (wide)b);                                    \
    }                                                                        \
    SEDGE_FUNCTION type sedge_subtract_##s(type a, type b)                   \
    {                                                                        \
        return (type)((wide)a - (wide)b);                                    \
    }                                                                        \
    SEDGE_FUNCTION type sedge_multiply_##s(type a, type b)                   \
    {                                                                        \
        return (type)((wide)a * (wide)b);                                    \
    }                                                                        \
    SEDGE_FUNCTION type sedge_negative_##s(type a)                           \
    {                                                                        \
        return (type)((wide)0 - (wide)a);                                    \
    }                                                                        \
    SEDGE_FUNCTION type sedge_square_##s(type a)                             \
    {                                                                        \
        return (type)((wide)a * (wide)a);                                    \
    }                                                                        \
    SEDGE_FUNCTION type sedge_minimum_##s(type a, type b)                    \
    {                                                                        \
        return a < b ? a : b;                                                \
    }                                                                        \
    SEDGE_FUNCTION type sedge_maximum_##s(type a, type b)                    \
    {                                                                        \
        return a > b ? a : b;                                                \
    }                                                                        \
    SEDGE_FUNCTION type sedge_shift_left_##s(type a, type b)                 \
    {                                                                        \
        return b >= 0 && b < bits ? (type)((wide)a << b) : (type)0;          \
    }                                                                        \
    SEDGE_FUNCTION type sedge_shift_right_##s(type a, type b)                \
    {                                                                        \
        return b >= 0 && b < bits ? (type)(a >> b) : (type)(a < 0 ? -1 : 0); \
    }                                                                        \
    SEDGE_FUNCTION type sedge_raise_##s(type a, type b)                      \
    {                                                                        \
        wide result = 1;                                                     \
        for (wide base = (wide)a; b > 0; b = (type)(b >> 1), base *= base)   \
            if (b & 1) result *= base;                                       \
        return (type)result;                                                 \
    }

#define SEDGE_SIGNED(s, type, wide, bits)                                          \
    SEDGE_INTEGER(s, type, wide, bits)                                             \
    SEDGE_FUNCTION type sedge_absolute_##s(type a)                                 \
    {                                                                              \
        return a < 0 ? sedge_negative_##s(a) : a;                                  \
    }                                                                              \
    /* The least number by -1 does not fit; as its negative it wraps to itself. */ \
    SEDGE_FUNCTION type sedge_floor_divide_##s(type a, type b)                     \
    {                                                                              \
        if (b == 0) return 0;                                                      \
        if (b == -1) return sedge_negative_##s(a);                                 \
        const type quotient = (type)(a / b);                                       \
        return (type)(quotient - ((a % b != 0) & ((a < 0) != (b < 0))));           \
    }                                                                              \
    SEDGE_FUNCTION type sedge_remainder_##s(type a, type b)                        \
    {                                                                              \
        if (b == 0 || b == -1) return 0;                                           \
        const type rest = (type)(a % b);                                           \
        return (type)(rest + (rest != 0 && (rest < 0) != (b < 0) ? b : 0));        \
    }                                                                              \
    /* A negative power is the integer part of the fraction. */                    \
    SEDGE_FUNCTION type sedge_power_##s(type a, type b)                            \
    {                                                                              \
        if (b >= 0) return sedge_raise_##s(a, b);                                  \
        return (type)(a == 1 ? 1 : a != -1 ? 0 : (b & 1) ? -1 : 1);                \
    }

#define SEDGE_UNSIGNED(s, type, wide, bits)                    \
    SEDGE_INTEGER(s, type, wide, bits)                         \
    SEDGE_FUNCTION type sedge_absolute_##s(type a)             \
    {                                                          \
        return a;                                              \
    }                                                          \
    SEDGE_FUNCTION type sedge_floor_divide_##s(type a, type b) \
    {                                                          \
        return b == 0 ? (type)0 : (type)(a / b);               \
    }                                                          \
    SEDGE_FUNCTION type sedge_remainder_##s(type a, type b)    \
    {                                                          \
        return b == 0 ? (type)0 : (type)(a % b);               \
    }                                                          \
    SEDGE_FUNCTION type sedge_power_##s(type a, type b)        \
    {                                                          \
        return sedge_raise_##s(a, b);                          \
    }

SEDGE_SIGNED(i8, signed char, unsigned, 8)
SEDGE_SIGNED(i16, short, unsigned, 16)
SEDGE_SIGNED(i32, int, unsigned, 32)
SEDGE_SIGNED(i64, sedge_int64, sedge_uint64, 64)
SEDGE_UNSIGNED(u8, unsigned char, unsigned, 8)
SEDGE_UNSIGNED(u16, unsigned short, unsigned, 16)
SEDGE_UNSIGNED(u32, unsigned, unsigned, 32)
SEDGE_UNSIGNED(u64, sedge_uint64, sedge_uint64, 64)

// Comparisons of 64 bits with a sign and without: by value.
SEDGE_FUNCTION int sedge_less_iu(sedge_int64 a, sedge_uint64 b)
{
    return a < 0 || (sedge_uint64)a < b;
}

SEDGE_FUNCTION int sedge_less_equal_iu(sedge_int64 a, sedge_uint64 b)
{
    return a < 0 || (sedge_uint64)a <= b;
}

SEDGE_FUNCTION int sedge_equal_iu(sedge_int64 a, sedge_uint64 b)
{
    return a >= 0 && (sedge_uint64)a == b;
}

// Negative numbers wrap on every machine.
SEDGE_FUNCTION sedge_uint64 sedge_u64_from_f64(double a)
{
    return a < 0.0 ? (sedge_uint64)(sedge_int64)a : (sedge_uint64)a;
}

// ---- floating point ----------------------------------------------------------------------------

// `f` is the suffix of C's functions.
#define SEDGE_FLOATING(s, type, f)                                                     \
    SEDGE_FUNCTION type sedge_square_##s(type a)                                       \
    {                                                                                  \
        return a * a;                                                                  \
    }                                                                                  \
    SEDGE_FUNCTION int sedge_is_nan_##s(type a)                                        \
    {                                                                                  \
        return a != a;                                                                 \
    }                                                                                  \
    SEDGE_FUNCTION type sedge_minimum_##s(type a, type b)                              \
    {                                                                                  \
        return a < b || a != a ? a : b;                                                \
    }                                                                                  \
    SEDGE_FUNCTION type sedge_maximum_##s(type a, type b)                              \
    {                                                                                  \
        return a > b || a != a ? a : b;                                                \
    }                                                                                  \
    /* The sign of b; by 0 not-a-number. */                                            \
    SEDGE_FUNCTION type sedge_remainder_##s(type a, type b)                            \
    {                                                                                  \
        const type rest = fmod##f(a, b);                                               \
        if (b == (type)0) return rest;                                                 \
        if (rest == (type)0) return copysign##f(rest, b);                              \
        return (rest < (type)0) != (b < (type)0) ? rest + b : rest;                    \
    }                                                                                  \
    /* What is left without the remainder is nearly an integer: the next one. */       \
    SEDGE_FUNCTION type sedge_floor_divide_##s(type a, type b)                         \
    {                                                                                  \
        if (b == (type)0) return a / b;                                                \
        const type rest = fmod##f(a, b);                                               \
        type quotient = (a - rest) / b;                                                \
        if (rest != (type)0 && (rest < (type)0) != (b < (type)0)) quotient -= (type)1; \
        if (quotient == (type)0) return copysign##f(quotient, a / b);                  \
        const type whole = floor##f(quotient);                                         \
        return quotient - whole > (type)0.5 ? whole + (type)1 : whole;                 \
    }

SEDGE_FLOATING(f32, float, f)
SEDGE_FLOATING(f64, double, )

// ---- complex numbers ---------------------------------------------------------------------------

typedef struct SEDGE_ALIGN(8) sedge_complex64 {
    float re, im;
} sedge_complex64;

typedef struct SEDGE_ALIGN(16) sedge_complex128 {
    double re, im;
} sedge_complex128;

// Division by Smith's method; square root without cancellation; arcs and tanh as in Kahan, Branch
// cuts for complex elementary functions (1987). Beyond `far`, tanh is 1 to the last bit; exp of
// more than `huge` is made in two factors.
#define SEDGE_COMPLEX(s, type, real, f, far, huge)                                               \
    SEDGE_FUNCTION type sedge_make_##s(real re, real im)                                         \
    {                                                                                            \
        type z;                                                                                  \
        z.re = re;                                                                               \
        z.im = im;                                                                               \
        return z;                                                                                \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_add_##s(type a, type b)                                            \
    {                                                                                            \
        return sedge_make_##s(a.re + b.re, a.im + b.im);                                         \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_subtract_##s(type a, type b)                                       \
    {                                                                                            \
        return sedge_make_##s(a.re - b.re, a.im - b.im);                                         \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_multiply_##s(type a, type b)                                       \
    {                                                                                            \
        return sedge_make_##s(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);             \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_divide_##s(type a, type b)                                         \
    {                                                                                            \
        if (fabs##f(b.re) >= fabs##f(b.im)) {                                                    \
            if (b.re == (real)0 && b.im == (real)0)                                              \
                return sedge_make_##s(a.re / fabs##f(b.re), a.im / fabs##f(b.re));               \
            const real ratio = b.im / b.re;                                                      \
            const real scale = (real)1 / (b.re + b.im * ratio);                                  \
            return sedge_make_##s((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale); \
        }                                                                                        \
        const real ratio = b.re / b.im;                                                          \
        const real scale = (real)1 / (b.im + b.re * ratio);                                      \
        return sedge_make_##s((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);     \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_negative_##s(type a)                                               \
    {                                                                                            \
        return sedge_make_##s(-a.re, -a.im);                                                     \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_conjugate_##s(type a)                                              \
    {                                                                                            \
        return sedge_make_##s(a.re, -a.im);                                                      \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_square_##s(type a)                                                 \
    {                                                                                            \
        return sedge_multiply_##s(a, a);                                                         \
    }                                                                                            \
    SEDGE_FUNCTION real sedge_absolute_##s(type a)                                               \
    {                                                                                            \
        return hypot##f(a.re, a.im);                                                             \
    }                                                                                            \
    SEDGE_FUNCTION int sedge_equal_##s(type a, type b)                                           \
    {                                                                                            \
        return a.re == b.re && a.im == b.im;                                                     \
    }                                                                                            \
    SEDGE_FUNCTION int sedge_true_##s(type a)                                                    \
    {                                                                                            \
        return a.re != (real)0 || a.im != (real)0;                                               \
    }                                                                                            \
    SEDGE_FUNCTION int sedge_is_nan_##s(type a)                                                  \
    {                                                                                            \
        return a.re != a.re || a.im != a.im;                                                     \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_where_##s(int condition, type a, type b)                           \
    {                                                                                            \
        return sedge_make_##s(condition ? a.re : b.re, condition ? a.im : b.im);                 \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_sqrt_##s(type a)                                                   \
    {                                                                                            \
        const real quarter =                                                                     \
            fabs##f(a.re) > (real)1 || fabs##f(a.im) > (real)1 ? (real)0.25 : (real)1;           \
        const real back = quarter < (real)1 ? (real)2 : (real)1;                                 \
        const real x = a.re * quarter;                                                           \
        const real y = a.im * quarter;                                                           \
        if (x == (real)0 && y == (real)0) return sedge_make_##s((real)0, a.im);                  \
        const real root = sqrt##f((fabs##f(x) + hypot##f(x, y)) * (real)0.5);                    \
        if (x >= (real)0) return sedge_make_##s(back * root, back * (y / ((real)2 * root)));     \
        return sedge_make_##s(back * (fabs##f(y) / ((real)2 * root)),                            \
                              copysign##f(back * root, a.im));                                   \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_exp_##s(type a)                                                    \
    {                                                                                            \
        if (a.im == (real)0) return sedge_make_##s(exp##f(a.re), a.im);                          \
        const real half = a.re > (real)huge ? a.re * (real)0.5 : (real)0;                        \
        const real size = exp##f(a.re - half);                                                   \
        const real more = half > (real)0 ? exp##f(half) : (real)1;                               \
        return sedge_make_##s(size * cos##f(a.im) * more, size * sin##f(a.im) * more);           \
    }                                                                                            \
    /* Near |a| = 1 without the cancellation of log(|a|). */                                     \
    SEDGE_FUNCTION type sedge_log_##s(type a)                                                    \
    {                                                                                            \
        const real u = fabs##f(a.re);                                                            \
        const real v = fabs##f(a.im);                                                            \
        const real x = u > v ? u : v;                                                            \
        const real y = u > v ? v : u;                                                            \
        const real angle = atan2##f(a.im, a.re);                                                 \
        if (x > (real)0.6 && x < (real)1.5)                                                      \
            return sedge_make_##s((real)0.5 * log1p##f((x - (real)1) * (x + (real)1) + y * y),   \
                                  angle);                                                        \
        return sedge_make_##s(log##f(hypot##f(a.re, a.im)), angle);                              \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_log10_##s(type a)                                                  \
    {                                                                                            \
        const type z = sedge_log_##s(a);                                                         \
        const real scale = (real)0.43429448190325182765;                                         \
        return sedge_make_##s(z.re * scale, z.im * scale);                                       \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_sin_##s(type a)                                                    \
    {                                                                                            \
        return sedge_make_##s(sin##f(a.re) * cosh##f(a.im), cos##f(a.re) * sinh##f(a.im));       \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_cos_##s(type a)                                                    \
    {                                                                                            \
        return sedge_make_##s(cos##f(a.re) * cosh##f(a.im), -(sin##f(a.re) * sinh##f(a.im)));    \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_sinh_##s(type a)                                                   \
    {                                                                                            \
        return sedge_make_##s(sinh##f(a.re) * cos##f(a.im), cosh##f(a.re) * sin##f(a.im));       \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_cosh_##s(type a)                                                   \
    {                                                                                            \
        return sedge_make_##s(cosh##f(a.re) * cos##f(a.im), sinh##f(a.re) * sin##f(a.im));       \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_tanh_##s(type a)                                                   \
    {                                                                                            \
        if (fabs##f(a.re) > (real)far) {                                                         \
            const real left = exp##f((real)-2 * fabs##f(a.re));                                  \
            return sedge_make_##s(copysign##f((real)1, a.re),                                    \
                                  (real)4 * sin##f(a.im) * cos##f(a.im) * left);                 \
        }                                                                                        \
        const real t = tan##f(a.im);                                                             \
        const real beta = (real)1 + t * t;                                                       \
        const real u = sinh##f(a.re);                                                            \
        const real below = (real)1 + beta * u * u;                                               \
        return sedge_make_##s(beta * sqrt##f((real)1 + u * u) * u / below, t / below);           \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_tan_##s(type a)                                                    \
    {                                                                                            \
        const type z = sedge_tanh_##s(sedge_make_##s(-a.im, a.re));                              \
        return sedge_make_##s(z.im, -z.re);                                                      \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_arcsin_##s(type a)                                                 \
    {                                                                                            \
        const type minus = sedge_sqrt_##s(sedge_make_##s((real)1 - a.re, -a.im));                \
        const type plus = sedge_sqrt_##s(sedge_make_##s((real)1 + a.re, a.im));                  \
        return sedge_make_##s(atan2##f(a.re, minus.re * plus.re - minus.im * plus.im),           \
                              asinh##f(minus.re * plus.im - minus.im * plus.re));                \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_arccos_##s(type a)                                                 \
    {                                                                                            \
        const type minus = sedge_sqrt_##s(sedge_make_##s((real)1 - a.re, -a.im));                \
        const type plus = sedge_sqrt_##s(sedge_make_##s((real)1 + a.re, a.im));                  \
        return sedge_make_##s((real)2 * atan2##f(minus.re, plus.re),                             \
                              asinh##f(plus.re * minus.im - plus.im * minus.re));                \
    }                                                                                            \
    SEDGE_FUNCTION type sedge_arctan_##s(type a)                                                 \
    {                                                                                            \
        const real x = a.re;                                                                     \
        const real y = fabs##f(a.im);                                                            \
        const real below = x * x + ((real)1 - y) * ((real)1 - y);                                \
        const real im = (real)0.25 * log1p##f((real)4 * y / below);                              \
        return sedge_make_##s((real)0.5 *                                                        \
                                  atan2##f((real)2 * x, ((real)1 - y) * ((real)1 + y) - x * x),  \
                              copysign##f(im, a.im));                                            \
    }                                                                                            \
    /* Whole powers up to 100 by products, as numpy. */                                          \
    SEDGE_FUNCTION type sedge_power_##s(type a, type b)                                          \
    {                                                                                            \
        if (b.re == (real)0 && b.im == (real)0) return sedge_make_##s((real)1, (real)0);         \
        if (a.re == (real)0 && a.im == (real)0 && b.re > (real)0)                                \
            return sedge_make_##s((real)0, (real)0);                                             \
        if (b.im == (real)0 && b.re == floor##f(b.re) && fabs##f(b.re) < (real)100) {            \
            int n = (int)fabs##f(b.re);                                                          \
            type result = sedge_make_##s((real)1, (real)0);                                      \
            for (type base = a; n > 0; n >>= 1, base = sedge_square_##s(base))                   \
                if (n & 1) result = sedge_multiply_##s(result, base);                            \
            if (b.re > (real)0) return result;                                                   \
            return sedge_divide_##s(sedge_make_##s((real)1, (real)0), result);                   \
        }                                                                                        \
        return sedge_exp_##s(sedge_multiply_##s(b, sedge_log_##s(a)));                           \
    }

SEDGE_COMPLEX(c64, sedge_complex64, float, f, 11, 80)
SEDGE_COMPLEX(c128, sedge_complex128, double, , 22, 700)

SEDGE_FUNCTION sedge_complex64 sedge_c64_from_c128(sedge_complex128 a)
{
    return sedge_make_c64((float)a.re, (float)a.im);
}

SEDGE_FUNCTION sedge_complex128 sedge_c128_from_c64(sedge_complex64 a)
{
    return sedge_make_c128((double)a.re, (double)a.im);
}
