// a (1 - 2 v) exp(-v) with v = (pi f (t - d))^2.
// signal: kind, a, f, not used, d
#pragma once

#include "dg/physics.h"

SEDGE_FUNCTION double ricker_signal(const double *signal, double t)
{
    const double pi = 3.14159265358979323846;
    const double since = t - signal[4];
    const double b = pi * signal[2] * since;

    return signal[1] * (1.0 - 2.0 * b * b) * exp(-b * b);
}
