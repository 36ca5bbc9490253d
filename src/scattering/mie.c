#include "mie.h"

#include "base/memory.h"

#include "mie_series.h"
#include "pattern.h"

#include <math.h>
#include <string.h>

#define J            ((double complex)_Complex_I)
#define PI           3.14159265358979323846
#define MAXIMUM_SIZE 1e5  // |index| k a
#define ON_SURFACE   1e-6 // radii
#define AT_CENTRE    1e-9 // k r: fields at nearer points are those at this distance

struct sedge_mie {
    double wavenumber; // of the medium around
    double admittance; // of the medium around
    double centre[3];
    double frame[3][3];             // unit vectors x', y', z'; the wave goes along z'
    double complex amplitude[2];    // of E along x' and y', at the centre
    double complex polarisation[3]; // of E at the centre
    double square;                  // |E|^2
    double area;                    // pi a^2
    sedge_mie_series series;
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- creation ----------------------------------------------------------------------------------

static sedge_status check_medium(double complex epsilon, double complex mu, const char *place)
{
    const double complex both[2] = {epsilon, mu};
    const char *const names[2] = {"epsilon", "mu"};

    for (int i = 0; i < 2; i++) {
        const double re = creal(both[i]);
        const double im = cimag(both[i]);
        if (!(isfinite(re) && isfinite(im)) || cabs(both[i]) <= 0.0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "Mie series: %s of the %s is %g%+gj, must be finite and not 0",
                              names[i], place, re, im);
        }
        if (im > 0.0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "Mie series: %s of the %s is %g%+gj, a medium with gain; under "
                              "exp(+j w t) losses are negative imaginary parts",
                              names[i], place, re, im);
        }
    }
    return SEDGE_OK;
}

static sedge_status check_sphere(const sedge_sphere *sphere, double frequency)
{
    if (sphere->layers < 1 || sphere->layers > SEDGE_SPHERE_LAYERS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "Mie series: %d layers are outside 1..%d",
                          sphere->layers, SEDGE_SPHERE_LAYERS);
    }
    if (!(frequency > 0.0 && isfinite(frequency))) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "Mie series: the frequency is %g, must be positive",
                          frequency);
    }
    const double background[2] = {sphere->background_epsilon, sphere->background_mu};
    for (int i = 0; i < 2; i++) {
        if (!(background[i] > 0.0 && isfinite(background[i]))) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "Mie series: %s around the sphere is %g, must be positive",
                              i == 0 ? "epsilon" : "mu", background[i]);
        }
    }
    const double k = frequency * sqrt(background[0] * background[1]);
    for (int l = 0; l < sphere->layers; l++) {
        const char *const place = l == 0 ? "core" : "coating";
        const double least = l == 0 ? 0.0 : sphere->radius[l - 1];
        const bool conducting = l == 0 && sphere->conducting;
        if (!(sphere->radius[l] > least && isfinite(sphere->radius[l]))) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "Mie series: the radius of the %s is %g, must be above %g", place,
                              sphere->radius[l], least);
        }
        if (!conducting) SEDGE_TRY(check_medium(sphere->epsilon[l], sphere->mu[l], place));
        const double relative = conducting ? 0.0
                                           : cabs(csqrt(sphere->epsilon[l] * sphere->mu[l])) /
                                                 sqrt(background[0] * background[1]);
        const double size = fmax(1.0, relative) * k * sphere->radius[l];
        if (!(size <= MAXIMUM_SIZE)) {
            return SEDGE_FAIL(
                SEDGE_ERR_USAGE,
                "Mie series: index times wavenumber times radius of the %s is %g, above %g; "
                "make the radius smaller or the core a perfect conductor",
                place, size, MAXIMUM_SIZE);
        }
    }
    return SEDGE_OK;
}

