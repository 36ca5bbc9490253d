// In each kernel configuration the answer is the reference's; a request that cannot be had is
// refused; and what stands beside the stages agrees with the reference too: energy, probes, set and
// get.
#define _POSIX_C_SOURCE 200809L // strtok_r
#include "curved_maps.h"
#include "match.h"

#include "base/memory.h"
#include "evolve/probes.h"
#include "forms/form.h"
#include "layout/slots.h"

static const double glass[3] = {2.25, 1.5, 0.7};

static void make_case(kit *k, const kit_world *world, int order, int cells)
{
    kit_options options = kit_defaults(order, cells);

    options.distort = 0.08;
    options.split_axis = 2;
    options.materials[1] = glass;
    options.wall = "pec";
    CHECK_OK(kit_create(k, world, &options));
    dg_case_random(&k->base, k->base.u);
}

// Configurations of order 3, with its 20 nodes: tiles that fit, tiles that do not, and blocks of
// which the last is not full.
static void test_configs(const kit_world *world)
{
    const sedge_operator_options configs[] = {
        {.item_nodes = 1},
        {.item_nodes = 3, .block_elements = 1},
        {.item_nodes = 20, .item_fields = 6, .block_elements = 7},
        {.item_nodes = 4, .item_fields = 2, .block_elements = 32},
        {.item_nodes = 5, .item_fields = 3, .variant = "fused", .block_elements = 3},
        {.time_kernels = true},
    };
    kit k;

    make_case(&k, world, 3, 2);
    const double dt = match_reference(&k, 0.0, 1);
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++)
        match_one(&k, 0.0, dt, 1, i % 2 == 0 ? SEDGE_FP32 : SEDGE_FP64, &configs[i]);

    sedge_operator_cost cost;
    sedge_operator_get_cost(k.op, &cost);
    CHECK(cost.stages == 5);
    CHECK(cost.kernel[0].launches + cost.kernel[1].launches >= 5); // the second: with terms
    kit_clear(&k);
}

static void test_refusals(const kit_world *world)
{
    const sedge_operator_options unknown = {.variant = "fast"};
    const sedge_operator_options tensor = {.variant = "tensor-curl"};
    const sedge_operator_options gone = {.variant = "split"};
    const sedge_operator_options fields = {.item_fields = 4};
    const sedge_operator_options large = {.block_elements = 4096};
    const bool host = sedge_device_get_info(world->device)->kind == SEDGE_DEVICE_HOST;
    kit k;

    make_case(&k, world, 2, 2);
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &unknown), SEDGE_ERR_USAGE,
                "kernels.variant 'fast' is not known");
    CHECK_FAILS(
        kit_load(&k, SEDGE_FP64, &gone), SEDGE_ERR_USAGE,
        "kernels.variant 'split' is not known; known are: auto fused tensor-curl bernstein");
    if (host) {
        CHECK_FAILS(kit_load(&k, SEDGE_FP64, &tensor), SEDGE_ERR_USAGE,
                    "kernels.variant 'tensor-curl' needs an NVIDIA GPU of compute capability 8.0 "
                    "or later; here are maxwell in fp64 and");
        CHECK_FAILS(kit_load(&k, SEDGE_FP64, &fields), SEDGE_ERR_USAGE,
                    "kernels.item_fields 4 does not divide the 6 fields of maxwell");
    } else {
        CHECK_FAILS(kit_load(&k, SEDGE_FP64, &large), SEDGE_ERR_USAGE,
                    "kernels: block_elements 4096");
    }
    kit_clear(&k);
}

// Does a text file of the sources have `words`, around `name`?
static bool file_has(const char *file, const char *before, const char *name, const char *after)
{
    char path[4096];
    char words[256];
    char line[512];
    bool found = false;

    (void)snprintf(path, sizeof path, "%s/%s", SEDGE_SOURCE_DIR, file);
    (void)snprintf(words, sizeof words, "%s%s%s", before, name, after);
    FILE *const stream = fopen(path, "r");
    if (stream == NULL) return false;
    while (!found && fgets(line, sizeof line, stream) != NULL) found = strstr(line, words) != NULL;
    (void)fclose(stream);
    return found;
}

