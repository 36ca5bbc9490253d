// Scalar arguments of kernels in the run's precision, fp32 or fp64.
#pragma once

#include "operator/parts.h"

// One argument; a kernel reads the member of its precision.
typedef union operator_real {
    float f;
    double d;
} operator_real;

static inline operator_real operator_scalar(const sedge_operator *op, double value)
{
    operator_real real;

    if (op->layout.real_bytes == 8) {
        real.d = value;
    } else {
        real.f = (float)value;
    }
    return real;
}
