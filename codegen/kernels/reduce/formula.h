// Functions for the formulas of reductions and scans, in addition to those of numbers.h.
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
