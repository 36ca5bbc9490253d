// Initial states of Maxwell's equations; most are exact solutions at all times.
#include "maxwell.h"

#include <math.h>

#define PI              3.14159265358979323846
#define COUNT_OF(table) ((int)(sizeof(table) / sizeof *(table)))

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void apply_zero(const double *x, double t, const double *m, const double *p, const double *c,
                       double *u)
{
    for (int i = 0; i < 6; i++) u[i] = 0.0;
    (void)x, (void)t, (void)m, (void)p, (void)c;
}

// ---- modes of a conducting box -----------------------------------------------------------------

static const sedge_parameter cavity_parameters[] = {
    {.name = "mode",
     .type = SEDGE_PARAMETER_INTEGERS,
     .fallback = {1.0, 1.0, 1.0},
     .minimum = 0.0,
     .maximum = 1000.0,
     .text = "half waves along x, y, z; at most one may be 0"},
    {.name = "size",
     .type = SEDGE_PARAMETER_VECTOR,
     .fallback = {1.0, 1.0, 1.0},
     .positive = true,
     .dimension = SEDGE_LENGTH,
     .text = "edges of the box"},
    {.name = "origin",
     .type = SEDGE_PARAMETER_VECTOR,
     .dimension = SEDGE_LENGTH,
     .text = "the box's least corner"},
    {.name = "amplitude",
     .type = SEDGE_PARAMETER_VECTOR,
     .fallback = {1.0, -0.4, -0.6},
     .dimension = SEDGE_FIELD,
     .text = "of Ex, Ey, Ez; the part along the wave vector is removed"},
};

void maxwell_cavity_amplitude(const double *p, double k[3], double amplitude[3])
{
    for (int i = 0; i < 3; i++) k[i] = p[CAVITY_MODE + i] * PI / p[CAVITY_SIZE + i];

    const double along = dot(p + CAVITY_AMPLITUDE, k) / dot(k, k);
    for (int i = 0; i < 3; i++) amplitude[i] = p[CAVITY_AMPLITUDE + i] - along * k[i];
}

// g of eps g'' + sigma g' + (k^2/mu) g = 0, g(0) = 0, g'(0) = 1, and f = g'.
static void swing(double decay, double frequency, double t, double *f, double *g)
{
    const double d = 0.5 * decay;
    const double square = frequency * frequency - d * d;
    const double w = sqrt(fabs(square));
    const double damping = exp(-d * t);
    double s = t; // sin(w t) / w, sinh(w t) / w or t
    double c = 1.0;

    if (w > 0.0) {
        s = (square > 0.0 ? sin(w * t) : sinh(w * t)) / w;
        c = square > 0.0 ? cos(w * t) : cosh(w * t);
    }
    *g = damping * s;
    *f = damping * (c - d * s);
}

// E_i = A_i cos(k_i x_i) prod_{j != i} sin(k_j x_j) f(t), A perpendicular to k;
// H_i = -(1/mu) (k x A)_i sin(k_i x_i) prod_{j != i} cos(k_j x_j) g(t).
static void apply_cavity(const double *x, double t, const double *m, const double *p,
                         const double *c, double *u)
{
    double k[3], A[3], kA[3], cosine[3], sine[3];
    double f, g;

    maxwell_cavity_amplitude(p, k, A);
    cross(k, A, kA);
    swing(m[MAXWELL_DECAY], sqrt(dot(k, k) * m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]), t,
          &f, &g);
    for (int i = 0; i < 3; i++) {
        cosine[i] = cos(k[i] * (x[i] - p[CAVITY_ORIGIN + i]));
        sine[i] = sin(k[i] * (x[i] - p[CAVITY_ORIGIN + i]));
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int l = (i + 2) % 3;
        u[i] = A[i] * cosine[i] * sine[j] * sine[l] * f;
        u[3 + i] = -m[MAXWELL_INVERSE_MU] * kA[i] * sine[i] * cosine[j] * cosine[l] * g;
    }
    (void)c;
}

// ---- plane waves -------------------------------------------------------------------------------

