#include "local.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A halo face in the order of the trace slots: by peer, then by the id and face of whichever of the
// two elements has the lesser id, which both sides know.
typedef struct halo_face {
    int64_t id;
    int32_t peer;
    int32_t element, face; // here
    int32_t key_face;
    int32_t group;
    bool boundary; // a side of a sheet, which has a boundary slot, too
} halo_face;

static int compare_halo_faces(const void *left, const void *right)
{
    const halo_face *const a = left, *const b = right;

    if (a->peer != b->peer) return a->peer < b->peer ? -1 : 1;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return (a->key_face > b->key_face) - (a->key_face < b->key_face);
}

const char *const sedge_numbering_names[] = {"clusters", "curve", "none", NULL};

bool sedge_numbering_find(sedge_numbering *out, const char *name)
{
    for (int i = 0; sedge_numbering_names[i] != NULL; i++) {
        if (strcmp(name, sedge_numbering_names[i]) != 0) continue;
        *out = (sedge_numbering)i;
        return true;
    }
    return false;
}

// The keys of the records of `list` along a Hilbert curve through their centres.
static void set_keys(sedge_hilbert_place *list, sedge_mesh *mesh, const sedge_record *records)
{
    for (int32_t i = 0; i < mesh->elements; i++) {
        const sedge_record *const record = &records[list[i].element];
        double x[3] = {0.0, 0.0, 0.0};
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) x[d] += 0.25 * record->corners[v][d];
        list[i].key = sedge_hilbert_key(x, mesh->bounds);
    }
}

// Ranges of elements, in their order.
enum {
    RANGE_INTERIOR,
    RANGE_BOUNDARY,
    RANGE_INTERIOR_CURVED,
    RANGE_EDGE,
    RANGE_EDGE_CURVED,
    RANGES
};

// Whether the trace on the other side of a face comes from another rank. Of a sheet only the traces
// that the options ask for are exchanged.
static bool is_halo(const sedge_record_face *face, int rank, const bool *is_linked)
{
    if (face->neighbour < 0 || face->rank == rank) return false;
    return !face->boundary || is_linked[face->surface];
}

static int find_range(const sedge_record *record, int rank, bool boundary_last,
                      const bool *is_linked)
{
    bool halo = false;
    bool boundary = false;

    for (int f = 0; f < SEDGE_FACES; f++) {
        boundary |= record->faces[f].boundary;
        halo |= is_halo(&record->faces[f], rank, is_linked);
    }
    if (record->curve >= 0) return halo ? RANGE_EDGE_CURVED : RANGE_INTERIOR_CURVED;
    if (halo) return RANGE_EDGE;
    return boundary && boundary_last ? RANGE_BOUNDARY : RANGE_INTERIOR;
}

// Count what the ranges are found by, and boundary and halo faces.
static void count_elements(sedge_mesh *mesh, int32_t ranges[RANGES + 1],
                           const sedge_record *records, int rank, bool boundary_last,
                           const bool *is_linked)
{
    for (int32_t i = 0; i < mesh->elements; i++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_record_face *const face = &records[i].faces[f];
            mesh->boundary_faces += face->boundary;
            mesh->halo_faces += is_halo(face, rank, is_linked);
        }
        ranges[find_range(&records[i], rank, boundary_last, is_linked) + 1]++;
    }
    mesh->boundary_last = ranges[RANGE_BOUNDARY + 1];
    mesh->interior_curved = ranges[RANGE_INTERIOR_CURVED + 1];
    mesh->edge_curved = ranges[RANGE_EDGE_CURVED + 1];
    for (int r = 0; r < RANGES; r++) ranges[r + 1] += ranges[r];
    mesh->interior = ranges[RANGE_EDGE];
}

