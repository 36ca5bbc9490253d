// Quadrature rules, and the operators of curved elements where nothing is curved.
#include "dg/cubature.h"
#include "dg/modes.h"

#include "check.h"
#include "sampled.h"

#include <string.h>

// int over the reference tetrahedron of (1+r)^i (1+s)^j (1+t)^k: 2^(n+3) i! j! k! / (n+3)! with
// n = i + j + k; of the triangle 2^(n+2) i! j! / (n+2)!.
static double exact(int i, int j, int k, int dimension)
{
    const int n = i + j + k + dimension;
    double value = ldexp(1.0, n);

    for (int m = 1; m <= n; m++) value /= m;
    for (int m = 2; m <= i; m++) value *= m;
    for (int m = 2; m <= j; m++) value *= m;
    for (int m = 2; m <= k; m++) value *= m;
    return value;
}

// Relative to the integral: all terms are positive, so that only the rule's own rounding is left.
static double find_error(const sedge_quadrature *rule, int i, int j, int k, int dimension)
{
    double sum = 0.0;

    for (int q = 0; q < rule->points; q++) {
        const double *const at = rule->place[q];
        sum += rule->weight[q] * pow(1.0 + at[0], i) * pow(1.0 + at[1], j) *
               (dimension == 3 ? pow(1.0 + at[2], k) : 1.0);
    }
    return fabs(sum / exact(i, j, k, dimension) - 1.0);
}

static void check_inside(const sedge_quadrature *rule, int dimension)
{
    int outside = 0;

    for (int q = 0; q < rule->points; q++) {
        double rest = dimension - 2.0;
        outside += !(rule->weight[q] > 0.0);
        for (int d = 0; d < dimension; d++) {
            outside += !(rule->place[q][d] >= -1.0);
            rest += rule->place[q][d];
        }
        outside += !(rest <= 4.4e-16); // on the surface, but for rounding
    }
    CHECK(outside == 0);
}

// The modes of half the degree are orthonormal under the rule. The powers above do not show this:
// a rule can integrate each of them to 1e-16 and their sum with large coefficients of both signs, a
// mode, wrongly by 1e-10. The bound is the rounding of two modes by recurrences of degree / 2
// steps.
static void check_modes(const sedge_quadrature *rule, int degree, int dimension)
{
    enum { MOST = 286 }; // of the tetrahedron, order 10
    static double gram[MOST][MOST];
    double worst = 0.0;
    const int order = degree / 2;
    const int count = (order + 1) * (order + 2) / 2 * (dimension == 3 ? order + 3 : 3) / 3;

    memset(gram, 0, sizeof gram);
    for (int q = 0; q < rule->points; q++) {
        const double *const at = rule->place[q];
        double modes[MOST];
        if (dimension == 3) {
            sedge_modes_tet(order, at[0], at[1], at[2], modes);
        } else {
            sedge_modes_triangle(order, at[0], at[1], modes);
        }
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++) gram[i][j] += rule->weight[q] * modes[i] * modes[j];
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) worst = fmax(worst, fabs(gram[i][j] - (i == j)));
    CHECK_BOUND(worst, 2.2e-16 * (4.0 + degree * degree));
}

static void test_tet(int degree)
{
    sedge_quadrature rule;
    double worst = 0.0;

    CHECK_OK(sedge_quadrature_tet(&rule, degree));
    check_inside(&rule, 3);
    check_modes(&rule, degree, 3);
    for (int i = 0; i <= degree; i++) {
        for (int j = 0; i + j <= degree; j++) {
            for (int k = 0; i + j + k <= degree; k++)
                worst = fmax(worst, find_error(&rule, i, j, k, 3));
        }
    }
    CHECK_BOUND(worst, 1e-13); // 1e-15 a rounding, times the degree's powers
    sedge_quadrature_clear(&rule);
}

