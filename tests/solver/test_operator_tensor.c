// The stage by matrix instructions gives what the slow reference gives, and is refused where it
// cannot run. Without a GPU the kernels run in random order, which does the matrix instructions by
// the book, at some orders.
#define _DEFAULT_SOURCE // setenv
#include "match.h"

#include <stdlib.h>
#include <string.h>

static const sedge_operator_options tensor = {.variant = "tensor-curl"};

// Twelve elements, or a few more where there is a GPU: two blocks, the second not full.
static kit_options choose_box(const kit_world *world, int order)
{
    kit_options options = kit_defaults(order, 1);

    options.cells[order % 3] = 2;
    if (sedge_device_get_info(world->device)->kind == SEDGE_DEVICE_CUDA)
        options.cells[(order + 1) % 3] = 3;
    options.distort = 0.08;
    return options;
}

static void test_maxwell(const kit_world *world, int order)
{
    static const kit_wall walls[] = {{"xmax", "absorbing", 0.0},
                                     {"ymin", "pmc", 0.0},
                                     {"zmin", "impedance", 3.0},
                                     {NULL, NULL, 0.0}};
    kit_options options = choose_box(world, order);
    kit k;

    options.split_axis = order % 3;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.flux_keys = &kit_upwind[order % 3];
    options.walls = walls;
    options.wall = "pec";
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.0, 1);
    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &tensor);
    CHECK_FAILS(kit_load(&k, SEDGE_FP32, &tensor), SEDGE_ERR_USAGE,
                "kernels.variant 'tensor-curl' needs precision fp64; here are maxwell in fp32 and");
    kit_clear(&k);
}

// Equations that are not made of curls.
static void test_refuses_equation(const kit_world *world)
{
    const double keys[4] = {1.0, 0.5, -0.25, 1.0};
    kit_options options = kit_defaults(1, 1);
    kit k;

    options.equation = sedge_equation_find("advection");
    options.flux_keys = keys;
    options.wall = "outflow";
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &tensor), SEDGE_ERR_USAGE,
                "kernels.variant 'tensor-curl' needs an equation that is made of curls; here are "
                "advection in fp64 and");
    kit_clear(&k);
}

int main(void)
{
    const char *const device = getenv("SEDGE_TEST_DEVICE");
    const bool is_cuda = device != NULL && strcmp(device, "cuda") == 0;
    kit_world world;

    if (!is_cuda) CHECK(setenv("SEDGE_ORDER", "random:1", 0) == 0);
    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    for (int order = is_cuda ? 1 : 3; order <= (is_cuda ? 10 : 4); order++)
        test_maxwell(&world, order);
    test_refuses_equation(&world);
    kit_close(&world);
    return CHECK_END();
}
