#include "slab.h"

#include "mie_series.h"

#include <math.h>
#include <string.h>

#define J ((double complex)_Complex_I)

static void set_media(sedge_slab_fields *out, const sedge_slab *slab, double frequency)
{
    for (int r = 0; r < slab->layers + 2; r++) { // against the axis the last layer comes first
        const int layer = out->sign > 0.0 ? r - 1 : slab->layers - r;
        const bool inside = r >= 1 && r <= slab->layers;
        const double complex epsilon = inside ? slab->epsilon[layer] : slab->background_epsilon;
        const double complex mu = inside ? slab->mu[layer] : slab->background_mu;
        const double complex index = sedge_mie_index(epsilon, mu);

        out->wavenumber[r] = frequency * index;
        out->impedance[r] = mu / index;
        if (r == 0) continue;
        out->plane[r] = out->plane[r - 1] + (inside ? slab->thickness[layer] : 0.0);
    }
}

// What a wave that crosses region r is multiplied by.
static double complex cross(const sedge_slab_fields *f, int r)
{
    if (r == 0 || r > f->layers) return 1.0;
    return cexp(-J * f->wavenumber[r] * (f->plane[r] - f->plane[r - 1]));
}

sedge_status sedge_slab_solve(sedge_slab_fields *out, const sedge_slab *slab,
                              const sedge_incident_wave *wave, double frequency)
{
    const int last = slab->layers + 1;
    double complex face[SEDGE_SLAB_LAYERS + 1];      // of each plane alone
    double complex reflected[SEDGE_SLAB_LAYERS + 2]; // where a region ends: backward over forward
    double thickness = 0.0;
    double across = 0.0;

    for (int i = 0; i < 3; i++)
        if (i != slab->axis) across = fmax(across, fabs(wave->direction[i]));
    if (!(across <= 1e-9 * fabs(wave->direction[slab->axis]))) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "the wave travels along (%g, %g, %g) and must meet layers across %c at "
                          "a right angle",
                          wave->direction[0], wave->direction[1], wave->direction[2],
                          'x' + slab->axis);
    }
    for (int i = 0; i < slab->layers; i++) thickness += slab->thickness[i];
    *out = (sedge_slab_fields){.axis = slab->axis,
                               .layers = slab->layers,
                               .sign = copysign(1.0, wave->direction[slab->axis])};
    memcpy(out->polarisation, wave->polarisation, sizeof out->polarisation);
    out->plane[0] = out->sign > 0.0 ? slab->at : -(slab->at + thickness);
    set_media(out, slab, frequency);
    reflected[last] = 0.0;
    for (int r = last - 1; r >= 0; r--) {
        const double complex once = cross(out, r + 1);
        const double complex beyond = reflected[r + 1] * once * once;

        face[r] = (out->impedance[r + 1] - out->impedance[r]) /
                  (out->impedance[r + 1] + out->impedance[r]);
        reflected[r] = (face[r] + beyond) / (1.0 + face[r] * beyond);
    }
    const double start = out->sign * wave->origin[slab->axis];
    out->incident = cexp(-J * out->wavenumber[0] * (out->plane[0] - start));
    out->forward[0] = out->incident;
    for (int r = 0; r <= last; r++) {
        const double complex end = out->forward[r] * cross(out, r);

        out->backward[r] = reflected[r] * end;
        if (r == last) break;
        const double complex once = cross(out, r + 1);
        out->forward[r + 1] =
            end * (1.0 + face[r]) / (1.0 + face[r] * reflected[r + 1] * once * once);
    }
    out->reflectance = creal(reflected[0] * conj(reflected[0]));
    out->transmittance = creal(out->forward[last] * conj(out->forward[last]));
    return SEDGE_OK;
}

int sedge_slab_side(const sedge_slab_fields *fields, const double x[3])
{
    const double s = fields->sign * x[fields->axis];

    return s < fields->plane[0] ? -1 : s > fields->plane[fields->layers] ? 1 : 0;
}

// The fields of waves with the amplitudes `forward` and `backward` at x.
static void set_fields(const sedge_slab_fields *f, int region, double complex forward,
                       double complex backward, double complex E[3], double complex H[3])
{
    const double complex current = f->sign * (forward - backward) / f->impedance[region];
    const int next = (f->axis + 1) % 3;
    const int third = (f->axis + 2) % 3;

    for (int i = 0; i < 3; i++) E[i] = (forward + backward) * f->polarisation[i];
    H[f->axis] = 0.0;
    H[next] = -current * f->polarisation[third];
    H[third] = current * f->polarisation[next];
}

void sedge_slab_find_incident(const sedge_slab_fields *fields, const double x[3],
                              double complex E[3], double complex H[3])
{
    const double since = fields->sign * x[fields->axis] - fields->plane[0];

    set_fields(fields, 0, fields->incident * cexp(-J * fields->wavenumber[0] * since), 0.0, E, H);
}

void sedge_slab_find_total(const sedge_slab_fields *fields, const double x[3], double complex E[3],
                           double complex H[3])
{
    const double s = fields->sign * x[fields->axis];
    int r = 0;

    while (r <= fields->layers && s > fields->plane[r]) r++;
    const double begin = fields->plane[r > 0 ? r - 1 : 0];
    const double end = fields->plane[r <= fields->layers ? r : fields->layers];

    set_fields(fields, r, fields->forward[r] * cexp(-J * fields->wavenumber[r] * (s - begin)),
               fields->backward[r] * cexp(J * fields->wavenumber[r] * (s - end)), E, H);
}
