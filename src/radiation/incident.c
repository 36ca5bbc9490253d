#include "incident.h"

#include "dg/response.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

#define SHOWN_DECIBEL 20.0 // below the peak: nulls are no measure

// The numbers of a source's parameter; NULL: it has none of this name.
static const double *find_parameter(const sedge_deck_source *source, const char *name)
{
    const double *values = source->parameters;

    for (int i = 0; i < source->kind->parameter_count; i++) {
        const sedge_parameter *const parameter = &source->kind->parameters[i];
        if (strcmp(parameter->name, name) == 0) return values;
        values += sedge_parameter_size(parameter);
    }
    return NULL;
}

// Do two vectors have the same direction, to the deck's digits?
static bool is_along(const double a[3], const double b[3])
{
    double across = 0.0;
    double along = 0.0;

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const double product = a[i] * b[j] - a[j] * b[i];
        across += product * product;
        along += a[i] * b[i];
    }
    return along > 0.0 && sqrt(across) <= 1e-9 * along;
}

bool sedge_incident_find(sedge_incident_wave *wave, const sedge_output_context *context,
                         double wavenumber, const double complex *signal)
{
    const sedge_deck *const deck = context->deck;

    *wave = (sedge_incident_wave){.origin = {0.0}};
    for (int s = 0; s < deck->source_count; s++) {
        const sedge_deck_source *const source = &deck->sources[s];
        const double *const direction = find_parameter(source, "direction");
        const double *const polarisation = find_parameter(source, "polarisation");
        const double *const origin = find_parameter(source, "origin");
        double path = 0.0; // from the first wave's origin to this one's

        if (source->kind->wave == NULL || direction == NULL || polarisation == NULL ||
            origin == NULL)
            return false;
        if (s > 0 && !is_along(wave->direction, direction)) return false;
        const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                                   direction[2] * direction[2]);
        for (int i = 0; i < 3; i++) {
            if (s == 0) wave->direction[i] = direction[i];
            if (s == 0) wave->origin[i] = origin[i];
            path += direction[i] / length * (origin[i] - wave->origin[i]);
        }
        const double complex factor = (signal != NULL ? signal[s] : 1.0) *
                                      cexp((double complex)_Complex_I * wavenumber * path);
        for (int i = 0; i < 3; i++) wave->polarisation[i] += factor * polarisation[i];
    }
    return deck->source_count > 0;
}

// The volume group of the elements that the wave meets first, outside of absorbing layers; -1:
// there are none. Collective.
static int find_first_group(const sedge_output_context *context, const double direction[3])
{
    const sedge_mesh *const mesh = context->mesh;
    double first = DBL_MAX;
    double group = DBL_MAX;

    for (int pass = 0; pass < 2; pass++) {
        for (int32_t e = 0; e < mesh->elements; e++) {
            if (mesh->groups.volume_axes[mesh->group[e]] != 0) continue;
            for (int v = 0; v < 4; v++) {
                const double *const x = mesh->corners[e][v];
                const double at = direction[0] * x[0] + direction[1] * x[1] + direction[2] * x[2];
                if (pass == 0) first = fmin(first, at);
                if (pass == 1 && at <= first) group = fmin(group, mesh->group[e]);
            }
        }
        sedge_comm_min(context->comm, pass == 0 ? &first : &group, 1);
    }
    return group < DBL_MAX ? (int)group : -1;
}

bool sedge_incident_medium(double *epsilon, double *mu, const sedge_output_context *context,
                           const double direction[3])
{
    const sedge_problem *const problem = context->problem;
    const sedge_output_group *const groups = problem->equation->groups;
    const int group = find_first_group(context, direction);
    double weights[SEDGE_MAX_FIELDS];

    if (group < 0 || sedge_problem_has_term(problem, group) ||
        sedge_problem_has_source(problem, group))
        return false;
    problem->equation->energy(problem->materials[group], weights); // 1/2 (epsilon E^2 + mu H^2)
    *epsilon = weights[groups[0].first];
    *mu = weights[groups[1].first];
    return true;
}

