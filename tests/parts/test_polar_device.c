// A Debye medium (polar_term.c) on a device gives what the slow reference gives: fields and memory,
// where one group has the term and where two have it with different parameters, on straight and on
// curved elements, with nodal values and with coefficients as state.
#include "check.h"
#include "solver/match.h"

#include "solver/curved_maps.h"

#include <string.h>

extern const sedge_term_kind sedge_term_polar;

static const kit_term water[] = {{&sedge_term_polar, "above", {3.0, 0.15}}, {NULL, NULL, {0.0}}};
static const kit_term water_and_ice[] = {{&sedge_term_polar, "above", {3.0, 0.15}},
                                         {&sedge_term_polar, "below", {1.2, 0.4}},
                                         {NULL, NULL, {0.0}}};

static void test_medium(const kit_world *world, bool curved, const kit_term *terms)
{
    kit_options options = kit_defaults(2, curved ? 3 : 2);
    kit k;

    options.split_axis = curved ? 2 : 0;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    if (curved) {
        options.box_map = curved_corner;
    } else {
        options.distort = 0.05;
    }
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.0, 2);
    match_one(&k, 0.0, dt, 2, curved ? SEDGE_FP32 : SEDGE_FP64,
              &(sedge_operator_options){.variant = "fused"});
    match_coefficients(&k, dt, curved ? SEDGE_FP64 : SEDGE_FP32);
    if (k.evolution != NULL) {
        CHECK(sedge_evolution_blocks(k.evolution) == 2);
        const sedge_block *const block = sedge_evolution_block(k.evolution, 1);
        CHECK(strcmp(block->name, "polar") == 0 && block->components == 3);
    }
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_medium(&world, false, water);
    test_medium(&world, false, water_and_ice); // the same programs
    if (sedge_device_get_info(world.device)->kind != SEDGE_DEVICE_OPENCL)
        test_medium(&world, true, water); // PoCL takes seconds for a program
    kit_close(&world);
    return CHECK_END();
}
