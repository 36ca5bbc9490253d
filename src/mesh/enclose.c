#include "enclose.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- shapes ------------------------------------------------------------------------------------

static int find_name(const char *name, char (*const names)[64], int count)
{
    for (int g = 0; g < count; g++)
        if (strcmp(names[g], name) == 0) return g;
    return -1;
}

// With which messages begin.
static const char *where_of(const sedge_global *mesh, const sedge_mesh_enclosure *request)
{
    return request->where != NULL ? request->where : mesh->name;
}

// The mesh, for a surface that find_closed tries behind those that are known.
static const char *place_of(const sedge_global *mesh, const sedge_mesh_enclosed *enclosed)
{
    const ptrdiff_t i = enclosed - mesh->enclosed;

    return i < mesh->enclosures ? where_of(mesh, &mesh->enclosures_asked[i]) : mesh->name;
}

static sedge_status check_enclosure(const sedge_global *mesh, const sedge_mesh_enclosure *request)
{
    const sedge_mesh_groups *const groups = &mesh->groups;

    if (request->shape == SEDGE_ENCLOSURE_NAMED) return SEDGE_OK;
    if (find_name(request->name, groups->surface_names, groups->surfaces) >= 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the mesh has a surface group '%s' already: a closed surface around "
                          "a shape needs a name of its own",
                          where_of(mesh, request), request->name);
    }
    for (int i = 0; i < request->volumes; i++) {
        if (find_name(request->volume[i], groups->volume_names, groups->volumes) >= 0) continue;
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "%s: the mesh has no volume group '%s', which the closed surface '%s' is to enclose",
            where_of(mesh, request), request->volume[i], request->name);
    }
    return SEDGE_OK;
}

sedge_status sedge_global_add_enclosures(sedge_global *mesh, const sedge_mesh_options *options)
{
    const int count = options->enclosures;
    sedge_mesh_groups groups;
    int more = 0;

    SEDGE_TRY(sedge_allocate(&mesh->enclosed, SEDGE_ENCLOSURES_MAX, sizeof *mesh->enclosed));
    if (count == 0) return SEDGE_OK;
    if (count > SEDGE_ENCLOSURES_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%d closed surfaces are more than %d", count,
                          SEDGE_ENCLOSURES_MAX);
    }
    for (int i = 0; i < count; i++) {
        SEDGE_TRY(check_enclosure(mesh, &options->enclosure[i]));
        more += options->enclosure[i].shape != SEDGE_ENCLOSURE_NAMED;
    }
    SEDGE_TRY(sedge_groups_copy(&groups, &mesh->groups, 0, more));
    more = mesh->groups.surfaces;
    sedge_groups_release(&mesh->groups);
    mesh->groups = groups;
    mesh->enclosures = count;
    mesh->enclosures_asked = options->enclosure;
    for (int i = 0; i < count; i++) {
        const sedge_mesh_enclosure *const request = &options->enclosure[i];
        mesh->enclosed[i].surface = find_name(request->name, groups.surface_names, more);
        if (request->shape == SEDGE_ENCLOSURE_NAMED) continue;
        mesh->enclosed[i].surface = more;
        (void)snprintf(groups.surface_names[more++], sizeof groups.surface_names[0], "%s",
                       request->name);
    }
    return SEDGE_OK;
}

static bool lies_in_shape(const sedge_global *mesh, const sedge_mesh_enclosure *request, int32_t e,
                          const bool *is_requested)
{
    double x[3] = {0.0, 0.0, 0.0};
    double square = 0.0;
    bool in_box = true;

    for (int v = 0; v < 4; v++)
        for (int d = 0; d < 3; d++) x[d] += 0.25 * mesh->points[mesh->cells[e][v]][d];
    for (int d = 0; d < 3; d++) {
        in_box &= x[d] > request->low[d] && x[d] < request->high[d];
        square += (x[d] - request->centre[d]) * (x[d] - request->centre[d]);
    }
    switch (request->shape) {
    case SEDGE_ENCLOSURE_NAMED:
        return false;
    case SEDGE_ENCLOSURE_GROUPS:
        return is_requested[mesh->group[e]];
    case SEDGE_ENCLOSURE_BOX:
    case SEDGE_ENCLOSURE_PLANE:
        return in_box;
    case SEDGE_ENCLOSURE_SPHERE:
        return square < request->radius * request->radius;
    }
    return false;
}

