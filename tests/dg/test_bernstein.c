// The Bernstein-Bezier basis: what must hold for every order 1..10.
//
// Tolerances are multiples of the rounding unit times the size of what is computed; with T^-1 they
// have its norm as a factor, which is the condition number of T, whose rows sum to 1. By order:
//   1, 3, 11, 42, 97, 243, 640, 1760, 4170, 10300
#include "dg/bernstein.h"

#include "base/memory.h"
#include "dg/dense.h"
#include "mesh/mesh.h"

#include "check.h"
#include "dg/random.h"
#include "sampled.h"

#include <float.h>

#define NODES_MAX 286

static const double unit = 0.5 * DBL_EPSILON;
static uint64_t seed = 7;

// The largest difference of two lists.
static double difference(const double *a, const double *b, int64_t count)
{
    double worst = 0.0;

    for (int64_t i = 0; i < count; i++) {
        const double one = fabs(a[i] - b[i]);
        worst = one <= worst ? worst : one;
    }
    return worst;
}

static double largest(const double *a, int64_t count)
{
    double most = 0.0;

    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(a[i]));
    return most;
}

// The basis is the lattice of the nodes, and its functions are >= 0 and sum to 1 everywhere.
static void test_lattice(const sedge_bernstein *basis, const sedge_element *element)
{
    const int n = basis->nodes;

    CHECK(basis->nodes == element->nodes && basis->face_nodes == element->face_nodes);
    for (int i = 0; i < n; i++) {
        const int *const alpha = basis->index[i];
        double sum = 0.0;
        CHECK(alpha[0] + alpha[1] + alpha[2] + alpha[3] == basis->order);
        CHECK(sedge_bernstein_number(basis->order, alpha[1], alpha[2], alpha[3]) == i);
        for (int k = 0; k < n; k++) {
            CHECK(basis->to_nodal[i * n + k] >= 0.0);
            sum += basis->to_nodal[i * n + k];
        }
        CHECK_BOUND(fabs(sum - 1.0), 64.0 * unit);
    }
}

// Coefficients of lambda_v: alpha_v / N. Of it nodal values and derivatives are known.
static void test_linear(const sedge_bernstein *basis, const sedge_element *element)
{
    const int n = basis->nodes;
    double c[NODES_MAX], nodal[NODES_MAX], slope[NODES_MAX], back[NODES_MAX];

    for (int v = 0; v < 4; v++) {
        for (int k = 0; k < n; k++) c[k] = (double)basis->index[k][v] / basis->order;
        sedge_bernstein_convert(basis, SEDGE_NODAL, nodal, c, 1);
        for (int i = 0; i < n; i++) {
            const double r = element->r[i], s = element->s[i], t = element->t[i];
            const double lambda[4] = {-0.5 * (1.0 + r + s + t), 0.5 * (1.0 + r), 0.5 * (1.0 + s),
                                      0.5 * (1.0 + t)};
            CHECK_BOUND(fabs(nodal[i] - lambda[v]), 64.0 * unit);
        }
        for (int a = 0; a < 3; a++) {
            const double wanted = v == 0 ? -0.5 : v == a + 1 ? 0.5 : 0.0;
            sedge_dense_multiply(slope, basis->derivative[a], false, c, false, n, n, 1);
            for (int k = 0; k < n; k++) CHECK_BOUND(fabs(slope[k] - wanted), 64.0 * unit);
        }
        sedge_bernstein_convert(basis, SEDGE_BERNSTEIN, back, nodal, 1);
        CHECK_BOUND(difference(back, c, n), 64.0 * unit * basis->norm);
    }
}