void sedge_incident_signals(double complex signal[SEDGE_MAX_INCIDENTS],
                            const sedge_spectrum *spectrum, int k)
{
    for (int i = 0; i < spectrum->signals; i++) {
        const double *const of =
            spectrum->incident + 2 * ((ptrdiff_t)i * spectrum->frequencies->count + k);
        signal[i] = of[0] + (double complex)_Complex_I * of[1];
    }
}

bool sedge_incident_intensity(double *intensity, const sedge_output_context *context,
                              const sedge_spectrum *spectrum)
{
    const int count = spectrum->frequencies->count;
    sedge_incident_wave wave;
    double epsilon, mu;
    double peak = 0.0;

    if (spectrum->signals != context->deck->source_count ||
        !sedge_incident_find(&wave, context, 0.0, NULL) ||
        !sedge_incident_medium(&epsilon, &mu, context, wave.direction))
        return false;
    for (int k = 0; k < count; k++) {
        const double omega = 2.0 * PI * spectrum->frequencies->value[k];
        double complex signal[SEDGE_MAX_INCIDENTS];

        sedge_incident_signals(signal, spectrum, k);
        (void)sedge_incident_find(&wave, context, omega * sqrt(epsilon * mu), signal);
        intensity[k] = 0.0;
        for (int i = 0; i < 3; i++) {
            intensity[k] +=
                0.5 * sqrt(epsilon / mu) * creal(wave.polarisation[i] * conj(wave.polarisation[i]));
        }
        peak = fmax(peak, intensity[k]);
    }
    const double floor = context->deck->frequency_floor; // of fields
    for (int k = 0; k < count; k++)
        if (!(intensity[k] >= floor * floor * peak)) intensity[k] = (double)NAN;
    return true;
}

// ---- media -------------------------------------------------------------------------------------

bool sedge_medium_is_dispersive(const sedge_output_context *context, int group)
{
    return context->mesh->groups.volume_axes[group] == 0 &&
           sedge_problem_has_term(context->problem, group);
}

// The factor of a vector of fields whose components all have the same one, else not-a-number. That
// of a medium without losses is real, to rounding.
static double complex find_factor(const double complex *factors, const sedge_output_group *vector)
{
    const double complex factor = factors[vector->first];

    for (int i = 1; i < vector->count; i++) {
        if (!(cabs(factors[vector->first + i] - factor) <= 1e-9 * cabs(factor)))
            return (double complex)NAN;
    }
    return fabs(cimag(factor)) <= 1e-14 * cabs(factor) ? creal(factor) : factor;
}

sedge_status sedge_medium_find(double complex *epsilon, double complex *mu,
                               const sedge_output_context *context, int group, double frequency,
                               const char *where)
{
    const sedge_problem *const problem = context->problem;
    const sedge_output_group *const groups = problem->equation->groups;
    double complex factors[SEDGE_MAX_FIELDS];
    double weights[SEDGE_MAX_FIELDS];

    *epsilon = *mu = (double complex)NAN;
    problem->equation->energy(problem->materials[group], weights); // 1/2 (epsilon E^2 + mu H^2)
    if (sedge_response_find(factors, problem, group, frequency)) {
        *epsilon = weights[groups[0].first] * find_factor(factors, &groups[0]);
        *mu = weights[groups[1].first] * find_factor(factors, &groups[1]);
    }
    if (!isnan(creal(*epsilon)) && !isnan(creal(*mu))) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "%s: the material '%s' has no single epsilon and mu: it has tensors, or terms that are not "
        "linear or act on directions differently",
        where, context->mesh->groups.volume_names[group]);
}

// ---- exact -------------------------------------------------------------------------------------

static int find_group(const sedge_output_context *context, const char *name)
{
    const sedge_mesh_groups *const groups = &context->mesh->groups;

    for (int v = 0; v < groups->volumes; v++)
        if (strcmp(groups->volume_names[v], name) == 0) return v;
    return -1;
}

// Epsilon and mu of layers, whose groups are in `inside` (-1: none), and of the medium around them:
// that of all other groups.
typedef struct exact_media {
    const char *what; // sphere, slab
    int layers;
    const char (*material)[64];
    int *inside;
    double complex *epsilon, *mu;
    double background_epsilon, background_mu;
} exact_media;

static bool is_inside(const exact_media *media, int group)
{
    for (int i = 0; i < media->layers; i++)
        if (media->inside[i] == group) return true;
    return false;
}

