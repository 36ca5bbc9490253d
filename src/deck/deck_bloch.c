#include "deck_bloch.h"

#include "dg/monitor_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what does not go with it -------------------------------------------------------------------

static bool is_requested(const sedge_deck *deck, const sedge_monitor_kind *kind)
{
    if (kind->requested != NULL) return kind->requested(deck);
    for (int i = 0; i < deck->monitor_count; i++)
        if (deck->monitors[i].kind == kind) return true;
    return false;
}

// The kinds of monitors that go with it, by name with commas between them.
static void list_monitors(char *out, size_t size)
{
    size_t length = 0;

    out[0] = '\0';
    for (int i = 0; sedge_monitor_kinds[i] != NULL; i++) {
        if (!sedge_monitor_kinds[i]->twins || length >= size) continue;
        length += (size_t)snprintf(out + length, size - length, "%s%s", length > 0 ? ", " : "",
                                   sedge_monitor_kinds[i]->name);
    }
}

static sedge_status check_monitors(const deck_reader *reader, const sedge_deck *deck)
{
    const deck_node *const monitors = deck_child(deck->tree, "monitors");
    char known[512];

    list_monitors(known, sizeof known);
    for (int i = 0; sedge_monitor_kinds[i] != NULL; i++) {
        const sedge_monitor_kind *const kind = sedge_monitor_kinds[i];
        if (kind->twins || !is_requested(deck, kind)) continue;
        const deck_node *const node = deck_child(monitors, kind->name);
        return deck_fail(reader->path, node != NULL ? node : monitors,
                         "monitors.%s does not go with a wave vector (bloch): it does not know "
                         "fields with a real and an imaginary part. These do: %s",
                         kind->name, known);
    }
    return SEDGE_OK;
}

static sedge_status check_sources(const deck_reader *reader, const sedge_deck *deck)
{
    const deck_node *node = deck_child(deck->tree, "sources")->first;

    for (int i = 0; i < deck->source_count; i++, node = node->next) {
        const sedge_source_kind *const kind = deck->sources[i].kind;
        const sedge_boundary_kind *const driven =
            kind->type == SEDGE_SOURCE_SURFACE
                ? deck->boundaries[(int)deck->sources[i].parameters[0]].kind
                : NULL;
        if (kind->type == SEDGE_SOURCE_POINT || (driven != NULL && driven->phased)) continue;
        return deck_fail(reader->path, node,
                         "sources.%d: a '%s' does not go with a wave vector (bloch); dipoles and "
                         "wave-sheets do",
                         i, kind->name);
    }
    return SEDGE_OK;
}

static sedge_status check_boundaries(const deck_reader *reader, const sedge_deck *deck)
{
    const deck_node *const section = deck_child(deck->tree, "boundaries");

    for (int i = 0; i < deck->boundary_count; i++) {
        if (!deck->boundaries[i].symmetry) continue;
        return deck_fail(reader->path, deck_child(section, deck->boundaries[i].name),
                         "boundaries.%s.symmetry: planes of symmetry do not go with a wave vector "
                         "(bloch): mesh the whole period",
                         deck->boundaries[i].name);
    }
    return SEDGE_OK;
}

static sedge_status check_initial(const deck_reader *reader, const sedge_deck *deck)
{
    if (deck->initial->zero || deck->initial->turn != NULL) return SEDGE_OK;
    return deck_fail(reader->path, deck_child(deck->tree, "initial"),
                     "initial: fields '%s' do not go with a wave vector (bloch), which they do not "
                     "have",
                     deck->initial->name);
}

sedge_status deck_read_bloch(const deck_reader *reader, sedge_deck *deck)
{
    deck_node *const node = deck_child(deck->tree, "bloch");
    sedge_periodic_pair pair;

    if (node == NULL) return SEDGE_OK;
    SEDGE_TRY(deck_expect(reader, node, "bloch", DECK_MAPPING));
    SEDGE_TRY(deck_check(reader, node, "bloch", deck_section_find("bloch"), NULL, 0));
    deck_vector(deck->wave_vector, reader, deck_child(node, "wave_vector"), SEDGE_DIMENSIONLESS);
    for (int d = 0; d < 3; d++) {
        if (deck->si) deck->wave_vector[d] /= deck->equation->si[SEDGE_LENGTH];
        deck->turns |= deck->wave_vector[d] != 0.0;
    }
    if (!deck->turns) return SEDGE_OK;
    if (sedge_turning_kind(deck->equation) == NULL) {
        return deck_fail(reader->path, node,
                         "bloch: the equation '%s' has no fields with a phase between periodic "
                         "sides",
                         deck->equation->name);
    }
    if (!sedge_mesh_find_pair(&pair, &deck->mesh, 0)) {
        return deck_fail(reader->path, node,
                         "bloch: a wave vector needs periodic sides, which this mesh does not "
                         "have: give mesh.box.periodic, or boundaries of the type periodic");
    }
    SEDGE_TRY(check_initial(reader, deck));
    SEDGE_TRY(check_sources(reader, deck));
    SEDGE_TRY(check_boundaries(reader, deck));
    SEDGE_TRY(check_monitors(reader, deck));
    deck->mesh.cut_periodic = true;
    return SEDGE_OK;
}

