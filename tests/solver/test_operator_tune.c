// Tuning the operator: every way to run the stage gives the reference's answer; what checks them
// finds what is wrong; what is wrong does not win, however fast; and a tuned operator gives what an
// untuned one does.
//
// With the arguments "all ORDER" (one rank): every candidate of this order, of odd ones in fp32 and
// of even ones in fp64; without, a selection.
#define _DEFAULT_SOURCE // setenv
#include "base/file.h"
#include "base/memory.h"
#include "curved_maps.h"
#include "forms/candidates.h"
#include "forms/form.h"
#include "forms/layouts.h"
#include "forms/program.h"
#include "forms/target.h"
#include "kernel_files.h"
#include "match.h"
#include "operator/choice.h"
#include "operator/curved.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/predictor.h"
#include "operator/predictor_kernels.h"
#include "operator/program.h"
#include "operator/sample.h"
#include "operator/tune.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const double glass[3] = {2.25, 1.5, 0.7};

static const double clear[] = {2.25, 1.5, 0.0};

static const kit_wall walls[] = {
    {"xmin", "absorbing", 0.0},
    {"ymin", "pmc", 0.0},
    {"zmax", "impedance", 0.6},
    {NULL, NULL, 0.0},
};

// Two media, four kinds of walls, distorted.
static void make_case(kit *k, const kit_world *world, int order, int cells)
{
    kit_options options = kit_defaults(order, cells);

    options.distort = 0.08;
    options.split_axis = 2;
    options.materials[1] = glass;
    options.wall = "pec";
    options.walls = walls;
    CHECK_OK(kit_create(k, world, &options));
    dg_case_random(&k->base, k->base.u);
}

// ---- candidates --------------------------------------------------------------------------------

// Of each form in each layout the last candidate, the one farthest away from the rule; with
// SEDGE_TEST_ALL also the first, which other tests of the operator ask for by its form's name.
static bool is_selected(const operator_choices *choices, int c)
{
    const operator_candidate *const candidate = &choices->candidate[c];
    bool first = true;
    bool last = true;

    for (int i = 0; i < choices->count; i++) {
        const operator_candidate *const other = &choices->candidate[i];
        if (other->layout != candidate->layout || other->config.form != candidate->config.form)
            continue;
        first = first && i >= c;
        last = last && i <= c;
    }
    return last || (first && match_everything());
}

// Their programs into the cache, as many at once as there are compilers: one by one they take most
// of the test's time.
static void compile_candidates(const kit_world *world, const kit *k,
                               const operator_choices *choices)
{
    const operator_target target = {sedge_device_get_info(world->device), &k->base.problem,
                                    k->base.element};
    sedge_text **texts = NULL;
    sedge_program_text *programs = NULL;
    char(*names)[SEDGE_OPERATOR_NAME] = NULL;
    int compiled;

    CHECK_OK(sedge_allocate(&texts, choices->count, sizeof(sedge_text *)));
    CHECK_OK(sedge_allocate(&programs, choices->count, sizeof *programs));
    CHECK_OK(sedge_allocate(&names, choices->count, sizeof *names));
    for (int c = 0; c < choices->count; c++) {
        const operator_candidate *const candidate = &choices->candidate[c];
        CHECK_OK(sedge_text_create(&texts[c]));
        CHECK_OK(operator_stage_write(texts[c], names[c], &target,
                                      &choices->layout[candidate->layout], &candidate->config,
                                      NULL));
        programs[c] = (sedge_program_text){.name = names[c], .text = sedge_text_get(texts[c])};
    }
    CHECK_OK(sedge_programs_build(&compiled, NULL, NULL, world->device, world->cache, programs,
                                  choices->count));
    for (int c = 0; c < choices->count; c++) sedge_text_free(texts[c]);
    sedge_release(names);
    sedge_release(programs);
    sedge_release(texts);
}

static void test_candidates(const kit_world *world, int order, sedge_precision precision, bool all)
{
    operator_choices choices;
    kit k;

    make_case(&k, world, order, 2);
    k.base.problem.precision = precision;
    const double dt = match_reference(&k, 0.0, 1);
    const operator_target target = {sedge_device_get_info(world->device), &k.base.problem,
                                    k.base.element};
    CHECK_OK(operator_choices_list(&choices, &target));
    CHECK(choices.layouts >= 1 && choices.count > 10);
    CHECK(choices.count <= choices.layouts * SEDGE_CANDIDATES);
    if (all) compile_candidates(world, &k, &choices);
    for (int c = 0; c < choices.searched; c++) { // the others: test_operator_bernstein
        const sedge_operator_options config = {.config = choices.candidate[c].name};
        for (int i = 0; i < c; i++)
            CHECK(strcmp(choices.candidate[i].name, choices.candidate[c].name) != 0);
        if (all || is_selected(&choices, c)) match_one(&k, 0.0, dt, 1, precision, &config);
    }
    operator_choices_clear(&choices);
    kit_clear(&k);
}

// The first candidate of each layout is the rule's, the first layout's what runs without tuning.
static void test_rule_is_first(const kit_world *world)
{
    static const sedge_operator_options unknown = {.config = "fused b99"};
    operator_choices choices;
    sedge_operator_cost cost;
    sedge_operator_tuning tuning;
    kit k;

    make_case(&k, world, 2, 2);
    const operator_target target = {sedge_device_get_info(world->device), &k.base.problem,
                                    k.base.element};
    CHECK_OK(operator_choices_list(&choices, &target));
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    sedge_operator_get_cost(k.op, &cost);
    sedge_operator_get_tuning(k.op, &tuning);
    CHECK(strcmp(cost.variant, choices.candidate[0].name) == 0);
    CHECK(strcmp(tuning.how, "rule") == 0 && tuning.timed == 0);
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &unknown), SEDGE_ERR_USAGE,
                "maxwell of order 2 has no kernel configuration 'fused b99' here");
    operator_choices_clear(&choices);
    kit_clear(&k);
}

