#include "sampling.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/response.h"
#include "dg/signal.h"
#include "monitor/output_describe.h"
#include "monitor/point_recorder.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// A signal's spectrum is below 1e-2 of its peak above the frequency that its kind tells, and below
// 1e-6 above this multiple of it: 3.72 / 2.15 of a Gaussian, 4.2 / 2.5 of a Ricker pulse.
#define SOURCE_FACTOR 1.75

// Where no signal is known, the fields are sampled so often in the shortest period.
#define SAMPLES_A_PERIOD 10.0

// At least so many points a wavelength, on the mean over the mesh; below it nothing is resolved.
#define POINTS_A_WAVE 2.0
// So few are more likely from wrong units than from a coarse mesh.
#define ODD_POINTS 0.5

// ---- signals -----------------------------------------------------------------------------------

static bool is_same(const double *signal, const double *other)
{
    for (int i = 0; i < SEDGE_SIGNAL_VALUES; i++)
        if (signal[i] < other[i] || signal[i] > other[i]) return false;
    return true;
}

// The signal that all sources of the deck have, and those of plane waves.
static void find_signals(sedge_sampling *sampling, const sedge_deck *deck)
{
    sedge_dimension dimension = SEDGE_DIMENSIONLESS;
    bool same = true;
    bool waves = true;

    for (int i = 0; i < deck->source_count; i++) {
        const double *const signal =
            sedge_source_signal(deck->sources[i].kind, deck->sources[i].parameters, &dimension);
        waves = waves && signal != NULL && deck->sources[i].kind->wave != NULL;
        if (waves) sampling->each[sampling->signals++] = signal;
        if (signal == NULL) continue;
        same = same && (sampling->signal == NULL || is_same(sampling->signal, signal));
        sampling->signal = signal;
    }
    if (!same) sampling->signal = NULL;
    sampling->signal_unit = deck->si ? 1.0 / deck->equation->si[dimension] : 1.0;
    if (waves) return;
    sampling->each[0] = sampling->signal;
    sampling->signals = sampling->signal != NULL;
}

// ---- what is refused ---------------------------------------------------------------------------

// `what` asks for frequencies that the time step does not resolve.
static sedge_status fail_step(const sedge_sampling *sampling, const sedge_output_context *context,
                              const char *what, double limit)
{
    const sedge_deck *const deck = context->deck;
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);
    const double most = limit / context->dt - sampling->sources;

    if (sampling->every == 1 && !(most > 0.0)) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "%s: %s, and the time step of %.4g%s resolves %.4g%s, less than %.4g%s, to which the "
            "spectra of the sources reach: lower their frequency, or time.cfl",
            deck->path, what, context->dt * sedge_deck_time_unit(deck),
            sedge_deck_unit(deck, SEDGE_TIME), sedge_deck_frequency(deck, limit / context->dt),
            hertz, sedge_deck_frequency(deck, sampling->sources), hertz);
    }
    if (sampling->every == 1) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "%s: %s at up to %.6g%s, and the time step of %.4g%s resolves %.4g%s: lower the "
            "frequency, or time.cfl",
            deck->path, what, sedge_deck_frequency(deck, sampling->highest), hertz,
            context->dt * sedge_deck_time_unit(deck), sedge_deck_unit(deck, SEDGE_TIME),
            sedge_deck_frequency(deck, most), hertz);
    }
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "%s: monitors.frequencies.every: spectra at up to %.6g%s need a sample every "
        "%d steps or fewer, not %d",
        deck->path, sedge_deck_frequency(deck, sampling->highest), hertz,
        (int)fmax(1.0, floor(limit / (context->dt * (sampling->highest + sampling->sources)))),
        sampling->every);
}

