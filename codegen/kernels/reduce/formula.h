// What the formulas of reductions and scans may use beside numbers.h.
#pragma once

SEDGE_FUNCTION float formula_infinity(void)
{
    union {
        unsigned bits;
        float number;
    } x;
    x.bits = 0x7f800000u;
    return x.number;
}
