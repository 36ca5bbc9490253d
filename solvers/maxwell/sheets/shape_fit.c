// Flat surfaces: planes, rectangles, gaps, rings and discs.
#include "shape_fit.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI      3.14159265358979323846
#define FLAT    1e-6 // of the surface's size: the digits of mesh files
#define ROUND   1e-4 // of a radius
#define MANY    6    // edges of a circle
#define MOST_OF 0.8  // of a disc's area: polygons have less

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// Twice a triangle's area along its normal.
static void find_normal(const double *triangle, double out[3])
{
    double a[3], b[3];

    for (int i = 0; i < 3; i++) {
        a[i] = triangle[3 + i] - triangle[i];
        b[i] = triangle[6 + i] - triangle[i];
    }
    cross(a, b, out);
}

// ---- planes ------------------------------------------------------------------------------------

static double find_size(const sedge_surface_shape *shape)
{
    double size = 0.0;

    for (int d = 0; d < 3; d++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int64_t i = 0; i < shape->count; i++) {
            for (int k = d; k < 9; k += 3) {
                low = fmin(low, shape->triangles[i][k]);
                high = fmax(high, shape->triangles[i][k]);
            }
        }
        size = fmax(size, high - low);
    }
    return size;
}

sedge_status shape_fit_plane(shape_plane *out, const char *surface,
                             const sedge_surface_shape *shape)
{
    double largest = 0.0;

    *out = (shape_plane){.size = find_size(shape)};
    for (int64_t i = 0; i < shape->count; i++) {
        double n[3];
        find_normal(shape->triangles[i], n);
        const double length = sqrt(dot(n, n));
        out->area += 0.5 * length;
        if (!(length > largest)) continue;
        largest = length;
        for (int d = 0; d < 3; d++) out->normal[d] = n[d] / length;
    }
    if (shape->count == 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "boundaries.%s: the surface has no face", surface);
    // Of the two normals the one whose largest component is above 0.
    int most = 0;
    for (int d = 1; d < 3; d++)
        if (fabs(out->normal[d]) > fabs(out->normal[most]) * (1.0 + FLAT)) most = d;
    for (int d = 0, turn = out->normal[most] < 0.0; d < 3; d++)
        out->normal[d] = turn ? -out->normal[d] : out->normal[d];
    for (int64_t i = 0; i < 3 * shape->count; i++) {
        const double *const x = shape->triangles[i / 3] + i % 3 * 3;
        double from[3];
        for (int d = 0; d < 3; d++) from[d] = x[d] - shape->triangles[0][d];
        const double off = fabs(dot(from, out->normal));
        if (off <= FLAT * out->size) continue;
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "boundaries.%s: the surface must be flat, and the corner (%.6g, %.6g, %.6g) "
            "is %.3g away from the plane of the others; a cut by mesh.surfaces "
            "follows the faces of the mesh: let the mesh have the plane",
            surface, x[0], x[1], x[2], off);
    }
    return SEDGE_OK;
}

// ---- rectangles --------------------------------------------------------------------------------

void shape_find_extent(const double direction[3], const sedge_surface_shape *shape, double out[2])
{
    out[0] = HUGE_VAL;
    out[1] = -HUGE_VAL;
    for (int64_t i = 0; i < shape->count; i++) {
        for (int k = 0; k < 9; k += 3) {
            const double at = dot(&shape->triangles[i][k], direction);
            out[0] = fmin(out[0], at);
            out[1] = fmax(out[1], at);
        }
    }
}

