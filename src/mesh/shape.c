// Measures of one tetrahedron, and the check that all of them have a volume of one sign.
#include "global.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { GRAIN = 8192 }; // elements for one thread

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; d++) out[d] = a[d] - b[d];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Edges from vertex 0.
static void find_edges(double corners[4][3], double edges[3][3])
{
    for (int i = 0; i < 3; i++) subtract(corners[i + 1], corners[0], edges[i]);
}

double sedge_tet_volume(double corners[4][3])
{
    double edges[3][3];
    double normal[3];

    find_edges(corners, edges);
    cross(edges[1], edges[2], normal);
    return dot(edges[0], normal) / 6.0;
}

// The sum of the faces' areas, and the largest of them.
static double find_surface(double corners[4][3], double *largest)
{
    double sum = 0.0;

    *largest = 0.0;
    for (int f = 0; f < SEDGE_FACES; f++) {
        const int *const v = sedge_face_vertices[f];
        double a[3];
        double b[3];
        double normal[3];
        subtract(corners[v[1]], corners[v[0]], a);
        subtract(corners[v[2]], corners[v[0]], b);
        cross(a, b, normal);
        const double area = 0.5 * sqrt(dot(normal, normal));
        sum += area;
        *largest = fmax(*largest, area);
    }
    return sum;
}

double sedge_longest_edge(double corners[4][3])
{
    double longest = 0.0;

    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            double edge[3];
            subtract(corners[i], corners[j], edge);
            const double square = dot(edge, edge);
            if (square > longest) longest = square;
        }
    }
    return sqrt(longest);
}

// In a unit near the longest edge, so that no product of edges leaves the range of numbers. It is a
// power of two, which rounds nothing; returns its exponent.
static int scale(double corners[4][3], double scaled[4][3])
{
    int exponent;

    (void)frexp(sedge_longest_edge(corners), &exponent);
    const double unit = ldexp(1.0, -exponent);
    for (int v = 0; v < 4; v++)
        for (int d = 0; d < 3; d++) scaled[v][d] = corners[v][d] * unit;
    return exponent;
}

double sedge_tet_inradius(double corners[4][3])
{
    double scaled[4][3];
    double largest;
    const int exponent = scale(corners, scaled);
    const double area = find_surface(scaled, &largest);

    return area > 0.0 ? ldexp(3.0 * fabs(sedge_tet_volume(scaled)) / area, exponent) : 0.0;
}

double sedge_tet_height(double corners[4][3])
{
    double scaled[4][3];
    double largest;
    const int exponent = scale(corners, scaled);

    (void)find_surface(scaled, &largest);
    return largest > 0.0 ? ldexp(3.0 * fabs(sedge_tet_volume(scaled)) / largest, exponent) : 0.0;
}

// With R = |a^2 (b x c) + b^2 (c x a) + c^2 (a x b)| / (12 V) and r = 3 V / S, 3 r / R has no
// division by V.
double sedge_tet_quality(double corners[4][3])
{
    double scaled[4][3];
    double e[3][3];
    double sum[3] = {0.0, 0.0, 0.0};
    double largest;

    (void)scale(corners, scaled);
    find_edges(scaled, e);
    for (int i = 0; i < 3; i++) {
        double normal[3];
        cross(e[(i + 1) % 3], e[(i + 2) % 3], normal);
        for (int d = 0; d < 3; d++) sum[d] += dot(e[i], e[i]) * normal[d];
    }
    const double volume = sedge_tet_volume(scaled);
    const double below = find_surface(scaled, &largest) * sqrt(dot(sum, sum));
    return below > 0.0 ? 108.0 * volume * volume / below : 0.0;
}

// Volume, or 0 where it cannot be told from 0: flat to 1e-10 of the longest edge cubed, or to the
// rounding of coordinates of this size.
static double find_sign(double corners[4][3])
{
    const double volume = sedge_tet_volume(corners);
    const double edge = sedge_longest_edge(corners);
    double size = 0.0;

    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 3; d++) size = fmax(size, fabs(corners[i][d]));
    const double noise = edge * edge * (1e-10 * edge + 8.0 * DBL_EPSILON * size);
    return fabs(volume) > noise ? volume : 0.0;
}

static void gather_corners(const sedge_global *mesh, int32_t element, double corners[4][3])
{
    for (int v = 0; v < 4; v++)
        memcpy(corners[v], mesh->points[mesh->cells[element][v]], sizeof corners[v]);
}

// Vertices 0 and 1 are exchanged.
static void swap_middles(double middles[SEDGE_EDGES][3])
{
    static const int partners[2][2] = {{1, 2}, {3, 4}};

    for (int p = 0; p < 2; p++) {
        double *const a = middles[partners[p][0]];
        double *const b = middles[partners[p][1]];
        for (int d = 0; d < 3; d++) {
            const double swap = a[d];
            a[d] = b[d];
            b[d] = swap;
        }
    }
}

typedef struct sign_job {
    const sedge_global *mesh;
    int8_t *signs; // [elements] of their volumes
} sign_job;

static void find_signs(void *context, int64_t first, int64_t end)
{
    const sign_job *const job = context;

    for (int64_t e = first; e < end; e++) {
        double corners[4][3];
        gather_corners(job->mesh, (int32_t)e, corners);
        const double volume = find_sign(corners);
        job->signs[e] = (int8_t)((volume > 0.0) - (volume < 0.0));
    }
}

static sedge_status check_signs(const sedge_global *mesh, const int8_t *signs, int64_t *negatives)
{
    char place[SEDGE_PLACE_TEXT];
    int64_t negative = 0;
    int32_t first[2] = {-1, -1}; // first element of positive and of negative volume

    for (int32_t e = 0; e < mesh->elements; e++) {
        if (signs[e] == 0) {
            double corners[4][3];
            gather_corners(mesh, e, corners);
            sedge_global_describe(mesh, e, place);
            return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: %s has no volume: %.3g with edges up to %.3g",
                              mesh->name, place, sedge_tet_volume(corners),
                              sedge_longest_edge(corners));
        }
        const int minus = signs[e] < 0;
        negative += minus;
        if (first[minus] < 0) first[minus] = e;
    }
    if (negative > 0 && negative < mesh->elements) {
        const int minority = negative * 2 <= mesh->elements;
        const int64_t count = minority ? negative : mesh->elements - negative;
        sedge_global_describe(mesh, first[minority], place);
        return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: %lld of %d elements are inverted, the first is %s",
                          mesh->name, (long long)count, mesh->elements, place);
    }
    *negatives = negative;
    return SEDGE_OK;
}

sedge_status sedge_global_orient(sedge_global *mesh)
{
    sign_job job = {.mesh = mesh};
    int64_t negative = 0;

    SEDGE_TRY(sedge_allocate(&job.signs, mesh->elements, sizeof *job.signs));
    sedge_parallel(mesh->threads, mesh->elements, GRAIN, find_signs, &job);
    const sedge_status status = check_signs(mesh, job.signs, &negative);
    sedge_release(job.signs);
    SEDGE_TRY(status);
    for (int32_t e = 0; e < mesh->elements && negative > 0; e++) {
        const int32_t swap = mesh->cells[e][0];
        mesh->cells[e][0] = mesh->cells[e][1];
        mesh->cells[e][1] = swap;
        if (mesh->middles != NULL) swap_middles(mesh->middles[e]);
    }
    return SEDGE_OK;
}