const sedge_parameter maxwell_wave_parameters[MAXWELL_WAVE_PARAMETERS] = {
    {.name = "direction",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .nonzero = true,
     .text = "where the wave goes; its length does not matter"},
    {.name = "polarisation",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .nonzero = true,
     .text = "of E, times the signal; perpendicular to the direction"},
    {.name = "origin",
     .type = SEDGE_PARAMETER_VECTOR,
     .dimension = SEDGE_LENGTH,
     .text = "the place where E is polarisation times signal(t)"},
    {.name = "signal",
     .type = SEDGE_PARAMETER_SIGNAL,
     .required = true,
     .dimension = SEDGE_FIELD,
     .text = "E over time"},
};

// E = polarisation * value, H = Y k x E with the unit vector along k.
static void set_wave(const double *k, const double *polarisation, double value, const double *m,
                     double *u)
{
    const double scale = value * m[MAXWELL_Y] / sqrt(dot(k, k));

    cross(k, polarisation, u + 3);
    for (int i = 0; i < 3; i++) {
        u[i] = value * polarisation[i];
        u[3 + i] *= scale;
    }
}

static void apply_plane_wave(const double *x, double t, const double *m, const double *p,
                             const double *c, double *u)
{
    const double *k = p + WAVE_DIRECTION;
    const double speed = sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]);
    double path = 0.0;

    for (int i = 0; i < 3; i++) path += k[i] * (x[i] - p[WAVE_ORIGIN + i]);
    path /= sqrt(dot(k, k));
    set_wave(k, p + WAVE_POLARISATION, sedge_signal(p + WAVE_SIGNAL, t - path / speed), m, u);
    (void)c;
}

static const sedge_parameter periodic_parameters[] = {
    {.name = "waves",
     .type = SEDGE_PARAMETER_INTEGERS,
     .fallback = {1.0, 1.0, 1.0},
     .minimum = -1000.0,
     .maximum = 1000.0,
     .text = "whole waves a period along x, y, z"},
    {.name = "period",
     .type = SEDGE_PARAMETER_VECTOR,
     .fallback = {1.0, 1.0, 1.0},
     .positive = true,
     .dimension = SEDGE_LENGTH,
     .text = "edges of the periodic box"},
    {.name = "polarisation",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .dimension = SEDGE_FIELD,
     .text = "of E, perpendicular to the wave vector 2 pi waves / period"},
};

static bool find_turns(const double *p, double *k)
{
    for (int i = 0; i < 3; i++) k[i] = p[PERIODIC_WAVES + i] / p[PERIODIC_PERIOD + i];
    return true;
}

// exp(i (w t - K.x)) has the real part cos(K.x - w t) and the imaginary part cos(K.x - w t + pi/2).
static void turn_periodic(const double k[3], int copy, double *p)
{
    for (int i = 0; i < 3; i++) p[PERIODIC_WAVES + i] += k[i] * p[PERIODIC_PERIOD + i] / (2.0 * PI);
    p[PERIODIC_PHASE] = copy == 0 ? 0.0 : 0.5 * PI;
}

// E = polarisation cos(k.x - w t + phase)
static void apply_periodic(const double *x, double t, const double *m, const double *p,
                           const double *c, double *u)
{
    double k[3];

    for (int i = 0; i < 3; i++) k[i] = 2.0 * PI * p[PERIODIC_WAVES + i] / p[PERIODIC_PERIOD + i];
    const double w = sqrt(dot(k, k) * m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]);
    set_wave(k, p + PERIODIC_POLARISATION, cos(dot(k, x) - w * t + p[PERIODIC_PHASE]), m, u);
    (void)c;
}

// ---- a conducting box with two layers ----------------------------------------------------------

static const sedge_parameter layered_parameters[] = {
    {.name = "mode",
     .type = SEDGE_PARAMETER_INTEGERS,
     .fallback = {1.0, 1.0, 1.0},
     .minimum = 1.0,
     .maximum = 100.0,
     .text = "half waves along x and y, and the number of the mode along z, 1 the lowest"},
    {.name = "size",
     .type = SEDGE_PARAMETER_VECTOR,
     .fallback = {1.0, 1.0, 1.0},
     .positive = true,
     .dimension = SEDGE_LENGTH,
     .text = "edges of the box"},
    {.name = "origin",
     .type = SEDGE_PARAMETER_VECTOR,
     .dimension = SEDGE_LENGTH,
     .text = "the box's least corner"},
    {.name = "split",
     .fallback = {0.5},
     .minimum = 0.01,
     .maximum = 0.99,
     .text = "where the layers meet, as a fraction of the box's edge along z"},
    {.name = "epsilon-below",
     .fallback = {1.0},
     .positive = true,
     .text = "relative permittivity of the lower layer; mu is 1"},
    {.name = "epsilon-above",
     .fallback = {4.0},
     .positive = true,
     .text = "relative permittivity of the upper layer; mu is 1"},
};

