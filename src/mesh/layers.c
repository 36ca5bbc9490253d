#include "layers.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TETS = 3 }; // of a prism

enum { RADIAL = 3 }; // in place of an axis: 1 << RADIAL is SEDGE_LAYER_RADIAL

// The extrusion of one side of the box, or of the sphere.
typedef struct side {
    sedge_layer_build *build;
    int axis, end;
    char name[48]; // for messages
    int64_t bases;
    sedge_layer_face *base; // [bases] the triangles on the side, vertices in their order
    int64_t points;         // vertices of these triangles
    int32_t *index;         // [vertices] among these, by ascending number; -1: not on the side
    int32_t vertices;       // of the mesh before
    int32_t elements;
} side;

// Copy an array into a larger one; NULL stays NULL.
static sedge_status widen(void *array, int64_t count, int64_t room, size_t size)
{
    void *old, *wide = NULL;

    memcpy(&old, array, sizeof old);
    if (old == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&wide, room, size));
    memcpy(wide, old, (size_t)count * size);
    sedge_release(old);
    memcpy(array, &wide, sizeof wide);
    return SEDGE_OK;
}

sedge_status sedge_layers_add_face(sedge_layer_build *build, sedge_layer_face face)
{
    if (build->faces == build->room) {
        const int64_t room = 2 * build->room + 64;
        if (build->face == NULL) {
            SEDGE_TRY(sedge_allocate(&build->face, room, sizeof *build->face));
        } else {
            SEDGE_TRY(widen(&build->face, build->faces, room, sizeof *build->face));
        }
        build->room = room;
    }
    build->face[build->faces++] = face;
    return SEDGE_OK;
}

bool sedge_layers_lies(const sedge_layer_build *build, int32_t vertex, int axis, int end)
{
    return fabs(build->mesh->points[vertex][axis] - build->box[end][axis]) <= build->tolerance;
}

// ---- the triangles on the side -----------------------------------------------------------------

// The same order for both vertices of a periodic pair, so that periodic sides get equal diagonals.
static bool comes_before(const sedge_layer_build *build, int32_t v, int32_t w)
{
    const int32_t a = build->least[v];
    const int32_t b = build->least[w];

    return a != b ? a < b : v < w;
}

static void order_vertices(const sedge_layer_build *build, int32_t v[3])
{
    for (int i = 1; i < 3; i++) {
        for (int j = i; j > 0 && comes_before(build, v[j], v[j - 1]); j--) {
            const int32_t swap = v[j];
            v[j] = v[j - 1];
            v[j - 1] = swap;
        }
    }
}

// Take the triangles on the side out of the list of faces: they come to lie inside the mesh.
static sedge_status take_bases(side *s)
{
    sedge_layer_build *const build = s->build;
    int64_t kept = 0;

    SEDGE_TRY(sedge_allocate(&s->base, build->faces, sizeof *s->base));
    for (int64_t i = 0; i < build->faces; i++) {
        sedge_layer_face face = build->face[i];
        bool lies = face.element >= 0 && build->is_requested[face.group];
        for (int k = 0; k < 3 && lies && s->axis != RADIAL; k++)
            lies = sedge_layers_lies(build, face.vertex[k], s->axis, s->end);
        if (!lies) {
            build->face[kept++] = face;
            continue;
        }
        order_vertices(build, face.vertex);
        s->base[s->bases++] = face;
    }
    build->faces = kept;
    return SEDGE_OK;
}

static sedge_status list_points(side *s)
{
    SEDGE_TRY(sedge_allocate(&s->index, s->vertices, sizeof *s->index));
    for (int64_t i = 0; i < s->bases; i++)
        for (int k = 0; k < 3; k++) s->index[s->base[i].vertex[k]] = 1;
    for (int32_t v = 0; v < s->vertices; v++)
        s->index[v] = s->index[v] == 1 ? (int32_t)s->points++ : -1;
    return SEDGE_OK;
}

// ---- prisms ------------------------------------------------------------------------------------

// The copy of vertex v of the side at the outer end of `layer` layers.
static int32_t copy_of(const side *s, int32_t v, int layer)
{
    if (layer == 0) return v;
    return (int32_t)(s->vertices + (layer - 1) * s->points + s->index[v]);
}

// Tetrahedron `tet` of the prism in layer `layer` over base i.
static int32_t element_of(const side *s, int64_t i, int layer, int tet)
{
    return (int32_t)(s->elements + (i * s->build->layers + layer) * TETS + tet);
}

