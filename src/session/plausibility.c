#include "session/plausibility.h"

#include "session/resolution.h"

#include <math.h>
#include <stdio.h>

// A wave this many times as long as the mesh means wrong units, or a static problem.
#define LONG_WAVE 100.0

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

    if (deck->steps > 0 || session->steps > 1) return;
    printf("  warning            time.end %.4g%s is one time step, or less: %s\n",
           deck->end_time * sedge_deck_time_unit(deck), sedge_deck_unit(deck, SEDGE_TIME),
           sedge_deck_question(deck));
}

static void warn_of_signal(const sedge_session *session, const char *source, const double *signal)
{
    const double time_unit = sedge_deck_time_unit(session->deck);
    const char *const unit = sedge_deck_unit(session->deck, SEDGE_TIME);
    const double end = sedge_session_time(session, session->steps);

    const sedge_signal_kind *const kind = sedge_signal_kind_of(signal);
    if (kind->peak == NULL || !(end < kind->peak(signal))) return;
    printf(
        "  warning            the run ends at t = %.4g%s, before the signal of '%s' has its peak "
        "at %.4g%s (its delay)\n",
        end * time_unit, unit, source, kind->peak(signal) * time_unit, unit);
}

static void warn_of_end(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;

    for (int k = 0; k < problem->incident_count; k++) {
        const sedge_source_kind *const kind = problem->incidents[k].kind;
        const double *values = problem->incidents[k].parameters;
        for (int i = 0; i < kind->parameter_count; i++) {
            if (kind->parameters[i].type == SEDGE_PARAMETER_SIGNAL)
                warn_of_signal(session, kind->name, values);
            values += sedge_parameter_size(&kind->parameters[i]);
        }
    }
    for (int i = 0; i < problem->point_source_count; i++) {
        const sedge_point_source *const source = &problem->point_sources[i];
        warn_of_signal(session, source->kind->name, source->signal);
    }
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
    if (session->problem.equation->elliptic != NULL) return;
    if (!sedge_comm_is_root(session->comm)) return;
    warn_of_layer(session);
    warn_of_wave(session);
    warn_of_steps(session);
    warn_of_end(session);
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
