// The kernels of the interior penalty operator against the slow reference; and what the form must
// be: symmetric, positive definite, consistent with polynomials.
//
// Without arguments at some orders; with "all" at every one, in both precisions; with "configs"
// only other kernel configurations. On OpenCL, whose compiler is slow, at order 2.
#include "kit.h"

#include "base/memory.h"

#include "check.h"
#include "sampled.h"

static elliptic_world world;

// Vectors of one case.
typedef struct vectors {
    double *u, *v, *Au, *Av, *other;
} vectors;

static void make_vectors(vectors *out, const elliptic_case *c)
{
    double **const all[] = {&out->u, &out->v, &out->Au, &out->Av, &out->other};

    for (int i = 0; i < 5; i++) CHECK_OK(sedge_allocate(all[i], c->values, sizeof(double)));
}

static void free_vectors(vectors *v)
{
    double *const all[] = {v->u, v->v, v->Au, v->Av, v->other};

    for (int i = 0; i < 5; i++) sedge_release(all[i]);
}

// y = A x by the kernels.
static sedge_status apply(const elliptic_case *c, const double *x, double *y)
{
    const sedge_elliptic_options options = {.item_nodes = 0};
    sedge_elliptic *op = NULL;
    sedge_buffer *in = NULL;
    sedge_buffer *out = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_elliptic_create(&op, world.comm, world.context, c->element,
                                                 c->mesh, &c->problem, &options));
    SEDGE_TRY_GOTO(status, sedge_elliptic_vector(&in, op));
    SEDGE_TRY_GOTO(status, sedge_elliptic_vector(&out, op));
    SEDGE_TRY_GOTO(status, sedge_elliptic_upload(op, in, x));
    SEDGE_TRY_GOTO(status, sedge_elliptic_apply(op, sedge_context_stream(world.context), in, out));
    // r = b - A x with b = A x is zero in the same arithmetic: the second form, and a second call.
    SEDGE_TRY_GOTO(status, sedge_elliptic_download(op, out, y));
    SEDGE_TRY_GOTO(status,
                   sedge_elliptic_residual(op, sedge_context_stream(world.context), out, in, out));
    double *rest = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&rest, c->values, sizeof(double)));
    status = sedge_elliptic_download(op, out, rest);
    const double scale = elliptic_largest(c, y, NULL);
    const double unit = c->problem.precision == SEDGE_FP64 ? 1e-15 : 1e-6;
    CHECK_BOUND(elliptic_largest(c, rest, NULL), 8 * unit * scale);
    sedge_release(rest);
done:
    sedge_buffer_free(in);
    sedge_buffer_free(out);
    sedge_elliptic_free(op);
    return status;
}

// A sum over about nodes^2 / 10 products of numbers that grow with the order's derivatives: the
// rounding unit times the order squared, with room.
static double tolerance(const elliptic_case *c)
{
    const double unit = c->problem.precision == SEDGE_FP64 ? 2.2e-16 : 1.2e-7;
    const double order = c->element->order;

    return 10.0 * unit * (4.0 + order * order);
}

static void check_case(const elliptic_options *options)
{
    elliptic_case c;
    vectors v = {NULL, NULL, NULL, NULL, NULL};
    const bool opened = elliptic_case_create(&c, &world, options) == SEDGE_OK;

    CHECK(opened);
    if (opened) {
        make_vectors(&v, &c);
        elliptic_random(&c, 5, v.u);
        elliptic_random(&c, 77, v.v);
        CHECK_OK(elliptic_reference(v.other, &c, v.u));
        CHECK_OK(apply(&c, v.u, v.Au));
        CHECK_BOUND(elliptic_largest(&c, v.Au, v.other),
                    tolerance(&c) * elliptic_largest(&c, v.other, NULL));
        // <Au, v> = <u, Av>, both without cancellation that matters; u.Au > 0.
        CHECK_OK(apply(&c, v.v, v.Av));
        const double energy = elliptic_dot(&c, v.u, v.Au);
        CHECK(energy > 0.0);
        CHECK_BOUND(fabs(elliptic_dot(&c, v.v, v.Au) - elliptic_dot(&c, v.u, v.Av)),
                    tolerance(&c) * energy);
    }
    free_vectors(&v);
    elliptic_case_clear(&c);
}