// Is the mesh fine enough for the highest frequency, which `what` asks for? Collective.
static sedge_status check_mesh(const sedge_sampling *sampling, const sedge_output_context *context,
                               const char *what)
{
    const sedge_mesh *const mesh = context->mesh;
    const sedge_problem *const problem = context->problem;
    double sums[2] = {0.0, 0.0}; // volume; the same times lengths of wave that a point has

    for (int32_t e = 0; e < mesh->elements; e++) {
        if (sedge_mesh_in_layer(mesh, e)) continue;
        const double volume = fabs(sedge_mesh_volume(mesh, e));
        const double wave = sedge_response_slowest(problem, mesh->group[e]) / sampling->highest;
        sums[0] += volume;
        sums[1] += volume * sedge_longest_edge(mesh->corners[e]) / (wave * problem->order);
    }
    sedge_comm_sum(context->comm, sums, 2);
    const double points = sums[0] / sums[1];
    if (points >= POINTS_A_WAVE) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "%s: %s at up to %.6g%s, where the mesh has %.2g points a wavelength: at least %g are "
        "needed, which it has below %.4g%s%s%s",
        context->deck->path, what, sedge_deck_frequency(context->deck, sampling->highest),
        sedge_deck_unit(context->deck, SEDGE_FREQUENCY), points, POINTS_A_WAVE,
        sedge_deck_frequency(context->deck, sampling->highest * points / POINTS_A_WAVE),
        sedge_deck_unit(context->deck, SEDGE_FREQUENCY), points < ODD_POINTS ? "; " : "",
        points < ODD_POINTS ? sedge_deck_question(context->deck) : "");
}

static sedge_status check_signals(const sedge_sampling *sampling, const sedge_deck *deck)
{
    for (int i = 0; i < deck->spectrum_count; i++) {
        const sedge_deck_spectrum *const spectrum = &deck->spectra[i];
        if (spectrum->normalise != 1 || sampling->signal != NULL) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: monitors.spectra.%s.normalise: 'source' needs sources that all "
                          "have the same signal, and the deck has %s",
                          deck->path, spectrum->line, spectrum->name,
                          deck->source_count == 0 ? "no source" : "several, or none with a signal");
    }
    return SEDGE_OK;
}

// ---- the plan ----------------------------------------------------------------------------------

static double highest_of(const sedge_deck_frequencies *frequencies, double highest)
{
    for (int i = 0; i < frequencies->count; i++) highest = fmax(highest, frequencies->value[i]);
    return highest;
}

int sedge_sampling_entries(const sedge_deck *deck)
{
    return deck->spectrum_count + deck->flux_count + deck->absorption_count + deck->far_field_count;
}

const sedge_deck_frequencies *sedge_sampling_frequencies(const sedge_deck *deck, int i)
{
    if (i < deck->spectrum_count) return &deck->spectra[i].frequencies;
    i -= deck->spectrum_count;
    if (i < deck->flux_count) return &deck->fluxes[i].frequencies;
    i -= deck->flux_count;
    if (i < deck->absorption_count) return &deck->absorptions[i].frequencies;
    return &deck->far_fields[i - deck->absorption_count].frequencies;
}

// The sources' highest frequency and, unless they are `given`, the steps between samples.
// Collective.
static sedge_status choose_every(sedge_sampling *out, const sedge_output_context *context,
                                 const char *what, int given)
{
    out->sources = SOURCE_FACTOR * sedge_problem_frequency(context->problem);
    SEDGE_TRY(check_mesh(out, context, what));
    const double limit = out->sources > 0.0 ? 1.0 : 0.5; // of m dt (f + s)
    const double each = context->dt * (out->highest + out->sources);
    if (!(out->every * each <= limit * (1.0 + 1e-9))) return fail_step(out, context, what, limit);
    if (given == 0) {
        const double most = out->sources > 0.0 ? 1.0 / each : 1.0 / (SAMPLES_A_PERIOD * each);
        out->every = (int)fmin(1e6, fmax(1.0, floor(most)));
    }
    return SEDGE_OK;
}

sedge_status sedge_sampling_plan(sedge_sampling *out, const sedge_output_context *context)
{
    const sedge_deck *const deck = context->deck;

    *out = (sedge_sampling){.every = deck->frequency_every > 0 ? deck->frequency_every : 1};
    for (int i = 0; i < sedge_sampling_entries(deck); i++)
        out->highest = highest_of(sedge_sampling_frequencies(deck, i), out->highest);
    if (!(out->highest > 0.0)) return SEDGE_OK;
    find_signals(out, deck);
    SEDGE_TRY(check_signals(out, deck));
    return choose_every(out, context, "the deck asks for spectra", deck->frequency_every);
}

