// The reference element: what must hold for every order 1..10.
#include "dg/element.h"

#include "base/memory.h"
#include "mesh/mesh.h"

#include "check.h"
#include "sampled.h"

#define NODES_MAX 286

static double power(double x, int n)
{
    double result = 1.0;
    for (int i = 0; i < n; i++) result *= x;
    return result;
}

static double factorial(int n)
{
    return n < 2 ? 1.0 : n * factorial(n - 1);
}

// Barycentric coordinates of a node, for the vertices v0..v3.
static void get_barycentric(const sedge_element *element, int i, double L[4])
{
    L[1] = 0.5 * (1.0 + element->r[i]);
    L[2] = 0.5 * (1.0 + element->s[i]);
    L[3] = 0.5 * (1.0 + element->t[i]);
    L[0] = 1.0 - L[1] - L[2] - L[3];
}

static void test_counts(const sedge_element *element)
{
    const int N = element->order;

    CHECK(element->nodes == (N + 1) * (N + 2) * (N + 3) / 6);
    CHECK(element->face_nodes == (N + 1) * (N + 2) / 2);
}

// Every permutation of the vertices maps the nodes onto the nodes.
static void test_nodes_symmetric(const sedge_element *element)
{
    double worst = 0.0;

    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            if (b == a) continue;
            for (int i = 0; i < element->nodes; i++) {
                double L[4], other[4];
                double nearest = 1.0;
                get_barycentric(element, i, L);
                const double kept = L[a];
                L[a] = L[b];
                L[b] = kept;
                for (int j = 0; j < element->nodes; j++) {
                    double distance = 0.0;
                    get_barycentric(element, j, other);
                    for (int v = 0; v < 4; v++) distance = fmax(distance, fabs(L[v] - other[v]));
                    nearest = fmin(nearest, distance);
                }
                worst = fmax(worst, nearest);
            }
        }
    }
    CHECK_BOUND(worst, 1e-14);
}

// Edge nodes are the Lobatto points: zeros of (1 - x^2) P_N'(x), here by P_N's recurrence.
static void test_edges_lobatto(const sedge_element *element)
{
    const int N = element->order;
    int on_edge = 0;

    for (int i = 0; i < element->nodes; i++) {
        const double x = element->r[i];
        if (element->s[i] != -1.0 || element->t[i] != -1.0) continue;
        on_edge++;
        if (fabs(x) > 1.0 - 1e-12) continue;
        double previous = 1.0, current = x;
        for (int k = 1; k < N; k++) {
            const double next = ((2.0 * k + 1.0) * x * current - k * previous) / (k + 1.0);
            previous = current;
            current = next;
        }
        // P_N' = 0 where x P_N = P_{N-1}.
        CHECK_BOUND(fabs(x * current - previous), 1e-14);
    }
    CHECK(on_edge == N + 1);
}

// L1^a L2^b L3^c over the reference tetrahedron (volume 4/3).
static double integral(int a, int b, int c)
{
    return 8.0 * factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
}

// f^T M g is the integral of f g for polynomials of degree N.
static void test_mass(const sedge_element *element)
{
    const int N = element->order;
    const int n = element->nodes;
    double f[NODES_MAX], g[NODES_MAX];
    double worst = 0.0;

    for (int a = 0; a <= N; a++) {
        const int b = N - a;
        for (int i = 0; i < n; i++) {
            double L[4];
            get_barycentric(element, i, L);
            f[i] = power(L[1], a) * power(L[2], b);
            g[i] = power(L[3], N);
        }
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) sum += f[i] * element->mass[i * n + j] * g[j];
        worst = fmax(worst, fabs(sum / integral(a, b, N) - 1.0));
    }
    // The integral is a small difference at high order: N = 10 has 2e-14 of the largest term.
    CHECK_BOUND(worst, 1e-9);
}

static void test_derivative_exact(const sedge_element *element)
{
    const int N = element->order;
    const int n = element->nodes;
    double worst = 0.0;

    for (int a = 0; a <= N; a++) {
        for (int b = 0; b <= N - a; b++) {
            const int p[3] = {a, b, N - a - b};
            for (int j = 0; j < 3; j++) {
                for (int i = 0; i < n; i++) {
                    const double x[3] = {element->r[i], element->s[i], element->t[i]};
                    double exact = p[j];
                    double sum = 0.0;
                    for (int d = 0; d < 3; d++) exact *= power(x[d], d == j ? p[d] - 1 : p[d]);
                    if (p[j] == 0) exact = 0.0;
                    for (int m = 0; m < n; m++) {
                        sum += element->derivative[j][i * n + m] * power(element->r[m], p[0]) *
                               power(element->s[m], p[1]) * power(element->t[m], p[2]);
                    }
                    worst = fmax(worst, fabs(sum - exact));
                }
            }
        }
    }
    CHECK_BOUND(worst, 2e-14 * power(N, 4)); // D has rows of size N^2, and cond(V) grows like N^2
}

