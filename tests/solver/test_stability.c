// Long runs and the limit of the time step: at the documented limit (cfl 1) random fields only lose
// energy, and 15 percent above it they blow up on the mesh that the limit comes from.
#include "kit.h"

#include "check.h"

// Steps of random fields; the samples that grew, and the last energy over the first. Stops early
// when it is beyond all doubt.
typedef struct outcome {
    int grew;
    double growth;
} outcome;

static outcome run(const kit_world *world, const kit_options *options, double cfl, int steps,
                   int every)
{
    outcome result = {0, 1.0};
    kit k;

    CHECK_OK(kit_create(&k, world, options));
    CHECK_OK(kit_load(&k, options->precision, NULL));
    const double dt = kit_time_step(&k, cfl);
    dg_case_random(&k.base, k.base.u);
    CHECK_OK(sedge_operator_set(k.op, k.base.u));
    const double first = kit_energy(&k);
    double last = first;
    for (int i = 1; i <= steps && result.growth < 1e3; i++) {
        CHECK_OK(sedge_operator_step(k.op, (i - 1) * dt, dt));
        if (i % every != 0) continue;
        const double energy = kit_energy(&k);
        result.grew += !(energy <= last);
        result.growth = energy / first;
        last = energy;
    }
    kit_clear(&k);
    return result;
}

// An unstructured closed cavity.
static void test_long_run(const kit_world *world, int order, sedge_precision precision)
{
    kit_options options = kit_defaults(order, 1);

    options.file = "cube.msh";
    options.wall = "pec";
    options.precision = precision;
    const outcome result = run(world, &options, 1.0, 2000, 10);
    CHECK(result.grew == 0);
    CHECK_BOUND(result.growth, 0.6);
    CHECK_BOUND(0.01, result.growth);
}

// The regular mesh of which the limits were measured, without walls that could take energy.
static void test_limit(const kit_world *world, int order)
{
    kit_options options = kit_defaults(order, 2);

    options.periodic = true;
    const outcome at = run(world, &options, 1.0, 200, 1);
    CHECK(at.grew == 0);
    CHECK_BOUND(at.growth, 0.9);
    const outcome above = run(world, &options, 1.15, 200, 1);
    CHECK_BOUND(1e3, above.growth);
}

int main(int argc, char **argv)
{
    kit_world world;

    CHECK_OK(kit_open(&world, &argc, &argv));
    if (world.comm == NULL) return CHECK_END();
    for (int order = 1; order <= 10; order++) test_limit(&world, order);
    test_long_run(&world, 1, SEDGE_FP32);
    test_long_run(&world, 1, SEDGE_FP64);
    test_long_run(&world, 3, SEDGE_FP64);
    test_long_run(&world, 5, SEDGE_FP64);
    kit_close(&world);
    return CHECK_END();
}
