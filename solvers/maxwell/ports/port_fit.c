// Shapes of ports' surfaces, and rectangular waveguides.
#include "port_fit.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI          3.14159265358979323846
#define VACUUM_OHMS 376.730313668
#define FLAT        1e-6 // of the surface's size: the digits of mesh files
#define ROUND       1e-4 // of a radius

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

sedge_status port_fit_plane(port_plane *out, const char *surface, const sedge_surface_shape *shape)
{
    double largest = 0.0;

    *out = (port_plane){.size = find_size(shape)};
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
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "boundaries.%s: the port has no face", surface);
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
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: a port must be flat, and the corner (%.6g, %.6g, %.6g) "
                          "is %.3g away from the plane of the others; a cut by mesh.surfaces "
                          "follows the faces of the mesh: let the mesh have the plane",
                          surface, x[0], x[1], x[2], off);
    }
    return SEDGE_OK;
}

// ---- rectangles --------------------------------------------------------------------------------

// The least and the largest coordinate of all corners along a direction.
static void find_extent(const double direction[3], const sedge_surface_shape *shape, double out[2])
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

sedge_status port_fit_rectangle(double origin[3], double across[3], double lengths[2],
                                const port_plane *plane, const double along[3], const char *surface,
                                const sedge_surface_shape *shape)
{
    const double *const n = plane->normal;
    double extent[3][2];

    if (fabs(dot(n, along)) > FLAT) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: the direction (%.4g, %.4g, %.4g) does not lie in the "
                          "plane of the port, whose normal is (%.4g, %.4g, %.4g)",
                          surface, along[0], along[1], along[2], n[0], n[1], n[2]);
    }
    cross(n, along, across);
    find_extent(along, shape, extent[0]);
    find_extent(across, shape, extent[1]);
    find_extent(n, shape, extent[2]);
    for (int i = 0; i < 2; i++) lengths[i] = extent[i][1] - extent[i][0];
    for (int d = 0; d < 3; d++)
        origin[d] = extent[0][0] * along[d] + extent[1][0] * across[d] + extent[2][0] * n[d];
    const double area = lengths[0] * lengths[1];
    if (fabs(plane->area - area) <= FLAT * area) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the port must be a whole rectangle with two sides along "
                      "(%.4g, %.4g, %.4g); the faces have the area %.6g, and the rectangle around "
                      "them %.6g by %.6g",
                      surface, along[0], along[1], along[2], plane->area, lengths[0], lengths[1]);
}

// ---- rings -------------------------------------------------------------------------------------

// An edge of a face, its ends in ascending order.
typedef struct edge {
    double ends[6];
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *const one = a;
    const edge *const other = b;

    for (int i = 0; i < 6; i++) {
        if (one->ends[i] < other->ends[i]) return -1;
        if (one->ends[i] > other->ends[i]) return 1;
    }
    return 0;
}

// The edges of only one face each: the surface's outline. `*count` of them, in front.
static sedge_status find_outline(edge **out, int64_t *count, const sedge_surface_shape *shape)
{
    const int64_t all = 3 * shape->count;
    edge *edges = NULL;
    int64_t kept = 0;

    SEDGE_TRY(sedge_allocate(&edges, all, sizeof *edges));
    for (int64_t i = 0; i < all; i++) {
        const double *const corners = shape->triangles[i / 3];
        const double *const a = corners + i % 3 * 3;
        const double *const b = corners + (i + 1) % 3 * 3;
        const bool swap =
            a[0] > b[0] || (!(a[0] < b[0]) && (a[1] > b[1] || (!(a[1] < b[1]) && a[2] > b[2])));
        memcpy(edges[i].ends, swap ? b : a, 3 * sizeof *a);
        memcpy(edges[i].ends + 3, swap ? a : b, 3 * sizeof *a);
    }
    qsort(edges, (size_t)all, sizeof *edges, compare_edges);
    for (int64_t i = 0; i < all; i++) {
        const bool before = i > 0 && compare_edges(&edges[i], &edges[i - 1]) == 0;
        const bool behind = i + 1 < all && compare_edges(&edges[i], &edges[i + 1]) == 0;
        if (!before && !behind) edges[kept++] = edges[i];
    }
    *out = edges;
    *count = kept;
    return SEDGE_OK;
}

