#include "outer.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_FACES = 4, DEEPEST = 80, RAYS = 8 };

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; d++) out[d] = a[d] - b[d];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

// ---- the faces ---------------------------------------------------------------------------------

// The edge of an element between two of its corners.
static int find_edge(int v, int w)
{
    int e = 0;

    while (!(sedge_edge_vertices[e][0] == v && sedge_edge_vertices[e][1] == w) &&
           !(sedge_edge_vertices[e][0] == w && sedge_edge_vertices[e][1] == v))
        e++;
    return e;
}

// A face of second order is off its triangle by 4 sum l_i l_j b_ij with the bends b_ij of its edges
// and barycentric coordinates l: by at most 4/3 of the greatest bend.
static void bend_face(sedge_outer_face *out, const sedge_global *mesh, const int corners[3])
{
    double greatest = 0.0;

    for (int i = 0; i < 3; i++) {
        const int edge = find_edge(corners[i], corners[(i + 1) % 3]);
        const double *const middle = mesh->middles[out->element][edge];
        double square = 0.0;
        for (int d = 0; d < 3; d++) {
            const double off = middle[d] - 0.5 * (out->x[i][d] + out->x[(i + 1) % 3][d]);
            square += off * off;
            out->middles[i][d] = middle[d];
        }
        greatest = fmax(greatest, sqrt(square));
    }
    if (greatest > 1e-9 * out->size) out->bend = 4.0 / 3.0 * greatest;
}

static void set_face(sedge_outer_face *out, const sedge_global *mesh, int32_t e, int f)
{
    const int32_t *const cell = mesh->cells[e];
    int v[3] = {sedge_face_vertices[f][0], sedge_face_vertices[f][1], sedge_face_vertices[f][2]};
    const double *const opposite = mesh->points[cell[6 - v[0] - v[1] - v[2]]];
    double a[3], b[3], inward[3];

    subtract(mesh->points[cell[v[1]]], mesh->points[cell[v[0]]], a);
    subtract(mesh->points[cell[v[2]]], mesh->points[cell[v[0]]], b);
    subtract(opposite, mesh->points[cell[v[0]]], inward);
    cross(a, b, out->normal);
    if (dot(out->normal, inward) > 0.0) {
        const int swap = v[1];
        v[1] = v[2];
        v[2] = swap;
        for (int d = 0; d < 3; d++) out->normal[d] = -out->normal[d];
    }
    const double length = sqrt(dot(out->normal, out->normal));
    for (int d = 0; d < 3; d++) out->normal[d] /= length;
    for (int i = 0; i < 3; i++) {
        out->vertex[i] = cell[v[i]];
        memcpy(out->x[i], mesh->points[cell[v[i]]], sizeof out->x[i]);
    }
    for (int i = 0; i < 3; i++) {
        subtract(out->x[i], out->x[(i + 1) % 3], a);
        out->size = fmax(out->size, sqrt(dot(a, a)));
    }
    out->element = e;
    out->group = -1 - mesh->faces[e][f].neighbour;
    if (mesh->middles != NULL && mesh->curved[e]) bend_face(out, mesh, v);
}

// A face of a two-sided surface by its vertices.
typedef struct side {
    int32_t vertex[3]; // ascending
    int64_t face;
} side;