// A device whose blocks have too little memory for the rule's configuration gets another one, if
// there is one, and is refused in words, if there is none. It need not be here.
static void test_small_device(const kit_world *world)
{
    sedge_device_info info = {.kind = SEDGE_DEVICE_OPENCL,
                              .kind_name = "opencl",
                              .threads_block = 1024,
                              .shared_bytes_block = (int64_t)48 << 10};
    operator_choices choices;
    operator_config rule;
    int nodal = 0; // its layouts take blocks of one element
    kit k;

    make_case(&k, world, 4, 2);
    const operator_target target = {&info, &k.base.problem, k.base.element};
    CHECK_OK(operator_choices_list(&choices, &target));
    operator_config_choose(&rule, &choices.layout[0], &target);
    CHECK(choices.candidate[0].config.block == rule.block && operator_config_fits(&rule, &info));
    while (choices.layout[nodal].basis != SEDGE_NODAL) nodal++;
    operator_config_choose(&rule, &choices.layout[nodal], &target);
    rule.block = 1;
    operator_config_derive(&rule, &choices.layout[nodal], &target);
    operator_choices_clear(&choices);
    for (int less = 0; less < 2; less++) {
        info.shared_bytes_block = rule.scratch_bytes - 16 * less;
        if (less == 0) {
            CHECK_OK(operator_choices_list(&choices, &target));
            CHECK(choices.count > 0 && choices.candidate[0].config.block == 1);
            CHECK(choices.layout[0].basis == SEDGE_NODAL);
        } else {
            CHECK_FAILS(operator_choices_list(&choices, &target), SEDGE_ERR_DEVICE,
                        "order 4 of maxwell cannot run on opencl: a block");
        }
        operator_choices_clear(&choices);
    }
    kit_clear(&k);
}

// On a large NVIDIA GPU the sparse form is the default at every order; where its blocks have too
// little memory, on an A100 at order 10 in fp64, another form is.
static void test_default_forms(const kit_world *world)
{
    sedge_device_info info = {
        .kind = SEDGE_DEVICE_CUDA, .kind_name = "cuda", .arch = "sm_90", .threads_block = 1024};
    operator_choices choices;
    kit k;

    make_case(&k, world, 1, 2);
    for (int order = 1; order <= SEDGE_ORDER_MAX; order++) {
        sedge_element *element = NULL;
        CHECK_OK(sedge_element_create(&element, order));
        k.base.problem.order = order;
        const operator_target target = {&info, &k.base.problem, element};
        for (int round = 0; round < 3; round++) {
            k.base.problem.precision = round == 0 ? SEDGE_FP32 : SEDGE_FP64;
            info.shared_bytes_block = (int64_t)(round < 2 ? 227 : 163) << 10;
            CHECK_OK(operator_choices_list(&choices, &target));
            const char *const form = choices.candidate[0].config.form->name;
            CHECK((strcmp(form, "bernstein") == 0) == (round < 2 || order < 10));
            operator_choices_clear(&choices);
        }
        sedge_element_free(element);
    }
    kit_clear(&k);
}

// The candidates of predictions fit into each device, and no two have the same name.
static void check_series_fit(const operator_target *target, const operator_layout *layout)
{
    operator_series_config list[SEDGE_FAMILY_CANDIDATES];
    char name[SEDGE_FAMILY_CANDIDATES][SEDGE_CONFIG_NAME];
    const int count = operator_series_list(list, layout, target);

    CHECK(count > 6);
    for (int c = 0; c < count; c++) {
        CHECK(list[c].scratch_words * layout->real_bytes < target->info->shared_bytes_block);
        CHECK(list[c].threads <= 1024 && list[c].threads % 32 == 0);
        CHECK(list[c].resident >= list[c].threads && list[c].resident <= 2048);
        operator_series_name(name[c], &list[c]);
        for (int i = 0; i < c; i++) CHECK(strcmp(name[i], name[c]) != 0);
    }
}

static void test_series_fit(const kit_world *world)
{
    static const int kib[] = {227, 163, 99, 64};
    sedge_device_info info = {
        .kind = SEDGE_DEVICE_CUDA, .kind_name = "cuda", .arch = "sm_90", .threads_block = 1024};
    kit k;

    make_case(&k, world, 1, 2);
    k.base.problem.integrator = sedge_integrator_find("ader");
    for (int order = 1; order <= SEDGE_ORDER_MAX; order++) {
        sedge_element *element = NULL;
        CHECK_OK(sedge_element_create(&element, order));
        k.base.problem.order = order;
        const operator_target target = {&info, &k.base.problem, element};
        for (int i = 0; i < 8; i++) {
            operator_layout layouts[SEDGE_LAYOUTS];
            int count;
            k.base.problem.precision = match_precisions[i % 2];
            info.shared_bytes_block = (int64_t)kib[i / 2] << 10;
            operator_layouts_list(layouts, &count, &target);
            check_series_fit(&target, &layouts[0]);
        }
        sedge_element_free(element);
    }
    kit_clear(&k);
}

// ---- the sample --------------------------------------------------------------------------------

// Tuning checks before there is an exchange, by which kernels would read other ranks' traces where
// these are stored. Returns the exchange, to be put back.
static sedge_halo *take_exchange(kit *k)
{
    sedge_halo *const halo = k->op->exchange.halo;

    k->op->exchange.halo = NULL;
    return halo;
}

// The check passes what is right, on each rank alone, and says where something is wrong: nothing is
// done at all, or one number of the lift is.
static void test_sample(kit *k)
{
    const sedge_slots slots = k->op->data.slots;
    sedge_halo *const halo = take_exchange(k);
    operator_sample *sample = NULL;
    double number = 0.0;
    const operator_fields *const fields = sedge_evolution_fields(k->evolution);

    CHECK_OK(operator_sample_create(&sample, k->op, OPERATOR_SAMPLE_STRAIGHT));
    if (sample == NULL) goto done;
    CHECK_OK(operator_sample_fill(sample, k->op, fields));
    CHECK_OK(operator_sample_verify(sample, k->op, fields));
    CHECK_OK(operator_sample_launch(sample, k->op, fields, k->op->main));
    CHECK_OK(
        operator_sample_verify(sample, k->op, fields)); // what was launched before does not matter
    memset(k->op->data.slots.span, 0, sizeof slots.span); // the stage finds no elements
    CHECK_FAILS(operator_sample_verify(sample, k->op, fields), SEDGE_ERR_COMPUTE,
                "off the reference");
    k->op->data.slots = slots;
    CHECK_OK(operator_sample_verify(sample, k->op, fields));
    CHECK_OK(sedge_buffer_upload(k->op->tables.lift, 0, &number, k->op->layout.real_bytes, NULL));
    CHECK_FAILS(operator_sample_verify(sample, k->op, fields), SEDGE_ERR_COMPUTE,
                "off the reference");
done:
    operator_sample_free(sample);
    k->op->exchange.halo = halo;
}

