#include "mie_series.h"

#include "base/memory.h"

#include <math.h>

// A function and what is continuous of its slope, up to a common factor exp(scale).
typedef struct pair {
    double complex value, slope;
    double scale;
} pair;

double complex sedge_mie_index(double complex epsilon, double complex mu)
{
    const double complex index = csqrt(epsilon * mu);
    const bool backward = cimag(epsilon * mu) == 0.0 && creal(epsilon) < 0.0 && creal(mu) < 0.0;

    return cimag(index) > 0.0 || backward ? -index : index;
}

// d/dR of a function of index R is index times its slope; continuous is that over epsilon or mu.
static double complex get_weight(const sedge_mie_series *s, int kind, int layer)
{
    return s->index[layer] / (kind == SEDGE_MIE_TM ? s->epsilon[layer] : s->mu[layer]);
}

// psi_n + c zeta_n at `f`.
static pair combine(const sedge_riccati *f, int n, double complex weight,
                    const sedge_mie_layer_term *term)
{
    double psi_scale = term->psi_scale + f->psi_scale[n];
    double zeta_scale = term->zeta_scale + f->zeta_scale[n];
    const bool regular = cabs(term->zeta) <= 0.0;
    const double scale = regular ? psi_scale : fmax(psi_scale, zeta_scale);
    const double complex psi = term->psi * exp(psi_scale - scale);
    const double complex zeta = regular ? 0.0 : term->zeta * exp(zeta_scale - scale);

    return (pair){.value = psi * f->psi[n] + zeta * f->zeta[n],
                  .slope = weight * (psi * f->psi_slope[n] + zeta * f->zeta_slope[n]),
                  .scale = scale};
}

// `term` of a layer whose inner surface has the pair `p`: psi 1 and the matching share of zeta.
static void match(const sedge_riccati *f, int n, double complex weight, const pair *p,
                  sedge_mie_layer_term *term)
{
    const double complex psi = f->psi[n] * p->slope - weight * f->psi_slope[n] * p->value;
    const double complex zeta = f->zeta[n] * p->slope - weight * f->zeta_slope[n] * p->value;

    *term = (sedge_mie_layer_term){.psi = 1.0, .zeta = -psi / zeta};
    term->zeta_scale = f->psi_scale[n] - f->zeta_scale[n];
}

// Multiply a layer's term, whose pair at the outer surface is `own`, so that the pair is `wanted`.
static void scale_term(sedge_mie_layer_term *term, const pair *own, const pair *wanted)
{
    const bool by_value =
        cabs(wanted->value) * cabs(own->value) >= cabs(wanted->slope) * cabs(own->slope);
    const double complex factor =
        by_value ? wanted->value / own->value : wanted->slope / own->slope;
    const double shift = wanted->scale - own->scale;

    term->psi *= factor;
    term->zeta *= factor;
    term->psi_scale += shift;
    term->zeta_scale += shift;
}

// Radial functions at the inner and outer surface of each layer, and just outside.
typedef struct surfaces {
    sedge_riccati inner[SEDGE_SPHERE_LAYERS], outer[SEDGE_SPHERE_LAYERS], outside;
} surfaces;

// Term n: outside in `outside`, inside in `inside`.
static void solve_term(sedge_mie_series *s, const surfaces *at, int kind, int n)
{
    const int row = s->terms + 1;
    sedge_mie_layer_term *const term = s->inside[kind];
    pair own[SEDGE_SPHERE_LAYERS] = {{0}};

    for (int l = 0; l < s->layers; l++) {
        if (l == 0 && s->conducting) { // tangential E is 0: of TM the slope, of TE the value
            own[l] = (pair){.value = kind == SEDGE_MIE_TM, .slope = kind == SEDGE_MIE_TE};
            continue;
        }
        const double complex weight = get_weight(s, kind, l);
        term[l * row + n] = (sedge_mie_layer_term){.psi = 1.0};
        if (l > 0) match(&at->inner[l], n, weight, &own[l - 1], &term[l * row + n]);
        own[l] = combine(&at->outer[l], n, weight, &term[l * row + n]);
    }

    const sedge_riccati *const f = &at->outside;
    const pair *const last = &own[s->layers - 1];
    const double complex ratio = (f->psi[n] * last->slope - f->psi_slope[n] * last->value) /
                                 (f->zeta[n] * last->slope - f->zeta_slope[n] * last->value);
    s->outside[kind][n] = ratio * exp(f->psi_scale[n] - f->zeta_scale[n]);

    pair wanted = {.value = f->psi[n] - ratio * f->zeta[n],
                   .slope = f->psi_slope[n] - ratio * f->zeta_slope[n],
                   .scale = f->psi_scale[n]};
    for (int l = s->layers - 1; l >= (s->conducting ? 1 : 0); l--) {
        const double complex weight = get_weight(s, kind, l);
        scale_term(&term[l * row + n], &own[l], &wanted);
        if (l > 0) wanted = combine(&at->inner[l], n, weight, &term[l * row + n]);
    }
}

