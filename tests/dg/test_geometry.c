// The affine map of one element, on random tetrahedra.
#include "dg/element.h"

#include "mesh/mesh.h"

#include "check.h"
#include "random.h"

static void make_tet(double corners[4][3], uint64_t *seed)
{
    do {
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) corners[v][d] = random_value(seed);
    } while (sedge_tet_volume(corners) < 0.02);
}

static void test_map(double corners[4][3])
{
    static const double vertex[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};

    for (int v = 0; v < 4; v++) {
        double x[3];
        sedge_geometry_map(corners, vertex[v][0], vertex[v][1], vertex[v][2], x);
        for (int d = 0; d < 3; d++) CHECK_BOUND(fabs(x[d] - corners[v][d]), 1e-15);
    }
}

// metric is the inverse of dx/dr, J its determinant.
static void test_metric(double corners[4][3], const sedge_geometry *geometry)
{
    CHECK_BOUND(fabs(geometry->jacobian / (6.0 * sedge_tet_volume(corners) / 8.0) - 1.0), 1e-13);
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            double sum = 0.0;
            for (int d = 0; d < 3; d++)
                sum += geometry->metric[j][d] * 0.5 * (corners[k + 1][d] - corners[0][d]);
            CHECK_BOUND(fabs(sum - (j == k ? 1.0 : 0.0)), 1e-12);
        }
    }
}

// Normals are unit, orthogonal to the face, outward; the scale is area / (2 J).
static void test_faces(double corners[4][3], const sedge_geometry *geometry)
{
    double closed[3] = {0.0, 0.0, 0.0}; // sum of area times normal

    for (int f = 0; f < 4; f++) {
        const double *n = geometry->normal[f];
        const double *a = corners[sedge_face_vertices[f][0]];
        const double *b = corners[sedge_face_vertices[f][1]];
        const double *c = corners[sedge_face_vertices[f][2]];
        double cross[3];
        double square = 0.0, along_b = 0.0, along_c = 0.0, inward = 0.0, unit = 0.0;

        for (int d = 0; d < 3; d++) {
            const int i = (d + 1) % 3, j = (d + 2) % 3;
            cross[d] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
            square += cross[d] * cross[d];
            unit += n[d] * n[d];
            along_b += n[d] * (b[d] - a[d]);
            along_c += n[d] * (c[d] - a[d]);
        }
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) inward += n[d] * (corners[v][d] - a[d]);
        const double area = 0.5 * sqrt(square);
        CHECK_BOUND(fabs(unit - 1.0), 1e-13);
        CHECK_BOUND(fabs(along_b), 1e-12);
        CHECK_BOUND(fabs(along_c), 1e-12);
        CHECK(inward < 0.0);
        CHECK_BOUND(fabs(geometry->face_scale[f] * 2.0 * geometry->jacobian / area - 1.0), 1e-12);
        for (int d = 0; d < 3; d++) closed[d] += area * n[d];
    }
    for (int d = 0; d < 3; d++) CHECK_BOUND(fabs(closed[d]), 1e-13);
}

int main(void)
{
    uint64_t seed = 7;

    for (int i = 0; i < 50; i++) {
        double corners[4][3];
        sedge_geometry geometry;
        make_tet(corners, &seed);
        sedge_geometry_compute(&geometry, corners);
        test_map(corners);
        test_metric(corners, &geometry);
        test_faces(corners, &geometry);
    }
    return CHECK_END();
}
