#include "elliptic_internal.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

sedge_status elliptic_exchange(double *behind, const sedge_comm *comm, const sedge_mesh *mesh,
                               const double *values, int width)
{
    const int64_t count = (int64_t)mesh->halo_faces * width;
    sedge_status status;
    double *send = NULL;
    int64_t *offsets = NULL;
    sedge_exchange *exchange = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&send, count, sizeof *send));
    SEDGE_TRY_GOTO(status, sedge_allocate(&offsets, mesh->peers + 1, sizeof *offsets));
    for (int i = 0; i <= mesh->peers; i++)
        offsets[i] = (int64_t)mesh->peer_offsets[i] * width * (int64_t)sizeof *send;
    memcpy(send, values, (size_t)count * sizeof *send);
    if (mesh->peers > 0) {
        status = sedge_exchange_create(&exchange, comm, mesh->peers, mesh->peer_ranks, offsets,
                                       offsets, send, behind);
    }
done:
    status = sedge_comm_agree(comm, status);
    if (status == SEDGE_OK && exchange != NULL) {
        sedge_exchange_post_receives(exchange);
        sedge_exchange_start_sends(exchange);
        sedge_exchange_wait(exchange);
    }
    sedge_exchange_free(exchange);
    sedge_release(offsets);
    sedge_release(send);
    return status;
}

sedge_condition elliptic_condition(const sedge_mesh *mesh, const sedge_problem *problem,
                                   const sedge_trace_face *face, const double *x, const double *n)
{
    sedge_condition condition = {.fixed = false};

    problem->equation->steady->condition(&condition, problem, face->group,
                                         problem->materials[mesh->group[face->element]], x, n);
    return condition;
}

static double coefficient(const sedge_problem *problem, int group)
{
    return problem->equation->steady->coefficient(problem->materials[group]);
}

// The condition of boundary face `trace` at its centroid: of it, kind and factor are wanted.
static sedge_condition face_condition(const sedge_mesh *mesh, const sedge_problem *problem,
                                      const sedge_trace_face *trace)
{
    double(*const corners)[3] = mesh->corners[trace->element];
    sedge_geometry geometry;
    double x[3] = {0.0, 0.0, 0.0};

    for (int v = 0; v < 3; v++)
        for (int d = 0; d < 3; d++) x[d] += corners[sedge_face_vertices[trace->face][v]][d] / 3.0;
    sedge_geometry_compute(&geometry, corners);
    return elliptic_condition(mesh, problem, trace, x, geometry.normal[trace->face]);
}

// What lies behind face f of element e of this rank; `jacobians` has those behind the halo faces.
static sedge_elliptic_face find_face(const sedge_mesh *mesh, const sedge_problem *problem,
                                     const double *jacobians, double sharp, int32_t e, int f)
{
    const int32_t neighbour = mesh->faces[e][f].neighbour;
    const double own = coefficient(problem, mesh->group[e]);
    sedge_geometry geometry;
    sedge_geometry other;
    double behind = 0.0;
    double jacobian = 0.0;

    sedge_geometry_compute(&geometry, mesh->corners[e]);
    // Area / volume is 2 sJ / (4/3 J).
    const double slope = 1.5 * geometry.face_scale[f];
    if (neighbour < 0 && -1 - neighbour >= mesh->halo_faces) {
        const sedge_condition condition =
            face_condition(mesh, problem, &mesh->trace_faces[-1 - neighbour]);
        if (condition.fixed) return (sedge_elliptic_face){0.5 * own, sharp * own * slope};
        return (sedge_elliptic_face){0.0, 0.5 * condition.factor}; // [u] is 2 u
    }
    if (neighbour < 0) {
        behind = coefficient(problem, mesh->trace_faces[-1 - neighbour].group);
        jacobian = jacobians[-1 - neighbour];
    } else {
        behind = coefficient(problem, mesh->group[neighbour]);
        sedge_geometry_compute(&other, mesh->corners[neighbour]);
        jacobian = other.jacobian;
    }
    const double mean = 2.0 * own * behind / (own + behind);
    return (sedge_elliptic_face){0.5 * mean,
                                 sharp * mean * slope * fmax(1.0, geometry.jacobian / jacobian)};
}

sedge_status sedge_elliptic_faces(sedge_elliptic_face **out, const sedge_comm *comm,
                                  const sedge_element *element, const sedge_mesh *mesh,
                                  const sedge_problem *problem)
{
    const double order = element->order;
    const double sharp = problem->constants[0] * (order + 1.0) * (order + 3.0) / 3.0;
    sedge_status status;
    sedge_elliptic_face *faces = NULL;
    double *mine = NULL;
    double *behind = NULL;

    *out = NULL;
    status = sedge_allocate(&faces, (int64_t)mesh->elements * SEDGE_FACES, sizeof *faces);
    if (status == SEDGE_OK) status = sedge_allocate(&mine, mesh->halo_faces, sizeof *mine);
    if (status == SEDGE_OK) status = sedge_allocate(&behind, mesh->halo_faces, sizeof *behind);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        sedge_geometry geometry;
        sedge_geometry_compute(&geometry, mesh->corners[mesh->trace_faces[i].element]);
        mine[i] = geometry.jacobian;
    }
    SEDGE_TRY_GOTO(status, elliptic_exchange(behind, comm, mesh, mine, 1));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++)
            faces[e * SEDGE_FACES + f] = find_face(mesh, problem, behind, sharp, e, f);
    }
    *out = faces;
    faces = NULL;
done:
    sedge_release(faces);
    sedge_release(mine);
    sedge_release(behind);
    return status;
}

bool elliptic_face_fixes(const sedge_mesh *mesh, const sedge_problem *problem,
                         const sedge_trace_face *face)
{
    const sedge_condition condition = face_condition(mesh, problem, face);

    return condition.fixed || condition.factor > 0.0;
}

bool sedge_elliptic_is_fixed(const sedge_comm *comm, const sedge_mesh *mesh,
                             const sedge_problem *problem)
{
    int64_t fixed = 0;

    for (int32_t i = 0; i < mesh->boundary_faces && fixed == 0; i++)
        fixed = elliptic_face_fixes(mesh, problem, &mesh->trace_faces[mesh->halo_faces + i]);
    sedge_comm_max_int(comm, &fixed, 1);
    return fixed != 0;
}