// Each listed variant has a row of its name, makes programs or is refused for what is here, and
// has, but for "auto", cases for the sanitizers.
static void test_names(const kit_world *world)
{
    char names[] = SEDGE_OPERATOR_VARIANTS;
    char programs[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME];
    char *rest = NULL;
    int count = 0;
    kit k;

    make_case(&k, world, 2, 2);
    k.base.problem.precision = SEDGE_FP64;
    for (char *name = strtok_r(names, " ", &rest); name != NULL;
         name = strtok_r(NULL, " ", &rest)) {
        const sedge_operator_options options = {.variant = name};
        sedge_text *texts[SEDGE_OPERATOR_PROGRAMS] = {NULL};
        for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) CHECK_OK(sedge_text_create(&texts[i]));
        const sedge_status status =
            sedge_operator_texts(texts, programs, sedge_device_get_info(world->device),
                                 k.base.element, &k.base.problem, &options);
        CHECK(status == SEDGE_OK || status == SEDGE_ERR_USAGE);
        if (status != SEDGE_OK) CHECK(strstr(sedge_error_message(), " needs ") != NULL);
        for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) sedge_text_free(texts[i]);
        CHECK(strcmp(name, "auto") == 0 || operator_form_find(name) != NULL);
        CHECK(strcmp(name, "auto") == 0 ||
              file_has("tests/device/sanitize.sh", " solver/test_operator_form ", name, " "));
        count++;
    }
    CHECK(count > 2);
    kit_clear(&k);
}

static void test_refuses_point_outside(const kit_world *world)
{
    static const double dipole[12] = {0.5, 0.5, 0.5, SEDGE_SIGNAL_RICKER, 1.0, 1.0, 0.0, 1.0, 0.0,
                                      1.0, 0.0, 0.0};
    kit_options options = kit_defaults(1, 2);
    kit k;

    options.wall = "pec";
    options.dipole = dipole;
    CHECK_OK(kit_create(&k, world, &options));
    k.base.problem.point_sources[0].position[2] = 1.25;
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, NULL), SEDGE_ERR_USAGE,
                "source at (0.5, 0.5, 1.25) lies outside the mesh");
    kit_clear(&k);
}

static bool has_boundary_range(const sedge_mesh *mesh)
{
    for (int r = 0; r < mesh->range_count; r++)
        if (mesh->ranges[r].boundary) return true;
    return false;
}

// Elements with boundary faces apart, their kernels beside the others': walls and a dipole among
// them that depend on time, in part with curved ones, over several steps. On several
// ranks with the exchange in the same stream.
static void test_boundary_last(const kit_world *world, bool curved)
{
    static const double dipole[12] = {
        0.93, 0.95, 0.96, SEDGE_SIGNAL_RICKER, 1.0, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
    static const char *const variants[] = {"fused", "bernstein"};
    kit_options options = kit_defaults(2, 3);
    kit k;

    options.boundary_last = true;
    options.wall = "pec";
    options.dipole = dipole;
    options.distort = curved ? 0.0 : 0.08;
    options.box_map = curved ? curved_corner : NULL;
    CHECK_OK(kit_create(&k, world, &options));
    CHECK(has_boundary_range(k.base.mesh));
    dg_case_random(&k.base, k.base.u);
    const double dt = match_reference(&k, 0.0, 4);
    for (int v = curved ? 1 : 0; v < 2; v++)
        match_one(&k, 0.0, dt, 4, SEDGE_FP64, &(sedge_operator_options){.variant = variants[v]});
    kit_clear(&k);
}

static bool has_class(const sedge_mesh *mesh)
{
    for (int r = 0; r < mesh->range_count; r++)
        if (mesh->ranges[r].class > 0) return true;
    return false;
}

// Each range begins a SIMD batch, no two ranges share one, and the spans are the ranges together.
static void check_slots(const sedge_mesh *mesh, int lanes)
{
    const sedge_slots slots = sedge_slots_place(mesh, lanes);
    int64_t span[2][2] = {{0}};
    int64_t curved = 0;
    int64_t batch = 0;
    int wrong = 0;

    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        const int64_t count = (range->count + lanes - 1) / lanes;
        for (int32_t i = 0; i < range->count; i++) {
            wrong += sedge_slot(&slots, range->first + i) != batch * lanes + i;
            if (!range->curved) continue;
            wrong += sedge_curved_slot(&slots, range->first + i) != curved * lanes + i;
        }
        if (range->curved) curved += count;
        span[range->halo][range->curved] += count;
        batch += count;
    }
    CHECK(wrong == 0 && slots.batches == batch && slots.curved_batches == curved);
    for (int k = 0; k < 4; k++) CHECK(slots.span[k / 2][k % 2].count == span[k / 2][k % 2]);
}