static sedge_status make_room(side *s)
{
    sedge_global *const mesh = s->build->mesh;
    const int64_t elements = s->elements + (int64_t)TETS * s->build->layers * s->bases;
    const int64_t vertices = s->vertices + s->build->layers * s->points;

    if (elements > SEDGE_GLOBAL_LIMIT || vertices > INT32_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: with %d layers the mesh has more than %lld tetrahedra, the limit; "
                          "ask for fewer layers",
                          mesh->name, s->build->layers, (long long)SEDGE_GLOBAL_LIMIT);
    }
    SEDGE_TRY(widen(&mesh->points, s->vertices, vertices, sizeof *mesh->points));
    SEDGE_TRY(widen(&s->build->least, s->vertices, vertices, sizeof *s->build->least));
    SEDGE_TRY(widen(&mesh->cells, s->elements, elements, sizeof *mesh->cells));
    SEDGE_TRY(widen(&mesh->group, s->elements, elements, sizeof *mesh->group));
    SEDGE_TRY(widen(&mesh->grade, s->elements, elements, sizeof *mesh->grade));
    SEDGE_TRY(widen(&mesh->middles, s->elements, elements, sizeof *mesh->middles));
    SEDGE_TRY(widen(&mesh->curved, s->elements, elements, sizeof *mesh->curved));
    SEDGE_TRY(widen(&mesh->numbers, s->elements, elements, sizeof *mesh->numbers));
    SEDGE_TRY(widen(&mesh->volumes, s->elements, elements, sizeof *mesh->volumes));
    SEDGE_TRY(widen(&s->build->axes, s->elements, elements, sizeof *s->build->axes));
    if (s->axis == RADIAL) SEDGE_TRY(sedge_allocate(&mesh->planes, elements, sizeof *mesh->planes));
    mesh->vertices = vertices;
    mesh->elements = (int32_t)elements;
    return SEDGE_OK;
}

// The vertex v, and behind it by `depth`.
static void find_copy(const side *s, const double v[3], double depth, double out[3])
{
    const sedge_layer_build *const build = s->build;
    double r[3];

    memcpy(out, v, 3 * sizeof *out);
    if (s->axis != RADIAL) {
        out[s->axis] = build->box[s->end][s->axis] + (s->end == 0 ? -depth : depth);
        return;
    }
    for (int d = 0; d < 3; d++) r[d] = v[d] - build->centre[d];
    const double distance = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    for (int d = 0; d < 3; d++) out[d] += depth * r[d] / distance;
}

// Copies need no pairs: on a side that is extruded later, a periodic side has one copy of each
// layer at most, so that only copies of different layers meet there, and these are numbered in one
// order.
static void make_points(const side *s)
{
    sedge_layer_build *const build = s->build;
    double(*const points)[3] = build->mesh->points;

    for (int32_t v = 0; v < s->vertices; v++) {
        if (s->index[v] < 0) continue;
        for (int layer = 1; layer <= build->layers; layer++) {
            const int32_t copy = copy_of(s, v, layer);
            const double depth = build->thickness * layer / build->layers;
            find_copy(s, points[v], s->axis == RADIAL ? depth * build->depth[v] : depth,
                      points[copy]);
            build->least[copy] = copy;
        }
    }
}

// The plane a.y = 1 of a triangle, y from the centre.
static void find_plane(const side *s, const int32_t vertex[3], double a[3])
{
    double y[3][3];

    for (int k = 0; k < 3; k++) {
        for (int d = 0; d < 3; d++)
            y[k][d] = s->build->mesh->points[vertex[k]][d] - s->build->centre[d];
    }
    for (int d = 0; d < 3; d++) {
        const int i = (d + 1) % 3, j = (d + 2) % 3;
        a[d] =
            (y[1][i] - y[0][i]) * (y[2][j] - y[0][j]) - (y[1][j] - y[0][j]) * (y[2][i] - y[0][i]);
    }
    const double level = a[0] * y[0][0] + a[1] * y[0][1] + a[2] * y[0][2];
    for (int d = 0; d < 3; d++) a[d] /= level;
}

