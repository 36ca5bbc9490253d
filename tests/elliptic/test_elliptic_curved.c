// The interior penalty operator on curved elements: kernels against the slow reference by points;
// what the form must be: symmetric, positive definite, exact for what the elements hold; the order
// of convergence; a capacitor whose charge is known.
//
// Without arguments at some orders; with "all" at every one; with "kernels" only the comparison,
// for sanitizers and random order.
#include "kit.h"

#include "base/memory.h"
#include "elliptic/solve.h"
#include "solver/curved_maps.h"

#include "check.h"
#include "sampled.h"

static elliptic_world world;

static const double pi = 3.14159265358979323846;

// As strong as two cells a side bear: J varies by a factor of about 12 within an element.
static void twist(const double x[3], double moved[3])
{
    moved[0] = x[0] + 0.10 * sin(pi * x[0]) * sin(2.0 * pi * x[1]);
    moved[1] = x[1] + 0.10 * sin(2.0 * pi * x[1]) * cos(pi * x[2]);
    moved[2] = x[2] - 0.10 * sin(2.0 * pi * x[2]) * cos(pi * x[0]);
}

// y = A x by the kernels.
static void apply(const elliptic_case *c, const double *x, double *y)
{
    const sedge_elliptic_options options = {.item_nodes = 0};
    sedge_elliptic *op = NULL;
    sedge_buffer *in = NULL;
    sedge_buffer *out = NULL;

    CHECK_OK(sedge_elliptic_create(&op, world.comm, world.context, c->element, c->mesh, &c->problem,
                                   &options));
    CHECK_OK(sedge_elliptic_vector(&in, op));
    CHECK_OK(sedge_elliptic_vector(&out, op));
    CHECK_OK(sedge_elliptic_upload(op, in, x));
    CHECK_OK(sedge_elliptic_apply(op, sedge_context_stream(world.context), in, out));
    CHECK_OK(sedge_elliptic_download(op, out, y));
    sedge_buffer_free(in);
    sedge_buffer_free(out);
    sedge_elliptic_free(op);
}

// As in test_elliptic_operator.c, with room for quotients by J and for the flux's projection.
static double tolerance(const elliptic_case *c)
{
    const double unit = c->problem.precision == SEDGE_FP64 ? 2.2e-16 : 1.2e-7;
    const double order = c->element->order;

    return 60.0 * unit * (4.0 + order * order);
}

// Kernels equal the reference, and <Au, v> = <u, Av>: from both sides of each face, between curved
// and straight elements and between ranks, the same integrals are taken.
static void check_case(const elliptic_options *options)
{
    double *v[5] = {NULL};
    elliptic_case c;

    CHECK_OK(elliptic_case_create(&c, &world, options));
    CHECK(options->map == NULL || c.mesh->global_curved > 0);
    for (int i = 0; i < 5; i++) CHECK_OK(sedge_allocate(&v[i], c.values, sizeof(double)));
    elliptic_random(&c, 5, v[0]);
    elliptic_random(&c, 77, v[1]);
    CHECK_OK(elliptic_reference(v[4], &c, v[0]));
    apply(&c, v[0], v[2]);
    CHECK_BOUND(elliptic_largest(&c, v[2], v[4]), tolerance(&c) * elliptic_largest(&c, v[4], NULL));
    apply(&c, v[1], v[3]);
    const double energy = elliptic_dot(&c, v[0], v[2]);
    CHECK(energy > 0.0);
    CHECK_BOUND(fabs(elliptic_dot(&c, v[1], v[2]) - elliptic_dot(&c, v[0], v[3])),
                tolerance(&c) * energy);
    for (int i = 0; i < 5; i++) sedge_release(v[i]);
    elliptic_case_clear(&c);
}

static void test_kernels_equal_reference(bool all)
{
    for (int order = 1; order <= SEDGE_ELLIPTIC_ORDER_MAX; order++) {
        if (!all && order > 3 && order != 6) continue; // from 6 on in chunks
        if (test_is_sampled() && order != 2) continue;
        elliptic_options options = elliptic_defaults(order);
        options.cells[1] = order > 4 ? 1 : 3;
        options.sides[0] = "neumann";
        options.sides[3] = "robin";
        options.side_values[0] = 0.7;
        options.epsilon = 3.5;
        options.map = curved_bulge;
        check_case(&options);
        options.map = curved_corner; // in part straight
        options.cells[0] = 3;
        check_case(&options);
        options.precision = SEDGE_FP32;
        if (all || order == 2) check_case(&options);
    }
}