sedge_status sedge_sampling_every(int *every, const sedge_output_context *context, double highest,
                                  const char *what)
{
    sedge_sampling sampling = {.every = 1, .highest = highest};

    SEDGE_TRY(choose_every(&sampling, context, what, 0));
    *every = sampling.every;
    return SEDGE_OK;
}

// ---- absorption --------------------------------------------------------------------------------

bool sedge_sampling_absorbs(bool fields[SEDGE_MAX_FIELDS], const sedge_output_context *context,
                            const sedge_deck_absorption *absorption, int v)
{
    const sedge_equation *const equation = context->problem->equation;
    const sedge_mesh_groups *const groups = &context->mesh->groups;
    bool named = false;
    bool lossy = false;

    if (groups->volume_axes[v] != 0) return false;
    if (absorption->group_count == 0 && groups->volume_elements[v] == 0) return false;
    for (int k = 0; k < absorption->group_count; k++)
        named = named || strcmp(absorption->groups[k], groups->volume_names[v]) == 0;
    if (absorption->group_count > 0 && !named) return false;
    for (int k = 0; k < absorption->frequencies.count; k++) {
        const double omega = 2.0 * PI * absorption->frequencies.value[k];
        double complex losses[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];

        if (!sedge_response_losses(losses, context->problem, v, omega)) continue;
        for (int g = 0; g < equation->group_count; g++) {
            const sedge_output_group *const group = &equation->groups[g];
            for (int i = group->first * equation->fields;
                 i < (group->first + group->count) * equation->fields; i++) {
                if (cabs(losses[i]) == 0.0) continue;
                lossy = true;
                fields[g] = true;
            }
        }
    }
    return named || lossy;
}

// ---- samples -----------------------------------------------------------------------------------

bool sedge_sampling_due(const sedge_sampling *sampling, const sedge_output_context *context,
                        bool restored, int64_t step)
{
    return step % sampling->every == 0 && !(restored && step == context->first_step);
}

// ---- memory ------------------------------------------------------------------------------------

double sedge_sampling_face_points(const sedge_output_context *context, const char *surface)
{
    const sedge_mesh *const mesh = context->mesh;
    int points = 0;
    int face_points = 0;

    if (sedge_cubature_sizes(&points, &face_points, context->element->order,
                             SEDGE_CUBATURE_DEGREE(context->element->order)) != SEDGE_OK) {
        sedge_error_clear();
        return 0.0;
    }
    for (int s = 0; s < mesh->groups.surfaces; s++) {
        if (strcmp(mesh->groups.surface_names[s], surface) == 0)
            return (double)(mesh->set_offsets[s + 1] - mesh->set_offsets[s]) * face_points;
    }
    return 0.0;
}

// Nodes of this rank's elements in the spectrum's volume groups.
static double count_nodes(const sedge_output_context *context, const sedge_deck_spectrum *spectrum)
{
    const sedge_mesh *const mesh = context->mesh;
    double elements = 0.0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int k = 0; k < spectrum->group_count; k++)
            elements += strcmp(mesh->groups.volume_names[mesh->group[e]], spectrum->groups[k]) == 0;
    }
    return elements * context->element->nodes;
}

