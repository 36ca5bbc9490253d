// A perfectly matched layer (solvers/maxwell/pml_term.h) on a device gives what the slow reference
// gives, fields and memory. A conductor and a Debye medium fill it: what drives them there is the
// layer's.
#include "match.h"

extern const sedge_term_kind sedge_term_debye, sedge_term_pml_side, sedge_term_pml_edge,
    sedge_term_pml_corner, sedge_term_pml_lossless_side, sedge_term_pml_lossless_edge,
    sedge_term_pml_lossless_corner;

static const char *const sides[] = {"xmax", "ymax", "zmax"};

// Layers on three sides of a box of a conductor, below, and the Debye medium, above.
static void test_layers(const kit_world *world)
{
    static const kit_term terms[] = {
        {&sedge_term_debye, "above", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-x", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-y", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-z", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-xy", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-xz", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-yz", {3.0, 0.15}},
        {&sedge_term_debye, "above-layer-xyz", {3.0, 0.15}},
        {&sedge_term_pml_corner, "above-layer-xyz", {9.0, 1.5}},
        {&sedge_term_pml_edge, "below-layer-xy", {9.0, 1.5, 0.0, 0.0, 1.0}},
        {&sedge_term_pml_edge, "above-layer-xy", {9.0, 1.5, 0.0, 0.0, 1.0}},
        {&sedge_term_pml_edge, "above-layer-xz", {9.0, 1.5, 0.0, 1.0, 0.0}},
        {&sedge_term_pml_edge, "above-layer-yz", {9.0, 1.5, 1.0, 0.0, 0.0}},
        {&sedge_term_pml_side, "below-layer-x", {9.0, 1.5, 1.0, 0.0, 0.0}},
        {&sedge_term_pml_side, "below-layer-y", {9.0, 1.5, 0.0, 1.0, 0.0}},
        {&sedge_term_pml_side, "above-layer-x", {9.0, 1.5, 1.0, 0.0, 0.0}},
        {&sedge_term_pml_side, "above-layer-y", {9.0, 1.5, 0.0, 1.0, 0.0}},
        {&sedge_term_pml_side, "above-layer-z", {9.0, 1.5, 0.0, 0.0, 1.0}},
        {NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(2, 2);
    kit k;

    options.split_axis = 2;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    options.extrude = (sedge_mesh_extrusion){.surfaces = 3, .surface = sides, .layers = 1};
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.0, 2);
    match_one(&k, 0.0, dt, 2, SEDGE_FP64, &(sedge_operator_options){.variant = "fused"});
    match_coefficients(&k, dt, SEDGE_FP32);
    kit_clear(&k);
}

// The same around glass: less memory, none in the corner.
static void test_lossless(const kit_world *world)
{
    static const kit_term terms[] = {
        {&sedge_term_pml_lossless_corner, "domain-layer-xyz", {9.0, 0.1}},
        {&sedge_term_pml_lossless_edge, "domain-layer-xy", {9.0, 0.1, 0.0, 0.0, 1.0}},
        {&sedge_term_pml_lossless_edge, "domain-layer-xz", {9.0, 0.1, 0.0, 1.0, 0.0}},
        {&sedge_term_pml_lossless_edge, "domain-layer-yz", {9.0, 0.1, 1.0, 0.0, 0.0}},
        {&sedge_term_pml_lossless_side, "domain-layer-x", {9.0, 0.1, 1.0, 0.0, 0.0}},
        {&sedge_term_pml_lossless_side, "domain-layer-y", {9.0, 0.1, 0.0, 1.0, 0.0}},
        {&sedge_term_pml_lossless_side, "domain-layer-z", {9.0, 0.1, 0.0, 0.0, 1.0}},
        {NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(2, 2);
    kit k;

    options.walls = kit_all_walls;
    options.terms = terms;
    options.extrude = (sedge_mesh_extrusion){.surfaces = 3, .surface = sides, .layers = 1};
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.0, 2);
    match_one(&k, 0.0, dt, 2, SEDGE_FP64, &(sedge_operator_options){.variant = "fused"});
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_layers(&world);
    test_lossless(&world);
    kit_close(&world);
    return CHECK_END();
}