sedge_status shape_fit_rectangle(double origin[3], double across[3], double lengths[2],
                                 const shape_plane *plane, const double along[3],
                                 const char *surface, const sedge_surface_shape *shape)
{
    const double *const n = plane->normal;
    double extent[3][2];

    if (fabs(dot(n, along)) > FLAT) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: the direction (%.4g, %.4g, %.4g) does not lie in the "
                          "plane of the surface, whose normal is (%.4g, %.4g, %.4g)",
                          surface, along[0], along[1], along[2], n[0], n[1], n[2]);
    }
    cross(n, along, across);
    shape_find_extent(along, shape, extent[0]);
    shape_find_extent(across, shape, extent[1]);
    shape_find_extent(n, shape, extent[2]);
    for (int i = 0; i < 2; i++) lengths[i] = extent[i][1] - extent[i][0];
    for (int d = 0; d < 3; d++)
        origin[d] = extent[0][0] * along[d] + extent[1][0] * across[d] + extent[2][0] * n[d];
    const double area = lengths[0] * lengths[1];
    if (fabs(plane->area - area) <= FLAT * area) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the surface must be a whole rectangle with two sides along "
                      "(%.4g, %.4g, %.4g); the faces have the area %.6g, and the rectangle around "
                      "them %.6g by %.6g",
                      surface, along[0], along[1], along[2], plane->area, lengths[0], lengths[1]);
}

// ---- gaps --------------------------------------------------------------------------------------

// The gap becomes that of all parts about a plane of symmetry across axis d.
static sedge_status complete(shape_gap *gap, const sedge_mirror_plane *mirror, int d,
                             const shape_plane *plane, const char *surface,
                             const sedge_surface_shape *shape)
{
    const double axis[3] = {d == 0, d == 1, d == 2};
    const bool electric = mirror->kind == SEDGE_MIRROR_ELECTRIC;
    const double across = fabs(gap->along[d]);
    double extent[2];

    shape_find_extent(axis, shape, extent);
    const double off = fmin(fabs(extent[0] - mirror->position), fabs(extent[1] - mirror->position));
    if (off > FLAT * plane->size) return SEDGE_OK;
    // The field is across an electric plane and in a magnetic one; the gap is across both.
    if (extent[1] - extent[0] > FLAT * plane->size &&
        (electric ? across > 1.0 - FLAT : across < FLAT)) {
        gap->parts *= 2;
        if (electric) gap->length *= 2.0;
        if (!electric) gap->width *= 2.0;
        return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the plane of symmetry %c = %.6g, of type %s, cuts the "
                      "surface, whose direction (%.4g, %.4g, %.4g) must be %s: the field of the "
                      "other part would not be its mirror image",
                      surface, 'x' + d, mirror->position, electric ? "pec" : "pmc", gap->along[0],
                      gap->along[1], gap->along[2],
                      electric ? "across the plane" : "in the plane, and the surface across it");
}

sedge_status shape_fit_gap(shape_gap *out, const sedge_problem *problem, const double direction[3],
                           const char *surface, const sedge_surface_shape *shape)
{
    const double size = sqrt(dot(direction, direction));
    double across[3], lengths[2];
    shape_plane plane;

    *out = (shape_gap){.parts = 1};
    SEDGE_TRY(shape_fit_plane(&plane, surface, shape));
    for (int d = 0; d < 3; d++) {
        out->along[d] = direction[d] / size;
        out->normal[d] = plane.normal[d];
    }
    SEDGE_TRY(
        shape_fit_rectangle(out->origin, across, lengths, &plane, out->along, surface, shape));
    out->length = lengths[0];
    out->width = lengths[1];
    for (int d = 0; d < 3; d++) {
        const sedge_mirror_plane *const mirror = &problem->mirrors[d];
        if (mirror->kind != SEDGE_MIRROR_NONE)
            SEDGE_TRY(complete(out, mirror, d, &plane, surface, shape));
    }
    return SEDGE_OK;
}

// ---- rings -------------------------------------------------------------------------------------

static int compare_edges(const void *a, const void *b)
{
    const shape_edge *const one = a;
    const shape_edge *const other = b;

    for (int i = 0; i < 6; i++) {
        if (one->ends[i] < other->ends[i]) return -1;
        if (one->ends[i] > other->ends[i]) return 1;
    }
    return 0;
}

static void make_edge(shape_edge *out, const double a[3], const double b[3])
{
    const bool swap =
        a[0] > b[0] || (!(a[0] < b[0]) && (a[1] > b[1] || (!(a[1] < b[1]) && a[2] > b[2])));

    memcpy(out->ends, swap ? b : a, 3 * sizeof *a);
    memcpy(out->ends + 3, swap ? a : b, 3 * sizeof *a);
}

