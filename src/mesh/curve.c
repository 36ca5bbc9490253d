// Elements with curved edges: tetrahedra of second order, ten nodes each.
//
// The map from the reference tetrahedron is a polynomial of degree two in r, s, t, so its
// derivatives are of degree one, the cofactors J dr_j/dx_d of degree two and J of degree three.
#include "global.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

const int sedge_edge_vertices[SEDGE_EDGES][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

// An edge is straight if its middle is off the straight line by less than this part of its length,
// and by no more than the digits of a file in single precision leave open.
static const double straight = 1e-5;

// ---- one element -------------------------------------------------------------------------------

// With the barycentric coordinates l and b_ij = 4 (middle_ij - (corner_i + corner_j) / 2) the map
// is sum_i l_i corner_i + sum_ij l_i l_j b_ij; l_0 = -(1+r+s+t)/2, l_1 = (1+r)/2 and so on.
static void expand(double corners[4][3], double middles[SEDGE_EDGES][3],
                   double c[SEDGE_CURVE_TERMS][3])
{
    // l_i by 1, r, s, t; products by the monomials of mesh.h.
    static const double l[4][4] = {
        {-0.5, -0.5, -0.5, -0.5}, {0.5, 0.5, 0.0, 0.0}, {0.5, 0.0, 0.5, 0.0}, {0.5, 0.0, 0.0, 0.5}};
    static const int monomial[4][4] = {{0, 1, 2, 3}, {1, 4, 7, 8}, {2, 7, 5, 9}, {3, 8, 9, 6}};

    memset(c, 0, SEDGE_CURVE_TERMS * sizeof *c);
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++) c[k][d] += l[i][k] * corners[i][d];
        for (int e = 0; e < SEDGE_EDGES; e++) {
            const int i = sedge_edge_vertices[e][0];
            const int j = sedge_edge_vertices[e][1];
            const double bend = 4.0 * (middles[e][d] - 0.5 * (corners[i][d] + corners[j][d]));
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++) c[monomial[a][b]][d] += bend * l[i][a] * l[j][b];
        }
    }
}

void sedge_curve_place(double c[SEDGE_CURVE_TERMS][3], const double rst[3], double x[3])
{
    const double r = rst[0], s = rst[1], t = rst[2];
    const double m[SEDGE_CURVE_TERMS] = {1.0, r, s, t, r * r, s * s, t * t, r * s, r * t, s * t};

    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int k = 0; k < SEDGE_CURVE_TERMS; k++) x[d] += m[k] * c[k][d];
    }
}

void sedge_curve_tangents(double c[SEDGE_CURVE_TERMS][3], const double rst[3], double dx[3][3])
{
    const double r = rst[0], s = rst[1], t = rst[2];

    for (int d = 0; d < 3; d++) {
        dx[0][d] = c[1][d] + 2.0 * r * c[4][d] + s * c[7][d] + t * c[8][d];
        dx[1][d] = c[2][d] + 2.0 * s * c[5][d] + r * c[7][d] + t * c[9][d];
        dx[2][d] = c[3][d] + 2.0 * t * c[6][d] + r * c[8][d] + s * c[9][d];
    }
}

double sedge_curve_cofactors(double dx[3][3], double cofactor[3][3])
{
    double jacobian = 0.0;

    for (int j = 0; j < 3; j++) {
        const double *const a = dx[(j + 1) % 3];
        const double *const b = dx[(j + 2) % 3];
        for (int d = 0; d < 3; d++)
            cofactor[j][d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    }
    for (int d = 0; d < 3; d++) jacobian += dx[0][d] * cofactor[0][d];
    return jacobian;
}

void sedge_curve_inverse(double dx[3][3], double inverse[3][3])
{
    double cofactor[3][3];
    const double jacobian = sedge_curve_cofactors(dx, cofactor);

    for (int d = 0; d < 3; d++)
        for (int j = 0; j < 3; j++) inverse[d][j] = cofactor[j][d] / jacobian;
}

void sedge_curve_normal(double cofactor[3][3], int face, double normal[3])
{
    for (int d = 0; d < 3; d++) {
        normal[d] = face == 0   ? -cofactor[2][d]
                    : face == 1 ? -cofactor[1][d]
                    : face == 2 ? cofactor[0][d] + cofactor[1][d] + cofactor[2][d]
                                : -cofactor[0][d];
    }
}

// ---- an element of the mesh --------------------------------------------------------------------

int32_t sedge_mesh_curve(const sedge_mesh *mesh, int32_t element)
{
    int32_t before = 0;

    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        const int32_t place = element - range->first;
        if (place < range->count) return range->curved ? before + place : -1;
        if (range->curved) before += range->count;
    }
    return -1;
}

