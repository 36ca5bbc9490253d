// Deck and mesh become a problem: names become group numbers.
#include "deck.h"

#include "deck_bloch.h"
#include "deck_check.h"
#include "deck_layers.h"

#include "base/memory.h"
#include "image/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEAR_MAX     32
#define LEAST_GRADED 1e-300

// Group `name` among `count` names; -1 if there is none.
static int find_group(const char *name, char (*const names)[64], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

// The number of volume groups that the deck names: those of extruded layers, which come last, have
// the materials that they continue.
static int count_volumes(const sedge_mesh_groups *groups)
{
    int count = 0;

    while (count < groups->volumes && groups->volume_owner[count] == count) count++;
    return count;
}

// Fail at the deck's entry `section`.`name` for a group that the mesh lacks.
static sedge_status fail_unknown_group(const sedge_deck *deck, const char *section,
                                       const char *name, const char *kind, char (*const names)[64],
                                       int count)
{
    const deck_node *const node = deck_child(deck_child(deck->tree, section), name);
    const char *near[NEAR_MAX];
    char message[640];
    int known = 0;

    for (; known < count && known < NEAR_MAX; known++) near[known] = names[known];
    (void)snprintf(message, sizeof message, "%s.%s: the mesh has no %s group '%s'", section, name,
                   kind, name);
    deck_suggest(message, sizeof message, name, near, known);
    return deck_fail(deck->path, node, "%s", message);
}

// Fail at a section for a group of the mesh that the deck does not name; say which ones it does.
static sedge_status fail_missing_entry(const sedge_deck *deck, const char *section,
                                       const char *message)
{
    const deck_node *const node = deck_child(deck->tree, section);
    const char *near[NEAR_MAX];
    char text[640];
    int known = 0;

    for (const deck_node *child = node->first; child != NULL && known < NEAR_MAX;
         child = child->next)
        near[known++] = child->key;
    (void)snprintf(text, sizeof text, "%s", message);
    if (known == 0) return deck_fail(deck->path, node, "%s; the section is empty", text);
    deck_suggest(text, sizeof text, NULL, near, known);
    return deck_fail(deck->path, node, "%s", text);
}

// What the entry `default` of a section is for, where the deck has it; else nothing.
static const char *explain_default(bool has_default)
{
    return has_default ? "; '" SEDGE_DEFAULT_GROUP "' is for what is in no group" : "";
}

// ---- materials ----------------------------------------------------------------------------------

// A function of the equation's table may set `count` numbers, which are all that kernels know.
// Those behind them, up to `limit`, are set to not-a-number before it is called; one that is a
// number afterwards was set by mistake.
static void mark_rest(double *numbers, int count, int limit)
{
    for (int i = count; i < limit; i++) numbers[i] = (double)NAN;
}

static sedge_status check_rest(const sedge_equation *equation, const char *function,
                               const char *entry, double *numbers, int count, int limit)
{
    for (int i = count; i < limit; i++) {
        if (!isnan(numbers[i])) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "the table of the equation '%s': %s: it is %d, but `%s` sets number "
                              "%d (dg/equation.h)",
                              equation->name, entry, count, function, i + 1);
        }
        numbers[i] = 0.0;
    }
    return SEDGE_OK;
}

static sedge_status set_material(const sedge_equation *equation, const double *values, double *m)
{
    mark_rest(m, equation->material_values, SEDGE_MAX_MATERIALS);
    equation->derive(values, m);
    return check_rest(equation, "derive", "material_values", m, equation->material_values,
                      SEDGE_MAX_MATERIALS);
}

// The numbers of material i with those that vary in space, of which a group of equal values has
// `graded`. None is exactly 0: the equation's source acts in all elements of a range or in none.
static void find_values(double values[SEDGE_MAX_MATERIALS], const sedge_deck *deck, int i,
                        const double *graded)
{
    memcpy(values, deck->materials[i].values, sizeof deck->materials[i].values);
    for (int k = 0; k < deck->mesh.grids; k++) {
        const sedge_image_grid *const grid = &deck->grids[k];
        if (strcmp(grid->volume, deck->materials[i].name) != 0) continue;
        values[sedge_parameters_size(deck->equation->materials, grid->key)] =
            fabs(*graded) > LEAST_GRADED ? *graded : LEAST_GRADED;
        graded++;
    }
}

