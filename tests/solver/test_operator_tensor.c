// The stage by matrix instructions gives what the slow reference gives, and in fp32, where numbers
// are split into two of 11 bits, is not worse than the other kernels; where it cannot be, it is
// refused. Without a GPU the kernels run in random order, which does the matrix instructions by the
// book; then orders stop early, unless the argument is "all".
#define _DEFAULT_SOURCE // setenv
#include "match.h"

#include <stdlib.h>

static const kit_wall all_kinds[] = {
    {"xmin", "pec", 0.0},       {"xmax", "absorbing", 0.0}, {"ymin", "pmc", 0.0},
    {"ymax", "impedance", 0.6}, {"zmin", "impedance", 3.0}, {"zmax", "pec", 0.0},
    {NULL, NULL, 0.0},
};
static const double conductor[3] = {2.25, 1.5, 0.7};
static const double resin[3] = {1.3, 4.0, 0.0};

static const sedge_operator_options forms[] = {{.variant = "tensor"}, {.variant = "curl"}};
static const sedge_operator_options fused = {.variant = "fused"};

static void make_maxwell(kit *k, const kit_world *world, int order)
{
    const double upwind = match_upwind(order);
    kit_options options = kit_defaults(order, 2);

    options.distort = 0.08;
    options.split_axis = (order + 1) % 3;
    options.materials[0] = conductor;
    options.materials[1] = resin;
    options.flux_keys = &upwind;
    options.walls = all_kinds;
    CHECK_OK(kit_create(k, world, &options));
    dg_case_random(&k->base, k->base.u);
}

static double step_reference(kit *k)
{
    const double dt = kit_time_step(k, 0.5);

    for (int64_t i = 0; i < k->base.values; i++) k->base.exact[i] = k->base.u[i];
    CHECK_OK(sedge_reference_step(k->base.reference, k->base.exact, 0.0, dt));
    return dt;
}

// Root of the sum of squares of what one step in fp32 is off the reference, all ranks.
static double find_error(kit *k, double dt, const sedge_operator_options *cut)
{
    double sum = 0.0;

    CHECK_OK(kit_load(k, SEDGE_FP32, cut));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, dt, 1));
    for (int64_t i = 0; i < k->base.values; i++)
        sum += pow(k->result[i] - k->base.exact[i], 2.0);
    sedge_comm_sum(k->world->comm, &sum, 1);
    return sqrt(sum);
}

static void test_maxwell(const kit_world *world, int order)
{
    kit k;

    make_maxwell(&k, world, order);
    const double dt = step_reference(&k);
    for (int f = 0; f < 2; f++) {
        match_one(&k, 0.0, dt, 1, SEDGE_FP64, &forms[f]);
        match_one(&k, 0.0, dt, 1, SEDGE_FP32, &forms[f]);
    }
    // Of numbers that fp32 holds exactly, so that only the kernels' own rounding counts.
    for (int64_t i = 0; i < k.base.values; i++) k.base.u[i] = (double)(float)k.base.u[i];
    (void)step_reference(&k);
    const double plain = find_error(&k, dt, &fused);
    for (int f = 0; f < 2; f++) {
        const double split = find_error(&k, dt, &forms[f]);
        (void)printf("order %d: %.3g by %s, %.3g without\n", order, split, forms[f].variant, plain);
        CHECK(split > 0.0 && split <= plain);
    }
    kit_clear(&k);
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    const char *const kind = getenv("SEDGE_TEST_DEVICE");
    const bool is_cuda = kind != NULL && strcmp(kind, "cuda") == 0;
    kit_world world;

    if (!is_cuda) CHECK(setenv("SEDGE_ORDER", "random:1", 0) == 0);
    CHECK_OK(kit_open(&world, &argc, &argv));
    if (world.comm == NULL) return CHECK_END();
    for (int order = 1; order <= (is_cuda ? 10 : all ? 6 : 3); order++) test_maxwell(&world, order);
    kit_close(&world);
    return CHECK_END();
}
