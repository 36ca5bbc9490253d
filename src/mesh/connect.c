#include "global.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A face of an element or a tagged triangle, in the bucket of its least vertex.
typedef struct entry {
    uint64_t others; // the other two vertices, the greatest in the low half
    uint32_t id;     // 4 element + face, or first_tagged + number of the triangle
    uint8_t turn;    // 3 a + b: its first vertex has a lesser ones, its second b
} entry;

enum { GRAIN = 1024 }; // faces or vertices for one thread

#define TURNS 9 // of which those with a = b do not occur

typedef struct table {
    _Atomic int64_t *offsets; // [vertices + 1] of buckets
    entry *entries;
    bool *is_open; // [vertices] the bucket has faces that are not joined by join_pairs
    uint32_t first_tagged;
    bool *is_two_sided;               // [surface groups]
    bool takes_open;                  // outer faces without a group
    int64_t open;                     // how many there are
    uint32_t first_open;              // the least of them
    int64_t room;                     // for the mesh's sides
    int8_t orientation[TURNS][TURNS]; // from a face with the first turn to one with the second
} table;

// Vertices ascending, and the turn.
static int sort3(const int32_t v[3], int32_t out[3])
{
    const int a = (v[0] > v[1]) + (v[0] > v[2]);
    const int b = (v[1] >= v[0]) + (v[1] > v[2]);

    out[a] = v[0];
    out[b] = v[1];
    out[3 - a - b] = v[2];
    return 3 * a + b;
}

// The vertices of faces that have the same ones are known by their turns.
static void list_orientations(table *t)
{
    for (int i = 0; i < TURNS; i++) {
        for (int j = 0; j < TURNS; j++) {
            const int32_t left[3] = {i / 3, i % 3, 3 - i / 3 - i % 3};
            const int32_t right[3] = {j / 3, j % 3, 3 - j / 3 - j % 3};
            t->orientation[i][j] = (int8_t)sedge_orientation_find(left, right);
        }
    }
}

static void gather_face(const sedge_global *mesh, uint32_t id, int32_t vertices[3])
{
    for (int i = 0; i < 3; i++) vertices[i] = mesh->cells[id / 4][sedge_face_vertices[id % 4][i]];
}

static void gather(const sedge_global *mesh, const table *t, uint32_t id, int32_t vertices[3])
{
    if (id < t->first_tagged) {
        gather_face(mesh, id, vertices);
    } else {
        memcpy(vertices, mesh->tagged_faces[id - t->first_tagged], 3 * sizeof *vertices);
    }
}

typedef struct table_job {
    sedge_global *mesh;
    table *t;
    bool counts;
} table_job;

static void add_faces(void *context, int64_t first, int64_t end)
{
    const table_job *const job = context;
    table *const t = job->t;
    int32_t face[3];
    int32_t v[3] = {0};

    for (uint32_t id = (uint32_t)first; id < (uint32_t)end; id++) {
        gather(job->mesh, t, id, face);
        const int turn = sort3(face, v);
        const int64_t at =
            atomic_fetch_add_explicit(&t->offsets[v[0] + job->counts], 1, memory_order_relaxed);
        if (job->counts) continue;
        t->entries[at] = (entry){(uint64_t)v[1] << 32 | (uint64_t)v[2], id, (uint8_t)turn};
    }
}

// Counting sort of all faces by their least vertices; their order in a bucket is any.
static sedge_status fill_table(table *t, sedge_global *mesh)
{
    const int64_t total = (int64_t)t->first_tagged + mesh->tagged;
    table_job job = {.mesh = mesh, .t = t, .counts = true};

    list_orientations(t);
    SEDGE_TRY(sedge_allocate(&t->offsets, mesh->vertices + 1, sizeof *t->offsets));
    SEDGE_TRY(sedge_allocate(&t->entries, total, sizeof *t->entries));
    SEDGE_TRY(sedge_allocate(&t->is_open, mesh->vertices, sizeof *t->is_open));
    sedge_parallel(mesh->threads, total, GRAIN, add_faces, &job);
    for (int64_t i = 0; i < mesh->vertices; i++) t->offsets[i + 1] += t->offsets[i];
    job.counts = false;
    sedge_parallel(mesh->threads, total, GRAIN, add_faces, &job);
    // Each offset has moved to the start of the next bucket.
    for (int64_t i = mesh->vertices; i > 0; i--) t->offsets[i] = t->offsets[i - 1];
    t->offsets[0] = 0;
    return SEDGE_OK;
}

