// One form of the operator on a small mesh, a step of it: all its kernels run once or a few times,
// so that a sanitizer can follow them (tests/device/sanitize.sh). The step gives what the slow
// reference gives.
//
//   test_operator_form FORM ORDER fp64|fp32 walls|incident|curved|advection|burgers
//
// FORM is a variant, or "dense": coefficients of the Bernstein-Bezier basis by the nodal kernels.
//
// Without arguments what no other test has: on the host the tangential lift, in random order
// (SEDGE_ORDER) and on a GPU also cuBLAS, which random order replaces by loops.
#define _DEFAULT_SOURCE // setenv
#include "match.h"

#include "base/memory.h"
#include "curved_maps.h"
#include "operator/operator_internal.h"

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
    int samples = 0;

    CHECK(kit_energy(k) > 0.0);
    CHECK_OK(sedge_allocate(&weights, nodes, sizeof *weights));
    weights[nodes - 1] = 1.0;
    CHECK_OK(sedge_operator_set_probes(k->op, 1, &first, weights, 1));
    CHECK_OK(sedge_operator_record_probes(k->op));
    CHECK_OK(sedge_operator_fetch_probes(k->op, values, &samples));
    CHECK(samples == 1);
    for (int f = 0; f < fields; f++)
        CHECK_BOUND(fabs(values[f] - k->result[(f + 1) * nodes - 1]), 1e-5);
    sedge_release(weights);
}

// The variant of that name; or the first way to run the nodal kernels in the other basis.
static sedge_operator_options choose_form(operator_choices *choices, const char *form, const kit *k)
{
    sedge_operator_options options = {.variant = form};

    if (strcmp(form, "dense") != 0) return options;
    CHECK_OK(operator_choices_list(choices, sedge_device_get_info(k->world->device),
                                   &k->base.problem, k->base.element));
    for (int c = choices->count - 1; c >= 0; c--) {
        const operator_candidate *const candidate = &choices->candidate[c];
        if (choices->layout[candidate->layout].basis != SEDGE_BERNSTEIN) continue;
        if (candidate->cut.form == FORM_DENSE) options.cut = candidate->name;
    }
    CHECK(options.cut != NULL);
    return options;
}

// Coefficients of the other basis may be larger than nodal values by the norm of T^-1.
static void test_form(const kit_world *world, const char *form, int order,
                      sedge_precision precision, const char *name)
{
    kit_options options;
    sedge_bernstein *basis = NULL;
    operator_choices choices = {.candidate = NULL};
    kit k;

    CHECK(choose_case(&options, order, name));
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.2, 1);
    k.base.problem.precision = precision;
    const sedge_operator_options cut = choose_form(&choices, form, &k);
    CHECK_OK(kit_load(&k, precision, &cut));
    CHECK_OK(kit_advance(&k, k.base.u, 0.2, dt, 1));
    CHECK_OK(sedge_bernstein_create(&basis, k.base.element));
    if (k.op != NULL && basis != NULL) {
        const bool nodal = sedge_operator_basis(k.op) == SEDGE_NODAL;
        CHECK_BOUND(kit_difference(&k, k.result, k.base.exact) / kit_rounding(precision),
                    MATCH_UNITS * (nodal ? 1.0 : basis->norm));
        run_monitors(&k);
    }
    operator_choices_clear(&choices);
    sedge_bernstein_free(basis);
    kit_clear(&k);
}

// By cuBLAS a launch is about many elements: parts, of which the last is not full. Never a graph.
static void test_parts(const kit_world *world)
{
    const kit_options options = choose_walls(2);
    sedge_operator_cost cost;
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.2, 1);
    match_one(
        &k, 0.2, dt, 1, SEDGE_FP64,
        &(sedge_operator_options){.variant = "blas", .block_elements = 36, .time_kernels = true});
    sedge_operator_get_cost(k.op, &cost);
    CHECK(strcmp(cost.variant, "blas c36 p10") == 0);
    for (int i = 0; i < SEDGE_OPERATOR_KERNELS; i++) {
        if (strcmp(cost.kernel[i].name, "cublas_gemm") != 0) continue;
        CHECK(cost.kernel[i].launches == 5LL * 2); // 48 elements: two parts in each of five stages
        // 48 elements, 6 fields, 10 nodes, 30 and 24 columns of operators
        CHECK(cost.kernel[i].flops == 2.0 * 48 * 6 * 10 * 54 / 2);
        CHECK(cost.kernel[i].seconds > 0.0);
    }
    kit_clear(&k);
}

static void test_refusals(const kit_world *world, bool has_blas)
{
    const sedge_operator_options tangential = {.variant = "tangential"};
    const sedge_operator_options blas = {.variant = "blas"};
    kit_options options;
    kit k;

    CHECK(choose_case(&options, 1, "advection"));
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &tangential), SEDGE_ERR_USAGE,
                "kernels.variant 'tangential' needs an equation that is made of curls, which "
                "advection is not");
    if (!has_blas) {
        CHECK_FAILS(kit_load(&k, SEDGE_FP64, &blas), SEDGE_ERR_USAGE,
                    "kernels.variant 'blas' needs cuBLAS and a device of kind cuda, this one is of "
                    "kind host");
    } else if (sedge_device_get_info(world->device)->kind == SEDGE_DEVICE_CUDA) {
        CHECK(setenv("SEDGE_CUBLAS", "libsedge-has-no-such-library.so", 1) == 0);
        CHECK_FAILS(kit_load(&k, SEDGE_FP64, &blas), SEDGE_ERR_DEVICE,
                    "cuBLAS is not found: neither by SEDGE_CUBLAS nor in");
        CHECK(unsetenv("SEDGE_CUBLAS") == 0);
    }
    kit_clear(&k);
}

static void test_all(const kit_world *world)
{
    const sedge_device_info *const info = sedge_device_get_info(world->device);
    const bool has_blas = info->kind == SEDGE_DEVICE_CUDA || info->random_order;

    for (int order = 1; order <= (info->random_order ? 2 : 4); order++)
        test_form(world, "tangential", order, order % 2 == 0 ? SEDGE_FP64 : SEDGE_FP32, "walls");
    test_refusals(world, has_blas);
    if (!has_blas) return;
    test_form(world, "blas", 3, SEDGE_FP32, "walls");
    test_form(world, "blas", 2, SEDGE_FP64, "burgers");
    test_form(world, "blas", 1, SEDGE_FP64, "curved");
    test_parts(world);
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