// s = sin(sqrt(q) z) / sqrt(q), its continuation to q <= 0, and its derivative c.
static void standing(double q, double z, double *s, double *c)
{
    const double k = sqrt(fabs(q));

    *c = q > 0.0 ? cos(k * z) : cosh(k * z);
    *s = k > 0.0 ? (q > 0.0 ? sin(k * z) : sinh(k * z)) / k : z;
}

// Zero where the layers' standing waves meet with value and slope.
static double mismatch(const double *p, double kt2, double w2)
{
    const double below = p[LAYERED_SPLIT] * p[LAYERED_SIZE + 2];
    const double above = p[LAYERED_SIZE + 2] - below;
    double s1, c1, s2, c2;

    standing(w2 * p[LAYERED_BELOW] - kt2, below, &s1, &c1);
    standing(w2 * p[LAYERED_ABOVE] - kt2, above, &s2, &c2);
    return s1 * c2 + c1 * s2;
}

// The square of the mode's angular frequency. The n-th root lies between those of a box filled with
// the denser and with the thinner medium; between them the roots are counted by their signs, in
// steps much smaller than their distance.
static double find_frequency(const double *p, double kt2)
{
    const double dense = fmax(p[LAYERED_BELOW], p[LAYERED_ABOVE]);
    const double kz = PI / p[LAYERED_SIZE + 2];
    const double step = kz * kz / dense / 16.0;
    double low = kt2 / dense;
    double f_low = mismatch(p, kt2, low);
    int left = (int)p[LAYERED_MODE + 2];

    for (;;) {
        const double f = mismatch(p, kt2, low + step);
        if ((f_low > 0.0) != (f > 0.0) && --left == 0) break;
        low += step;
        f_low = f;
    }
    double high = low + step;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        const double f = mismatch(p, kt2, middle);
        if ((f_low > 0.0) == (f > 0.0)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

// Transverse electric to z: E = (ky cos(kx x) sin(ky y), -kx sin(kx x) cos(ky y), 0) Z(z) cos(w t),
// H = -curl E / w with sin(w t). Z is a standing wave from each end.
static void apply_layered(const double *x, double t, const double *m, const double *p,
                          const double *c, double *u)
{
    const double kx = p[LAYERED_MODE] * PI / p[LAYERED_SIZE];
    const double ky = p[LAYERED_MODE + 1] * PI / p[LAYERED_SIZE + 1];
    const double kt2 = kx * kx + ky * ky;
    const double w2 = find_frequency(p, kt2);
    const double w = sqrt(w2);
    const double height = p[LAYERED_SIZE + 2];
    const double split = p[LAYERED_SPLIT] * height;
    const double z = x[2] - p[LAYERED_ORIGIN + 2];
    double s1, c1, s2, c2, Z, dZ;

    standing(w2 * p[LAYERED_BELOW] - kt2, z < split ? z : split, &s1, &c1);
    Z = s1;
    dZ = c1;
    if (z >= split) {
        // The upper wave, scaled by whichever of value and slope is away from zero.
        standing(w2 * p[LAYERED_ABOVE] - kt2, height - split, &s2, &c2);
        const double scale = fabs(s2) > 0.1 * height * fabs(c2) ? s1 / s2 : -c1 / c2;
        standing(w2 * p[LAYERED_ABOVE] - kt2, height - z, &s2, &c2);
        Z = scale * s2;
        dZ = -scale * c2;
    }

    const double X = kx * (x[0] - p[LAYERED_ORIGIN]);
    const double Y = ky * (x[1] - p[LAYERED_ORIGIN + 1]);
    u[0] = ky * cos(X) * sin(Y) * Z * cos(w * t);
    u[1] = -kx * sin(X) * cos(Y) * Z * cos(w * t);
    u[2] = 0.0;
    u[3] = -kx * sin(X) * cos(Y) * dZ * sin(w * t) / w;
    u[4] = -ky * cos(X) * sin(Y) * dZ * sin(w * t) / w;
    u[5] = kt2 * cos(X) * cos(Y) * Z * sin(w * t) / w;
    (void)m, (void)c;
}

// ---- the lowest mode of a conducting ball ------------------------------------------------------

// ka with d/dr (r j_1(kr)) = 0 at r = a: TM_011.
#define BALL_WAVE 2.743707269992265

static const sedge_parameter ball_parameters[] = {
    {.name = "radius",
     .fallback = {1.0},
     .positive = true,
     .dimension = SEDGE_LENGTH,
     .text = "of the ball"},
    {.name = "centre",
     .type = SEDGE_PARAMETER_VECTOR,
     .dimension = SEDGE_LENGTH,
     .text = "of the ball"},
    {.name = "axis",
     .type = SEDGE_PARAMETER_VECTOR,
     .fallback = {0.0, 0.0, 1.0},
     .dimension = SEDGE_FIELD,
     .text = "E in the centre at t = 0"},
};

// j_n(q) / q^n of the spherical Bessel functions, n = 1 and 2; near 0 by their series.
static void find_bessel(double q, double *one, double *two)
{
    const double s = q * q;

    if (q < 0.1) {
        *one = 1.0 / 3.0 - s * (1.0 / 30.0 - s * (1.0 / 840.0 - s / 45360.0));
        *two = 1.0 / 15.0 - s * (1.0 / 210.0 - s * (1.0 / 7560.0 - s / 498960.0));
        return;
    }
    *one = (sin(q) - q * cos(q)) / (q * s);
    *two = ((3.0 - s) * sin(q) - 3.0 * q * cos(q)) / (q * s * s);
}

// H = -(3/2) w eps (j_1(kr) / kr) axis x r sin(w t), E = curl H / (eps w) without its sine:
// (3/2) ((2 j_1 / kr - j_2) axis + (axis.r / r) (r / r) j_2) cos(w t).
static void apply_ball(const double *x, double t, const double *m, const double *p, const double *c,
                       double *u)
{
    const double *const axis = p + BALL_AXIS;
    const double k = BALL_WAVE / p[BALL_RADIUS];
    const double y = sqrt(m[MAXWELL_INVERSE_MU] / m[MAXWELL_INVERSE_EPSILON]);
    const double w = k * sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]);
    double r[3];
    double turn[3];
    double one;
    double two;

    for (int i = 0; i < 3; i++) r[i] = x[i] - p[BALL_CENTRE + i];
    const double square = k * k * dot(r, r);
    find_bessel(sqrt(square), &one, &two);
    cross(axis, r, turn);
    for (int i = 0; i < 3; i++) {
        u[i] = 1.5 * cos(w * t) *
               (axis[i] * (2.0 * one - square * two) + k * k * dot(axis, r) * r[i] * two);
        u[3 + i] = -1.5 * sin(w * t) * y * k * one * turn[i];
    }
    (void)c;
}

