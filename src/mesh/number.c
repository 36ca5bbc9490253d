#include "local.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
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
    bool boundary; // a side of a two-sided surface, which has a boundary slot, too
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

enum { GRAIN = 8192 }; // elements for one thread

// ---- ranges ------------------------------------------------------------------------------------

enum { LAYERS = 1 + SEDGE_LAYER_KINDS }; // values of a range's `layer`

// What the properties of elements depend on.
typedef struct grouping {
    int rank, threads;
    bool boundary_last;
    int classes;
    int *class;      // [volume groups] see sedge_range
    const int *axes; // [volume groups] those of sedge_mesh_groups, borrowed
    bool *is_linked; // [surface groups] the other side's traces are exchanged
} grouping;

static bool has_name(const char *const *names, int count, const char *name, int *place)
{
    for (*place = 0; *place < count; (*place)++)
        if (strcmp(names[*place], name) == 0) return true;
    return false;
}

static sedge_status make_grouping(grouping *out, const sedge_mesh *mesh, int rank,
                                  const sedge_mesh_options *options)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    int place;

    *out = (grouping){.rank = rank,
                      .threads = options->threads,
                      .boundary_last = options->boundary_last,
                      .classes = options->classes,
                      .axes = groups->volume_axes};
    SEDGE_TRY(sedge_allocate(&out->class, groups->volumes, sizeof *out->class));
    for (int g = 0; g < groups->volumes; g++) {
        const char *const name = groups->volume_names[groups->volume_owner[g]];
        if (has_name(options->class_volume, options->classes, name, &place))
            out->class[g] = 1 + place;
    }
    SEDGE_TRY(sedge_allocate(&out->is_linked, groups->surfaces, sizeof *out->is_linked));
    for (int g = 0; g < groups->surfaces; g++) {
        const char *const name = groups->surface_names[g];
        out->is_linked[g] =
            has_name(options->linked_surface, options->linked_surfaces, name, &place) ||
            sedge_options_cut(options, name);
    }
    return SEDGE_OK;
}

static void clear_grouping(grouping *by)
{
    sedge_release(by->class);
    sedge_release(by->is_linked);
}

// Whether the trace on the other side of a face comes from another rank. Of a two-sided surface
// only the traces that the options ask for are exchanged.
static bool is_halo(const sedge_record_face *face, const grouping *by)
{
    if (face->neighbour < 0 || face->rank == by->rank) return false;
    return !face->boundary || by->is_linked[face->surface];
}

// What the numbering needs of a record, found once: records are large.
typedef struct traits {
    int32_t key;            // the element's properties as one number: ranges lie in their order
    uint8_t boundary, halo; // number of such faces
    bool has_sets;          // some face is in a named surface
} traits;

static traits find_traits(const sedge_record *record, const grouping *by)
{
    const bool curved = record->curve >= 0;
    traits out = {.has_sets = false};

    for (int f = 0; f < SEDGE_FACES; f++) {
        out.boundary += record->faces[f].boundary;
        out.halo += is_halo(&record->faces[f], by);
        out.has_sets |= record->faces[f].surface >= 0;
    }
    const bool halo = out.halo > 0;
    const bool boundary = out.boundary > 0 && by->boundary_last && !halo && !curved;
    const int axes = by->axes[record->group];
    const int layer = sedge_layer_kind(axes);
    const int flags = (halo * 4 + curved * 2 + boundary) * LAYERS + layer;
    out.key = flags * (by->classes + 1) + by->class[record->group];
    return out;
}

static int count_keys(const grouping *by)
{
    return 8 * LAYERS * (by->classes + 1);
}

// The properties that find_traits made a key of.
static sedge_range split_key(int key, const grouping *by)
{
    const int flags = key / (by->classes + 1);

    return (sedge_range){.halo = (flags / LAYERS & 4) != 0,
                         .curved = (flags / LAYERS & 2) != 0,
                         .boundary = (flags / LAYERS & 1) != 0,
                         .layer = flags % LAYERS,
                         .class = key % (by->classes + 1)};
}