// Those of one face alone, or all, each once.
static sedge_status find_edges(shape_edge **out, int64_t *count, const sedge_surface_shape *shape,
                               bool alone)
{
    const int64_t all = 3 * shape->count;
    shape_edge *edges = NULL;
    int64_t kept = 0;

    SEDGE_TRY(sedge_allocate(&edges, all, sizeof *edges));
    for (int64_t i = 0; i < all; i++) {
        const double *const corners = shape->triangles[i / 3];
        make_edge(&edges[i], corners + i % 3 * 3, corners + (i + 1) % 3 * 3);
    }
    qsort(edges, (size_t)all, sizeof *edges, compare_edges);
    for (int64_t i = 0; i < all; i++) {
        const bool before = i > 0 && compare_edges(&edges[i], &edges[i - 1]) == 0;
        const bool behind = i + 1 < all && compare_edges(&edges[i], &edges[i + 1]) == 0;
        if (!before && !(alone && behind)) edges[kept++] = edges[i];
    }
    *out = edges;
    *count = kept;
    return SEDGE_OK;
}

sedge_status shape_find_outline(shape_edge **out, int64_t *count, const sedge_surface_shape *shape)
{
    return find_edges(out, count, shape, true);
}

sedge_status shape_find_edges(shape_edge **out, int64_t *count, const sedge_surface_shape *shape)
{
    return find_edges(out, count, shape, false);
}

int64_t shape_find_edge(const shape_edge *edges, int64_t count, const double a[3],
                        const double b[3])
{
    shape_edge key;

    make_edge(&key, a, b);
    const shape_edge *const found =
        bsearch(&key, edges, (size_t)count, sizeof *edges, compare_edges);
    return found != NULL ? found - edges : -1;
}

// The common centre of the points, those nearer to `guess` than `middle` on one circle and the
// others on another: least squares of |x|^2 = 2 x.c + d_k, x from the guess, in the plane of u, v.
static void improve_centre(double guess[3], double middle, const double u[3], const double v[3],
                           const shape_edge *outline, int64_t count)
{
    double a[4][5] = {{0.0}};

    for (int64_t i = 0; i < 2 * count; i++) {
        double x[3];
        for (int d = 0; d < 3; d++) x[d] = outline[i / 2].ends[i % 2 * 3 + d] - guess[d];
        const double square = dot(x, x);
        const bool outer = square > middle * middle;
        const double row[4] = {2.0 * dot(x, u), 2.0 * dot(x, v), !outer, outer};
        for (int r = 0; r < 4; r++) {
            for (int c = 0; c < 4; c++) a[r][c] += row[r] * row[c];
            a[r][4] += row[r] * square;
        }
    }
    for (int k = 2; k < 4; k++) // a circle that has no points
        if (!(a[k][k] > 0.0)) a[k][k] = 1.0;
    for (int k = 0; k < 4; k++) { // symmetric and positive: no pivots
        if (!(fabs(a[k][k]) > 0.0)) return;
        for (int r = 0; r < 4; r++) {
            const double factor = a[r][k] / a[k][k];
            for (int c = k; c < 5 && r != k; c++) a[r][c] -= factor * a[k][c];
        }
    }
    for (int d = 0; d < 3; d++) guess[d] += a[0][4] / a[0][0] * u[d] + a[1][4] / a[1][1] * v[d];
}

// Least and largest distances of the outline's corners, of those within `middle` and of the others.
static void find_radii(double radii[2][2], const double centre[3], double middle,
                       const shape_edge *outline, int64_t count)
{
    for (int k = 0; k < 2; k++) {
        radii[k][0] = HUGE_VAL;
        radii[k][1] = 0.0;
    }
    for (int64_t i = 0; i < 2 * count; i++) {
        double x[3];
        for (int d = 0; d < 3; d++) x[d] = outline[i / 2].ends[i % 2 * 3 + d] - centre[d];
        const double r = sqrt(dot(x, x));
        double *const pair = radii[r > middle];
        pair[0] = fmin(pair[0], r);
        pair[1] = fmax(pair[1], r);
    }
}