// The frame of the wave and its amplitudes at the centre of the sphere.
static sedge_status set_wave(sedge_mie *mie, const sedge_incident_wave *wave)
{
    const double length = sqrt(dot(wave->direction, wave->direction));
    double(*const frame)[3] = mie->frame;
    double complex along = 0.0;
    double path = 0.0;

    for (int i = 0; i < 3; i++) {
        frame[2][i] = wave->direction[i] / length;
        along += frame[2][i] * wave->polarisation[i];
        const double size = cabs(wave->polarisation[i]);
        mie->square += size * size;
        path += frame[2][i] * (mie->centre[i] - wave->origin[i]);
    }
    if (!(isfinite(length) && length > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "Mie series: the wave's direction has length %g",
                          length);
    }
    if (!(isfinite(mie->square) && mie->square > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "Mie series: the wave's polarisation has length %g",
                          sqrt(mie->square));
    }
    if (!(cabs(along) <= 1e-9 * sqrt(mie->square))) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "Mie series: the polarisation has a part of %g along the wave's direction; "
            "it must be perpendicular",
            cabs(along) / sqrt(mie->square));
    }
    int axis = 0; // the one that is farthest from the direction
    for (int i = 1; i < 3; i++)
        if (fabs(frame[2][i]) < fabs(frame[2][axis])) axis = i;
    const double share = frame[2][axis];
    for (int i = 0; i < 3; i++)
        frame[0][i] = ((i == axis) - share * frame[2][i]) / sqrt(1.0 - share * share);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int l = (i + 2) % 3;
        frame[1][i] = frame[2][j] * frame[0][l] - frame[2][l] * frame[0][j];
    }
    const double complex phase = cexp(-J * mie->wavenumber * path);
    for (int i = 0; i < 3; i++) {
        mie->polarisation[i] = wave->polarisation[i] * phase;
        for (int a = 0; a < 2; a++) mie->amplitude[a] += frame[a][i] * mie->polarisation[i];
    }
    return SEDGE_OK;
}

sedge_status sedge_mie_create(sedge_mie **out, const sedge_sphere *sphere,
                              const sedge_incident_wave *wave, double frequency)
{
    sedge_status status;
    sedge_mie *mie = NULL;

    *out = NULL;
    SEDGE_TRY(check_sphere(sphere, frequency));
    SEDGE_TRY(sedge_allocate(&mie, 1, sizeof *mie));
    const double radius = sphere->radius[sphere->layers - 1];
    mie->wavenumber = frequency * sqrt(sphere->background_epsilon * sphere->background_mu);
    mie->admittance = sqrt(sphere->background_epsilon / sphere->background_mu);
    mie->area = PI * radius * radius;
    memcpy(mie->centre, sphere->centre, sizeof mie->centre);
    SEDGE_TRY_GOTO(status, set_wave(mie, wave));
    SEDGE_TRY_GOTO(status, sedge_mie_series_create(&mie->series, sphere, mie->wavenumber));
    *out = mie;
    mie = NULL; // now the caller's
done:
    sedge_mie_free(mie);
    return status;
}

void sedge_mie_free(sedge_mie *mie)
{
    if (mie == NULL) return;
    sedge_mie_series_clear(&mie->series);
    sedge_release(mie);
}

// ---- cross-sections and far field --------------------------------------------------------------

sedge_mie_sections sedge_mie_find_sections(const sedge_mie *mie)
{
    const double complex *const a = mie->series.outside[SEDGE_MIE_TM];
    const double complex *const b = mie->series.outside[SEDGE_MIE_TE];
    const double unit = 2.0 * PI / (mie->wavenumber * mie->wavenumber);
    sedge_mie_sections sections = {0};
    double complex back = 0.0;

    for (int n = mie->series.terms; n >= 1; n--) { // from the smallest
        const double weight = 2.0 * n + 1.0;
        sections.scattering += weight * creal(a[n] * conj(a[n]) + b[n] * conj(b[n]));
        sections.extinction += weight * creal(a[n] + b[n]);
        back += weight * (n % 2 == 0 ? a[n] - b[n] : b[n] - a[n]);
    }
    sections.scattering *= unit;
    sections.extinction *= unit;
    sections.absorption = sections.extinction - sections.scattering;
    sections.backscatter = 0.5 * unit * creal(back * conj(back));
    return sections;
}

// pi_n = P_n^1 / sin(theta) and tau_n = d P_n^1 / d theta, by upward recurrence in n.
typedef struct angular {
    double pi, tau;
    double before; // pi_(n-1)
} angular;

static angular start_angular(double cosine)
{
    return (angular){.pi = 1.0, .tau = cosine};
}

