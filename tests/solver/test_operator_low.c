// The generated operator at low orders, for a device whose compiler is slow: PoCL takes 2 to 3 s
// for a program. Each case in one form and precision, so that all four come; with SEDGE_TEST_ALL in
// both.
#include "match.h"

#include <string.h>

// Against the reference, and with everything in the other precision and form, too.
static void match_form(const kit_world *world, const kit_options *options, double t, int steps,
                       sedge_precision precision, const char *variant)
{
    const bool is_fused = strcmp(variant, "fused") == 0;
    kit k;

    CHECK_OK(kit_create(&k, world, options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, t, steps);
    match_one(&k, t, dt, steps, precision, &(sedge_operator_options){.variant = variant});
    if (match_everything()) {
        const bool linear = k.base.problem.equation->linear; // others have nodal kernels alone
        const char *const other = is_fused && linear ? "bernstein" : "fused";
        match_one(&k, t, dt, steps, precision == SEDGE_FP64 ? SEDGE_FP32 : SEDGE_FP64,
                  &(sedge_operator_options){.variant = other});
    }
    kit_clear(&k);
}

// All kinds of walls, two media of which one conducts, a dipole.
static void test_walls(const kit_world *world)
{
    kit_options options = kit_everything(2, 2, 0);

    options.boundary_last = true;
    options.cells[2] = 3;
    match_form(world, &options, 0.2, 3, SEDGE_FP64, "fused");
}

// An incident wave on a conductor; boundary functions see places, times and the wave.
static void test_incident(const kit_world *world)
{
    static const kit_wall obstacle[] = {
        {"xmin", "pec", 0.0}, {"zmax", "impedance", 0.7}, {NULL, NULL, 0.0}};
    kit_options options = kit_defaults(1, 2);

    options.file = "cube.msh";
    options.flux_keys = &kit_upwind[2];
    options.walls = obstacle;
    options.wall = "absorbing";
    options.incident = kit_pulse;
    match_form(world, &options, 0.35, 3, SEDGE_FP64, "bernstein");
}

// Two waves through a closed surface inside the mesh.
static void test_total_field(const kit_world *world)
{
    const kit_options options = match_total_field(2);

    match_form(world, &options, 0.35, 2, SEDGE_FP32, "bernstein");
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
    match_form(world, &options, 0.0, 1, SEDGE_FP32, "fused");
}

// The energy is the reference's, sums in fp64 of some hundred terms, and never grows.
static void test_energy(const kit_world *world)
{
    kit_options options = kit_defaults(1, 1);
    int grew = 0;
    kit k;

    options.file = "two-block.msh";
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.wall = "pec";
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    const double dt = kit_time_step(&k, 0.9);
    dg_case_random(&k.base, k.base.u);
    CHECK_OK(sedge_evolution_set(k.evolution, k.base.u));
    double last = kit_energy(&k);
    const double wanted = 0.5 * dg_case_product(&k.base, k.base.u, k.base.u);
    CHECK_BOUND(fabs(last / wanted - 1.0), 1e-13);
    for (int i = 0; i < 100; i++) {
        CHECK_OK(sedge_evolution_step(k.evolution, i * dt, dt));
        const double energy = kit_energy(&k);
        grew += !(energy <= last);
        last = energy;
    }
    CHECK(grew == 0 && last > 0.0);
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_walls(&world);
    test_incident(&world);
    test_total_field(&world);
    test_burgers(&world);
    test_energy(&world);
    kit_close(&world);
    return CHECK_END();
}