static sedge_status find_media(exact_media *media, const sedge_output_context *context,
                               double frequency, const char *where)
{
    bool found = false;

    for (int i = 0; i < media->layers; i++) {
        media->inside[i] = -1;
        if (media->material[i][0] == '\0') continue;
        media->inside[i] = find_group(context, media->material[i]);
        if (media->inside[i] < 0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: the mesh has no volume group '%s'", where,
                              media->material[i]);
        }
        if (sedge_mesh_group_parts(&context->mesh->groups, media->inside[i]) > 1) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s: the material '%s' varies in space, and the exact solution of a "
                              "%s is known for layers that are the same everywhere",
                              where, media->material[i], media->what);
        }
        SEDGE_TRY(sedge_medium_find(&media->epsilon[i], &media->mu[i], context, media->inside[i],
                                    frequency, where));
    }
    for (int v = 0; v < context->mesh->groups.volumes; v++) {
        double complex epsilon, mu;

        if (is_inside(media, v)) continue;
        SEDGE_TRY(sedge_medium_find(&epsilon, &mu, context, v, frequency, where));
        const bool same = found && cabs(epsilon - media->background_epsilon) == 0.0 &&
                          cabs(mu - media->background_mu) == 0.0;
        if (cimag(epsilon) < 0.0 || cimag(epsilon) > 0.0 || (found && !same) ||
            sedge_medium_is_dispersive(context, v)) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s: the %s must lie in one material without loss and dispersion, "
                              "and that of '%s' is another one: say by 'material' which groups are "
                              "in the %s",
                              where, media->what, context->mesh->groups.volume_names[v],
                              media->what);
        }
        media->background_epsilon = creal(epsilon);
        media->background_mu = creal(mu);
        found = true;
    }
    if (found) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: no volume group is outside of the %s", where,
                      media->what);
}

static sedge_status find_sphere(sedge_sphere *sphere, const sedge_output_context *context,
                                double frequency)
{
    const sedge_deck_sphere *const given = &context->deck->exact;
    int inside[SEDGE_SPHERE_LAYERS];
    exact_media media = {.what = "sphere",
                         .layers = given->layers,
                         .material = given->material,
                         .inside = inside,
                         .epsilon = sphere->epsilon,
                         .mu = sphere->mu};
    char where[4200];

    (void)snprintf(where, sizeof where, "%.4000s:%d: exact", context->deck->path, given->line);
    *sphere = (sedge_sphere){.layers = given->layers, .conducting = given->material[0][0] == '\0'};
    memcpy(sphere->centre, given->centre, sizeof sphere->centre);
    for (int i = 0; i < given->layers; i++) sphere->radius[i] = given->radius[i];
    SEDGE_TRY(find_media(&media, context, frequency, where));
    sphere->background_epsilon = media.background_epsilon;
    sphere->background_mu = media.background_mu;
    return SEDGE_OK;
}

_Static_assert(SEDGE_DECK_SLAB_LAYERS == SEDGE_SLAB_LAYERS, "as many layers in decks");

static sedge_status find_slab(sedge_slab *slab, int inside[SEDGE_SLAB_LAYERS],
                              const sedge_output_context *context, const sedge_incident_wave *wave,
                              double frequency)
{
    const sedge_deck_slab *const given = &context->deck->slab;
    exact_media media = {.what = "slab",
                         .layers = given->layers,
                         .material = given->material,
                         .inside = inside,
                         .epsilon = slab->epsilon,
                         .mu = slab->mu};
    char where[4200];

    (void)snprintf(where, sizeof where, "%.4000s:%d: exact", context->deck->path, given->line);
    *slab = (sedge_slab){.layers = given->layers, .at = given->at};
    for (int i = 1; i < 3; i++)
        if (fabs(wave->direction[i]) > fabs(wave->direction[slab->axis])) slab->axis = i;
    memcpy(slab->thickness, given->thickness, sizeof slab->thickness);
    SEDGE_TRY(find_media(&media, context, frequency, where));
    slab->background_epsilon = media.background_epsilon;
    slab->background_mu = media.background_mu;
    return SEDGE_OK;
}