// From n - 1 to n >= 2.
static void step_angular(angular *f, int n, double cosine)
{
    const double pi = ((2.0 * n - 1.0) * cosine * f->pi - n * f->before) / (n - 1.0);

    f->before = f->pi;
    f->pi = pi;
    f->tau = n * cosine * pi - (n + 1.0) * f->before;
}

// Spherical coordinates in the frame of the wave: unit vectors in r, theta and phi as rows, and the
// amplitude's parts that go with cos(phi) and sin(phi) of a wave polarised along x'.
typedef struct polar {
    double r, cosine, sine;
    double unit[3][3];
    double complex even, odd;
} polar;

static polar find_polar(const sedge_mie *mie, const double x[3])
{
    polar p = {.r = sqrt(dot(x, x)), .cosine = 1.0};
    const double at[3] = {dot(mie->frame[0], x), dot(mie->frame[1], x), dot(mie->frame[2], x)};
    const double beside = hypot(at[0], at[1]);
    double cos_phi = 1.0;
    double sin_phi = 0.0;

    if (p.r > 0.0) {
        p.cosine = at[2] / p.r;
        p.sine = beside / p.r;
    }
    if (beside > 0.0) {
        cos_phi = at[0] / beside;
        sin_phi = at[1] / beside;
    }
    for (int i = 0; i < 3; i++) {
        const double outwards = cos_phi * mie->frame[0][i] + sin_phi * mie->frame[1][i];
        p.unit[0][i] = p.sine * outwards + p.cosine * mie->frame[2][i];
        p.unit[1][i] = p.cosine * outwards - p.sine * mie->frame[2][i];
        p.unit[2][i] = cos_phi * mie->frame[1][i] - sin_phi * mie->frame[0][i];
    }
    p.even = mie->amplitude[0] * cos_phi + mie->amplitude[1] * sin_phi;
    p.odd = mie->amplitude[0] * sin_phi - mie->amplitude[1] * cos_phi;
    return p;
}

void sedge_mie_find_far(const sedge_mie *mie, double theta, double phi, double complex far[2])
{
    const double r[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
    const double unit[2][3] = {{cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)},
                               {-sin(phi), cos(phi), 0.0}};
    const polar p = find_polar(mie, r);
    const double complex *const a = mie->series.outside[SEDGE_MIE_TM];
    const double complex *const b = mie->series.outside[SEDGE_MIE_TE];
    angular f = start_angular(p.cosine);
    double complex perpendicular = 0.0; // S1
    double complex parallel = 0.0;      // S2

    for (int n = 1; n <= mie->series.terms; n++) {
        const double weight = (2.0 * n + 1.0) / (n * (n + 1.0));
        if (n > 1) step_angular(&f, n, p.cosine);
        perpendicular += weight * (a[n] * f.pi + b[n] * f.tau);
        parallel += weight * (a[n] * f.tau + b[n] * f.pi);
    }
    const double complex factor = 1.0 / (J * mie->wavenumber);
    for (int c = 0; c < 2; c++) {
        far[c] = factor * (p.even * parallel * dot(p.unit[1], unit[c]) -
                           p.odd * perpendicular * dot(p.unit[2], unit[c]));
    }
}

void sedge_mie_find_rcs(const sedge_mie *mie, double theta, double phi, double rcs[2])
{
    double complex far[2];

    sedge_mie_find_far(mie, theta, phi, far);
    sedge_pattern_rcs(far, mie->square, rcs);
}

// ---- fields ------------------------------------------------------------------------------------