// There and back again, several rows at once.
static void test_inverse(const sedge_bernstein *basis)
{
    enum { ROWS = 7 };
    static double c[ROWS * NODES_MAX], nodal[ROWS * NODES_MAX], back[ROWS * NODES_MAX];
    const int count = ROWS * basis->nodes;
    const int nf = basis->face_nodes;
    double *product = NULL;
    double off = 0.0;

    for (int i = 0; i < count; i++) c[i] = random_value(&seed);
    sedge_bernstein_convert(basis, SEDGE_NODAL, nodal, c, ROWS);
    CHECK(largest(nodal, count) <= 1.0);
    sedge_bernstein_convert(basis, SEDGE_BERNSTEIN, back, nodal, ROWS);
    CHECK_BOUND(difference(back, c, count), 8.0 * unit * basis->norm);
    CHECK_OK(sedge_allocate(&product, (int64_t)nf * nf, sizeof *product));
    sedge_dense_multiply(product, basis->face_from_nodal, false, basis->face_to_nodal, false, nf,
                         nf, nf);
    for (int i = 0; i < nf * nf; i++)
        off = fmax(off, fabs(product[i] - (i % (nf + 1) == 0 ? 1.0 : 0.0)));
    CHECK_BOUND(off, 8.0 * unit * basis->norm);
    sedge_release(product);
}

// A polynomial raised to the next order, coefficient by coefficient, is the same at a point: at the
// nodes of order N + 1, where `basis` is evaluated by T of that order.
static void test_elevation(const sedge_bernstein *basis, const sedge_bernstein *higher,
                           const sedge_element *element, const sedge_element *there)
{
    const int N = basis->order;
    double c[NODES_MAX], nodal[NODES_MAX], raised[NODES_MAX], values[NODES_MAX], weights[NODES_MAX];

    for (int k = 0; k < basis->nodes; k++) c[k] = random_value(&seed);
    sedge_bernstein_convert(basis, SEDGE_NODAL, nodal, c, 1);
    for (int b = 0; b < higher->nodes; b++) {
        raised[b] = 0.0;
        for (int j = 0; j < 4; j++) {
            int alpha[4];
            memcpy(alpha, higher->index[b], sizeof alpha);
            if (alpha[j]-- == 0) continue;
            raised[b] += (double)higher->index[b][j] / (N + 1) *
                         c[sedge_bernstein_number(N, alpha[1], alpha[2], alpha[3])];
        }
    }
    sedge_bernstein_convert(higher, SEDGE_NODAL, values, raised, 1);
    for (int i = 0; i < higher->nodes; i++) {
        double sum = 0.0;
        CHECK_OK(
            sedge_element_interpolate(element, there->r[i], there->s[i], there->t[i], weights));
        for (int k = 0; k < basis->nodes; k++) sum += weights[k] * nodal[k];
        CHECK_BOUND(fabs(sum - values[i]), 2000.0 * unit);
    }
}

// On each face the trace is the polynomial of the face's coefficients, the other ones are not seen.
static void test_traces(const sedge_bernstein *basis, const sedge_element *element)
{
    const int nf = basis->face_nodes;
    double c[NODES_MAX], nodal[NODES_MAX];

    for (int k = 0; k < basis->nodes; k++) c[k] = random_value(&seed);
    sedge_bernstein_convert(basis, SEDGE_NODAL, nodal, c, 1);
    for (int f = 0; f < SEDGE_FACES; f++) {
        const int *const nodes = element->face_node + (int64_t)f * nf;
        for (int i = 0; i < nf; i++) {
            double sum = 0.0;
            for (int k = 0; k < nf; k++) sum += basis->face_to_nodal[i * nf + k] * c[nodes[k]];
            CHECK_BOUND(fabs(sum - nodal[nodes[i]]), 64.0 * unit);
            for (int v = 0; v < 3; v++)
                CHECK(basis->face_index[i][v] == basis->index[nodes[i]][sedge_face_vertices[f][v]]);
        }
    }
}