// The common centre of the points, those nearer to `guess` than `middle` on one circle and the
// others on another: least squares of |x|^2 = 2 x.c + d_k, x from the guess, in the plane of u, v.
static void improve_centre(double guess[3], double middle, const double u[3], const double v[3],
                           const edge *outline, int64_t count)
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
                       const edge *outline, int64_t count)
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

static sedge_status fit_circles(double centre[3], double radii[2], const port_plane *plane,
                                const char *surface, const edge *outline, int64_t count)
{
    double found[2][2] = {{0.0}}, u[3], v[3], x[3] = {0.0, 0.0, 0.0};
    double middle = HUGE_VAL;
    int least = 0;

    for (int d = 1; d < 3; d++)
        if (fabs(plane->normal[d]) < fabs(plane->normal[least])) least = d;
    x[least] = 1.0;
    cross(plane->normal, x, u);
    for (int d = 0; d < 3; d++) u[d] /= sqrt(1.0 - plane->normal[least] * plane->normal[least]);
    cross(plane->normal, u, v);
    for (int64_t i = 0; i < 2 * count; i++) {
        for (int d = 0; d < 3; d++)
            centre[d] += outline[i / 2].ends[i % 2 * 3 + d] / (double)(2 * count);
    }
    for (int round = 0; round < 8; round++) {
        find_radii(found, centre, HUGE_VAL, outline, count);
        middle = sqrt(found[0][0] * found[0][1]);
        improve_centre(centre, middle, u, v, outline, count);
    }
    find_radii(found, centre, middle, outline, count);
    for (int k = 0; k < 2; k++) radii[k] = 0.5 * (found[k][0] + found[k][1]);
    const bool round = found[0][1] - found[0][0] <= ROUND * radii[0] &&
                       found[1][1] - found[1][0] <= ROUND * radii[1] && radii[0] < radii[1];
    // The faces fill it, but for the parts between the circles and the edges, which are chords.
    const double area = PI * (radii[1] * radii[1] - radii[0] * radii[0]);
    if (round && fabs(plane->area / area - 1.0) < 0.5) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the port must be a ring between two circles around one "
                      "centre; from (%.6g, %.6g, %.6g) the corners of its outline are %.6g to "
                      "%.6g and %.6g to %.6g away, and its area is %.6g",
                      surface, centre[0], centre[1], centre[2], found[0][0], found[0][1],
                      found[1][0], found[1][1], plane->area);
}

sedge_status port_fit_ring(double centre[3], double radii[2], const port_plane *plane,
                           const char *surface, const sedge_surface_shape *shape)
{
    edge *outline = NULL;
    int64_t count = 0;

    for (int d = 0; d < 3; d++) centre[d] = 0.0;
    SEDGE_TRY(find_outline(&outline, &count, shape));
    const sedge_status status = fit_circles(centre, radii, plane, surface, outline, count);
    sedge_release(outline);
    return status;
}

// ---- media -------------------------------------------------------------------------------------

static bool is_same(const double *m, const double *other)
{
    for (int k = 0; k < MAXWELL_MATERIAL_VALUES; k++)
        if (fabs(m[k] - other[k]) > 1e-12 * fabs(m[k])) return false;
    return true;
}

sedge_status port_fit_medium(int *volume, const sedge_problem *problem, const char *surface,
                             const sedge_surface_shape *shape, bool uniform)
{
    *volume = shape->volumes[0][0];
    for (int64_t i = 0; i < 2 * shape->count; i++) {
        const int v = shape->volumes[i / 2][i % 2];
        if (v < 0) continue;
        for (int t = 0; t < problem->term_count; t++) {
            const sedge_term_kind *const kind = problem->terms[t].kind;
            if (!problem->terms[t].present[v] || (!uniform && kind->layer == 0)) continue;
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "boundaries.%s: beside the port is %s '%s', which is not possible: "
                              "%s",
                              surface,
                              kind->layer != 0 ? "an absorbing layer, with" : "a medium with",
                              kind->name,
                              kind->layer != 0 ? "let an element at least lie between them"
                                               : "a mode of a waveguide needs one medium without "
                                                 "loss, the same in all directions");
        }
        const double *const m = problem->materials[v];
        if (!uniform ||
            (!(fabs(m[MAXWELL_DECAY]) > 0.0) && is_same(m, problem->materials[*volume])))
            continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: a mode of a waveguide needs one medium without loss on "
                          "both sides of all the port, and beside it are several, or one that "
                          "conducts",
                          surface);
    }
    return SEDGE_OK;
}

