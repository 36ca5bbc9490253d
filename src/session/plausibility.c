#include "session/plausibility.h"

#include "session/resolution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A wave this many times as long as the mesh means wrong units, or a static problem.
#define LONG_WAVE 100.0

#define MANY_STEPS 1e9 // of the fastest these take hours

#define LOST         1e-3 // of its amplitude that the signal of a point source may have before t = 0
#define LOST_SAMPLES 256

// For the integral of a signal.
#define SAMPLES_A_PERIOD 8.0 // of the highest frequency
#define SAMPLES_MOST     2e5

static double mesh_size(const sedge_mesh *mesh)
{
    double size = 0.0;

    for (int d = 0; d < 3; d++) size = fmax(size, mesh->bounds[1][d] - mesh->bounds[0][d]);
    return size;
}

// The fastest wave that any material has.
static double fastest(const sedge_problem *problem)
{
    double speed = 0.0;

    for (int g = 0; g < problem->volumes; g++)
        speed = fmax(speed, problem->equation->speed(problem->materials[g], problem->constants));
    return speed;
}

static void warn_of_rest(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;

    if (!problem->equation->poynting || !problem->initial->zero || session->deck->source_count > 0)
        return;
    printf(
        "  warning            nothing drives the fields: they are zero at the start, and the deck "
        "has no sources\n");
}

static void warn_of_wave(const sedge_session *session)
{
    const double frequency = sedge_problem_frequency(&session->problem);
    const double size = mesh_size(session->mesh);
    const char *const unit = sedge_deck_unit(session->deck, SEDGE_LENGTH);

    if (!(frequency > 0.0)) return;
    const double wave = fastest(&session->problem) / frequency;
    if (!(wave > LONG_WAVE * size)) return;
    printf("  warning            the shortest wave, %.4g%s, is %.3g times as long as the mesh, "
           "%.4g%s: %s\n",
           wave, unit, wave / size, size, unit, sedge_deck_question(session->deck));
}

static void warn_of_steps(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const double end = deck->end_time * sedge_deck_time_unit(deck);
    const char *const second = sedge_deck_unit(deck, SEDGE_TIME);

    if (deck->steps > 0) return;
    if (session->steps <= 1) {
        printf("  warning            time.end %.4g%s is one time step, or less: %s\n", end, second,
               sedge_deck_question(deck));
    } else if ((double)session->steps > MANY_STEPS) {
        printf("  warning            time.end %.4g%s is %.2g time steps: %s\n", end, second,
               (double)session->steps, sedge_deck_question(deck));
    }
}

typedef void signal_visit(const sedge_session *session, const char *source, const double *signal,
                          void *to);

// Call `visit` for the signal of each source.
static void visit_signals(const sedge_session *session, signal_visit *visit, void *to)
{
    const sedge_problem *const problem = &session->problem;

    for (int i = 0; sedge_problem_source(problem, i).kind != NULL; i++) {
        const sedge_any_source source = sedge_problem_source(problem, i);
        const double *const signal = sedge_source_signal(source.kind, source.parameters, NULL);

        if (signal != NULL) visit(session, source.kind->name, signal, to);
    }
}

// Once for all sources with the same peak, such as those of an array: `to` is the time of the last.
static void warn_of_peak(const sedge_session *session, const char *source, const double *signal,
                         void *to)
{
    const double time_unit = sedge_deck_time_unit(session->deck);
    const char *const unit = sedge_deck_unit(session->deck, SEDGE_TIME);
    const double end = sedge_session_time(session, session->steps);
    double *const told = to;

    const sedge_signal_kind *const kind = sedge_signal_kind_of(signal);
    if (kind->peak == NULL || !(end < kind->peak(signal))) return;
    if (!(fabs(kind->peak(signal) - *told) > 0.0)) return;
    *told = kind->peak(signal);
    printf(
        "  warning            the run ends at t = %.4g%s, before the signal of '%s' has its peak "
        "at %.4g%s (its delay)\n",
        end * time_unit, unit, source, *told * time_unit, unit);
}

