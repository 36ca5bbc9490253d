// One form of the operator on a small mesh, a step of it: all its kernels run once or a few times,
// so that a sanitizer can follow them (tests/device/sanitize.sh). The step gives what the slow
// reference gives.
//
//   test_operator_form FORM ORDER fp64|fp32 walls|incident|curved|advection|burgers
//
// FORM is a variant.
//
// Without arguments what no other test has: the plain and the sparse form in random order.
#define _DEFAULT_SOURCE // setenv
#include "base/memory.h"
#include "curved_maps.h"
#include "evolve/probes.h"
#include "match.h"

#include <stdlib.h>
#include <string.h>

// A box of 12 elements, or more where a block may have more: two blocks, the second not full.
static kit_options choose_walls(int order)
{
    kit_options options = kit_everything(order, order <= 3 ? 2 : 1, order % 3);

    options.cells[order % 3] = 2;
    return options;
}

static bool choose_case(kit_options *options, int order, const char *name)
{
    static const double flow[4] = {1.0, 0.5, -0.25, 0.5};
    static const double shock[4] = {1.0, 0.7, -0.4, 1.5};
    const bool is_scalar = strcmp(name, "advection") == 0 || strcmp(name, "burgers") == 0;

    *options = choose_walls(order);
    if (strcmp(name, "walls") == 0) return true;
    options->dipole = NULL;
    if (strcmp(name, "incident") == 0) {
        options->split_axis = -1;
        options->materials[0] = options->materials[1] = NULL;
        options->incident = kit_pulse; // boundary functions need places, times and the wave
    } else if (strcmp(name, "curved") == 0) {
        options->cells[0] = options->cells[1] = options->cells[2] = 2;
        options->distort = 0.0;
        options->box_map = curved_corner;
    } else if (is_scalar) {
        options->equation = sedge_equation_find(name);
        options->split_axis = -1;
        options->materials[0] = options->materials[1] = NULL;
        options->walls = NULL;
        options->flux_keys = name[0] == 'a' ? flow : shock;
        options->wall = name[0] == 'a' ? "outflow" : "fixed";
    }
    return is_scalar || options->incident != NULL || options->box_map != NULL;
}

// The kernels beside the stage's: energies, and a probe in the first element.
static void run_monitors(kit *k)
{
    const int nodes = k->base.element->nodes;
    const int fields = k->base.problem.equation->fields;
    const int32_t first = 0;
    double values[SEDGE_MAX_FIELDS];
    double *weights = NULL;
    sedge_probes *probes = NULL;
    int samples = 0;

    CHECK(kit_energy(k) > 0.0);
    CHECK_OK(sedge_allocate(&weights, nodes, sizeof *weights));
    weights[nodes - 1] = 1.0;
    const sedge_probe_points points = {
        .count = 1, .elements = &first, .row_count = 1, .weights = weights};
    CHECK_OK(sedge_probes_create(&probes, k->evolution, &points, 1));
    CHECK_OK(sedge_probes_record(probes));
    CHECK_OK(sedge_probes_fetch(probes, values, &samples));
    CHECK(samples == 1);
    for (int f = 0; f < fields; f++)
        CHECK_BOUND(fabs(values[f] - k->result[(f + 1) * nodes - 1]), 1e-5);
    sedge_probes_free(probes);
    sedge_release(weights);
}

// Coefficients of the other basis may be larger than nodal values by the norm of T^-1.
static void test_form(const kit_world *world, const char *form, int order,
                      sedge_precision precision, const char *name)
{
    kit_options options;
    sedge_bernstein *basis = NULL;
    kit k;

    CHECK(choose_case(&options, order, name));
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.2, 1);
    k.base.problem.precision = precision;
    const sedge_operator_options config = {.variant = form};
    CHECK_OK(kit_load(&k, precision, &config));
    CHECK_OK(kit_advance(&k, k.base.u, 0.2, dt, 1));
    CHECK_OK(sedge_bernstein_create(&basis, k.base.element));
    if (k.op != NULL && basis != NULL) {
        const bool nodal = sedge_evolution_basis(k.evolution) == SEDGE_NODAL;
        CHECK_BOUND(kit_difference(&k, k.result, k.base.exact) / kit_rounding(precision),
                    MATCH_UNITS * (nodal ? 1.0 : basis->norm));
        run_monitors(&k);
    }
    sedge_bernstein_free(basis);
    kit_clear(&k);
}

static void test_all(const kit_world *world)
{
    for (int order = 1; order <= 2; order++) {
        test_form(world, "fused", order, order % 2 == 0 ? SEDGE_FP64 : SEDGE_FP32, "walls");
        test_form(world, "bernstein", order, order % 2 == 0 ? SEDGE_FP32 : SEDGE_FP64, "walls");
    }
    if (!sedge_device_get_info(world->device)->random_order) return;
    // Four slices, and three: only the form of the GPUs has them.
    test_form(world, "bernstein", 7, SEDGE_FP64, "walls");
    test_form(world, "bernstein", 9, SEDGE_FP32, "walls");
}

int main(int argc, char **argv)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    if (argc == 5) {
        test_form(&world, argv[1], (int)strtol(argv[2], NULL, 10),
                  strcmp(argv[3], "fp64") == 0 ? SEDGE_FP64 : SEDGE_FP32, argv[4]);
    } else {
        CHECK(argc == 1);
        test_all(&world);
    }
    kit_close(&world);
    return CHECK_END();
}
