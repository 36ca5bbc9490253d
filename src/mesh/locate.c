#include "mesh.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A point outside by this fraction of an element still counts as inside, so that rounding leaves no
// gap between elements.
static const double tolerance = 1e-9;

enum { LEAF_ELEMENTS = 8, DEEPEST = 64, NEWTON_STEPS = 30 };

typedef struct span {
    double low[3], high[3];
} span;

// Elements are numbered along a Hilbert curve: a run of them is compact. A complete binary tree of
// boxes over runs of LEAF_ELEMENTS; node n has the children 2n and 2n + 1, the root is 1.
struct sedge_locator {
    const sedge_mesh *mesh;
    int64_t leaves; // a power of two
    span *boxes;    // [2 leaves]; those of unused nodes are empty
};

// Barycentric coordinates; returns the least of them.
static double find_weights(double corners[4][3], const double point[3], double weights[4])
{
    double sub[4][3];

    memcpy(sub, corners, sizeof sub);
    const double whole = sedge_tet_volume(corners);
    double least = 1.0;
    weights[0] = 1.0;
    for (int v = 1; v < 4; v++) {
        memcpy(sub[v], point, sizeof sub[v]);
        weights[v] = sedge_tet_volume(sub) / whole;
        memcpy(sub[v], corners[v], sizeof sub[v]);
        weights[0] -= weights[v];
        least = fmin(least, weights[v]);
    }
    return fmin(least, weights[0]);
}

// Newton's iteration in a curved element, from the straight one's coordinates; far away it may not
// converge, and then the point is not inside.
static double find_curved_weights(const sedge_mesh *mesh, int32_t e, const double point[3],
                                  double weights[4])
{
    double c[SEDGE_CURVE_TERMS][3];
    double rst[3];

    for (int d = 0; d < 3; d++) rst[d] = 2.0 * weights[d + 1] - 1.0;
    sedge_mesh_expand(mesh, e, c);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        double x[3];
        double dx[3][3];
        double cofactor[3][3];
        double change = 0.0;
        sedge_curve_place(c, rst, x);
        sedge_curve_tangents(c, rst, dx);
        const double jacobian = sedge_curve_cofactors(dx, cofactor);
        for (int j = 0; j < 3; j++) {
            double step = 0.0;
            for (int d = 0; d < 3; d++) step += cofactor[j][d] * (point[d] - x[d]);
            rst[j] += step / jacobian;
            change = fmax(change, fabs(step / jacobian));
        }
        if (!(change < 1e3)) break;
        if (change > 1e-13) continue;
        weights[0] = 1.0;
        for (int d = 0; d < 3; d++) {
            weights[d + 1] = 0.5 * (1.0 + rst[d]);
            weights[0] -= weights[d + 1];
        }
        return fmin(fmin(weights[0], weights[1]), fmin(weights[2], weights[3]));
    }
    return -DBL_MAX;
}

// The element that holds the point best so far.
typedef struct best {
    int32_t element;
    double least;
    double weights[4];
} best;

static void try_element(best *found, const sedge_mesh *mesh, int32_t e, const double point[3])
{
    double weights[4];
    double least = find_weights(mesh->corners[e], point, weights);

    if (sedge_mesh_curve(mesh, e) >= 0) least = find_curved_weights(mesh, e, point, weights);

    // The least element number wins where two hold the point equally well.
    if (!(least >= -tolerance) || least < found->least) return;
    if (least == found->least && found->element >= 0 && found->element < e) return;
    found->element = e;
    found->least = least;
    memcpy(found->weights, weights, sizeof weights);
}

static int32_t report(const best *found, double rst[3])
{
    if (found->element >= 0)
        for (int d = 0; d < 3; d++) rst[d] = -1.0 + 2.0 * found->weights[d + 1];
    return found->element;
}

int32_t sedge_mesh_locate(const sedge_mesh *mesh, const double point[3], double rst[3])
{
    best found = {.element = -1, .least = -DBL_MAX};

    for (int32_t e = 0; e < mesh->elements; e++) try_element(&found, mesh, e, point);
    return report(&found, rst);
}

