// Products by orbits: the four small matrices give what the whole operator gives, and reflections
// do not change them. The rules of even degree, and the nodes, are symmetric under the
// permutations. The orbits of nodes, coefficients and face nodes and their images are what
// exchanges of barycentric coordinates make of the points.
#include "dg/cubature.h"
#include "dg/orbits.h"
#include "forms/covariant_products.h"

#include "base/memory.h"

#include "check.h"
#include "random.h"
#include "sampled.h"

#include <math.h>
#include <stdbool.h>

static double sign(int z, int j)
{
    return (z & j) == 0 || (z & j) == 3 ? 1.0 : -1.0;
}

// y = A x by orbits; A is [rows' points][columns' points], `reduced` its four matrices.
static void multiply(double *y, const double *reduced, const double *x, const sedge_orbits *rows,
                     const sedge_orbits *columns)
{
    for (int q = 0; q < rows->count; q++) {
        double sum[SEDGE_ORBIT_POINTS] = {0.0};
        for (int z = 0; z < SEDGE_ORBIT_POINTS; z++) {
            for (int o = 0; o < columns->count; o++) {
                double mixed = 0.0;
                for (int j = 0; j < SEDGE_ORBIT_POINTS; j++)
                    mixed += sign(z, j) * x[columns->member[o][j]];
                sum[z] += reduced[(z * rows->count + q) * columns->count + o] * mixed;
            }
        }
        for (int j = 0; j < SEDGE_ORBIT_POINTS; j++) {
            y[rows->member[q][j]] = 0.0;
            for (int z = 0; z < SEDGE_ORBIT_POINTS; z++)
                y[rows->member[q][j]] += sign(z, j) * sum[z];
        }
    }
}

// The orbits, without repeated images, have all points.
static void check_members(const sedge_orbits *orbits, int points)
{
    int found = 0;

    for (int o = 0; o < orbits->count; o++) {
        const int repeats = sedge_orbits_repeats(orbits, o);
        CHECK(SEDGE_ORBIT_POINTS % repeats == 0);
        found += SEDGE_ORBIT_POINTS / repeats;
    }
    CHECK(found == points);
}

// The four matrices do not change if rows and columns become their images, and images of images are
// what they were.
static void check_images(const double *reduced, const sedge_orbits *rows,
                         const sedge_orbits *columns)
{
    double worst = 0.0;

    for (int i = 0; i < SEDGE_ORBIT_POINTS * rows->count * columns->count; i++) {
        const int z = i / columns->count / rows->count;
        const sedge_orbit_image r = rows->image[i / columns->count % rows->count][z];
        const sedge_orbit_image c = columns->image[i % columns->count][z];
        const int image = (z * rows->count + r.orbit) * columns->count + c.orbit;
        worst = fmax(worst, fabs(reduced[image] * r.sign * c.sign - reduced[i]));
        CHECK(columns->image[c.orbit][z].orbit == i % columns->count);
    }
    CHECK_BOUND(worst, 1e-12);
}