static int compare_entries(const void *left, const void *right)
{
    const entry *const a = left, *const b = right;

    if (a->others != b->others) return a->others < b->others ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static bool is_before(const entry *a, const entry *b)
{
    return a->others != b->others ? a->others < b->others : a->id < b->id;
}

// Buckets hold a few dozen faces; a vertex where many elements meet has more.
static void sort_bucket(entry *entries, int64_t count)
{
    if (count > 64) {
        qsort(entries, (size_t)count, sizeof *entries, compare_entries);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        const entry moved = entries[i];
        int64_t j = i;
        for (; j > 0 && is_before(&moved, &entries[j - 1]); j--) entries[j] = entries[j - 1];
        entries[j] = moved;
    }
}

static sedge_status fail_at_face(const sedge_global *mesh, uint32_t id, const char *what)
{
    double x[3];
    char place[SEDGE_PLACE_TEXT];

    sedge_global_face_centre(mesh, (int32_t)(id / 4), (int)(id % 4), x);
    sedge_global_describe(mesh, (int32_t)(id / 4), place);
    return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: the face with centre (%.6g, %.6g, %.6g) of %s %s",
                      mesh->name, x[0], x[1], x[2], place, what);
}

static void join(sedge_global *mesh, const table *t, const entry *left, const entry *right)
{
    const uint32_t a = left->id;
    const uint32_t b = right->id;

    mesh->faces[a / 4][a % 4] =
        (sedge_face){(int32_t)(b / 4), (int8_t)(b % 4), t->orientation[left->turn][right->turn]};
    mesh->faces[b / 4][b % 4] =
        (sedge_face){(int32_t)(a / 4), (int8_t)(a % 4), t->orientation[right->turn][left->turn]};
}

// Both sides of a named face between two elements. The first side is that of the lesser volume
// group, then of the lesser element.
static sedge_status add_sides(sedge_global *mesh, table *t, const entry *left, const entry *right,
                              int group)
{
    const int32_t a = (int32_t)(left->id / 4);
    const int32_t b = (int32_t)(right->id / 4);
    const bool swapped = mesh->group[a] != mesh->group[b] ? mesh->group[b] < mesh->group[a] : b < a;

    if (mesh->sides + 2 > t->room) { // the faces of enclosures are not counted before
        const int64_t more = t->room + 1024;
        SEDGE_TRY(sedge_global_reserve_sides(mesh, more));
        t->room = mesh->sides + more;
    }
    mesh->side[mesh->sides++] = (sedge_global_side){a,
                                                    b,
                                                    group,
                                                    (int8_t)(left->id % 4),
                                                    (int8_t)(right->id % 4),
                                                    t->orientation[left->turn][right->turn],
                                                    swapped};
    mesh->side[mesh->sides++] = (sedge_global_side){b,
                                                    a,
                                                    group,
                                                    (int8_t)(right->id % 4),
                                                    (int8_t)(left->id % 4),
                                                    t->orientation[right->turn][left->turn],
                                                    !swapped};
    return SEDGE_OK;
}

// Group of the tagged triangles in a run of equal faces, -1 without one.
static sedge_status find_group(const sedge_global *mesh, const table *t, const entry *run,
                               int64_t count, uint32_t face, int *group)
{
    *group = -1;
    for (int64_t i = 0; i < count; i++) {
        const int g = mesh->tagged_group[run[i].id - t->first_tagged];
        if (*group >= 0 && *group != g) {
            char what[192];
            (void)snprintf(what, sizeof what, "is in two surface groups, '%s' and '%s'",
                           mesh->groups.surface_names[*group], mesh->groups.surface_names[g]);
            return fail_at_face(mesh, face, what);
        }
        *group = g;
    }
    return SEDGE_OK;
}

// A face between two elements, one of which an enclosure with a shape encloses, is in its surface.
static sedge_status find_enclosure(const sedge_global *mesh, uint32_t left, uint32_t right,
                                   int *group)
{
    if (mesh->inside == NULL) return SEDGE_OK;
    const uint32_t differ = mesh->inside[left / 4] ^ mesh->inside[right / 4];
    for (int i = 0; i < mesh->enclosures && differ != 0; i++) {
        const int g = mesh->enclosed[i].surface;
        if ((differ >> i & 1) == 0 || *group == g) continue;
        if (*group >= 0) {
            char what[320];
            (void)snprintf(what, sizeof what,
                           "is in two surface groups, '%s' and '%s'; a closed surface from the "
                           "deck may not have a face in common with another surface: if they are "
                           "the same, name that one in its place",
                           mesh->groups.surface_names[*group], mesh->groups.surface_names[g]);
            return fail_at_face(mesh, left, what);
        }
        *group = g;
    }
    return SEDGE_OK;
}

