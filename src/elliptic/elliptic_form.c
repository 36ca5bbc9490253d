#include "elliptic_form.h"

#include "base/memory.h"
#include "elliptic_curved.h"

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
                                       offsets, NULL, send, behind);
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

    problem->equation->elliptic->condition(&condition, problem, face->group,
                                           problem->materials[mesh->group[face->element]], x, n);
    return condition;
}

static double coefficient(const sedge_problem *problem, int group)
{
    return problem->equation->elliptic->coefficient(problem->materials[group]);
}

// The condition of boundary face `trace` at its centroid; only its kind and factor are meaningful
// for the whole face.
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

// What the penalty of a face needs from an element: J of a straight one; for a curved one (bound >
// 0) the number that replaces 3/2 sJ^2 / J.
typedef struct face_side {
    double jacobian, bound;
} face_side;

// What find_face reads.
typedef struct face_finder {
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    double sharp;                  // penalty (N+1)(N+3)/3
    double (*bounds)[SEDGE_FACES]; // [curved elements]
    face_side *behind;             // [halo faces]
} face_finder;

static face_side find_side(const face_finder *finder, int32_t e, int f)
{
    const int32_t curve = sedge_mesh_curve(finder->mesh, e);
    sedge_geometry geometry;

    if (curve >= 0) return (face_side){0.0, finder->bounds[curve][f]};
    sedge_geometry_compute(&geometry, finder->mesh->corners[e]);
    return (face_side){geometry.jacobian, 0.0};
}

// g and tau of a face with a curved element on at least one side. `bound` is the larger of both
// sides' bounds.
static sedge_elliptic_face scale_face(const sedge_mesh *mesh, double g, double tau, double bound,
                                      int32_t e, int f)
{
    sedge_geometry geometry;

    if (sedge_mesh_curve(mesh, e) >= 0) return (sedge_elliptic_face){g, tau * bound};
    sedge_geometry_compute(&geometry, mesh->corners[e]);
    return (sedge_elliptic_face){g, tau * bound / (geometry.face_scale[f] * geometry.jacobian)};
}

// What lies behind face f of element e of this rank.
static sedge_elliptic_face find_face(const face_finder *finder, int32_t e, int f)
{
    const sedge_mesh *const mesh = finder->mesh;
    const sedge_problem *const problem = finder->problem;
    const sedge_face *const face = &mesh->faces[e][f];
    const int32_t neighbour = face->neighbour;
    const double own = coefficient(problem, mesh->group[e]);
    const face_side side = find_side(finder, e, f);
    sedge_geometry geometry;
    double behind = 0.0;
    face_side other;

    sedge_geometry_compute(&geometry, mesh->corners[e]);
    // Area / volume is 2 sJ / (4/3 J).
    const double slope = 1.5 * geometry.face_scale[f];
    if (neighbour < 0 && -1 - neighbour >= mesh->halo_faces) {
        const sedge_condition condition =
            face_condition(mesh, problem, &mesh->trace_faces[-1 - neighbour]);
        if (!condition.fixed)
            return (sedge_elliptic_face){0.0, 0.5 * condition.factor}; // [u] is 2 u
        if (side.bound > 0.0)
            return scale_face(mesh, 0.5 * own, finder->sharp * own, side.bound, e, f);
        return (sedge_elliptic_face){0.5 * own, finder->sharp * own * slope};
    }
    if (neighbour < 0) {
        behind = coefficient(problem, mesh->trace_faces[-1 - neighbour].group);
        other = finder->behind[-1 - neighbour];
    } else {
        behind = coefficient(problem, mesh->group[neighbour]);
        other = find_side(finder, neighbour, face->face);
    }
    const double mean = 2.0 * own * behind / (own + behind);
    if (side.bound > 0.0 || other.bound > 0.0) {
        // The face of a straight element has the same sJ from both sides.
        const double area = geometry.face_scale[f] * geometry.jacobian;
        const double mine = side.bound > 0.0 ? side.bound : slope * area;
        const double theirs = other.bound > 0.0 ? other.bound : 1.5 * area * area / other.jacobian;
        return scale_face(mesh, 0.5 * mean, finder->sharp * mean, fmax(mine, theirs), e, f);
    }
    return (sedge_elliptic_face){0.5 * mean, finder->sharp * mean * slope *
                                                 fmax(1.0, geometry.jacobian / other.jacobian)};
}

static sedge_status find_bounds(face_finder *finder, const sedge_element *element)
{
    const sedge_mesh *const mesh = finder->mesh;
    const int64_t count = sedge_mesh_curved(mesh);
    elliptic_curved *curved = NULL;

    if (count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&finder->bounds, count, sizeof *finder->bounds));
    SEDGE_TRY(elliptic_curved_create(&curved, element, false));
    for (int32_t e = 0; e < mesh->elements; e++) {
        const int32_t curve = sedge_mesh_curve(mesh, e);
        double map[SEDGE_CURVE_TERMS][3];
        if (curve < 0) continue;
        sedge_mesh_expand(mesh, e, map);
        elliptic_curved_penalty(finder->bounds[curve], curved, map);
    }
    elliptic_curved_free(curved);
    return SEDGE_OK;
}

sedge_status sedge_elliptic_faces(sedge_elliptic_face **out, const sedge_comm *comm,
                                  const sedge_element *element, const sedge_mesh *mesh,
                                  const sedge_problem *problem)
{
    const double order = element->order;
    face_finder finder = {.mesh = mesh,
                          .problem = problem,
                          .sharp = problem->constants[0] * (order + 1.0) * (order + 3.0) / 3.0};
    sedge_status status;
    sedge_elliptic_face *faces = NULL;
    face_side *mine = NULL;

    *out = NULL;
    status = sedge_allocate(&faces, (int64_t)mesh->elements * SEDGE_FACES, sizeof *faces);
    if (status == SEDGE_OK) status = sedge_allocate(&mine, mesh->halo_faces, sizeof *mine);
    if (status == SEDGE_OK)
        status = sedge_allocate(&finder.behind, mesh->halo_faces, sizeof *finder.behind);
    if (status == SEDGE_OK) status = find_bounds(&finder, element);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int32_t i = 0; i < mesh->halo_faces; i++)
        mine[i] = find_side(&finder, mesh->trace_faces[i].element, mesh->trace_faces[i].face);
    SEDGE_TRY_GOTO(status,
                   elliptic_exchange(&finder.behind->jacobian, comm, mesh, &mine->jacobian, 2));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) faces[e * SEDGE_FACES + f] = find_face(&finder, e, f);
    }
    *out = faces;
    faces = NULL;
done:
    sedge_release(faces);
    sedge_release(mine);
    sedge_release(finder.behind);
    sedge_release(finder.bounds);
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
