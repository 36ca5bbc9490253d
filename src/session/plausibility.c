#include "session/plausibility.h"

#include "session/resolution.h"

#include <math.h>
#include <stdio.h>

// Nearer to the layer than this part of a wavelength are stored fields that its default reflection
// is not made for: 0.08 away a sphere at order 3 and 4 scatters 10 to 20 % too little.
#define NEAR_LAYER 0.1

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

static void extend_band(double band[2], const sedge_deck_frequencies *frequencies)
{
    for (int i = 0; i < frequencies->count; i++) {
        band[0] = fmin(band[0], frequencies->value[i]);
        band[1] = fmax(band[1], frequencies->value[i]);
    }
}

// The lowest and the highest frequency of the monitors; the highest is 0: they have none.
static void find_band(double band[2], const sedge_deck *deck)
{
    band[0] = HUGE_VAL;
    band[1] = 0.0;
    for (int i = 0; i < deck->spectrum_count; i++) extend_band(band, &deck->spectra[i].frequencies);
    for (int i = 0; i < deck->flux_count; i++) extend_band(band, &deck->fluxes[i].frequencies);
    for (int i = 0; i < deck->far_field_count; i++)
        extend_band(band, &deck->far_fields[i].frequencies);
}

// The distance of a box (minus the least coordinates, then the greatest) from the nearest side of
// the mesh with a layer; 0: it reaches one, as walls do that go on in the layer.
static double find_distance(const sedge_mesh *mesh, const double box[6])
{
    const double(*const inner)[3] = sedge_mesh_inner_bounds(mesh);
    double distance = HUGE_VAL;

    for (int i = 0; i < 6; i++) {
        const int d = i % 3;
        const double to = i < 3 ? -inner[0][d] - box[i] : inner[1][d] - box[i];
        const double layer =
            i < 3 ? inner[0][d] - mesh->bounds[0][d] : mesh->bounds[1][d] - inner[1][d];
        if (layer > 0.5 * mesh->extruded.thickness) distance = fmin(distance, to);
    }
    return distance;
}

// What is nearest to the layers of a box: a conductor inside of the mesh, or a point source.
// Collective.
static double find_nearest(const char **name, const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    const sedge_mesh *const mesh = session->mesh;
    double nearest = HUGE_VAL;

    for (int s = 0; s < problem->surfaces + problem->point_source_count; s++) {
        const int source = s - problem->surfaces;
        double box[6];

        for (int i = 0; i < 6; i++) box[i] = -HUGE_VAL;
        for (int i = 0; i < 6 && source >= 0; i++)
            box[i] = (i < 3 ? -1.0 : 1.0) * problem->point_sources[source].position[i % 3];
        if (source < 0) {
            const sedge_boundary_kind *const kind = problem->boundaries[s].kind;

            if (kind == NULL || kind->mirror == SEDGE_MIRROR_NONE) continue;
            for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++) {
                sedge_mesh_extend_box(box, mesh, mesh->set_faces[i].element,
                                      mesh->set_faces[i].face);
            }
            sedge_comm_max(session->comm, box, 6);
        }
        const double distance = find_distance(mesh, box);
        if (!(distance > 1e-6 * mesh_size(mesh) && distance < nearest)) continue;
        nearest = distance;
        *name =
            source < 0 ? mesh->groups.surface_names[s] : problem->point_sources[source].kind->name;
    }
    return nearest;
}

// Collective.
static void warn_of_layer(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const char *name = NULL;
    sedge_deck_layer layer;
    double band[2];

    find_band(band, deck);
    if (deck->layer == NULL || session->mesh->extruded.radius > 0.0 || !(band[1] > 0.0)) return;
    sedge_deck_find_layer(&layer, deck, session->mesh, &session->problem);
    const double waves = find_nearest(&name, session) * band[0] / layer.speed;
    if (!layer.by_rule || !(waves < NEAR_LAYER) || !sedge_comm_is_root(session->comm)) return;
    printf(
        "  warning            '%s' is only %.2g wavelengths of the lowest recorded frequency away "
        "from the layer: fields stored around it reach the layer and need one that absorbs more "
        "slowly, such as reflection: %g (now %g), or two layers\n",
        name, waves, 10.0 * layer.reflection, layer.reflection);
}

// Media of the library at frequencies that their fits are not made for: those of the monitors, or
// without these the highest of the sources, which all others are below.
static void warn_of_fits(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const double second = sedge_deck_time_unit(deck);
    double band[2];

    find_band(band, deck);
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
    warn_of_layer(session);
    if (!sedge_comm_is_root(session->comm)) return;
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
           "step: model a good conductor by a boundary of type impedance instead of a volume\n",
           group, percent);
}