// Ranges by volume group change where elements lie, and no bit of the fields: each element has its
// own SIMD lane. Walls of all kinds, a dipole, two media, curved elements, boundary faces apart.
static void test_classes(const kit_world *world, const char *variant)
{
    const sedge_operator_options request = {.variant = variant};
    const char *const path = SEDGE_TEST_DIR "/classes";
    static const double lossless[3] = {2.25, 1.0, 0.0};
    char start[4096], end[4096];

    (void)snprintf(start, sizeof start, "%s-%d-start", path, sedge_comm_size(world->comm));
    (void)snprintf(end, sizeof end, "%s-%d-end", path, sedge_comm_size(world->comm));
    for (int classes = 0; classes < 2; classes++) {
        kit_options options = kit_everything(2, 3, 0);
        kit k;
        options.distort = 0.0;
        options.terms = NULL; // they and conductors would need ranges of their own
        options.materials[0] = lossless;
        options.box_map = curved_corner;
        options.boundary_last = true;
        options.classes = classes == 1;
        CHECK_OK(kit_create(&k, world, &options));
        CHECK(has_class(k.base.mesh) == options.classes);
        for (int lanes = 1; lanes <= 16; lanes *= 4) check_slots(k.base.mesh, lanes);
        dg_case_random(&k.base, k.base.u);
        if (classes == 0) {
            CHECK_OK(kit_write(&k, k.base.u, start));
        } else {
            CHECK_OK(kit_read(&k, k.base.u, start));
        }
        CHECK_OK(kit_load(&k, SEDGE_FP64, &request));
        CHECK_OK(kit_advance(&k, k.base.u, 0.2, kit_time_step(&k, 0.5), 3));
        if (classes == 0) {
            CHECK_OK(kit_write(&k, k.result, end));
        } else {
            CHECK_OK(kit_read(&k, k.base.exact, end));
            CHECK(kit_difference(&k, k.result, k.base.exact) == 0.0);
            CHECK(kit_difference(&k, k.result, k.base.u) > 0.1);
        }
        kit_clear(&k);
    }
}

// Setting and getting changes nothing in fp64 and rounds in fp32, where nodal values are kept. On
// one rank the state is five pieces (of a MiB) in fp64, the last one short, and three in fp32.
static void test_set_get(const kit_world *world)
{
    const sedge_operator_options nodal = {.variant = "fused"};
    int64_t wrong = 0;
    kit k;

    make_case(&k, world, 4, 8);
    CHECK_OK(kit_load(&k, SEDGE_FP64, &nodal));
    CHECK_OK(kit_advance(&k, k.base.u, 0.0, 0.0, 0));
    for (int64_t i = 0; i < k.base.values; i++) wrong += k.result[i] != k.base.u[i];
    CHECK_OK(kit_load(&k, SEDGE_FP32, &nodal));
    CHECK_OK(kit_advance(&k, k.base.u, 0.0, 0.0, 0));
    for (int64_t i = 0; i < k.base.values; i++) wrong += k.result[i] != (double)(float)k.base.u[i];
    CHECK(wrong == 0);
    kit_clear(&k);
}

// A field that was not a number leaves nothing behind: what is set next goes on as from the start.
static void test_recovers(const kit_world *world)
{
    int64_t wrong = 0;
    kit k;

    make_case(&k, world, 2, 2);
    const double dt = kit_time_step(&k, 0.5);
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    CHECK_OK(kit_advance(&k, k.base.u, 0.0, dt, 2));
    for (int64_t i = 0; i < k.base.values; i++) {
        k.base.exact[i] = k.result[i];
        k.base.rhs[i] = (double)NAN;
    }
    CHECK_OK(kit_advance(&k, k.base.rhs, 0.0, dt, 1));
    for (int64_t i = 0; i < k.base.values; i++) wrong += !isnan(k.result[i]);
    CHECK_OK(kit_advance(&k, k.base.u, 0.0, dt, 2));
    for (int64_t i = 0; i < k.base.values; i++) wrong += k.result[i] != k.base.exact[i];
    CHECK(wrong == 0);
    kit_clear(&k);
}