// A face of an element on the boundary; group -1: in none, which is the number behind the last.
static void bound(sedge_global *mesh, uint32_t id, int group)
{
    const int number = group >= 0 ? group : mesh->groups.surfaces;

    mesh->faces[id / 4][id % 4] = (sedge_face){-1 - number, (int8_t)(id % 4), 0};
    if (group >= 0) mesh->groups.surface_faces[group]++;
}

// Two elements have the same corners. A file of version 2 contains the elements of a volume twice
// if the volume is in two physical groups.
static sedge_status fail_at_twins(const sedge_global *mesh, int32_t a, int32_t b)
{
    char place[SEDGE_PLACE_TEXT];
    const int groups[2] = {mesh->group[a], mesh->group[b]};

    sedge_global_describe(mesh, a, place);
    if (groups[0] == groups[1] || mesh->numbers == NULL || mesh->volumes == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: %s exists twice: tetrahedron %d has the same corners", mesh->name,
                          place, b);
    }
    return SEDGE_FAIL(
        SEDGE_ERR_DATA,
        "%s: volume %d is in two physical groups, '%s' and '%s'; a volume can be in one "
        "only: %s exists again as number %lld",
        mesh->name, mesh->volumes[a], mesh->groups.volume_names[groups[0]],
        mesh->groups.volume_names[groups[1]], place, (long long)mesh->numbers[b]);
}

static int32_t opposite(const sedge_global *mesh, uint32_t id)
{
    static const int vertex[SEDGE_FACES] = {3, 2, 0, 1};

    return mesh->cells[id / 4][vertex[id % 4]];
}

// Elements that share a face and have the same fourth corner, or are too many.
static sedge_status check_owners(const sedge_global *mesh, const entry *run, int64_t owners)
{
    for (int64_t i = 1; i < owners; i++) {
        for (int64_t j = 0; j < i; j++) {
            if (opposite(mesh, run[i].id) == opposite(mesh, run[j].id)) {
                return fail_at_twins(mesh, (int32_t)(run[j].id / 4), (int32_t)(run[i].id / 4));
            }
        }
        if (i == 2) return fail_at_face(mesh, run[0].id, "belongs to more than two tetrahedra");
    }
    return SEDGE_OK;
}

// All entries of one face: one or two elements, then triangles.
static sedge_status connect_run(sedge_global *mesh, table *t, const entry *run, int64_t count)
{
    int64_t owners = 0;
    int group;

    while (owners < count && run[owners].id < t->first_tagged) owners++;
    if (owners == 0) {
        const int32_t *const v = mesh->tagged_faces[run[0].id - t->first_tagged];
        const double *const corners[3] = {mesh->points[v[0]], mesh->points[v[1]],
                                          mesh->points[v[2]]};
        return sedge_global_fail_loose(mesh, corners,
                                       mesh->tagged_group[run[0].id - t->first_tagged]);
    }
    SEDGE_TRY(check_owners(mesh, run, owners));
    SEDGE_TRY(find_group(mesh, t, run + owners, count - owners, run[0].id, &group));
    if (owners == 2) SEDGE_TRY(find_enclosure(mesh, run[0].id, run[1].id, &group));
    if (owners == 2 && group >= 0) SEDGE_TRY(add_sides(mesh, t, &run[0], &run[1], group));
    if (owners == 2 && group >= 0 && t->is_two_sided[group]) {
        bound(mesh, run[0].id, group);
        bound(mesh, run[1].id, group);
        mesh->groups.surface_two_sided_faces[group]++;
        return SEDGE_OK;
    }
    if (owners == 2) {
        join(mesh, t, &run[0], &run[1]);
        if (group >= 0) mesh->groups.surface_interior_faces[group]++;
        return SEDGE_OK;
    }
    if (group < 0) {
        if (t->open == 0 || run[0].id < t->first_open) t->first_open = run[0].id;
        t->open++;
        if (t->takes_open)
            group = sedge_groups_default(&mesh->groups.surfaces, mesh->groups.surface_names);
    }
    bound(mesh, run[0].id, group);
    return SEDGE_OK;
}