// ---- the problem --------------------------------------------------------------------------------

// From the surface to the other one the fields get the factor exp(-i phase), so that what is behind
// the surface is exp(i phase) times the fields there: of its real part, cos(phase) times the real
// and -sin(phase) times the imaginary part.
static void turn_surface(sedge_problem *problem, const sedge_deck *deck, const sedge_mesh *mesh,
                         const char *name, double phase)
{
    for (int s = 0; s < mesh->groups.surfaces; s++) {
        sedge_boundary *const boundary = &problem->boundaries[s];
        if (strcmp(mesh->groups.surface_names[s], name) != 0) continue;
        boundary->kind = sedge_turning_kind(deck->equation);
        boundary->surface = s;
        memcpy(boundary->name, mesh->groups.surface_names[s], sizeof boundary->name);
        boundary->parameters[SEDGE_TURN_COSINE] = cos(phase);
        boundary->parameters[SEDGE_TURN_SINE] = -sin(phase);
    }
}

#define MOST_PHASE 1e6  // radians; the rounding of a phase is at most 1e-10 then
#define ALONG_NONE 1e-4 // of k: more than the rounding of coordinates in mesh files

static double length_of(const double v[3])
{
    return hypot(hypot(v[0], v[1]), v[2]); // does not overflow
}

// Take the part along the unit vector `along` from v.
static void remove_part(double v[3], const double along[3])
{
    const double part = v[0] * along[0] + v[1] * along[1] + v[2] * along[2];

    for (int d = 0; d < 3; d++) v[d] -= part * along[d];
}

// The part of k that is along no translation of the mesh, and so has no effect.
static void find_rest(double rest[3], const double k[3], const sedge_mesh *mesh)
{
    double along[3][3];
    int count = 0;

    memcpy(rest, k, 3 * sizeof *rest);
    for (int i = 0; i < mesh->periods && count < 3; i++) {
        double v[3];
        memcpy(v, mesh->period[i], sizeof v);
        for (int j = 0; j < count; j++) remove_part(v, along[j]);
        const double length = length_of(v);
        if (length <= ALONG_NONE * length_of(mesh->period[i])) continue;
        for (int d = 0; d < 3; d++) along[count][d] = v[d] / length;
        remove_part(rest, along[count++]);
    }
}

static sedge_status check_along(const sedge_deck *deck, const sedge_mesh *mesh)
{
    const double unit = deck->si ? deck->equation->si[SEDGE_LENGTH] : 1.0;
    double rest[3];

    find_rest(rest, deck->wave_vector, mesh);
    if (length_of(rest) <= ALONG_NONE * length_of(deck->wave_vector)) return SEDGE_OK;
    return deck_fail(deck->path, deck_child(deck->tree, "bloch"),
                     "bloch.wave_vector: its part (%.6g, %.6g, %.6g) is along no translation "
                     "between periodic sides, so that no fields have it: remove it, or make the "
                     "sides across it periodic",
                     rest[0] * unit, rest[1] * unit, rest[2] * unit);
}

sedge_status deck_turn_periodic(sedge_problem *problem, const sedge_deck *deck,
                                const sedge_mesh *mesh)
{
    sedge_periodic_pair pair;

    memcpy(problem->wave_vector, deck->wave_vector, sizeof problem->wave_vector);
    if (!deck->turns) return SEDGE_OK;
    for (int i = 0; sedge_mesh_find_pair(&pair, &deck->mesh, i); i++) {
        double phase = 0.0;
        for (int d = 0; d < 3; d++) phase += deck->wave_vector[d] * mesh->period[i][d];
        if (!(fabs(phase) <= MOST_PHASE)) {
            return deck_fail(deck->path, deck_child(deck->tree, "bloch"),
                             "bloch.wave_vector: from '%s' to '%s' the phase is %.4g radians, and "
                             "%g are the most: is its unit right? It is radians per unit of length",
                             pair.first, pair.second, phase, MOST_PHASE);
        }
        turn_surface(problem, deck, mesh, pair.first, phase);
        turn_surface(problem, deck, mesh, pair.second, -phase);
    }
    return check_along(deck, mesh);
}

void deck_turn_initial(sedge_problem *problem, const sedge_deck *deck)
{
    const sedge_initial_kind *const kind = problem->initial;

    memcpy(problem->initial_twin, problem->initial_parameters, sizeof problem->initial_twin);
    if (!deck->turns || kind->turn == NULL) return;
    kind->turn(problem->wave_vector, 0, problem->initial_parameters);
    kind->turn(problem->wave_vector, 1, problem->initial_twin);
}
