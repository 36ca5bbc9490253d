#include "absorption_surfaces.h"

#include "absorption_sheets.h"

#include "base/memory.h"
#include "monitor/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static int find_group(const sedge_mesh *mesh, const char *name)
{
    int s = 0;

    while (s < mesh->groups.surfaces - 1 && strcmp(mesh->groups.surface_names[s], name) != 0) s++;
    return s;
}

static bool has_loss(const sedge_boundary_kind *kind)
{
    return kind->loss != NULL || kind->loss_two_sided != NULL;
}

// The types of surfaces whose losses are known: "a, b".
static void list_kinds(char text[256], const sedge_equation *equation)
{
    const sedge_boundary_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_boundary_kinds(kinds, equation);
    int length = 0;

    text[0] = '\0';
    for (int i = 0; i < count && length < 256; i++) {
        if (!has_loss(kinds[i])) continue;
        length += snprintf(text + length, (size_t)(256 - length), "%s%s", length > 0 ? ", " : "",
                           kinds[i]->name);
    }
}

static sedge_status create_surface(sedge_absorption_surface *out,
                                   const sedge_output_context *context,
                                   const sedge_deck_absorption *deck, const char *name,
                                   const char *where)
{
    const sedge_boundary_kind *kind;
    sedge_deck_surface surface = {.own = true};

    out->name = name;
    out->group = find_group(context->mesh, name);
    kind = context->problem->boundaries[out->group].kind;
    if (kind == NULL || !has_loss(kind)) {
        char known[256];

        list_kinds(known, context->problem->equation);
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the surface '%s' has %s%s, whose loss is not known; 'surfaces' "
                          "takes those of type %s",
                          where, name, kind == NULL ? "no condition" : "the type ",
                          kind == NULL ? "" : kind->name, known);
    }
    (void)snprintf(out->transform_name, sizeof out->transform_name, "%s/on-%s", deck->name, name);
    (void)snprintf(surface.name, sizeof surface.name, "%s", name);
    SEDGE_TRY(sedge_face_points_create(&out->faces, context, &surface, where));
    return sedge_comm_agree(context->comm,
                            sedge_allocate(&out->sides, out->faces.sides, sizeof *out->sides));
}

sedge_status sedge_absorption_surfaces_create(sedge_absorption_surface *out,
                                              const sedge_output_context *context,
                                              const sedge_deck_absorption *deck)
{
    char origin[SEDGE_DECK_ORIGIN];
    char where[SEDGE_DECK_ORIGIN + 128];

    sedge_deck_origin(origin, context->deck, "monitors.absorption", deck->name);
    (void)snprintf(where, sizeof where, "%s: monitors.absorption.%s.surfaces", origin, deck->name);
    if (deck->surface_count > 0 && context->problem->incident_count > 0 &&
        sedge_problem_feeds(context->problem) == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the fields are those that a plane wave's scatterers send out, and "
                          "losses need all fields: put a surface of type total-field around them",
                          where);
    }
    for (int i = 0; i < deck->surface_count; i++)
        SEDGE_TRY(create_surface(&out[i], context, deck, deck->surfaces[i], where));
    return SEDGE_OK;
}

void sedge_absorption_surface_clear(const sedge_absorption_surface *surface)
{
    sedge_face_points_clear(&surface->faces);
    sedge_release(surface->sides);
}

// What an area takes at a point.
static double find_density(const sedge_absorption_surface *surface,
                           const sedge_output_context *context, const sedge_spectrum *spectrum,
                           int64_t at, int k)
{
    const sedge_face_points *const faces = &surface->faces;
    const sedge_boundary *const boundary = &context->problem->boundaries[surface->group];
    const int32_t group = context->mesh->group[faces->elements[at]];
    const int64_t count = spectrum->frequencies->count;
    double parts[2][SEDGE_MAX_FIELDS] = {{0.0}};

    for (int c = 0; c < spectrum->components; c++) {
        const double *const sums =
            spectrum->sums + 2 * ((spectrum->components * at + c) * count + k);
        parts[0][spectrum->component[c]] = sums[0];
        parts[1][spectrum->component[c]] = sums[1];
    }
    return boundary->kind->loss(context->problem->materials[group], faces->normal[at], parts[0],
                                parts[1], boundary->parameters,
                                2.0 * PI * spectrum->frequencies->value[k]);
}

// The power that a wall takes at frequency k, each side by itself.
static double find_wall_power(const sedge_absorption_surface *surface,
                              const sedge_output_context *context, const sedge_spectrum *spectrum,
                              int k)
{
    const sedge_face_points *const faces = &surface->faces;

    for (int32_t s = 0; s < faces->sides; s++) {
        surface->sides[s] = 0.0;
        for (int p = 0; p < faces->side_points; p++) {
            const int64_t at = (int64_t)s * faces->side_points + p;
            surface->sides[s] += faces->area[at] * find_density(surface, context, spectrum, at, k);
        }
    }
    return sedge_sample_sum(context->comm, faces->sides, surface->sides);
}

sedge_status sedge_absorption_surface_powers(const sedge_absorption_surface *surface,
                                             const sedge_output_context *context,
                                             const sedge_spectrum *spectrum, double *power)
{
    if (sedge_is_two_sided(context->problem->boundaries[surface->group].kind)) {
        return sedge_absorption_sheet_powers(&surface->faces, surface->group, context, spectrum,
                                             power);
    }
    for (int k = 0; k < spectrum->frequencies->count; k++)
        power[k] = find_wall_power(surface, context, spectrum, k);
    return SEDGE_OK;
}
