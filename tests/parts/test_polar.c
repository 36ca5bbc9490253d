// A medium with a Debye pole (polar_term.c), in the slow reference.
//
// A box with conducting walls keeps the shape of its modes, whatever the medium that fills it:
//   E = e(t) A(x),  P = p(t) A(x),  H = -(1/mu) curl A g(t),  curl curl A = k^2 A,
//   epsilon e' + p' = -(k^2 / mu) g,   p' = (eps_delta e - p) / tau,   g' = e.
// Solutions exp(lambda t) with lambda = -i omega have p = eps_delta e / (1 + lambda tau) and
// g = e / lambda, so that
//   eps(omega) omega^2 = k^2 / mu,   eps(omega) = epsilon + eps_delta / (1 - i omega tau):
// a cubic equation with one real root, of the relaxation, and a pair, of the damped oscillation.
#include "check.h"
#include "dg/case.h"
#include "dg/term_kind.h"

#include <complex.h>

#define EPSILON   2.0
#define MU        1.5
#define EPS_DELTA 3.0
#define TAU       0.15
#define PI        3.14159265358979323846
#define K2        (3.0 * PI * PI) // of the mode 1, 1, 1 in a box of size 1

extern const sedge_term_kind sedge_term_polar;

static const sedge_comm *world;

// ---- the exact solution ------------------------------------------------------------------------

// The cubic whose roots are lambda, divided by its leading coefficient: c[0] + c[1] x + c[2] x^2 +
// x^3.
static double evaluate(const double c[3], double x)
{
    return ((x + c[2]) * x + c[1]) * x + c[0];
}

static void find_roots(double complex root[3])
{
    const double c[3] = {K2 / (MU * EPSILON * TAU), K2 / (MU * EPSILON),
                         (1.0 + EPS_DELTA / EPSILON) / TAU};
    double low = -c[2]; // there it is negative
    double high = -1.0 / TAU;

    CHECK(evaluate(c, low) < 0.0 && evaluate(c, high) > 0.0);
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (evaluate(c, middle) < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    // Without this root: x^2 + (c2 + r) x + (c1 + (c2 + r) r).
    const double half = 0.5 * (c[2] + low);
    const double rest = c[1] + 2.0 * half * low;
    root[0] = low;
    root[1] = -half + csqrt(half * half - rest);
    root[2] = -half - csqrt(half * half - rest);
    for (int i = 0; i < 3; i++) { // lambda = -i omega
        const double complex eps = EPSILON + EPS_DELTA / (1.0 + root[i] * TAU);
        CHECK_BOUND(cabs(-eps * root[i] * root[i] - K2 / MU) / (K2 / MU), 1e-12);
    }
}

// e, p and g at time t of what starts with e = 1, p = 0, g = 0.
typedef struct amplitudes {
    double e, p, g;
} amplitudes;

static double complex determinant(double complex m[3][3])
{
    double complex sum = 0.0;

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        sum += m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j]);
    }
    return sum;
}

static amplitudes solve(double t)
{
    double complex root[3];
    double complex of[3][3]; // e, p, g of each solution
    amplitudes out = {0.0, 0.0, 0.0};

    find_roots(root);
    for (int i = 0; i < 3; i++) {
        of[0][i] = 1.0;
        of[1][i] = EPS_DELTA / (1.0 + root[i] * TAU);
        of[2][i] = 1.0 / root[i];
    }
    for (int i = 0; i < 3; i++) { // the weight of solution i, by Cramer's rule
        double complex with[3][3];
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++) with[r][s] = s == i ? r == 0 : of[r][s];
        const double complex weight = determinant(with) / determinant(of) * cexp(root[i] * t);
        out.e += creal(weight * of[0][i]);
        out.p += creal(weight * of[1][i]);
        out.g += creal(weight * of[2][i]);
    }
    return out;
}