sedge_status sedge_global_mark_enclosures(sedge_global *mesh, const sedge_mesh_options *options)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    bool *is_requested = NULL; // [volume groups]
    sedge_status status;

    if (mesh->enclosures == 0) return SEDGE_OK;
    sedge_release(mesh->inside);
    mesh->inside = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->inside, mesh->elements, sizeof *mesh->inside));
    SEDGE_TRY_GOTO(status, sedge_allocate(&is_requested, groups->volumes, sizeof *is_requested));
    for (int i = 0; i < mesh->enclosures; i++) {
        const sedge_mesh_enclosure *const request = &options->enclosure[i];
        memset(is_requested, 0, (size_t)groups->volumes * sizeof *is_requested);
        for (int k = 0; k < request->volumes; k++) {
            const char *const name = request->volume[k];
            is_requested[find_name(name, groups->volume_names, groups->volumes)] = true;
        }
        for (int32_t e = 0; e < mesh->elements; e++) {
            if (request->shape != SEDGE_ENCLOSURE_PLANE && groups->volume_axes[mesh->group[e]] != 0)
                continue;
            if (lies_in_shape(mesh, request, e, is_requested)) mesh->inside[e] |= 1u << i;
        }
    }
done:
    sedge_release(is_requested);
    return status;
}

// ---- edges -------------------------------------------------------------------------------------

typedef struct rim_edge {
    int32_t low, high; // vertices
} rim_edge;

static int compare_edges(const void *left, const void *right)
{
    const rim_edge *const a = left, *const b = right;

    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

static rim_edge edge_of(const sedge_global *mesh, int32_t e, int f, int i)
{
    const int32_t v = mesh->cells[e][sedge_face_vertices[f][i]];
    const int32_t w = mesh->cells[e][sedge_face_vertices[f][(i + 1) % 3]];

    return (rim_edge){v < w ? v : w, v < w ? w : v};
}

// Is the edge one of an element in a layer?
static bool is_on_layer(const sedge_global *mesh, rim_edge rim)
{
    for (int32_t e = 0; e < mesh->elements; e++) {
        int found = 0;
        if (mesh->groups.volume_axes[mesh->group[e]] == 0) continue;
        for (int v = 0; v < 4; v++)
            found += mesh->cells[e][v] == rim.low || mesh->cells[e][v] == rim.high;
        if (found == 2) return true;
    }
    return false;
}

// Is the edge one of a face on the outside of the mesh?
static bool is_outside(const sedge_global *mesh, rim_edge rim)
{
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            for (int i = 0; i < 3 && mesh->faces[e][f].neighbour < 0; i++) {
                const rim_edge edge = edge_of(mesh, e, f, i);
                if (compare_edges(&edge, &rim) == 0) return true;
            }
        }
    }
    return false;
}

// An edge of the surface that has an odd number of its faces. If it is on an outer surface, the
// surface is one that the mesh file names.
static sedge_status fail_at_rim(const sedge_global *mesh, const sedge_mesh_enclosed *out,
                                rim_edge rim)
{
    const double *const a = mesh->points[rim.low];
    const double *const b = mesh->points[rim.high];

    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: the surface '%s' is not closed: it %s at (%.6g, %.6g, %.6g); it must "
                      "enclose elements without a gap%s%s",
                      place_of(mesh, out), mesh->groups.surface_names[out->surface],
                      is_on_layer(mesh, rim) ? "ends on an absorbing layer" : "has a rim",
                      0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]),
                      is_on_layer(mesh, rim) ? ", with an element between it and the layer" : "",
                      is_outside(mesh, rim)
                          ? "; where it ends on planes of symmetry or periodic sides, let the deck "
                            "make it in place of the mesh file: mesh.surfaces, with a box, a "
                            "sphere or the volume groups inside of it"
                          : "");
}