// Does an edge of the outline lead from one circle to the other, as those of a part of a ring do?
static bool is_open(const double centre[3], double middle, const shape_edge *outline, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        bool outer[2];
        for (int k = 0; k < 2; k++) {
            double x[3];
            for (int d = 0; d < 3; d++) x[d] = outline[i].ends[3 * k + d] - centre[d];
            outer[k] = dot(x, x) > middle * middle;
        }
        if (outer[0] != outer[1]) return true;
    }
    return false;
}

// Two unit vectors in the plane, across each other.
static void find_axes(double u[3], double v[3], const shape_plane *plane)
{
    double x[3] = {0.0, 0.0, 0.0};
    int least = 0;

    for (int d = 1; d < 3; d++)
        if (fabs(plane->normal[d]) < fabs(plane->normal[least])) least = d;
    x[least] = 1.0;
    cross(plane->normal, x, u);
    for (int d = 0; d < 3; d++) u[d] /= sqrt(1.0 - plane->normal[least] * plane->normal[least]);
    cross(plane->normal, u, v);
}

// The mean of the outline's corners.
static void find_middle(double centre[3], const shape_edge *outline, int64_t count)
{
    for (int d = 0; d < 3; d++) centre[d] = 0.0;
    for (int64_t i = 0; i < 2 * count; i++) {
        for (int d = 0; d < 3; d++)
            centre[d] += outline[i / 2].ends[i % 2 * 3 + d] / (double)(2 * count);
    }
}

static sedge_status fit_circles(double centre[3], double radii[2], const shape_plane *plane,
                                const char *surface, const shape_edge *outline, int64_t count)
{
    double found[2][2] = {{0.0}}, u[3], v[3];
    double middle = HUGE_VAL;

    find_axes(u, v, plane);
    find_middle(centre, outline, count);
    for (int round = 0; round < 8; round++) {
        find_radii(found, centre, HUGE_VAL, outline, count);
        middle = sqrt(found[0][0] * found[0][1]);
        improve_centre(centre, middle, u, v, outline, count);
    }
    find_radii(found, centre, middle, outline, count);
    for (int k = 0; k < 2; k++) radii[k] = 0.5 * (found[k][0] + found[k][1]);
    const bool round = found[0][1] - found[0][0] <= ROUND * radii[0] &&
                       found[1][1] - found[1][0] <= ROUND * radii[1] && radii[0] < radii[1] &&
                       !is_open(centre, middle, outline, count);
    // The faces fill it, but for the parts between the circles and the edges, which are chords.
    const double area = PI * (radii[1] * radii[1] - radii[0] * radii[0]);
    if (round && fabs(plane->area / area - 1.0) < 0.5) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the surface must be a ring between two circles around one "
                      "centre; from (%.6g, %.6g, %.6g) the corners of its outline are %.6g to "
                      "%.6g and %.6g to %.6g away, and its area is %.6g",
                      surface, centre[0], centre[1], centre[2], found[0][0], found[0][1],
                      found[1][0], found[1][1], plane->area);
}

sedge_status shape_fit_ring(double centre[3], double radii[2], const shape_plane *plane,
                            const char *surface, const sedge_surface_shape *shape)
{
    shape_edge *outline = NULL;
    int64_t count = 0;

    SEDGE_TRY(shape_find_outline(&outline, &count, shape));
    const sedge_status status = fit_circles(centre, radii, plane, surface, outline, count);
    sedge_release(outline);
    return status;
}

sedge_status shape_find_disc(bool *found, double centre[3], double *radius,
                             const shape_plane *plane, const sedge_surface_shape *shape)
{
    double radii[2][2], u[3], v[3];
    shape_edge *outline = NULL;
    int64_t count = 0;

    SEDGE_TRY(shape_find_outline(&outline, &count, shape));
    find_axes(u, v, plane);
    find_middle(centre, outline, count);
    improve_centre(centre, 0.0, u, v, outline, count); // all corners on one circle
    find_radii(radii, centre, 0.0, outline, count);
    sedge_release(outline);
    *radius = 0.5 * (radii[1][0] + radii[1][1]);
    // Corners of a polygon are on a circle, too: one with few is none. Nor is a part of a disc.
    *found = count > MANY && radii[1][1] - radii[1][0] <= ROUND * *radius &&
             plane->area > MOST_OF * PI * *radius * *radius;
    return SEDGE_OK;
}
