// Whole solves against exact solutions, the quick part: on an unstructured mesh the error falls
// with the order, on regular meshes with the cells, in fp32 down to its rounding; on any number of
// ranks.
#include "kit.h"

#include "check.h"
#include "sampled.h"

static double solve(const kit_world *world, kit_options options, double end)
{
    double error = (double)NAN;

    CHECK_OK(kit_solve(&error, world, &options, NULL, end, 0.8));
    return error;
}

// The mode (1,1,1) on 707 unstructured elements: at least five times better with each order.
static void test_orders(const kit_world *world)
{
    const sedge_operator_options fused = {.variant = "fused"};
    double last = 1.0;

    for (int order = 1; order <= (test_is_small() ? 2 : 4); order++) {
        kit_options options = kit_defaults(order, 1);
        options.file = "cube.msh";
        options.wall = "pec";
        options.initial = "cavity-mode";
        double error = (double)NAN;
        CHECK_OK(kit_solve(&error, world, &options, &fused, 0.5, 0.8));
        CHECK_BOUND(5.0 * error, last);
        last = error;
    }
}

// Half the cell, an eighth of the error; the decay in a conducting medium is part of the solution.
static void test_cells(const kit_world *world)
{
    static const double lossy[3] = {1.0, 1.0, 0.5};
    kit_options options = kit_defaults(2, 3);

    options.distort = 0.05;
    options.wall = "pec";
    options.materials[0] = lossy;
    options.initial = "cavity-mode";
    const double coarse = solve(world, options, 0.5);
    for (int d = 0; d < 3; d++) options.cells[d] = 6;
    const double fine = solve(world, options, 0.5);
    CHECK_BOUND(2.7, log(coarse / fine) / log(2.0));
}

// The same error in fp32 where it is far above rounding; at order 6 the rounding of some 70 steps
// is added, each less than a unit (6e-8).
static void test_precision(const kit_world *world)
{
    kit_options options = kit_defaults(3, 3);

    options.wall = "pec";
    options.initial = "cavity-mode";
    const double fine = solve(world, options, 0.5);
    options.precision = SEDGE_FP32;
    CHECK_BOUND(fabs(solve(world, options, 0.5) / fine - 1.0), 1e-3);
    options.order = 6;
    const double rounded = solve(world, options, 0.25);
    options.precision = SEDGE_FP64;
    CHECK_BOUND(rounded, solve(world, options, 0.25) + 2e-6);
}

// Another layer of another medium, and a standing wave over both.
static void test_layers(const kit_world *world)
{
    static const double glass[3] = {4.0, 1.0, 0.0};
    kit_options options = kit_defaults(3, 2);

    options.wall = "pec";
    options.split_axis = 2;
    options.materials[1] = glass;
    options.initial = "layered-mode";
    const double coarse = solve(world, options, 0.5);
    for (int d = 0; d < 3; d++) options.cells[d] = 4;
    const double fine = solve(world, options, 0.5);
    CHECK_BOUND(3.7, log(coarse / fine) / log(2.0));
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_orders(&world);
    if (!test_is_small()) test_cells(&world);
    if (!test_is_small()) test_precision(&world);
    test_layers(&world);
    kit_close(&world);
    return CHECK_END();
}