// Local numbers by position among the records; counts interior elements, halo and boundary faces.
static sedge_status order_elements(sedge_mesh *mesh, int32_t *number, int32_t *order,
                                   const sedge_record *records, int rank,
                                   const sedge_mesh_options *options, const bool *is_linked)
{
    const sedge_numbering numbering = options->numbering;
    int32_t ranges[RANGES + 1] = {0};
    int32_t next[RANGES];
    sedge_hilbert_place *list;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(sedge_allocate(&list, mesh->elements, sizeof *list));
    count_elements(mesh, ranges, records, rank, options->boundary_last, is_linked);
    memcpy(next, ranges, sizeof next);
    for (int32_t i = 0; i < mesh->elements; i++)
        list[next[find_range(&records[i], rank, options->boundary_last, is_linked)]++].element = i;
    if (numbering != SEDGE_NUMBERING_NONE) set_keys(list, mesh, records);
    for (int r = 0; r < RANGES && numbering != SEDGE_NUMBERING_NONE; r++)
        SEDGE_TRY_GOTO(status, sedge_hilbert_sort(list + ranges[r], ranges[r + 1] - ranges[r]));
    for (int32_t e = 0; e < mesh->elements; e++) {
        order[e] = list[e].element;
        number[list[e].element] = e;
    }
done:
    sedge_release(list);
    if (status != SEDGE_OK || numbering != SEDGE_NUMBERING_CLUSTERS) return status;
    return sedge_local_cluster(number, order, ranges, records, rank);
}

// Faces of element `e` with a local neighbour and boundary faces, which take the slots from `*slot`
// on; halo faces are collected from `*halo` on.
static void connect_faces(sedge_mesh *mesh, halo_face **halo, int32_t *slot, int32_t e,
                          const sedge_record *record, const int32_t *number, int rank,
                          const bool *is_linked)
{
    for (int f = 0; f < SEDGE_FACES; f++) {
        const sedge_record_face *const face = &record->faces[f];
        sedge_face *const out = &mesh->faces[e][f];
        if (face->boundary) {
            *out = (sedge_face){-1 - *slot, (int8_t)f, 0};
            mesh->trace_faces[(*slot)++] = (sedge_trace_face){e, f, face->surface};
        } else {
            *out = (sedge_face){-1, face->face, face->orientation};
            if (face->rank == rank) out->neighbour = number[face->position];
        }
        if (is_halo(face, rank, is_linked)) {
            const bool mine = record->id < face->neighbour;
            *(*halo)++ = (halo_face){mine ? record->id : face->neighbour,
                                     face->rank,
                                     e,
                                     f,
                                     mine ? f : face->face,
                                     face->group,
                                     face->boundary};
        }
    }
}

// Everything that an element has, in the order of the numbers.
static void fill_elements(sedge_mesh *mesh, halo_face *halo, const int32_t *number,
                          const int32_t *order, const sedge_record *records,
                          double (*middles)[SEDGE_EDGES][3], int rank, const bool *is_linked)
{
    int32_t slot = mesh->halo_faces;

    for (int32_t e = 0; e < mesh->elements; e++) {
        const sedge_record *const record = &records[order[e]];
        memcpy(mesh->corners[e], record->corners, sizeof record->corners);
        if (record->curve >= 0) {
            memcpy(mesh->middles[sedge_mesh_curve(mesh, e)], middles[record->curve],
                   sizeof *middles);
        }
        mesh->global_ids[e] = record->id;
        mesh->group[e] = record->group;
        connect_faces(mesh, &halo, &slot, e, record, number, rank, is_linked);
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
        sedge_face *const face = &mesh->faces[halo[i].element][halo[i].face];
        if (!halo[i].boundary) face->neighbour = -1 - i;
    }
    return SEDGE_OK;
}

// The surface groups whose other side's traces are exchanged.
static sedge_status list_linked(bool **out, const sedge_mesh *mesh,
                                const sedge_mesh_options *options)
{
    SEDGE_TRY(sedge_allocate(out, mesh->groups.surfaces, sizeof **out));
    for (int g = 0; g < mesh->groups.surfaces; g++) {
        for (int i = 0; i < options->linked_sheets && !(*out)[g]; i++)
            (*out)[g] = strcmp(options->linked_sheet[i], mesh->groups.surface_names[g]) == 0;
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
    bool *is_linked = NULL; // [surface groups]
    sedge_status status;

    mesh->elements = count;
    SEDGE_TRY_GOTO(status, list_linked(&is_linked, mesh, options));
    SEDGE_TRY_GOTO(status, sedge_allocate(&number, count, sizeof *number));
    SEDGE_TRY_GOTO(status, sedge_allocate(&order, count, sizeof *order));
    SEDGE_TRY_GOTO(status, order_elements(mesh, number, order, records, rank, options, is_linked));
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
    fill_elements(mesh, halo, number, order, records, middles, rank, is_linked);
    SEDGE_TRY_GOTO(status, plan_halo(mesh, halo));
    status = sedge_local_list_sets(mesh, records, order, number, rank);
done:
    sedge_release(number);
    sedge_release(order);
    sedge_release(halo);
    sedge_release(is_linked);
    return status;
}