void sedge_mesh_expand(const sedge_mesh *mesh, int32_t element, double c[SEDGE_CURVE_TERMS][3])
{
    const int32_t curve = sedge_mesh_curve(mesh, element);
    double(*const corners)[3] = mesh->corners[element];
    double middles[SEDGE_EDGES][3];

    for (int e = 0; e < SEDGE_EDGES; e++) {
        for (int d = 0; d < 3; d++) {
            middles[e][d] = 0.5 * (corners[sedge_edge_vertices[e][0]][d] +
                                   corners[sedge_edge_vertices[e][1]][d]);
        }
    }
    expand(corners, curve >= 0 ? mesh->middles[curve] : middles, c);
}

double sedge_mesh_normal(const sedge_mesh *mesh, int32_t element, int face, const double rst[3],
                         double normal[3])
{
    double c[SEDGE_CURVE_TERMS][3], dx[3][3], cofactor[3][3];
    double square = 0.0;

    sedge_mesh_expand(mesh, element, c);
    sedge_curve_tangents(c, rst, dx);
    (void)sedge_curve_cofactors(dx, cofactor);
    sedge_curve_normal(cofactor, face, normal);
    for (int d = 0; d < 3; d++) square += normal[d] * normal[d];
    for (int d = 0; d < 3; d++) normal[d] /= sqrt(square);
    return sqrt(square);
}

void sedge_mesh_place(const sedge_mesh *mesh, int32_t element, const double rst[3], double x[3])
{
    const int32_t curve = sedge_mesh_curve(mesh, element);
    double(*const v)[3] = mesh->corners[element];
    const double r = rst[0], s = rst[1], t = rst[2];

    if (curve >= 0) {
        double c[SEDGE_CURVE_TERMS][3];
        expand(v, mesh->middles[curve], c);
        sedge_curve_place(c, rst, x);
        return;
    }
    for (int d = 0; d < 3; d++) {
        x[d] = 0.5 * (-(1.0 + r + s + t) * v[0][d] + (1.0 + r) * v[1][d] + (1.0 + s) * v[2][d] +
                      (1.0 + t) * v[3][d]);
    }
}

// ---- places ------------------------------------------------------------------------------------

enum { NEWTON_STEPS = 30 };

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

// Newton's iteration; far away it may not converge.
static bool iterate(double c[SEDGE_CURVE_TERMS][3], const double point[3], double rst[3])
{
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
        if (!(change < 1e3)) return false;
        if (change < 1e-13) return true;
    }
    return false;
}

double sedge_mesh_coordinates(const sedge_mesh *mesh, int32_t element, const double point[3],
                              double rst[3])
{
    double c[SEDGE_CURVE_TERMS][3];
    double weights[4];
    const double least = find_weights(mesh->corners[element], point, weights);

    for (int d = 0; d < 3; d++) rst[d] = -1.0 + 2.0 * weights[d + 1];
    if (sedge_mesh_curve(mesh, element) < 0) return least;
    sedge_mesh_expand(mesh, element, c);
    if (!iterate(c, point, rst)) return -DBL_MAX;
    return 0.5 * fmin(fmin(1.0 + rst[0], 1.0 + rst[1]),
                      fmin(1.0 + rst[2], -1.0 - rst[0] - rst[1] - rst[2]));
}

