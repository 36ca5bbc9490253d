// Face sets: the faces of named surfaces, on rank 0 and in the mesh of a rank.
#include "local.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

sedge_status sedge_global_reserve_sides(sedge_global *mesh, int64_t more)
{
    sedge_global_side *grown;

    SEDGE_TRY(sedge_allocate(&grown, mesh->sides + more, sizeof *grown));
    if (mesh->sides > 0) memcpy(grown, mesh->side, (size_t)mesh->sides * sizeof *grown);
    sedge_release(mesh->side);
    mesh->side = grown;
    return SEDGE_OK;
}

static int compare_sides(const void *left, const void *right)
{
    const sedge_global_side *const a = left, *const b = right;

    if (a->element != b->element) return a->element < b->element ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

void sedge_global_sort_sides(sedge_global *mesh)
{
    if (mesh->sides > 0) qsort(mesh->side, (size_t)mesh->sides, sizeof *mesh->side, compare_sides);
}

// Position in set_faces.
static int32_t find_side(const sedge_mesh *mesh, int32_t e, int32_t f, int32_t surface)
{
    int32_t low = mesh->set_offsets[surface];
    int32_t high = mesh->set_offsets[surface + 1];

    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        const sedge_set_face *const at = &mesh->set_faces[middle];
        if (at->element < e || (at->element == e && at->face <= f)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

const sedge_set_face *sedge_mesh_find_side(const sedge_mesh *mesh, int32_t element, int32_t face,
                                           int32_t surface)
{
    return &mesh->set_faces[find_side(mesh, element, face, surface)];
}

static sedge_set_face describe(const sedge_mesh *mesh, int32_t e, int32_t f,
                               const sedge_record_face *face, const int32_t *number, int rank)
{
    const int32_t neighbour = mesh->faces[e][f].neighbour;
    const bool is_here = face->neighbour >= 0 && face->rank == rank;

    return (sedge_set_face){.element = e,
                            .face = f,
                            .group = face->surface,
                            .slot = neighbour < 0 ? -1 - neighbour : -1,
                            .other = is_here ? number[face->position] : -1,
                            .other_group = face->group,
                            .other_slot = -1,
                            .other_face = face->face,
                            .orientation = face->orientation,
                            .second = face->second};
}

// Faces whose other side's trace comes from another rank learn its slot.
static void find_slots(sedge_mesh *mesh, const sedge_record *records, const int32_t *order)
{
    for (int32_t slot = 0; slot < mesh->halo_faces; slot++) {
        const sedge_trace_face *const at = &mesh->trace_faces[slot];
        const int32_t surface = records[order[at->element]].faces[at->face].surface;
        if (surface < 0) continue;
        mesh->set_faces[find_side(mesh, at->element, at->face, surface)].other_slot = slot;
    }
}

sedge_status sedge_local_list_sets(sedge_mesh *mesh, const sedge_record *records,
                                   const int32_t *order, const int32_t *number, int rank)
{
    const int surfaces = mesh->groups.surfaces;
    int32_t *offsets; // becomes where the next face of each surface goes

    SEDGE_TRY(sedge_allocate(&offsets, surfaces + 1LL, sizeof *offsets));
    mesh->set_offsets = offsets;
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t surface = records[e].faces[f].surface;
            if (surface >= 0) offsets[surface + 1]++;
        }
    }
    for (int s = 0; s < surfaces; s++) offsets[s + 1] += offsets[s];
    SEDGE_TRY(sedge_allocate(&mesh->set_faces, offsets[surfaces], sizeof *mesh->set_faces));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_record_face *const face = &records[order[e]].faces[f];
            if (face->surface < 0) continue;
            mesh->set_faces[offsets[face->surface]++] = describe(mesh, e, f, face, number, rank);
        }
    }
    // Each offset has moved to the next surface's.
    for (int s = surfaces; s > 0; s--) offsets[s] = offsets[s - 1];
    offsets[0] = 0;
    find_slots(mesh, records, order);
    return SEDGE_OK;
}