// M D_j + D_j^T M = E_(r+s+t=-1) - E_(r_j=-1): integration by parts. M weak_j = D_j^T M, and
// M LIFT = E.
static void test_summation_by_parts(const sedge_element *element)
{
    const int n = element->nodes;
    const int nf = element->face_nodes;
    const int face_of[3] = {3, 1, 0};
    double *E = NULL; // [4][n][n]
    double *MD = NULL;
    double parts = 0.0, weak = 0.0, lift = 0.0;

    CHECK_OK(sedge_allocate(&E, 4 * (int64_t)n * n, sizeof *E));
    CHECK_OK(sedge_allocate(&MD, (int64_t)n * n, sizeof *MD));
    if (E == NULL || MD == NULL) return;
    for (int f = 0; f < 4; f++) {
        for (int i = 0; i < nf; i++) {
            for (int j = 0; j < nf; j++) {
                E[(f * n + element->face_node[f * nf + i]) * n + element->face_node[f * nf + j]] =
                    element->face_mass[i * nf + j];
            }
        }
    }
    for (int j = 0; j < 3; j++) {
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++) {
                double sum = 0.0;
                for (int k = 0; k < n; k++)
                    sum += element->mass[a * n + k] * element->derivative[j][k * n + b];
                MD[a * n + b] = sum;
            }
        }
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++) {
                const double boundary = E[(2 * n + a) * n + b] - E[(face_of[j] * n + a) * n + b];
                double sum = 0.0;
                for (int k = 0; k < n; k++)
                    sum += element->mass[a * n + k] * element->weak[j][k * n + b];
                parts = fmax(parts, fabs(MD[a * n + b] + MD[b * n + a] - boundary));
                weak = fmax(weak, fabs(sum - MD[b * n + a]));
            }
        }
    }
    for (int a = 0; a < n; a++) {
        for (int l = 0; l < 4 * nf; l++) {
            const int f = l / nf;
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += element->mass[a * n + k] * element->lift[k * 4 * nf + l];
            lift = fmax(lift, fabs(sum - E[(f * n + a) * n + element->face_node[l]]));
        }
    }
    // Entries are below 1; rounding of M D is about 1e-16 times rows of D.
    CHECK_BOUND(parts, 1e-13);
    CHECK_BOUND(weak, 1e-13);
    CHECK_BOUND(lift, 1e-13);
    sedge_release(E);
    sedge_release(MD);
}

// Face nodes sorted by the face's vertices, and the tables that pair two faces.
static void test_permutations(const sedge_element *element)
{
    const int nf = element->face_nodes;
    double worst = 0.0;

    for (int f = 0; f < 4; f++) {
        for (int g = 0; g < 4; g++) {
            for (int o = 0; o < 6; o++) {
                for (int i = 0; i < nf; i++) {
                    const int j = element->permuted[o * nf + i];
                    double mine[4], theirs[4];
                    CHECK(j >= 0 && j < nf);
                    get_barycentric(element, element->face_node[f * nf + i], mine);
                    get_barycentric(element, element->face_node[g * nf + j], theirs);
                    for (int v = 0; v < 3; v++) {
                        const int w = sedge_face_permutations[o][v];
                        worst = fmax(worst, fabs(mine[sedge_face_vertices[f][v]] -
                                                 theirs[sedge_face_vertices[g][w]]));
                    }
                }
            }
        }
    }
    CHECK_BOUND(worst, 1e-14);
}