// Of nodal values: the sparse form has no tables that could be changed.
static void test_samples(const kit_world *world)
{
    const sedge_operator_options nodal = {.variant = "fused"};
    kit k;

    make_case(&k, world, 3, 4);
    for (int precision = 0; precision < 2; precision++) {
        CHECK_OK(kit_load(&k, match_precisions[precision], &nodal));
        test_sample(&k);
    }
    kit_clear(&k);
}

// Of an order, with curved elements in a corner: with several ranks not all have some.
static void make_curved(kit *k, const kit_world *world, int order, int cells,
                        const double *material, void (*map)(const double x[3], double out[3]))
{
    kit_options options = kit_defaults(order, cells);

    options.box_map = map;
    options.materials[0] = material;
    options.wall = "pec";
    options.walls = walls;
    CHECK_OK(kit_create(k, world, &options));
    dg_case_random(&k->base, k->base.u);
}

// The check of the stage in curved elements, and of their prediction, passes what is right and
// finds what is wrong, unless elements are too flat to be judged: number 0 of the maps changes all
// of the first one.
static void check_curved_sample(kit *k, bool finds)
{
    const operator_fields *const fields = sedge_evolution_fields(k->evolution);
    const bool has_some = sedge_mesh_curved(k->base.mesh) > 0;
    operator_sample *sample = NULL;
    double number = 100.0;
    float single = 100.0f;

    CHECK_OK(operator_sample_create(&sample, k->op, OPERATOR_SAMPLE_CURVED));
    if (sample == NULL) return;
    CHECK_OK(operator_sample_fill(sample, k->op, fields));
    CHECK_OK(operator_sample_launch(sample, k->op, fields, k->op->main));
    CHECK_OK(operator_sample_verify(sample, k->op, fields));
    if (has_some && finds) {
        const int bytes = k->op->layout.real_bytes;
        const void *const wrong = bytes == 8 ? (const void *)&number : (const void *)&single;
        CHECK_OK(sedge_buffer_upload(k->op->data.curves, 3LL * k->op->layout.lanes * bytes, wrong,
                                     bytes, NULL));
        CHECK_FAILS(operator_sample_verify(sample, k->op, fields), SEDGE_ERR_COMPUTE,
                    "off the reference");
    }
    operator_sample_free(sample);
}

// Straight elements with curved neighbours, on this rank and on others, whose state is covariant;
// and these; in the end with predictions.
static void test_sample_curved(const kit_world *world)
{
    static const char *const variants[] = {"fused", "bernstein", "bernstein"};
    kit k;

    make_curved(&k, world, 2, 3, clear, curved_corner); // the operator's own kernel has the terms
    for (int i = 0; i < 3; i++) {
        const sedge_operator_options config = {.variant = variants[i]};
        operator_sample *sample = NULL;
        if (i == 2) k.base.problem.integrator = sedge_integrator_find("ader");
        CHECK_OK(kit_load(&k, match_precisions[i % 2], &config));
        if (k.op == NULL) break;
        int64_t seams = k.op->curved.seams;
        sedge_comm_sum_int(world->comm, &seams, 1);
        CHECK(seams > 0);
        sedge_halo *const halo = take_exchange(&k);
        CHECK_OK(operator_sample_create(&sample, k.op, OPERATOR_SAMPLE_STRAIGHT));
        const operator_fields *const fields = sedge_evolution_fields(k.evolution);
        if (sample != NULL) {
            CHECK_OK(operator_sample_fill(sample, k.op, fields));
            CHECK_OK(operator_sample_verify(sample, k.op, fields));
        }
        operator_sample_free(sample);
        check_curved_sample(&k, true);
        k.op->exchange.halo = halo;
    }
    kit_clear(&k);
}

// Flat and sheared elements, whose metrics lose digits.
static void flat_corner(const double x[3], double moved[3])
{
    curved_corner(x, moved);
    moved[0] += 3.0 * moved[1];
    moved[2] *= 0.005;
}

static void test_sample_flat(const kit_world *world)
{
    const sedge_operator_options config = {.variant = "bernstein"};
    kit k;

    make_curved(&k, world, 4, 2, clear, flat_corner);
    k.base.problem.integrator = sedge_integrator_find("ader");
    CHECK_OK(kit_load(&k, SEDGE_FP32, &config));
    if (k.op != NULL) {
        sedge_halo *const halo = take_exchange(&k);
        check_curved_sample(&k, false);
        k.op->exchange.halo = halo;
    }
    kit_clear(&k);
}

// Fluxes that are not linear: the sample begins from the initial fields.
static void test_sample_nonlinear(const kit_world *world)
{
    const double keys[4] = {1.0, 0.7, -0.4, 1.5};
    const double wave[5] = {1.0, 1.0, 0.0, 0.2, 1.0};
    kit_options options = kit_defaults(2, 3);
    kit k;

    options.equation = sedge_equation_find("burgers");
    options.distort = 0.05;
    options.flux_keys = keys;
    options.wall = "fixed";
    options.initial = "sine";
    options.initial_parameters = wave;
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    test_sample(&k);
    kit_clear(&k);
}

// ---- tuning ------------------------------------------------------------------------------------

// The table, as text to release with free.
static char *get_table(const kit *k)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&text, &length);

    CHECK(file != NULL);
    if (file == NULL) return NULL;
    CHECK_OK(sedge_operator_print_tuning(k->op, file));
    CHECK(fclose(file) == 0);
    return text;
}

static void remove_wisdom(const kit_world *world)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/wisdom.jsonl", sedge_cache_folder(world->cache));
    sedge_comm_barrier(world->comm);
    if (sedge_comm_is_root(world->comm)) (void)remove(path);
    sedge_comm_barrier(world->comm);
}