// Each element's energy, to rounding times the condition number of the mass matrix, in which the
// sum of random fields cancels; a field that is not a number shows in its element and no other.
static void test_energy(const kit_world *world, int order, double condition)
{
    kit k;

    make_case(&k, world, order, 2);
    sedge_reference_energy(k.base.reference, k.base.u, k.base.rhs);
    for (int p = 0; p < 2; p++) {
        double worst = 0.0;
        CHECK_OK(kit_load(&k, match_precisions[p], NULL));
        CHECK_OK(sedge_evolution_set(k.evolution, k.base.u));
        CHECK_OK(sedge_evolution_energy(k.evolution, k.energy));
        for (int32_t e = 0; e < k.base.mesh->elements; e++)
            worst = fmax(worst, fabs(k.energy[e] / k.base.rhs[e] - 1.0));
        CHECK_BOUND(worst / kit_rounding(match_precisions[p]), 4.0 * condition);
    }

    const int32_t bad = k.base.mesh->elements / 2;
    int64_t finite = 0;
    k.base.u[(int64_t)bad * 6 * k.base.element->nodes + 1] = (double)NAN;
    CHECK_OK(sedge_evolution_set(k.evolution, k.base.u));
    CHECK_OK(sedge_evolution_energy(k.evolution, k.energy));
    for (int32_t e = 0; e < k.base.mesh->elements; e++) finite += isfinite(k.energy[e]) != 0;
    CHECK(finite == k.base.mesh->elements - 1);
    CHECK(!isfinite(k.energy[bad]));
    kit_clear(&k);
}

// Probes in several elements see the fields there after each step, in order.
static void test_probes(const kit_world *world)
{
    enum { PROBES = 3, STEPS = 4 };
    const double place[PROBES][3] = {{-0.5, -0.6, -0.7}, {-1.0, 0.9, -1.0}, {-0.2, -0.3, -0.9}};
    double values[(STEPS + 1) * PROBES * 6];
    double *weights = NULL;
    int32_t elements[PROBES];
    sedge_probes *probes = NULL;
    int samples;
    kit k;

    make_case(&k, world, 3, 2);
    const int n = k.base.element->nodes;
    const double dt = kit_time_step(&k, 0.5);
    CHECK_OK(sedge_allocate(&weights, (int64_t)PROBES * n, sizeof *weights));
    for (int i = 0; i < PROBES; i++) {
        elements[i] = i * (k.base.mesh->elements - 1) / (PROBES - 1);
        CHECK_OK(sedge_element_interpolate(k.base.element, place[i][0], place[i][1], place[i][2],
                                           weights + (size_t)(i * n)));
    }
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    const sedge_probe_points points = {
        .count = PROBES, .elements = elements, .row_count = PROBES, .weights = weights};
    CHECK_OK(sedge_probes_create(&probes, k.evolution, &points, STEPS + 1));
    CHECK_OK(sedge_evolution_set(k.evolution, k.base.u));
    CHECK_OK(sedge_probes_record(probes));
    for (int s = 0; s < STEPS; s++) {
        CHECK_OK(sedge_evolution_step(k.evolution, s * dt, dt));
        CHECK_OK(sedge_probes_record(probes));
    }
    CHECK_FAILS(sedge_probes_record(probes), SEDGE_ERR_INTERNAL, "more than 5 probe samples");
    CHECK_OK(sedge_probes_fetch(probes, values, &samples));
    CHECK(samples == STEPS + 1);

    for (int s = 0; s <= STEPS; s++) {
        CHECK_OK(kit_advance(&k, k.base.u, 0.0, dt, s));
        for (int at = 0; at < PROBES * 6; at++) {
            const int probe = at / 6;
            double sum = 0.0;
            for (int i = 0; i < n; i++) {
                sum += weights[probe * n + i] *
                       k.result[((int64_t)elements[probe] * 6 + at % 6) * n + i];
            }
            CHECK_BOUND(fabs(values[s * PROBES * 6 + at] - sum), 1e-13);
        }
    }
    sedge_probes_forget(probes);
    CHECK_OK(sedge_probes_fetch(probes, values, &samples));
    CHECK(samples == 0);
    sedge_probes_free(probes);
    sedge_release(weights);
    kit_clear(&k);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_configs(&world);
    test_refusals(&world);
    test_boundary_last(&world, false);
    test_boundary_last(&world, true);
    test_classes(&world, "fused");
    test_classes(&world, "bernstein");
    if (sedge_comm_size(world.comm) == 1) test_names(&world);
    test_refuses_point_outside(&world);
    test_set_get(&world);
    test_recovers(&world);
    test_energy(&world, 1, 5.0);
    test_energy(&world, 5, 361.0);
    test_probes(&world);
    kit_close(&world);
    return CHECK_END();
}
