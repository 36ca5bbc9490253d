// What kernels use of <math.h>, for tests on the host (CMakeLists.txt): gcc reads it in a sixth of
// the time.
#pragma once

#define SEDGE_DECLARE_1(name) \
    double name(double a);    \
    float name##f(float a);
#define SEDGE_DECLARE_2(name)        \
    double name(double a, double b); \
    float name##f(float a, float b);

SEDGE_DECLARE_1(acos)
SEDGE_DECLARE_1(acosh)
SEDGE_DECLARE_1(asin)
SEDGE_DECLARE_1(asinh)
SEDGE_DECLARE_1(atan)
SEDGE_DECLARE_1(atanh)
SEDGE_DECLARE_1(ceil)
SEDGE_DECLARE_1(cos)
SEDGE_DECLARE_1(cosh)
SEDGE_DECLARE_1(exp)
SEDGE_DECLARE_1(fabs)
SEDGE_DECLARE_1(floor)
SEDGE_DECLARE_1(lgamma)
SEDGE_DECLARE_1(log)
SEDGE_DECLARE_1(log10)
SEDGE_DECLARE_1(log1p)
SEDGE_DECLARE_1(sin)
SEDGE_DECLARE_1(sinh)
SEDGE_DECLARE_1(sqrt)
SEDGE_DECLARE_1(tan)
SEDGE_DECLARE_1(tanh)
SEDGE_DECLARE_1(trunc)
SEDGE_DECLARE_2(atan2)
SEDGE_DECLARE_2(copysign)
SEDGE_DECLARE_2(fmax)
SEDGE_DECLARE_2(fmin)
SEDGE_DECLARE_2(fmod)
SEDGE_DECLARE_2(hypot)
SEDGE_DECLARE_2(pow)
double fma(double a, double b, double c);
float fmaf(float a, float b, float c);

#define isfinite(a) __builtin_isfinite(a)
#define isinf(a)    __builtin_isinf_sign(a)
#define isnan(a)    __builtin_isnan(a)
#define HUGE_VAL    __builtin_huge_val()
#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