static sedge_status set_constants(sedge_problem *problem, const double *flux)
{
    const sedge_equation *const equation = problem->equation;
    const bool own = problem->incident_count > 0 && sedge_problem_feeds(problem) == NULL;

    if (equation->constants == NULL) return SEDGE_OK;
    mark_rest(problem->constants, equation->constant_count, SEDGE_MAX_VALUES);
    equation->constants(flux, own ? problem->incidents[0].parameters : NULL, problem->constants);
    return check_rest(equation, "constants", "constant_count", problem->constants,
                      equation->constant_count, SEDGE_MAX_VALUES);
}

static sedge_status assemble_materials(sedge_problem *problem, const sedge_deck *deck,
                                       const sedge_mesh_groups *groups)
{
    const int named = count_volumes(groups);

    for (int i = 0; i < deck->material_count; i++) {
        if (strcmp(deck->materials[i].name, SEDGE_DEFAULT_GROUP) != 0 &&
            find_group(deck->materials[i].name, groups->volume_names, named) < 0) {
            return fail_unknown_group(deck, "materials", deck->materials[i].name, "volume",
                                      groups->volume_names, named);
        }
    }
    for (int v = 0; v < groups->volumes; v++) { // a layer has the material that it continues
        const char *const name = groups->volume_names[groups->volume_owner[v]];
        double values[SEDGE_MAX_MATERIALS];
        char message[256];
        int i = 0;

        while (i < deck->material_count && strcmp(deck->materials[i].name, name) != 0) i++;
        if (i < deck->material_count) {
            find_values(values, deck, i, groups->volume_values[v]);
            if (deck->equation->derive != NULL) // an equation without materials has none
                SEDGE_TRY(set_material(deck->equation, values, problem->materials[v]));
            continue;
        }
        (void)snprintf(message, sizeof message,
                       "materials has nothing for the volume group '%s' of the mesh%s", name,
                       explain_default(deck->mesh.default_volume));
        return fail_missing_entry(deck, "materials", message);
    }
    return SEDGE_OK;
}

// The terms of one kind that the deck names.
static sedge_status add_terms(sedge_problem *problem, const sedge_deck *deck,
                              const sedge_mesh_groups *groups, const sedge_term_kind *kind)
{
    for (int i = 0; i < deck->term_count; i++) {
        const sedge_deck_term *const term = &deck->terms[i];
        if (term->kind != kind) continue;
        const char *const name = deck->materials[term->material].name;
        // The entry `default` of a mesh where no element needs it has no group.
        for (int v = 0; v < groups->volumes; v++) {
            if (strcmp(groups->volume_names[groups->volume_owner[v]], name) != 0) continue;
            SEDGE_TRY(sedge_problem_add_term(problem, kind, term->poles, v, term->parameters));
        }
    }
    return SEDGE_OK;
}

// A term that sets more memory, or fields, than there are would write into what lies behind them.
static sedge_status check_term(const sedge_problem *problem, const sedge_term *term)
{
    const sedge_equation *const equation = problem->equation;
    const double u[SEDGE_MAX_FIELDS] = {0.0};
    const double w[SEDGE_MAX_MEMORY] = {0.0};
    double du[SEDGE_MAX_FIELDS];
    double dw[SEDGE_MAX_MEMORY];
    char entry[96];
    int v = 0;

    while (v < problem->volumes && !term->present[v]) v++;
    if (v == problem->volumes || term->kind->local == NULL) return SEDGE_OK;
    mark_rest(du, equation->fields, SEDGE_MAX_FIELDS);
    mark_rest(dw, term->kind->memory, SEDGE_MAX_MEMORY);
    term->kind->local(u, w, problem->materials[v], sedge_term_pole(term, v, 0), problem->constants,
                      0.0, du, dw);
    (void)snprintf(entry, sizeof entry, "term '%.64s': memory", term->kind->name);
    SEDGE_TRY(check_rest(equation, "local", entry, dw, term->kind->memory, SEDGE_MAX_MEMORY));
    (void)snprintf(entry, sizeof entry, "term '%.64s': fields", term->kind->name);
    return check_rest(equation, "local", entry, du, equation->fields, SEDGE_MAX_FIELDS);
}

