#include "vertices_matrix.h"

#include "base/memory.h"
#include "elliptic_form.h"
#include "elliptic_shape.h"

#include <stdlib.h>

// An entry of the matrix; row and column are numbers of vertices.
typedef struct entry {
    int64_t row, column;
    double value;
} entry;

static int compare_entries(const void *left, const void *right)
{
    const entry *const a = left, *const b = right;

    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

// ---- one element -------------------------------------------------------------------------------

// The form on the element's four hat functions: the volume, and the boundary faces, where [u] is
// 2 u. Other faces add nothing, because hat functions have no jumps there.
static void element_matrix(double out[4][4], const sedge_mesh *mesh,
                           const double shape[ELLIPTIC_SHAPE_WORDS], int32_t e)
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    // d/dr, d/ds, d/dt of the hat functions.
    static const double slope[4][3] = {
        {-0.5, -0.5, -0.5}, {0.5, 0.0, 0.0}, {0.0, 0.5, 0.0}, {0.0, 0.0, 0.5}};
    double turned[4][3]; // J grad r_j . grad of the hat functions

    for (int v = 0; v < 4; v++) {
        for (int j = 0; j < 3; j++) {
            turned[v][j] = 0.0;
            for (int i = 0; i < 3; i++) turned[v][j] += shape[place[j][i]] * slope[v][i];
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int m = 0; m < 4; m++) {
            out[i][m] = 0.0;
            for (int j = 0; j < 3; j++)
                out[i][m] += shape[6] * 4.0 / 3.0 * slope[i][j] * turned[m][j];
        }
    }
    for (int f = 0; f < SEDGE_FACES; f++) {
        double across[4]; // sJ n . grad
        double integral[4] = {0.0, 0.0, 0.0, 0.0};

        if (-1 - mesh->faces[e][f].neighbour < mesh->halo_faces) continue;
        for (int i = 0; i < 3; i++) integral[sedge_face_vertices[f][i]] = 2.0 / 3.0;
        for (int v = 0; v < 4; v++) {
            const double *const t = turned[v];
            across[v] = f == 0 ? -t[2] : f == 1 ? -t[1] : f == 2 ? t[0] + t[1] + t[2] : -t[0];
        }
        for (int i = 0; i < 4; i++) {
            for (int m = 0; m < 4; m++) {
                const bool both = integral[i] > 0.0 && integral[m] > 0.0;
                const double mass = both ? (i == m ? 2.0 : 1.0) / 6.0 : 0.0;
                out[i][m] +=
                    2.0 * shape[9 + 2 * f] * mass -
                    2.0 * shape[8 + 2 * f] * (across[m] * integral[i] + across[i] * integral[m]);
            }
        }
    }
}

// ---- entries of all elements -------------------------------------------------------------------

// Add up neighbours in a sorted list; returns how many are left.
static int64_t merge_entries(entry *list, int64_t count)
{
    int64_t kept = 0;

    qsort(list, (size_t)count, sizeof *list, compare_entries);
    for (int64_t i = 0; i < count; i++) {
        if (kept > 0 && compare_entries(&list[kept - 1], &list[i]) == 0) {
            list[kept - 1].value += list[i].value;
        } else {
            list[kept++] = list[i];
        }
    }
    return kept;
}

// The entries of all elements here, sorted and added up; returns how many.
static int64_t fill_entries(entry *list, const sedge_vertices_view *vertices,
                            const sedge_mesh *mesh, const sedge_problem *problem,
                            const elliptic_curved *curved, const sedge_elliptic_face *faces)
{
    for (int32_t e = 0; e < mesh->elements; e++) {
        const int32_t *const corner = vertices->corner + 4 * (int64_t)e;
        double shape[ELLIPTIC_SHAPE_WORDS];
        double block[4][4];
        elliptic_shape(shape, mesh, problem, curved, faces, e);
        element_matrix(block, mesh, shape, e);
        for (int k = 0; k < 16; k++) {
            list[(int64_t)e * 16 + k] =
                (entry){vertices->number[corner[k / 4]], vertices->number[corner[k % 4]],
                        block[k / 4][k % 4]};
        }
    }
    return merge_entries(list, (int64_t)mesh->elements * 16);
}

// Send each entry to the rank that has its row: `*list`, sorted, becomes the entries of this rank's
// rows, sorted and added up. Collective.
static sedge_status gather_entries(entry **list, int64_t *count,
                                   const sedge_vertices_view *vertices, const sedge_comm *comm)
{
    const int ranks = sedge_comm_size(comm);
    sedge_status status;
    int64_t *counts = NULL; // [2][ranks] sent, received
    entry *received = NULL;
    int owner = 0;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&counts, 2 * (int64_t)ranks, sizeof *counts)));
    for (int64_t i = 0; i < *count; i++) {
        while ((*list)[i].row >= vertices->firsts[owner + 1]) owner++;
        counts[owner]++;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_all_to_all(comm, *list, counts, sizeof **list, &received,
                                                 counts + ranks));
    sedge_release(*list);
    *list = received;
    *count = 0;
    for (int r = 0; r < ranks; r++) *count += counts[ranks + r];
    *count = merge_entries(*list, *count);
done:
    sedge_release(counts);
    return status;
}

sedge_status sedge_vertices_matrix(sedge_matrix **out, const sedge_vertices *vertices,
                                   const sedge_comm *comm, const sedge_mesh *mesh,
                                   const sedge_problem *problem)
{
    const sedge_vertices_view view = sedge_vertices_get(vertices);
    const int64_t first = view.firsts[sedge_comm_rank(comm)];
    sedge_status status;
    sedge_element *element = NULL;
    elliptic_curved *curved = NULL;
    sedge_elliptic_face *faces = NULL;
    sedge_matrix *matrix = NULL;
    entry *list = NULL;
    int64_t count = 0;

    *out = NULL;
    status = sedge_element_create(&element, 1);
    if (status == SEDGE_OK && mesh->global_curved > 0)
        status = elliptic_curved_create(&curved, element, false);
    if (status == SEDGE_OK)
        status = sedge_allocate(&list, (int64_t)mesh->elements * 16, sizeof *list);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_elliptic_faces(&faces, comm, element, mesh, problem));
    count = fill_entries(list, &view, mesh, problem, curved, faces);
    SEDGE_TRY_GOTO(status, gather_entries(&list, &count, &view, comm));
    status = sedge_matrix_create(&matrix, view.size, first, view.owned, count);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int64_t i = 0; i < count; i++) {
        matrix->offsets[list[i].row - first + 1] = i + 1;
        matrix->columns[i] = list[i].column;
        matrix->values[i] = list[i].value;
    }
    *out = matrix;
done:
    sedge_release(list);
    sedge_release(faces);
    elliptic_curved_free(curved);
    sedge_element_free(element);
    return status;
}
