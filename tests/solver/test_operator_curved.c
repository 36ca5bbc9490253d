// The generated operator on curved elements gives what the slow reference gives: meshes of curved
// elements alone and with straight neighbours, all kinds of walls at them, two media of which one
// conducts, a dipole in a curved element; both precisions, all forms of the stage, both bases.
//
// Orders 1 to 3, with "all" to 10. With "random" 2 to 4, for SEDGE_ORDER=random: work items in
// random order, so that a missing barrier shows; "random 9" is order 9 alone.
#include "match.h"

#include "sampled.h"

#include "base/memory.h"
#include "curved_maps.h"
#include "dg/bernstein.h"
#include "operator/curved.h"

#include <string.h>

static const double dipole[12] = {0.8, 0.78, 0.83, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0,
                                  1.0, -2.0, 0.5};
extern const sedge_term_kind sedge_term_debye;

static const double advection_keys[4] = {0.3, -0.7, 1.1, 0.6};

// Terms that act on the components of a vector alike, with which the state of curved elements is
// covariant; and others, with which it is not.
static const kit_term alike[] = {{&sedge_term_debye, "above", {0.8, 0.5}},
                                 {&sedge_term_debye, "above", {0.4, 1.5}},
                                 {NULL, NULL, {0.0}}};
static const kit_term others[] = {{&kit_relaxation, "above", {2.5, 1.7}},
                                  {&kit_relaxation, "above", {0.7, 0.4}},
                                  {NULL, NULL, {0.0}}};

static kit_options make_options(int order, const kit_term *terms)
{
    kit_options options = kit_defaults(order, 2);

    options.split_axis = (order + 1) % 3;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.walls = kit_all_walls;
    options.terms = terms;
    return options;
}

// The same in the Bernstein-Bezier basis. Coefficients of random nodal values are larger than these
// by up to the norm of T^-1, and so is what rounding leaves.
static void match_bernstein(kit *k, double t, int steps, int turn)
{
    const sedge_operator_options config = {.variant = "bernstein"};
    const double dt = match_reference(k, t, steps);
    sedge_bernstein *basis = NULL;

    CHECK_OK(sedge_bernstein_create(&basis, k->base.element));
    if (basis == NULL) return;
    for (int p = 0; p < 2; p++) {
        if (!match_everything() && (k->base.element->order + turn) % 2 != p) continue;
        CHECK_OK(kit_load(k, match_precisions[p], &config));
        const sedge_basis basis_of = sedge_evolution_basis(k->evolution);
        CHECK(sedge_basis_of_row(basis_of) == SEDGE_BERNSTEIN);
        CHECK(sedge_basis_is_covariant(basis_of) ==
              sedge_cubature_state_is_covariant(&k->base.problem));
        CHECK_OK(kit_advance(k, k->base.u, t, dt, steps));
        CHECK_BOUND(kit_difference(k, k->result, k->base.exact),
                    MATCH_UNITS * basis->norm * kit_rounding(match_precisions[p]));
        CHECK_BOUND(kit_memory_difference(k),
                    MATCH_UNITS * basis->norm * kit_rounding(match_precisions[p]));
    }
    sedge_bernstein_free(basis);
}

// All that the rule chooses goes into the kernels' source, so it must not depend on what was in
// memory before: the source, and with it the cache's key, would be another one in each run.
static void check_choice(const kit *k)
{
    const sedge_device_info *const info = sedge_device_get_info(k->world->device);
    operator_curved_config config[2];

    for (int i = 0; i < 2; i++) {
        memset(&config[i], 0x55 * i, sizeof config[i]);
        CHECK_OK(operator_curved_choose(&config[i], &k->op->layout, info, &k->base.problem,
                                        k->base.element));
    }
    CHECK(memcmp(&config[0], &config[1], sizeof config[0]) == 0);
}

// The energy by quadrature, of the reference and of the kernel.
static void check_energy(kit *k)
{
    double *energy = NULL;
    double worst = 0.0;
    double most = 0.0;

    CHECK_OK(kit_load(k, SEDGE_FP64, &(sedge_operator_options){.variant = "fused"}));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, 0.0, 0));
    kit_start_memory(k);
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

