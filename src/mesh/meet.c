// How two triangles of the outer surface meet.
#include "outer.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

// The heights of a's corners above the plane of b, and the smallest and largest of them.
typedef struct heights {
    double h[3];
    double low, high;
} heights;

static heights measure(const sedge_outer_face *a, const sedge_outer_face *b)
{
    heights out = {.low = DBL_MAX, .high = -DBL_MAX};

    for (int i = 0; i < 3; i++) {
        double step[3];
        for (int d = 0; d < 3; d++) step[d] = a->x[i][d] - b->x[0][d];
        out.h[i] = dot(step, b->normal);
        if (out.h[i] < out.low) out.low = out.h[i];
        if (out.h[i] > out.high) out.high = out.h[i];
    }
    return out;
}

static bool are_near(const double a[3], const double b[3], double tolerance)
{
    double square = 0.0;

    for (int d = 0; d < 3; d++) square += (a[d] - b[d]) * (a[d] - b[d]);
    return square <= tolerance * tolerance;
}

// Do they have the same corners and nodes of edges, seen from opposite sides (corner i of one is
// corner o - i of the other) or, with `turn` 1, from the same side (corner o + i)?
static bool are_equal(const sedge_outer_face *a, const sedge_outer_face *b, int turn,
                      double tolerance)
{
    for (int o = 0; o < 3; o++) {
        bool equal = true;
        for (int i = 0; i < 3 && equal; i++) {
            const int k = (o + turn * i + 3) % 3;
            equal = are_near(a->x[i], b->x[k], tolerance);
            // The edge from corner i to i + 1 is that from k to k + 1 or from k to k - 1.
            const int edge = turn > 0 ? k : (k + 2) % 3;
            if (equal && a->bend > 0.0)
                equal = are_near(a->middles[i], b->middles[edge], tolerance);
        }
        if (equal) return true;
    }
    return false;
}

// The distance of the corner x from the curved face b or its continuation: along the normal of b's
// triangle, at the barycentric coordinates of x projected onto the triangle.
static double find_distance(const sedge_outer_face *b, const double x[3])
{
    double lambda[3];
    double height = 0.0;
    double whole = 0.0;

    for (int i = 0; i < 3; i++) { // lambda i: the triangle of x and the other two corners
        double edge[3], step[3], area[3];
        for (int d = 0; d < 3; d++) {
            edge[d] = b->x[(i + 2) % 3][d] - b->x[(i + 1) % 3][d];
            step[d] = x[d] - b->x[(i + 1) % 3][d];
            height += (x[d] - b->x[i][d]) * b->normal[d] / 3.0;
        }
        cross(edge, step, area);
        lambda[i] = dot(area, b->normal);
        whole += lambda[i];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        double bend = 0.0;
        for (int d = 0; d < 3; d++)
            bend += (b->middles[i][d] - 0.5 * (b->x[i][d] + b->x[j][d])) * b->normal[d];
        height -= 4.0 * lambda[i] * lambda[j] / (whole * whole) * bend;
    }
    return fabs(height);
}

// Do two curved faces, back to back, have an edge in common and lie on each other beside it? If two
// volumes have the same surface but different triangles on it, the nodes on the surface's edges are
// nevertheless the same. The third corner of each face is then off the other face only by the error
// of second-order faces, some percent of the bend. If two surfaces touch only in a line, the third
// corners are off by as much as the faces are bent.
static bool have_seam(const sedge_outer_face *a, const sedge_outer_face *b, double tolerance)
{
    const double near = tolerance + 0.1 * fmin(a->bend, b->bend);

    if (!(dot(a->normal, b->normal) < 0.0)) return false;
    for (int o = 0; o < 9; o++) {
        const int i = o / 3;
        const int k = o % 3;
        if (are_near(a->x[i], b->x[(k + 1) % 3], tolerance) &&
            are_near(a->x[(i + 1) % 3], b->x[k], tolerance) &&
            are_near(a->middles[i], b->middles[k], tolerance)) {
            return find_distance(b, a->x[(i + 2) % 3]) <= near &&
                   find_distance(a, b->x[(k + 2) % 3]) <= near;
        }
    }
    return false;
}

enum { CORNERS = 6 }; // of a triangle that three planes have cut

// Clip a polygon by the plane through x with the normal n; the part on the side of -n remains.
static int cut(double polygon[CORNERS][3], int count, const double x[3], const double n[3])
{
    double kept[CORNERS + 1][3];
    int corners = 0;

    for (int i = 0; i < count; i++) {
        const double *const p = polygon[i];
        const double *const q = polygon[(i + 1) % count];
        const double a = dot(p, n) - dot(x, n);
        const double b = dot(q, n) - dot(x, n);
        if (a <= 0.0 && corners <= CORNERS) memcpy(kept[corners++], p, sizeof *kept);
        if ((a <= 0.0) == (b <= 0.0) || corners > CORNERS) continue;
        for (int d = 0; d < 3; d++) kept[corners][d] = p[d] + a / (a - b) * (q[d] - p[d]);
        corners++;
    }
    if (corners > CORNERS) corners = CORNERS; // rounding alone can make more
    memcpy(polygon, kept, (size_t)corners * sizeof *kept);
    return corners;
}

