// The operator's kernels in the form of the GPUs, on the host, with work items in random order:
// right as they are, and wrong as soon as any one barrier is taken out.
#define _DEFAULT_SOURCE // setenv
#include "barriers.h"
#include "curved_maps.h"
#include "match.h"

#include "base/memory.h"
#include "dg/quadrature.h"
#include "monitor/sample.h"
#include "operator/curved.h"

#include <stdlib.h>

extern const sedge_integrator sedge_integrator_ader;
extern const sedge_term_kind sedge_term_anisotropic_epsilon, sedge_term_debye, sedge_term_lorentz;

// ---- quadrature --------------------------------------------------------------------------------

// Rules for curved elements have more points than need be: the block's memory has no room for all
// at once, as at orders 9 and 10.
static bool has_many_points;

// What --wrap makes of the names.
sedge_status quadrature_tet(sedge_quadrature *out,
                            int degree) __asm__("__wrap_sedge_quadrature_tet");
sedge_status real_quadrature_tet(sedge_quadrature *out,
                                 int degree) __asm__("__real_sedge_quadrature_tet");

// Two rules that are symmetric and have no point in common, each with half of the weight.
sedge_status quadrature_tet(sedge_quadrature *out, int degree)
{
    sedge_quadrature rules[2] = {{0}, {0}};
    sedge_status status;
    int at = 0;

    if (!has_many_points) return real_quadrature_tet(out, degree);
    *out = (sedge_quadrature){0};
    for (int i = 0; i < 2; i++)
        SEDGE_TRY_GOTO(status, real_quadrature_tet(&rules[i], degree + 2 * i));
    out->points = rules[0].points + rules[1].points;
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->place, out->points, sizeof *out->place));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->weight, out->points, sizeof *out->weight));
    for (int i = 0; i < 2; i++) {
        for (int q = 0; q < rules[i].points; q++, at++) {
            memcpy(out->place[at], rules[i].place[q], sizeof *out->place);
            out->weight[at] = 0.5 * rules[i].weight[q];
        }
    }
done:
    for (int i = 0; i < 2; i++) sedge_quadrature_clear(&rules[i]);
    return status; // what *out has is the caller's, after a failure, too
}

// ---- barriers ----------------------------------------------------------------------------------

// Relative to the largest; energies of fields of order one. As exact as fp64 sums of so few terms.
static double energy_difference(kit *k)
{
    double *wanted = NULL;
    double largest = 0.0;
    double difference = 0.0;

    CHECK_OK(sedge_evolution_energy(k->evolution, k->energy));
    CHECK_OK(sedge_allocate(&wanted, k->base.mesh->elements, sizeof *wanted));
    sedge_reference_energy(k->base.reference, k->result, wanted);
    for (int e = 0; e < k->base.mesh->elements; e++) {
        largest = fmax(largest, fabs(wanted[e]));
        difference = fmax(difference, fabs(k->energy[e] - wanted[e]));
        if (!isfinite(k->energy[e])) largest = (double)NAN;
    }
    sedge_release(wanted);
    // The device's own sum, of as many digits as that of the elements here.
    sedge_energy_sum sum = {0};
    CHECK_OK(sedge_evolution_begin_energy(k->evolution));
    CHECK_OK(sedge_evolution_end_energy(k->evolution, &sum));
    const double here = sedge_sample_sum(NULL, k->base.mesh->elements, k->energy);
    if (!(fabs(here - (sum.high + sum.low)) <= 0.0)) largest = (double)NAN;
    return difference / largest;
}

static void test_maxwell(const kit_world *world, int order)
{
    const kit_options options = kit_everything(order, 2, (order + 1) % 3);
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.2, 1, 0);
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    CHECK_OK(kit_advance(&k, k.base.u, 0.2, kit_time_step(&k, 0.5), 1));
    CHECK_BOUND(energy_difference(&k), MATCH_UNITS * kit_rounding(SEDGE_FP64));
    kit_clear(&k);
}

static kit_options burgers_options(int order)
{
    static const double keys[4] = {1.0, 0.7, -0.4, 1.5};
    kit_options options = kit_defaults(order, 2);

    options.equation = sedge_equation_find("burgers");
    options.distort = 0.05;
    options.flux_keys = keys;
    options.wall = "fixed";
    return options;
}

static void test_fused(const kit_world *world, const kit_options options)
{
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.0, 1, 1);
    kit_clear(&k);
}

