#include "extrude.h"

#include "layers.h"
#include "radial.h"
#include "regroup.h"

#include "base/memory.h"
#include "base/near.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LAYERS = 8 };

// A layer is at least 1 / this part and at most this multiple of the mean edge on the sides.
static const double flattest = 100.0;

int sedge_mesh_default_layers(int order)
{
    return order < 3 ? 2 : 1;
}

// ---- the faces of the mesh ---------------------------------------------------------------------

// The three vertices of an element's face.
static void list_vertices(const sedge_global *mesh, int32_t e, int f, int32_t vertex[3])
{
    for (int i = 0; i < 3; i++) vertex[i] = mesh->cells[e][sedge_face_vertices[f][i]];
}

// A face of a named surface that has an element on either side. If that is a periodic neighbour,
// the face is on the outside, and its vertices are one with the neighbour's. (Both sides of a
// periodic face are first ones.)
static sedge_status take_side(sedge_layer_build *build, const sedge_global_side *side)
{
    const int *const to = sedge_face_permutations[side->orientation];
    sedge_layer_face face = {{0, 0, 0}, -1, side->group};
    int32_t others[3];

    if (side->second) return SEDGE_OK; // the first is in the list
    list_vertices(build->mesh, side->element, side->face, face.vertex);
    list_vertices(build->mesh, side->other, side->other_face, others);
    for (int i = 0; i < 3; i++) {
        if (others[to[i]] == face.vertex[i]) continue;
        const int32_t a = sedge_find_root(build->least, face.vertex[i]);
        const int32_t b = sedge_find_root(build->least, others[to[i]]);
        build->least[a < b ? b : a] = a < b ? a : b;
        face.element = side->element;
    }
    return sedge_layers_add_face(build, face);
}

// All outer faces and all named ones inside.
static sedge_status take_faces(sedge_layer_build *build)
{
    sedge_global *const mesh = build->mesh;
    int64_t at = 0;

    SEDGE_TRY(sedge_allocate(&build->least, mesh->vertices, sizeof *build->least));
    for (int32_t v = 0; v < mesh->vertices; v++) build->least[v] = v;
    sedge_global_sort_sides(mesh);
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            if (at < mesh->sides && mesh->side[at].element == e && mesh->side[at].face == f) {
                SEDGE_TRY(take_side(build, &mesh->side[at++]));
                continue;
            }
            if (mesh->faces[e][f].neighbour >= 0) continue;
            sedge_layer_face face = {{0, 0, 0}, e, -1 - mesh->faces[e][f].neighbour};
            list_vertices(mesh, e, f, face.vertex);
            SEDGE_TRY(sedge_layers_add_face(build, face));
        }
    }
    for (int32_t v = 0; v < mesh->vertices; v++) build->least[v] = sedge_find_root(build->least, v);
    return SEDGE_OK;
}

// ---- the request -------------------------------------------------------------------------------

static sedge_status fail_unknown(const sedge_global *mesh, const char *name)
{
    const int count = mesh->groups.surfaces;
    const char **names = NULL;
    char list[1024] = "";

    SEDGE_TRY(sedge_allocate(&names, count, sizeof *names));
    for (int g = 0; g < count; g++) names[g] = mesh->groups.surface_names[g];
    const int nearest = sedge_near_find(name, names, count);
    if (nearest >= 0) (void)snprintf(list, sizeof list, "did you mean '%s'?", names[nearest]);
    for (int g = 0; nearest < 0 && g < count; g++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", g > 0 ? ", " : "known: ", names[g]);
    }
    sedge_release(names);
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: boundaries.%s has layers, and the mesh has no surface group '%s'; %s",
                      mesh->name, name, name, list);
}

static bool is_periodic(const sedge_global *mesh, int group)
{
    for (int64_t i = 0; i < mesh->sides; i++) {
        const sedge_global_side *const side = &mesh->side[i];
        if (side->group == group && mesh->groups.surface_faces[group] == 0 &&
            mesh->faces[side->element][side->face].neighbour >= 0) {
            int32_t own[3], other[3];
            list_vertices(mesh, side->element, side->face, own);
            list_vertices(mesh, side->other, side->other_face, other);
            return own[0] != other[sedge_face_permutations[side->orientation][0]];
        }
    }
    return false;
}

static sedge_status find_requested(sedge_layer_build *build, const sedge_mesh_extrusion *request)
{
    const sedge_global *const mesh = build->mesh;
    const sedge_mesh_groups *const groups = &mesh->groups;

    SEDGE_TRY(sedge_allocate(&build->is_requested, groups->surfaces, sizeof(bool)));
    for (int i = 0; i < request->surfaces; i++) {
        const char *const name = request->surface[i];
        int g = 0;
        while (g < groups->surfaces && strcmp(groups->surface_names[g], name) != 0) g++;
        if (g == groups->surfaces) return fail_unknown(mesh, name);
        if (is_periodic(mesh, g)) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s: the surface group '%s' is periodic, so nothing lies outside of "
                              "it; ask for layers on other surfaces",
                              mesh->name, name);
        }
        if (groups->surface_faces[g] == 2 * groups->surface_two_sided_faces[g]) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s: the surface group '%s' has no face on the outside of the mesh; "
                              "layers are added to outer surfaces",
                              mesh->name, name);
        }
        build->is_requested[g] = true;
    }
    return SEDGE_OK;
}