// ---- the table ---------------------------------------------------------------------------------

const sedge_initial_kind maxwell_initials[MAXWELL_INITIALS] = {
    {.name = "zero", .apply = apply_zero, .text = "no field", .zero = true},
    {.name = "cavity-mode",
     .apply = apply_cavity,
     .exact = true,
     .parameters = cavity_parameters,
     .parameter_count = COUNT_OF(cavity_parameters),
     .text = "a mode of a box with pec walls and one medium, conducting or not"},
    {.name = "plane-wave",
     .apply = apply_plane_wave,
     .exact = true,
     .parameters = maxwell_wave_parameters,
     .parameter_count = MAXWELL_WAVE_PARAMETERS,
     .text = "a travelling plane wave in one medium",
     .wave = sedge_heading},
    {.name = "periodic-wave",
     .apply = apply_periodic,
     .exact = true,
     .parameters = periodic_parameters,
     .parameter_count = COUNT_OF(periodic_parameters),
     .text = "a harmonic plane wave in a periodic box",
     .wave = find_turns,
     .turn = turn_periodic},
    {.name = "layered-mode",
     .apply = apply_layered,
     .exact = true,
     .parameters = layered_parameters,
     .parameter_count = COUNT_OF(layered_parameters),
     .text = "a mode, transverse electric to z, of a box with pec walls and two layers along z"},
    {.name = "ball-mode",
     .apply = apply_ball,
     .exact = true,
     .parameters = ball_parameters,
     .parameter_count = COUNT_OF(ball_parameters),
     .text = "the lowest mode (TM 011) of a ball with a pec wall and one medium"},
};