static void clear(span *box)
{
    for (int d = 0; d < 3; d++) {
        box->low[d] = DBL_MAX;
        box->high[d] = -DBL_MAX;
    }
}

static void join(span *box, const double low[3], const double high[3])
{
    for (int d = 0; d < 3; d++) {
        box->low[d] = fmin(box->low[d], low[d]);
        box->high[d] = fmax(box->high[d], high[d]);
    }
}

// The box of an element and of the points that the tolerance lets in.
static void join_element(span *box, const sedge_mesh *mesh, int32_t e)
{
    double(*const corners)[3] = mesh->corners[e];
    const int32_t curve = sedge_mesh_curve(mesh, e);
    span own;

    clear(&own);
    for (int v = 0; v < 4; v++) join(&own, corners[v], corners[v]);
    for (int k = 0; k < SEDGE_EDGES && curve >= 0;
         k++) { // Bezier's control points hold the element
        double control[3];
        for (int d = 0; d < 3; d++) {
            control[d] =
                2.0 * mesh->middles[curve][k][d] - 0.5 * (corners[sedge_edge_vertices[k][0]][d] +
                                                          corners[sedge_edge_vertices[k][1]][d]);
        }
        join(&own, control, control);
    }
    for (int d = 0; d < 3; d++) {
        const double margin = 4.0 * tolerance * (own.high[d] - own.low[d]) +
                              8.0 * DBL_EPSILON * fmax(fabs(own.low[d]), fabs(own.high[d]));
        own.low[d] -= margin;
        own.high[d] += margin;
    }
    join(box, own.low, own.high);
}

sedge_status sedge_locator_create(sedge_locator **out, const sedge_mesh *mesh)
{
    sedge_locator *locator = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&locator, 1, sizeof *locator));
    locator->mesh = mesh;
    locator->leaves = 1;
    while (locator->leaves * LEAF_ELEMENTS < mesh->elements) locator->leaves *= 2;
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&locator->boxes, 2 * locator->leaves, sizeof *locator->boxes));
    for (int64_t n = 0; n < 2 * locator->leaves; n++) clear(&locator->boxes[n]);
    for (int32_t e = 0; e < mesh->elements; e++)
        join_element(&locator->boxes[locator->leaves + e / LEAF_ELEMENTS], mesh, e);
    for (int64_t n = locator->leaves - 1; n > 0; n--) {
        for (int64_t child = 2 * n; child <= 2 * n + 1; child++)
            join(&locator->boxes[n], locator->boxes[child].low, locator->boxes[child].high);
    }
    *out = locator;
    locator = NULL; // now the caller's
done:
    sedge_locator_free(locator);
    return status;
}

void sedge_locator_free(sedge_locator *locator)
{
    if (locator == NULL) return;
    sedge_release(locator->boxes);
    sedge_release(locator);
}

static bool holds(const span *box, const double point[3])
{
    for (int d = 0; d < 3; d++)
        if (point[d] < box->low[d] || point[d] > box->high[d]) return false;
    return true;
}

int32_t sedge_locator_find(const sedge_locator *locator, const double point[3], double rst[3])
{
    const sedge_mesh *const mesh = locator->mesh;
    best found = {.element = -1, .least = -DBL_MAX};
    int64_t stack[DEEPEST];
    int height = 0;

    stack[height++] = 1;
    while (height > 0) {
        const int64_t n = stack[--height];
        if (!holds(&locator->boxes[n], point)) continue;
        if (n < locator->leaves) {
            stack[height++] = 2 * n;
            stack[height++] = 2 * n + 1;
            continue;
        }
        const int32_t first = (int32_t)(n - locator->leaves) * LEAF_ELEMENTS;
        for (int32_t e = first; e < mesh->elements && e < first + LEAF_ELEMENTS; e++)
            try_element(&found, mesh, e, point);
    }
    return report(&found, rst);
}