// A straight element of positive volume, and what it has from the element that it continues.
static void set_element(const side *s, int32_t e, const int32_t vertex[4],
                        const sedge_layer_face *base)
{
    const int32_t owner = base->element;
    sedge_global *const mesh = s->build->mesh;
    int32_t *const cell = mesh->cells[e];
    double corners[4][3];

    memcpy(cell, vertex, 4 * sizeof *cell);
    for (int v = 0; v < 4; v++) memcpy(corners[v], mesh->points[cell[v]], sizeof corners[v]);
    if (sedge_tet_volume(corners) < 0.0) {
        cell[0] = vertex[1];
        cell[1] = vertex[0];
    }
    mesh->group[e] = mesh->group[owner];
    if (mesh->grade != NULL) mesh->grade[e] = mesh->grade[owner];
    s->build->axes[e] = (uint8_t)(s->build->axes[owner] | 1 << s->axis); // RADIAL, too
    if (mesh->volumes != NULL) mesh->volumes[e] = mesh->volumes[owner];
    if (s->axis == RADIAL) find_plane(s, base->vertex, mesh->planes[e]);
    for (int k = 0; k < SEDGE_EDGES && mesh->middles != NULL; k++) {
        const double *const a = mesh->points[cell[sedge_edge_vertices[k][0]]];
        const double *const b = mesh->points[cell[sedge_edge_vertices[k][1]]];
        for (int d = 0; d < 3; d++) mesh->middles[e][k][d] = 0.5 * (a[d] + b[d]);
    }
}

// The columns, and the outer faces at their ends.
static sedge_status make_columns(const side *s)
{
    const int layers = s->build->layers;

    for (int64_t i = 0; i < s->bases; i++) {
        const sedge_layer_face *const base = &s->base[i];
        int32_t b[3], t[3];
        memcpy(t, base->vertex, sizeof t);
        for (int layer = 0; layer < layers; layer++) {
            memcpy(b, t, sizeof b);
            for (int k = 0; k < 3; k++) t[k] = copy_of(s, base->vertex[k], layer + 1);
            const int32_t tets[TETS][4] = {
                {b[0], b[1], b[2], t[2]}, {b[0], b[1], t[1], t[2]}, {b[0], t[0], t[1], t[2]}};
            for (int k = 0; k < TETS; k++)
                set_element(s, element_of(s, i, layer, k), tets[k], base);
        }
        SEDGE_TRY(sedge_layers_add_face(s->build,
                                        (sedge_layer_face){{t[0], t[1], t[2]},
                                                           element_of(s, i, layers - 1, TETS - 1),
                                                           base->group}));
    }
    return SEDGE_OK;
}

// ---- rims --------------------------------------------------------------------------------------

// An edge of a triangle on the side, or of another face that touches the side.
typedef struct edge {
    int32_t low, high; // vertices by number
    int64_t face;      // base; or `bases` + place in the list of faces
} edge;

static int compare_edges(const void *left, const void *right)
{
    const edge *const a = left, *const b = right;

    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

static int64_t add_edges(const side *s, edge *list, int64_t count, const int32_t vertex[3],
                         int64_t face)
{
    for (int k = 0; k < 3; k++) {
        const int32_t v = vertex[k];
        const int32_t w = vertex[(k + 1) % 3];
        if (v >= s->vertices || w >= s->vertices || s->index[v] < 0 || s->index[w] < 0) continue;
        list[count++] = (edge){v < w ? v : w, v < w ? w : v, face};
    }
    return count;
}

// The faces over one edge of a base, in each layer: outer ones, or inner ones.
static sedge_status add_rim(const side *s, const edge *at, bool inside, int32_t group)
{
    const int32_t *const v = s->base[at->face].vertex;
    int opposite = 0;

    while (v[opposite] == at->low || v[opposite] == at->high) opposite++;
    const int32_t first = v[opposite == 0 ? 1 : 0];
    const int32_t second = v[opposite == 2 ? 1 : 2];
    for (int layer = 0; layer < s->build->layers; layer++) {
        const int32_t b[2] = {copy_of(s, first, layer), copy_of(s, second, layer)};
        const int32_t t[2] = {copy_of(s, first, layer + 1), copy_of(s, second, layer + 1)};
        for (int k = 0; k < 2; k++) {
            const sedge_layer_face face = {{b[0], k == 0 ? b[1] : t[0], t[1]},
                                           inside ? -1 : element_of(s, at->face, layer, 0),
                                           group};
            SEDGE_TRY(sedge_layers_add_face(s->build, face));
        }
    }
    return SEDGE_OK;
}

static const sedge_layer_face *face_of(const side *s, const edge *at)
{
    return &s->build->face[at->face - s->bases];
}

static sedge_status fail_at_rim(const side *s, const edge *at, int32_t one, int32_t other)
{
    const sedge_global *const mesh = s->build->mesh;
    const double *const a = mesh->points[at->low];
    const double *const b = mesh->points[at->high];

    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "%s: at (%.6g, %.6g, %.6g) walls of the surface groups '%s' and '%s' reach "
                      "the same edge of %s, so it is not known which of them the "
                      "layers continue; put these walls into one group, or move them apart",
                      mesh->name, 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]),
                      mesh->groups.surface_names[one], mesh->groups.surface_names[other], s->name);
}

