// What one launch of a kernel costs at least: bytes to move and operations to do.
#pragma once

#include "operator/launch.h"
#include "operator/operator.h"

// Compulsory bytes and nominal operations of one kernel in a stage, in all elements of this rank.
void operator_count(const sedge_operator *op, operator_kernel kernel, double *bytes, double *flops);
