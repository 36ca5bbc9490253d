#include "dg/surface_source.h"

#include "base/memory.h"
#include "dg/quadrature.h"
#include "dg/surface_field.h"

#include <math.h>
#include <string.h>

const double *sedge_surface_signal(const sedge_problem *problem, int source)
{
    const sedge_boundary *const boundary =
        &problem->boundaries[problem->surface_sources[source].surface];

    return boundary->parameters + boundary->kind->driven;
}

// One side of a face beside a surface.
typedef struct job {
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    sedge_quadrature rule;
    double *psi; // [nodes]
} job;

// Reference coordinates of a place of the rule on a face.
static void find_place(double rst[3], int face, const double at[3])
{
    const double shares[3] = {-0.5 * (at[0] + at[1]), 0.5 * (1.0 + at[0]), 0.5 * (1.0 + at[1])};

    for (int d = 0; d < 3; d++) rst[d] = -1.0;
    for (int i = 0; i < 3; i++) { // vertex v is at 1 on axis v - 1
        const int v = sedge_face_vertices[face][i];
        if (v > 0) rst[v - 1] += 2.0 * shares[i];
    }
}

// The integrals over a side, of minus the jump that the source makes there.
static sedge_status fill_side(double *modes, const job *j, const sedge_set_face *side)
{
    const sedge_problem *const problem = j->problem;
    const sedge_boundary *const boundary = &problem->boundaries[side->group];
    double(*const corners)[3] = j->mesh->corners[side->element];
    const int *const vertices = sedge_face_vertices[side->face];
    const double *const m = problem->materials[j->mesh->group[side->element]];
    const double *const other =
        side->other_group >= 0 ? problem->materials[side->other_group] : NULL;
    const double zero[SEDGE_MAX_FIELDS] = {0.0};
    const int nodes = j->element->nodes;
    double key[9];

    sedge_surface_corners(key, corners[vertices[0]], corners[vertices[1]], corners[vertices[2]]);
    const int64_t face = sedge_surface_field_find(boundary->field, key);
    if (face < 0) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a face of the surface %d lacks its field",
                          side->group);
    }
    for (int q = 0; q < j->rule.points; q++) {
        double rst[3], x[3], n[3], field[3], v[SEDGE_MAX_FIELDS], jump[SEDGE_MAX_FIELDS];

        find_place(rst, side->face, j->rule.place[q]);
        sedge_mesh_place(j->mesh, side->element, rst, x);
        const double weight =
            j->rule.weight[q] * sedge_mesh_normal(j->mesh, side->element, side->face, rst, n);
        sedge_surface_field_at(boundary->field, face, x, field);
        boundary->kind->drive(field, m, other, n, boundary->parameters, problem->constants, v);
        problem->equation->surface(zero, v, m, m, n, problem->constants, jump);
        sedge_element_modes(j->element, rst[0], rst[1], rst[2], j->psi);
        for (int f = 0; f < problem->equation->fields; f++)
            for (int i = 0; i < nodes; i++) modes[f * nodes + i] -= weight * jump[f] * j->psi[i];
    }
    return SEDGE_OK;
}

static bool is_driven(const sedge_problem *problem, int source)
{
    return problem->boundaries[problem->surface_sources[source].surface].field != NULL;
}

static sedge_status fill(sedge_surface_shares *out, job *j)
{
    const sedge_mesh *const mesh = j->mesh;
    const int64_t numbers = (int64_t)j->problem->equation->fields * j->element->nodes;

    SEDGE_TRY(sedge_quadrature_triangle(&j->rule, 2 * j->element->order + 2));
    SEDGE_TRY(sedge_allocate(&j->psi, j->element->nodes, sizeof *j->psi));
    for (int source = 0; source < j->problem->surface_source_count; source++) {
        const int s = j->problem->surface_sources[source].surface;

        if (!is_driven(j->problem, source)) continue;
        for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++) {
            const sedge_set_face *const side = &mesh->set_faces[i];

            out->share[out->count] = (sedge_point_share){source, side->element};
            SEDGE_TRY(fill_side(out->modes + numbers * out->count++, j, side));
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_surface_shares_create(sedge_surface_shares *out, const sedge_element *element,
                                         const sedge_mesh *mesh, const sedge_problem *problem)
{
    const int64_t numbers = (int64_t)problem->equation->fields * element->nodes;
    job j = {.element = element, .mesh = mesh, .problem = problem};
    int64_t count = 0;
    sedge_status status;

    *out = (sedge_surface_shares){0};
    for (int source = 0; source < problem->surface_source_count; source++) {
        const int s = problem->surface_sources[source].surface;
        if (is_driven(problem, source)) count += mesh->set_offsets[s + 1] - mesh->set_offsets[s];
    }
    if (count == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->share, count, sizeof *out->share));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->modes, count * numbers, sizeof *out->modes));
    status = fill(out, &j);
done:
    sedge_quadrature_clear(&j.rule);
    sedge_release(j.psi);
    return status;
}

void sedge_surface_shares_clear(const sedge_surface_shares *shares)
{
    sedge_release(shares->share);
    sedge_release(shares->modes);
}
