// The shape of a surface group of the whole mesh, for conditions that depend on it.
#include "dg/problem.h"

#include "base/memory.h"
#include "par/gather.h"

#include <stdlib.h>
#include <string.h>

// A face, on its first side.
typedef struct row {
    int64_t id; // 4 * number of the element in the whole mesh + face
    double corners[9];
    double middles[9];
    int volumes[2];
} row;

static int compare_rows(const void *a, const void *b)
{
    const row *const one = a;
    const row *const other = b;

    return (one->id > other->id) - (one->id < other->id);
}

// The middle of the edge between two vertices of an element.
static void find_middle(double out[3], const sedge_mesh *mesh, int32_t element, int a, int b)
{
    const int32_t curve = sedge_mesh_curve(mesh, element);
    const double *const x = mesh->corners[element][a], *const y = mesh->corners[element][b];

    for (int d = 0; d < 3; d++) out[d] = 0.5 * (x[d] + y[d]);
    for (int e = 0; e < SEDGE_EDGES && curve >= 0; e++) {
        const int *const ends = sedge_edge_vertices[e];
        if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a))
            memcpy(out, mesh->middles[curve][e], 3 * sizeof *out);
    }
}

// This rank's faces of the surface; rows and ids of all its sides is room enough.
static int64_t list_rows(row *rows, int64_t *ids, const sedge_mesh *mesh, int surface)
{
    int64_t count = 0;

    for (int32_t i = mesh->set_offsets[surface]; i < mesh->set_offsets[surface + 1]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        row *const one = &rows[count];

        if (side->second) continue;
        one->id = 4 * mesh->global_ids[side->element] + side->face;
        for (int v = 0; v < 3; v++) {
            memcpy(one->corners + (ptrdiff_t)3 * v,
                   mesh->corners[side->element][sedge_face_vertices[side->face][v]],
                   3 * sizeof *one->corners);
        }
        const int *const vertices = sedge_face_vertices[side->face];
        find_middle(one->middles, mesh, side->element, vertices[0], vertices[1]);
        find_middle(one->middles + 3, mesh, side->element, vertices[0], vertices[2]);
        find_middle(one->middles + 6, mesh, side->element, vertices[1], vertices[2]);
        one->volumes[0] = mesh->group[side->element];
        one->volumes[1] = side->other_group;
        ids[count++] = one->id;
    }
    return count;
}

// All rows of the surface, in the order of their ids, on every rank. Collective.
static sedge_status gather_rows(row **all, int64_t *count, const sedge_comm *comm,
                                const sedge_mesh *mesh, int surface)
{
    const int64_t sides = mesh->set_offsets[surface + 1] - mesh->set_offsets[surface];
    sedge_gather gather = {0};
    row *rows = NULL;
    int64_t *ids = NULL;
    sedge_status status = sedge_allocate(&rows, sides, sizeof *rows);

    if (status == SEDGE_OK) status = sedge_allocate(&ids, sides, sizeof *ids);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    const int64_t own = list_rows(rows, ids, mesh, surface);
    SEDGE_TRY_GOTO(status, sedge_gather_create(&gather, comm, own, ids));
    *count = gather.all;
    sedge_comm_broadcast(comm, count, sizeof *count, 0);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(all, *count, sizeof **all)));
    sedge_gather_bring(&gather, comm, rows, sizeof *rows, *all);
    if (sedge_comm_is_root(comm) && *count > 0)
        qsort(*all, (size_t)*count, sizeof **all, compare_rows);
    sedge_comm_broadcast(comm, *all, (size_t)*count * sizeof **all, 0);
done:
    sedge_gather_clear(&gather);
    sedge_release(rows);
    sedge_release(ids);
    return status;
}

sedge_status sedge_surface_triangles(double (**out)[9], int64_t *count, const sedge_comm *comm,
                                     const sedge_mesh *mesh, int surface)
{
    row *rows = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY_GOTO(status, gather_rows(&rows, count, comm, mesh, surface));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(out, *count, sizeof **out)));
    for (int64_t i = 0; i < *count; i++) memcpy((*out)[i], rows[i].corners, sizeof **out);
done:
    sedge_release(rows);
    return status;
}

// Collective.
static sedge_status fit(const sedge_problem *problem, const sedge_comm *comm,
                        const sedge_mesh *mesh, sedge_boundary *boundary)
{
    row *rows = NULL;
    double(*triangles)[9] = NULL, (*middles)[9] = NULL;
    int(*volumes)[2] = NULL;
    int64_t count = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, gather_rows(&rows, &count, comm, mesh, boundary->surface));
    status = sedge_allocate(&triangles, count, sizeof *triangles);
    if (status == SEDGE_OK) status = sedge_allocate(&middles, count, sizeof *middles);
    if (status == SEDGE_OK) status = sedge_allocate(&volumes, count, sizeof *volumes);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int64_t i = 0; i < count; i++) {
        memcpy(triangles[i], rows[i].corners, sizeof *triangles);
        memcpy(middles[i], rows[i].middles, sizeof *middles);
        memcpy(volumes[i], rows[i].volumes, sizeof *volumes);
    }
    const sedge_surface_shape shape = {count, (const double(*)[9])triangles,
                                       (const int(*)[2])volumes, (const double(*)[9])middles};
    const char *const name = boundary->name;
    const sedge_boundary_kind *const kind = boundary->kind;
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, kind->fit(problem, name, &shape, boundary->parameters)));
    if (kind->find_field != NULL) {
        status = kind->find_field(problem, comm, mesh, name, &shape, boundary->parameters,
                                  &boundary->field);
    }
    status = sedge_comm_agree(comm, status);
done:
    sedge_release(rows);
    sedge_release(triangles);
    sedge_release(middles);
    sedge_release(volumes);
    return status;
}

sedge_status sedge_problem_fit(sedge_problem *problem, const sedge_comm *comm,
                               const sedge_mesh *mesh, const sedge_boundary **at)
{
    const int count = problem->surfaces + problem->further_count;

    for (int i = 0; i < count; i++) {
        sedge_boundary *const boundary = sedge_problem_condition(problem, i);

        *at = boundary;
        if (boundary->kind != NULL && boundary->kind->fit != NULL)
            SEDGE_TRY(fit(problem, comm, mesh, boundary));
    }
    for (int i = 0; i < count; i++) {
        const sedge_boundary *const boundary = sedge_problem_condition(problem, i);

        *at = boundary;
        if (boundary->kind != NULL && boundary->kind->check != NULL)
            SEDGE_TRY(boundary->kind->check(problem, comm, mesh, boundary));
    }
    return SEDGE_OK;
}