// The transforms that a monitor of absorption makes at the nodes of this rank's elements: how many
// nodes, and how many components of fields.
static double count_absorbing(const sedge_output_context *context,
                              const sedge_deck_absorption *absorption, int *components)
{
    const sedge_mesh *const mesh = context->mesh;
    const sedge_equation *const equation = context->problem->equation;
    bool fields[SEDGE_MAX_FIELDS] = {false};
    bool *absorbs = NULL; // [volumes]
    double elements = 0.0;

    *components = 0;
    if (sedge_allocate(&absorbs, mesh->groups.volumes, sizeof *absorbs) != SEDGE_OK) {
        sedge_error_clear();
        return 0.0;
    }
    for (int v = 0, end = 0; v < mesh->groups.volumes; v = end) {
        bool any = false; // all parts of a graded group, if one of them absorbs

        end = v + sedge_mesh_group_parts(&mesh->groups, v);
        for (int w = v; w < end; w++)
            any = sedge_sampling_absorbs(fields, context, absorption, w) || any;
        for (int w = v; w < end; w++) absorbs[w] = any;
    }
    for (int32_t e = 0; e < mesh->elements; e++) elements += absorbs[mesh->group[e]];
    sedge_release(absorbs);
    for (int g = 0; g < equation->group_count; g++)
        *components += fields[g] ? equation->groups[g].count : 0;
    return elements * context->element->nodes;
}

static double count_pixels(const sedge_output_context *context, const sedge_deck_slice *plane)
{
    const double(*const bounds)[3] = context->mesh->bounds;
    double area = 1.0;
    double longest = 0.0;

    for (int d = 0; d < 3; d++) {
        const double length = bounds[1][d] - bounds[0][d];
        if (d == plane->axis) continue;
        area *= length;
        longest = fmax(longest, length);
    }
    return area * pow(plane->resolution / longest, 2.0);
}

// Of all parts of the fields.
static double count_points(const sedge_output_context *context, const sedge_deck_spectrum *spectrum)
{
    const int parts = sedge_output_parts(context);

    switch (spectrum->place) {
    case SEDGE_SPECTRUM_POINTS:
        return parts * spectrum->point_count;
    case SEDGE_SPECTRUM_PLANE:
        return parts * count_pixels(context, &spectrum->plane);
    case SEDGE_SPECTRUM_SURFACE:
        return sedge_sampling_face_points(context, spectrum->surface.name);
    case SEDGE_SPECTRUM_GROUPS:
        return count_nodes(context, spectrum);
    case SEDGE_SPECTRUM_PLACES:
        break;
    }
    return 0.0;
}

// What a recorder takes that keeps so many samples (0: by rule) of the fields at so many points,
// `weighted` of which are no nodes.
static double recorder_bytes(const sedge_output_context *context, double points, double weighted,
                             int samples)
{
    const int fields = context->deck->equation->fields;
    double most = points;

    sedge_comm_max(context->comm, &most, 1);
    if (samples == 0) samples = sedge_point_recorder_fit(most, fields);
    return points * samples * fields * sizeof(double) + points * 2 * sizeof(int32_t) +
           weighted * context->element->nodes * sizeof(double);
}

// What the deck's monitor `i` of a kind with parameters needs.
static sedge_monitor_needs find_needs(const sedge_output_context *context, int i)
{
    const sedge_deck_monitor *const monitor = &context->deck->monitors[i];
    sedge_monitor_needs needs = {.highest = 0.0};

    if (monitor->kind->find_needs != NULL)
        monitor->kind->find_needs(&needs, context, monitor->parameters);
    return needs;
}

double sedge_sampling_highest(const sedge_output_context *context)
{
    const sedge_deck *const deck = context->deck;
    double highest = 0.0;

    for (int i = 0; i < sedge_sampling_entries(deck); i++)
        highest = highest_of(sedge_sampling_frequencies(deck, i), highest);
    for (int i = 0; i < deck->monitor_count; i++)
        highest = fmax(highest, find_needs(context, i).highest);
    return highest;
}

sedge_point_memory sedge_sampling_point_bytes(const sedge_output_context *context)
{
    const sedge_deck *const deck = context->deck;
    const int parts = sedge_output_parts(context);
    double pixels = 0.0;

    for (int i = 0; i < deck->slice_count; i++)
        pixels += parts * count_pixels(context, &deck->slices[i]);
    const double probes = parts * deck->probe_count;
    double bytes[2] = {recorder_bytes(context, probes, probes, 0) +
                           recorder_bytes(context, pixels, pixels, SEDGE_SLICES_WAITING),
                       0.0};
    for (int i = 0; i < deck->monitor_count; i++) {
        const sedge_monitor_needs needs = find_needs(context, i);
        const double device = recorder_bytes(context, needs.points, needs.points, 0);

        bytes[0] += device;
        bytes[1] += needs.host_bytes + device; // samples come to the host
    }
    sedge_comm_max(context->comm, bytes, 2);
    return (sedge_point_memory){.device = bytes[0], .host = bytes[1]};
}