// The area of the part of a that lies above or below b. Coordinates are relative to a corner of b,
// so that no digits are lost far from the origin.
static double find_overlap(const sedge_outer_face *a, const sedge_outer_face *b)
{
    double polygon[CORNERS][3];
    double corner[3][3];
    double sum[3] = {0.0, 0.0, 0.0};
    int count = 3;

    for (int i = 0; i < 3; i++) {
        for (int d = 0; d < 3; d++) {
            polygon[i][d] = a->x[i][d] - b->x[0][d];
            corner[i][d] = b->x[i][d] - b->x[0][d];
        }
    }
    for (int i = 0; i < 3 && count > 0; i++) {
        double edge[3], outward[3];
        for (int d = 0; d < 3; d++) edge[d] = corner[(i + 1) % 3][d] - corner[i][d];
        cross(edge, b->normal, outward);
        count = cut(polygon, count, corner[i], outward);
    }
    for (int i = 0; i < count; i++) {
        double part[3];
        cross(polygon[i], polygon[(i + 1) % count], part);
        for (int d = 0; d < 3; d++) sum[d] += 0.5 * part[d];
    }
    return sqrt(dot(sum, sum));
}

// The part of the line `along`, where the planes meet, that lies in the triangle.
static void find_span(const sedge_outer_face *face, const heights *above, const double origin[3],
                      const double along[3], double span[2])
{
    span[0] = DBL_MAX;
    span[1] = -DBL_MAX;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const double a = above->h[i];
        const double b = above->h[j];
        if ((a <= 0.0) == (b <= 0.0)) continue;
        double x[3];
        for (int d = 0; d < 3; d++)
            x[d] = face->x[i][d] - origin[d] + a / (a - b) * (face->x[j][d] - face->x[i][d]);
        span[0] = fmin(span[0], dot(x, along));
        span[1] = fmax(span[1], dot(x, along));
    }
}

// Each face crosses the plane of the other. Do they cross at the same place?
static bool do_cross(const sedge_outer_face *a, const sedge_outer_face *b, const heights *a_above,
                     const heights *b_above, double tolerance)
{
    double along[3];
    double spans[2][2];

    cross(a->normal, b->normal, along);
    const double length = sqrt(dot(along, along));
    for (int d = 0; d < 3; d++) along[d] /= length;
    find_span(a, a_above, b->x[0], along, spans[0]);
    find_span(b, b_above, b->x[0], along, spans[1]);
    return fmin(spans[0][1], spans[1][1]) - fmax(spans[0][0], spans[1][0]) > tolerance;
}

sedge_meeting sedge_outer_meet(const sedge_outer_face *a, const sedge_outer_face *b,
                               double rounding)
{
    const double size = fmin(a->size, b->size);
    const double bend = a->bend + b->bend;
    const double tolerance = SEDGE_OUTER_TOLERANCE * size + rounding;
    const double deep = tolerance + bend;

    if (a->element == b->element) return SEDGE_MEETING_NONE; // a flat one may fold that much
    const heights a_above = measure(a, b);
    if (a_above.low > deep || a_above.high < -deep) return SEDGE_MEETING_NONE;
    const heights b_above = measure(b, a);
    if (b_above.low > deep || b_above.high < -deep) return SEDGE_MEETING_NONE;
    if ((a->bend > 0.0) == (b->bend > 0.0)) {
        if (are_equal(a, b, -1, tolerance)) return SEDGE_MEETING_EQUAL;
        if (are_equal(a, b, 1, tolerance)) return SEDGE_MEETING_COVERING;
    }
    if (a->bend > 0.0 && b->bend > 0.0 && have_seam(a, b, tolerance)) return SEDGE_MEETING_TOUCHING;
    const bool a_lies = fmax(-a_above.low, a_above.high) <= tolerance;
    const bool b_lies = fmax(-b_above.low, b_above.high) <= tolerance;
    if ((a_lies || b_lies) && !(bend > 0.0)) {
        // Neighbours in a plane overlap by rounding.
        const double area = a_lies ? find_overlap(a, b) : find_overlap(b, a);
        if (!(area > tolerance * size)) return SEDGE_MEETING_NONE;
        return dot(a->normal, b->normal) < 0.0 ? SEDGE_MEETING_TOUCHING : SEDGE_MEETING_COVERING;
    }
    const bool through =
        a_above.low < -deep && a_above.high > deep && b_above.low < -deep && b_above.high > deep;
    return through && do_cross(a, b, &a_above, &b_above, deep) ? SEDGE_MEETING_CROSSING
                                                               : SEDGE_MEETING_NONE;
}