// From nodes to points and back. The bound is the rounding of sums of `nodes` terms of both signs
// whose absolute values sum up to less than 100.
static void test_order(int order)
{
    sedge_element *element = NULL;
    sedge_cubature *cubature = NULL;
    sedge_orbits nodes = {0};
    sedge_orbits points = {0};
    double(*place)[3] = NULL;
    double *x = NULL;
    double *y = NULL;
    double *reduced = NULL;
    uint64_t seed = 5;

    CHECK_OK(sedge_element_create(&element, order));
    CHECK_OK(sedge_cubature_create(&cubature, element, 2 * order));
    if (check_failures > 0) return;
    const int n = element->nodes;
    const int count = cubature->volume.points;
    CHECK_OK(sedge_allocate(&place, n, sizeof *place));
    CHECK_OK(sedge_allocate(&x, n, sizeof *x));
    CHECK_OK(sedge_allocate(&y, count, sizeof *y));
    for (int i = 0; i < n; i++) {
        place[i][0] = element->r[i];
        place[i][1] = element->s[i];
        place[i][2] = element->t[i];
        x[i] = random_value(&seed);
    }
    CHECK_OK(sedge_orbits_create(&nodes, place, n));
    CHECK_OK(sedge_orbits_create(&points, cubature->volume.place, count));
    if (check_failures > 0) return;
    check_members(&nodes, n);
    check_members(&points, count);
    CHECK_OK(sedge_allocate(&reduced, (int64_t)SEDGE_ORBIT_POINTS * points.count * nodes.count,
                            sizeof *reduced));
    sedge_orbits_reduce(reduced, cubature->values, n, &points, &nodes);
    multiply(y, reduced, x, &points, &nodes);
    CHECK(nodes.image != NULL);
    CHECK(points.image != NULL || order > 8);
    if (points.image != NULL) check_images(reduced, &points, &nodes);
    double worst = 0.0;
    for (int q = 0; q < count; q++) {
        double sum = -y[q];
        for (int i = 0; i < n; i++) sum += cubature->values[q * n + i] * x[i];
        worst = fmax(worst, fabs(sum));
    }
    CHECK_BOUND(worst, 100.0 * n * 2.2e-16);
    sedge_orbits_reduce(reduced, cubature->project, count, &nodes, &points);
    double *const back = place[0];
    multiply(back, reduced, y, &nodes, &points);
    worst = 0.0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(back[i] - x[i]));
    CHECK_BOUND(worst, 1000.0 * n * 2.2e-16);
    sedge_orbits_clear(&nodes);
    sedge_orbits_clear(&points);
    sedge_release(place);
    sedge_release(x);
    sedge_release(y);
    sedge_release(reduced);
    sedge_cubature_free(cubature);
    sedge_element_free(element);
}

// A point of a set: its barycentric coordinates, and the vertex opposite to the face that it is a
// point of, or -1.
typedef struct labelled_point {
    double lambda[4];
    int opposite;
} labelled_point;

static labelled_point make_point(double r, double s, double t)
{
    return (labelled_point){
        {-0.5 * (1.0 + r + s + t), 0.5 * (1.0 + r), 0.5 * (1.0 + s), 0.5 * (1.0 + t)}, -1};
}

// The point that has at vertex v what point `p` has at vertex to[v], or -1.
static int find_permuted(const labelled_point *list, int count, int p, const int to[4])
{
    for (int q = 0; q < count; q++) {
        bool same =
            list[q].opposite < 0 ? list[p].opposite < 0 : to[list[q].opposite] == list[p].opposite;
        for (int v = 0; v < 4; v++)
            same = same && fabs(list[q].lambda[v] - list[p].lambda[to[v]]) < 1e-9;
        if (same) return q;
    }
    return -1;
}

// All images g_j; and what a reflection makes of random values: in place of x^_z[o] it has
// sign x^_z[o'].
static void check_points(const sedge_orbits *orbits, const labelled_point *list, int count)
{
    uint64_t seed = 7;
    double *x = NULL;
    double worst = 0.0;

    CHECK_OK(sedge_allocate(&x, count, sizeof *x));
    if (x == NULL) return;
    for (int p = 0; p < count; p++) x[p] = random_value(&seed);
    check_members(orbits, count);
    CHECK(orbits->image != NULL);
    for (int i = 0; i < orbits->count * SEDGE_ORBIT_POINTS; i++) {
        const int z = i % SEDGE_ORBIT_POINTS;
        const int *const own = orbits->member[i / SEDGE_ORBIT_POINTS];
        const int shift[4] = {z, 1 ^ z, 2 ^ z, 3 ^ z};
        CHECK(own[z] == find_permuted(list, count, own[0], shift));

        int exchange[4] = {0, 1, 2, 3};
        exchange[0] = sedge_orbits_partner(z);
        exchange[exchange[0]] = 0;
        CHECK(exchange[0] > 0 && sign(z, exchange[0]) > 0.0);
        const sedge_orbit_image image = orbits->image[i / SEDGE_ORBIT_POINTS][z];
        const int *const other = orbits->member[image.orbit];
        double difference = 0.0;
        for (int j = 0; j < SEDGE_ORBIT_POINTS; j++) {
            const int reflected = find_permuted(list, count, own[j], exchange);
            CHECK(reflected >= 0);
            difference +=
                sign(z, j) * (x[reflected >= 0 ? reflected : 0] - image.sign * x[other[j]]);
        }
        worst = fmax(worst, fabs(difference));
    }
    CHECK_BOUND(worst, 1e-14);
    sedge_release(x);
}