// List the ranges, and set next [keys] to the first element of each key's.
static sedge_status list_ranges(sedge_mesh *mesh, int32_t *next, const traits *list,
                                const grouping *by)
{
    const int keys = count_keys(by);
    int32_t first = 0;

    for (int32_t i = 0; i < mesh->elements; i++) next[list[i].key]++;
    SEDGE_TRY(sedge_allocate(&mesh->ranges, keys, sizeof *mesh->ranges));
    for (int key = 0; key < keys; key++) {
        sedge_range *const range = &mesh->ranges[mesh->range_count];
        const int32_t count = next[key];
        next[key] = first;
        if (count == 0) continue;
        *range = split_key(key, by);
        range->first = first;
        range->count = count;
        first += count;
        mesh->range_count++;
    }
    return SEDGE_OK;
}

const sedge_range *sedge_mesh_range(const sedge_mesh *mesh, int32_t element)
{
    const sedge_range *range = mesh->ranges;

    while (element - range->first >= range->count) range++;
    return range;
}

// ---- layers ------------------------------------------------------------------------------------

bool sedge_mesh_in_layer(const sedge_mesh *mesh, int32_t element)
{
    return mesh->groups.volume_axes[mesh->group[element]] != 0;
}

int sedge_layer_kind(int axes)
{
    if ((axes & SEDGE_LAYER_RADIAL) != 0) return SEDGE_LAYER_KINDS;
    return (axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1);
}

const double (*sedge_mesh_inner_bounds(const sedge_mesh *mesh))[3]
{
    return mesh->extruded.thickness > 0.0 ? mesh->extruded.inner : mesh->bounds;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// With a.y = 1 in the triangle's plane, y from the centre, R = r / a.y.
void sedge_mesh_layer_frame(const sedge_mesh *mesh, int32_t element, const double x[3],
                            double frame[SEDGE_LAYER_FRAME])
{
    const double *const a = mesh->planes[element];
    double y[3];

    for (int d = 0; d < 3; d++) y[d] = x[d] - mesh->extruded.centre[d];
    const double r = sqrt(dot(y, y));
    const double height = dot(a, y);
    for (int d = 0; d < 3; d++) {
        frame[d] = y[d] / r;
        frame[3 + d] = a[d] * r / (height * height);
    }
}

// ---- counts ------------------------------------------------------------------------------------

int32_t sedge_mesh_count(const sedge_mesh *mesh, bool halo, bool curved)
{
    int32_t count = 0;

    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        if (range->halo == halo && range->curved == curved) count += range->count;
    }
    return count;
}

int32_t sedge_mesh_interior(const sedge_mesh *mesh)
{
    return sedge_mesh_count(mesh, false, false) + sedge_mesh_count(mesh, false, true);
}

int32_t sedge_mesh_curved(const sedge_mesh *mesh)
{
    return sedge_mesh_count(mesh, false, true) + sedge_mesh_count(mesh, true, true);
}

// ---- order -------------------------------------------------------------------------------------

typedef struct number_job {
    sedge_mesh *mesh;
    const sedge_record *records;
    double (*middles)[SEDGE_EDGES][3];
    const grouping *by;
    traits *traits;       // [elements] of the records
    uint64_t *curve_keys; // [elements] of the records; NULL: not asked for
    int32_t *number;      // [elements] of each record
    int32_t *order;       // [elements] the record of each number
    halo_face *halo;
} number_job;

// The traits of records, and their keys along a Hilbert curve through their centres.
static void find_keys(void *context, int64_t first, int64_t end)
{
    const number_job *const job = context;

    for (int64_t i = first; i < end; i++) {
        const sedge_record *const record = &job->records[i];
        double x[3] = {0.0, 0.0, 0.0};
        job->traits[i] = find_traits(record, job->by);
        if (job->curve_keys == NULL) continue;
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) x[d] += 0.25 * record->corners[v][d];
        job->curve_keys[i] = sedge_hilbert_key(x, job->mesh->bounds);
    }
}

