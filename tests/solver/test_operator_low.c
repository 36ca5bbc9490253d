// The generated operator at low orders, for a device whose compiler is slow: PoCL takes 2 to 3 s
// for a program. Each case in two programs, so that both precisions and both forms of the stage
// come.
#include "match.h"

static const double conductor[3] = {2.25, 1.5, 0.7};
static const double resin[3] = {1.3, 4.0, 0.0};

// Against the reference: one form in fp64, the other in fp32.
static void match_two(const kit_world *world, const kit_options *options, double t, int steps,
                      bool fused_is_double)
{
    kit k;

    CHECK_OK(kit_create(&k, world, options));
    dg_case_random(&k.base, k.base.u);
    const double dt = kit_time_step(&k, 0.5);
    for (int64_t i = 0; i < k.base.values; i++) k.base.exact[i] = k.base.u[i];
    for (int i = 0; i < steps; i++)
        CHECK_OK(sedge_reference_step(k.base.reference, k.base.exact, t + i * dt, dt));
    for (int p = 0; p < 2; p++) {
        const bool fused = (match_precisions[p] == SEDGE_FP64) == fused_is_double;
        const sedge_operator_options cut = {.variant = fused ? "fused" : "split"};
        match_one(&k, t, dt, steps, match_precisions[p], &cut);
    }
    kit_clear(&k);
}

// All kinds of walls, two media of which one conducts, a dipole.
static void test_walls(const kit_world *world)
{
    static const kit_wall all_kinds[] = {
        {"xmin", "pec", 0.0},       {"xmax", "absorbing", 0.0}, {"ymin", "pmc", 0.0},
        {"ymax", "impedance", 0.6}, {"zmin", "impedance", 3.0}, {"zmax", "pec", 0.0},
        {NULL, NULL, 0.0},
    };
    static const double dipole[12] = {
        0.31, 0.64, 0.57, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
    kit_options options = kit_defaults(2, 2);

    options.boundary_last = true;
    options.cells[2] = 3;
    options.distort = 0.08;
    options.split_axis = 0;
    options.materials[0] = conductor;
    options.materials[1] = resin;
    options.walls = all_kinds;
    options.dipole = dipole;
    match_two(world, &options, 0.2, 3, true);
}

// An incident wave on a conductor; boundary functions see places, times and the wave.
static void test_incident(const kit_world *world)
{
    static const kit_wall obstacle[] = {
        {"xmin", "pec", 0.0}, {"zmax", "impedance", 0.7}, {NULL, NULL, 0.0}};
    static const double pulse[15] = {1.0, 2.0, -0.5, 2.0,  -1.0,
                                     0.0, 0.2, 0.1,  -0.3, SEDGE_SIGNAL_RICKER,
                                     1.5, 0.9, 0.0,  0.4,  0.0};
    const double upwind = 0.5;
    kit_options options = kit_defaults(1, 2);

    options.file = "cube.msh";
    options.flux_keys = &upwind;
    options.walls = obstacle;
    options.wall = "absorbing";
    options.incident = pulse;
    match_two(world, &options, 0.35, 3, false);
}

// One field, an odd number of words; nonlinear, differentiated after the flux is taken.
static void test_burgers(const kit_world *world)
{
    const double keys[4] = {1.0, 0.7, -0.4, 1.5};
    kit_options options = kit_defaults(3, 3);

    options.equation = sedge_equation_find("burgers");
    options.distort = 0.05;
    options.flux_keys = keys;
    options.wall = "fixed";
    match_two(world, &options, 0.0, 1, true);
}

// The energy is the reference's, sums in fp64 of some hundred terms, and never grows.
static void test_energy(const kit_world *world)
{
    kit_options options = kit_defaults(1, 1);
    int grew = 0;
    kit k;

    options.file = "two-block.msh";
    options.materials[0] = conductor;
    options.materials[1] = resin;
    options.wall = "pec";
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    const double dt = kit_time_step(&k, 0.9);
    dg_case_random(&k.base, k.base.u);
    CHECK_OK(sedge_operator_set(k.op, k.base.u));
    double last = kit_energy(&k);
    const double wanted = 0.5 * dg_case_product(&k.base, k.base.u, k.base.u);
    CHECK_BOUND(fabs(last / wanted - 1.0), 1e-13);
    for (int i = 0; i < 100; i++) {
        CHECK_OK(sedge_operator_step(k.op, i * dt, dt));
        const double energy = kit_energy(&k);
        grew += !(energy <= last);
        last = energy;
    }
    CHECK(grew == 0 && last > 0.0);
    kit_clear(&k);
}

int main(int argc, char **argv)
{
    kit_world world;

    CHECK_OK(kit_open(&world, &argc, &argv));
    if (world.comm == NULL) return CHECK_END();
    test_walls(&world);
    test_incident(&world);
    test_burgers(&world);
    test_energy(&world);
    kit_close(&world);
    return CHECK_END();
}
