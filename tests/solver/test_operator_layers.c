// Terms of Maxwell's equations that act on each other, on a device, give what the slow reference
// gives, fields and memory: a conductor and a Debye medium fill a perfectly matched layer
// (solvers/maxwell/pml/pml_term.h) on a box and on a ball, which drives them; media that are
// anisotropic (solvers/maxwell/anisotropic_term.h) have poles, conduct and are driven by a layer.
// On OpenCL CI compiles the terms in the nodal form alone: PoCL takes seconds for a program. Of
// terms with coefficients as state test_polar_device has one there.
#include "match.h"

#include "curved_maps.h"
#include "sampled.h"

#include "base/memory.h"

extern const sedge_term_kind sedge_term_anisotropic_epsilon, sedge_term_anisotropic_mu,
    sedge_term_anisotropic_conductivity;
extern const sedge_term_kind sedge_term_drude, sedge_term_lorentz, sedge_term_magnetic_debye;
extern const sedge_term_kind sedge_term_debye, sedge_term_pml_side, sedge_term_pml_edge,
    sedge_term_pml_corner, sedge_term_pml_lossless_side, sedge_term_pml_lossless_edge,
    sedge_term_pml_lossless_corner, sedge_term_pml_radial;

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
    if (!test_is_sampled()) match_coefficients(&k, dt, SEDGE_FP32);
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

// A layer around a ball: each node has a frame of its own.
static void test_ball(const kit_world *world)
{
    static const char *const wall[] = {"wall"};
    static const kit_term terms[2][3] = {
        {{&sedge_term_debye, "inside-layer-r", {3.0, 0.15}},
         {&sedge_term_pml_radial, "inside-layer-r", {3.0, 1.5}},
         {NULL, NULL, {0.0}}},
        {{&sedge_term_pml_radial, "inside-layer-r", {3.0, 0.1}}, {NULL, NULL, {0.0}}}};

    for (int i = 0; i < (test_is_sampled() ? 1 : 2); i++) {
        kit_options options = kit_defaults(2, 1);
        kit k;

        options.file = "ball.msh";
        options.wall = "absorbing";
        options.terms = terms[i];
        options.extrude = (sedge_mesh_extrusion){.surfaces = 1, .surface = wall, .layers = 1};
        CHECK_OK(kit_create(&k, world, &options));
        dg_case_random(&k.base, k.base.u);
        const double dt = match_reference(&k, 0.0, 2);
        match_one(&k, 0.0, dt, 2, i == 0 ? SEDGE_FP32 : SEDGE_FP64,
                  &(sedge_operator_options){.variant = "fused"});
        kit_clear(&k);
    }
}

// The energies of elements, with that of the poles' memory, of the reference and of the kernel; the
// sum in fp64 is the bound's.
static void check_energy(kit *k)
{
    double *energy = NULL;
    double worst = 0.0;
    double most = 0.0;

    CHECK_OK(kit_load(k, SEDGE_FP64, &(sedge_operator_options){.variant = "fused"}));
    kit_start_memory(k);
    CHECK_OK(kit_advance(k, k->base.u, 0.0, 0.0, 0)); // sets fields and memory
    CHECK_OK(sedge_evolution_energy(k->evolution, k->energy));
    CHECK_OK(sedge_allocate(&energy, k->base.mesh->elements, sizeof *energy));
    sedge_reference_energy(k->base.reference, k->base.u, energy);
    for (int32_t e = 0; e < k->base.mesh->elements; e++) {
        worst = fmax(worst, fabs(energy[e] - k->energy[e]));
        most = fmax(most, energy[e]);
    }
    CHECK_BOUND(worst, 1e-13 * most);
    sedge_release(energy);
}

// Both forms of the kernels beside the reference, one in each precision, and the energies.
static void match_forms(kit *k, bool curved)
{
    const double dt = match_reference(k, 0.0, 2);

    match_one(k, 0.0, dt, 2, curved ? SEDGE_FP32 : SEDGE_FP64,
              &(sedge_operator_options){.variant = "fused"});
    if (!test_is_sampled()) match_coefficients(k, dt, curved ? SEDGE_FP64 : SEDGE_FP32);
    check_energy(k);
}

