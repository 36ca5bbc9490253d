// Parts of the mesh: elements that are connected.
#include "global.h"

#include "base/memory.h"

#include <float.h>
#include <string.h>

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

static int32_t find_root(int32_t *parent, int32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

// The vertices of an element, and those of its periodic neighbours, have one root, the least of
// them.
static void join(int32_t *parent, int32_t v, int32_t w)
{
    const int32_t a = find_root(parent, v);
    const int32_t b = find_root(parent, w);

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
        const int32_t root = find_root(parent, mesh->cells[e][0]);
        if (number[root] == 0) number[root] = ++shape->parts;
    }
    for (int32_t e = 0; e < mesh->elements && shape->parts > 1; e++) {
        const int32_t part = number[find_root(parent, mesh->cells[e][0])] - 1;
        if (part < SEDGE_PARTS) add_element(&shape->part[part], mesh, e);
    }
done:
    sedge_release(parent);
    sedge_release(number);
    return status;
}