// The largest value before the run begins, by the amplitude, of a pulse with a peak and an end.
static double find_lost(const double *signal)
{
    const sedge_signal_kind *const kind = sedge_signal_kind_of(signal);
    const double first = fmin(0.0, 2.0 * kind->peak(signal) - kind->end(signal));
    double most = 0.0;

    for (int k = 0; k <= LOST_SAMPLES; k++)
        most = fmax(most, fabs(sedge_signal(signal, first * k / LOST_SAMPLES) / signal[1]));
    return most;
}

// A wave may begin where it is not seen; other sources begin with all of it.
static void warn_of_starts(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    double told = -HUGE_VAL;

    for (int i = problem->incident_count; sedge_problem_source(problem, i).kind != NULL; i++) {
        const sedge_any_source source = sedge_problem_source(problem, i);
        const double *const signal = sedge_source_signal(source.kind, source.parameters, NULL);
        if (signal == NULL) continue;
        const sedge_signal_kind *const kind = sedge_signal_kind_of(signal);
        if (kind->peak == NULL || kind->end == NULL) continue;
        const double part = find_lost(signal);
        const double fault = kind->peak(signal) < 0.0 ? kind->peak(signal) : part;
        if (kind->peak(signal) >= 0.0 && part <= LOST) continue;
        if (!(fabs(fault - told) > 0.0)) continue; // as the last one that was told
        told = fault;
        if (kind->peak(signal) < 0.0) {
            printf("  warning            the signal of '%s' has its peak before the run begins, at "
                   "%.4g%s (its delay)\n",
                   source.kind->name, kind->peak(signal) * sedge_deck_time_unit(session->deck),
                   sedge_deck_unit(session->deck, SEDGE_TIME));
        } else {
            printf(
                "  warning            the signal of '%s' is cut at t = 0, where up to %.2g of its "
                "amplitude is lost: that adds frequencies that no mesh resolves; begin it later "
                "(its delay)\n",
                source.kind->name, part);
        }
    }
}

// The lowest and the highest frequency of the monitors, and the part of their peaks that the
// signals' spectra have there, the greatest of all signals.
typedef struct monitor_band {
    double frequency[2];
    double part[2];
    int signals;
} monitor_band;

static void extend_parts(const sedge_session *session, const char *source, const double *signal,
                         void *to)
{
    const double end = sedge_session_time(session, session->steps);
    monitor_band *const band = to;

    (void)source;
    band->signals++;
    for (int i = 0; i < 2; i++) {
        band->part[i] = fmax(band->part[i], sedge_signal_part(signal, band->frequency[i], end));
    }
}

// The integral of the signal when it has ended, by the greatest before.
static double find_left(const double *signal)
{
    const sedge_signal_kind *const kind = sedge_signal_kind_of(signal);

    if (kind->peak == NULL || kind->end == NULL) return 0.0;
    const double first = fmax(0.0, 2.0 * kind->peak(signal) - kind->end(signal));
    const double length = kind->end(signal) - first;
    const double samples = ceil(SAMPLES_A_PERIOD * kind->frequency(signal) * length);
    double sum = 0.0;
    double most = 0.0;
    if (!(samples >= 1.0 && samples <= SAMPLES_MOST)) return 0.0;
    for (int i = 0; i < (int)samples; i++) {
        sum += sedge_signal(signal, first + (i + 0.5) * length / samples);
        most = fmax(most, fabs(sum));
    }
    return most > 0.0 ? fabs(sum) / most : 0.0;
}

double sedge_plausibility_remains(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    double left = 0.0;

    for (int i = 0; problem->equation->poynting && i < problem->point_source_count; i++)
        left = fmax(left, find_left(problem->point_sources[i].signal));
    return left * left;
}

static void warn_of_charges(const sedge_session *session)
{
    const double asked = session->deck->stop_energy;
    const double remains = asked > 0.0 ? sedge_plausibility_remains(session) : 0.0;

    if (!(remains > asked)) return;
    printf("  warning            the signal of a dipole has a mean that is not zero: it leaves "
           "charges, whose field stays, with about %.2g of the greatest energy; time.stop.energy, "
           "%.3g, may never be reached: take a signal without a mean (a ricker pulse, or a carrier "
           "of phase 0 or more periods)\n",
           remains, asked);
}

