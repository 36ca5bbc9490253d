// Small dense matrices in fp64, row-major, for building the reference element.
#pragma once

#include "base/error.h"

#include <stdbool.h>

// inverse = a^-1, both [n][n], by elimination with partial pivoting in long double. Fails with
// SEDGE_ERR_INTERNAL when a pivot vanishes.
SEDGE_MUST_USE
sedge_status sedge_dense_invert(double *inverse, const double *a, int n);

// c = op(a) op(b), [rows][columns], summed over `inner` in long double. op transposes if the flag
// is set: a is [rows][inner], or [inner][rows] if transposed; b is [inner][columns], or
// [columns][inner].
void sedge_dense_multiply(double *c, const double *a, bool a_transposed, const double *b,
                          bool b_transposed, int rows, int inner, int columns);

// The eigenvalues of a symmetric 3 x 3 matrix t = xx, yy, zz, yz, zx, xy, ascending.
void sedge_symmetric_values(double values[3], const double t[6]);