static void test_kernels_equal_reference(bool all)
{
    for (int order = 1; order <= SEDGE_ELLIPTIC_ORDER_MAX; order++) {
        if (!all && order > 3 && order != 6) continue;
        if (test_is_small() && order > 2) continue;
        if (test_is_sampled() && order != 2) continue;
        elliptic_options options = elliptic_defaults(order);
        options.cells[0] = order > 4 ? 1 : 3;
        options.cells[1] = order > 4 ? 2 : 3;
        options.sides[0] = "neumann";
        options.sides[3] = "robin";
        options.side_values[0] = 0.7;
        options.epsilon = 3.5;
        check_case(&options);
        options.precision = SEDGE_FP32;
        if (all || order == 2) check_case(&options);
    }
}

static void test_periodic(void)
{
    elliptic_options options = elliptic_defaults(2);
    for (int d = 0; d < 3; d++) options.cells[d] = 3;
    options.periodic = true;
    options.distort = 0.0;
    check_case(&options);
}

static void test_other_mesh(void)
{
    elliptic_options options = elliptic_defaults(2);
    options.file = "sphere.msh";
    check_case(&options);
}

// A p = b for a polynomial of the order's degree, whatever the conditions: the form is consistent,
// and the right-hand side belongs to it.
static void test_exact_on_polynomials(bool all)
{
    static const char *const sides[3][2] = {
        {"known", "known"}, {"known", "known-flux"}, {"known-flux", "known-flux"}};

    for (int order = 1; order <= (all ? 6 : 3); order++) {
        elliptic_options options = elliptic_defaults(order);
        elliptic_case c;
        if ((test_is_sampled() || test_is_small()) && order != 2) continue;
        vectors v = {NULL, NULL, NULL, NULL, NULL};

        options.known = "power";
        options.known_parameters[0] = order;
        options.known_parameters[1] = 0.5;
        options.known_parameters[2] = -0.3;
        options.known_parameters[3] = 0.7;
        for (int i = 0; i < 6; i++) options.sides[i] = sides[order % 3][i % 2];
        CHECK_OK(elliptic_case_create(&c, &world, &options));
        make_vectors(&v, &c);
        elliptic_known(&c, v.u);
        CHECK_OK(
            sedge_elliptic_right_hand_side(v.other, world.comm, c.element, c.mesh, &c.problem));
        CHECK_OK(apply(&c, v.u, v.Au));
        // Face terms of this size cancel: u times the penalty of a face's mass.
        CHECK_BOUND(elliptic_largest(&c, v.Au, v.other), 100.0 * tolerance(&c));
        free_vectors(&v);
        elliptic_case_clear(&c);
    }
}

// Without any condition that fixes it, a constant is the null space.
static void test_constants(void)
{
    elliptic_options options = elliptic_defaults(3);
    elliptic_case c;
    vectors v = {NULL, NULL, NULL, NULL, NULL};

    for (int i = 0; i < 6; i++) options.sides[i] = "neumann";
    CHECK_OK(elliptic_case_create(&c, &world, &options));
    make_vectors(&v, &c);
    for (int64_t i = 0; i < c.values; i++) v.u[i] = 1.0;
    CHECK(!sedge_elliptic_is_fixed(world.comm, c.mesh, &c.problem));
    CHECK_OK(apply(&c, v.u, v.Au));
    CHECK_BOUND(elliptic_largest(&c, v.Au, NULL), tolerance(&c));
    c.problem.boundaries[0].kind = &c.problem.equation->boundaries[0];
    CHECK(sedge_elliptic_is_fixed(world.comm, c.mesh, &c.problem));
    free_vectors(&v);
    elliptic_case_clear(&c);
}

// u^T A u >= 0 whatever u: the least eigenvalue by power iterations on (largest - A).
static void test_positive(void)
{
    elliptic_options options = elliptic_defaults(2);
    elliptic_case c;
    vectors v = {NULL, NULL, NULL, NULL, NULL};
    double largest = 0.0;

    options.distort = 0.12;
    CHECK_OK(elliptic_case_create(&c, &world, &options));
    make_vectors(&v, &c);
    elliptic_random(&c, 3, v.u);
    for (int shifted = 0; shifted < 2; shifted++) {
        double found = 0.0;
        for (int i = 0; i < 60; i++) {
            const double size = sqrt(elliptic_dot(&c, v.u, v.u));
            for (int64_t k = 0; k < c.values; k++) v.u[k] /= size;
            CHECK_OK(elliptic_reference(v.Au, &c, v.u));
            found = elliptic_dot(&c, v.u, v.Au);
            for (int64_t k = 0; k < c.values; k++)
                v.u[k] = shifted ? 1.05 * largest * v.u[k] - v.Au[k] : v.Au[k];
        }
        if (shifted) CHECK(found > 0.0 && found < 0.2 * largest);
        largest = found;
        elliptic_random(&c, 9, v.u);
    }
    free_vectors(&v);
    elliptic_case_clear(&c);
}

