// Incident fields that enter the mesh through closed surfaces (sedge_boundary_kind.feed).
#include "problem.h"

#include <math.h>
#include <string.h>

const sedge_boundary_kind *sedge_problem_feeds(const sedge_problem *problem)
{
    for (int s = 0; s < problem->surfaces; s++) {
        const sedge_boundary_kind *const kind = problem->boundaries[s].kind;
        if (kind != NULL && kind->feed != NULL) return kind;
    }
    return NULL;
}

int sedge_problem_runtime_constants(const sedge_problem *problem)
{
    return problem->incident_count > 0 ? problem->equation->constant_count + problem->fed_count : 0;
}

int sedge_problem_text_constants(const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;
    const bool own = problem->incident_count > 0 && sedge_problem_feeds(problem) == NULL;

    return equation->constant_count - (own ? equation->incident_constants : 0);
}

// A material beside the surfaces: the first volume group with it, and bounds of the groups beside
// the surfaces that have it.
typedef struct medium {
    int volume;
    sedge_mesh_beside beside;
} medium;

static void extend_bounds(double bounds[2][3], double more[2][3])
{
    for (int d = 0; d < 3; d++) {
        bounds[0][d] = fmin(bounds[0][d], more[0][d]);
        bounds[1][d] = fmax(bounds[1][d], more[1][d]);
    }
}

static bool is_same(const sedge_problem *problem, int v, int w)
{
    for (int i = 0; i < problem->equation->material_values; i++)
        if (problem->materials[v][i] != problem->materials[w][i]) return false;
    return true;
}

// Volume group `v` has elements beside the surface.
static sedge_status add_medium(medium media[2], int *count, const sedge_problem *problem,
                               const sedge_mesh *mesh, int surface, int v,
                               sedge_mesh_beside *beside)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    const char *const name = groups->surface_names[surface];
    const char *const volume = groups->volume_names[v];

    if (groups->volume_axes[v] != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "surface '%s' touches an absorbing layer, '%s': incident fields enter "
                          "through it; leave at least one element between them",
                          name, volume);
    }
    if (sedge_problem_has_term(problem, v) || sedge_problem_has_source(problem, v)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "surface '%s' lies in the material of volume group '%s', which "
                          "conducts, is dispersive or has a tensor: incident fields enter through "
                          "the surface and need a lossless medium without memory around it",
                          name, volume);
    }
    for (int i = 0; i < *count; i++) {
        if (!is_same(problem, v, media[i].volume)) continue;
        extend_bounds(media[i].beside.bounds, beside->bounds);
        extend_bounds(media[i].beside.group, beside->group);
        return SEDGE_OK;
    }
    if (*count == 2) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "surface '%s' has elements of a third material beside it, that of volume "
                          "group '%s' besides those of '%s' and '%s': incident fields enter "
                          "through the surface and need one medium, or two half-spaces",
                          name, volume, groups->volume_names[media[0].volume],
                          groups->volume_names[media[1].volume]);
    }
    media[*count].volume = v;
    media[*count].beside = *beside;
    ++*count;
    return SEDGE_OK;
}

// In how many planes across an axis the bounds [medium] of two media touch; the last goes to `out`.
static int count_planes(sedge_background *out, const medium media[2], double (*bounds[2])[3],
                        const sedge_problem *problem, const sedge_mesh *mesh)
{
    int planes = 0;

    for (int d = 0; d < 3; d++) {
        const double small = 1e-9 * (mesh->bounds[1][d] - mesh->bounds[0][d]);
        for (int k = 0; k < 2; k++) {
            if (fabs(bounds[k][1][d] - bounds[1 - k][0][d]) > small) continue;
            planes++;
            out->axis = d;
            out->place = bounds[k][1][d];
            out->m[0] = problem->materials[media[k].volume];
            out->m[1] = problem->materials[media[1 - k].volume];
        }
    }
    return planes;
}

// Two media beside the surfaces must fill two half-spaces, which meet in a plane across an axis:
// the elements beside a surface that crosses it, or else the volume groups.
static sedge_status find_plane(sedge_background *out, medium media[2], const sedge_problem *problem,
                               const sedge_mesh *mesh)
{
    const char(*const names)[64] = (const char(*)[64])mesh->groups.volume_names;
    double(*near[2])[3] = {media[0].beside.bounds, media[1].beside.bounds};
    double(*whole[2])[3] = {media[0].beside.group, media[1].beside.group};
    int planes = count_planes(out, media, near, problem, mesh);

    if (planes == 0) planes = count_planes(out, media, whole, problem, mesh);
    if (planes == 1) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "the surface through which incident fields enter has two materials beside "
                      "it, those of the volume groups '%s' and '%s', that are not two half-spaces: "
                      "they must meet in one plane across x, y or z, on all sides of the surface; "
                      "or let the surface lie in one material",
                      names[media[0].volume], names[media[1].volume]);
}