// The edges [count] of the surface, with faces on both sides in `list` [sides], that have an odd
// number of its faces: its rim, sorted.
static sedge_status find_rim(rim_edge **out, int64_t *count, const sedge_global *mesh,
                             sedge_global_side *const *list, int64_t sides)
{
    rim_edge *edges = NULL;
    int64_t found = 0;

    *count = 0;
    SEDGE_TRY(sedge_allocate(&edges, 3 * sides / 2, sizeof *edges));
    for (int64_t k = 0; k < sides; k++) {
        if (list[k]->second) continue;
        for (int i = 0; i < 3; i++)
            edges[found++] = edge_of(mesh, list[k]->element, list[k]->face, i);
    }
    qsort(edges, (size_t)found, sizeof *edges, compare_edges);
    for (int64_t i = 0, end; i < found; i = end) {
        end = i + 1;
        while (end < found && compare_edges(&edges[end], &edges[i]) == 0) end++;
        if ((end - i) % 2 != 0) edges[(*count)++] = edges[i];
    }
    *out = edges;
    return SEDGE_OK;
}

// ---- walls on which the surface ends -----------------------------------------------------------

typedef struct rim {
    rim_edge *edge; // [count] sorted
    bool *on_wall;  // [count]
    int64_t count;
} rim;

// Marks the edges of face f of element e that are in the rim, whose place is returned in x. False:
// there are none.
static bool touches_rim(rim *r, const sedge_global *mesh, int32_t e, int f, double x[3])
{
    bool found = false;

    for (int i = 0; i < 3; i++) {
        const rim_edge edge = edge_of(mesh, e, f, i);
        const rim_edge *const at =
            bsearch(&edge, r->edge, (size_t)r->count, sizeof edge, compare_edges);
        if (at == NULL) continue;
        found = r->on_wall[at - r->edge] = true;
        for (int d = 0; d < 3; d++)
            x[d] = 0.5 * (mesh->points[edge.low][d] + mesh->points[edge.high][d]);
    }
    return found;
}

static sedge_status add_wall(sedge_mesh_enclosed *out, const sedge_global *mesh, int surface,
                             bool periodic, const double x[3])
{
    for (int i = 0; i < out->walls; i++)
        if (out->wall[i].surface == surface) return SEDGE_OK;
    if (out->walls == SEDGE_ENCLOSED_WALLS) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE, "%s: the surface '%s' ends on more than %d outer surfaces of the mesh",
            place_of(mesh, out), mesh->groups.surface_names[out->surface], SEDGE_ENCLOSED_WALLS);
    }
    sedge_mesh_wall *const wall = &out->wall[out->walls++];
    *wall = (sedge_mesh_wall){.surface = surface, .periodic = periodic};
    for (int d = 0; d < 3; d++) {
        wall->normals[0][d] = DBL_MAX;
        wall->normals[1][d] = -DBL_MAX;
        wall->place[d] = x[d];
    }
    return SEDGE_OK;
}

// A pair of periodic faces, of which one is enclosed and the other is not.
static sedge_status fail_at_period(const sedge_global *mesh, const sedge_mesh_enclosed *out,
                                   const sedge_global_side *side)
{
    double x[3];

    sedge_global_face_centre(mesh, side->element, side->face, x);
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: the surface '%s' ends on the periodic surface '%s' at (%.6g, %.6g, "
                      "%.6g) and does not go on at its partner: it must enclose the same places on "
                      "both; if its shape does, draw a flat surface into the mesh where it ends, "
                      "since the elements beside the two sides differ",
                      place_of(mesh, out), mesh->groups.surface_names[out->surface],
                      mesh->groups.surface_names[side->group], x[0], x[1], x[2]);
}

