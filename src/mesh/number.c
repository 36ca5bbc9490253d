#include "local.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// An element in the order of the numbering.
typedef struct ranked {
    uint64_t key;
    int64_t id;
    int32_t position; // among the records
    int32_t halo;     // 1: has a face on another rank
    int32_t curved;   // 1: yes
    int32_t boundary; // 1: comes last in its range
} ranked;

static int compare_ranked(const void *left, const void *right)
{
    const ranked *const a = left, *const b = right;

    if (a->halo != b->halo) return a->halo - b->halo;
    if (a->curved != b->curved) return a->curved - b->curved;
    if (a->boundary != b->boundary) return a->boundary - b->boundary;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

// A halo face in the order of the trace slots: by peer, then by the id and face of whichever of the
// two elements has the lesser id, which both sides know.
typedef struct halo_face {
    int64_t id;
    int32_t peer;
    int32_t element, face; // here
    int32_t key_face;
    int32_t group;
} halo_face;

static int compare_halo_faces(const void *left, const void *right)
{
    const halo_face *const a = left, *const b = right;

    if (a->peer != b->peer) return a->peer < b->peer ? -1 : 1;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return (a->key_face > b->key_face) - (a->key_face < b->key_face);
}

const char *const sedge_numbering_names[] = {"clusters", "curve", "rcm", "none", NULL};

bool sedge_numbering_find(sedge_numbering *out, const char *name)
{
    for (int i = 0; sedge_numbering_names[i] != NULL; i++) {
        if (strcmp(name, sedge_numbering_names[i]) != 0) continue;
        *out = (sedge_numbering)i;
        return true;
    }
    return false;
}

// What the records are sorted by within a range, before their ids.
static sedge_status set_keys(ranked *list, sedge_mesh *mesh, const sedge_record *records, int rank,
                             sedge_numbering numbering)
{
    int32_t *place = NULL;

    switch (numbering) {
    case SEDGE_NUMBERING_CLUSTERS:
    case SEDGE_NUMBERING_CURVE:
        for (int32_t i = 0; i < mesh->elements; i++) {
            double x[3] = {0.0, 0.0, 0.0};
            for (int v = 0; v < 4; v++)
                for (int d = 0; d < 3; d++) x[d] += 0.25 * records[i].corners[v][d];
            list[i].key = sedge_hilbert_key(x, mesh->bounds);
        }
        return SEDGE_OK;
    case SEDGE_NUMBERING_RCM:
        SEDGE_TRY(sedge_allocate(&place, mesh->elements, sizeof *place));
        const sedge_status status = sedge_local_rcm(place, records, mesh->elements, rank);
        for (int32_t i = 0; i < mesh->elements; i++) list[i].key = (uint64_t)place[i];
        sedge_release(place);
        return status;
    case SEDGE_NUMBERING_NONE:
        return SEDGE_OK;
    }
    return SEDGE_OK;
}

// Local numbers by position among the records; counts interior elements, halo and boundary faces.
static sedge_status order_elements(sedge_mesh *mesh, int32_t *number, int32_t *order,
                                   const sedge_record *records, int rank,
                                   const sedge_mesh_options *options)
{
    ranked *list;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&list, mesh->elements, sizeof *list));
    SEDGE_TRY_GOTO(status, set_keys(list, mesh, records, rank, options->numbering));
    for (int32_t i = 0; i < mesh->elements; i++) {
        list[i].id = records[i].id;
        list[i].position = i;
        list[i].curved = records[i].curve >= 0;
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_record_face *const face = &records[i].faces[f];
            if (face->neighbour < 0) {
                mesh->boundary_faces++;
                list[i].boundary = options->boundary_last;
            } else if (face->rank != rank) {
                mesh->halo_faces++;
                list[i].halo = 1;
            }
        }
        if (list[i].halo || list[i].curved) list[i].boundary = 0;
        mesh->boundary_last += list[i].boundary;
        mesh->interior += !list[i].halo;
        mesh->interior_curved += list[i].curved && !list[i].halo;
        mesh->edge_curved += list[i].curved && list[i].halo;
    }
    qsort(list, (size_t)mesh->elements, sizeof *list, compare_ranked);
    for (int32_t e = 0; e < mesh->elements; e++) {
        order[e] = list[e].position;
        number[list[e].position] = e;
    }
    if (options->numbering == SEDGE_NUMBERING_CLUSTERS) {
        const int32_t straight = mesh->interior - mesh->interior_curved;
        const int32_t ranges[6] = {0,
                                   straight - mesh->boundary_last,
                                   straight,
                                   mesh->interior,
                                   mesh->elements - mesh->edge_curved,
                                   mesh->elements};
        status = sedge_local_cluster(number, order, ranges, records, rank);
    }