// The ranges, and in them local numbers: `number` and `order`.
static sedge_status order_elements(number_job *job, sedge_numbering numbering)
{
    sedge_mesh *const mesh = job->mesh;
    int32_t *next = NULL;
    sedge_hilbert_place *list = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&next, count_keys(job->by), sizeof *next));
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, mesh->elements, sizeof *list));
    if (numbering != SEDGE_NUMBERING_NONE) {
        SEDGE_TRY_GOTO(status,
                       sedge_allocate(&job->curve_keys, mesh->elements, sizeof *job->curve_keys));
    }
    sedge_parallel(job->by->threads, mesh->elements, GRAIN, find_keys, job);
    SEDGE_TRY_GOTO(status, list_ranges(mesh, next, job->traits, job->by));
    for (int32_t i = 0; i < mesh->elements; i++) {
        list[next[job->traits[i].key]++] = (sedge_hilbert_place){
            .key = job->curve_keys != NULL ? job->curve_keys[i] : 0, .element = i};
    }
    for (int r = 0; r < mesh->range_count && numbering != SEDGE_NUMBERING_NONE; r++) {
        SEDGE_TRY_GOTO(status,
                       sedge_hilbert_sort(list + mesh->ranges[r].first, mesh->ranges[r].count));
    }
    for (int32_t e = 0; e < mesh->elements; e++) {
        job->order[e] = list[e].element;
        job->number[list[e].element] = e;
    }
    if (numbering == SEDGE_NUMBERING_CLUSTERS) {
        status = sedge_local_cluster(job->number, job->order, mesh, job->records, job->by->rank,
                                     job->by->threads);
    }
done:
    sedge_release(next);
    sedge_release(list);
    return status;
}

// ---- members of the mesh -----------------------------------------------------------------------

static void count_faces(sedge_mesh *mesh, const traits *list)
{
    for (int32_t i = 0; i < mesh->elements; i++) {
        mesh->boundary_faces += list[i].boundary;
        mesh->halo_faces += list[i].halo;
    }
}

