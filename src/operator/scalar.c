#include "operator/scalar.h"

#include "operator/parts.h"

operator_real operator_scalar(const sedge_operator *op, double value)
{
    operator_real real;

    if (op->layout.real_bytes == 8) {
        real.d = value;
    } else {
        real.f = (float)value;
    }
    return real;
}