// Tuned by measuring, then from wisdom, the answer is the untuned one's; and runs that are not
// worth it are left alone.
static void test_tuned(const kit_world *world)
{
    const sedge_operator_options measure = {
        .tune = SEDGE_TUNE_EXHAUSTIVE, .forget = true, .most_candidates = 3};
    const sedge_operator_options recall = {.tune = SEDGE_TUNE_OFF, .most_candidates = 3};
    const sedge_operator_options brief = {
        .tune = SEDGE_TUNE_FAST, .forget = true, .expected_stages = 10};
    sedge_operator_tuning tuning;
    sedge_operator_cost cost;
    char chosen[64];
    kit k;

    make_case(&k, world, 2, 4);
    const double dt = match_reference(&k, 0.0, 1);
    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &brief);
    if (k.op == NULL) return;
    sedge_operator_get_tuning(k.op, &tuning);
    CHECK(strcmp(tuning.how, "rule") == 0 && tuning.timed == 0);

    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &measure);
    if (k.op == NULL) return;
    sedge_operator_get_tuning(k.op, &tuning);
    CHECK(strcmp(tuning.how, "measurement") == 0);
    CHECK(tuning.timed >= 2 && tuning.seconds > 0.0);
    sedge_operator_get_cost(k.op, &cost);
    (void)snprintf(chosen, sizeof chosen, "%s", cost.variant);
    // Those of the step, not of tuning: in a stage at most eight parts of the interior and one
    // edge, each with and without the source.
    const int64_t launches = cost.kernel[0].launches + cost.kernel[1].launches; // with terms
    CHECK(launches > 0 && launches <= 5 * 9 * 2);

    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &recall);
    if (k.op == NULL) return;
    sedge_operator_get_tuning(k.op, &tuning);
    sedge_operator_get_cost(k.op, &cost);
    CHECK(strcmp(tuning.how, "wisdom") == 0 && tuning.compiled == 0);
    CHECK(strcmp(cost.variant, chosen) == 0);
    kit_clear(&k);
}

// A long run measures behind the rule's programs, which are there to find out what it may take.
// Whichever way wins, the kernels that are launched are those of the operator's own programs.
static void test_long_run(const kit_world *world)
{
    const sedge_operator_options worth = {.tune = SEDGE_TUNE_FAST,
                                          .forget = true,
                                          .most_candidates = 1,
                                          .expected_stages = (int64_t)1 << 40};
    sedge_operator_tuning tuning;
    kit k;

    make_case(&k, world, 2, 4);
    const double dt = match_reference(&k, 0.0, 1);
    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &worth);
    if (k.op == NULL) return;
    sedge_operator_get_tuning(k.op, &tuning);
    CHECK(tuning.timed >= 1);
    const sedge_kernel *own = NULL;
    CHECK_OK(sedge_program_get(&own, k.op->program[0], operator_kernel_name(KERNEL_STAGE)));
    CHECK(k.op->launcher.kernel[KERNEL_STAGE] == own);
    kit_clear(&k);
}

typedef struct choice_calls {
    int prepared, run;
} choice_calls;

static sedge_status count_prepare(void *context, sedge_cache *cache)
{
    (void)cache;
    ((choice_calls *)context)->prepared++;
    return SEDGE_OK;
}

static sedge_status count_run(void *context, sedge_stream *stream)
{
    (void)stream;
    ((choice_calls *)context)->run++;
    return SEDGE_OK;
}

// An operator's choices share the time for tuning. Where earlier ones took most of it, a later one
// compiles and times nothing.
static void test_shared_time(const kit_world *world)
{
    const sedge_operator_options options = {
        .tune = SEDGE_TUNE_FAST, .forget = true, .expected_stages = 1};
    const sedge_tune_task *task = NULL;
    kit k;

    make_case(&k, world, 1, 2);
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    if (k.op != NULL) CHECK_OK(sedge_operator_task(k.op, &task));
    for (int late = 0; late < 2 && task != NULL; late++) {
        choice_calls calls = {0, 0};
        operator_choice choice = {.op = k.op,
                                  .task = *task,
                                  .spent = 2.0 * late,
                                  .prepare = count_prepare,
                                  .run = count_run};
        choice.task.context = &calls;
        CHECK_OK(operator_choice_make(&choice, world->cache, &options));
        CHECK(calls.prepared == !late && calls.run == (late ? 0 : 3));
        CHECK(strcmp(operator_choice_source(&choice), "rule") == 0);
        CHECK(choice.spent > 2.0 * late);
        operator_choice_clear(&choice);
    }
    kit_clear(&k);
}

// Ranks whose devices differ, here in their threads: one half has wisdom, the other has none, and
// the halves choose alone. All of them arrive.
static void test_mixed_ranks(const kit_world *world)
{
    const sedge_operator_options measure = {
        .tune = SEDGE_TUNE_EXHAUSTIVE, .forget = true, .most_candidates = 1};
    const sedge_operator_options worth = {
        .tune = SEDGE_TUNE_FAST, .most_candidates = 1, .expected_stages = (int64_t)1 << 40};
    const bool odd = sedge_comm_rank(world->comm) % 2 == 1;
    kit_world mixed = *world;
    kit k;

    for (int i = 0; i < 2; i++) {
        CHECK(setenv("SEDGE_THREADS", i == 1 && odd ? "2" : "1", 1) == 0);
        CHECK_OK(sedge_device_create(&mixed.device, "host", sedge_comm_node_rank(world->comm),
                                     sedge_comm_node_size(world->comm)));
        make_case(&k, &mixed, 2, 4);
        const double dt = match_reference(&k, 0.0, 1);
        match_one(&k, 0.0, dt, 1, SEDGE_FP64, i == 0 ? &measure : &worth);
        kit_clear(&k);
        sedge_device_free(mixed.device);
    }
    CHECK(unsetenv("SEDGE_THREADS") == 0);
}

// Ranks that were told different levels, as by a variable that not all nodes have: rank 0's is that
// of all, and all of them arrive.
static void test_mixed_levels(const kit_world *world)
{
    const bool root = sedge_comm_is_root(world->comm);
    const sedge_operator_options mixed = {.tune = root ? SEDGE_TUNE_OFF : SEDGE_TUNE_FAST,
                                          .most_candidates = 1,
                                          .expected_stages = (int64_t)1 << 40};
    sedge_operator_tuning tuning;
    kit k;

    remove_wisdom(world);
    make_case(&k, world, 2, 4);
    const double dt = match_reference(&k, 0.0, 1);
    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &mixed);
    if (k.op == NULL) return;
    sedge_operator_get_tuning(k.op, &tuning);
    CHECK(strcmp(tuning.how, "rule") == 0 && tuning.timed == 0);
    kit_clear(&k);
}