static bool is_periodic(const sedge_global *mesh, const sedge_global_side *side)
{
    const int *const theirs = sedge_face_vertices[side->other_face];
    const int32_t first = mesh->cells[side->element][sedge_face_vertices[side->face][0]];

    for (int i = 0; i < 3; i++)
        if (mesh->cells[side->other][theirs[i]] == first) return false;
    return mesh->faces[side->element][side->face].neighbour >= 0;
}

static void extend_normals(sedge_mesh_wall *wall, const sedge_global *mesh, int32_t e, int f)
{
    const int *const v = sedge_face_vertices[f];
    const int32_t *const cell = mesh->cells[e];
    const double *const a = mesh->points[cell[v[0]]];
    const double *const b = mesh->points[cell[v[1]]];
    const double *const c = mesh->points[cell[v[2]]];
    const double *const behind = mesh->points[cell[6 - v[0] - v[1] - v[2]]];
    double n[3], square = 0.0, out = 0.0;

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        n[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
        square += n[i] * n[i];
        out += n[i] * (a[i] - behind[i]);
    }
    const double scale = (out > 0.0 ? 1.0 : -1.0) / sqrt(square);
    for (int d = 0; d < 3; d++) {
        wall->normals[0][d] = fmin(wall->normals[0][d], scale * n[d]);
        wall->normals[1][d] = fmax(wall->normals[1][d], scale * n[d]);
    }
}

// The surface with bit `bit` of `mesh->inside` ends on these walls.
static sedge_status find_walls(sedge_mesh_enclosed *out, rim *r, const sedge_global *mesh, int bit)
{
    double x[3];

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int group = -1 - mesh->faces[e][f].neighbour;
            if (group >= 0 && group != out->surface && touches_rim(r, mesh, e, f, x))
                SEDGE_TRY(add_wall(out, mesh, group, false, x));
        }
    }
    for (int64_t s = 0; s < mesh->sides; s++) {
        const sedge_global_side *const side = &mesh->side[s];
        if (!is_periodic(mesh, side)) continue;
        if (((mesh->inside[side->element] ^ mesh->inside[side->other]) >> bit & 1) != 0)
            return fail_at_period(mesh, out, side);
        if (touches_rim(r, mesh, side->element, side->face, x))
            SEDGE_TRY(add_wall(out, mesh, side->group, true, x));
    }
    for (int64_t i = 0; i < r->count; i++)
        if (!r->on_wall[i]) return fail_at_rim(mesh, out, r->edge[i]);
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int group = -1 - mesh->faces[e][f].neighbour;
            for (int i = 0; i < out->walls && group >= 0; i++) {
                if (out->wall[i].surface == group &&
                    ((mesh->inside[e] >> bit & 1) == 0 || touches_rim(r, mesh, e, f, x)))
                    extend_normals(&out->wall[i], mesh, e, f);
            }
        }
    }
    return SEDGE_OK;
}

// Each edge of the surface must be in an even number of its faces, or on a wall where the surface
// is that of a shape.
static sedge_status check_edges(sedge_mesh_enclosed *out, const sedge_global *mesh, bool is_named,
                                int bit, sedge_global_side *const *list, int64_t count)
{
    rim r = {NULL, NULL, 0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, find_rim(&r.edge, &r.count, mesh, list, count));
    if (r.count == 0) goto done;
    if (is_named) {
        status = fail_at_rim(mesh, out, r.edge[0]);
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&r.on_wall, r.count, sizeof *r.on_wall));
    SEDGE_TRY_GOTO(status, find_walls(out, &r, mesh, bit));
done:
    sedge_release(r.edge);
    sedge_release(r.on_wall);
    return status;
}