// The terms of the groups that the mesh has.
static sedge_status assemble_terms(sedge_problem *problem, const sedge_deck *deck,
                                   const sedge_mesh *mesh)
{
    const sedge_term_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_term_kinds_of(kinds, deck->equation, true);

    for (int i = 0; i < count; i++) {
        SEDGE_TRY(kinds[i]->layer != 0 ? deck_add_layers(problem, deck, mesh, kinds[i])
                                       : add_terms(problem, deck, &mesh->groups, kinds[i]));
    }
    for (int t = 0; t < problem->term_count; t++) // those of layers are the program's own
        if (problem->terms[t].kind->layer == 0) SEDGE_TRY(check_term(problem, &problem->terms[t]));
    return SEDGE_OK;
}

// An exact solution of the equation is none of the equation with a term.
static sedge_status check_comparison(const sedge_problem *problem, const sedge_deck *deck)
{
    if (!problem->compare || problem->term_count == 0) return SEDGE_OK;
    if (problem->terms[0].kind->layer != 0) {
        return deck_fail(deck->path, deck_child(deck->tree, "initial"),
                         "initial: '%s' is an exact solution only without layers, and "
                         "boundaries.%s has the type '%s': set initial.compare to false",
                         problem->initial->name, deck->layer->name, deck->layer->kind->name);
    }
    return deck_fail(deck->path, deck_child(deck->tree, "initial"),
                     "initial: '%s' is an exact solution only without terms, and a material has "
                     "the term '%s': set initial.compare to false",
                     problem->initial->name, problem->terms[0].kind->name);
}

// ---- boundaries ---------------------------------------------------------------------------------

// Places in the deck's `boundaries` become numbers of surface groups, both from 1.
static sedge_status number_weights(double *values, const sedge_deck_boundary *boundary,
                                   const sedge_deck *deck, const sedge_mesh_groups *groups)
{
    const deck_node *const node = deck_child(deck_child(deck->tree, "boundaries"), boundary->name);
    const sedge_boundary_kind *const kind = boundary->kind;

    for (int i = 0; i < kind->parameter_count; i++) {
        const bool weights = kind->parameters[i].type == SEDGE_PARAMETER_WEIGHTS;

        for (int k = 0; k < 2 * SEDGE_MAX_WEIGHTS && weights && values[k] > 0.0; k += 2) {
            const char *const name = deck->boundaries[(int)values[k] - 1].name;
            const int s = find_group(name, groups->surface_names, groups->surfaces);

            if (s < 0) {
                return deck_fail(deck->path, node,
                                 "boundaries.%s.%s: no face of the mesh has the entry '%s'",
                                 boundary->name, kind->parameters[i].name, name);
            }
            values[k] = s + 1;
        }
        values += sedge_parameter_size(&kind->parameters[i]);
    }
    return SEDGE_OK;
}