// Turned and mirrored, the points are the same points with the same weights.
static void check_symmetry(const sedge_quadrature *rule)
{
    double worst = 0.0;

    for (int q = 0; q < rule->points; q++) {
        const double l[3] = {-0.5 * (rule->place[q][0] + rule->place[q][1]),
                             0.5 * (1.0 + rule->place[q][0]), 0.5 * (1.0 + rule->place[q][1])};
        for (int o = 0; o < 6; o++) {
            const int *const to = sedge_face_permutations[o];
            double nearest = 1.0;
            for (int p = 0; p < rule->points; p++) {
                const double off = fabs(rule->place[p][0] - (2.0 * l[to[1]] - 1.0)) +
                                   fabs(rule->place[p][1] - (2.0 * l[to[2]] - 1.0)) +
                                   fabs(rule->weight[p] - rule->weight[q]);
                nearest = fmin(nearest, off);
            }
            worst = fmax(worst, nearest);
        }
    }
    CHECK_BOUND(worst, 1e-14);
}

static void test_triangle(int degree)
{
    sedge_quadrature rule;
    double worst = 0.0;

    CHECK_OK(sedge_quadrature_triangle(&rule, degree));
    check_inside(&rule, 2);
    check_symmetry(&rule);
    check_modes(&rule, degree, 2);
    for (int i = 0; i <= degree; i++)
        for (int j = 0; i + j <= degree; j++) worst = fmax(worst, find_error(&rule, i, j, 0, 2));
    CHECK_BOUND(worst, 1e-13);
    sedge_quadrature_clear(&rule);
}

static void test_limit(void)
{
    sedge_quadrature rule;

    CHECK_FAILS(sedge_quadrature_triangle(&rule, 23), SEDGE_ERR_INTERNAL,
                "no points on the triangle of degree 23; 22 is the most");
    sedge_quadrature_clear(&rule);
}

static double largest_difference(const double *a, const double *b, int64_t count)
{
    double worst = 0.0;

    for (int64_t i = 0; i < count; i++) {
        const double difference = fabs(a[i] - b[i]);
        worst = difference <= worst ? worst : difference;
    }
    return worst;
}

// At the points and back is nothing; weak derivative and lift are those of straight elements.
static void test_operators(int order)
{
    static double product[286 * 286];
    sedge_element *element;
    sedge_cubature *cubature;

    CHECK_OK(sedge_element_create(&element, order));
    CHECK_OK(sedge_cubature_create(&cubature, element, SEDGE_CUBATURE_DEGREE(element->order)));
    const int n = element->nodes;
    const int points = cubature->volume.points;
    double identity = 0.0, weak = 0.0, lift = 0.0;
    for (int part = 0; part < 4; part++) {
        const double *const from = part < 3 ? cubature->weak[part] : cubature->project;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                double sum = part == 3 && i == k ? -1.0 : 0.0;
                for (int q = 0; q < points; q++)
                    sum += from[i * points + q] * cubature->values[q * n + k];
                product[i * n + k] = sum;
                if (part == 3) identity = fmax(identity, fabs(sum));
            }
        }
        if (part < 3)
            weak = fmax(weak, largest_difference(product, element->weak[part], (int64_t)n * n));
    }
    const int nf = element->face_nodes;
    const int face_points = cubature->face.points;
    for (int i = 0; i < n; i++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            for (int k = 0; k < nf; k++) {
                double sum = -element->lift[(i * 4 + f) * nf + k];
                for (int q = 0; q < face_points; q++) {
                    sum +=
                        cubature->lift[(i * 4 + f) * face_points + q] * cubature->trace[q * nf + k];
                }
                lift = fmax(lift, fabs(sum));
            }
        }
    }
    // Entries are up to N^2, condition numbers up to 150.
    CHECK_BOUND(identity, 1e-13 * order);
    CHECK_BOUND(weak, 1e-13 * order * order * order);
    CHECK_BOUND(lift, 1e-13 * order * order * order);
    sedge_cubature_free(cubature);
    sedge_element_free(element);
}

int main(void)
{
    for (int degree = 3; degree <= (test_is_small() ? 11 : 21); degree += 2) test_tet(degree);
    for (int degree = 4; degree <= SEDGE_QUADRATURE_FACE_DEGREE; degree += 2) test_triangle(degree);
    test_limit();
    for (int order = 1; order <= 6; order++) test_operators(order);
    return CHECK_END();
}
