#include "face_points.h"

#include "base/memory.h"
#include "dg/quadrature.h"
#include "par/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- one side ----------------------------------------------------------------------------------

static int compare_places(const double *a, const double *b)
{
    for (int d = 0; d < 3; d++)
        if (a[d] < b[d] || a[d] > b[d]) return a[d] < b[d] ? -1 : 1;
    return 0;
}

// The face's vertices in ascending order of their places: the same on both sides.
static void sort_vertices(const sedge_mesh *mesh, int32_t element, int face, int order[3])
{
    double(*const corners)[3] = mesh->corners[element];

    memcpy(order, sedge_face_vertices[face], 3 * sizeof *order);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 2; i++) {
            if (compare_places(corners[order[i]], corners[order[i + 1]]) <= 0) continue;
            const int swapped = order[i];
            order[i] = order[i + 1];
            order[i + 1] = swapped;
        }
    }
}

// Reference coordinates of a point of the triangle's quadrature on the face with these vertices.
static void place_point(const int order[3], const double at[3], double rst[3])
{
    const double share[3] = {-0.5 * (at[0] + at[1]), 0.5 * (1.0 + at[0]), 0.5 * (1.0 + at[1])};

    for (int d = 0; d < 3; d++) rst[d] = -1.0;
    for (int i = 0; i < 3; i++) // vertex v is at 1 on axis v - 1
        if (order[i] > 0) rst[order[i] - 1] += 2.0 * share[i];
}

// Which way the normals point.
typedef struct direction {
    const sedge_deck_surface *surface;
    int out_of;   // volume group; -1: not given
    bool doubled; // faces have both of their sides in the surface
    const char *where;
} direction;

// The direction of the surface's normal by that of the side's element, 1 or -1; `place` and
// `normal` of the latter at a point of the side.
static sedge_status find_sign(double *sign, const sedge_output_context *context,
                              const direction *way, const sedge_set_face *side,
                              const double place[3], const double normal[3])
{
    const sedge_mesh_groups *const groups = &context->mesh->groups;
    const int group = context->mesh->group[side->element];
    const bool own = sedge_mesh_same_group(groups, group, way->out_of);
    const bool other = sedge_mesh_same_group(groups, side->other_group, way->out_of);
    double along = 0.0;

    *sign = 1.0;
    if (way->surface->own) return SEDGE_OK;
    if (way->surface->away) {
        for (int d = 0; d < 3; d++) along += normal[d] * (place[d] - way->surface->away_from[d]);
        *sign = along < 0.0 ? -1.0 : 1.0;
        return SEDGE_OK;
    }
    *sign = side->second ? -1.0 : 1.0;
    if (way->out_of < 0 &&
        (!way->doubled || !sedge_mesh_same_group(groups, side->other_group, group)))
        return SEDGE_OK;
    if (way->out_of < 0 && sedge_mesh_enclosed_by(context->mesh, side->group) != NULL)
        return SEDGE_OK;
    *sign = own ? 1.0 : -1.0;
    if (way->out_of >= 0 && own != other) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "%s: the surface '%s' has a face with the volume group '%s' on %s: its normal "
        "has no direction; say which by 'away_from', a point that it points away from",
        way->where, groups->surface_names[side->group],
        groups->volume_names[way->out_of >= 0 ? way->out_of : group],
        way->out_of < 0 || own ? "both sides" : "neither side");
}

// Weights follow from the order of the face's vertices: 24 of them are possible.
typedef struct vertex_orders {
    int32_t side[64]; // the first with this order, plus 1; 0: none
} vertex_orders;

static sedge_status fill_weights(sedge_face_points *out, const sedge_element *element,
                                 const sedge_quadrature *rule, int32_t s, const int order[3],
                                 vertex_orders *before)
{
    int32_t *const first = &before->side[16 * order[0] + 4 * order[1] + order[2]];
    const int64_t numbers = (int64_t)rule->points * element->nodes;

    if (*first > 0) {
        memcpy(out->weights + s * numbers, out->weights + (*first - 1) * numbers,
               (size_t)numbers * sizeof *out->weights);
        return SEDGE_OK;
    }
    *first = s + 1;
    for (int p = 0; p < rule->points; p++) {
        double rst[3];

        place_point(order, rule->place[p], rst);
        SEDGE_TRY(
            sedge_element_interpolate(element, rst[0], rst[1], rst[2],
                                      out->weights + s * numbers + (int64_t)p * element->nodes));
    }
    return SEDGE_OK;
}

