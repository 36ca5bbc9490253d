#include "global.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// A face of an element or a tagged triangle, in the bucket of its least vertex.
typedef struct entry {
    int32_t middle, greatest; // the other two vertices
    uint32_t id;              // 4 element + face, or first_tagged + number of the triangle
} entry;

typedef struct table {
    int64_t *offsets; // [vertices + 1] of buckets
    entry *entries;
    uint32_t first_tagged;
} table;

static void sort3(const int32_t in[3], int32_t out[3])
{
    const int32_t a = in[0], b = in[1], c = in[2];
    const int32_t low = a < b ? a : b, high = a < b ? b : a;

    out[0] = c < low ? c : low;
    out[2] = c > high ? c : high;
    out[1] = c < low ? low : (c > high ? high : c);
}

static void gather_face(const sedge_global *mesh, uint32_t id, int32_t vertices[3])
{
    for (int i = 0; i < 3; i++) vertices[i] = mesh->cells[id / 4][sedge_face_vertices[id % 4][i]];
}

// Counting sort of all faces by their least vertices.
static sedge_status fill_table(table *t, const sedge_global *mesh)
{
    const uint32_t total = t->first_tagged + (uint32_t)mesh->tagged;
    int32_t v[3];

    SEDGE_TRY(sedge_allocate(&t->offsets, mesh->vertices + 1, sizeof *t->offsets));
    SEDGE_TRY(sedge_allocate(&t->entries, total, sizeof *t->entries));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t id = 0; id < total; id++) {
            if (id < t->first_tagged) {
                gather_face(mesh, id, v);
                sort3(v, v);
            } else {
                sort3(mesh->tagged_faces[id - t->first_tagged], v);
            }
            if (pass == 0) {
                t->offsets[v[0] + 1]++;
            } else {
                t->entries[t->offsets[v[0]]++] = (entry){v[1], v[2], id};
            }
        }
        if (pass == 0)
            for (int64_t i = 0; i < mesh->vertices; i++) t->offsets[i + 1] += t->offsets[i];
    }
    // The second pass moved each offset to the start of the next bucket.
    memmove(t->offsets + 1, t->offsets, (size_t)mesh->vertices * sizeof *t->offsets);
    t->offsets[0] = 0;
    return SEDGE_OK;
}

static int comes_before(const entry *a, const entry *b)
{
    if (a->middle != b->middle) return a->middle < b->middle;
    if (a->greatest != b->greatest) return a->greatest < b->greatest;
    return a->id < b->id;
}

static int compare_entries(const void *a, const void *b)
{
    return comes_before(a, b) ? -1 : comes_before(b, a);
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
        for (; j > 0 && comes_before(&moved, &entries[j - 1]); j--) entries[j] = entries[j - 1];
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

static void join(sedge_global *mesh, uint32_t a, uint32_t b)
{
    int32_t left[3];
    int32_t right[3];

    gather_face(mesh, a, left);
    gather_face(mesh, b, right);
    mesh->faces[a / 4][a % 4] = (sedge_face){(int32_t)(b / 4), (int8_t)(b % 4),
                                             (int8_t)sedge_orientation_find(left, right)};
    mesh->faces[b / 4][b % 4] = (sedge_face){(int32_t)(a / 4), (int8_t)(a % 4),
                                             (int8_t)sedge_orientation_find(right, left)};
}

// Group of the tagged triangles in a run of equal faces, -1 without one.
static sedge_status find_group(const sedge_global *mesh, const table *t, const entry *run,
                               int64_t count, uint32_t face, int *group)
{
    *group = -1;
    for (int64_t i = 0; i < count; i++) {
        const int g = mesh->tagged_group[run[i].id - t->first_tagged];
        if (*group >= 0 && *group != g) return fail_at_face(mesh, face, "is in two surface groups");
        *group = g;
    }
    return SEDGE_OK;
}

// All entries of one face: one or two elements, then triangles.
static sedge_status connect_run(sedge_global *mesh, const table *t, const entry *run, int64_t count,
                                int64_t *open, uint32_t *first_open)
{
    int64_t owners = 0;
    int group;

    while (owners < count && run[owners].id < t->first_tagged) owners++;
    if (owners == 0) {
        const int32_t *const v = mesh->tagged_faces[run[0].id - t->first_tagged];
        double x[3];
        for (int d = 0; d < 3; d++)
            x[d] = (mesh->points[v[0]][d] + mesh->points[v[1]][d] + mesh->points[v[2]][d]) / 3.0;
        return SEDGE_FAIL(
            SEDGE_ERR_DATA,
            "%s: the triangle with centre (%.6g, %.6g, %.6g) of surface group '%s' "
            "is not a face of any tetrahedron",
            mesh->name, x[0], x[1], x[2],
            mesh->groups.surface_names[mesh->tagged_group[run[0].id - t->first_tagged]]);
    }
    if (owners > 2) return fail_at_face(mesh, run[0].id, "belongs to more than two tetrahedra");
    SEDGE_TRY(find_group(mesh, t, run + owners, count - owners, run[0].id, &group));
    if (owners == 2) {
        join(mesh, run[0].id, run[1].id);
        if (group >= 0) mesh->groups.surface_interior_faces[group]++;
        return SEDGE_OK;
    }
    if (group < 0) {
        if (*open == 0 || run[0].id < *first_open) *first_open = run[0].id;
        ++*open;
        return SEDGE_OK;
    }
    mesh->faces[run[0].id / 4][run[0].id % 4] =
        (sedge_face){-1 - group, (int8_t)(run[0].id % 4), 0};
    mesh->groups.surface_faces[group]++;
    return SEDGE_OK;
}

static sedge_status fail_open(const sedge_global *mesh, int64_t open, uint32_t first)
{
    double x[3];
    char place[SEDGE_PLACE_TEXT];

    sedge_global_face_centre(mesh, (int32_t)(first / 4), (int)(first % 4), x);
    sedge_global_describe(mesh, (int32_t)(first / 4), place);
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "%s: %lld outer faces are in no surface group, the first with centre (%.6g, "
                      "%.6g, %.6g) on %s; put every outer surface into a Physical Surface",
                      mesh->name, (long long)open, x[0], x[1], x[2], place);
}

static sedge_status connect_table(sedge_global *mesh, const table *t)
{
    int64_t open = 0;
    uint32_t first_open = 0;

    for (int64_t v = 0; v < mesh->vertices; v++) {
        entry *const bucket = t->entries + t->offsets[v];
        const int64_t count = t->offsets[v + 1] - t->offsets[v];
        sort_bucket(bucket, count);
        for (int64_t i = 0, end; i < count; i = end) {
            for (end = i + 1; end < count; end++) {
                if (bucket[end].middle != bucket[i].middle ||
                    bucket[end].greatest != bucket[i].greatest)
                    break;
            }
            SEDGE_TRY(connect_run(mesh, t, bucket + i, end - i, &open, &first_open));
        }
    }
    return open > 0 ? fail_open(mesh, open, first_open) : SEDGE_OK;
}

sedge_status sedge_global_connect(sedge_global *mesh)
{
    table t = {.first_tagged = 4u * (uint32_t)mesh->elements};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->faces, mesh->elements, sizeof *mesh->faces));
    SEDGE_TRY_GOTO(status, fill_table(&t, mesh));
    status = connect_table(mesh, &t);
done:
    sedge_release(t.offsets);
    sedge_release(t.entries);
    return status;
}