static void test_corner(const kit_world *world, int order, const kit_term *terms, int steps)
{
    kit_options options = make_options(order, terms);
    kit k;

    options.cells[0] = options.cells[1] = options.cells[2] = 3;
    options.box_map = curved_corner;
    options.flux_keys = &kit_upwind[order % 3];
    options.dipole = dipole;
    CHECK_OK(kit_create(&k, world, &options));
    CHECK(k.base.mesh->global_curved > 0);
    CHECK(k.base.mesh->global_curved < k.base.mesh->global_elements);
    CHECK(sedge_cubature_state_is_covariant(&k.base.problem) == (terms == alike));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.2, steps, 0);
    if (!test_is_sampled() || terms == alike) match_bernstein(&k, 0.2, steps, 1);
    check_energy(&k);
    kit_clear(&k);
}

static void test_all_curved(const kit_world *world, const char *equation, int order)
{
    kit_options options = make_options(order, alike);
    kit k;

    options.equation = sedge_equation_find(equation);
    options.box_map = curved_wave;
    if (strcmp(equation, "maxwell") == 0) {
        options.flux_keys = &kit_upwind[(order + 1) % 3];
        options.split_axis = -1;
        options.materials[0] = kit_resin;
        options.incident = kit_pulse; // boundary functions need place and time
    } else {
        options.split_axis = -1;
        options.materials[0] = options.materials[1] = NULL;
        options.walls = NULL;
        options.wall = "outflow";
        options.flux_keys = advection_keys;
    }
    CHECK_OK(kit_create(&k, world, &options));
    CHECK(k.base.mesh->global_curved == k.base.mesh->global_elements);
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.0, 1, 1);
    check_choice(&k);
    if (!test_is_sampled()) match_bernstein(&k, 0.0, 1, 0);
    kit_clear(&k);
}

// Two waves enter through a surface of which some faces, or all, are curved.
static void test_total_field(const kit_world *world, int order,
                             void (*map)(const double x[3], double moved[3]))
{
    kit_options options = match_total_field(order);
    kit k;

    options.box_map = map;
    options.distort = 0.0;
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.35, 1, 0);
    if (!test_is_sampled()) match_bernstein(&k, 0.35, 1, 1);
    kit_clear(&k);
}

// The problem must say that elements are curved: its programs depend on it.
static void test_unsaid(const kit_world *world)
{
    kit_options options = make_options(1, alike);
    kit k;

    options.box_map = curved_wave;
    CHECK_OK(kit_create(&k, world, &options));
    k.base.problem.curved = false;
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, NULL), SEDGE_ERR_INTERNAL,
                "the mesh has curved elements, which the problem does not say");
    kit_clear(&k);
}

int main(int argc, char **argv)
{
    const bool random = argc > 1 && strcmp(argv[1], "random") == 0;
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    if (random) {
        const int only = argc > 2 ? atoi(argv[2]) : 0;
        for (int order = only > 0 ? only : 2; order <= (only > 0 ? only : 4); order++)
            test_corner(&world, order, alike, 1); // each basis in both precisions
        test_corner(&world, only > 0 ? only : 2, others, 1);
    } else {
        const int least = test_is_sampled() ? 2 : 1;
        const int most = all ? 10 : test_is_sampled() || test_is_small() ? 2 : 3;
        for (int order = least; order <= most; order++)
            test_corner(&world, order, alike, order <= 3 ? 2 : 1);
        for (int order = 2; order <= (all ? most : 2); order++)
            test_corner(&world, order, others, 1);
        for (int order = 1; order <= most; order += 3) test_all_curved(&world, "maxwell", order);
        if (!test_is_sampled()) test_all_curved(&world, "advection", 2);
        if (!test_is_sampled()) test_total_field(&world, 1, curved_wave);
        if (!test_is_sampled()) test_total_field(&world, 2, curved_corner);
        test_unsaid(&world);
    }
    kit_close(&world);
    return CHECK_END();
}