// The sets of the products in curved elements (src/forms/covariant_products.h).
static void test_sets(int order)
{
    sedge_element *element = NULL;
    operator_orbits sets = {0};
    labelled_point *list = NULL;

    CHECK_OK(sedge_element_create(&element, order));
    if (element == NULL) return;
    const int width = element->face_nodes;
    CHECK_OK(operator_orbits_create(&sets, element, NULL));
    CHECK_OK(sedge_allocate(&list, element->nodes + 4 * width, sizeof *list));
    if (check_failures > 0) return;

    for (int n = 0; n < element->nodes; n++)
        list[n] = make_point(element->r[n], element->s[n], element->t[n]);
    check_points(&sets.nodes, list, element->nodes);

    labelled_point *const around = list + element->nodes;
    for (int i = 0; i < 4 * width; i++) {
        const int *const face = &element->face_node[i / width * width];
        around[i] = list[element->face_node[i]];
        for (int v = 0; v < 4; v++) {
            double most = 0.0;
            for (int k = 0; k < width; k++) most = fmax(most, fabs(list[face[k]].lambda[v]));
            if (most < 1e-9) around[i].opposite = v;
        }
    }
    check_points(&sets.faces, around, 4 * width);
    for (int k = 0; k < width; k++) CHECK(sets.faces.member[k][0] == k);

    const int lower = order - 1;
    for (int i = 0; i < order * order * order; i++) {
        const int a[3] = {i % order, i / order % order, i / order / order};
        const int rest = lower - a[0] - a[1] - a[2];
        if (rest < 0) continue;
        list[sedge_bernstein_number(lower, a[0], a[1], a[2])] =
            (labelled_point){{rest, a[0], a[1], a[2]}, -1};
    }
    check_points(&sets.lower, list, element->nodes - width);
    sedge_release(list);
    operator_orbits_clear(&sets);
    sedge_element_free(element);
}

// A permutation of vertices is its own inverse, and faces go to faces.
static void test_map(void)
{
    for (int j = 0; j < SEDGE_ORBIT_POINTS; j++) {
        const double on_face[3] = {0.125, -0.375, -1.0}; // face 0
        double image[3];
        double again[3];

        sedge_orbits_map(image, on_face, j);
        sedge_orbits_map(again, image, j);
        const double zero[4] = {1.0 + image[2], 1.0 + image[1],
                                1.0 + image[0] + image[1] + image[2], 1.0 + image[0]};
        CHECK_BOUND(fabs(zero[sedge_orbits_face(j)]), 1e-15);
        for (int d = 0; d < 3; d++) CHECK_BOUND(fabs(again[d] - on_face[d]), 1e-15);
    }
}

static void test_asymmetric(void)
{
    double place[2][3] = {{-0.5, -0.5, -0.5}, {0.1, -0.9, -0.7}};
    sedge_orbits orbits;

    CHECK(sedge_orbits_create(&orbits, place, 2) == SEDGE_ERR_INTERNAL);
    CHECK(orbits.member == NULL);
}

int main(void)
{
    const bool small = test_is_small();

    for (int order = 1; order <= (small ? 5 : 9); order++) test_order(order);
    for (int order = 1; order <= (small ? 5 : SEDGE_ORDER_MAX); order++) test_sets(order);
    test_map();
    test_asymmetric();
    return CHECK_END();
}