static sedge_status fill_side(sedge_face_points *out, const sedge_output_context *context,
                              const sedge_quadrature *rule, int32_t s, const sedge_set_face *side,
                              const direction *way, vertex_orders *before)
{
    const sedge_mesh *const mesh = context->mesh;
    double c[SEDGE_CURVE_TERMS][3];
    double sign = 1.0;
    int order[3];

    sedge_mesh_expand(mesh, side->element, c);
    sort_vertices(mesh, side->element, side->face, order);
    for (int i = 0; i < 3; i++)
        memcpy(out->corners[s] + (ptrdiff_t)3 * i, mesh->corners[side->element][order[i]], 24);
    for (int p = 0; p < rule->points; p++) {
        const int64_t at = (int64_t)s * rule->points + p;
        double rst[3], dx[3][3], cofactor[3][3];
        double *const normal = out->normal[at];

        place_point(order, rule->place[p], rst);
        sedge_curve_place(c, rst, out->place[at]);
        sedge_curve_tangents(c, rst, dx);
        (void)sedge_curve_cofactors(dx, cofactor);
        sedge_curve_normal(cofactor, side->face, normal);
        const double length =
            sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        if (p == 0) SEDGE_TRY(find_sign(&sign, context, way, side, out->place[at], normal));
        for (int d = 0; d < 3; d++) normal[d] *= sign / length;
        out->area[at] = length * rule->weight[p];
        out->elements[at] = side->element;
    }
    return fill_weights(out, context->element, rule, s, order, before);
}

// ---- the surface -------------------------------------------------------------------------------