static void test_other_cases(void)
{
    elliptic_options options = elliptic_defaults(3);

    if (!test_is_sampled()) check_case(&options); // straight: the kernels' other oracle is the same
    options.order = 2;
    for (int d = 0; d < 3; d++) options.cells[d] = 3;
    options.periodic = true;
    options.map = curved_wave;
    check_case(&options);
}

// A p = b for a polynomial that the elements hold: of degree one from order 2 on, of two from order
// 4. Of degree two the integrals on curved elements are not exact: their error is left.
static void check_polynomial(int order, int degree, void (*map)(const double *, double *),
                             double bound)
{
    static const char *const sides[2] = {"known", "known-flux"};
    elliptic_options options = elliptic_defaults(order);
    double *v[3] = {NULL};
    elliptic_case c;

    options.map = map;
    options.known = "power";
    options.known_parameters[0] = degree;
    options.known_parameters[1] = 0.5;
    options.known_parameters[2] = -0.3;
    options.known_parameters[3] = 0.7;
    for (int i = 0; i < 6; i++) options.sides[i] = sides[i % 2];
    CHECK_OK(elliptic_case_create(&c, &world, &options));
    for (int i = 0; i < 3; i++) CHECK_OK(sedge_allocate(&v[i], c.values, sizeof(double)));
    elliptic_known(&c, v[0]);
    CHECK_OK(sedge_elliptic_right_hand_side(v[1], world.comm, c.element, c.mesh, &c.problem));
    apply(&c, v[0], v[2]);
    CHECK_BOUND(elliptic_largest(&c, v[2], v[1]), bound > 0.0 ? bound : 100.0 * tolerance(&c));
    for (int i = 0; i < 3; i++) sedge_release(v[i]);
    elliptic_case_clear(&c);
}

// u^T A u > 0 whatever u: the least eigenvalue by power iterations on (largest - A), of the problem
// with a penalty of 0.6, the least that a deck may have.
static void test_positive(int order)
{
    elliptic_options options = elliptic_defaults(order);
    double *u = NULL;
    double *Au = NULL;
    elliptic_case c;
    double largest = 0.0;

    options.map = twist;
    CHECK_OK(elliptic_case_create(&c, &world, &options));
    c.problem.constants[0] = 0.6;
    CHECK_OK(sedge_allocate(&u, c.values, sizeof *u));
    CHECK_OK(sedge_allocate(&Au, c.values, sizeof *Au));
    for (int shifted = 0; shifted < 2; shifted++) {
        double found = 0.0;
        elliptic_random(&c, 3, u);
        for (int i = 0; i < 60; i++) {
            const double size = sqrt(elliptic_dot(&c, u, u));
            for (int64_t k = 0; k < c.values; k++) u[k] /= size;
            CHECK_OK(elliptic_reference(Au, &c, u));
            found = elliptic_dot(&c, u, Au);
            for (int64_t k = 0; k < c.values; k++)
                u[k] = shifted ? 1.05 * largest * u[k] - Au[k] : Au[k];
        }
        if (shifted) CHECK(found > 0.0 && found < 0.2 * largest);
        largest = found;
    }
    sedge_release(u);
    sedge_release(Au);
    elliptic_case_clear(&c);
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    const bool kernels = argc > 1 && strcmp(argv[1], "kernels") == 0;

    CHECK_OK(elliptic_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_kernels_equal_reference(all);
    test_other_cases();
    if (!kernels) {
        const int most = all ? 6 : test_is_sampled() ? 2 : 3;
        for (int order = 2; order <= most; order++) {
            check_polynomial(order, 1, curved_bulge, 0.0);
            check_polynomial(order, 1, curved_corner, 0.0);
        }
        if (!test_is_sampled()) test_positive(2);
    }
    elliptic_close(&world);
    return CHECK_END();
}
