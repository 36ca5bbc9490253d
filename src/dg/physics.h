// The words in which an equation's header is written, for the host compiler: everything in fp64,
// one lane. Run-time programs give the same words other meanings
// (codegen/kernels/program/prelude_*.h):
//
//   sedge_real    a scalar in the precision of the run
//   sedge_value   as many of these as the target works on at once: one on a GPU, a SIMD vector of
//                 elements on the host. Takes + - * /, mixed with sedge_real; no comparisons or ?:.
//   SEDGE_R(x)    the literal x as sedge_real: mixing a double literal with a vector is an error
//   SEDGE_SPLAT(x)  the sedge_value whose lanes all are x: a vector cannot be assigned a scalar
//   SEDGE_FUNCTION  what stands before a function
//   sedge_max, sedge_min, sedge_abs, sedge_sqrt, sedge_inverse  of sedge_value
#pragma once

#include <math.h>

typedef double sedge_real;
typedef double sedge_value;

#define SEDGE_FUNCTION __attribute__((unused)) static inline
#define SEDGE_R(x)     (x)
#define SEDGE_SPLAT(x) (x)

SEDGE_FUNCTION double sedge_max(double a, double b)
{
    return a > b ? a : b;
}

SEDGE_FUNCTION double sedge_min(double a, double b)
{
    return a < b ? a : b;
}

SEDGE_FUNCTION double sedge_abs(double a)
{
    return fabs(a);
}

SEDGE_FUNCTION double sedge_sqrt(double a)
{
    return sqrt(a);
}

SEDGE_FUNCTION double sedge_inverse(double a)
{
    return 1.0 / a;
}

// The value at time t of a time signal, which is this many numbers (dg/signal.h).
#define SEDGE_SIGNAL_VALUES 6
double sedge_signal(const double *signal, double t);
