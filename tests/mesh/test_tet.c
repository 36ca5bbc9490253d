// Measures of one tetrahedron, and the reference element's conventions.
#include "check.h"
#include "mesh/mesh.h"

static const double reference[4][3] = {
    {-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};

// Edge 2 sqrt(2): volume a^3 / (6 sqrt 2) = 8/3, inradius a / (2 sqrt 6) = 1 / sqrt 3.
static void test_regular(void)
{
    double corners[4][3] = {
        {1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};
    const double sign = sedge_tet_volume(corners) > 0.0 ? 1.0 : -1.0;

    CHECK_BOUND(fabs(sign * sedge_tet_volume(corners) - 8.0 / 3.0), 1e-15);
    CHECK_BOUND(fabs(sedge_tet_inradius(corners) - 1.0 / sqrt(3.0)), 1e-15);
    CHECK_BOUND(fabs(sedge_tet_height(corners) - 4.0 / sqrt(3.0)), 1e-15);
    CHECK_BOUND(fabs(sedge_tet_quality(corners) - 1.0), 1e-15);
    for (int v = 0; v < 4; v++)
        for (int d = 0; d < 3; d++) corners[v][d] *= 1e-6;
    CHECK_BOUND(fabs(sedge_tet_quality(corners) - 1.0), 1e-14);
}

// As large and as small as a volume can be told from none.
static void test_far_units(void)
{
    static const double units[4] = {1e-100, 1e-50, 1e60, 1e100};

    for (int u = 0; u < 4; u++) {
        const double a = units[u];
        double corners[4][3] = {{a, a, a}, {a, -a, -a}, {-a, a, -a}, {-a, -a, a}};
        CHECK_BOUND(fabs(sedge_tet_quality(corners) - 1.0), 1e-14);
        CHECK_BOUND(fabs(sedge_tet_inradius(corners) / a - 1.0 / sqrt(3.0)), 1e-14);
        CHECK_BOUND(fabs(sedge_tet_height(corners) / a - 4.0 / sqrt(3.0)), 1e-14);
    }
}

// Of the corner tetrahedron: V = 1/6, S = 3/2 + sqrt(3)/2, of which the largest face has sqrt(3)/2,
// R = sqrt(3)/2.
static void test_corner(void)
{
    double corners[4][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const double inradius = 0.5 / (1.5 + 0.5 * sqrt(3.0));

    CHECK_BOUND(fabs(sedge_tet_volume(corners) - 1.0 / 6.0), 1e-16);
    CHECK_BOUND(fabs(sedge_tet_inradius(corners) - inradius), 1e-16);
    CHECK_BOUND(fabs(sedge_tet_height(corners) - 1.0 / sqrt(3.0)), 1.5e-16);
    CHECK_BOUND(fabs(sedge_tet_quality(corners) - 6.0 * inradius / sqrt(3.0)), 1e-15);
}

static void test_degenerate(void)
{
    double flat[4][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 1.0, 0.0}};
    double point[4][3] = {{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}};

    CHECK(sedge_tet_volume(flat) == 0.0 && sedge_tet_quality(flat) == 0.0);
    CHECK(sedge_tet_inradius(flat) == 0.0 && sedge_tet_height(flat) == 0.0);
    CHECK(sedge_tet_quality(point) == 0.0 && sedge_tet_inradius(point) == 0.0);
    CHECK(sedge_tet_height(point) == 0.0);
}

static void test_reference_faces(void)
{
    double corners[4][3];

    memcpy(corners, reference, sizeof corners);
    CHECK_BOUND(fabs(sedge_tet_volume(corners) - 4.0 / 3.0), 1e-15);
    for (int i = 0; i < 3; i++) { // t = -1, s = -1, r + s + t = -1, r = -1
        CHECK(reference[sedge_face_vertices[0][i]][2] == -1.0);
        CHECK(reference[sedge_face_vertices[1][i]][1] == -1.0);
        const double *const x = reference[sedge_face_vertices[2][i]];
        CHECK(x[0] + x[1] + x[2] == -1.0);
        CHECK(reference[sedge_face_vertices[3][i]][0] == -1.0);
    }
}

static void test_permutations(void)
{
    int seen[27] = {0};

    for (int o = 0; o < 6; o++) {
        const int *const p = sedge_face_permutations[o];
        CHECK(p[0] != p[1] && p[1] != p[2] && p[0] != p[2]);
        CHECK(seen[9 * p[0] + 3 * p[1] + p[2]]++ == 0);
    }
    for (int i = 0; i < 3; i++) CHECK(sedge_face_permutations[0][i] == i);
}

int main(void)
{
    test_regular();
    test_far_units();
    test_corner();
    test_degenerate();
    test_reference_faces();
    test_permutations();
    return CHECK_END();
}