// psi(x)^T V^-1 reproduces polynomials anywhere, and the nodes at the nodes.
static void test_interpolation(const sedge_element *element)
{
    const int N = element->order;
    const int n = element->nodes;
    const double places[3][3] = {{-0.4, -0.3, -0.7}, {-1.0, 0.2, -0.2}, {-1.0, -1.0, 1.0}};
    double weights[NODES_MAX];
    double columns[2 * NODES_MAX];

    for (int q = 0; q < 3; q++) {
        const double *x = places[q];
        double sum = 0.0;
        double back[2][3];
        CHECK_OK(sedge_element_interpolate(element, x[0], x[1], x[2], weights));
        for (int i = 0; i < n; i++)
            sum += weights[i] * power(element->r[i] + 0.5 * element->s[i] - element->t[i], N);
        CHECK_BOUND(fabs(sum - power(x[0] + 0.5 * x[1] - x[2], N)), 1e-12 * power(2.5, N));
        for (int i = 0; i < n; i++) columns[2 * i + 1] = weights[i];
        sedge_element_place(element, weights, 1, back[0]);
        sedge_element_place(element, columns + 1, 2, back[1]);
        for (int d = 0; d < 6; d++) CHECK_BOUND(fabs(back[d / 3][d % 3] - x[d % 3]), 1e-13);
    }
    for (int i = 0; i < n; i += 3) {
        CHECK_OK(sedge_element_interpolate(element, element->r[i], element->s[i], element->t[i],
                                           weights));
        for (int j = 0; j < n; j++) CHECK_BOUND(fabs(weights[j] - (i == j ? 1.0 : 0.0)), 1e-12);
    }
}

// y = a x or a^T x, normalised; returns the norm before.
static double apply(const double *a, int transposed, const double *x, double *y, int n)
{
    double norm = 0.0;

    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n; j++) y[i] += (transposed ? a[j * n + i] : a[i * n + j]) * x[j];
        norm += y[i] * y[i];
    }
    norm = sqrt(norm);
    for (int i = 0; i < n; i++) y[i] /= norm;
    return norm;
}

// The largest singular value, by iteration on a^T a: until it stands still, to far less than is
// compared.
static double find_norm(const double *a, int n)
{
    double x[NODES_MAX], y[NODES_MAX];
    double norm = 0.0;
    int still = 0;

    for (int i = 0; i < n; i++) x[i] = 1.0 + 0.37 * (i % 7) - 0.1 * (i % 3);
    for (int i = 0; i < 1500 && still < 20; i++) {
        const double before = norm;
        norm = apply(a, 0, x, y, n);
        (void)apply(a, 1, y, x, n);
        still = norm - before < 1e-9 * norm ? still + 1 : 0;
    }
    return norm;
}

// Conditioning and Lebesgue constant of the node set, as measured with an independent programme:
// wrong warping or blending makes both greater.
static void test_quality(const sedge_element *element)
{
    static const double condition[] = {0,    2.2,  6.0,  10.5, 15.8, 19.0,
                                       26.3, 37.2, 56.3, 88.3, 145.0};
    static const double lebesgue[] = {0, 1.0, 2.0, 2.9, 4.1, 5.3, 7.0, 9.2, 12.5, 17.0, 24.4};
    const int N = element->order;
    const int n = element->nodes;
    const int m = 16;
    double weights[NODES_MAX];
    double largest = 0.0;

    const double found = find_norm(element->vandermonde, n) * find_norm(element->inverse, n);
    CHECK_BOUND(fabs(found - condition[N]), 0.0005 + 0.5 * (N < 10 ? 0.1 : 1.0)); // as listed
    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= m - i; j++) {
            for (int k = 0; k <= m - i - j; k++) {
                double sum = 0.0;
                CHECK_OK(sedge_element_interpolate(element, -1.0 + 2.0 * i / m, -1.0 + 2.0 * j / m,
                                                   -1.0 + 2.0 * k / m, weights));
                for (int l = 0; l < n; l++) sum += fabs(weights[l]);
                largest = fmax(largest, sum);
            }
        }
    }
    CHECK_BOUND(largest, 1.02 * lebesgue[N]);
    CHECK_BOUND(0.5 * lebesgue[N], largest); // the grid misses the maximum
}

static void test_refuses_order(void)
{
    sedge_element *element = NULL;

    CHECK_FAILS(sedge_element_create(&element, 0), SEDGE_ERR_USAGE, "order 0 is outside 1..10");
    CHECK(element == NULL);
    CHECK_FAILS(sedge_element_create(&element, 11), SEDGE_ERR_USAGE, "order 11 is outside 1..10");
    CHECK(element == NULL);
    sedge_element_free(NULL);
}

int main(void)
{
    test_refuses_order();
    for (int order = 1; order <= (test_is_small() ? 6 : 10); order++) {
        sedge_element *element = NULL;
        CHECK_OK(sedge_element_create(&element, order));
        if (element == NULL) continue;
        test_counts(element);
        test_nodes_symmetric(element);
        test_edges_lobatto(element);
        test_mass(element);
        test_derivative_exact(element);
        test_summation_by_parts(element);
        test_permutations(element);
        test_interpolation(element);
        test_quality(element);
        sedge_element_free(element);
    }
    return CHECK_END();
}