// Sum the series in `layer` (outside: the scattered field) at p. E, H: r, theta and phi parts.
static void sum_series(const sedge_mie *mie, const polar *p, int layer,
                       const sedge_riccati *functions, double complex E[3], double complex H[3])
{
    const sedge_mie_series *const s = &mie->series;
    const bool outside = layer == s->layers;
    const double complex epsilon = outside ? 1.0 : s->epsilon[layer];
    const double complex mu = outside ? 1.0 : s->mu[layer];
    const double R = fmax(mie->wavenumber * p->r, AT_CENTRE);
    angular f = start_angular(p->cosine);
    double complex turn = 1.0; // (-j)^n
    double complex e[3] = {0}; // e[0], e[1] go with `even`, e[2] with -odd
    double complex h[3] = {0};

    for (int n = 1; n <= s->terms; n++) {
        if (n > 1) step_angular(&f, n, p->cosine);
        turn *= -J;
        const double complex factor = turn * (2.0 * n + 1.0) / (n * (n + 1.0));
        const sedge_radial tm = sedge_mie_radial(s, SEDGE_MIE_TM, layer, n, functions);
        const sedge_radial te = sedge_mie_radial(s, SEDGE_MIE_TE, layer, n, functions);
        const double complex u = factor * tm.value / R;
        const double complex v = factor * te.value / R;
        const double complex du = J * factor * tm.slope / (epsilon * R);
        const double complex dv = J * factor * te.slope / (mu * R);
        const double radial = n * (n + 1.0) * p->sine * f.pi / R;
        e[0] += J * radial * u / epsilon;
        e[1] += f.pi * v + f.tau * du;
        e[2] += f.tau * v + f.pi * du;
        h[0] += J * radial * v / mu;
        h[1] += f.pi * u + f.tau * dv;
        h[2] += f.tau * u + f.pi * dv;
    }
    E[0] = p->even * e[0];
    E[1] = p->even * e[1];
    E[2] = -p->odd * e[2];
    H[0] = mie->admittance * p->odd * h[0];
    H[1] = mie->admittance * p->odd * h[1];
    H[2] = mie->admittance * p->even * h[2];
}

// Add `sign` times the incident field at x, which is relative to the centre.
static void add_incident(const sedge_mie *mie, const double x[3], double sign, double complex E[3],
                         double complex H[3])
{
    const double *const d = mie->frame[2];
    const double complex *const e = mie->polarisation;
    const double complex phase = sign * cexp(-J * mie->wavenumber * dot(d, x));

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int l = (i + 2) % 3;
        E[i] += phase * e[i];
        H[i] += phase * mie->admittance * (d[j] * e[l] - d[l] * e[j]);
    }
}

static int find_layer(const sedge_mie_series *s, double R)
{
    int layer = 0;

    if (R >= s->size[s->layers - 1] * (1.0 - ON_SURFACE)) return s->layers;
    while (layer < s->layers - 1 && R >= s->size[layer]) layer++;
    return layer;
}

static void find_field(const sedge_mie *mie, sedge_mie_part part, const double x[3],
                       sedge_riccati *functions, double complex E[3], double complex H[3])
{
    const polar p = find_polar(mie, x);
    const double R = fmax(mie->wavenumber * p.r, AT_CENTRE);
    const int layer = find_layer(&mie->series, R);
    const bool outside = layer == mie->series.layers;
    double complex e[3] = {0};
    double complex h[3] = {0};

    if (outside || layer > 0 || !mie->series.conducting) {
        sedge_riccati_fill(functions, outside ? R : mie->series.index[layer] * R);
        sum_series(mie, &p, layer, functions, e, h);
    }
    for (int i = 0; i < 3; i++) {
        E[i] = H[i] = 0.0;
        for (int c = 0; c < 3; c++) {
            E[i] += e[c] * p.unit[c][i];
            H[i] += h[c] * p.unit[c][i];
        }
    }
    if (outside && part == SEDGE_MIE_TOTAL) add_incident(mie, x, 1.0, E, H);
    if (!outside && part == SEDGE_MIE_SCATTERED) add_incident(mie, x, -1.0, E, H);
}

sedge_status sedge_mie_find_fields(const sedge_mie *mie, sedge_mie_part part, int64_t points,
                                   const double (*x)[3], double complex (*E)[3],
                                   double complex (*H)[3])
{
    sedge_riccati functions;

    SEDGE_TRY(sedge_riccati_create(&functions, mie->series.terms));
    for (int64_t i = 0; i < points; i++) {
        const double at[3] = {x[i][0] - mie->centre[0], x[i][1] - mie->centre[1],
                              x[i][2] - mie->centre[2]};
        find_field(mie, part, at, &functions, E[i], H[i]);
    }
    sedge_riccati_clear(&functions);
    return SEDGE_OK;
}
