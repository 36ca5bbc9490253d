// Convergence of Maxwell's equations to exact solutions, by the slow reference. Bounds are 1.25
// times what an independent programme of the same scheme reaches on the same meshes: S_n is the
// unit cube in n^3 cells of six tets, errors relative in L2 at t = 1, dt 0.8 of the stable one.
#include "waves.h"

static const sedge_comm *world;
static const sedge_equation *maxwell;

static dg_case_options make_cavity(int order, int cells)
{
    dg_case_options options = dg_case_defaults(maxwell, order, cells);

    options.wall = "pec";
    options.initial = "cavity-mode";
    return options;
}

// The (1,1,1) mode of a conducting cube: all six components alive. Order N + 0.8 at least.
static void test_cavity(void)
{
    static const double bound[] = {0.0, 0.18, 1.9e-2, 2.0e-3}; // on S4
    double error[4];

    for (int order = 1; order <= 3; order++) {
        dg_case_options options = make_cavity(order, 2);
        const double coarse = waves_error(world, &options, 1.0);
        options = make_cavity(order, 4);
        error[order] = waves_error(world, &options, 1.0);
        CHECK_BOUND(error[order], bound[order]);
        CHECK_BOUND(order + 0.8, log2(coarse / error[order]));
    }
    const dg_case_options options = make_cavity(1, 8);
    const double fine = waves_error(world, &options, 1.0);
    CHECK_BOUND(fine, 4.6e-2);
    CHECK_BOUND(1.8, log2(error[1] / fine));
}

// A shorter run, order N + 1 less `deficit` when the cells are halved.
static void check_order(int order, int cells, double distort, double deficit)
{
    double error[2];

    for (int i = 0; i < 2; i++) {
        dg_case_options options = make_cavity(order, cells << i);
        options.distort = distort;
        error[i] = waves_error(world, &options, 0.3);
    }
    CHECK_BOUND(order + 1.0 - deficit, log2(error[0] / error[1]));
}

// The energy of the upwind scheme never grows.
static void test_energy_falls(void)
{
    dg_case_options options = dg_case_defaults(maxwell, 3, 2);
    dg_case c;
    double before;

    options.wall = "pec";
    options.initial = "cavity-mode";
    CHECK_OK(dg_case_create(&c, world, &options));
    dg_case_start(&c, 0.0);
    before = dg_case_product(&c, c.u, c.u);
    for (int i = 0; i < 20; i++) {
        CHECK_OK(dg_case_run(&c, 0.05, 0.8));
        const double now = dg_case_product(&c, c.u, c.u);
        CHECK_BOUND(now, before);
        before = now;
    }
    dg_case_clear(&c);
}

// At the stated stability limit random data stay bounded.
static void test_stable(int order)
{
    dg_case_options options = dg_case_defaults(maxwell, order, 1);
    dg_case c;
    int32_t element;

    options.periodic = true;
    CHECK_OK(dg_case_create(&c, world, &options));
    dg_case_random(&c, c.u);
    double dt = sedge_problem_time_step(&c.problem, c.mesh, 1.0, 1, &element);
    sedge_comm_min(world, &dt, 1);
    double before = dg_case_product(&c, c.u, c.u);
    for (int i = 0; i < 60; i++) {
        CHECK_OK(sedge_reference_step(c.reference, c.u, i * dt, dt));
        const double now = dg_case_product(&c, c.u, c.u);
        CHECK_BOUND(now, before);
        before = now;
    }
    dg_case_clear(&c);
}

// A wave through periodic faces, two or three cells a wavelength on the coarse mesh. The bound is
// that of S8 at t = 1, 4e-3, times (8/6)^4.
static void test_periodic_wave(void)
{
    static const double p[9] = {1, 1, 1, 1, 1, 1, 0.7071067811865476, -0.7071067811865476, 0};
    double error[2];

    for (int i = 0; i < 2; i++) {
        dg_case_options options = dg_case_defaults(maxwell, 3, 3 << i);
        options.periodic = true;
        options.initial = "periodic-wave";
        options.initial_parameters = p;
        error[i] = waves_error(world, &options, 0.2);
    }
    CHECK_BOUND(error[1], 1.26e-2);
    CHECK_BOUND(3.6, log2(error[0] / error[1]));
}

// A lossy cube decays as exp(-0.25 t), with the errors of the lossless one.
static void test_conductivity(void)
{
    static const double lossy[3] = {1.0, 1.0, 0.5};
    dg_case_options options = dg_case_defaults(maxwell, 2, 4);

    options.wall = "pec";
    options.initial = "cavity-mode";
    options.materials[0] = lossy;
    CHECK_BOUND(waves_error(world, &options, 1.0), 1.9e-2);
}

// Half of the cube filled with eps 4: order from S2 to S4, the bound scaled from S8.
static void test_dielectric(void)
{
    static const double dense[3] = {4.0, 1.0, 0.0};
    double error[2];

    for (int i = 0; i < 2; i++) {
        dg_case_options options = dg_case_defaults(maxwell, 2, i == 0 ? 2 : 4);
        options.wall = "pec";
        options.initial = "layered-mode";
        options.split_axis = 2;
        options.materials[1] = dense;
        error[i] = waves_error(world, &options, 1.0);
    }
    CHECK_BOUND(error[1], 4.5e-3 * 8.0);
    CHECK_BOUND(2.6, log2(error[0] / error[1]));
}

// A conducting box without a field inside: the scattered field is minus the incident one, also far
// from the walls.
static void test_scattered_field(void)
{
    static const double wave[15] = {1,   2,   2,   2,   1,  -2, 0, 0, 0, SEDGE_SIGNAL_GAUSSIAN,
                                    0.4, 0.0, 0.5, 1.5, 0.0};
    dg_case_options options = dg_case_defaults(maxwell, 4, 2);
    dg_case c;

    options.wall = "pec";
    options.incident = wave;
    CHECK_OK(dg_case_create(&c, world, &options));
    CHECK_OK(dg_case_run(&c, 2.0, 0.8));
    // What is expected: minus the initial kind "plane-wave" of the same parameters.
    c.problem.initial = dg_find_initial(maxwell, "plane-wave");
    memcpy(c.problem.initial_parameters, wave, sizeof wave);
    for (int64_t i = 0; i < c.values; i++) c.u[i] = -c.u[i];
    CHECK_BOUND(dg_case_error(&c, 2.0), 2e-3);
    dg_case_clear(&c);
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    world = comm;
    maxwell = sedge_equation_find("maxwell");
    test_cavity();
    check_order(4, 2, 0.0, 0.4);
    check_order(2, 3, 0.05, 0.4);
    test_energy_falls();
    for (int order = 1; order <= 6; order++) test_stable(order);
    test_periodic_wave();
    test_conductivity();
    test_dielectric();
    test_scattered_field();
    sedge_comm_free(comm);
    return CHECK_END();
}
