// Scalar arguments of kernels in the run's precision, fp32 or fp64.
#pragma once

#include "operator/operator.h"

// One argument; a kernel reads the member of its precision.
typedef union operator_real {
    float f;
    double d;
} operator_real;

operator_real operator_scalar(const sedge_operator *op, double value);
