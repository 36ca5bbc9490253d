// The generated operator gives what the slow reference gives: random discontinuous fields, a few
// steps, all kinds of walls, two media of which one conducts, a dipole; both precisions, both forms
// of the stage kernel, orders 1 to 10, elements with boundary faces apart or among the others.
#include "match.h"

static const kit_wall all_kinds[] = {
    {"xmin", "pec", 0.0},       {"xmax", "absorbing", 0.0}, {"ymin", "pmc", 0.0},
    {"ymax", "impedance", 0.6}, {"zmin", "impedance", 3.0}, {"zmax", "pec", 0.0},
    {NULL, NULL, 0.0},
};

static const double conductor[3] = {2.25, 1.5, 0.7};
static const double resin[3] = {1.3, 4.0, 0.0};

// Weak: its element must not drown the others.
static const double dipole[12] = {0.31, 0.64, 0.57, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0,
                                  1.0,  -2.0, 0.5};

static void test_box(const kit_world *world, int order)
{
    const double upwind = match_upwind(order);
    kit_options options = kit_defaults(order, 2);
    kit k;

    options.boundary_last = order % 2 == 0;
    options.cells[order % 3] = 3;
    options.distort = 0.08;
    options.split_axis = (order + 1) % 3;
    options.materials[0] = conductor;
    options.materials[1] = resin;
    options.flux_keys = &upwind;
    options.walls = all_kinds;
    options.dipole = dipole;
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.2, order <= 5 ? 3 : 1, 0);
    kit_clear(&k);
}

// An unstructured mesh with an interface: most elements have no wall, and with few ranks there are
// elements inside each part.
static void test_unstructured(const kit_world *world, int order)
{
    const double upwind = match_upwind(order + 1);
    kit_options options = kit_defaults(order, 1);
    kit k;

    options.boundary_last = true;
    options.file = "two-block.msh";
    options.materials[0] = resin;
    options.materials[1] = conductor;
    options.flux_keys = &upwind;
    options.walls = all_kinds;
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.0, 1, 1);
    kit_clear(&k);
}

int main(int argc, char **argv)
{
    kit_world world;

    CHECK_OK(kit_open(&world, &argc, &argv));
    if (world.comm == NULL) return CHECK_END();
    for (int order = 1; order <= 10; order++) test_box(&world, order);
    for (int order = 1; order <= 4; order += 3) test_unstructured(&world, order);
    kit_close(&world);
    return CHECK_END();
}
