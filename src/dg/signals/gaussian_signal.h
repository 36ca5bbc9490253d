// a exp(-((t - d) / w)^2), times sin(2 pi f (t - d) + q pi / 180) where f > 0.
// signal: kind, a, f, w, d, q
#pragma once

#include "dg/physics.h"

SEDGE_FUNCTION double gaussian_signal(const double *signal, double t)
{
    const double pi = 3.14159265358979323846;
    const double since = t - signal[4];
    const double u = since / signal[3];
    const double carrier =
        signal[2] > 0.0 ? sin(2.0 * pi * signal[2] * since + signal[5] * pi / 180.0) : 1.0;

    return signal[1] * exp(-u * u) * carrier;
}