// A dipole in the upper medium. The matrices' eigenvalues lie between 0.4 and 1.
static void test_anisotropy(const kit_world *world, bool curved)
{
    static const double dipole[12] = {
        0.8, 0.78, 0.83, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
    static const kit_term terms[] = {
        {&sedge_term_anisotropic_conductivity, "above", {1.1, 0.5, 0.8, 0.2, 0.3, -0.1}},
        {&sedge_term_anisotropic_epsilon, "above", {0.7, 0.8, 0.6, 0.1, -0.12, 0.08}},
        {&sedge_term_anisotropic_epsilon, "below", {1.0, 0.5, 0.6, 0.0, 0.0, 0.0}},
        {&sedge_term_anisotropic_mu, "above", {0.75, 0.65, 0.85, -0.05, 0.1, 0.07}},
        {&sedge_term_debye, "above", {3.0, 0.15}},
        {&sedge_term_debye, "below", {1.0, 0.3}},
        {&sedge_term_pml_side, "below", {4.0, 1.5, 1.0, 0.0, 0.0}},
        {NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(2, curved ? 3 : 2);
    kit k;

    options.split_axis = 2;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    options.dipole = dipole;
    if (curved) {
        options.box_map = curved_corner;
    } else {
        options.distort = 0.05;
    }
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_forms(&k, curved);
    kit_clear(&k);
}

// Stiff poles by the exponential update: one and two of them, of both fields, beside a term that
// is in the stages. Also curved.
static void test_stiff(const kit_world *world, bool curved)
{
    static const double dipole[12] = {
        0.8, 0.78, 0.83, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
    static const kit_term terms[] = {{&sedge_term_debye, "above", {30.0, 1e-3}},
                                     {&sedge_term_drude, "below", {15.0, 300.0}},
                                     {&sedge_term_lorentz, "above", {1.0, 0.7, 0.2}},
                                     {&sedge_term_magnetic_debye, "below", {3.0, 2e-3}},
                                     {NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(2, curved ? 3 : 2);
    kit k;

    options.split_axis = 2;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    options.exponential = 0.5;
    options.dipole = dipole;
    if (curved) options.box_map = curved_corner;
    CHECK_OK(kit_create(&k, world, &options));
    for (int i = 0; i < k.base.problem.term_count; i++) {
        CHECK(k.base.problem.terms[i].exponential ==
              (k.base.problem.terms[i].kind != &sedge_term_lorentz));
    }
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.0, 2);
    match_one(&k, 0.0, dt, 2, curved ? SEDGE_FP32 : SEDGE_FP64,
              &(sedge_operator_options){.variant = "fused"});
    if (!test_is_sampled()) match_coefficients(&k, dt, curved ? SEDGE_FP64 : SEDGE_FP32);
    kit_clear(&k);
}

// Long lists of poles, of other lengths in each medium.
static void test_many_poles(const kit_world *world, bool curved)
{
    kit_term terms[80] = {{NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(2, curved ? 3 : 2);
    int count = 0;
    kit k;

    for (int i = 0; i < 14; i++)
        terms[count++] = (kit_term){&sedge_term_debye, "above", {0.1 + 0.02 * i, 0.5 + 0.1 * i}};
    for (int i = 0; i < 11; i++)
        terms[count++] = (kit_term){&sedge_term_debye, "below", {0.2, 0.4 + 0.1 * i}};
    for (int i = 0; i < 24; i++)
        terms[count++] = (kit_term){&sedge_term_lorentz, "above", {0.1, 0.2 + 0.03 * i, 0.01 * i}};
    for (int i = 0; i < 24; i++)
        terms[count++] = (kit_term){&sedge_term_magnetic_debye, "below", {0.1, 1.0 + 0.1 * i}};
    options.split_axis = 2;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    if (curved) options.box_map = curved_corner;
    CHECK_OK(kit_create(&k, world, &options));
    CHECK(k.base.problem.term_count == 4);
    dg_case_random(&k.base, k.base.u);
    match_forms(&k, curved);
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_layers(&world);
    test_lossless(&world);
    test_ball(&world);
    test_anisotropy(&world, false);
    test_stiff(&world, false);
    test_many_poles(&world, false);
    if (!test_is_sampled()) {
        test_anisotropy(&world, true);
        test_stiff(&world, true);
        test_many_poles(&world, true);
    }
    kit_close(&world);
    return CHECK_END();
}
