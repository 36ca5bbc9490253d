// As test_operator, of equations with one field: advection, and Burgers' nonlinear one, which the
// operator must differentiate after the flux is taken.
#include "match.h"

static void test_advection(const kit_world *world, int order)
{
    static const kit_wall sides[] = {{"xmin", "inflow", 0.3},
                                     {"ymin", "inflow", -1.5},
                                     {"zmax", "inflow", 0.0},
                                     {NULL, NULL, 0.0}};
    const double keys[4] = {1.0, 0.5, -0.25, kit_upwind[order % 3]};
    kit_options options = kit_defaults(order, 2);
    kit k;

    options.equation = sedge_equation_find("advection");
    if (order <= 4) {
        options.file = "cube.msh";
    } else {
        options.distort = 0.08;
    }
    options.flux_keys = keys;
    options.walls = sides;
    options.wall = "outflow";
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.0, 3, 0);
    kit_clear(&k);
}

// Fields are below the flux's bound; the mesh is one of the two kinds by turns.
static void test_burgers(const kit_world *world, int order)
{
    const double keys[4] = {1.0, 0.7, -0.4, 1.5};
    kit_options options = kit_defaults(order, 3);
    kit k;

    options.equation = sedge_equation_find("burgers");
    options.distort = 0.05;
    options.periodic = order % 2 == 0;
    options.flux_keys = keys;
    options.wall = "fixed";
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.0, 1, 1);
    kit_clear(&k);
}

int main(void)
{
    static const int orders[] = {1, 2, 3, 4, 5, 9};
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    for (int i = 0; i < 6; i++) {
        if (!match_order(&world, orders[i])) continue;
        test_advection(&world, orders[i]);
        test_burgers(&world, orders[i]);
    }
    kit_close(&world);
    return CHECK_END();
}
