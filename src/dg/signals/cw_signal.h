// a sin(2 pi f t + q pi / 180) r for t > 0, with r = 10 x^3 - 15 x^4 + 6 x^5 of x = t / ramp in [0,
// 1]. signal: kind, a, f, q, not used, ramp
#pragma once

#include "dg/physics.h"

SEDGE_FUNCTION double cw_signal(const double *signal, double t)
{
    const double pi = 3.14159265358979323846;
    const double x = signal[5] > 0.0 ? t / signal[5] : 1.0;
    const double ramp = x <= 0.0   ? 0.0
                        : x >= 1.0 ? 1.0
                                   : x * x * x * (10.0 + x * (-15.0 + 6.0 * x));

    return t <= 0.0 ? 0.0
                    : signal[1] * sin(2.0 * pi * signal[2] * t + signal[3] * pi / 180.0) * ramp;
}