static int find_name(char (*const names)[64], int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static sedge_status fill(sedge_face_points *out, const sedge_output_context *context,
                         const sedge_quadrature *rule, const sedge_set_face *side,
                         const direction *way)
{
    const int64_t points = (int64_t)out->sides * rule->points;
    vertex_orders before = {{0}};

    SEDGE_TRY(sedge_allocate(&out->ids, out->sides, sizeof *out->ids));
    SEDGE_TRY(sedge_allocate(&out->share, out->sides, sizeof *out->share));
    SEDGE_TRY(sedge_allocate(&out->corners, out->sides, sizeof *out->corners));
    SEDGE_TRY(sedge_allocate(&out->elements, points, sizeof *out->elements));
    SEDGE_TRY(
        sedge_allocate(&out->weights, points * context->element->nodes, sizeof *out->weights));
    SEDGE_TRY(sedge_allocate(&out->place, points, sizeof *out->place));
    SEDGE_TRY(sedge_allocate(&out->normal, points, sizeof *out->normal));
    SEDGE_TRY(sedge_allocate(&out->area, points, sizeof *out->area));
    for (int32_t s = 0; s < out->sides; s++) {
        out->ids[s] = SEDGE_FACES * context->mesh->global_ids[side[s].element] + side[s].face;
        out->share[s] = way->doubled && side[s].other_group >= 0 ? 0.5 : 1.0;
        SEDGE_TRY(fill_side(out, context, rule, s, &side[s], way, &before));
    }
    return SEDGE_OK;
}

// The sides that are in no layer.
static sedge_status list_sides(sedge_set_face **out, int32_t *count, const sedge_mesh *mesh,
                               int set)
{
    const int32_t first = mesh->set_offsets[set];
    const int32_t end = mesh->set_offsets[set + 1];

    SEDGE_TRY(sedge_allocate(out, end - first, sizeof **out));
    for (int32_t s = first; s < end; s++) {
        if (sedge_mesh_in_layer(mesh, mesh->set_faces[s].element)) continue;
        if (sedge_mesh_copy(mesh, mesh->set_faces[s].element) > 0) continue;
        (*out)[(*count)++] = mesh->set_faces[s];
    }
    return SEDGE_OK;
}

sedge_status sedge_face_points_create(sedge_face_points *out, const sedge_output_context *context,
                                      const sedge_deck_surface *surface, const char *where)
{
    const sedge_mesh *const mesh = context->mesh;
    const sedge_mesh_groups *const groups = &mesh->groups;
    const int set = find_name(groups->surface_names, groups->surfaces, surface->name);
    sedge_set_face *side = NULL;
    direction way = {.surface = surface,
                     .out_of = find_name(groups->volume_names, groups->volumes, surface->out_of),
                     .where = where};
    sedge_quadrature rule = {0};
    int64_t seconds = 0; // of a periodic surface all sides are first, whatever is behind them

    *out = (sedge_face_points){.limit = SEDGE_FACES * mesh->global_elements};
    sedge_status status = list_sides(&side, &out->sides, mesh, set);
    for (int32_t s = 0; s < out->sides; s++) seconds += side[s].second;
    sedge_comm_sum_int(context->comm, &seconds, 1);
    way.doubled = seconds > 0;
    if (status == SEDGE_OK)
        status = sedge_quadrature_triangle(&rule, 2 * context->element->order + 2);
    out->side_points = rule.points;
    if (status == SEDGE_OK) status = fill(out, context, &rule, side, &way);
    sedge_quadrature_clear(&rule);
    sedge_release(side);
    return sedge_comm_agree(context->comm, status);
}

void sedge_face_points_clear(const sedge_face_points *points)
{
    sedge_release(points->ids);
    sedge_release(points->share);
    sedge_release(points->corners);
    sedge_release(points->elements);
    sedge_release(points->weights);
    sedge_release(points->place);
    sedge_release(points->normal);
    sedge_release(points->area);
}

// ---- sides of all ranks ------------------------------------------------------------------------

// A side by its corners.
typedef struct side_key {
    double corners[9];
    int64_t id;
    int64_t row;
} side_key;

static int compare_corners(const side_key *a, const side_key *b)
{
    for (int i = 0; i < 3; i++) {
        const int order =
            compare_places(a->corners + (ptrdiff_t)3 * i, b->corners + (ptrdiff_t)3 * i);
        if (order != 0) return order;
    }
    return 0;
}

// By faces, then by ids: the same order on any number of ranks.
static int compare_sides(const void *left, const void *right)
{
    const side_key *const a = left;
    const side_key *const b = right;
    const int order = compare_corners(a, b);

    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

// What a side brings to the root beside its corners, for each point.
typedef struct side_point {
    double place[3], normal[3], area;
} side_point;

// Root: number the faces in the order of their corners. A face has the points of its side with the
// least id; those of the other are the same but for rounding.
static void number_faces(sedge_joined_faces *out, side_key *keys, const side_point *all,
                         int64_t sides, int side_points)
{
    qsort(keys, (size_t)sides, sizeof *keys, compare_sides);
    for (int64_t i = 0; i < sides; i++) {
        const bool begins = i == 0 || compare_corners(&keys[i - 1], &keys[i]) != 0;

        out->faces += begins;
        for (int p = 0; p < side_points; p++) {
            const int64_t to = (out->faces - 1) * side_points + p;
            const side_point *const point = &all[keys[i].row * side_points + p];

            out->target[keys[i].row * side_points + p] = to;
            if (!begins) continue;
            memcpy(out->place[to], point->place, sizeof point->place);
            memcpy(out->normal[to], point->normal, sizeof point->normal);
            out->area[to] = point->area;
        }
    }
}

static sedge_status allocate_join(sedge_joined_faces *out, int64_t sides, int side_points)
{
    const int64_t points = sides * side_points;

    SEDGE_TRY(sedge_allocate(&out->target, points, sizeof *out->target));
    SEDGE_TRY(sedge_allocate(&out->share, sides, sizeof *out->share));
    SEDGE_TRY(sedge_allocate(&out->place, points, sizeof *out->place));
    SEDGE_TRY(sedge_allocate(&out->normal, points, sizeof *out->normal));
    return sedge_allocate(&out->area, points, sizeof *out->area);
}

sedge_status sedge_face_points_join(sedge_joined_faces *out, const sedge_face_points *points,
                                    const sedge_comm *comm, const struct sedge_gather *gather)
{
    const int side_points = points->side_points;
    const int64_t own = (int64_t)points->sides * side_points;
    side_key *keys = NULL, *all_keys = NULL;
    side_point *about = NULL, *all = NULL;
    sedge_status status;

    *out = (sedge_joined_faces){0};
    status = allocate_join(out, gather->all, side_points);
    if (status == SEDGE_OK) status = sedge_allocate(&keys, points->sides, sizeof *keys);
    if (status == SEDGE_OK) status = sedge_allocate(&all_keys, gather->all, sizeof *all_keys);
    if (status == SEDGE_OK) status = sedge_allocate(&about, own, sizeof *about);
    if (status == SEDGE_OK) status = sedge_allocate(&all, gather->all * side_points, sizeof *all);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int32_t s = 0; s < points->sides; s++)
        memcpy(keys[s].corners, points->corners[s], sizeof keys[s].corners);
    for (int64_t i = 0; i < own; i++) {
        memcpy(about[i].place, points->place[i], sizeof about[i].place);
        memcpy(about[i].normal, points->normal[i], sizeof about[i].normal);
        about[i].area = points->area[i];
    }
    sedge_gather_bring(gather, comm, keys, sizeof *keys, all_keys);
    sedge_gather_bring(gather, comm, about, (size_t)side_points * sizeof *about, all);
    sedge_gather_bring(gather, comm, points->share, sizeof *points->share, out->share);
    for (int64_t i = 0; i < gather->all; i++) {
        all_keys[i].id = gather->ids[i];
        all_keys[i].row = i;
    }
    number_faces(out, all_keys, all, gather->all, side_points);
done:
    sedge_release(keys);
    sedge_release(all_keys);
    sedge_release(about);
    sedge_release(all);
    return status;
}

void sedge_joined_faces_clear(const sedge_joined_faces *faces)
{
    sedge_release(faces->target);
    sedge_release(faces->share);
    sedge_release(faces->place);
    sedge_release(faces->normal);
    sedge_release(faces->area);
}