// One condition of the deck; `s` is its group in the mesh.
static sedge_status assemble_boundary(sedge_problem *problem, const sedge_deck *deck,
                                      const sedge_deck_boundary *boundary,
                                      const sedge_mesh_groups *groups, int s)
{
    const deck_node *const node = deck_child(deck_child(deck->tree, "boundaries"), boundary->name);
    const long long outside = groups->surface_faces[s];
    const long long inside = groups->surface_interior_faces[s];
    const sedge_boundary_kind *kind = boundary->kind;

    if (boundary->kind == NULL && outside > 0) {
        return deck_fail(deck->path, node,
                         "boundaries.%s: %lld faces of the periodic surface group have no partner",
                         boundary->name, outside);
    }
    if (boundary->kind == NULL) return SEDGE_OK;
    if (boundary->surface[0] != '\0' &&
        find_group(boundary->name, groups->surface_names, groups->surfaces) >= 0) {
        return deck_fail(deck->path, deck_child(node, "surface"),
                         "boundaries.%s.surface: the mesh has a surface '%s', which is not '%s': "
                         "give the further mode a name that no surface has",
                         boundary->name, boundary->name, boundary->surface);
    }
    if (outside == 0) {
        return deck_fail(deck->path, node,
                         inside > 0
                             ? "boundaries.%s: the surface group is periodic, so it takes no "
                               "condition; remove it"
                             : "boundaries.%s: the surface group has no face in the mesh",
                         boundary->name);
    }
    if (kind->outside != NULL && groups->surface_two_sided_faces[s] == 0) kind = kind->outside;
    if (sedge_is_two_sided(kind) &&
        groups->surface_two_sided_faces[s] * 2 < groups->surface_faces[s]) {
        return deck_fail(deck->path, node,
                         "boundaries.%s: '%s' is for surfaces inside the mesh, with elements on "
                         "both sides, but %lld faces of this one are on the outside",
                         boundary->name, boundary->kind->name,
                         outside - 2 * (long long)groups->surface_two_sided_faces[s]);
    }
    sedge_boundary *const added = boundary->surface[0] != '\0'
                                      ? &problem->further[problem->further_count++]
                                      : &problem->boundaries[s];
    added->kind = kind;
    added->surface = s;
    memcpy(added->name, boundary->name, sizeof added->name);
    memcpy(added->parameters, boundary->parameters, sizeof boundary->parameters);
    return number_weights(added->parameters, boundary, deck, groups);
}

// The surface that an entry is on.
static const char *surface_of(const sedge_deck_boundary *boundary)
{
    return boundary->surface[0] != '\0' ? boundary->surface : boundary->name;
}

static sedge_status assemble_boundaries(sedge_problem *problem, const sedge_deck *deck,
                                        const sedge_mesh *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;

    SEDGE_TRY(sedge_allocate(&problem->further, deck->boundary_count, sizeof *problem->further));
    for (int i = 0; i < deck->boundary_count; i++) {
        const sedge_deck_boundary *const boundary = &deck->boundaries[i];
        const char *const name = surface_of(boundary);
        const int s = find_group(name, groups->surface_names, groups->surfaces);

        if (s < 0 && strcmp(name, SEDGE_DEFAULT_GROUP) == 0) continue;
        if (s < 0) {
            return fail_unknown_group(deck, "boundaries", name, "surface", groups->surface_names,
                                      groups->surfaces);
        }
        SEDGE_TRY(assemble_boundary(problem, deck, boundary, groups, s));
    }
    SEDGE_TRY(deck_turn_periodic(problem, deck, mesh));
    for (int s = 0; s < groups->surfaces; s++) {
        char message[256];

        if (groups->surface_faces[s] == 0 || problem->boundaries[s].kind != NULL) continue;
        (void)snprintf(message, sizeof message,
                       "boundaries has no condition for the surface group '%s' of the mesh (%lld "
                       "faces)%s",
                       groups->surface_names[s], (long long)groups->surface_faces[s],
                       explain_default(deck->mesh.default_surface));
        return fail_missing_entry(deck, "boundaries", message);
    }
    return SEDGE_OK;
}

// ---- sources and monitors -----------------------------------------------------------------------

// A source that a surface's condition follows. A surface that the mesh lacks has none.
static void add_surface_source(sedge_problem *problem, const sedge_deck *deck,
                               const sedge_deck_source *source)
{
    const char *const name = deck->boundaries[(int)source->parameters[0]].name;
    const double *const signal = sedge_source_signal(source->kind, source->parameters, NULL);
    sedge_boundary *driven = NULL;

    for (int i = 0; i < problem->surfaces + problem->further_count; i++) {
        sedge_boundary *const boundary = sedge_problem_condition(problem, i);
        if (boundary->kind != NULL && strcmp(boundary->name, name) == 0) driven = boundary;
    }
    if (driven == NULL) return;
    sedge_surface_source *const added = &problem->surface_sources[problem->surface_source_count++];
    added->kind = source->kind;
    added->boundary = driven;
    memcpy(added->parameters, source->parameters, sizeof added->parameters);
    memcpy(driven->parameters + driven->kind->driven, signal, SEDGE_SIGNAL_VALUES * sizeof *signal);
}

