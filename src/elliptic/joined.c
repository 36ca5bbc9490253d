#include "joined.h"

#include "base/memory.h"
#include "elliptic_form.h"

// Member i of an element's face.
static int32_t get_member(elliptic_members members, int32_t element, int face, int i)
{
    return members == ELLIPTIC_ELEMENTS ? element : 4 * element + sedge_face_vertices[face][i];
}

// The number of that member on the neighbour's face.
static int find_partner(elliptic_members members, const sedge_face *face, int i)
{
    return members == ELLIPTIC_ELEMENTS ? 0 : sedge_face_permutations[face->orientation][i];
}

// The root of a member's set; shortens the way there.
static int32_t find_root(int32_t *root, int32_t member)
{
    while (root[member] != member) {
        root[member] = root[root[member]];
        member = root[member];
    }
    return member;
}

void elliptic_find_roots(int32_t *root, const sedge_mesh *mesh, elliptic_members members)
{
    const int32_t count = members == ELLIPTIC_ELEMENTS ? mesh->elements : 4 * mesh->elements;

    for (int32_t i = 0; i < count; i++) root[i] = i;
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_face *const face = &mesh->faces[e][f];
            for (int i = 0; i < (int)members && face->neighbour >= 0; i++) {
                const int partner = find_partner(members, face, i);
                const int32_t a = find_root(root, get_member(members, e, f, i));
                const int32_t b =
                    find_root(root, get_member(members, face->neighbour, face->face, partner));
                if (a < b) root[b] = a;
                if (b < a) root[a] = b;
            }
        }
    }
    for (int32_t i = 0; i < count; i++) root[i] = find_root(root, i);
}

// Send the values of the sets at halo faces and take those of the other sides where they are
// larger. `*changed` becomes 1 if some value did. Buffers [halo faces][members]. Collective.
static sedge_status spread_once(double *value, int64_t *changed, const int32_t *root,
                                const sedge_comm *comm, const sedge_mesh *mesh,
                                elliptic_members members, double *send, double *behind)
{
    const int width = (int)members;

    for (int32_t i = 0; i < width * mesh->halo_faces; i++) {
        const sedge_trace_face *const trace = &mesh->trace_faces[i / width];
        send[i] = value[root[get_member(members, trace->element, trace->face, i % width)]];
    }
    SEDGE_TRY(elliptic_exchange(behind, comm, mesh, send, width));
    for (int32_t i = 0; i < width * mesh->halo_faces; i++) {
        const sedge_trace_face *const trace = &mesh->trace_faces[i / width];
        const sedge_face *const face = &mesh->faces[trace->element][trace->face];
        const double other = behind[i / width * width + find_partner(members, face, i % width)];
        double *const mine =
            &value[root[get_member(members, trace->element, trace->face, i % width)]];
        if (!(other > *mine)) continue;
        *mine = other;
        *changed = 1;
    }
    return SEDGE_OK;
}

sedge_status elliptic_spread_largest(double *value, const int32_t *root, const sedge_comm *comm,
                                     const sedge_mesh *mesh, elliptic_members members)
{
    const int64_t count = (int64_t)members * mesh->halo_faces;
    int64_t changed = 1;
    sedge_status status;
    double *send = NULL;
    double *behind = NULL;

    status = sedge_allocate(&send, count, sizeof *send);
    if (status == SEDGE_OK) status = sedge_allocate(&behind, count, sizeof *behind);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    while (changed != 0) {
        changed = 0;
        SEDGE_TRY_GOTO(status,
                       spread_once(value, &changed, root, comm, mesh, members, send, behind));
        sedge_comm_max_int(comm, &changed, 1);
    }
done:
    sedge_release(send);
    sedge_release(behind);
    return status;
}