// Accept or refuse outer faces without a group. If volumes touch or overlap without being joined,
// the message says so instead: that is the cause.
static sedge_status finish_open(sedge_global *mesh, const table *t)
{
    const int32_t element = (int32_t)(t->first_open / 4);
    double *const x = mesh->groups.groupless_place;
    char place[SEDGE_PLACE_TEXT];

    if (t->open == 0) return SEDGE_OK;
    mesh->groups.groupless_faces = t->open;
    sedge_global_face_centre(mesh, element, (int)(t->first_open % 4), x);
    if (t->takes_open) return SEDGE_OK;
    SEDGE_TRY(sedge_global_conform(mesh));
    sedge_global_describe(mesh, element, place);
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "%s: %lld outer faces are in no surface group, the first with centre (%.6g, "
                      "%.6g, %.6g) on %s; put every outer surface into a Physical Surface, or give "
                      "faces without a group a condition by the deck's key boundaries.default",
                      mesh->name, (long long)t->open, x[0], x[1], x[2], place);
}

// A face of two elements that is in no surface. All others, and faults, are left to connect_run.
static bool is_pair(const sedge_global *mesh, const table *t, const entry *run, int64_t count)
{
    return count == 2 && run[1].id < t->first_tagged &&
           opposite(mesh, run[0].id) != opposite(mesh, run[1].id) &&
           (mesh->inside == NULL || mesh->inside[run[0].id / 4] == mesh->inside[run[1].id / 4]);
}

static int64_t find_run_end(const entry *bucket, int64_t first, int64_t count)
{
    int64_t end = first + 1;

    while (end < count && bucket[end].others == bucket[first].others) end++;
    return end;
}

// Sort the buckets of some vertices and join their pairs.
static void join_pairs(void *context, int64_t first, int64_t last)
{
    const table_job *const job = context;
    const table *const t = job->t;

    for (int64_t v = first; v < last; v++) {
        entry *const bucket = t->entries + t->offsets[v];
        const int64_t count = t->offsets[v + 1] - t->offsets[v];
        sort_bucket(bucket, count);
        for (int64_t i = 0, end; i < count; i = end) {
            end = find_run_end(bucket, i, count);
            if (is_pair(job->mesh, t, bucket + i, end - i)) {
                join(job->mesh, t, &bucket[i], &bucket[i + 1]);
            } else {
                t->is_open[v] = true;
            }
        }
    }
}

static sedge_status connect_table(sedge_global *mesh, table *t)
{
    table_job job = {.mesh = mesh, .t = t};

    sedge_parallel(mesh->threads, mesh->vertices, GRAIN, join_pairs, &job);
    for (int64_t v = 0; v < mesh->vertices; v++) {
        const entry *const bucket = t->entries + t->offsets[v];
        const int64_t count = t->is_open[v] ? t->offsets[v + 1] - t->offsets[v] : 0;
        for (int64_t i = 0, end; i < count; i = end) {
            end = find_run_end(bucket, i, count);
            if (!is_pair(mesh, t, bucket + i, end - i))
                SEDGE_TRY(connect_run(mesh, t, bucket + i, end - i));
        }
    }
    return finish_open(mesh, t);
}

static sedge_status list_two_sided(table *t, const sedge_global *mesh,
                                   const sedge_mesh_options *options)
{
    SEDGE_TRY(sedge_allocate(&t->is_two_sided, mesh->groups.surfaces, sizeof *t->is_two_sided));
    for (int g = 0; g < mesh->groups.surfaces; g++) {
        for (int i = 0; i < options->two_sided_surfaces && !t->is_two_sided[g]; i++) {
            t->is_two_sided[g] =
                strcmp(options->two_sided_surface[i], mesh->groups.surface_names[g]) == 0;
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_global_connect(sedge_global *mesh, const sedge_mesh_options *options)
{
    table t = {.first_tagged = 4u * (uint32_t)mesh->elements,
               .takes_open = options->default_surface};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->faces, mesh->elements, sizeof *mesh->faces));
    t.room = 2 * (int64_t)mesh->tagged;
    SEDGE_TRY_GOTO(status, sedge_global_reserve_sides(mesh, t.room));
    SEDGE_TRY_GOTO(status, list_two_sided(&t, mesh, options));
    SEDGE_TRY_GOTO(status, fill_table(&t, mesh));
    status = connect_table(mesh, &t);
done:
    sedge_release(t.is_two_sided);
    sedge_release(t.is_open);
    sedge_release(t.offsets);
    sedge_release(t.entries);
    return status;
}
