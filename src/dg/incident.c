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

// The material of volume group `v`, which has elements beside the surface, must be `*background`,
// which the first call sets.
static sedge_status check_background(int *background, const sedge_problem *problem,
                                     const sedge_mesh *mesh, int surface, int v)
{
    const sedge_equation *const equation = problem->equation;
    const sedge_mesh_groups *const groups = &mesh->groups;
    const char *const name = groups->surface_names[surface];
    const char *const volume = groups->volume_names[v];
    bool same = true;

    if (groups->volume_axes[v] != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "surface '%s' touches an absorbing layer, '%s': incident fields enter "
                          "through it; leave at least one element between them",
                          name, volume);
    }
    if (sedge_problem_has_term(problem, v) ||
        (equation->source != NULL &&
         (equation->has_source == NULL || equation->has_source(problem->materials[v])))) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "surface '%s' lies in the material of volume group '%s', which is "
                          "dispersive or conducts: incident fields enter through the surface and "
                          "need a lossless medium without memory around it",
                          name, volume);
    }
    if (*background < 0) *background = v;
    for (int i = 0; i < equation->material_values; i++)
        same = same && problem->materials[v][i] == problem->materials[*background][i];
    if (same) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "surface '%s' has elements of volume group '%s' beside it, whose material is "
                      "not that of '%s': incident fields enter through the surface and need the "
                      "same material on all of both its sides",
                      name, volume, groups->volume_names[*background]);
}

static sedge_status check_enclosed(int *background, double bounds[2][3],
                                   const sedge_problem *problem, const sedge_mesh *mesh,
                                   int surface)
{
    const int volumes = mesh->groups.volumes;
    const sedge_mesh_enclosed *const enclosed = sedge_mesh_enclosed_by(mesh, surface);

    if (enclosed == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "the mesh was not told to close the surface '%s'",
                          mesh->groups.surface_names[surface]);
    }
    const bool *const beside = mesh->enclosed_beside + (enclosed - mesh->enclosed) * volumes;
    for (int v = 0; v < volumes; v++)
        if (beside[v]) SEDGE_TRY(check_background(background, problem, mesh, surface, v));
    for (int d = 0; d < 3; d++) {
        bounds[0][d] = fmin(bounds[0][d], enclosed->bounds[0][d]);
        bounds[1][d] = fmax(bounds[1][d], enclosed->bounds[1][d]);
    }
    return SEDGE_OK;
}

sedge_status sedge_problem_feed(sedge_problem *problem, const sedge_mesh *mesh)
{
    const sedge_boundary_kind *const kind = sedge_problem_feeds(problem);
    double bounds[2][3] = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    int background = -1;

    if (kind == NULL) return SEDGE_OK;
    if (problem->incident_count == 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "a surface has the condition '%s', through which incident fields enter, "
                          "and the deck has no source of such a field",
                          kind->name);
    }
    for (int s = 0; s < problem->surfaces; s++) {
        if (problem->boundaries[s].kind == kind)
            SEDGE_TRY(check_enclosed(&background, bounds, problem, mesh, s));
    }
    return kind->feed(problem, problem->materials[background], bounds,
                      problem->constants + problem->equation->constant_count, &problem->fed_count);
}

void sedge_problem_side_parameters(double p[SEDGE_MAX_VALUES], const sedge_problem *problem,
                                   int surface, bool second)
{
    const sedge_boundary *const boundary = &problem->boundaries[surface];
    const sedge_boundary_kind *const kind = boundary->kind;

    memcpy(p, boundary->parameters, sizeof boundary->parameters);
    if (kind != NULL && kind->feed != NULL)
        p[sedge_parameters_size(kind->parameters, kind->parameter_count)] = second ? -1.0 : 1.0;
}
