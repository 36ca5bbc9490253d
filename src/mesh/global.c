#include "global.h"

#include "base/memory.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sedge_global_start(sedge_global *mesh, const char *name)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->name = name;
}

void sedge_global_release(sedge_global *mesh)
{
    sedge_release(mesh->points);
    sedge_release(mesh->cells);
    sedge_release(mesh->group);
    sedge_release(mesh->middles);
    sedge_release(mesh->planes);
    sedge_release(mesh->curved);
    sedge_release(mesh->grade);
    sedge_release(mesh->grades);
    sedge_release(mesh->numbers);
    sedge_release(mesh->volumes);
    sedge_release(mesh->tagged_faces);
    sedge_release(mesh->tagged_group);
    sedge_release(mesh->faces);
    sedge_release(mesh->period);
    sedge_release(mesh->side);
    sedge_release(mesh->enclosed);
    sedge_release(mesh->enclosed_beside);
    sedge_release(mesh->inside);
    sedge_groups_release(&mesh->groups);
    memset(mesh, 0, sizeof *mesh);
}

void sedge_global_describe(const sedge_global *mesh, int32_t element, char text[SEDGE_PLACE_TEXT])
{
    double x[3] = {0.0, 0.0, 0.0};
    char number[48] = "";
    const int group = mesh->group != NULL ? mesh->group[element] : -1;

    for (int v = 0; v < 4; v++)
        for (int d = 0; d < 3; d++) x[d] += 0.25 * mesh->points[mesh->cells[element][v]][d];
    if (mesh->numbers != NULL && mesh->numbers[element] != 0) {
        (void)snprintf(number, sizeof number, " (number %lld in Gmsh)",
                       (long long)mesh->numbers[element]);
    }
    (void)snprintf(text, SEDGE_PLACE_TEXT, "tetrahedron %d%s%s%s%s at (%.6g, %.6g, %.6g)", element,
                   number, group >= 0 ? " of group '" : "",
                   group >= 0 ? mesh->groups.volume_names[group] : "", group >= 0 ? "'" : "", x[0],
                   x[1], x[2]);
}

sedge_status sedge_global_fail_loose(const sedge_global *mesh, const double *const corners[3],
                                     int group)
{
    double x[3];

    for (int d = 0; d < 3; d++) x[d] = (corners[0][d] + corners[1][d] + corners[2][d]) / 3.0;
    return SEDGE_FAIL(
        SEDGE_ERR_DATA,
        "%s: the triangle with centre (%.6g, %.6g, %.6g) of surface group '%s' is not a face of "
        "any tetrahedron: the surface is not joined to the volumes. In Gmsh, with the OpenCASCADE "
        "kernel, write 'BooleanFragments{ Volume{:}; Delete; }{ Surface{:}; Delete; }' before the "
        "physical groups, which then need the new numbers; or take the surface out of the group",
        mesh->name, x[0], x[1], x[2], mesh->groups.surface_names[group]);
}

void sedge_global_face_centre(const sedge_global *mesh, int32_t element, int face, double x[3])
{
    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int i = 0; i < 3; i++)
            x[d] += mesh->points[mesh->cells[element][sedge_face_vertices[face][i]]][d] / 3.0;
    }
}

int sedge_orientation_find(const int32_t a[3], const int32_t b[3])
{
    for (int o = 0; o < 6; o++) {
        const int *const to = sedge_face_permutations[o];
        if (a[0] == b[to[0]] && a[1] == b[to[1]] && a[2] == b[to[2]]) return o;
    }
    return -1;
}

// ---- sides of named surfaces ------------------------------------------------------------------

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