// ---- the inside of a named surface
// ---------------------------------------------------------------

// The mesh in pieces that the surface separates.
typedef struct pieces {
    int32_t (*next)[SEDGE_FACES]; // [elements] neighbours that the surface does not separate; -1
    signed char *side;            // [elements] of the surface: 0 or 1; -1: not visited
    int32_t *stack;
} pieces;

static void release_pieces(pieces *p)
{
    sedge_release(p->next);
    sedge_release(p->side);
    sedge_release(p->stack);
}

static sedge_status make_pieces(pieces *p, const sedge_global *mesh, int surface)
{
    SEDGE_TRY(sedge_allocate(&p->next, mesh->elements, sizeof *p->next));
    SEDGE_TRY(sedge_allocate(&p->side, mesh->elements, sizeof *p->side));
    SEDGE_TRY(sedge_allocate(&p->stack, mesh->elements, sizeof *p->stack));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) p->next[e][f] = mesh->faces[e][f].neighbour;
        p->side[e] = -1;
    }
    for (int64_t s = 0; s < mesh->sides; s++) { // other two-sided surfaces separate nothing
        const sedge_global_side *const side = &mesh->side[s];
        p->next[side->element][side->face] = side->group == surface ? -1 : side->other;
    }
    return SEDGE_OK;
}

// All elements that are connected with `e` are on the same side.
static void flood(pieces *p, int32_t e, signed char which)
{
    int32_t height = 0;

    p->side[e] = which;
    p->stack[height++] = e;
    while (height > 0) {
        const int32_t at = p->stack[--height];
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t n = p->next[at][f];
            if (n < 0 || p->side[n] >= 0) continue;
            p->side[n] = which;
            p->stack[height++] = n;
        }
    }
}

// Six times the volume between the face and the origin, positive where the normal out of the
// element points away from it.
static double cone(const sedge_global *mesh, const sedge_global_side *side)
{
    const int *const f = sedge_face_vertices[side->face];
    const int32_t *const cell = mesh->cells[side->element];
    const double *const a = mesh->points[cell[f[0]]];
    const double *const b = mesh->points[cell[f[1]]];
    const double *const c = mesh->points[cell[f[2]]];
    const double *const d = mesh->points[cell[6 - f[0] - f[1] - f[2]]];
    double n[3], out = 0.0, sum = 0.0;

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        n[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
        out += n[i] * (a[i] - d[i]);
        sum += n[i] * a[i];
    }
    return out > 0.0 ? sum : -sum;
}

static sedge_status fail_connected(const sedge_global *mesh, const sedge_mesh_enclosed *out,
                                   const sedge_global_side *side)
{
    double x[3];

    sedge_global_face_centre(mesh, side->element, side->face, x);
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: the surface '%s' encloses nothing: its two sides at (%.6g, %.6g, %.6g) "
                      "are connected around it",
                      place_of(mesh, out), mesh->groups.surface_names[side->group], x[0], x[1],
                      x[2]);
}

// Set bit `bit` of `mesh->inside` in the elements that the surface encloses. What is connected
// across faces of the surface is on alternating sides of it; the inside is where the normals of all
// faces, taken out of that side, enclose a positive volume.
static sedge_status find_inside(sedge_global *mesh, const sedge_mesh_enclosed *out, int bit,
                                sedge_global_side *const *list, int64_t count)
{
    const int surface = out->surface;
    pieces p = {NULL, NULL, NULL};
    double volume = 0.0;
    sedge_status status;
    bool grows = true;

    SEDGE_TRY_GOTO(status, make_pieces(&p, mesh, surface));
    flood(&p, list[0]->element, 0);
    while (grows) { // once for each surface within the others, and once more
        grows = false;
        for (int64_t k = 0; k < count; k++) {
            const signed char own = p.side[list[k]->element];
            if (own < 0 || p.side[list[k]->other] >= 0) continue;
            flood(&p, list[k]->other, (signed char)(1 - own));
            grows = true;
        }
    }
    for (int64_t k = 0; k < count; k++) {
        const signed char own = p.side[list[k]->element];
        if (own >= 0 && own == p.side[list[k]->other]) {
            status = fail_connected(mesh, out, list[k]);
            goto done;
        }
        if (own < 0) {
            status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                                "%s: the surface '%s' has parts in parts of the mesh that are not "
                                "connected; name a surface in each of them",
                                place_of(mesh, out), mesh->groups.surface_names[surface]);
            goto done;
        }
        if (own == 0) volume += cone(mesh, list[k]);
    }
    const signed char inner = volume > 0.0 ? 0 : 1;
    for (int32_t e = 0; e < mesh->elements; e++)
        if (p.side[e] == inner) mesh->inside[e] |= 1u << bit;