static sedge_status assemble_sources(sedge_problem *problem, const sedge_deck *deck)
{
    int points = 0;

    SEDGE_TRY(sedge_allocate(&problem->surface_sources, deck->source_count,
                             sizeof *problem->surface_sources));
    for (int i = 0; i < deck->source_count; i++) {
        const sedge_deck_source *const source = &deck->sources[i];
        if (source->kind->type == SEDGE_SOURCE_INCIDENT) {
            sedge_incident *const incident = &problem->incidents[problem->incident_count++];
            incident->kind = source->kind;
            memcpy(incident->parameters, source->parameters, sizeof source->parameters);
            continue;
        }
        if (source->kind->type == SEDGE_SOURCE_SURFACE) {
            add_surface_source(problem, deck, source);
            continue;
        }
        sedge_point_source *const point = &problem->point_sources[points++];
        point->kind = source->kind;
        memcpy(point->position, source->parameters, sizeof point->position);
        if (source->kind->type == SEDGE_SOURCE_POINT)
            memcpy(point->signal, source->parameters + 3, sizeof point->signal);
        memcpy(point->parameters, source->parameters, sizeof point->parameters);
    }
    return SEDGE_OK;
}

static sedge_status check_plane(const sedge_deck *deck, const sedge_mesh *mesh, const char *section,
                                const sedge_deck_slice *plane)
{
    const deck_node *const node = deck_child(deck_child(deck->tree, "monitors"), section);
    const double(*const box)[3] = sedge_mesh_inner_bounds(mesh);
    const double low = box[0][plane->axis];
    const double high = box[1][plane->axis];
    const char *const unit = sedge_deck_unit(deck, SEDGE_LENGTH);

    if (plane->position >= low && plane->position <= high) return SEDGE_OK;
    return deck_fail(deck->path, deck_child(node, plane->name),
                     "monitors.%s.%s: the plane %c = %.6g%s misses the mesh%s, which reaches from "
                     "%.6g to %.6g%s",
                     section, plane->name, 'x' + plane->axis, plane->position, unit,
                     deck->layer != NULL ? " without layers" : "", low, high, unit);
}

static sedge_status check_planes(const sedge_deck *deck, const sedge_mesh *mesh)
{
    for (int i = 0; i < deck->slice_count; i++)
        SEDGE_TRY(check_plane(deck, mesh, "slices", &deck->slices[i]));
    for (int i = 0; i < deck->spectrum_count; i++) {
        if (deck->spectra[i].place == SEDGE_SPECTRUM_PLANE)
            SEDGE_TRY(check_plane(deck, mesh, "spectra", &deck->spectra[i].plane));
    }
    return SEDGE_OK;
}

// A name in the entry `name` of a section of monitors that must be one of the mesh's groups.
static sedge_status check_group(const sedge_deck *deck, const char *section, const char *name,
                                const char *key, const char *group, const char *kind,
                                char (*const names)[64], int count)
{
    const deck_node *const entry =
        deck_child(deck_child(deck_child(deck->tree, "monitors"), section), name);
    const char *near[NEAR_MAX];
    char message[640];
    int known = 0;

    for (int i = 0; i < deck->mesh.extrude.volumes && strcmp(kind, "volume") == 0; i++) {
        if (strcmp(deck->mesh.extrude.volume[i], group) != 0) continue;
        return deck_fail(deck->path, deck_child(entry, key),
                         "monitors.%s.%s.%s: the volume group '%s' is an absorbing layer "
                         "(mesh.layers), whose fields are in no monitor",
                         section, name, key, group);
    }
    if (group[0] == '\0' || find_group(group, names, count) >= 0) return SEDGE_OK;
    for (; known < count && known < NEAR_MAX; known++) near[known] = names[known];
    (void)snprintf(message, sizeof message, "monitors.%s.%s.%s: the mesh has no %s group '%s'",
                   section, name, key, kind, group);
    deck_suggest(message, sizeof message, group, near, known);
    return deck_fail(deck->path, deck_child(entry, key), "%s", message);
}