// Do this rank's elements lie in the layers as the deck says?
static sedge_status check_places(const sedge_output_context *context, const sedge_slab *slab,
                                 int inside[SEDGE_SLAB_LAYERS])
{
    const sedge_deck *const deck = context->deck;
    const sedge_mesh *const mesh = context->mesh;
    const exact_media media = {.layers = slab->layers, .inside = inside};

    for (int32_t e = 0; e < mesh->elements; e++) {
        double(*const corners)[3] = mesh->corners[e];
        double middle = -slab->at;
        int layer = 0;

        for (int v = 0; v < 4; v++) middle += 0.25 * corners[v][slab->axis];
        for (double left = middle; layer < slab->layers && left >= slab->thickness[layer];)
            left -= slab->thickness[layer++];
        const bool between = middle >= 0.0 && layer < slab->layers;
        if (between ? mesh->group[e] == inside[layer] : !is_inside(&media, mesh->group[e]))
            continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: exact: at %c = %g the mesh has the volume group '%s', and the "
                          "layers have there %s%s%s",
                          deck->path, deck->slab.line, 'x' + slab->axis, middle + slab->at,
                          mesh->groups.volume_names[mesh->group[e]], between ? "'" : "",
                          between ? deck->slab.material[layer] : "none of them",
                          between ? "'" : "");
    }
    return SEDGE_OK;
}

sedge_status sedge_exact_check(const sedge_output_context *context)
{
    const sedge_deck *const deck = context->deck;
    int inside[SEDGE_SLAB_LAYERS];
    sedge_incident_wave wave;
    sedge_sphere sphere;
    sedge_slab slab;
    sedge_slab_fields fields;

    if (deck->exact.layers == 0 && deck->slab.layers == 0) return SEDGE_OK;
    if (!sedge_incident_find(&wave, context, 0.0, NULL)) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "%s:%d: exact needs plane waves of one direction as the only sources, and "
            "the deck has %s",
            deck->path, deck->exact.layers > 0 ? deck->exact.line : deck->slab.line,
            deck->source_count > 0 ? "others" : "none");
    }
    if (deck->exact.layers > 0) return find_sphere(&sphere, context, 1.0);
    SEDGE_TRY(find_slab(&slab, inside, context, &wave, 1.0));
    SEDGE_TRY(sedge_slab_solve(&fields, &slab, &wave, 1.0));
    return sedge_comm_agree(context->comm, check_places(context, &slab, inside));
}

sedge_status sedge_exact_create(sedge_mie **out, const sedge_output_context *context,
                                double frequency, const double complex *signal)
{
    sedge_incident_wave wave;
    sedge_sphere sphere;

    *out = NULL;
    SEDGE_TRY(find_sphere(&sphere, context, frequency));
    const double wavenumber = frequency * sqrt(sphere.background_epsilon * sphere.background_mu);
    if (!sedge_incident_find(&wave, context, wavenumber, signal))
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "no plane wave for the Mie series");
    return sedge_mie_create(out, &sphere, &wave, frequency);
}

sedge_status sedge_exact_slab(sedge_slab_fields *out, const sedge_output_context *context,
                              double frequency)
{
    int inside[SEDGE_SLAB_LAYERS];
    sedge_incident_wave wave;
    sedge_slab slab;

    (void)sedge_incident_find(&wave, context, 0.0, NULL);
    SEDGE_TRY(find_slab(&slab, inside, context, &wave, frequency));
    const double wavenumber = frequency * sqrt(slab.background_epsilon * slab.background_mu);
    if (!sedge_incident_find(&wave, context, wavenumber, NULL))
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "no plane wave for the slab");
    return sedge_slab_solve(out, &slab, &wave, frequency);
}

double sedge_exact_difference(int64_t count, const double *values, const double *exact)
{
    double peak = 0.0;
    double sum = 0.0;
    int64_t terms = 0;

    for (int64_t i = 0; i < count; i++) peak = fmax(peak, exact[i]);
    for (int64_t i = 0; i < count; i++) {
        if (!(exact[i] >= peak * pow(10.0, -SHOWN_DECIBEL / 10.0) && exact[i] > 0.0)) continue;
        const double difference = 10.0 * log10(values[i] / exact[i]);
        sum += difference * difference;
        terms++;
    }
    return terms > 0 ? sqrt(sum / (double)terms) : (double)NAN;
}