static void clear_surfaces(surfaces *at)
{
    for (int l = 0; l < SEDGE_SPHERE_LAYERS; l++) {
        sedge_riccati_clear(&at->inner[l]);
        sedge_riccati_clear(&at->outer[l]);
    }
    sedge_riccati_clear(&at->outside);
}

static sedge_status fill_surfaces(surfaces *at, const sedge_mie_series *s)
{
    SEDGE_TRY(sedge_riccati_create(&at->outside, s->terms));
    sedge_riccati_fill(&at->outside, s->size[s->layers - 1]);
    for (int l = s->conducting ? 1 : 0; l < s->layers; l++) {
        SEDGE_TRY(sedge_riccati_create(&at->outer[l], s->terms));
        sedge_riccati_fill(&at->outer[l], s->index[l] * s->size[l]);
        if (l == 0) continue;
        SEDGE_TRY(sedge_riccati_create(&at->inner[l], s->terms));
        sedge_riccati_fill(&at->inner[l], s->index[l] * s->size[l - 1]);
    }
    return SEDGE_OK;
}

// Wiscombe's rule, x + 4.05 x^(1/3) + 2 (Appl. Opt. 19 (1980) 1505), leaves out a_n below 1e-7,
// which is enough for cross-sections. On the surface a_n zeta_n is as large as psi_n, about the
// root of a_n, so fields to rounding need more terms: psi_n(x) < 1e-15 psi_1(x) beyond these.
static int count_terms(double x)
{
    return (int)(x + 10.0 * cbrt(x) + 8.0);
}

sedge_status sedge_mie_series_create(sedge_mie_series *out, const sedge_sphere *sphere,
                                     double wavenumber)
{
    surfaces at = {0};
    sedge_status status;

    *out = (sedge_mie_series){.layers = sphere->layers, .conducting = sphere->conducting};
    for (int l = 0; l < sphere->layers; l++) {
        out->size[l] = wavenumber * sphere->radius[l];
        out->epsilon[l] = sphere->epsilon[l] / sphere->background_epsilon;
        out->mu[l] = sphere->mu[l] / sphere->background_mu;
        out->index[l] = sedge_mie_index(out->epsilon[l], out->mu[l]);
    }
    out->terms = count_terms(out->size[out->layers - 1]);
    const int64_t row = (int64_t)out->terms + 1;
    for (int k = 0; k < SEDGE_MIE_KINDS; k++) {
        SEDGE_TRY(sedge_allocate(&out->outside[k], row, sizeof(double complex)));
        SEDGE_TRY(sedge_allocate(&out->inside[k], out->layers * row, sizeof(sedge_mie_layer_term)));
    }
    SEDGE_TRY_GOTO(status, fill_surfaces(&at, out));
    for (int k = 0; k < SEDGE_MIE_KINDS; k++)
        for (int n = 1; n <= out->terms; n++) solve_term(out, &at, k, n);
done:
    clear_surfaces(&at);
    return status;
}

void sedge_mie_series_clear(sedge_mie_series *series)
{
    for (int k = 0; k < SEDGE_MIE_KINDS; k++) {
        sedge_release(series->outside[k]);
        sedge_release(series->inside[k]);
    }
    *series = (sedge_mie_series){0};
}

sedge_radial sedge_mie_radial(const sedge_mie_series *series, int kind, int layer, int n,
                              const sedge_riccati *functions)
{
    if (layer == series->layers) {
        const double complex factor = -series->outside[kind][n] * exp(functions->zeta_scale[n]);
        return (sedge_radial){factor * functions->zeta[n], factor * functions->zeta_slope[n]};
    }
    const sedge_mie_layer_term *const term = &series->inside[kind][layer * (series->terms + 1) + n];
    const pair p = combine(functions, n, series->index[layer], term);
    const double size = exp(p.scale);
    return (sedge_radial){p.value * size, p.slope * size};
}