done:
    release_pieces(&p);
    return status;
}

// ---- closing -----------------------------------------------------------------------------------

static void clear_bounds(double bounds[2][3])
{
    for (int d = 0; d < 3; d++) {
        bounds[0][d] = DBL_MAX;
        bounds[1][d] = -DBL_MAX;
    }
}

static void extend_bounds(double bounds[2][3], const sedge_global *mesh, int32_t e)
{
    for (int v = 0; v < 4; v++) {
        const double *const x = mesh->points[mesh->cells[e][v]];
        for (int d = 0; d < 3; d++) {
            bounds[0][d] = fmin(bounds[0][d], x[d]);
            bounds[1][d] = fmax(bounds[1][d], x[d]);
        }
    }
}

// A shape beside the mesh, such as one in metres around a mesh in millimetres, or around all of it.
static sedge_status fail_empty(const sedge_global *mesh, const sedge_mesh_enclosed *out)
{
    double bounds[2][3];

    clear_bounds(bounds);
    for (int32_t e = 0; e < mesh->elements; e++) extend_bounds(bounds, mesh, e);
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "%s: the surface '%s' has no face inside the mesh: its shape holds no "
        "element, or all of them; the mesh with its layers spans (%g, %g, %g) to (%g, %g, %g)",
        place_of(mesh, out), mesh->groups.surface_names[out->surface], bounds[0][0], bounds[0][1],
        bounds[0][2], bounds[1][0], bounds[1][1], bounds[1][2]);
}

static sedge_status check_faces(const sedge_global *mesh, const sedge_mesh_enclosed *out,
                                bool is_named, sedge_global_side *const *list, int64_t count)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    const char *const name = groups->surface_names[out->surface];
    const long long outside =
        groups->surface_faces[out->surface] - 2 * groups->surface_two_sided_faces[out->surface];
    int64_t second = 0;

    for (int64_t k = 0; k < count; k++) second += list[k]->second;
    if (outside > 0 || 2 * second != count) { // of a periodic surface all sides are first ones
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "%s: the surface '%s' has %lld faces on the outside of the mesh; a closed "
            "surface has an element on either side of each face",
            place_of(mesh, out), name, outside > 0 ? outside : (long long)count);
    }
    if (count > 0) return SEDGE_OK;
    return is_named
               ? SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: the surface '%s' has no face inside the mesh",
                            place_of(mesh, out), name)
               : fail_empty(mesh, out);
}

static void summarise(sedge_mesh_enclosed *out, sedge_mesh_beside *beside, const sedge_global *mesh,
                      int bit, sedge_global_side *const *list, int64_t count)
{
    for (int v = 0; v < mesh->groups.volumes; v++) {
        clear_bounds(beside[v].bounds);
        clear_bounds(beside[v].group);
    }
    for (int64_t k = 0; k < count; k++) {
        list[k]->second = (mesh->inside[list[k]->element] >> bit & 1) == 0;
        extend_bounds(beside[mesh->group[list[k]->element]].bounds, mesh, list[k]->element);
    }
    out->faces = count / 2;
    clear_bounds(out->bounds);
    for (int32_t e = 0; e < mesh->elements; e++) {
        extend_bounds(beside[mesh->group[e]].group, mesh, e);
        if ((mesh->inside[e] >> bit & 1) == 0) continue;
        out->elements++;
        extend_bounds(out->bounds, mesh, e);
    }
}

