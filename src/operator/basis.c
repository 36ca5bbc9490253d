// Between the bases of nodal values and of coefficients.
#include "operator/basis.h"

#include "operator/parts.h"

#include <string.h>

sedge_status operator_bernstein_need(sedge_operator *op)
{
    return op->bernstein != NULL ? SEDGE_OK : sedge_bernstein_create(&op->bernstein, op->element);
}

void operator_convert(const sedge_operator *op, sedge_basis to, sedge_basis from, double *values,
                      double *work, int64_t rows)
{
    if (to == from) return;
    memcpy(work, values, (size_t)(rows * op->element->nodes) * sizeof *work);
    sedge_bernstein_convert(op->bernstein, to, values, work, rows);
}