static void find_centre(const sedge_global *mesh, const sedge_layer_face *face, double x[3])
{
    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int k = 0; k < 3; k++) x[d] += mesh->points[face->vertex[k]][d] / 3.0;
    }
}

// The side of the box that a face is nearest to, 2 axis + end, and the distance of its farthest
// vertex from that side.
static int find_side(const sedge_layer_build *build, const sedge_layer_face *face, double *distance)
{
    int nearest = 0;

    *distance = DBL_MAX;
    for (int s = 0; s < 6; s++) {
        double off = 0.0;
        for (int k = 0; k < 3; k++) {
            const double *const x = build->mesh->points[face->vertex[k]];
            off = fmax(off, fabs(x[s / 2] - build->box[s % 2][s / 2]));
        }
        if (off >= *distance) continue;
        *distance = off;
        nearest = s;
    }
    return nearest;
}

// Whether an edge of a face is bent.
static bool is_bent(const sedge_global *mesh, const sedge_layer_face *face)
{
    if (mesh->middles == NULL || !mesh->curved[face->element]) return false;
    const int32_t *const cell = mesh->cells[face->element];
    for (int k = 0; k < SEDGE_EDGES; k++) {
        const int32_t a = cell[sedge_edge_vertices[k][0]];
        const int32_t b = cell[sedge_edge_vertices[k][1]];
        int ends = 0;
        for (int i = 0; i < 3; i++) ends += face->vertex[i] == a || face->vertex[i] == b;
        for (int d = 0; d < 3 && ends == 2; d++) { // sedge_global_bend made straight edges exact
            const double centre = 0.5 * (mesh->points[a][d] + mesh->points[b][d]);
            if (mesh->middles[face->element][k][d] != centre) return true;
        }
    }
    return false;
}

// Do all faces of the requested groups lie on sides of the box?
static bool is_box(const sedge_layer_build *build)
{
    for (int64_t i = 0; i < build->faces; i++) {
        const sedge_layer_face *const face = &build->face[i];
        double distance;
        if (face->element < 0 || !build->is_requested[face->group]) continue;
        (void)find_side(build, face, &distance);
        if (distance > build->tolerance) return false;
    }
    return true;
}

// Faces of the requested groups have straight edges. `on` gets a face of each side of the box that
// they lie on, NULL for the others; `edge` the mean length of these faces' edges.
static sedge_status check_sides(const sedge_layer_build *build, const sedge_layer_face *on[6],
                                double *edge)
{
    const sedge_global *const mesh = build->mesh;
    double sum = 0.0;
    int64_t count = 0;

    for (int64_t i = 0; i < build->faces; i++) {
        const sedge_layer_face *const face = &build->face[i];
        double distance, x[3];
        if (face->element < 0 || !build->is_requested[face->group]) continue;
        if (is_bent(mesh, face)) {
            find_centre(mesh, face, x);
            return SEDGE_FAIL(SEDGE_ERR_DATA,
                              "%s: the face of the surface group '%s' with centre (%.6g, %.6g, "
                              "%.6g) has a curved edge; layers are straight, so the edges on the "
                              "sides of the box must be, too: end curved surfaces inside the box, "
                              "or save the mesh with elements of first order",
                              mesh->name, mesh->groups.surface_names[face->group], x[0], x[1],
                              x[2]);
        }
        on[find_side(build, face, &distance)] = face;
        for (int k = 0; k < 3; k++, count++) {
            const double *const a = mesh->points[face->vertex[k]];
            const double *const b = mesh->points[face->vertex[(k + 1) % 3]];
            sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                        (a[2] - b[2]) * (a[2] - b[2]));
        }
    }
    *edge = sum / (double)count;
    return SEDGE_OK;
}

// No other outer face lies on one of these sides.
static sedge_status check_others(const sedge_layer_build *build, const sedge_layer_face *on[6])
{
    const sedge_global *const mesh = build->mesh;

    for (int64_t i = 0; i < build->faces; i++) {
        const sedge_layer_face *const face = &build->face[i];
        if (face->element < 0 || build->is_requested[face->group]) continue;
        for (int s = 0; s < 6; s++) {
            double x[3];
            bool lies = on[s] != NULL;
            for (int k = 0; k < 3 && lies; k++)
                lies = sedge_layers_lies(build, face->vertex[k], s / 2, s % 2);
            if (!lies) continue;
            find_centre(mesh, face, x);
            return SEDGE_FAIL(
                SEDGE_ERR_USAGE,
                "%s: the surface group '%s' covers only a part of the side %c = %.6g of the box: "
                "the face there with centre (%.6g, %.6g, %.6g) is of the group '%s'; ask for "
                "layers on both groups or on neither",
                mesh->name, mesh->groups.surface_names[on[s]->group], "xyz"[s / 2],
                build -> box[s % 2][s / 2], x[0], x[1], x[2],
                mesh -> groups.surface_names[face->group]);
        }
    }
    return SEDGE_OK;
}