static int64_t list_sides(sedge_global_side **list, const sedge_global *mesh, int surface)
{
    int64_t count = 0;

    for (int64_t s = 0; s < mesh->sides; s++)
        if (mesh->side[s].group == surface) list[count++] = &mesh->side[s];
    return count;
}

static sedge_status close_enclosure(sedge_global *mesh, int i, bool is_named,
                                    sedge_global_side **list)
{
    const int volumes = mesh->groups.volumes;
    sedge_mesh_enclosed *const out = &mesh->enclosed[i];

    if (out->surface < 0) return SEDGE_OK;
    const int64_t count = list_sides(list, mesh, out->surface);
    SEDGE_TRY(check_faces(mesh, out, is_named, list, count));
    SEDGE_TRY(check_edges(out, mesh, is_named, i, list, count));
    if (is_named) SEDGE_TRY(find_inside(mesh, out, i, list, count));
    summarise(out, mesh->enclosed_beside + (size_t)i * (size_t)volumes, mesh, i, list, count);
    return SEDGE_OK;
}

// Has the surface a face with the same volume group on both sides? Only there its normal has no
// direction by the groups.
static bool has_same_groups(const sedge_global *mesh, sedge_global_side *const *list, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (mesh->group[list[k]->element] == mesh->group[list[k]->other]) return true;
    return false;
}

// Append the surface group to `mesh->enclosed` if it is closed and lies within a volume group, if
// only in part. Others are left as they are.
static sedge_status find_closed(sedge_global *mesh, int surface, sedge_global_side **list)
{
    const int i = mesh->enclosures;

    for (int k = 0; k < i; k++)
        if (mesh->enclosed[k].surface == surface) return SEDGE_OK;
    const int64_t count = list_sides(list, mesh, surface);
    if (i == SEDGE_ENCLOSURES_MAX || !has_same_groups(mesh, list, count)) return SEDGE_OK;
    if (mesh->inside == NULL)
        SEDGE_TRY(sedge_allocate(&mesh->inside, mesh->elements, sizeof *mesh->inside));
    mesh->enclosed[i] = (sedge_mesh_enclosed){.surface = surface};
    const sedge_status status = close_enclosure(mesh, i, true, list);
    if (status == SEDGE_OK) mesh->enclosures++;
    if (status != SEDGE_ERR_USAGE) return status;
    sedge_error_clear();
    return SEDGE_OK;
}

sedge_status sedge_global_close_enclosures(sedge_global *mesh, const sedge_mesh_options *options)
{
    sedge_global_side **list = NULL;
    sedge_status status;

    if (mesh->enclosures == 0 && mesh->sides == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, mesh->sides, sizeof(sedge_global_side *)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->enclosed_beside,
                                          (int64_t)SEDGE_ENCLOSURES_MAX * mesh->groups.volumes,
                                          sizeof *mesh->enclosed_beside));
    for (int i = 0; i < options->enclosures; i++) {
        const bool is_named = options->enclosure[i].shape == SEDGE_ENCLOSURE_NAMED;
        SEDGE_TRY_GOTO(status, close_enclosure(mesh, i, is_named, list));
    }
    for (int g = 0; g < mesh->groups.surfaces; g++)
        SEDGE_TRY_GOTO(status, find_closed(mesh, g, list));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int i = 0; i < mesh->enclosures; i++)
            if (mesh->inside[e] >> i & 1) mesh->enclosed[i].overlaps |= mesh->inside[e];
    }
done:
    sedge_release(list);
    return status;
}