// ---- wrong candidates --------------------------------------------------------------------------

// Kernels in which the function that begins with `head` begins with `wrong`.
static void break_kernels(const char *folder, const char *file, const char *head, const char *wrong)
{
    char path[4096];
    char *text = NULL;
    sedge_text *broken = NULL;

    const char *const slash = strrchr(file, '/');
    (void)snprintf(path, sizeof path, "codegen/kernels/dg/%s", file);
    CHECK_OK(sedge_source_get(&text, path));
    CHECK_OK(sedge_text_create(&broken));
    char *const begin = strstr(text, head);
    CHECK(begin != NULL);
    char *const body = begin != NULL ? strstr(begin, "\n{\n") : NULL;
    if (body != NULL) {
        CHECK_OK(sedge_text_add_bytes(broken, text, (size_t)(body + 3 - text)));
        CHECK_OK(sedge_text_add(broken, "%s%s", wrong, body + 3));
        (void)mkdir(folder, 0700);
        (void)snprintf(path, sizeof path, "%s/%s", folder, slash != NULL ? slash + 1 : file);
        CHECK_OK(sedge_file_write(path, sedge_text_get(broken), sedge_text_length(broken)));
    }
    sedge_text_free(broken);
    sedge_release(text);
}

static void test_wrong_does_not_win(const kit_world *world)
{
    // All but the rule's lift tile do nothing but write: fast, and wrong.
    static const char no_lift[] = "#if SEDGE_LIFT_TN != %d\n"
                                  "    SEDGE_EACH (w, SEDGE_LIFT_TN * SEDGE_FIELDS)"
                                  " sum[w] = SEDGE_SPLAT(0.0);\n"
                                  "    (void)words, (void)tile, (void)lift;\n"
                                  "    return;\n#endif\n";
    static const char no_jump[] = "    SEDGE_EACH (f, SEDGE_FIELDS)"
                                  " s_f[k * SEDGE_FIELDS + f] = SEDGE_SPLAT(0.0);\n"
                                  "    if (k >= 0) return;\n";
    static const char no_jumps[] = "    SEDGE_EACH (w, SEDGE_FACE_WORDS)"
                                   " s_f[w] = SEDGE_SPLAT(0.0);\n"
                                   "    if (value >= 0) return;\n"; // lanes of elements
    static const char folder[] = SEDGE_TEST_DIR "/broken-kernels";
    char wrong[sizeof no_lift + 16];
    const sedge_device_info *const info = sedge_device_get_info(world->device);
    const bool is_host = info->kind == SEDGE_DEVICE_HOST;
    const bool has_lanes = is_host && !info->random_order;
    const sedge_operator_options measure = {
        .tune = SEDGE_TUNE_EXHAUSTIVE, .forget = true, .most_candidates = is_host ? 3 : 24};
    kit k;

    make_case(&k, world, 3, 4);
    const double dt = match_reference(&k, 0.0, 1);
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    const int lift_nodes = k.op->config.lift_nodes;
    (void)snprintf(wrong, sizeof wrong, no_lift, lift_nodes);
    (void)unlink(SEDGE_TEST_DIR "/broken-kernels/dg_behind.h"); // of a run before
    if (sedge_comm_is_root(world->comm))
        break_kernels(folder, "dg_stage.h", "SEDGE_FUNCTION void find_lift(", wrong);
    sedge_comm_barrier(world->comm);
    CHECK(setenv("SEDGE_KERNELS", folder, 1) == 0);
    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &measure);
    if (k.op == NULL) return;
    CHECK(k.op->config.lift_nodes == lift_nodes);
    char *const table = get_table(&k);
    CHECK(table != NULL && strstr(table, "wrong: element") != NULL);
    free(table);
    remove_wisdom(world);

    // Where the rule's own choice is wrong, too, there is nothing to fall back on.
    if (sedge_comm_is_root(world->comm)) {
        break_kernels(folder, "dg_behind.h",
                      has_lanes ? "find_jumps(" : "SEDGE_FUNCTION void find_jump(",
                      has_lanes ? no_jumps : no_jump);
    }
    sedge_comm_barrier(world->comm);
    CHECK_FAILS(kit_load(&k, SEDGE_FP64, &measure), SEDGE_ERR_COMPUTE, "the rule's choice");
    CHECK(unsetenv("SEDGE_KERNELS") == 0);
    kit_clear(&k);
}

// ---- families ----------------------------------------------------------------------------------

// A world with a device on which blocks have threads, so that there is something to choose.
static void open_threads(kit_world *out, const kit_world *world)
{
    *out = *world;
    if (sedge_device_get_info(world->device)->kind != SEDGE_DEVICE_HOST) return;
    CHECK(setenv("SEDGE_ORDER", "random:7", 1) == 0);
    CHECK_OK(sedge_device_create(&out->device, "host", sedge_comm_node_rank(world->comm),
                                 sedge_comm_node_size(world->comm)));
}

static void close_threads(kit_world *world, const kit_world *from)
{
    if (world->device == from->device) return;
    sedge_device_free(world->device);
    CHECK(unsetenv("SEDGE_ORDER") == 0);
}

// What tells the families' tests apart.
static const struct {
    int order;
    const double *material;
    const char *integrator;
    const char *number;      // in which the first two candidates differ, of the program's constants
    const char *file, *head; // of a kernel
    const char *broken;      // a folder
} families[SEDGE_FAMILIES] = {
    [SEDGE_FAMILY_CURVED] = {1, glass, "lsrk45", "SEDGE_CURVED_TWOS", "curved/dg_covariant_state.h",
                             "SEDGE_KERNEL_RESIDENT(sedge_curved,",
                             SEDGE_TEST_DIR "/broken-curved"},
    [SEDGE_FAMILY_PREDICTION] = {2, clear, "ader", "SEDGE_SERIES_AHEAD", "dg_series.h",
                                 "SEDGE_KERNEL_RESIDENT(sedge_predict,",
                                 SEDGE_TEST_DIR "/broken-prediction"},
};