int64_t sedge_global_first_side(const sedge_global *mesh, int32_t element)
{
    int64_t low = 0;
    int64_t high = mesh->sides;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (mesh->side[middle].element < element) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// ---- groups -----------------------------------------------------------------------------------

sedge_status sedge_groups_allocate(sedge_mesh_groups *groups, int volumes, int surfaces)
{
    const int64_t v = volumes + 1LL;
    const int64_t s = surfaces + 1LL;

    memset(groups, 0, sizeof *groups);
    SEDGE_TRY(sedge_allocate(&groups->volume_names, v, sizeof *groups->volume_names));
    SEDGE_TRY(sedge_allocate(&groups->surface_names, s, sizeof *groups->surface_names));
    SEDGE_TRY(sedge_allocate(&groups->volume_tags, v, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&groups->volume_owner, v, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&groups->volume_axes, v, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&groups->surface_tags, s, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&groups->volume_values, v, sizeof *groups->volume_values));
    SEDGE_TRY(sedge_allocate(&groups->volume_elements, v, sizeof(int64_t)));
    SEDGE_TRY(sedge_allocate(&groups->surface_faces, s, sizeof(int64_t)));
    SEDGE_TRY(sedge_allocate(&groups->surface_interior_faces, s, sizeof(int64_t)));
    SEDGE_TRY(sedge_allocate(&groups->surface_two_sided_faces, s, sizeof(int64_t)));
    groups->volumes = volumes;
    groups->surfaces = surfaces;
    for (int g = 0; g < v; g++) groups->volume_owner[g] = g;
    return SEDGE_OK;
}

sedge_status sedge_groups_copy(sedge_mesh_groups *out, const sedge_mesh_groups *from, int volumes,
                               int surfaces)
{
    const size_t v = (size_t)from->volumes;
    const size_t s = (size_t)from->surfaces;

    SEDGE_TRY(sedge_groups_allocate(out, from->volumes + volumes, from->surfaces + surfaces));
    memcpy(out->volume_names, from->volume_names, v * sizeof *out->volume_names);
    memcpy(out->volume_tags, from->volume_tags, v * sizeof *out->volume_tags);
    memcpy(out->volume_elements, from->volume_elements, v * sizeof *out->volume_elements);
    memcpy(out->surface_names, from->surface_names, s * sizeof *out->surface_names);
    memcpy(out->surface_tags, from->surface_tags, s * sizeof *out->surface_tags);
    out->groupless_elements = from->groupless_elements;
    out->groupless_faces = from->groupless_faces;
    memcpy(out->groupless_place, from->groupless_place, sizeof out->groupless_place);
    return SEDGE_OK;
}

bool sedge_mesh_same_group(const sedge_mesh_groups *groups, int v, int w)
{
    return v == w ||
           (v >= 0 && w >= 0 && strcmp(groups->volume_names[v], groups->volume_names[w]) == 0);
}

int sedge_mesh_group_parts(const sedge_mesh_groups *groups, int v)
{
    int end = v + 1;

    while (end < groups->volumes && sedge_mesh_same_group(groups, v, end)) end++;
    return end - v;
}

int sedge_groups_default(int *count, char (*names)[64])
{
    for (int g = 0; g < *count; g++)
        if (strcmp(names[g], SEDGE_DEFAULT_GROUP) == 0) return g;
    (void)snprintf(names[*count], sizeof names[*count], "%s", SEDGE_DEFAULT_GROUP);
    return (*count)++;
}

void sedge_groups_release(sedge_mesh_groups *groups)
{
    sedge_release(groups->volume_names);
    sedge_release(groups->surface_names);
    sedge_release(groups->volume_tags);
    sedge_release(groups->volume_owner);
    sedge_release(groups->volume_axes);
    sedge_release(groups->surface_tags);
    sedge_release(groups->volume_values);
    sedge_release(groups->volume_elements);
    sedge_release(groups->surface_faces);
    sedge_release(groups->surface_interior_faces);
    sedge_release(groups->surface_two_sided_faces);
    memset(groups, 0, sizeof *groups);
}

// ---- connected parts --------------------------------------------------------------------------

int32_t sedge_find_root(int32_t *parent, int32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

sedge_status sedge_global_part(int32_t *part, int32_t *parts, const sedge_global *mesh)
{
    int32_t *stack = NULL;

    *parts = 0;
    SEDGE_TRY(sedge_allocate(&stack, mesh->elements, sizeof *stack));
    for (int32_t e = 0; e < mesh->elements; e++) part[e] = -1;
    for (int32_t e = 0; e < mesh->elements; e++) {
        int32_t height = 0;
        if (part[e] >= 0) continue;
        part[e] = *parts;
        stack[height++] = e;
        while (height > 0) {
            const sedge_face *const faces = mesh->faces[stack[--height]];
            for (int f = 0; f < SEDGE_FACES; f++) {
                const int32_t n = faces[f].neighbour;
                if (n < 0 || part[n] >= 0) continue;
                part[n] = *parts;
                stack[height++] = n;
            }
        }
        ++*parts;
    }
    sedge_release(stack);
    return SEDGE_OK;
}

static void add_element(sedge_mesh_part *out, const sedge_global *mesh, int32_t e)
{
    int g = 0;

    out->elements++;
    while (g < out->groups && g < SEDGE_PART_GROUPS && out->group[g] != mesh->group[e]) g++;
    if (g == out->groups && g < SEDGE_PART_GROUPS) out->group[out->groups++] = mesh->group[e];
    if (g == SEDGE_PART_GROUPS) out->groups = SEDGE_PART_GROUPS + 1;
    for (int v = 0; v < 4; v++) {
        const double *const x = mesh->points[mesh->cells[e][v]];
        for (int d = 0; d < 3; d++) {
            if (x[d] < out->bounds[0][d]) out->bounds[0][d] = x[d];
            if (x[d] > out->bounds[1][d]) out->bounds[1][d] = x[d];
        }
    }
}

// The vertices of an element, and those of its periodic neighbours, have one root, the least of
// them.
static void join(int32_t *parent, int32_t v, int32_t w)
{
    const int32_t a = sedge_find_root(parent, v);
    const int32_t b = sedge_find_root(parent, w);

    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

static void join_elements(int32_t *parent, const sedge_global *mesh)
{
    for (int32_t v = 0; v < mesh->vertices; v++) parent[v] = v;
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int v = 1; v < 4; v++) join(parent, mesh->cells[e][0], mesh->cells[e][v]);
        for (int f = 0; f < SEDGE_FACES && mesh->periods > 0; f++) {
            const int32_t n = mesh->faces[e][f].neighbour;
            if (n >= 0) join(parent, mesh->cells[e][0], mesh->cells[n][0]);
        }
    }
}

sedge_status sedge_global_list_parts(sedge_global *mesh)
{
    sedge_mesh_shape *const shape = &mesh->shape;
    int32_t *parent = NULL;
    int32_t *number = NULL; // of the part that has this root, plus 1
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&parent, mesh->vertices, sizeof *parent));
    SEDGE_TRY_GOTO(status, sedge_allocate(&number, mesh->vertices, sizeof *number));
    join_elements(parent, mesh);
    for (int p = 0; p < SEDGE_PARTS; p++) {
        for (int d = 0; d < 3; d++) {
            shape->part[p].bounds[0][d] = DBL_MAX;
            shape->part[p].bounds[1][d] = -DBL_MAX;
        }
    }
    for (int32_t e = 0; e < mesh->elements; e++) {
        const int32_t root = sedge_find_root(parent, mesh->cells[e][0]);
        if (number[root] == 0) number[root] = ++shape->parts;
    }
    for (int32_t e = 0; e < mesh->elements && shape->parts > 1; e++) {
        const int32_t part = number[sedge_find_root(parent, mesh->cells[e][0])] - 1;
        if (part < SEDGE_PARTS) add_element(&shape->part[part], mesh, e);
    }
done:
    sedge_release(parent);
    sedge_release(number);
    return status;
}