// All kernel configurations give the same result: tiles that do not divide the nodes, blocks that
// the elements do not fill. (On the host there is one element an item, and one item after the
// other.)
static void test_cuts(void)
{
    static const sedge_elliptic_options configs[] = {
        {.item_nodes = 3, .weak_nodes = 7, .item_elements = 1, .block_elements = 5},
        {.item_nodes = 4, .weak_nodes = 3, .item_elements = 4, .block_elements = 32},
        {.matrix = true,
         .item_nodes = 8,
         .weak_nodes = 16,
         .item_elements = 16,
         .block_elements = 32},
        {.matrix = true,
         .item_nodes = 16,
         .weak_nodes = 8,
         .item_elements = 32,
         .block_elements = 64},
    };
    const bool units = sedge_device_get_info(world.device)->kind == SEDGE_DEVICE_CUDA;
    const sedge_elliptic_options rule = {.item_nodes = 0};
    const elliptic_options options = elliptic_defaults(2);
    sedge_elliptic *op = NULL;
    sedge_buffer *in = NULL;
    sedge_buffer *out = NULL;
    elliptic_case c;
    vectors v = {NULL, NULL, NULL, NULL, NULL};

    CHECK_OK(elliptic_case_create(&c, &world, &options));
    make_vectors(&v, &c);
    elliptic_random(&c, 5, v.u);
    CHECK_OK(elliptic_reference(v.other, &c, v.u));
    CHECK_OK(sedge_elliptic_create(&op, world.comm, world.context, c.element, c.mesh, &c.problem,
                                   &rule));
    CHECK_OK(sedge_elliptic_vector(&in, op));
    CHECK_OK(sedge_elliptic_vector(&out, op));
    CHECK_OK(sedge_elliptic_upload(op, in, v.u));
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        if (configs[i].matrix && !units) {
            CHECK_FAILS(sedge_elliptic_configure(op, &configs[i]), SEDGE_ERR_USAGE,
                        "matrix units need fp64, a GPU of sm_80 or later");
            continue;
        }
        CHECK_OK(sedge_elliptic_configure(op, &configs[i]));
        CHECK_OK(sedge_elliptic_apply(op, sedge_context_stream(world.context), in, out));
        CHECK_OK(sedge_elliptic_download(op, out, v.Au));
        CHECK_BOUND(elliptic_largest(&c, v.Au, v.other),
                    tolerance(&c) * elliptic_largest(&c, v.other, NULL));
    }
    if (sedge_device_get_info(world.device)->kind != SEDGE_DEVICE_HOST) {
        const sedge_elliptic_options odd = {.item_elements = 4, .block_elements = 6};
        CHECK_FAILS(sedge_elliptic_configure(op, &odd), SEDGE_ERR_USAGE,
                    "blocks of 6 elements are no multiple of an item's 4");
        const sedge_elliptic_options large = {.item_elements = 1, .block_elements = 1 << 16};
        CHECK_FAILS(sedge_elliptic_configure(op, &large), SEDGE_ERR_DEVICE,
                    "threads for blocks of 65536 elements");
    }
    sedge_buffer_free(in);
    sedge_buffer_free(out);
    sedge_elliptic_free(op);
    free_vectors(&v);
    elliptic_case_clear(&c);
}

static void test_errors(void)
{
    elliptic_options options = elliptic_defaults(9);
    elliptic_case c;
    sedge_elliptic *op = NULL;
    const sedge_elliptic_options config = {.item_nodes = 0};

    CHECK_OK(elliptic_case_create(&c, &world, &options));
    CHECK_FAILS(sedge_elliptic_create(&op, world.comm, world.context, c.element, c.mesh, &c.problem,
                                      &config),
                SEDGE_ERR_USAGE, "order 9: the equation 'poisson' is solved at orders 1 to 8");
    elliptic_case_clear(&c);
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;

    CHECK_OK(elliptic_open(&world));
    if (world.comm != NULL && argc > 1 && strcmp(argv[1], "configs") == 0) {
        test_cuts();
        elliptic_close(&world);
    } else if (world.comm != NULL) {
        test_kernels_equal_reference(all);
        test_periodic();
        test_other_mesh();
        test_exact_on_polynomials(all);
        if (!test_is_sampled()) {
            test_constants();
            test_positive();
        }
        test_cuts();
        test_errors();
        elliptic_close(&world);
    }
    return CHECK_END();
}