// The surfaces through which incident fields enter, of which `enclosed` is one, end on this wall.
static sedge_status add_wall(sedge_background *out, const sedge_problem *problem,
                             const sedge_mesh *mesh, const sedge_mesh_enclosed *enclosed,
                             const sedge_mesh_wall *wall)
{
    const sedge_boundary_kind *const kind =
        wall->surface < problem->surfaces ? problem->boundaries[wall->surface].kind : NULL;
    const char *const name = mesh->groups.surface_names[wall->surface];
    sedge_background_wall *const added = &out->wall[out->walls];

    if (wall->periodic) return SEDGE_OK; // the incident fields were checked beside the periods
    if (kind == NULL || kind->apply == NULL || out->walls == SEDGE_BACKGROUND_WALLS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "surface '%s' ends on '%s', which has no condition of an outer surface, "
                          "or on more than %d surfaces",
                          mesh->groups.surface_names[enclosed->surface], name,
                          SEDGE_BACKGROUND_WALLS);
    }
    for (int d = 0; d < 3; d++) {
        added->normal[d] = 0.5 * (wall->normals[0][d] + wall->normals[1][d]);
        added->place[d] = wall->place[d];
        if (wall->normals[1][d] - wall->normals[0][d] <= 1e-6) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "surface '%s' ends on the surface '%s', which is not flat outside of "
                          "it: incident fields enter through '%s', and no plane wave is right at "
                          "such a wall",
                          mesh->groups.surface_names[enclosed->surface], name,
                          mesh->groups.surface_names[enclosed->surface]);
    }
    added->surface = wall->surface;
    added->name = name;
    out->walls++;
    return SEDGE_OK;
}

// Where two surfaces enclose the same elements the incident fields would enter twice.
static sedge_status check_overlaps(const sedge_problem *problem, const sedge_mesh *mesh,
                                   const sedge_mesh_enclosed *enclosed)
{
    const sedge_boundary_kind *const kind = problem->boundaries[enclosed->surface].kind;

    for (int i = 0; i < mesh->enclosures; i++) {
        const sedge_mesh_enclosed *const other = &mesh->enclosed[i];
        if (other == enclosed || (enclosed->overlaps >> i & 1) == 0 ||
            problem->boundaries[other->surface].kind != kind)
            continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "the surfaces '%s' and '%s' with the condition '%s' enclose the same "
                          "elements, where the incident fields would enter twice: keep one of "
                          "them, or let them lie apart",
                          mesh->groups.surface_names[enclosed->surface],
                          mesh->groups.surface_names[other->surface], kind->name);
    }
    return SEDGE_OK;
}

static sedge_status add_enclosed(sedge_background *out, medium media[2], int *count,
                                 const sedge_problem *problem, const sedge_mesh *mesh, int surface)
{
    const int volumes = mesh->groups.volumes;
    const sedge_mesh_enclosed *const enclosed = sedge_mesh_enclosed_by(mesh, surface);

    if (enclosed == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "the mesh was not told to close the surface '%s'",
                          mesh->groups.surface_names[surface]);
    }
    SEDGE_TRY(check_overlaps(problem, mesh, enclosed));
    sedge_mesh_beside *const beside = mesh->enclosed_beside + (enclosed - mesh->enclosed) * volumes;
    for (int v = 0; v < volumes; v++) {
        if (beside[v].bounds[0][0] <= beside[v].bounds[1][0])
            SEDGE_TRY(add_medium(media, count, problem, mesh, surface, v, &beside[v]));
    }
    extend_bounds(out->bounds, mesh->enclosed[enclosed - mesh->enclosed].bounds);
    for (int i = 0; i < enclosed->walls; i++)
        SEDGE_TRY(add_wall(out, problem, mesh, enclosed, &enclosed->wall[i]));
    return SEDGE_OK;
}

sedge_status sedge_problem_feed(sedge_problem *problem, const sedge_mesh *mesh)
{
    const sedge_boundary_kind *const kind = sedge_problem_feeds(problem);
    sedge_background background = {
        .bounds = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}}};
    medium media[2] = {{.volume = 0}, {.volume = 0}};
    int count = 0;

    if (kind == NULL) return SEDGE_OK;
    if (problem->incident_count == 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "a surface has the condition '%s', through which incident fields enter, "
                          "and the deck has no source of such a field",
                          kind->name);
    }
    for (int s = 0; s < problem->surfaces; s++) {
        if (problem->boundaries[s].kind == kind)
            SEDGE_TRY(add_enclosed(&background, media, &count, problem, mesh, s));
    }
    background.m[0] = problem->materials[media[0].volume];
    if (count > 1) SEDGE_TRY(find_plane(&background, media, problem, mesh));
    return kind->feed(problem, &background, problem->constants + problem->equation->constant_count,
                      &problem->fed_count);
}

void sedge_problem_side_parameters(double p[SEDGE_MAX_VALUES], const sedge_problem *problem,
                                   int surface, bool second)
{
    const sedge_boundary *const boundary = &problem->boundaries[surface];
    const sedge_boundary_kind *const kind = boundary->kind;

    memcpy(p, boundary->parameters, sizeof boundary->parameters);
    if (kind != NULL && kind->feed != NULL)
        p[sedge_parameters_size(kind->parameters, kind->parameter_count)] = second ? -1.0 : 1.0;
    if (kind != NULL && kind->turns && second) p[SEDGE_TURN_SINE] *= -1.0;
}