// The volume groups of spectra and absorption.
static sedge_status check_volumes(const sedge_deck *deck, const sedge_mesh_groups *groups,
                                  const char *section, const char *name, char (*const names)[64],
                                  int count)
{
    for (int k = 0; k < count; k++) {
        SEDGE_TRY(check_group(deck, section, name, "groups", names[k], "volume",
                              groups->volume_names, count_volumes(groups)));
    }
    return SEDGE_OK;
}

// The surfaces of spectra, flux and far fields: that of the entry's `key`.
static sedge_status check_surface(const sedge_deck *deck, const sedge_mesh_groups *groups,
                                  const char *section, const char *name, const char *key,
                                  const sedge_deck_surface *surface)
{
    SEDGE_TRY(check_group(deck, section, name, key, surface->name, "surface", groups->surface_names,
                          groups->surfaces));
    for (int i = 0; i < deck->mesh.extrude.surfaces; i++) {
        if (strcmp(deck->mesh.extrude.surface[i], surface->name) != 0) continue;
        return deck_fail(deck->path,
                         deck_child(deck_child(deck_child(deck->tree, "monitors"), section), name),
                         "monitors.%s.%s: the surface '%s' lies behind the layer that "
                         "boundaries.%s adds, where fields are in no output: take a surface inside "
                         "the box",
                         section, name, surface->name, surface->name);
    }
    return check_group(deck, section, name, "out_of", surface->out_of, "volume",
                       groups->volume_names, count_volumes(groups));
}

static sedge_status check_surfaces(const sedge_deck *deck, const sedge_mesh_groups *groups)
{
    for (int i = 0; i < deck->spectrum_count; i++) {
        const sedge_deck_spectrum *const one = &deck->spectra[i];
        SEDGE_TRY(check_surface(deck, groups, "spectra", one->name, "surface", &one->surface));
        SEDGE_TRY(check_volumes(deck, groups, "spectra", one->name, one->groups, one->group_count));
    }
    for (int i = 0; i < deck->flux_count; i++) {
        const sedge_deck_flux *const one = &deck->fluxes[i];
        SEDGE_TRY(check_surface(deck, groups, "flux", one->name, "surface", &one->surface));
    }
    for (int i = 0; i < deck->absorption_count; i++) {
        const sedge_deck_absorption *const one = &deck->absorptions[i];
        SEDGE_TRY(
            check_volumes(deck, groups, "absorption", one->name, one->groups, one->group_count));
        for (int k = 0; k < one->surface_count; k++) {
            sedge_deck_surface surface = {.out_of = ""};

            (void)snprintf(surface.name, sizeof surface.name, "%s", one->surfaces[k]);
            SEDGE_TRY(check_surface(deck, groups, "absorption", one->name, "surfaces", &surface));
        }
        for (int k = 0; k < one->mass_count; k++) {
            SEDGE_TRY(check_group(deck, "absorption", one->name, "mass_density",
                                  one->masses[k].group, "volume", groups->volume_names,
                                  count_volumes(groups)));
        }
    }
    for (int i = 0; i < deck->far_field_count; i++) {
        const sedge_deck_far_field *const one = &deck->far_fields[i];
        SEDGE_TRY(check_surface(deck, groups, "far-field", one->name, "surface", &one->surface));
        SEDGE_TRY(check_surface(deck, groups, "far-field", one->name, "input", &one->input));
    }
    return SEDGE_OK;
}

// ---- waves and periodic sides -------------------------------------------------------------------