static double dot(const double *a, const double *b, int count)
{
    double sum = 0.0;

    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// Derivatives and products by the mass matrix are those of the nodal values.
static void test_volume(const sedge_bernstein *basis, const sedge_element *element)
{
    const int n = basis->nodes;
    double c[2 * NODES_MAX], nodal[2 * NODES_MAX];
    double slope[NODES_MAX], ours[NODES_MAX], theirs[NODES_MAX];

    for (int k = 0; k < 2 * n; k++) c[k] = random_value(&seed);
    sedge_bernstein_convert(basis, SEDGE_NODAL, nodal, c, 2);
    for (int a = 0; a < 3; a++) {
        const double size = n * largest(element->derivative[a], (int64_t)n * n);
        sedge_dense_multiply(slope, basis->derivative[a], false, c, false, n, n, 1);
        sedge_bernstein_convert(basis, SEDGE_NODAL, ours, slope, 1);
        sedge_dense_multiply(theirs, element->derivative[a], false, nodal, false, n, n, 1);
        CHECK_BOUND(difference(ours, theirs, n), 4.0 * unit * size);
    }
    sedge_dense_multiply(ours, basis->mass, false, c, false, n, n, 1);
    sedge_dense_multiply(theirs, element->mass, false, nodal, false, n, n, 1);
    const double size = n * largest(element->mass, (int64_t)n * n) * n;
    CHECK_BOUND(fabs(dot(ours, c + n, n) - dot(theirs, nodal + n, n)), 4.0 * unit * size);
}

// The lift of face fluxes, and that of a single coefficient against the entries' own size.
static void test_lift(const sedge_bernstein *basis, const sedge_element *element)
{
    const int n = basis->nodes;
    const int nf = basis->face_nodes;
    const int points = SEDGE_FACES * nf;
    double flux[NODES_MAX], at_nodes[NODES_MAX];
    double lifted[NODES_MAX], ours[NODES_MAX], theirs[NODES_MAX];

    for (int which = -1; which < points; which += points / 5) {
        for (int k = 0; k < points; k++)
            flux[k] = which < 0 ? random_value(&seed) : (double)(k == which);
        for (int f = 0; f < SEDGE_FACES; f++) {
            sedge_dense_multiply(at_nodes + (int64_t)f * nf, basis->face_to_nodal, false,
                                 flux + (int64_t)f * nf, false, nf, nf, 1);
        }
        sedge_dense_multiply(lifted, basis->lift, false, flux, false, n, points, 1);
        sedge_bernstein_convert(basis, SEDGE_NODAL, ours, lifted, 1);
        sedge_dense_multiply(theirs, element->lift, false, at_nodes, false, n, points, 1);
        CHECK_BOUND(difference(ours, theirs, n), 16.0 * unit * largest(lifted, n));
    }
}

// The norms above.
static void test_norm(const sedge_bernstein *basis)
{
    static const double norms[11] = {0, 1, 3, 11, 42, 97, 243, 640, 1760, 4170, 10300};

    CHECK_BOUND(fabs(basis->norm / norms[basis->order] - 1.0), 0.005);
}

static void test_names(void)
{
    sedge_basis basis = SEDGE_NODAL;

    CHECK(sedge_basis_parse(&basis, "bernstein") && basis == SEDGE_BERNSTEIN);
    CHECK(sedge_basis_parse(&basis, sedge_basis_name(SEDGE_NODAL)) && basis == SEDGE_NODAL);
    CHECK(!sedge_basis_parse(&basis, "modal") && basis == SEDGE_NODAL);
    for (int b = SEDGE_NODAL; b <= SEDGE_BERNSTEIN_COVARIANT; b++) {
        const sedge_basis row = sedge_basis_of_row((sedge_basis)b);
        CHECK(sedge_basis_parse(&basis, sedge_basis_name((sedge_basis)b)) && (int)basis == b);
        CHECK((int)(sedge_basis_is_covariant(basis) ? sedge_basis_covariant(row) : row) == b);
    }
}

int main(void)
{
    const int most = test_is_small() ? 6 : 10;
    sedge_element *element[11] = {NULL};
    sedge_bernstein *basis[11] = {NULL};

    for (int order = 1; order <= most; order++) {
        CHECK_OK(sedge_element_create(&element[order], order));
        CHECK_OK(sedge_bernstein_create(&basis[order], element[order]));
        if (check_failures > 0) return CHECK_END();
    }
    for (int order = 1; order <= most; order++) {
        test_lattice(basis[order], element[order]);
        test_norm(basis[order]);
        test_linear(basis[order], element[order]);
        test_inverse(basis[order]);
        test_traces(basis[order], element[order]);
        test_volume(basis[order], element[order]);
        test_lift(basis[order], element[order]);
        if (order < most)
            test_elevation(basis[order], basis[order + 1], element[order], element[order + 1]);
    }
    test_names();
    for (int order = 1; order <= most; order++) {
        sedge_bernstein_free(basis[order]);
        sedge_element_free(element[order]);
    }
    return CHECK_END();
}
