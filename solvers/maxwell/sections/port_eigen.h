// Real eigenvalues of a matrix that is not symmetric.
#pragma once

#include "base/error.h"

// Those of a [n][n] that are real, but for rounding: how many, in descending order w [n], and
// vectors of length 1 in the columns of v [n][n]; those of eigenvalues that are nearly the same are
// orthogonal. SEDGE_ERR_MEMORY; SEDGE_ERR_COMPUTE: they were not found.
SEDGE_MUST_USE
sedge_status port_eigen_find(int *count, int n, const double *a, double *w, double *v);