static int compare_sides(const void *left, const void *right)
{
    const side *const a = left, *const b = right;

    for (int i = 0; i < 3; i++)
        if (a->vertex[i] != b->vertex[i]) return a->vertex[i] < b->vertex[i] ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

static void set_side(side *out, const int32_t v[3], int64_t face)
{
    const int32_t low = v[0] < v[1] ? v[0] : v[1];
    const int32_t high = v[0] < v[1] ? v[1] : v[0];

    out->vertex[0] = v[2] < low ? v[2] : low;
    out->vertex[1] = v[2] < low ? low : (v[2] < high ? v[2] : high);
    out->vertex[2] = v[2] < high ? high : v[2];
    out->face = face;
}

// Remove the two sides of each face that the deck cuts the mesh along: they have equal vertices.
static sedge_status drop_two_sided(sedge_outer *outer, const sedge_global *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    side *sides = NULL;
    int64_t count = 0;
    int64_t cut = 0;

    for (int g = 0; g < groups->surfaces; g++) cut += groups->surface_two_sided_faces[g];
    if (cut == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&sides, outer->count, sizeof *sides));
    for (int64_t i = 0; i < outer->count; i++) {
        const int g = outer->face[i].group;
        if (g < groups->surfaces && groups->surface_two_sided_faces[g] > 0)
            set_side(&sides[count++], outer->face[i].vertex, i);
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    for (int64_t i = 1; i < count; i++) {
        if (memcmp(sides[i - 1].vertex, sides[i].vertex, sizeof sides[i].vertex) != 0) continue;
        outer->face[sides[i - 1].face].element = -1;
        outer->face[sides[i].face].element = -1;
    }
    sedge_release(sides);
    int64_t kept = 0;
    for (int64_t i = 0; i < outer->count; i++)
        if (outer->face[i].element >= 0) outer->face[kept++] = outer->face[i];
    outer->count = kept;
    return SEDGE_OK;
}

static sedge_status collect(sedge_outer *outer, const sedge_global *mesh)
{
    int64_t count = 0;

    for (int32_t e = 0; e < mesh->elements; e++)
        for (int f = 0; f < SEDGE_FACES; f++) count += mesh->faces[e][f].neighbour < 0;
    SEDGE_TRY(sedge_allocate(&outer->face, count, sizeof *outer->face));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            if (mesh->faces[e][f].neighbour >= 0) continue;
            set_face(&outer->face[outer->count++], mesh, e, f);
        }
    }
    return drop_two_sided(outer, mesh);
}

// ---- the tree ----------------------------------------------------------------------------------