// The formulas above against the equations: their values and slopes at the start.
static void test_exact(void)
{
    const double h = 1e-4;
    const amplitudes now = solve(0.0);
    const amplitudes later = solve(h);
    const amplitudes before = solve(-h);

    CHECK_BOUND(fabs(now.e - 1.0) + fabs(now.p) + fabs(now.g), 1e-12);
    // Central differences: h^2 / 6 times third derivatives up to 1e4.
    CHECK_BOUND(fabs((later.e - before.e) / (2.0 * h) + EPS_DELTA / TAU / EPSILON), 1e-4);
    CHECK_BOUND(fabs((later.p - before.p) / (2.0 * h) - EPS_DELTA / TAU), 1e-4);
    CHECK_BOUND(fabs((later.g - before.g) / (2.0 * h) - 1.0), 1e-4);
}

// ---- the reference -----------------------------------------------------------------------------

static dg_case_options mode_options(int order, int cells)
{
    static const double material[3] = {EPSILON, MU, 0.0};
    static const dg_term terms[] = {{&sedge_term_polar, "domain", {EPS_DELTA, TAU}},
                                    {NULL, NULL, {0.0}}};
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), order, cells);

    options.wall = "pec";
    options.initial = "cavity-mode";
    options.materials[0] = options.materials[1] = material;
    options.terms = terms;
    return options;
}

// The exact fields at time t into c->exact. Without the term the mode swings with E = A cos(w t),
// H = -(1/mu) curl A sin(w t) / w.
static void set_exact(dg_case *c, double t)
{
    const amplitudes now = solve(t);
    const double w = sqrt(K2 / (EPSILON * MU));
    const int64_t n = c->element->nodes;

    sedge_reference_initial(c->reference, 0.5 * PI / w, 1, c->exact); // H
    for (int64_t i = 0; i < c->values; i++) c->exact[i] *= i / n % 6 < 3 ? 0.0 : now.g * w;
    double *const e = c->rhs;
    sedge_reference_initial(c->reference, 0.0, 1, e);
    for (int64_t i = 0; i < c->values; i++) c->exact[i] += now.e * e[i];
}

// The relative errors of the fields and of the polarisation at the time `end`.
static void find_errors(double errors[2], int order, int cells)
{
    const double end = 0.6;
    const dg_case_options options = mode_options(order, cells);
    dg_case c;
    double sums[2] = {0.0, 0.0};

    CHECK_OK(dg_case_create(&c, world, &options));
    dg_case_start(&c, 0.0);
    CHECK_OK(dg_case_run(&c, end, 0.5));
    set_exact(&c, end);
    errors[0] = dg_case_norm(&c, c.u, c.exact) / dg_case_norm(&c, c.exact, NULL);

    const int64_t n = c.element->nodes;
    const double p = solve(end).p;
    const double *const memory = sedge_reference_memory(c.reference, 0);
    sedge_reference_initial(c.reference, 0.0, 1, c.exact);
    for (int32_t e = 0; e < c.mesh->elements; e++) {
        for (int64_t i = 0; i < 3 * n; i++) {
            const double exact = p * c.exact[e * 6 * n + i];
            const double error = memory[e * 3 * n + i] - exact;
            sums[0] += error * error;
            sums[1] += exact * exact;
        }
    }
    sedge_comm_sum(world, sums, 2);
    errors[1] = sqrt(sums[0] / sums[1]);
    dg_case_clear(&c);
}

// Smooth fields converge with order N + 1, half an order less on meshes as coarse as these.
static void test_order(int order)
{
    double coarse[2], fine[2];

    find_errors(coarse, order, 2);
    find_errors(fine, order, 4);
    for (int i = 0; i < 2; i++) CHECK(log2(coarse[i] / fine[i]) > order + 0.6);
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    world = comm;
    test_exact();
    for (int order = 2; order <= 4; order++) test_order(order);
    sedge_comm_free(comm);
    return CHECK_END();
}