// ---- the start ---------------------------------------------------------------------------------

static sedge_status choose_thickness(sedge_layer_build *build, double requested, double edge)
{
    const double least = edge * build->layers / flattest;
    const double most = edge * build->layers * flattest;

    build->thickness = requested != 0.0 ? requested : edge * build->layers;
    if (build->thickness >= least && build->thickness <= most) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: the thickness %.6g of %d layer%s is outside %.6g..%.6g; the edges of "
                      "the mesh on these sides have the mean length %.6g, and %.6g is the default",
                      build->mesh->name, requested, build->layers, build->layers > 1 ? "s" : "",
                      least, most, edge, edge * build->layers);
}

static sedge_status start(sedge_layer_build *build, const sedge_mesh_extrusion *request)
{
    const sedge_layer_face *on[6] = {NULL};
    double edge;

    if (request->layers < 1 || request->layers > MOST_LAYERS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: %d layers are outside 1..%d; two are enough at order 1 and 2, one "
                          "from order 3 on",
                          build->mesh->name, request->layers, MOST_LAYERS);
    }
    SEDGE_TRY(find_requested(build, request));
    SEDGE_TRY(take_faces(build));
    build->tolerance = sedge_global_find_box(build->box, build->mesh, NULL);
    if (is_box(build)) {
        SEDGE_TRY(check_sides(build, on, &edge));
        SEDGE_TRY(check_others(build, on));
    } else {
        SEDGE_TRY(sedge_layers_find_centre(build, &edge));
        (void)sedge_global_find_box(build->box, build->mesh, NULL); // without bent edges
    }
    SEDGE_TRY(choose_thickness(build, request->thickness, edge));
    return sedge_allocate(&build->axes, build->mesh->elements, sizeof *build->axes);
}

// ---- the end -----------------------------------------------------------------------------------

// Forget which faces were found.
static void disconnect(sedge_global *mesh)
{
    sedge_release(mesh->tagged_faces);
    sedge_release(mesh->tagged_group);
    sedge_release(mesh->faces);
    sedge_release(mesh->side);
    sedge_release(mesh->period);
    mesh->tagged_faces = NULL;
    mesh->tagged_group = NULL;
    mesh->faces = NULL;
    mesh->side = NULL;
    mesh->sides = 0;
    mesh->period = NULL;
    mesh->periods = 0;
}

// The listed faces become the triangles of surface groups that connecting starts from.
static sedge_status finish(sedge_layer_build *build)
{
    sedge_global *const mesh = build->mesh;

    SEDGE_TRY(sedge_global_group_layers(mesh, build->axes));
    disconnect(mesh);
    mesh->tagged = (int32_t)build->faces;
    SEDGE_TRY(sedge_allocate(&mesh->tagged_faces, build->faces, sizeof *mesh->tagged_faces));
    SEDGE_TRY(sedge_allocate(&mesh->tagged_group, build->faces, sizeof *mesh->tagged_group));
    for (int64_t i = 0; i < build->faces; i++) {
        memcpy(mesh->tagged_faces[i], build->face[i].vertex, sizeof *mesh->tagged_faces);
        mesh->tagged_group[i] = build->face[i].group;
    }
    mesh->extruded.layers = build->layers;
    mesh->extruded.thickness = build->thickness;
    memcpy(mesh->extruded.inner, build->box, sizeof build->box);
    memcpy(mesh->extruded.centre, build->centre, sizeof build->centre);
    mesh->extruded.radius = build->radius;
    mesh->extruded.sphere = build->is_sphere;
    mesh->extruded.steepest = build->steepest;
    return SEDGE_OK;
}

sedge_status sedge_global_extrude(sedge_global *mesh, const sedge_mesh_options *options)
{
    sedge_layer_build build = {.mesh = mesh, .layers = options->extrude.layers};
    sedge_status status;

    SEDGE_TRY_GOTO(status, start(&build, &options->extrude));
    for (int s = 0; s < 6 && !(build.radius > 0.0); s++)
        SEDGE_TRY_GOTO(status, sedge_layers_extrude_side(&build, s / 2, s % 2));
    if (build.radius > 0.0) SEDGE_TRY_GOTO(status, sedge_layers_extrude_radially(&build));
    status = finish(&build);
done:
    sedge_release(build.is_requested);
    sedge_release(build.face);
    sedge_release(build.least);
    sedge_release(build.axes);
    sedge_release(build.depth);
    return status;
}