// ---- numbers of the law ------------------------------------------------------------------------

void port_set_resistor(double *p, double resistance, double squares)
{
    p[PORT_SQUARES] = squares;
    p[PORT_CONDUCTANCE] = 1.0 / (resistance * squares);
    p[PORT_GAIN] = 2.0 * p[PORT_CONDUCTANCE]; // the source has twice the wave's voltage
}

double port_shown_resistance(double resistance, double hertz)
{
    return hertz > 0.0 ? resistance * VACUUM_OHMS : resistance;
}

bool port_is(const sedge_boundary_kind *kind)
{
    static const char law[] = "maxwell_port"; // or maxwell_port_outside

    return kind != NULL && kind->function != NULL && strncmp(kind->function, law, strlen(law)) == 0;
}

bool port_is_guide(const sedge_boundary_kind *kind)
{
    return port_is(kind) && kind->parameters == port_guide_parameters;
}

void port_normal(const sedge_boundary *boundary, double normal[3])
{
    const double *const p = boundary->parameters;

    if (port_is_guide(boundary->kind)) {
        cross(p + PORT_U, p + PORT_V, normal);
    } else {
        memcpy(normal, p + PORT_V, 3 * sizeof *normal);
    }
}

// ---- waveguides --------------------------------------------------------------------------------

const sedge_parameter port_guide_parameters[PORT_GUIDE_PARAMETERS] = {
    {.name = "m",
     .type = SEDGE_PARAMETER_INTEGER,
     .required = true,
     .minimum = 0.0,
     .maximum = 99.0,
     .text = "half waves along the longer side of the cross-section, or along `axis`"},
    {.name = "n",
     .type = SEDGE_PARAMETER_INTEGER,
     .required = true,
     .minimum = 0.0,
     .maximum = 99.0,
     .text = "half waves along the other side"},
    {.name = "direction",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .nonzero = true,
     .text = "into the structure, across the port"},
    {.name = "axis",
     .type = SEDGE_PARAMETER_VECTOR,
     .text = "one side of the cross-section; [0, 0, 0]: the longer one, which then lies along x, "
             "y or z"},
    {.name = "shift",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_LENGTH,
     .text = "by which the plane that S-parameters refer to lies further into the structure"},
};

// The side of the guide along which m counts, into the half-space where its largest component is
// above 0.
static sedge_status find_side(double side[3], const double *p, const port_plane *plane,
                              const char *surface, const sedge_surface_shape *shape)
{
    const double *const given = p + GUIDE_AXIS;
    const double length = sqrt(dot(given, given));
    double longest = 0.0, other = 0.0;

    for (int d = 0; d < 3; d++) side[d] = 0.0;
    for (int d = 0; d < 3 && length > 0.0; d++) side[d] = given[d] / length;
    if (length > 0.0) return SEDGE_OK;
    for (int d = 0; d < 3; d++) {
        double axis[3] = {0.0, 0.0, 0.0}, extent[2];
        axis[d] = 1.0;
        if (fabs(plane->normal[d]) > FLAT) continue;
        find_extent(axis, shape, extent);
        const double size = extent[1] - extent[0];
        other = size > longest ? longest : size;
        if (!(size > longest)) continue;
        longest = size;
        memcpy(side, axis, sizeof axis);
    }
    if (longest > 0.0 && other < longest * (1.0 - FLAT)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: 'axis' is needed, a vector along the side of the "
                      "cross-section along which m counts: %s",
                      surface,
                      longest > 0.0 ? "its sides are equal" : "no side lies along x, y or z");
}

