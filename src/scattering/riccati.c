#include "riccati.h"

#include "base/memory.h"

#include <math.h>

#define J         ((double complex)_Complex_I)
#define LARGE     1e30
#define LOG_LARGE 69.077552789821370521 // log(LARGE)

sedge_status sedge_riccati_create(sedge_riccati *out, int terms)
{
    const int64_t count = (int64_t)terms + 1;

    *out = (sedge_riccati){.terms = terms};
    SEDGE_TRY(sedge_allocate(&out->memory, 5 * count, sizeof(double complex)));
    out->psi = out->memory;
    out->psi_slope = out->psi + count;
    out->zeta = out->psi_slope + count;
    out->zeta_slope = out->zeta + count;
    out->psi_scale = (double *)(out->zeta_slope + count);
    out->zeta_scale = out->psi_scale + count;
    return SEDGE_OK;
}

void sedge_riccati_clear(sedge_riccati *riccati)
{
    sedge_release(riccati->memory);
    *riccati = (sedge_riccati){0};
}

// psi_0 = sin z and psi_1 = sin z / z - cos z, times exp(-scale).
static void find_first(double complex z, double complex first[2], double *scale)
{
    double complex sine = csin(z);
    double complex cosine = ccos(z);

    *scale = 0.0;
    if (fabs(cimag(z)) > 1.0) {
        *scale = fabs(cimag(z));
        const double complex plus = cexp(J * z - *scale);
        const double complex minus = cexp(-J * z - *scale);
        sine = (plus - minus) / (2.0 * J);
        cosine = 0.5 * (plus + minus);
    }
    first[0] = sine;
    first[1] = sine / z - cosine;
}

// Downward from where psi is less than rounding beside psi_terms and psi_|z|: beyond the turning
// point n = |z| it falls over a width of |z|^(1/3).
static void fill_psi(sedge_riccati *r, double complex z)
{
    const double size = cabs(z);
    const int start = (int)(fmax(size, r->terms) + 10.0 * cbrt(size)) + 20;
    double complex above = 0.0;
    double complex here = 1.0;
    double scale = 0.0;

    for (int n = start; n >= 0; n--) {
        if (n <= r->terms) {
            r->psi[n] = here;
            r->psi_scale[n] = scale;
        }
        const double complex below = (2.0 * n + 1.0) / z * here - above;
        above = here;
        here = below;
        if (cabs(here) > LARGE) {
            here /= LARGE;
            above /= LARGE;
            scale += LOG_LARGE;
        }
    }
    double complex first[2];
    double first_scale;
    find_first(z, first, &first_scale);
    const int by = cabs(first[0]) >= cabs(first[1]) ? 0 : 1;
    const double complex factor = first[by] / r->psi[by];
    const double shift = first_scale - r->psi_scale[by];
    for (int n = 0; n <= r->terms; n++) {
        r->psi[n] *= factor;
        r->psi_scale[n] += shift;
    }
    for (int n = 1; n <= r->terms; n++) {
        const double step = exp(r->psi_scale[n - 1] - r->psi_scale[n]);
        r->psi_slope[n] = r->psi[n - 1] * step - n / z * r->psi[n];
    }
}

// Upward from zeta_-1 = exp(-j z) and zeta_0 = j exp(-j z).
static void fill_zeta(sedge_riccati *r, double complex z)
{
    double scale = cimag(z);
    double complex below = cexp(-J * creal(z));
    double complex here = J * below;

    for (int n = 0; n <= r->terms; n++) {
        r->zeta[n] = here;
        r->zeta_scale[n] = scale;
        r->zeta_slope[n] = below - n / z * here;
        const double complex above = (2.0 * n + 1.0) / z * here - below;
        below = here;
        here = above;
        if (cabs(here) > LARGE) {
            here /= LARGE;
            below /= LARGE;
            scale += LOG_LARGE;
        }
    }
}

void sedge_riccati_fill(sedge_riccati *riccati, double complex z)
{
    fill_psi(riccati, z);
    fill_zeta(riccati, z);
    if (cimag(z) < 0.0 || cimag(z) > 0.0) return;
    // Energy balances need the small real part of zeta where its imaginary part is large.
    for (int n = 1; n <= riccati->terms; n++) {
        const double step = exp(riccati->psi_scale[n] - riccati->zeta_scale[n]);
        riccati->zeta[n] = creal(riccati->psi[n]) * step + J * cimag(riccati->zeta[n]);
        riccati->zeta_slope[n] =
            creal(riccati->psi_slope[n]) * step + J * cimag(riccati->zeta_slope[n]);
    }
}