static double find_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A plane wave goes on through periodic sides only where it is the same on both: `kind` of `where`
// in the deck, with the wave's parameters p. Tolerances: rounding in the deck's digits.
static sedge_status check_wave(const sedge_deck *deck, const deck_node *node, const char *where,
                               const char *kind, sedge_wave wave, const double *p,
                               const sedge_mesh *mesh)
{
    double k[3];

    if (wave == NULL) return SEDGE_OK;
    const bool turns = wave(p, k);
    for (int i = 0; i < mesh->periods; i++) {
        const double *const period = mesh->period[i];
        const double along = find_product(k, period);
        const double most = sqrt(find_product(k, k) * find_product(period, period));
        if (turns && fabs(along - round(along)) > 1e-6 * fmax(1.0, most)) {
            return deck_fail(deck->path, node,
                             "%s: %.6g waves of the %s fit into the period (%.6g, %.6g, %.6g) of "
                             "the mesh's periodic sides; it must be a whole number",
                             where, fabs(along), kind, period[0], period[1], period[2]);
        }
        if (!turns && fabs(along) > 1e-6 * most) {
            return deck_fail(deck->path, node,
                             "%s: the %s with direction (%.6g, %.6g, %.6g) is not the same on two "
                             "periodic sides, whose shift is (%.6g, %.6g, %.6g): the direction "
                             "must be perpendicular to the shift, or the sides need another "
                             "condition, such as absorbing",
                             where, kind, k[0], k[1], k[2], period[0], period[1], period[2]);
        }
    }
    return SEDGE_OK;
}

static sedge_status check_waves(const sedge_deck *deck, const sedge_mesh *mesh)
{
    const deck_node *node = deck_child(deck->tree, "sources")->first;

    for (int i = 0; i < deck->source_count; i++, node = node->next) {
        const sedge_deck_source *const source = &deck->sources[i];
        char where[32];
        (void)snprintf(where, sizeof where, "sources.%d", i);
        SEDGE_TRY(check_wave(deck, node, where, source->kind->name, source->kind->wave,
                             source->parameters, mesh));
    }
    return check_wave(deck, deck_child(deck->tree, "initial"), "initial", deck->initial->name,
                      deck->initial->wave, deck->initial_parameters, mesh);
}

// Incident fields and the surfaces through which they enter. Faults are told with the line of the
// first of these surfaces.
static sedge_status feed(sedge_problem *problem, const sedge_deck *deck, const sedge_mesh *mesh)
{
    const deck_node *const boundaries = deck_child(deck->tree, "boundaries");
    const deck_node *at = NULL;

    for (int i = deck->boundary_count - 1; i >= 0; i--) {
        const sedge_deck_boundary *const boundary = &deck->boundaries[i];
        if (boundary->kind != NULL && boundary->kind->feed != NULL)
            at = deck_child(boundaries, boundary->name);
    }
    if (at != NULL && sedge_problem_feeds(problem) == NULL) {
        return deck_fail(deck->path, at,
                         "boundaries.%s: no face of the mesh has this condition, through which "
                         "incident fields would enter; name a surface inside the mesh, of the "
                         "file or of mesh.surfaces, or leave the entry out",
                         at->key);
    }
    const sedge_status status = sedge_problem_feed(problem, mesh);
    if (status != SEDGE_ERR_USAGE) return status;
    return deck_fail(deck->path, at, "%s", sedge_error_message());
}

// The entry of the deck that a contradiction names; NULL: of a group that has none.
static const deck_node *find_entry(const sedge_contradiction *found, const sedge_deck *deck,
                                   const sedge_mesh_groups *groups)
{
    const bool incident = found->place == SEDGE_AT_INCIDENT;
    const deck_node *source = NULL;
    int left = found->index;

    switch (found->place) {
    case SEDGE_AT_MATERIAL:
        return deck_child(deck_child(deck->tree, "materials"),
                          groups->volume_names[groups->volume_owner[found->index]]);
    case SEDGE_AT_BOUNDARY:
        return deck_child(deck_child(deck->tree, "boundaries"),
                          groups->surface_names[found->index]);
    case SEDGE_AT_INITIAL:
        return deck_child(deck->tree, "initial");
    case SEDGE_AT_INCIDENT:
    case SEDGE_AT_POINT_SOURCE:
        break;
    }
    source = deck_child(deck->tree, "sources")->first;
    for (int i = 0; i < deck->source_count; i++, source = source->next) {
        if (deck->sources[i].kind->type == SEDGE_SOURCE_SURFACE) continue;
        const bool same = incident == (deck->sources[i].kind->type == SEDGE_SOURCE_INCIDENT);
        if (same && left-- == 0) break;
    }
    return source;
}