sedge_status port_fit_guide(const sedge_problem *problem, const char *surface,
                            const sedge_surface_shape *shape, double *p, int profile)
{
    const double m = p[GUIDE_M], n = p[GUIDE_N];
    const double *const into = p + GUIDE_DIRECTION;
    double side[3], lengths[2];
    port_plane plane;
    int volume = 0;

    if (!(profile == PORT_TE ? m + n > 0.0 : m * n > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "boundaries.%s: there is no mode T%c%g%g: %s", surface,
                          profile == PORT_TE ? 'E' : 'M', m, n,
                          profile == PORT_TE ? "m or n must be 1 or more"
                                             : "m and n must be 1 or more");
    }
    SEDGE_TRY(port_fit_plane(&plane, surface, shape));
    const double along = dot(into, plane.normal) / sqrt(dot(into, into));
    if (fabs(fabs(along) - 1.0) > FLAT) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: the direction (%.4g, %.4g, %.4g) is not across the port, "
                          "whose normal is (%.4g, %.4g, %.4g)",
                          surface, into[0], into[1], into[2], plane.normal[0], plane.normal[1],
                          plane.normal[2]);
    }
    SEDGE_TRY(find_side(side, p, &plane, surface, shape));
    SEDGE_TRY(
        port_fit_rectangle(p + PORT_ORIGIN, p + PORT_V, lengths, &plane, side, surface, shape));
    SEDGE_TRY(port_fit_medium(&volume, problem, surface, shape, true));
    memcpy(p + PORT_U, side, sizeof side);
    p[PORT_PROFILE] = profile;
    p[PORT_VOLUME] = volume;
    const double ku = PI * m / lengths[0], kv = PI * n / lengths[1];
    // Integrals of cos^2 and of sin^2 of m or n half waves, and of the field squared.
    const double cu = lengths[0] * (m > 0.0 ? 0.5 : 1.0), su = m > 0.0 ? 0.5 * lengths[0] : 0.0;
    const double cv = lengths[1] * (n > 0.0 ? 0.5 : 1.0), sv = n > 0.0 ? 0.5 * lengths[1] : 0.0;
    const double squares = profile == PORT_TE ? kv * kv * cu * sv + ku * ku * su * cv
                                              : ku * ku * cu * sv + kv * kv * su * cv;
    p[PORT_KU] = ku;
    p[PORT_KV] = kv;
    p[PORT_SCALE] = (m > 0.0 ? 1.0 : -1.0) / sqrt(squares);
    p[PORT_SQUARES] = 1.0;
    p[PORT_CONDUCTANCE] = 0.0;
    p[PORT_GAIN] = 2.0 * problem->materials[volume][MAXWELL_Y];
    return SEDGE_OK;
}

// Wave number at the cut-off.
static double cutoff_number(const double *p)
{
    return hypot(p[PORT_KU], p[PORT_KV]);
}

void port_describe_guide(char text[160], const char *family, const double *p, double hertz)
{
    // The cut-off in vacuum: the material is not known here.
    const double frequency = cutoff_number(p) / (2.0 * PI);

    (void)snprintf(text, 160, "%s%g%g, cut-off in vacuum %.6g%s", family, p[GUIDE_M], p[GUIDE_N],
                   hertz > 0.0 ? frequency * hertz : frequency, hertz > 0.0 ? " Hz" : "");
}

static const double *medium_of(const sedge_problem *problem, const double *p)
{
    return problem->materials[(int)p[PORT_VOLUME]];
}

double port_cutoff(const sedge_problem *problem, const double *p)
{
    const double *const m = medium_of(problem, p);

    return cutoff_number(p) * sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]) / (2.0 * PI);
}

// sqrt(1 - (f_c / f)^2)
static double find_slope(const sedge_problem *problem, const double *p, double frequency)
{
    const double part = port_cutoff(problem, p) / frequency;

    return part <= 1.0 / 1.01 ? sqrt(1.0 - part * part) : (double)NAN;
}

double port_impedance(const sedge_problem *problem, const double *p, double frequency)
{
    const double slope = find_slope(problem, p, frequency);
    const double z = medium_of(problem, p)[MAXWELL_Z];

    return (int)p[PORT_PROFILE] == PORT_TE ? z / slope : z * slope;
}

double port_phase(const sedge_problem *problem, const double *p, double frequency)
{
    const double *const m = medium_of(problem, p);

    return 2.0 * PI * frequency * find_slope(problem, p, frequency) /
           sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]);
}