// With some curved elements and some straight ones.
static void make_family(kit *k, const kit_world *world, sedge_operator_family family, int cells)
{
    make_curved(k, world, families[family].order, cells, families[family].material, curved_corner);
    k->base.problem.integrator = sedge_integrator_find(families[family].integrator);
}

// The number of the present configuration.
static int find_number(const sedge_operator *op, sedge_operator_family family)
{
    return family == SEDGE_FAMILY_CURVED ? op->curved.config.twos : op->predictor.series.ahead;
}

// The first two candidates of the operator's layout.
static void list_family(char name[2][SEDGE_CONFIG_NAME], int number[2], const kit *k,
                        sedge_operator_family family)
{
    const operator_target target = operator_target_of(k->op);
    operator_curved_config curved[SEDGE_FAMILY_CANDIDATES];
    operator_series_config series[SEDGE_FAMILY_CANDIDATES];
    int count;

    if (family == SEDGE_FAMILY_CURVED) {
        CHECK_OK(operator_curved_list(curved, &count, &k->op->layout, target.info, target.problem,
                                      target.element));
    } else {
        count = operator_series_list(series, &k->op->layout, &target);
    }
    CHECK(count > 2 && count <= SEDGE_FAMILY_CANDIDATES);
    for (int i = 0; i < 2; i++) {
        if (family == SEDGE_FAMILY_CURVED) {
            operator_curved_name(name[i], &curved[i]);
            number[i] = curved[i].twos;
        } else {
            operator_series_name(name[i], &series[i]);
            number[i] = series[i].ahead;
        }
    }
    CHECK(number[0] != number[1]);
}

// How the operator came to the configuration of a family, which is the same on all ranks.
static sedge_family_tuning get_family(const kit *k, sedge_operator_family family)
{
    sedge_operator_tuning tuning = {.how = ""};
    char first[SEDGE_CONFIG_NAME] = "";

    if (k->op != NULL) sedge_operator_get_tuning(k->op, &tuning);
    const sedge_family_tuning out = tuning.family[family];
    CHECK(out.variant != NULL);
    if (out.variant == NULL) return out;
    if (family == SEDGE_FAMILY_CURVED) {
        operator_curved_name(first, &k->op->curved.config);
    } else {
        operator_series_name(first, &k->op->predictor.series);
    }
    CHECK(strcmp(first, out.variant) == 0);
    sedge_comm_broadcast(k->world->comm, first, sizeof first, 0);
    CHECK(strcmp(first, out.variant) == 0);
    // Each has its own seconds, and nothing is compiled where all were remembered.
    CHECK(out.seconds > 0.0 && out.seconds < tuning.seconds);
    CHECK(strcmp(out.how, "wisdom") != 0 || tuning.compiled == 0);
    return out;
}

// Let the wisdom say that `to` was chosen where it says `from`.
static void change_wisdom(const kit_world *world, const char *from, const char *to)
{
    char path[4096], chosen[2 * SEDGE_CONFIG_NAME];
    char *text = NULL;
    sedge_text *changed = NULL;
    size_t length;

    (void)snprintf(path, sizeof path, "%s/wisdom.jsonl", sedge_cache_folder(world->cache));
    sedge_comm_barrier(world->comm);
    if (sedge_comm_is_root(world->comm)) {
        CHECK_OK(sedge_text_create(&changed));
        CHECK_OK(sedge_file_read(&text, &length, path, SEDGE_ERR_USAGE));
        (void)snprintf(chosen, sizeof chosen, "\"choice\":\"%s\"", from);
        char *const at = text != NULL ? strstr(text, chosen) : NULL;
        CHECK(at != NULL);
        if (at != NULL) {
            CHECK_OK(sedge_text_add_bytes(changed, text, (size_t)(at - text)));
            CHECK_OK(sedge_text_add(changed, "\"choice\":\"%s\"%s", to, at + strlen(chosen)));
            CHECK_OK(sedge_file_write(path, sedge_text_get(changed), sedge_text_length(changed)));
        }
        sedge_text_free(changed);
        sedge_release(text);
    }
    sedge_comm_barrier(world->comm);
}

// A program by a configuration's name has its number, by another name the rule's.
static void check_texts(const kit *k, const kit_world *world, sedge_operator_family family,
                        char name[2][SEDGE_CONFIG_NAME], const int number[2])
{
    const char *const requested[] = {NULL, name[0], name[1], "another"};
    char of_program[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME], line[64];
    sedge_text *text[SEDGE_OPERATOR_PROGRAMS] = {NULL};

    for (int i = 0; i < 4; i++) {
        sedge_operator_options options = {.config = NULL};
        bool found = false;
        options.family_config[family] = requested[i];
        (void)snprintf(line, sizeof line, "%s %d\n", families[family].number, number[i == 2]);
        for (int p = 0; p < SEDGE_OPERATOR_PROGRAMS; p++) CHECK_OK(sedge_text_create(&text[p]));
        CHECK_OK(sedge_operator_texts(text, of_program, sedge_device_get_info(world->device),
                                      k->base.element, &k->base.problem, &options));
        for (int p = 0; p < SEDGE_OPERATOR_PROGRAMS; p++) {
            found = found || strstr(sedge_text_get(text[p]), line) != NULL;
            sedge_text_free(text[p]);
        }
        CHECK(found);
    }
}