static kit_options maxwell_options(int order)
{
    kit_options options = kit_defaults(order, 1);

    options.wall = "pec";
    return options;
}

// Units of rounding that are allowed, as in test_operator_curved.c.
static double units_of(const kit *k, const char *variant)
{
    sedge_bernstein *basis = NULL;
    double units = match_units(k);

    if (strcmp(variant, "bernstein") != 0 || units > MATCH_UNITS) return units;
    CHECK_OK(sedge_bernstein_create(&basis, k->base.element));
    if (basis != NULL) units *= basis->norm;
    sedge_bernstein_free(basis);
    return units;
}

// Is the result of one step, or its energy, wrong?
static bool is_wrong(kit *k, double dt, double bound)
{
    CHECK_OK(kit_advance(k, k->base.u, 0.0, dt, 1));
    return !(kit_difference(k, k->result, k->base.exact) <= bound) ||
           !(energy_difference(k) <= bound);
}

// Items meet at this many barriers of a file, or more. Leave out each in turn: the result, or its
// energy, must be wrong; with all of them it is right again.
static void test_no_barrier_is_idle(const kit_world *world, const char *file, int at_least,
                                    const kit_options options, const char *variant)
{
    const sedge_operator_options config = {.variant = variant};
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.0, 1);
    const double bound = units_of(&k, variant) * kit_rounding(SEDGE_FP64);
    CHECK_OK(kit_load(&k, SEDGE_FP64, &config));
    barriers_record();
    CHECK(!is_wrong(&k, dt, bound));
    CHECK(barriers_count(file) >= at_least);
    for (int i = 0; i < barriers_count(file); i++) {
        const int line = barriers_leave_out(file, i);
        const bool seen = is_wrong(&k, dt, bound);
        if (!seen) (void)fprintf(stderr, "%s:%d: the barrier is not missed\n", file, line);
        CHECK(seen);
        (void)barriers_leave_out(file, -1);
        CHECK(!is_wrong(&k, dt, bound));
    }
    kit_clear(&k);
}

// All kinds of walls, at which a wave enters.
static kit_options walls_options(int order)
{
    kit_options options = kit_defaults(order, 2);

    options.flux_keys = &kit_upwind[2];
    options.walls = kit_all_walls;
    options.incident = kit_pulse;
    return options;
}

// Elements without terms, whose steps ADER predicts.
static kit_options ader_options(int order)
{
    kit_options options = kit_defaults(order, 1); // the last block is not whole

    options.integrator = &sedge_integrator_ader;
    options.flux_keys = NULL; // upwind
    options.distort = 0.05;
    options.wall = "pec";
    return options;
}

// The same where all elements are curved.
static kit_options curved_options(int order)
{
    kit_options options = ader_options(order);

    options.distort = 0.0;
    options.box_map = curved_bulge;
    return options;
}

