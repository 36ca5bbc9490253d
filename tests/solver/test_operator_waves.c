// As test_operator, of incident waves on an unstructured mesh and of periodic boxes.
#include "match.h"

static const kit_wall obstacle[] = {
    {"xmin", "pec", 0.0},       {"xmax", "absorbing", 0.0}, {"ymin", "pmc", 0.0},
    {"ymax", "impedance", 0.6}, {NULL, NULL, 0.0},
};

static void test_incident(const kit_world *world, int order)
{
    const double medium[3] = {order % 2 == 0 ? 1.0 : 2.0, 1.0, 0.0};
    kit_options options = kit_defaults(order, 2);
    kit k;

    if (order <= 3) {
        options.file = "cube.msh";
    } else {
        options.distort = 0.08;
    }
    options.materials[0] = medium;
    options.flux_keys = &kit_upwind[order % 3];
    options.walls = obstacle;
    options.wall = "absorbing";
    options.incident = kit_pulse;
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.35, order <= 5 ? 3 : 1, 1);
    kit_clear(&k);
}

// Two waves through a closed surface inside the mesh, of which ranks have parts.
static void test_total_field(const kit_world *world, int order)
{
    const kit_options options = match_total_field(order);
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.35, 2, 0);
    kit_clear(&k);
}

static void test_periodic(const kit_world *world, int order)
{
    static const double glass[3] = {2.25, 1.5, 0.0};
    kit_options options = kit_defaults(order, 3);
    kit k;

    options.cells[order % 3] = 1; // elements that meet their own image's neighbours
    options.periodic = true;
    options.distort = 0.05;
    options.split_axis = (order + 1) % 3;
    options.materials[1] = glass;
    options.flux_keys = &kit_upwind[(order + 1) % 3];
    CHECK_OK(kit_create(&k, world, &options));
    CHECK(k.base.mesh->boundary_faces == 0);
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.0, order <= 5 ? 3 : 1, 0);
    kit_clear(&k);
}

int main(void)
{
    static const int incident_orders[] = {1, 2, 3, 5, 8};
    static const int periodic_orders[] = {1, 2, 4, 7};
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    for (int i = 0; i < 5; i++)
        if (match_order(&world, incident_orders[i])) test_incident(&world, incident_orders[i]);
    for (int order = 2; order <= 3; order++) test_total_field(&world, order);
    for (int i = 0; i < 4; i++)
        if (match_order(&world, periodic_orders[i])) test_periodic(&world, periodic_orders[i]);
    kit_close(&world);
    return CHECK_END();
}