#define TIME_SAMPLES 30.0 // of a period of the signals' highest frequency

int64_t sedge_sampling_time_every(const sedge_output_context *context)
{
    const double highest = sedge_problem_frequency(context->problem);
    const int64_t every =
        highest > 0.0 ? (int64_t)(1.0 / (TIME_SAMPLES * highest * context->dt)) : 1;

    return every > 1 ? every : 1;
}

// Of far fields over time: a series of each component and direction.
static double time_bytes(const sedge_output_context *context)
{
    const sedge_deck *const deck = context->deck;
    const int64_t samples = context->steps / sedge_sampling_time_every(context) + 1;
    double series = 0.0;

    for (int i = 0; i < deck->far_field_count; i++) {
        const sedge_deck_far_field *const far = &deck->far_fields[i];
        if (far->time) series += 2.0 * far->theta.count * far->phi.count;
    }
    return series * (double)samples * (double)sizeof(double);
}

sedge_sampling_memory sedge_sampling_bytes(const sedge_output_context *context)
{
    const sedge_deck *const deck = context->deck;
    double points[2] = {0.0, 0.0}; // of spectra, and those that are no nodes
    double flux_points = 0.0;
    double far_points = 0.0;
    double absorbing_points[2] = {0.0, 0.0}; // at nodes, on surfaces
    double bytes[2] = {0.0, 0.0};

    for (int i = 0; i < deck->spectrum_count; i++) {
        const sedge_deck_spectrum *const spectrum = &deck->spectra[i];
        const double own = count_points(context, spectrum);
        int components = 0;

        for (int g = 0; g < deck->equation->group_count; g++)
            components += spectrum->requested[g] ? deck->equation->groups[g].count : 0;
        points[0] += own;
        points[1] += spectrum->place == SEDGE_SPECTRUM_GROUPS ? 0.0 : own;
        bytes[0] += own * components * spectrum->frequencies.count * 16.0;
    }
    for (int i = 0; i < deck->flux_count; i++) {
        const double own = sedge_sampling_face_points(context, deck->fluxes[i].surface.name);

        flux_points += own;
        bytes[0] += own * 6.0 * deck->fluxes[i].frequencies.count * 16.0;
    }
    for (int i = 0; i < deck->absorption_count; i++) {
        int components = 0;
        const double own = count_absorbing(context, &deck->absorptions[i], &components);

        absorbing_points[0] += own;
        bytes[0] += own * components * deck->absorptions[i].frequencies.count * 16.0;
        for (int k = 0; k < deck->absorptions[i].surface_count; k++) {
            const double on = sedge_sampling_face_points(context, deck->absorptions[i].surfaces[k]);
            absorbing_points[1] += on;
            bytes[0] += on * 6.0 * deck->absorptions[i].frequencies.count * 16.0;
        }
    }
    for (int i = 0; i < deck->far_field_count; i++) {
        const double own = sedge_sampling_face_points(context, deck->far_fields[i].surface.name) +
                           sedge_sampling_face_points(context, deck->far_fields[i].input.name);

        far_points += own;
        bytes[0] += own * 6.0 * deck->far_fields[i].frequencies.count * 16.0;
    }
    bytes[1] =
        recorder_bytes(context, points[0], points[1], 0) +
        recorder_bytes(context, flux_points, flux_points, 0) +
        recorder_bytes(context, absorbing_points[0] + absorbing_points[1], absorbing_points[1], 0) +
        recorder_bytes(context, far_points, far_points, 0);
    sedge_comm_max(context->comm, bytes, 2);
    return (sedge_sampling_memory){.sums = bytes[0],
                                   .samples = bytes[1],
                                   .host = (deck->stop_spectra > 0.0 ? 2.0 : 1.0) * bytes[0] +
                                           time_bytes(context)};
}
