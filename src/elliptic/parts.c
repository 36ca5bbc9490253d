#include "parts.h"

#include "base/memory.h"
#include "elliptic_form.h"
#include "elliptic_sets.h"

#include <math.h>
#include <stdint.h>

// What is known of a part, at its element that is the root; each number grows until it is the
// greatest of all elements in the part, on all ranks.
enum {
    PART_LABEL, // minus the global number of an element; a double holds it exactly
    PART_FIXED, // 1: something fixes u
    PART_VALUES
};

// root[element]: the same for those that faces inside this rank join.
static void join_elements(int32_t *root, const sedge_mesh *mesh)
{
    for (int32_t e = 0; e < mesh->elements; e++) root[e] = e;
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t neighbour = mesh->faces[e][f].neighbour;
            if (neighbour >= 0) root[elliptic_root(root, e)] = elliptic_root(root, neighbour);
        }
    }
    for (int32_t e = 0; e < mesh->elements; e++) root[e] = elliptic_root(root, e);
}

// What this rank knows: part [elements][PART_VALUES] counts at roots.
static void find_own(double (*part)[PART_VALUES], const int32_t *root, const sedge_mesh *mesh,
                     const sedge_problem *problem)
{
    for (int32_t e = 0; e < mesh->elements; e++) part[e][PART_LABEL] = -HUGE_VAL;
    for (int32_t e = 0; e < mesh->elements; e++) {
        double *const label = &part[root[e]][PART_LABEL];
        *label = fmax(*label, -(double)mesh->global_ids[e]);
    }
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const trace = &mesh->trace_faces[mesh->halo_faces + i];
        double *const fixed = &part[root[trace->element]][PART_FIXED];
        if (*fixed == 0.0 && elliptic_face_fixes(mesh, problem, trace)) *fixed = 1.0;
    }
}

// Let each part take what the other side of its halo faces has, where that is greater, until
// nothing changes on any rank. `send` and `behind` are [halo faces][PART_VALUES]. Collective.
static sedge_status spread(double (*part)[PART_VALUES], double *send, double *behind,
                           const int32_t *root, const sedge_comm *comm, const sedge_mesh *mesh)
{
    int64_t changed = 1;

    while (changed != 0) {
        changed = 0;
        for (int32_t k = 0; k < PART_VALUES * mesh->halo_faces; k++) {
            const int32_t element = mesh->trace_faces[k / PART_VALUES].element;
            send[k] = part[root[element]][k % PART_VALUES];
        }
        SEDGE_TRY(elliptic_exchange(behind, comm, mesh, send, PART_VALUES));
        for (int32_t k = 0; k < PART_VALUES * mesh->halo_faces; k++) {
            const int32_t element = mesh->trace_faces[k / PART_VALUES].element;
            double *const mine = &part[root[element]][k % PART_VALUES];
            if (behind[k] > *mine) {
                *mine = behind[k];
                changed = 1;
            }
        }
        sedge_comm_max_int(comm, &changed, 1);
    }
    return SEDGE_OK;
}

// The centre of the element with this global number. Collective.
static void find_centre(double centre[3], const sedge_comm *comm, const sedge_mesh *mesh,
                        int64_t global_id)
{
    for (int d = 0; d < 3; d++) centre[d] = 0.0;
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int i = 0; i < 12 && mesh->global_ids[e] == global_id; i++)
            centre[i % 3] += 0.25 * mesh->corners[e][i / 3][i % 3];
    }
    sedge_comm_sum(comm, centre, 3);
}

// Collective.
static sedge_status judge(double (*part)[PART_VALUES], const int32_t *root, const sedge_comm *comm,
                          const sedge_mesh *mesh)
{
    // Greatest label of all parts and of those that nothing fixes; minus the least label.
    double found[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double centre[3];

    for (int32_t e = 0; e < mesh->elements; e++) {
        const double *const own = part[root[e]];
        found[0] = fmax(found[0], own[PART_LABEL]);
        found[2] = fmax(found[2], -own[PART_LABEL]);
        if (own[PART_FIXED] == 0.0) found[1] = fmax(found[1], own[PART_LABEL]);
    }
    sedge_comm_max(comm, found, 3);
    if (found[0] == -found[2] || found[1] == -HUGE_VAL) return SEDGE_OK;
    find_centre(centre, comm, mesh, (int64_t)-found[1]);
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "no condition fixes the solution in a part of the mesh, around (%g, %g, %g), "
                      "which no face joins to the others: a surface there must have a condition "
                      "that gives the solution itself, as dirichlet does, and not only its normal "
                      "derivative",
                      centre[0], centre[1], centre[2]);
}

sedge_status sedge_elliptic_check_parts(const sedge_comm *comm, const sedge_mesh *mesh,
                                        const sedge_problem *problem)
{
    const int64_t halo_values = PART_VALUES * (int64_t)mesh->halo_faces;
    sedge_status status;
    int32_t *root = NULL;
    double(*part)[PART_VALUES] = NULL;
    double *send = NULL;
    double *behind = NULL;

    status = sedge_allocate(&root, mesh->elements, sizeof *root);
    if (status == SEDGE_OK) status = sedge_allocate(&part, mesh->elements, sizeof *part);
    if (status == SEDGE_OK) status = sedge_allocate(&send, halo_values, sizeof *send);
    if (status == SEDGE_OK) status = sedge_allocate(&behind, halo_values, sizeof *behind);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    join_elements(root, mesh);
    find_own(part, root, mesh, problem);
    SEDGE_TRY_GOTO(status, spread(part, send, behind, root, comm, mesh));
    status = judge(part, root, comm, mesh);
done:
    sedge_release(root);
    sedge_release(part);
    sedge_release(send);
    sedge_release(behind);
    return status;
}