// Faces of element `e` with a local neighbour and boundary faces, which take the slots from `*slot`
// on; halo faces are collected from `*halo` on.
static void connect_faces(sedge_mesh *mesh, halo_face **halo, int32_t *slot, int32_t e,
                          const sedge_record *record, const int32_t *number, const grouping *by)
{
    for (int f = 0; f < SEDGE_FACES; f++) {
        const sedge_record_face *const face = &record->faces[f];
        sedge_face *const out = &mesh->faces[e][f];
        if (face->boundary) {
            *out = (sedge_face){-1 - *slot, (int8_t)f, 0};
            mesh->trace_faces[(*slot)++] = (sedge_trace_face){e, f, face->surface};
        } else {
            *out = (sedge_face){-1, face->face, face->orientation};
            if (face->rank == by->rank) out->neighbour = number[face->position];
        }
        if (is_halo(face, by)) {
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

// Everything that elements have, in the order of the numbers.
static void fill_elements(void *context, int64_t first, int64_t end)
{
    const number_job *const job = context;
    sedge_mesh *const mesh = job->mesh;
    int32_t slot = mesh->halo_faces;
    halo_face *halo = job->halo;

    for (int64_t e = 0; e < first; e++) {
        slot += job->traits[job->order[e]].boundary;
        halo += job->traits[job->order[e]].halo;
    }
    for (int32_t e = (int32_t)first; e < (int32_t)end; e++) {
        const sedge_record *const record = &job->records[job->order[e]];
        memcpy(mesh->corners[e], record->corners, sizeof record->corners);
        if (record->curve >= 0) {
            memcpy(mesh->middles[sedge_mesh_curve(mesh, e)], job->middles[record->curve],
                   sizeof *mesh->middles);
        }
        if (mesh->planes != NULL) memcpy(mesh->planes[e], record->plane, sizeof *mesh->planes);
        mesh->global_ids[e] = record->id;
        mesh->group[e] = record->group;
        connect_faces(mesh, &halo, &slot, e, record, job->number, job->by);
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

// ---- named surfaces ---------------------------------------------------------------------------

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

const sedge_mesh_enclosed *sedge_mesh_enclosed_by(const sedge_mesh *mesh, int surface)
{
    for (int i = 0; i < mesh->enclosures; i++)
        if (mesh->enclosed[i].surface == surface) return &mesh->enclosed[i];
    return NULL;
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

// List the faces of named surfaces in the mesh, whose elements are already numbered.
static sedge_status list_sets(const number_job *job)
{
    sedge_mesh *const mesh = job->mesh;
    const sedge_record *const records = job->records;
    const int surfaces = mesh->groups.surfaces;
    int32_t *offsets; // becomes where the next face of each surface goes

    SEDGE_TRY(sedge_allocate(&offsets, surfaces + 1LL, sizeof *offsets));
    mesh->set_offsets = offsets;
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES && job->traits[e].has_sets; f++) {
            const int32_t surface = records[e].faces[f].surface;
            if (surface >= 0) offsets[surface + 1]++;
        }
    }
    for (int s = 0; s < surfaces; s++) offsets[s + 1] += offsets[s];
    SEDGE_TRY(sedge_allocate(&mesh->set_faces, offsets[surfaces], sizeof *mesh->set_faces));
    for (int32_t e = 0; e < mesh->elements; e++) {
        const int32_t i = job->order[e];
        for (int f = 0; f < SEDGE_FACES && job->traits[i].has_sets; f++) {
            const sedge_record_face *const face = &records[i].faces[f];
            if (face->surface < 0) continue;
            mesh->set_faces[offsets[face->surface]++] =
                describe(mesh, e, f, face, job->number, job->by->rank);
        }
    }
    // Each offset has moved to the next surface's.
    for (int s = surfaces; s > 0; s--) offsets[s] = offsets[s - 1];
    offsets[0] = 0;
    find_slots(mesh, records, job->order);
    return SEDGE_OK;
}

sedge_status sedge_local_number(sedge_mesh *mesh, const sedge_record *records,
                                double (*middles)[SEDGE_EDGES][3], int32_t count, int rank,
                                const sedge_mesh_options *options)
{
    grouping by = {.classes = 0};
    number_job job = {.mesh = mesh, .records = records, .middles = middles, .by = &by};
    sedge_status status;

    mesh->elements = count;
    mesh->levels = 1;
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->cut_surface, mesh->groups.surfaces,
                                          sizeof *mesh->cut_surface));
    for (int g = 0; g < mesh->groups.surfaces; g++)
        mesh->cut_surface[g] = sedge_options_cut(options, mesh->groups.surface_names[g]);
    SEDGE_TRY_GOTO(status, make_grouping(&by, mesh, rank, options));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.traits, count, sizeof *job.traits));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.number, count, sizeof *job.number));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.order, count, sizeof *job.order));
    SEDGE_TRY_GOTO(status, order_elements(&job, options->numbering));
    count_faces(mesh, job.traits);
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->corners, count, sizeof *mesh->corners));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&mesh->middles, sedge_mesh_curved(mesh), sizeof *mesh->middles));
    if (mesh->extruded.radius > 0.0)
        SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->planes, count, sizeof *mesh->planes));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->global_ids, count, sizeof *mesh->global_ids));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->group, count, sizeof *mesh->group));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->faces, count, sizeof *mesh->faces));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->trace_faces,
                                          (int64_t)mesh->halo_faces + mesh->boundary_faces,
                                          sizeof *mesh->trace_faces));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.halo, mesh->halo_faces, sizeof *job.halo));
    sedge_parallel(by.threads, count, GRAIN, fill_elements, &job);
    SEDGE_TRY_GOTO(status, plan_halo(mesh, job.halo));
    status = list_sets(&job);
done:
    sedge_release(job.traits);
    sedge_release(job.curve_keys);
    sedge_release(job.number);
    sedge_release(job.order);
    sedge_release(job.halo);
    clear_grouping(&by);
    return status;
}
