// Convergence of the one-field equations: advection, and Burgers' from beside this test.
#include "waves.h"

static const sedge_comm *world;

// The order of the error, from `coarse` cells an axis to twice as many where there are more than
// one. N + 1 is optimal, N + 1/2 guaranteed on any mesh, for linear equations.
static void check_order(dg_case_options *options, const int coarse[3], double end, double order)
{
    double error[2];

    for (int i = 0; i < 2; i++) {
        for (int d = 0; d < 3; d++) options->cells[d] = coarse[d] > 1 ? coarse[d] << i : 1;
        error[i] = waves_error(world, options, end);
    }
    CHECK_BOUND(error[1], 0.25);
    CHECK_BOUND(order, log2(error[0] / error[1]));
}

static void test_advected_sine(int order)
{
    static const double keys[4] = {0.4, -0.3, 0.8, 1.0};
    static const double waves[3] = {1, 0, 1};
    static const int coarse[3] = {3, 3, 3};
    dg_case_options options = dg_case_defaults(sedge_equation_find("advection"), order, 3);

    options.periodic = true;
    options.flux_keys = keys;
    options.initial = "sine";
    options.initial_parameters = waves;
    check_order(&options, coarse, 0.25, order + 0.5);
}

// A bump that leaves through one side, while nothing comes in at the others.
static void test_bump_leaves(void)
{
    static const double keys[4] = {1.0, 0.0, 0.0, 1.0};
    static const double bump[4] = {0.5, 0.5, 0.5, 0.15};
    dg_case_options options = dg_case_defaults(sedge_equation_find("advection"), 3, 4);
    dg_case c;

    options.flux_keys = keys;
    options.wall = "inflow"; // where the flow leaves, the upwind flux ignores its value
    options.initial = "gaussian";
    options.initial_parameters = bump;
    CHECK_OK(dg_case_create(&c, world, &options));
    dg_case_start(&c, 0.0);
    const double before = dg_case_norm(&c, c.u, NULL);
    CHECK_OK(dg_case_run(&c, 0.5, 0.8));
    CHECK_BOUND(dg_case_error(&c, 0.5), 0.06); // half of it is outside now
    CHECK_OK(dg_case_run(&c, 0.7, 0.8));
    CHECK_BOUND(dg_case_norm(&c, c.u, NULL), 1e-3 * before);
    dg_case_clear(&c);
}

// A wave that steepens, until 0.2 of the time of its first shock, 1 / (2 pi amplitude |waves.d|).
// The square at the nodes is not a polynomial of degree N: that costs a part of the order.
static void test_burgers(int order)
{
    static const double keys[4] = {1.0, 0.5, 0.0, 1.3};
    static const double sine[5] = {1, 0, 0, 0.2, 1.0};
    static const int coarse[3] = {16, 1, 1};
    dg_case_options options = dg_case_defaults(sedge_equation_find("burgers"), order, 16);

    options.periodic = true;
    options.flux_keys = keys;
    options.initial = "sine";
    options.initial_parameters = sine;
    check_order(&options, coarse, 0.1 / 3.14159265358979323846, order + 0.4);
}

// The exact solution is constant along characteristics.
static void test_burgers_characteristics(void)
{
    static const double keys[4] = {1.0, 0.5, 0.0, 1.3};
    static const double sine[5] = {1, 2, 0, 0.2, 1.0};
    const sedge_equation *burgers = sedge_equation_find("burgers");
    const sedge_initial_kind *kind = dg_find_initial(burgers, "sine");
    double c[SEDGE_MAX_VALUES];

    burgers->constants(keys, NULL, c);
    for (int i = 0; i < 20; i++) {
        const double x[3] = {0.05 * i, 0.3 - 0.02 * i, 0.1};
        const double t = 0.07;
        double start, later;
        kind->apply(x, 0.0, NULL, sine, c, &start);
        const double moved[3] = {x[0] + start * t, x[1] + 0.5 * start * t, x[2]};
        kind->apply(moved, t, NULL, sine, c, &later);
        CHECK_BOUND(fabs(later - start), 1e-14);
    }
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    world = comm;
    for (int order = 1; order <= 3; order++) test_advected_sine(order);
    test_bump_leaves();
    test_burgers_characteristics();
    for (int order = 1; order <= 3; order++) test_burgers(order);
    sedge_comm_free(comm);
    return CHECK_END();
}