static void warn_of_band(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    monitor_band band = {.part = {0.0, 0.0}};

    sedge_deck_find_band(band.frequency, deck);
    if (!(band.frequency[1] > 0.0)) return;
    visit_signals(session, extend_parts, &band);
    if (band.signals == 0) return;
    const int worst = band.part[1] < band.part[0];
    if (!(band.part[worst] < deck->frequency_floor)) return;
    printf(
        "  warning            monitors ask for %.4g%s, where the spectrum of the sources is %.2g "
        "of its peak: fields are noise there, and what is normalised by the source is "
        "not-a-number below monitors.frequencies.floor, %.2g\n",
        band.frequency[worst] / sedge_deck_time_unit(deck), sedge_deck_unit(deck, SEDGE_FREQUENCY),
        band.part[worst], deck->frequency_floor);
}

static void warn_of_layer(const sedge_session *session)
{
    sedge_deck_layer layer;

    if (session->deck->layer == NULL) return;
    sedge_deck_find_layer(&layer, session->deck, session->mesh, &session->problem);
    if (!layer.too_near) return;
    printf(
        "  warning            '%s' is only %.2g wavelengths of the lowest recorded frequency away "
        "from the layer, which its reactive near field reaches: spectra may be wrong by more than "
        "1 %% there; move the layer away, or set its reflection and compare\n",
        layer.near, layer.waves);
}

// A flux is the mean of both sides: of total and of scattered fields where incident ones enter.
static void warn_of_fluxes(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const sedge_problem *const problem = &session->problem;

    for (int i = 0; i < deck->flux_count * problem->surfaces; i++) {
        const sedge_deck_flux *const flux = &deck->fluxes[i / problem->surfaces];
        const sedge_boundary_kind *const kind = problem->boundaries[i % problem->surfaces].kind;
        const char *const surface = session->mesh->groups.surface_names[i % problem->surfaces];

        if (kind == NULL || kind->feed == NULL || strcmp(surface, flux->surface.name) != 0)
            continue;
        printf(
            "  warning            monitors.flux.%s is the mean of total and scattered fields on "
            "both sides of '%s', and no power: take a surface inside of it, for what is absorbed, "
            "or one outside, for what is scattered\n",
            flux->name, surface);
    }
}

// Media of the library at frequencies that their fits are not made for: those of the monitors, or
// without these the highest of the sources, which all others are below.
static void warn_of_fits(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const double second = sedge_deck_time_unit(deck);
    double band[2];

    sedge_deck_find_band(band, deck);
    if (!(band[1] > 0.0)) band[0] = sedge_problem_frequency(&session->problem);
    for (int i = 0; i < deck->material_count; i++) {
        const sedge_library_material *const fit = deck->materials[i].library;
        const bool low =
            fit != NULL && band[0] > 0.0 && band[0] / second < fit->lowest * (1 - 1e-9);
        const bool high = fit != NULL && band[1] / second > fit->highest * (1 + 1e-9);
        if (!low && !high) continue;
        printf("  warning            '%s' is %s of the library, a fit for %s (%.4g to %.4g Hz): it "
               "says nothing of %.4g Hz\n",
               deck->materials[i].name, fit->name, fit->range, fit->lowest, fit->highest,
               (low ? band[0] : band[1]) / second);
    }
}

void sedge_plausibility_print(const sedge_session *session)
{
    double told = -HUGE_VAL;

    if (session->problem.equation->elliptic != NULL) return;
    if (!sedge_comm_is_root(session->comm)) return;
    warn_of_rest(session);
    warn_of_layer(session);
    warn_of_wave(session);
    warn_of_steps(session);
    visit_signals(session, warn_of_peak, &told);
    warn_of_starts(session);
    warn_of_charges(session);
    warn_of_band(session);
    warn_of_fluxes(session);
    warn_of_fits(session);
    if (!(session->limit_decay > 0.5)) return;
    const char *const group = session->mesh->groups.volume_names[session->limit_group];
    const double percent = 100.0 * session->limit_decay;
    if (sedge_problem_has_term(&session->problem, session->limit_group)) {
        printf("  warning            conductivity and terms of '%s' cause %.0f %% of the limit of "
               "the time step\n",
               group, percent);
        return;
    }
    printf("  warning            the conductivity of '%s' causes %.0f %% of the limit of the time "
           "step: model a good conductor by a boundary of type conductor instead of a volume\n",
           group, percent);
}