done:
    sedge_release(list);
    return status;
}

// Faces with a local neighbour and boundary faces; halo faces are collected into `halo`.
static void connect_faces(sedge_mesh *mesh, halo_face *halo, const int32_t *number,
                          const int32_t *order, const sedge_record *records, int rank)
{
    int32_t slot = mesh->halo_faces;

    for (int32_t e = 0; e < mesh->elements; e++) {
        const sedge_record *const record = &records[order[e]];
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_record_face *const face = &record->faces[f];
            sedge_face *const out = &mesh->faces[e][f];
            out->face = face->face;
            out->orientation = face->orientation;
            if (face->neighbour < 0) {
                out->neighbour = -1 - slot;
                mesh->trace_faces[slot++] = (sedge_trace_face){e, f, face->group};
            } else if (face->rank == rank) {
                out->neighbour = number[face->position];
            } else {
                const bool mine = record->id < face->neighbour;
                *halo++ = (halo_face){mine ? record->id : face->neighbour,
                                      face->rank,
                                      e,
                                      f,
                                      mine ? f : face->face,
                                      face->group};
            }
        }
    }
}

// Slots, peers and their windows.
static sedge_status plan_halo(sedge_mesh *mesh, halo_face *halo)
{
    qsort(halo, (size_t)mesh->halo_faces, sizeof *halo, compare_halo_faces);
    for (int32_t i = 0; i < mesh->halo_faces; i++)
        mesh->peers += i == 0 || halo[i].peer != halo[i - 1].peer;
    SEDGE_TRY(sedge_allocate(&mesh->peer_ranks, mesh->peers, sizeof *mesh->peer_ranks));
    SEDGE_TRY(sedge_allocate(&mesh->peer_offsets, mesh->peers + 1LL, sizeof *mesh->peer_offsets));
    int peer = -1;
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        if (i == 0 || halo[i].peer != halo[i - 1].peer) mesh->peer_ranks[++peer] = halo[i].peer;
        mesh->peer_offsets[peer + 1] = i + 1;
        mesh->trace_faces[i] = (sedge_trace_face){halo[i].element, halo[i].face, halo[i].group};
        mesh->faces[halo[i].element][halo[i].face].neighbour = -1 - i;
    }
    return SEDGE_OK;
}

sedge_status sedge_local_number(sedge_mesh *mesh, const sedge_record *records,
                                double (*middles)[SEDGE_EDGES][3], int32_t count, int rank,
                                const sedge_mesh_options *options)
{
    int32_t *number = NULL;
    int32_t *order = NULL;
    halo_face *halo = NULL;
    sedge_status status;

    mesh->elements = count;
    SEDGE_TRY_GOTO(status, sedge_allocate(&number, count, sizeof *number));
    SEDGE_TRY_GOTO(status, sedge_allocate(&order, count, sizeof *order));
    SEDGE_TRY_GOTO(status, order_elements(mesh, number, order, records, rank, options));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->corners, count, sizeof *mesh->corners));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->middles,
                                          (int64_t)mesh->interior_curved + mesh->edge_curved,
                                          sizeof *mesh->middles));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->global_ids, count, sizeof *mesh->global_ids));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->group, count, sizeof *mesh->group));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->faces, count, sizeof *mesh->faces));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->trace_faces,
                                          (int64_t)mesh->halo_faces + mesh->boundary_faces,
                                          sizeof *mesh->trace_faces));
    SEDGE_TRY_GOTO(status, sedge_allocate(&halo, mesh->halo_faces, sizeof *halo));
    for (int32_t e = 0; e < count; e++) {
        const sedge_record *const record = &records[order[e]];
        memcpy(mesh->corners[e], record->corners, sizeof record->corners);
        if (record->curve >= 0) {
            memcpy(mesh->middles[sedge_mesh_curve(mesh, e)], middles[record->curve],
                   sizeof *middles);
        }
        mesh->global_ids[e] = record->id;
        mesh->group[e] = record->group;
    }
    connect_faces(mesh, halo, number, order, records, rank);
    status = plan_halo(mesh, halo);
done:
    sedge_release(number);
    sedge_release(order);
    sedge_release(halo);
    return status;
}
