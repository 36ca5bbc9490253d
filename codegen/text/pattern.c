#include "text/pattern.h"

#include <math.h>

sedge_status sedge_constant_write(sedge_text *out, sedge_binding_kind kind, double value)
{
    const bool is_float = kind == SEDGE_BINDING_FLOAT;
    const double number = is_float ? (double)(float)value : value;
    const bool negative = signbit(number) != 0;

    if (!isfinite(number)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%g is not a finite number%s: it cannot be a constant",
                          value, is_float && isfinite(value) ? " of type float" : "");
    }
    return sedge_text_add(out, "%s%a%s%s", negative ? "(" : "", number, is_float ? "f" : "",
                          negative ? ")" : "");
}
