// The generated operator gives what the slow reference gives: random discontinuous fields, a few
// steps, all kinds of walls, two media of which one conducts, terms with and without memory, a
// dipole, layers outside of the box; both precisions, both forms of the stage kernel, orders 1 to
// 10 (on several ranks to 4), elements with boundary faces apart or among the others.
#include "match.h"

// SIMD batches of the host have elements of both groups, which lie in any order.
static const kit_term terms[] = {{&kit_relaxation, "below", {1.0, 0.6}},
                                 {&kit_relaxation, "below", {0.2, 0.9}},
                                 {&kit_relaxation, "above", {2.5, 1.7}},
                                 {&kit_saturation, "above", {0.4, 1.3}},
                                 {NULL, NULL, {0.0}}};

// Layers have ranges of their own.
static const char *const layered[3] = {"xmax", "ymin", "ymax"};

static void test_box(const kit_world *world, int order)
{
    kit_options options = kit_everything(order, 2, (order + 1) % 3);
    kit k;

    options.boundary_last = order % 2 == 0;
    options.cells[order % 3] = 3;
    if (order % 2 == 1) options.terms = terms;
    if (order == 3) {
        options.extrude = (sedge_mesh_extrusion){
            .surfaces = 3, .surface = layered, .layers = 1, .thickness = 0.4};
    }
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.2, order <= 5 ? 3 : 1, 0);
    kit_clear(&k);
}

// An unstructured mesh with an interface: most elements have no wall, and with few ranks there are
// elements inside each part.
static void test_unstructured(const kit_world *world, int order)
{
    kit_options options = kit_defaults(order, 1);
    kit k;

    options.boundary_last = true;
    options.file = "two-block.msh";
    options.materials[0] = kit_resin;
    options.materials[1] = kit_conductor;
    options.flux_keys = &kit_upwind[(order + 1) % 3];
    options.walls = kit_all_walls;
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.0, 1, 1);
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    for (int order = 1; order <= 10; order++)
        if (match_order(&world, order)) test_box(&world, order);
    for (int order = 1; order <= 4; order += 3) test_unstructured(&world, order);
    kit_close(&world);
    return CHECK_END();
}
