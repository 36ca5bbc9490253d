// Time signals of sources, in fp64 on every target: a phase w t needs it.
//
// A signal is SEDGE_SIGNAL_VALUES numbers: kind, amplitude, frequency, width, delay, ramp.
//   0 gaussian  a exp(-u^2) g,  u = (t - delay) / width,  g = 1 or sin(2 pi f (t - delay)) for f >
//   0 1 ricker    a (1 - 2 v) exp(-v),  v = (pi f (t - delay))^2 2 cw        a sin(2 pi f t) r,  r
//   = 10 x^3 - 15 x^4 + 6 x^5 of x = t / ramp in [0, 1]
// Time and width, delay, ramp in code time units, frequency in cycles per code time unit.
#pragma once

#define SEDGE_SIGNAL_VALUES 6

#define SEDGE_SIGNAL_GAUSSIAN 0
#define SEDGE_SIGNAL_RICKER   1
#define SEDGE_SIGNAL_CW       2

SEDGE_FUNCTION double sedge_signal(const double *s, double t)
{
    const double pi = 3.14159265358979323846;
    const double since = t - s[4];

    if (s[0] == SEDGE_SIGNAL_GAUSSIAN) {
        const double u = since / s[3];
        const double carrier = s[2] > 0.0 ? sin(2.0 * pi * s[2] * since) : 1.0;
        return s[1] * exp(-u * u) * carrier;
    }
    if (s[0] == SEDGE_SIGNAL_RICKER) {
        const double a = pi * s[2] * since;
        return s[1] * (1.0 - 2.0 * a * a) * exp(-a * a);
    }
    const double x = s[5] > 0.0 ? t / s[5] : 1.0;
    const double ramp = x <= 0.0   ? 0.0
                        : x >= 1.0 ? 1.0
                                   : x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
    return t <= 0.0 ? 0.0 : s[1] * sin(2.0 * pi * s[2] * t) * ramp;
}
