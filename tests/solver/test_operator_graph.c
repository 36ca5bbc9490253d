// A step launched as a whole gives the same bits as one launched kernel by kernel: walls and a
// dipole that depend on time, curved elements, steps that are timed in between, another dt and
// back, the boundary's kernels in a stream of their own. On devices without graphs both are the
// same.
#include "check.h"
#include "curved_maps.h"
#include "kit.h"
#include "operator/launch.h"
#include "operator/parts.h"

#include <string.h>

enum { STEPS = 9, LONGER = 5 };

static void test_same(const kit_world *world, const char *variant, sedge_precision precision,
                      bool curved, bool boundary_last)
{
    const bool graphs = sedge_device_get_info(world->device)->graphs;
    sedge_operator_options config = {.variant = variant};
    kit_options options = kit_defaults(2, 3);
    int turn[2];
    kit k;

    options.wall = "pec";
    options.dipole = curved ? kit_dipole : NULL;
    options.incident = curved ? NULL : kit_pulse;
    options.box_map = curved ? curved_corner : NULL;
    options.boundary_last = boundary_last;
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    CHECK_OK(kit_load(&k, precision, &config));
    CHECK_OK(kit_advance_unevenly(&k, k.result, STEPS, LONGER));
    CHECK(sedge_evolution_recorded(k.evolution, turn) == (graphs ? 2 : 0));
    const int64_t stages = k.op->stages;
    int64_t launches[KERNELS];
    memcpy(launches, k.op->launcher.launches, sizeof launches);

    config.launch_singly = true;
    CHECK_OK(kit_load(&k, precision, &config));
    CHECK_OK(kit_advance_unevenly(&k, k.base.exact, STEPS, LONGER));
    CHECK(sedge_evolution_recorded(k.evolution, turn) == 0);
    CHECK(k.op->stages == stages && stages == STEPS * sedge_integrator_lsrk45.stages);
    CHECK(memcmp(launches, k.op->launcher.launches, sizeof launches) == 0);
    CHECK(memcmp(k.result, k.base.exact, (size_t)k.base.values * sizeof *k.result) == 0);
    CHECK(kit_difference(&k, k.result, k.base.u) > 0.1);
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_same(&world, "fused", SEDGE_FP32, false, false);
    test_same(&world, "fused", SEDGE_FP64, true, false);
    test_same(&world, "fused", SEDGE_FP32, false, true);
    test_same(&world, "fused", SEDGE_FP64, true, true);
    kit_close(&world);
    return CHECK_END();
}