void sedge_mesh_box(const sedge_mesh *mesh, int32_t element, double low[3], double high[3])
{
    const int32_t curve = sedge_mesh_curve(mesh, element);
    double(*const corners)[3] = mesh->corners[element];

    for (int d = 0; d < 3; d++) {
        low[d] = high[d] = corners[0][d];
        for (int v = 1; v < 4; v++) { // fmin would be a call
            low[d] = corners[v][d] < low[d] ? corners[v][d] : low[d];
            high[d] = corners[v][d] > high[d] ? corners[v][d] : high[d];
        }
        for (int e = 0; e < SEDGE_EDGES && curve >= 0; e++) { // Bezier's control points hold it
            const double control =
                2.0 * mesh->middles[curve][e][d] - 0.5 * (corners[sedge_edge_vertices[e][0]][d] +
                                                          corners[sedge_edge_vertices[e][1]][d]);
            low[d] = fmin(low[d], control);
            high[d] = fmax(high[d], control);
        }
    }
}

// ---- measures ----------------------------------------------------------------------------------

// Points (i, j, k) / steps of the tetrahedron, where a curved element is looked at.
enum { LATTICE_STEPS = 4 };

static bool next_point(int at[3])
{
    if (++at[0] + at[1] + at[2] <= LATTICE_STEPS) return true;
    at[0] = 0;
    if (++at[1] + at[2] <= LATTICE_STEPS) return true;
    at[1] = 0;
    return ++at[2] <= LATTICE_STEPS;
}

static void measure_point(double c[SEDGE_CURVE_TERMS][3], const int at[3], double *jacobian,
                          double cofactor[3][3])
{
    double rst[3];
    double dx[3][3];

    for (int j = 0; j < 3; j++) rst[j] = 2.0 * at[j] / LATTICE_STEPS - 1.0;
    sedge_curve_tangents(c, rst, dx);
    *jacobian = sedge_curve_cofactors(dx, cofactor);
}

// Returns the least Jacobian.
static double range_jacobian(double c[SEDGE_CURVE_TERMS][3], double *largest)
{
    int at[3] = {0, 0, 0};
    double least = DBL_MAX;

    *largest = -DBL_MAX;
    do {
        double jacobian;
        double cofactor[3][3];
        measure_point(c, at, &jacobian, cofactor);
        least = fmin(least, jacobian);
        *largest = fmax(*largest, jacobian);
    } while (next_point(at));
    return least;
}

double sedge_mesh_bending(const sedge_mesh *mesh, int32_t element)
{
    double c[SEDGE_CURVE_TERMS][3];
    double largest;

    if (sedge_mesh_curve(mesh, element) < 0) return 1.0;
    sedge_mesh_expand(mesh, element, c);
    const double least = range_jacobian(c, &largest);
    return largest / least;
}

double sedge_mesh_volume(const sedge_mesh *mesh, int32_t element)
{
    // Exact to degree three: the centre, and a point a sixth away from three faces, four times.
    static const double points[5][4] = {{-0.5, -0.5, -0.5, -16.0 / 15.0},
                                        {-2.0 / 3.0, -2.0 / 3.0, -2.0 / 3.0, 0.6},
                                        {0.0, -2.0 / 3.0, -2.0 / 3.0, 0.6},
                                        {-2.0 / 3.0, 0.0, -2.0 / 3.0, 0.6},
                                        {-2.0 / 3.0, -2.0 / 3.0, 0.0, 0.6}};
    double c[SEDGE_CURVE_TERMS][3];
    double volume = 0.0;

    if (sedge_mesh_curve(mesh, element) < 0) return sedge_tet_volume(mesh->corners[element]);
    sedge_mesh_expand(mesh, element, c);
    for (int p = 0; p < 5; p++) {
        double dx[3][3];
        double cofactor[3][3];
        sedge_curve_tangents(c, points[p], dx);
        volume += points[p][3] * sedge_curve_cofactors(dx, cofactor);
    }
    return volume;
}

