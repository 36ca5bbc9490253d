// Maps of the unit box that make its elements curved, for tests.
#pragma once

#include <math.h>

// Periodic: nodes move by up to 0.05.
static inline void curved_wave(const double x[3], double moved[3])
{
    const double turn = 2.0 * 3.14159265358979323846;

    moved[0] = x[0] + 0.04 * sin(turn * x[1]) * cos(turn * x[2]);
    moved[1] = x[1] + 0.03 * sin(turn * (x[2] + x[0]));
    moved[2] = x[2] + 0.03 * cos(turn * x[0]) * sin(turn * x[1]);
}

// The walls stay flat and in place; nodes move inside the box and along the walls.
static inline void curved_bulge(const double x[3], double moved[3])
{
    const double pi = 3.14159265358979323846;

    moved[0] = x[0] + 0.05 * sin(pi * x[0]) * cos(pi * x[1]) * cos(pi * x[2]);
    moved[1] = x[1] + 0.05 * sin(pi * x[1]) * cos(pi * x[2]);
    moved[2] = x[2] - 0.05 * sin(pi * x[2]) * cos(2.0 * pi * x[0]);
}

// Only the upper corner is bent, its walls too: most elements stay straight.
static inline void curved_corner(const double x[3], double moved[3])
{
    double part = 1.0;

    for (int d = 0; d < 3; d++) part *= x[d] > 0.4 ? (x[d] - 0.4) * (x[d] - 0.4) : 0.0;
    moved[0] = x[0] + 1.0 * part;
    moved[1] = x[1] - 0.8 * part;
    moved[2] = x[2] + 1.2 * part;
}
