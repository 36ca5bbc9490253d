// Scalar arguments of kernels.
#pragma once

#include "operator/operator.h"

// A scalar kernel argument in the run's precision.
typedef union operator_real {
    float f;
    double d;
} operator_real;

operator_real operator_scalar(const sedge_operator *op, double value);