// The layers end at this edge: they continue the wall that reaches the side there.
static sedge_status continue_wall(const side *s, const edge *run, int64_t count)
{
    int32_t group = -1;

    for (int64_t i = 1; i < count; i++) {
        const sedge_layer_face *const face = face_of(s, &run[i]);
        if (face->element < 0) continue;
        if (group >= 0 && face->group != group) return fail_at_rim(s, run, group, face->group);
        group = face->group;
    }
    if (group < 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: the outer surface is open at an edge of %s; is the mesh conforming?",
                          s->build->mesh->name, s->name);
    }
    return add_rim(s, run, false, group);
}

// How many inner faces of the group have this edge.
static int count_inner(const side *s, const edge *run, int64_t count, int32_t group)
{
    int found = 0;

    for (int64_t i = 0; i < count; i++) {
        if (run[i].face < s->bases) continue;
        const sedge_layer_face *const face = face_of(s, &run[i]);
        found += face->element < 0 && face->group == group;
    }
    return found;
}

// The layers lie on both sides of this edge. A surface inside the mesh that ends here has one face
// at the edge; one that only touches the side has two. Where several surfaces end, none continues.
static sedge_status continue_inner(const side *s, const edge *run, int64_t count)
{
    int32_t group = -1;

    for (int64_t i = 0; i < count; i++) {
        if (run[i].face < s->bases) continue;
        const sedge_layer_face *const face = face_of(s, &run[i]);
        if (face->element >= 0 || face->group == group) continue;
        if (count_inner(s, run, count, face->group) % 2 == 0) continue;
        if (group >= 0) return SEDGE_OK;
        group = face->group;
    }
    return group >= 0 ? add_rim(s, run, true, group) : SEDGE_OK;
}

static sedge_status make_rims(const side *s)
{
    const int64_t others = s->build->faces;
    edge *list = NULL;
    int64_t count = 0;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(sedge_allocate(&list, 3 * (s->bases + others), sizeof *list));
    for (int64_t i = 0; i < s->bases; i++) count = add_edges(s, list, count, s->base[i].vertex, i);
    for (int64_t i = 0; i < others; i++)
        count = add_edges(s, list, count, s->build->face[i].vertex, s->bases + i);
    qsort(list, (size_t)count, sizeof *list, compare_edges);
    for (int64_t i = 0, end; i < count && status == SEDGE_OK; i = end) {
        int64_t bases = 0;
        for (end = i; end < count && list[end].low == list[i].low && list[end].high == list[i].high;
             end++)
            bases += list[end].face < s->bases;
        if (bases == 1) status = continue_wall(s, list + i, end - i);
        if (bases > 1) status = continue_inner(s, list + i, end - i);
    }
    sedge_release(list);
    return status;
}

static sedge_status extrude(side *s)
{
    sedge_status status;

    s->vertices = (int32_t)s->build->mesh->vertices;
    s->elements = s->build->mesh->elements;
    SEDGE_TRY_GOTO(status, take_bases(s));
    if (s->bases == 0) goto done;
    SEDGE_TRY_GOTO(status, list_points(s));
    SEDGE_TRY_GOTO(status, make_room(s));
    make_points(s);
    SEDGE_TRY_GOTO(status, make_columns(s));
    status = make_rims(s);
done:
    sedge_release(s->base);
    sedge_release(s->index);
    return status;
}

sedge_status sedge_layers_extrude_side(sedge_layer_build *build, int axis, int end)
{
    side s = {.build = build, .axis = axis, .end = end};

    (void)snprintf(s.name, sizeof s.name, "the side %c = %.6g", "xyz"[axis],
                   build -> box[end][axis]);
    return extrude(&s);
}

sedge_status sedge_layers_extrude_radially(sedge_layer_build *build)
{
    side s = {.build = build, .axis = RADIAL, .name = "the surface with layers"};

    return extrude(&s);
}