// Measured, then from wisdom, where nothing is compiled and another choice is taken as well; and
// not at all where a run is not worth it. The answer is the reference's.
static void test_family_tuned(const kit_world *from, sedge_operator_family family)
{
    const sedge_operator_options measure = {
        .tune = SEDGE_TUNE_EXHAUSTIVE, .forget = true, .most_candidates = 2};
    const sedge_operator_options recall = {.tune = SEDGE_TUNE_OFF, .most_candidates = 2};
    const sedge_operator_options brief = {
        .tune = SEDGE_TUNE_FAST, .expected_stages = 10, .most_candidates = 2};
    char name[2][SEDGE_CONFIG_NAME];
    char(*known)[SEDGE_TUNE_NAME] = NULL;
    int number[2];
    kit_world world;
    kit k;
    int count = 0;

    open_threads(&world, from);
    remove_wisdom(&world);
    make_family(&k, &world, family, family == SEDGE_FAMILY_CURVED ? 2 : 3);
    const double dt = match_reference(&k, 0.0, 1);
    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &brief);
    sedge_family_tuning tuning = get_family(&k, family);
    CHECK(tuning.variant != NULL && strcmp(tuning.how, "rule") == 0);
    CHECK(tuning.timed == 0);

    match_one(&k, 0.0, dt, 1, SEDGE_FP64, &measure);
    tuning = get_family(&k, family);
    if (tuning.variant == NULL) goto done;
    CHECK(strcmp(tuning.how, "measurement") == 0 && tuning.timed == 2);
    list_family(name, number, &k, family);
    check_texts(&k, &world, family, name, number);
    const int chosen = strcmp(tuning.variant, name[1]) == 0;
    CHECK(strcmp(tuning.variant, name[chosen]) == 0);

    for (int other = 0; other < 2; other++) {
        const char *const now = name[other == 0 ? chosen : 1 - chosen];
        if (other == 1) change_wisdom(&world, name[chosen], now);
        match_one(&k, 0.0, dt, 1, SEDGE_FP64, &recall);
        tuning = get_family(&k, family);
        CHECK(tuning.variant != NULL && strcmp(tuning.how, "wisdom") == 0);
        CHECK(tuning.variant != NULL && strcmp(tuning.variant, now) == 0);
        CHECK(find_number(k.op, family) == number[other == 0 ? chosen : 1 - chosen]);
        CHECK_OK(sedge_operator_remembered_family(&known, &count, family, world.device, world.cache,
                                                  k.base.element, &k.base.problem));
        CHECK(count == 1 && strcmp(known[0], now) == 0);
        sedge_release(known);
    }
done:
    kit_clear(&k);
    close_threads(&world, from);
}

// All but the rule's number do nothing: fast, and wrong. The rule's takes its time, so that this
// shows on a GPU, too, where a launch takes longer than so few elements: it waits at barriers,
// since compilers drop empty loops. Then the rule's does nothing, either.
static void test_family_wrong(const kit_world *from, sedge_operator_family family)
{
    const sedge_operator_options measure = {
        .tune = SEDGE_TUNE_EXHAUSTIVE, .forget = true, .most_candidates = 2};
    char wrong[256];
    kit_world world;
    kit k;

    open_threads(&world, from);
    remove_wisdom(&world);
    make_family(&k, &world, family, family == SEDGE_FAMILY_CURVED ? 2 : 3);
    const double dt = match_reference(&k, 0.0, 1);
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    const int number = k.op != NULL ? find_number(k.op, family) : 0;
    for (int both = 0; both < 2; both++) {
        (void)snprintf(wrong, sizeof wrong,
                       "#if %s != %d\n    return;\n#elif !SEDGE_TARGET_CUDA\n"
                       "    for (volatile int i = 0; i < 2000; i++) {}\n"
                       "#else\n    for (int i = 0; i < 2000; i++) SEDGE_BARRIER();\n#endif\n",
                       families[family].number, both == 0 ? number : -1);
        break_kernels(families[family].broken, families[family].file, families[family].head, wrong);
        CHECK(setenv("SEDGE_KERNELS", families[family].broken, 1) == 0);
        if (both == 1) {
            CHECK_FAILS(kit_load(&k, SEDGE_FP64, &measure), SEDGE_ERR_COMPUTE, "the rule's choice");
            break;
        }
        bool seen = false; // a busy machine may make the wrong one slower: then again
        for (int turn = 0; turn < 10 && !seen; turn++) {
            match_one(&k, 0.0, dt, 1, SEDGE_FP64, &measure);
            CHECK(k.op != NULL && find_number(k.op, family) == number);
            char *const table = k.op != NULL ? get_table(&k) : NULL;
            seen = table != NULL && strstr(table, "wrong: element") != NULL;
            free(table);
            remove_wisdom(&world);
        }
        CHECK(seen);
    }
    CHECK(unsetenv("SEDGE_KERNELS") == 0);
    kit_clear(&k);
    close_threads(&world, from);
}

// Take a candidate's kernel from its own program, and check it; where it finds no elements, the
// check fails.
static void check_prediction(const kit_world *world, const kit *k, operator_sample *sample,
                             const operator_series_config *config)
{
    const operator_fields *const fields = sedge_evolution_fields(k->evolution);
    const operator_target target = operator_target_of(k->op);
    sedge_program *program = NULL;
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(operator_series_program(text, &target, &k->op->layout, config));
    const sedge_program_text whole = {.name = "prediction", .text = sedge_text_get(text)};
    CHECK_OK(
        sedge_programs_create(&program, NULL, world->comm, world->device, world->cache, &whole, 1));
    k->op->predictor.series = *config;
    CHECK_OK(operator_series_find(k->op, program));
    CHECK_OK(operator_sample_verify(sample, k->op, fields));
    if (operator_series_elements(k->op) > 0) {
        const sedge_mesh *const mesh = k->op->mesh;
        sedge_mesh nothing = *mesh;
        nothing.range_count = 0;
        k->op->mesh = &nothing;
        CHECK_FAILS(operator_sample_verify(sample, k->op, fields), SEDGE_ERR_COMPUTE,
                    "in a prediction");
        k->op->mesh = mesh;
    }
    sedge_text_free(text);
    sedge_program_free(program);
}

// The rule's and the farthest candidate, or all of them, in elements without terms beside others
// that have some: means over the step and over its first half.
static void test_predictions(const kit_world *from, int order, sedge_precision precision, bool all)
{
    operator_series_config list[SEDGE_FAMILY_CANDIDATES];
    operator_sample *sample = NULL;
    kit_world world;
    kit k;

    open_threads(&world, from);
    make_case(&k, &world, order, 2);
    k.base.problem.integrator = sedge_integrator_find("ader");
    CHECK_OK(kit_load(&k, precision, NULL));
    if (k.op != NULL) {
        const operator_target target = operator_target_of(k.op);
        const int count = operator_series_list(list, &k.op->layout, &target);
        sedge_halo *const halo = take_exchange(&k);
        CHECK(count > 20);
        CHECK_OK(operator_sample_create(&sample, k.op, OPERATOR_SAMPLE_PREDICTION));
        CHECK_OK(operator_sample_fill(sample, k.op, sedge_evolution_fields(k.evolution)));
        for (int c = 0; c < count; c++)
            if (all || c == 0 || c == count - 1) check_prediction(&world, &k, sample, &list[c]);
        operator_sample_free(sample);
        k.op->exchange.halo = halo;
    }
    kit_clear(&k);
    close_threads(&world, from);
}