// Curved elements by Runge-Kutta stages, with a term with which their state is still covariant
// (dg_covariant_state.h).
static kit_options state_options(int order)
{
    static const kit_term terms[] = {{&sedge_term_debye, "domain", {0.8, 0.5}},
                                     {NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(order, 1);

    options.box_map = curved_bulge;
    options.wall = "pec";
    options.terms = terms;
    return options;
}

// The same with a term with which their state is not covariant (dg_covariant.h).
static kit_options fields_options(int order)
{
    static const kit_term terms[] = {{&kit_relaxation, "domain", {2.5, 1.7}}, {NULL, NULL, {0.0}}};
    kit_options options = state_options(order);

    options.terms = terms;
    return options;
}

// Another equation in curved elements (dg_curved.h).
static kit_options advection_options(int order)
{
    static const double keys[4] = {0.3, -0.7, 1.1, 0.6};
    kit_options options = kit_defaults(order, 1);

    options.equation = sedge_equation_find("advection");
    options.flux_keys = keys;
    options.wall = "outflow";
    options.box_map = curved_bulge;
    return options;
}

// In fp32 items of products have two curved elements from order 7 on.
static void test_tiles(const kit_world *world, int order)
{
    kit_options options = state_options(order);
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_coefficients(&k, match_reference(&k, 0.0, 2), SEDGE_FP32);
    CHECK(k.op == NULL || k.op->curved.config.tile == 2);
    CHECK(k.op == NULL || has_many_points == (k.op->curved.config.in_place == 0));
    kit_clear(&k);
}

// Elements that conduct and others with a term's memory: ADER predicts them by dg_predict.h.
static kit_options terms_options(int order)
{
    kit_options options = kit_everything(order, 2, 2);

    options.cells[0] = options.cells[1] = 1; // the last block is not whole
    options.integrator = &sedge_integrator_ader;
    options.flux_keys = NULL;
    options.dipole = NULL;
    return options;
}

// In fp32 items of the prediction gather derivatives from order 3 on, in fp64 from order 5.
static void test_terms(const kit_world *world, int order)
{
    const kit_options options = terms_options(order);
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_coefficients(&k, match_reference(&k, 0.0, 2), SEDGE_FP32);
    kit_clear(&k);
}

// A pole of a conductor and of an anisotropic medium, by Runge-Kutta stages: an item takes two
// nodes. At order 4 the last has one node, and padding.
static void test_pole(const kit_world *world, int order)
{
    static const kit_term terms[] = {
        {&sedge_term_lorentz, "below", {1.0, 0.7, 0.2}},
        {&sedge_term_lorentz, "above", {0.5, 1.1, 0.1}},
        {&sedge_term_anisotropic_epsilon, "above", {1.0, 0.4, 0.7, 0.1, -0.2, 0.15}},
        {NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(order, 2);
    kit k;

    options.distort = 0.05;
    options.split_axis = 2;
    options.materials[0] = kit_conductor;
    options.walls = kit_all_walls;
    options.terms = terms;
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_coefficients(&k, match_reference(&k, 0.0, 2), SEDGE_FP32);
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK(setenv("SEDGE_ORDER", "random:1", 0) == 0);
    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    CHECK(sedge_device_get_info(world.device)->random_order);
    for (int order = 1; order <= 3; order++) test_maxwell(&world, order);
    for (int order = 1; order <= 2; order++) test_fused(&world, burgers_options(order));
    // Burgers' equation uses all barriers, those for nonlinear fluxes too.
    test_no_barrier_is_idle(&world, "dg_stage.h", 4, burgers_options(1), "fused");
    test_no_barrier_is_idle(&world, "dg_monitor.h", 2, burgers_options(2), "fused");
    test_no_barrier_is_idle(&world, "dg_tensor.h", 24, maxwell_options(2), "tensor-curl");
    test_no_barrier_is_idle(&world, "dg_trace.h", 2, walls_options(1), "bernstein");
    // At order 3 two warps share a group of elements; at order 4 sums lie where jumps are still
    // read.
    test_no_barrier_is_idle(&world, "dg_bernstein.h", 4, walls_options(3), "bernstein");
    test_no_barrier_is_idle(&world, "dg_bernstein.h", 5, terms_options(4), "bernstein");
    // At order 6 sums are folded in fp64.
    test_no_barrier_is_idle(&world, "dg_series.h", 6, ader_options(6), "bernstein");
    test_no_barrier_is_idle(&world, "dg_covariant_predict.h", 10, curved_options(3), "bernstein");
    // Products are code at order 3 in fp64, tables at order 5.
    test_no_barrier_is_idle(&world, "dg_covariant_state.h", 8, state_options(3), "bernstein");
    test_no_barrier_is_idle(&world, "dg_covariant_state.h", 10, state_options(3), "fused");
    test_no_barrier_is_idle(&world, "dg_covariant_state.h", 13, state_options(5), "fused");
    test_fused(&world, fields_options(3));
    test_fused(&world, advection_options(2));
    has_many_points = true;
    test_no_barrier_is_idle(&world, "dg_covariant_state.h", 16, state_options(5), "fused");
    test_no_barrier_is_idle(&world, "dg_covariant_state.h", 14, state_options(5), "bernstein");
    test_no_barrier_is_idle(&world, "dg_covariant_predict.h", 16, curved_options(5), "bernstein");
    test_tiles(&world, 7);
    has_many_points = false;
    test_tiles(&world, 7);
    for (int order = 3; order <= 4; order++) test_terms(&world, order);
    for (int order = 3; order <= 4; order++) test_pole(&world, order);
    // At order 6 generated code damps, at order 7 a matrix does.
    for (int order = 6; order <= 7; order++)
        test_no_barrier_is_idle(&world, "dg_predict.h", 8, terms_options(order), "bernstein");
    kit_close(&world);
    return CHECK_END();
}
