// The stage by matrix instructions gives what the slow reference gives, and in fp32, where numbers
// are split into two of 11 bits, is not worse than the other kernels. Without a GPU the kernels run
// in random order, which does the matrix instructions by the book, at some orders.
#define _DEFAULT_SOURCE // setenv
#include "match.h"

#include "operator/operator_internal.h"

#include <stdlib.h>
#include <string.h>

static const sedge_operator_options forms[] = {
    {.variant = "tensor"}, {.variant = "tensor-curl"}, {.variant = "tensor-tangential"}};

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

// Root of the sum of squares of what one step in fp32 is off the reference.
static double find_error(kit *k, double dt, const char *variant)
{
    const sedge_operator_options cut = {.variant = variant};
    double sum = 0.0;

    CHECK_OK(kit_load(k, SEDGE_FP32, &cut));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, dt, 1));
    for (int64_t i = 0; i < k->base.values; i++) sum += pow(k->result[i] - k->base.exact[i], 2.0);
    return sqrt(sum);
}

// Covariant components round once more, in plain sums, too. What is off by more than plain sums
// without curls is not searched in fp32: two times the chance, since it was seen at one seed.
static void check_search(const kit *k, double chance, double plain, double curl, double tangential)
{
    const double limit = (2.0 * chance - 1.0) * plain;
    operator_choices choices;
    sedge_problem problem = k->base.problem;

    problem.precision = SEDGE_FP32;
    CHECK_OK(operator_choices_list(&choices, sedge_device_get_info(k->world->device), &problem,
                                   k->base.element));
    for (int c = 0; c < choices.searched; c++) {
        const char *const form = operator_cut_form_name(&choices.candidate[c].cut);
        CHECK(strcmp(form, "tensor-curl") != 0 || curl <= limit);
        CHECK(strcmp(form, "tensor-tangential") != 0 || tangential <= limit);
    }
    operator_choices_clear(&choices);
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
    // Numbers that fp32 holds exactly: only the kernels' own rounding counts.
    for (int64_t i = 0; i < k.base.values; i++) k.base.u[i] = (double)(float)k.base.u[i];
    const double dt = match_reference(&k, 0.0, 1);
    for (int f = 0; f < 3; f++) {
        match_one(&k, 0.0, dt, 1, SEDGE_FP64, &forms[f]);
        if (order >= 4) match_one(&k, 0.0, dt, 1, SEDGE_FP32, &forms[f]);
    }
    if (order < 4) {
        CHECK_FAILS(kit_load(&k, SEDGE_FP32, &forms[0]), SEDGE_ERR_USAGE,
                    "here are maxwell, order");
        kit_clear(&k);
        return;
    }
    const int64_t values = k.base.values;
    const double plain = find_error(&k, dt, "fused");
    const double split = find_error(&k, dt, "tensor");
    const double curl = find_error(&k, dt, "curl");
    const double split_curl = find_error(&k, dt, "tensor-curl");
    const double tangential = find_error(&k, dt, "tangential");
    const double split_tangential = find_error(&k, dt, "tensor-tangential");
    (void)printf("order %d: error %.3g fused, %.3g tensor, %.3g curl, %.3g tensor-curl, %.3g "
                 "tangential, %.3g tensor-tangential\n",
                 order, plain, split, curl, split_curl, tangential, split_tangential);
    // Not above plain fp32's but for chance: the root of the mean square of n errors is uncertain
    // by 1 / sqrt(2 n) of itself, the ratio of two by 1 / sqrt(n).
    const double chance = 1.0 + 1.0 / sqrt((double)values);
    // Plain fp32 is first of all the same form by plain multiply-adds: what splitting loses.
    CHECK(split > 0.0 && split <= chance * plain);
    CHECK(split_curl > 0.0 && split_curl <= chance * curl);
    CHECK(split_tangential > 0.0 && split_tangential <= chance * tangential);
    check_search(&k, chance, plain, split_curl, split_tangential);
    kit_clear(&k);
}

// One field: nothing fills a pack or a pair.
static void test_advection(const kit_world *world, int order)
{
    const double keys[4] = {1.0, 0.5, -0.25, kit_upwind[order % 3]};
    kit_options options = choose_box(world, order);
    kit k;

    options.equation = sedge_equation_find("advection");
    options.flux_keys = keys;
    options.wall = "outflow";
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.0, 1);
    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &forms[0]);
    match_one(&k, 0.0, dt, 1, SEDGE_FP32, &forms[0]);
    CHECK_FAILS(
        kit_load(&k, SEDGE_FP64, &forms[1]), SEDGE_ERR_USAGE,
        "kernels.variant 'tensor-curl' needs an equation that is made of curls, which advection");
    kit_clear(&k);
}

static void test_refuses_nonlinear(const kit_world *world)
{
    const double keys[4] = {1.0, 0.7, -0.4, 1.5};
    kit_options options = kit_defaults(1, 1);
    kit k;

    options.equation = sedge_equation_find("burgers");
    options.flux_keys = keys;
    options.wall = "fixed";
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &forms[0]), SEDGE_ERR_USAGE,
                "kernels.variant 'tensor' needs a linear equation, order 4 or more in fp32, and an "
                "NVIDIA GPU of compute capability 8.0 or later; here are burgers, order 1 and");
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
    for (int order = is_cuda ? 1 : 4; order <= (is_cuda ? 10 : 4); order++)
        test_maxwell(&world, order);
    test_advection(&world, is_cuda ? 5 : 4);
    test_refuses_nonlinear(&world);
    kit_close(&world);
    return CHECK_END();
}
