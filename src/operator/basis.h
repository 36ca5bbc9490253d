// Conversion between nodal values and coefficients of the Bernstein-Bezier basis, on the host.
#pragma once

#include "operator/operator.h"

// Make op->bernstein unless it is there.
SEDGE_MUST_USE
sedge_status operator_bernstein_need(sedge_operator *op);

// `rows` rows of nodes, in the basis `from`, in place into the basis `to`; work has as many
// numbers. Needs op->bernstein where the two differ.
void operator_convert(const sedge_operator *op, sedge_basis to, sedge_basis from, double *values,
                      double *work, int64_t rows);