// ---- changed kernels ---------------------------------------------------------------------------

// Whether the wisdom's key of the stage is another one when this source is changed.
static bool is_in_key(const operator_target *target, const char *file)
{
    static const char folder[] = SEDGE_TEST_DIR "/changed-kernels";
    char before[SEDGE_HASH_TEXT], after[SEDGE_HASH_TEXT];

    CHECK_OK(operator_forms_hash(before, operator_forms, target));
    kernel_file_change(folder, file);
    CHECK_OK(operator_forms_hash(after, operator_forms, target));
    kernel_file_restore(folder, file);
    if (strcmp(before, after) != 0) return true;
    (void)fprintf(stderr, "  '%s' is not in the key\n", file);
    return false;
}

// Every source of every candidate's stage is in the key; and, of those for GPUs, where there is
// none.
static void test_key_has_sources(const kit_world *world)
{
    static const char *const forms[] = {
        "codegen/kernels/program/prelude_cuda.h", "codegen/kernels/dg/dg_stage.h",
        "codegen/kernels/dg/dg_tensor.h", "codegen/kernels/dg/dg_bernstein.h"};
    const sedge_device_info *const info = sedge_device_get_info(world->device);
    const sedge_device_info chip = {.kind = SEDGE_DEVICE_CUDA, .kind_name = "cuda"};
    kernel_files files = {.count = 0};
    operator_choices choices;
    char name[SEDGE_OPERATOR_NAME];
    kit k;

    make_case(&k, world, 2, 2);
    const operator_target target = {info, &k.base.problem, k.base.element};
    const operator_target gpu = {&chip, &k.base.problem, k.base.element};
    CHECK_OK(operator_choices_list(&choices, &target));
    for (int c = 0; c < choices.count; c++) {
        const operator_candidate *const candidate = &choices.candidate[c];
        sedge_text *text = NULL;
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(operator_stage_write(text, name, &target, &choices.layout[candidate->layout],
                                      &candidate->config, NULL));
        kernel_files_find(&files, sedge_text_get(text));
        sedge_text_free(text);
    }
    CHECK(files.count >= 4);
    for (int f = 0; f < files.count; f++) CHECK(is_in_key(&target, files.name[f]));
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) CHECK(is_in_key(&gpu, forms[f]));
    operator_choices_clear(&choices);
    kit_clear(&k);
}

static sedge_status write_more(sedge_text *text, const operator_config *config,
                               const operator_layout *layout, const operator_target *target)
{
    SEDGE_TRY(operator_form_fused.constants(text, config, layout, target));
    return sedge_text_add(text, "#define SEDGE_MORE 1\nenum { MORE = SEDGE_MORE };\n");
}

// The key is made of the rows: a row more or fewer, another source or constant of a row make
// another key, and a row without sources is refused.
static void test_key_has_rows(const kit_world *world)
{
    operator_form rows[5] = {operator_form_fused, operator_form_fused, operator_form_fused,
                             operator_form_fused, operator_form_fused};
    char key[5][SEDGE_HASH_TEXT];
    kit k;

    make_case(&k, world, 2, 2);
    const operator_target target = {sedge_device_get_info(world->device), &k.base.problem,
                                    k.base.element};
    rows[1].sources[0] = operator_form_bernstein.sources[2];
    rows[2].sources[1] = operator_form_bernstein.sources[2];
    rows[3].constants = write_more;
    for (int i = 0; i < 5; i++) {
        const operator_form *const forms[] = {&rows[i], i == 4 ? &rows[0] : NULL, NULL};
        CHECK_OK(operator_forms_hash(key[i], forms, &target));
        for (int j = 0; j < i; j++) CHECK(strcmp(key[i], key[j]) != 0);
    }
    rows[1].sources[0] = NULL;
    const operator_form *const forms[] = {&rows[0], &rows[1], NULL};
    CHECK_FAILS(operator_forms_hash(key[0], forms, &target), SEDGE_ERR_INTERNAL,
                "the form 'fused' names no sources");
    kit_clear(&k);
}

int main(int argc, char **argv)
{
    kit_world world;

    CHECK(setenv("SEDGE_CACHE_DIR", SEDGE_TEST_DIR "/tune-cache", 1) == 0);
    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    const bool alone = sedge_comm_size(world.comm) == 1;
    if (argc > 2 && strcmp(argv[1], "all") == 0) {
        const int order = (int)strtol(argv[2], NULL, 10);
        CHECK(order >= 1 && order <= SEDGE_ORDER_MAX);
        const sedge_precision precision = order % 2 == 1 ? SEDGE_FP32 : SEDGE_FP64;
        test_candidates(&world, order, precision, true);
        test_predictions(&world, order, precision, true);
    } else {
        remove_wisdom(&world);
        test_samples(&world);
        test_sample_flat(&world);
        test_sample_curved(&world);
        test_sample_nonlinear(&world);
        test_rule_is_first(&world);
        if (alone) test_key_has_sources(&world);
        if (alone) test_key_has_rows(&world);
        if (alone) test_small_device(&world);
        if (alone) test_default_forms(&world);
        if (alone) test_series_fit(&world);
        test_tuned(&world);
        test_long_run(&world);
        test_shared_time(&world);
        if (!alone) test_mixed_ranks(&world);
        if (!alone) test_mixed_levels(&world);
        for (int f = 0; f < SEDGE_FAMILIES; f++) { // four ranks search as two do, in twice the time
            if (sedge_comm_size(world.comm) <= 2)
                test_family_tuned(&world, (sedge_operator_family)f);
            if (alone) test_family_wrong(&world, (sedge_operator_family)f);
        }
        test_predictions(&world, 3, SEDGE_FP64, false);
        if (alone) test_predictions(&world, 6, SEDGE_FP32, false);
        if (alone) test_wrong_does_not_win(&world);
        if (alone) test_candidates(&world, 2, SEDGE_FP32, false);
    }
    kit_close(&world);
    return CHECK_END();
}