static sedge_outer_box empty_box(void)
{
    return (sedge_outer_box){{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

static void join(sedge_outer_box *box, const sedge_outer_box *other)
{
    for (int d = 0; d < 3; d++) {
        if (other->low[d] < box->low[d]) box->low[d] = other->low[d];
        if (other->high[d] > box->high[d]) box->high[d] = other->high[d];
    }
}

static sedge_outer_box box_of(const sedge_outer_face *face, double rounding)
{
    const double margin = SEDGE_OUTER_TOLERANCE * face->size + face->bend + rounding;
    sedge_outer_box box = empty_box();

    for (int i = 0; i < 3; i++) {
        const double *const x = face->x[i];
        join(&box, &(sedge_outer_box){{x[0] - margin, x[1] - margin, x[2] - margin},
                                      {x[0] + margin, x[1] + margin, x[2] + margin}});
    }
    return box;
}

static void find_centre(const sedge_outer_face *face, double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = face->x[0][d] / 3.0 + face->x[1][d] / 3.0 + face->x[2][d] / 3.0;
}

// Order the faces along a Hilbert curve.
static sedge_status sort_faces(sedge_outer *outer, double bounds[2][3])
{
    sedge_hilbert_place *list = NULL;
    sedge_outer_face *sorted = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&list, outer->count, sizeof *list));
    SEDGE_TRY_GOTO(status, sedge_allocate(&sorted, outer->count, sizeof *sorted));
    for (int64_t i = 0; i < outer->count; i++) {
        double x[3];
        find_centre(&outer->face[i], x);
        list[i] = (sedge_hilbert_place){sedge_hilbert_key(x, bounds), (int32_t)i};
    }
    SEDGE_TRY_GOTO(status, sedge_hilbert_sort(list, outer->count));
    for (int64_t i = 0; i < outer->count; i++) sorted[i] = outer->face[list[i].element];
    sedge_release(outer->face);
    outer->face = sorted;
    sorted = NULL;
done:
    sedge_release(list);
    sedge_release(sorted);
    return status;
}

sedge_status sedge_outer_init(sedge_outer *outer, const sedge_global *mesh)
{
    sedge_outer_box bounds = empty_box();

    memset(outer, 0, sizeof *outer);
    SEDGE_TRY(collect(outer, mesh));
    for (int64_t i = 0; i < outer->count; i++) {
        const sedge_outer_box own = box_of(&outer->face[i], 0.0);
        join(&bounds, &own);
    }
    for (int d = 0; d < 3; d++) {
        const double extent = fmax(fabs(bounds.low[d]), fabs(bounds.high[d]));
        outer->rounding = fmax(outer->rounding, 64.0 * DBL_EPSILON * extent);
    }
    double corners[2][3];
    memcpy(corners[0], bounds.low, sizeof corners[0]);
    memcpy(corners[1], bounds.high, sizeof corners[1]);
    SEDGE_TRY(sort_faces(outer, corners));
    outer->leaves = 1;
    while (outer->leaves * LEAF_FACES < outer->count) outer->leaves *= 2;
    SEDGE_TRY(sedge_allocate(&outer->own, outer->count, sizeof *outer->own));
    SEDGE_TRY(sedge_allocate(&outer->boxes, 2 * outer->leaves, sizeof *outer->boxes));
    for (int64_t n = 0; n < 2 * outer->leaves; n++) outer->boxes[n] = empty_box();
    for (int64_t i = 0; i < outer->count; i++) {
        outer->own[i] = box_of(&outer->face[i], outer->rounding);
        join(&outer->boxes[outer->leaves + i / LEAF_FACES], &outer->own[i]);
    }
    for (int64_t n = outer->leaves - 1; n > 0; n--) {
        join(&outer->boxes[n], &outer->boxes[2 * n]);
        join(&outer->boxes[n], &outer->boxes[2 * n + 1]);
    }
    return SEDGE_OK;
}

void sedge_outer_clear(sedge_outer *outer)
{
    sedge_release(outer->face);
    sedge_release(outer->own);
    sedge_release(outer->boxes);
    memset(outer, 0, sizeof *outer);
}

// ---- pairs -------------------------------------------------------------------------------------

static bool boxes_meet(const sedge_outer_box *a, const sedge_outer_box *b)
{
    for (int d = 0; d < 3; d++)
        if (a->low[d] > b->high[d] || b->low[d] > a->high[d]) return false;
    return true;
}

typedef struct visitor {
    const sedge_outer *outer;
    sedge_status (*visit)(void *context, int64_t a, int64_t b);
    void *context;
} visitor;

static int64_t end_of_leaf(const sedge_outer *outer, int64_t first)
{
    return first + LEAF_FACES < outer->count ? first + LEAF_FACES : outer->count;
}

// Faces of two leaves, or of one.
static sedge_status visit_leaves(const visitor *v, int64_t left, int64_t right)
{
    const sedge_outer *const outer = v->outer;
    const int64_t first = (left - outer->leaves) * LEAF_FACES;
    const int64_t second = (right - outer->leaves) * LEAF_FACES;

    for (int64_t a = first; a < end_of_leaf(outer, first); a++) {
        for (int64_t b = left == right ? a + 1 : second; b < end_of_leaf(outer, second); b++) {
            if (!boxes_meet(&outer->own[a], &outer->own[b])) continue;
            SEDGE_TRY(v->visit(v->context, a, b));
        }
    }
    return SEDGE_OK;
}

// Pairs below two nodes of the same height, or below one.
static sedge_status visit_nodes(const visitor *v, int64_t left, int64_t right)
{
    if (!boxes_meet(&v->outer->boxes[left], &v->outer->boxes[right])) return SEDGE_OK;
    if (left >= v->outer->leaves) return visit_leaves(v, left, right);
    for (int64_t a = 2 * left; a <= 2 * left + 1; a++) {
        for (int64_t b = left == right ? a : 2 * right; b <= 2 * right + 1; b++)
            SEDGE_TRY(visit_nodes(v, a, b));
    }
    return SEDGE_OK;
}

sedge_status sedge_outer_visit_pairs(const sedge_outer *outer,
                                     sedge_status (*visit)(void *context, int64_t a, int64_t b),
                                     void *context)
{
    const visitor v = {outer, visit, context};

    return outer->count > 0 ? visit_nodes(&v, 1, 1) : SEDGE_OK;
}

// ---- rays --------------------------------------------------------------------------------------

typedef struct ray {
    double from[3];
    double along[3];
} ray;

static bool ray_meets(const ray *r, const sedge_outer_box *box)
{
    double first = 0.0;
    double last = DBL_MAX;

    for (int d = 0; d < 3; d++) { // fmin and fmax leave out the not-a-number of 0 / 0
        const double low = (box->low[d] - r->from[d]) / r->along[d];
        const double high = (box->high[d] - r->from[d]) / r->along[d];
        first = fmax(first, fmin(low, high));
        last = fmin(last, fmax(low, high));
    }
    return first <= last;
}

// Add 1 if the ray leaves a volume through the face, -1 if it enters one. False if the ray hits an
// edge, runs along the face, or begins on it: then the count is not certain.
static bool cross_face(const ray *r, const sedge_outer_face *face, double size, int *volumes)
{
    const double least = 1e-9; // of a barycentric coordinate, far above their rounding
    double a[3], b[3], s[3], p[3], q[3];

    const double slope = dot(r->along, face->normal);
    if (!(fabs(slope) > least)) return false;
    subtract(face->x[1], face->x[0], a);
    subtract(face->x[2], face->x[0], b);
    subtract(r->from, face->x[0], s);
    cross(r->along, b, p);
    cross(s, a, q);
    const double determinant = dot(a, p);
    const double u = dot(s, p) / determinant;
    const double v = dot(r->along, q) / determinant;
    const double depth = fmin(fmin(u, v), 1.0 - u - v);
    if (depth < -least) return true;
    if (!(depth > least)) return false;
    const double t = dot(b, q) / determinant;
    if (!(fabs(t) > least * size)) return false;
    if (t > 0.0) *volumes += slope > 0.0 ? 1 : -1;
    return true;
}

static bool follow(const sedge_outer *outer, const ray *r, int64_t i, int *volumes)
{
    int64_t stack[DEEPEST];
    int height = 0;

    *volumes = 0;
    stack[height++] = 1;
    while (height > 0) {
        const int64_t n = stack[--height];
        if (!ray_meets(r, &outer->boxes[n])) continue;
        if (n < outer->leaves) {
            stack[height++] = 2 * n;
            stack[height++] = 2 * n + 1;
            continue;
        }
        const int64_t first = (n - outer->leaves) * LEAF_FACES;
        for (int64_t k = first; k < end_of_leaf(outer, first); k++) {
            if (k == i || !ray_meets(r, &outer->own[k])) continue;
            if (!cross_face(r, &outer->face[k], outer->face[i].size, volumes)) return false;
        }
    }
    return true;
}

// Is a place inside the bounding box of a curved face? If its own face is curved: of any other face
// without a common corner?
static bool is_vague(const sedge_outer *outer, const double x[3], int64_t i)
{
    const sedge_outer_face *const own = &outer->face[i];
    const sedge_outer_box place = {{x[0] - own->bend, x[1] - own->bend, x[2] - own->bend},
                                   {x[0] + own->bend, x[1] + own->bend, x[2] + own->bend}};
    int64_t stack[DEEPEST];
    int height = 0;

    stack[height++] = 1;
    while (height > 0) {
        const int64_t n = stack[--height];
        if (!boxes_meet(&place, &outer->boxes[n])) continue;
        if (n < outer->leaves) {
            stack[height++] = 2 * n;
            stack[height++] = 2 * n + 1;
            continue;
        }
        const int64_t first = (n - outer->leaves) * LEAF_FACES;
        for (int64_t k = first; k < end_of_leaf(outer, first); k++) {
            const sedge_outer_face *const other = &outer->face[k];
            int common = 0;
            if (!(own->bend > 0.0 || other->bend > 0.0)) continue;
            if (!boxes_meet(&place, &outer->own[k])) continue;
            for (int c = 0; c < 9; c++) common += own->vertex[c / 3] == other->vertex[c % 3];
            if (common == 0) return true;
        }
    }
    return false;
}

bool sedge_outer_cover(const sedge_outer *outer, int64_t i, int *volumes)
{
    // Neither along axes nor along diagonals.
    static const double aside[RAYS][3] = {
        {0.31, 0.17, 0.43},   {-0.37, 0.29, 0.11},  {0.13, -0.41, 0.23},  {0.19, 0.37, -0.29},
        {-0.23, -0.13, 0.41}, {-0.43, 0.19, -0.17}, {0.29, -0.31, -0.13}, {-0.11, -0.43, -0.19}};
    ray r;

    find_centre(&outer->face[i], r.from);
    if (is_vague(outer, r.from, i)) return false;
    for (int k = 0; k < RAYS; k++) {
        for (int d = 0; d < 3; d++) r.along[d] = outer->face[i].normal[d] + aside[k][d];
        if (follow(outer, &r, i, volumes)) return true;
    }
    return false;
}