// For lower bounds of a curved element's inradius and heights: the smallest J, and of each face the
// largest |n|, with n = J grad r_f, at all points of the lattice, as if the face went through them.
// Their inverses bound the norms of traces and of 1/J, on which the stable time step depends, as
// far as these points tell.
static double bound_faces(const sedge_mesh *mesh, int32_t element, double largest[SEDGE_FACES])
{
    double c[SEDGE_CURVE_TERMS][3];
    double least = DBL_MAX;
    int at[3] = {0, 0, 0};

    for (int f = 0; f < SEDGE_FACES; f++) largest[f] = 0.0;
    sedge_mesh_expand(mesh, element, c);
    do {
        double jacobian;
        double cofactor[3][3];
        measure_point(c, at, &jacobian, cofactor);
        least = fmin(least, jacobian);
        for (int f = 0; f < SEDGE_FACES; f++) {
            double n[3];
            sedge_curve_normal(cofactor, f, n);
            largest[f] = fmax(largest[f], sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
        }
    } while (next_point(at));
    return least;
}

// The reference tetrahedron has volume 4/3, its faces, in r and s, area 2.
double sedge_mesh_inradius(const sedge_mesh *mesh, int32_t element)
{
    double largest[SEDGE_FACES];

    if (sedge_mesh_curve(mesh, element) < 0) return sedge_tet_inradius(mesh->corners[element]);
    const double least = bound_faces(mesh, element, largest);
    return 3.0 * (4.0 / 3.0) * least / (2.0 * (largest[0] + largest[1] + largest[2] + largest[3]));
}

double sedge_mesh_height(const sedge_mesh *mesh, int32_t element)
{
    double largest[SEDGE_FACES];

    if (sedge_mesh_curve(mesh, element) < 0) return sedge_tet_height(mesh->corners[element]);
    const double least = bound_faces(mesh, element, largest);
    const double face = fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3]));
    return 3.0 * (4.0 / 3.0) * least / (2.0 * face);
}

// ---- the whole mesh ----------------------------------------------------------------------------

// A straight edge's middle is put where it belongs; both elements at an edge see the same numbers
// and decide alike.
static bool is_bent(const double a[3], const double b[3], double middle[3])
{
    double length = 0.0;
    double off = 0.0;
    double size = 0.0;

    for (int d = 0; d < 3; d++) {
        const double centre = 0.5 * (a[d] + b[d]);
        length += (a[d] - b[d]) * (a[d] - b[d]);
        off += (middle[d] - centre) * (middle[d] - centre);
        size = fmax(size, fmax(fabs(a[d]), fabs(b[d])));
    }
    const double digits = fmin(straight * sqrt(length), 2.0 * (double)FLT_EPSILON * size);
    if (sqrt(off) > digits + 16.0 * DBL_EPSILON * size) return true;
    for (int d = 0; d < 3; d++) middle[d] = 0.5 * (a[d] + b[d]);
    return false;
}

sedge_status sedge_global_bend(sedge_global *mesh)
{
    if (mesh->middles == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&mesh->curved, mesh->elements, sizeof *mesh->curved));
    for (int32_t e = 0; e < mesh->elements; e++) {
        double corners[4][3];
        double c[SEDGE_CURVE_TERMS][3];
        double largest;
        for (int v = 0; v < 4; v++)
            memcpy(corners[v], mesh->points[mesh->cells[e][v]], sizeof corners[v]);
        for (int k = 0; k < SEDGE_EDGES; k++) {
            const int *const ends = sedge_edge_vertices[k];
            if (is_bent(corners[ends[0]], corners[ends[1]], mesh->middles[e][k]))
                mesh->curved[e] = 1;
        }
        if (!mesh->curved[e]) continue;
        mesh->global_curved++;
        expand(corners, mesh->middles[e], c);
        const double least = range_jacobian(c, &largest);
        const double whole = 0.75 * sedge_tet_volume(corners);
        if (least > 1e-6 * whole) continue;
        char place[SEDGE_PLACE_TEXT];
        sedge_global_describe(mesh, e, place);
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: the curved %s folds over: its Jacobian falls to %.3g of the "
                          "straight one's; optimise the mesh (in Gmsh, Mesh.HighOrderOptimize = 1 "
                          "with Mesh.HighOrderThresholdMin = 0.5) or refine it there",
                          mesh->name, place, least / whole);
    }
    if (mesh->global_curved > 0) return SEDGE_OK;
    sedge_release(mesh->middles); // nothing but straight edges
    mesh->middles = NULL;
    return SEDGE_OK;
}
