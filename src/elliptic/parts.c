#include "parts.h"

#include "base/memory.h"
#include "elliptic_form.h"
#include "joined.h"

#include <math.h>
#include <stdint.h>

// What is known of the parts, at the roots of their elements.
typedef struct known {
    const int32_t *root;
    double *label; // minus the least global number of an element; a double holds it exactly
    double *fixed; // 1: something fixes u; else 0
} known;

// What this rank knows.
static void find_own(const known *part, const sedge_mesh *mesh, const sedge_problem *problem)
{
    for (int32_t e = 0; e < mesh->elements; e++) part->label[e] = -HUGE_VAL;
    for (int32_t e = 0; e < mesh->elements; e++) {
        double *const label = &part->label[part->root[e]];
        *label = fmax(*label, -(double)mesh->global_ids[e]);
    }
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const trace = &mesh->trace_faces[mesh->halo_faces + i];
        double *const fixed = &part->fixed[part->root[trace->element]];
        if (*fixed == 0.0 && elliptic_face_fixes(mesh, problem, trace)) *fixed = 1.0;
    }
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
static sedge_status judge(const known *part, const sedge_comm *comm, const sedge_mesh *mesh)
{
    // The greatest label of all parts, that of the parts that nothing fixes, and minus the least.
    double found[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double centre[3];

    for (int32_t e = 0; e < mesh->elements; e++) {
        const double label = part->label[part->root[e]];
        found[0] = fmax(found[0], label);
        found[2] = fmax(found[2], -label);
        if (part->fixed[part->root[e]] == 0.0) found[1] = fmax(found[1], label);
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
    sedge_status status;
    int32_t *root = NULL;
    known part = {.label = NULL};

    status = sedge_allocate(&root, mesh->elements, sizeof *root);
    if (status == SEDGE_OK)
        status = sedge_allocate(&part.label, mesh->elements, sizeof *part.label);
    if (status == SEDGE_OK)
        status = sedge_allocate(&part.fixed, mesh->elements, sizeof *part.fixed);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    elliptic_find_roots(root, mesh, ELLIPTIC_ELEMENTS);
    part.root = root;
    find_own(&part, mesh, problem);
    SEDGE_TRY_GOTO(status,
                   elliptic_spread_largest(part.label, root, comm, mesh, ELLIPTIC_ELEMENTS));
    SEDGE_TRY_GOTO(status,
                   elliptic_spread_largest(part.fixed, root, comm, mesh, ELLIPTIC_ELEMENTS));
    status = judge(&part, comm, mesh);
done:
    sedge_release(root);
    sedge_release(part.label);
    sedge_release(part.fixed);
    return status;
}
