// The operator's kernels in the form of the GPUs, on the host, with work items in random order:
// right as they are, and wrong as soon as any one barrier is taken out.
#define _DEFAULT_SOURCE // setenv
#include "curved_maps.h"
#include "match.h"

#include "base/file.h"
#include "base/memory.h"
#include "monitor/sample.h"

#include <stdlib.h>

extern const sedge_integrator sedge_integrator_ader;
extern const sedge_term_kind sedge_term_anisotropic_epsilon, sedge_term_lorentz;

static const char folder[] = SEDGE_TEST_DIR "/without-barrier";

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

static void test_burgers(const kit_world *world, int order)
{
    const kit_options options = burgers_options(order);
    kit k;

    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    match_all(&k, 0.0, 1, 1);
    kit_clear(&k);
}

// `text` with its barrier number `which` blanked; NULL when there are fewer.
static char *drop_barrier(const char *text, int which)
{
    static const char word[] = "SEDGE_BARRIER()";
    char *const copy = strdup(text);
    char *at = copy;

    for (int i = 0; at != NULL; i++) {
        at = strstr(i > 0 ? at + 1 : at, word);
        if (i == which) break;
    }
    if (at == NULL) {
        free(copy);
        return NULL;
    }
    memcpy(at, "(void)0        ", strlen(word));
    return copy;
}

static kit_options maxwell_options(int order)
{
    kit_options options = kit_defaults(order, 1);

    options.wall = "pec";
    return options;
}

// One step with a file of kernels as `changed` has it: is the result, or its energy, wrong?
static bool is_wrong(kit *k, const char *file, const char *changed, const char *variant,
                     double bound)
{
    const sedge_operator_options config = {.variant = variant};
    char path[512];

    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    CHECK_OK(sedge_file_write(path, changed, strlen(changed)));
    CHECK(setenv("SEDGE_KERNELS", folder, 1) == 0);
    const double dt = match_reference(k, 0.0, 1);
    CHECK_OK(kit_load(k, SEDGE_FP64, &config));
    CHECK_OK(kit_advance(k, k->base.u, 0.0, dt, 1));
    const bool wrong =
        !(kit_difference(k, k->result, k->base.exact) <= bound) || !(energy_difference(k) <= bound);
    CHECK(unsetenv("SEDGE_KERNELS") == 0);
    CHECK(remove(path) == 0);
    return wrong;
}

// Take out each barrier of a file in turn: the result of one step, or its energy, must be wrong;
// with all of them it is right.
static void test_no_barrier_is_idle(const kit_world *world, const char *name, int at_least,
                                    const kit_options options, const char *variant)
{
    const char *const slash = strrchr(name, '/');
    const char *const file = slash != NULL ? slash + 1 : name;
    sedge_bernstein *basis = NULL;
    char path[512];
    char *text = NULL;
    char *changed;
    int count = 0;
    kit k;

    (void)snprintf(path, sizeof path, "codegen/kernels/dg/%s", name);
    CHECK_OK(sedge_source_get(&text, path));
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_OK(sedge_bernstein_create(&basis, k.base.element));
    if (text != NULL && basis != NULL) {
        const double norm = strcmp(variant, "bernstein") == 0 ? basis->norm : 1.0;
        const double bound = MATCH_UNITS * norm * kit_rounding(SEDGE_FP64);
        dg_case_random(&k.base, k.base.u);
        CHECK(!is_wrong(&k, file, text, variant, bound));
        for (; (changed = drop_barrier(text, count)) != NULL; count++) {
            const bool seen = is_wrong(&k, file, changed, variant, bound);
            if (!seen) (void)fprintf(stderr, "%s: barrier %d is not missed\n", name, count);
            CHECK(seen);
            free(changed);
        }
        CHECK(count >= at_least);
    }
    sedge_bernstein_free(basis);
    kit_clear(&k);
    sedge_release(text);
}

// Elements without terms, whose steps ADER predicts.
static kit_options ader_options(int order)
{
    kit_options options = kit_defaults(order, 2);

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
    options.box_map = curved_wave;
    return options;
}

// Elements that conduct and others with a term's memory: ADER predicts them by dg_predict.h.
static kit_options terms_options(int order)
{
    kit_options options = kit_everything(order, 2, 2);

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
    CHECK_OK(sedge_folder_make(folder));
    for (int order = 1; order <= 3; order++) test_maxwell(&world, order);
    for (int order = 1; order <= 2; order++) test_burgers(&world, order);
    // Burgers' equation uses all barriers, those for nonlinear fluxes too.
    test_no_barrier_is_idle(&world, "dg_stage.h", 4, burgers_options(1), "fused");
    test_no_barrier_is_idle(&world, "dg_monitor.h", 2, burgers_options(2), "fused");
    test_no_barrier_is_idle(&world, "dg_tensor.h", 3, maxwell_options(2), "tensor-curl");
    // At order 6 sums are folded in fp64.
    test_no_barrier_is_idle(&world, "dg_series.h", 5, ader_options(6), "bernstein");
    test_no_barrier_is_idle(&world, "curved/dg_covariant_predict.h", 5, curved_options(3),
                            "bernstein");
    for (int order = 3; order <= 4; order++) test_terms(&world, order);
    for (int order = 3; order <= 4; order++) test_pole(&world, order);
    // At order 6 generated code damps, at order 7 a matrix does.
    for (int order = 6; order <= 7; order++)
        test_no_barrier_is_idle(&world, "terms/dg_predict.h", 6, terms_options(order), "bernstein");
    kit_close(&world);
    return CHECK_END();
}
