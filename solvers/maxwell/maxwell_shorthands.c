// Losses as data sheets give them: a loss tangent, tan delta = -Im epsilon / Re epsilon for fields
// exp(i omega t), at one frequency by a conductivity, in a band by relaxations.
#include "maxwell.h"

#include "dg/dense.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

enum { TANGENT, FREQUENCY, LOWEST, HIGHEST };

static const sedge_parameter tangent_parameters[] = {
    {.name = "value", .required = true, .maximum = HUGE_VAL, .text = "the loss tangent"},
    {.name = "frequency",
     .required = true,
     .positive = true,
     .dimension = SEDGE_FREQUENCY,
     .text = "where it is that; in a band, where `epsilon` is the real part of the permittivity"},
    {.name = "lowest",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "of a band in which the loss tangent is the same; 0: it falls as 1 / f"},
    {.name = "highest",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "of that band; 0: there is none"},
};

// ---- a band -------------------------------------------------------------------------------------

#define MOST     11  // poles
#define POINTS   64  // of the fit, in the band
#define BEYOND   1.5 // the outer poles lie outside of the band by this factor
#define ACCURACY 0.02

// Relaxations with the frequencies f_k, evenly spread on a logarithmic scale; the permittivity,
// with epsilon 1 at `at`, is 1 + sum s_k (1 / (1 + i f / f_k) - 1 / (1 + (at / f_k)^2)).
typedef struct relaxations {
    int count;
    double frequency[MOST];
    double strength[MOST];
    double rest; // of the permittivity at high frequencies
    double error;
} relaxations;

// What a strength of 1 contributes to -Im epsilon - tan Re epsilon at f.
static double find_share(double f, double pole, double at, double tangent)
{
    const double x = f / pole;
    const double y = at / pole;

    return x / (1.0 + x * x) - tangent * (1.0 / (1.0 + x * x) - 1.0 / (1.0 + y * y));
}

static double find_point(const double *p, int i)
{
    return p[LOWEST] * pow(p[HIGHEST] / p[LOWEST], (double)i / (POINTS - 1));
}

// Strengths by least squares. False: the equations have no solution.
static bool fit(relaxations *r, const double *p)
{
    double a[MOST * MOST] = {0.0}, inverse[MOST * MOST], b[MOST] = {0.0};

    for (int i = 0; i < POINTS; i++) {
        double row[MOST];
        for (int k = 0; k < r->count; k++)
            row[k] = find_share(find_point(p, i), r->frequency[k], p[FREQUENCY], p[TANGENT]);
        for (int k = 0; k < r->count; k++) {
            for (int m = 0; m < r->count; m++) a[k * r->count + m] += row[k] * row[m];
            b[k] += row[k] * p[TANGENT];
        }
    }
    if (sedge_dense_invert(inverse, a, r->count) != SEDGE_OK) return false;
    sedge_dense_multiply(r->strength, inverse, false, b, false, r->count, r->count, 1);
    return true;
}

static double find_error(const relaxations *r, const double *p)
{
    double worst = 0.0;

    for (int i = 0; i < POINTS; i++) {
        double re = r->rest, im = 0.0;
        for (int k = 0; k < r->count; k++) {
            const double x = find_point(p, i) / r->frequency[k];
            re += r->strength[k] / (1.0 + x * x);
            im += r->strength[k] * x / (1.0 + x * x);
        }
        worst = fmax(worst, fabs(im / re / p[TANGENT] - 1.0));
    }
    return worst;
}

// Relaxations, the fewest that are accurate, all of them with losses. False: there are none.
static bool find_relaxations(relaxations *r, const double *p)
{
    const double ratio = BEYOND * BEYOND * p[HIGHEST] / p[LOWEST];

    for (r->count = 2; r->count <= MOST; r->count++) {
        bool passive = true;

        for (int k = 0; k < r->count; k++)
            r->frequency[k] = p[LOWEST] / BEYOND * pow(ratio, (double)k / (r->count - 1));
        if (!fit(r, p)) return false;
        r->rest = 1.0;
        for (int k = 0; k < r->count; k++) {
            const double y = p[FREQUENCY] / r->frequency[k];
            r->rest -= r->strength[k] / (1.0 + y * y);
            passive &= r->strength[k] > 0.0;
        }
        r->error = find_error(r, p);
        if (passive && r->rest > 0.0 && r->error <= ACCURACY) return true;
    }
    return false;
}

// ---- the key ------------------------------------------------------------------------------------

static bool expand_band(sedge_library_entry *entries, double epsilon, const double *p,
                        char message[256])
{
    relaxations r;

    entries->key = NULL;
    if (!(p[LOWEST] > 0.0 && p[LOWEST] < p[HIGHEST] && p[LOWEST] <= p[FREQUENCY] &&
          p[FREQUENCY] <= p[HIGHEST])) {
        (void)snprintf(message, 256,
                       "a band needs both 'lowest' and 'highest', above 0, the lower one first, "
                       "and 'frequency' from the one to the other");
        return false;
    }
    if (!(p[TANGENT] > 0.0)) return true;
    if (!find_relaxations(&r, p)) {
        (void)snprintf(message, 256,
                       "no sum of up to %d relaxations has the loss tangent %g in this band to "
                       "%g %%; a smaller loss tangent (up to 0.2), or a narrower band, has one",
                       MOST, p[TANGENT], 100.0 * ACCURACY);
        return false;
    }
    *entries++ = (sedge_library_entry){"epsilon", {epsilon * r.rest}};
    for (int k = 0; k < r.count; k++) {
        *entries++ = (sedge_library_entry){
            "debye", {epsilon * r.strength[k], 1.0 / (2.0 * PI * r.frequency[k])}};
    }
    entries->key = NULL;
    return true;
}

static bool expand_tangent(sedge_library_entry *entries, double epsilon, const double *p,
                           char message[256])
{
    if (p[LOWEST] > 0.0 || p[HIGHEST] > 0.0) return expand_band(entries, epsilon, p, message);
    entries[0] =
        (sedge_library_entry){"conductivity", {2.0 * PI * p[FREQUENCY] * epsilon * p[TANGENT]}};
    entries[1].key = NULL;
    return true;
}

static const char *const tangent_without[] = {"library", "conductivity",      "debye", "drude",
                                              "lorentz", "magnetised_plasma", NULL};

const sedge_shorthand maxwell_shorthands[] = {
    {.name = "loss_tangent",
     .parameters = tangent_parameters,
     .parameter_count = sizeof tangent_parameters / sizeof *tangent_parameters,
     .text =
         "losses of a dielectric: a `conductivity` that has this loss tangent at one frequency, "
         "or `debye` poles that have it in a band",
     .of = "epsilon",
     .without = tangent_without,
     .expand = expand_tangent},
    {.name = NULL},
};