static sedge_status check_contradiction(const sedge_problem *problem, const sedge_deck *deck,
                                        const sedge_mesh_groups *groups)
{
    if (deck->equation->contradiction == NULL) return SEDGE_OK;
    const sedge_contradiction found = deck->equation->contradiction(problem);
    if (found.text == NULL) return SEDGE_OK;
    return deck_fail(deck->path, find_entry(&found, deck, groups), "%s", found.text);
}

static sedge_status derive(sedge_problem *problem, const sedge_deck *deck, const sedge_mesh *mesh)
{
    int surface = 0;
    const sedge_status status = sedge_problem_derive(problem, mesh, &surface);

    if (status != SEDGE_ERR_USAGE) return status;
    const deck_node *const boundaries = deck_child(deck->tree, "boundaries");
    return deck_fail(deck->path, deck_child(boundaries, mesh->groups.surface_names[surface]), "%s",
                     sedge_error_message());
}

sedge_status sedge_deck_fit(sedge_problem *problem, const sedge_comm *comm, const sedge_deck *deck,
                            const sedge_mesh *mesh)
{
    const sedge_boundary *at = NULL;
    const sedge_status status = sedge_problem_fit(problem, comm, mesh, &at);

    if (status != SEDGE_ERR_USAGE) return status;
    const deck_node *const boundaries = deck_child(deck->tree, "boundaries");
    return deck_fail(deck->path, deck_child(boundaries, at->name), "%s", sedge_error_message());
}

sedge_status sedge_deck_problem(sedge_problem *problem, const sedge_deck *deck,
                                const sedge_mesh *mesh)
{
    const sedge_equation *const equation = deck->equation;
    const sedge_mesh_groups *const groups = &mesh->groups;
    int points = 0;
    sedge_status status;

    for (int i = 0; i < deck->source_count; i++) points += sedge_has_place(deck->sources[i].kind);
    SEDGE_TRY(sedge_problem_init(problem, equation, groups->volumes, groups->surfaces, points));
    problem->si = deck->si;
    problem->order = deck->order;
    problem->precision = deck->precision;
    if (deck->integrator != NULL) problem->integrator = deck->integrator;
    problem->curved = mesh->global_curved > 0;
    SEDGE_TRY_GOTO(status, assemble_materials(problem, deck, groups));
    SEDGE_TRY_GOTO(status, assemble_boundaries(problem, deck, mesh));
    SEDGE_TRY_GOTO(status, check_planes(deck, mesh));
    SEDGE_TRY_GOTO(status, check_surfaces(deck, &mesh->groups));
    SEDGE_TRY_GOTO(status, assemble_sources(problem, deck));
    SEDGE_TRY_GOTO(status, set_constants(problem, deck->flux));
    problem->initial = deck->initial;
    memcpy(problem->initial_parameters, deck->initial_parameters, sizeof deck->initial_parameters);
    problem->compare = deck->compare;
    deck_turn_initial(problem, deck);
    SEDGE_TRY_GOTO(status, deck_check_layers(problem, deck, mesh));
    SEDGE_TRY_GOTO(status, assemble_terms(problem, deck, mesh));
    SEDGE_TRY_GOTO(status, deck_check_layer_media(problem, deck, mesh));
    SEDGE_TRY_GOTO(status, check_comparison(problem, deck));

    SEDGE_TRY_GOTO(status, check_contradiction(problem, deck, groups));
    SEDGE_TRY_GOTO(status, check_waves(deck, mesh));
    SEDGE_TRY_GOTO(status, derive(problem, deck, mesh));
    SEDGE_TRY_GOTO(status, feed(problem, deck, mesh));
    return SEDGE_OK;
done:
    sedge_problem_clear(problem);
    return status;
}
