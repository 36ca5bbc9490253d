// Every kernel configuration of the stage that the tuner searches on a GPU compiles, for chips that
// need not be here: sm_80, sm_90 and the newest that NVRTC knows. The table variants.txt in the
// build folder shows what each takes: a spill shows there, and how long a compilation takes, too.
//
// With SEDGE_TEST_ALL: of Maxwell's equations every order and precision, on straight and on curved
// elements (the configurations of the straight ones, which are the same texts where both have
// them), for each chip; of advection, with its one field, orders 1 to 9 for sm_90.
//
// Otherwise each chip has one precision an order by turns. Of these the rule's configuration has
// every order, up to 6 in both precisions; every other configuration has one order of eight in each
// precision: types and loops' lengths are independent in the kernels' sources. Advection has orders
// 1 and 2.
//
// And the programs of all other kernels, with those of curved elements, of order 1 in fp32, 4 in
// both precisions and 10 in fp64 (with SEDGE_TEST_ALL all in both), those of order 4 with the
// predictions of ADER steps (with SEDGE_TEST_ALL of order 10, too), and for coefficients of the
// Bernstein-Bezier basis, of orders 1 and 10. Configurations that can only be requested by name are
// left out.
#include "codegen/spill_check.h"
#include "forms/candidates.h"
#include "forms/program.h"
#include "operator/operator.h"
#include "time/integrator.h"

#include <stdlib.h>

#define MOST_TEXTS 512

static bool has_all(void)
{
    return getenv("SEDGE_TEST_ALL") != NULL;
}

// A problem of unit materials; only what programs depend on.
static sedge_status make_problem(sedge_problem *problem, const char *equation, int order,
                                 sedge_precision precision)
{
    const sedge_equation *const which = sedge_equation_find(equation);
    double keys[SEDGE_MAX_VALUES];
    double deck[SEDGE_MAX_VALUES];

    SEDGE_TRY(sedge_problem_init(problem, which, 1, 1, 0));
    problem->order = order;
    problem->precision = precision;
    for (int i = 0; i < SEDGE_MAX_VALUES; i++) {
        keys[i] = 1.0;
        deck[i] = 1.0;
    }
    if (which->derive != NULL) which->derive(deck, problem->materials[0]);
    which->constants(keys, NULL, problem->constants);
    problem->boundaries[0].kind = which->boundary_count > 0 ? &which->boundaries[0] : NULL;
    return SEDGE_OK;
}

// ---- compilation -------------------------------------------------------------------------------

typedef struct variant_batch {
    sedge_element *elements[SEDGE_ORDER_MAX + 1]; // by order; those of high ones take long to make
    sedge_text *texts[MOST_TEXTS];
    char names[MOST_TEXTS][SEDGE_OPERATOR_NAME + SEDGE_CONFIG_NAME];
    int count;
} variant_batch;

static sedge_status add(variant_batch *batch, const operator_choices *choices, int c,
                        const operator_target *target)
{
    const operator_candidate *const candidate = &choices->candidate[c];
    char name[SEDGE_OPERATOR_NAME];

    SEDGE_TRY(sedge_text_create(&batch->texts[batch->count]));
    SEDGE_TRY(operator_stage_write(batch->texts[batch->count], name, target,
                                   &choices->layout[candidate->layout], &candidate->config, NULL));
    (void)snprintf(batch->names[batch->count], sizeof batch->names[0], "%s %s", name,
                   candidate->name);
    batch->count++;
    return SEDGE_OK;
}

typedef struct variant_place {
    size_t length; // of its text
    int index;
} variant_place;

static int longer_first(const void *a, const void *b)
{
    const variant_place *const one = a;
    const variant_place *const two = b;

    if (one->length != two->length) return one->length > two->length ? -1 : 1;
    return one->index - two->index;
}

// In the order of their lengths: no thread is to begin with a long one when the others are done.
static void compile(variant_batch *batch, sedge_device *device, sedge_cache *cache, FILE *table)
{
    static sedge_program_text texts[MOST_TEXTS];
    static sedge_program_record records[MOST_TEXTS];
    static variant_place places[MOST_TEXTS];
    static int place_of[MOST_TEXTS];
    int compiled = 0;

    for (int i = 0; i < batch->count; i++)
        places[i] = (variant_place){.length = sedge_text_length(batch->texts[i]), .index = i};
    qsort(places, (size_t)batch->count, sizeof places[0], longer_first);
    for (int k = 0; k < batch->count; k++) {
        const int i = places[k].index;
        place_of[i] = k;
        texts[k].name = batch->names[i];
        texts[k].text = sedge_text_get(batch->texts[i]);
    }
    CHECK_OK(sedge_programs_build(&compiled, records, NULL, device, cache, texts, batch->count));
    for (int i = 0; i < batch->count && check_failures == 0; i++) {
        const sedge_program_record *const record = &records[place_of[i]];
        const sedge_program_resources *const takes = &record->resources;
        CHECK(takes->registers > 0 && takes->registers <= 255);
        (void)fprintf(table, "%-8s %-64s %9d %8d %7d %8.2f\n", sedge_device_get_info(device)->arch,
                      batch->names[i], takes->registers, takes->spilled, takes->shared,
                      record->seconds);
    }
    for (int i = 0; i < batch->count; i++) sedge_text_free(batch->texts[i]);
    batch->count = 0;
}

// The kernels that are not tuned, by the rule: with those of curved elements, and those of their
// predictions if `predicts`; or for coefficients of the other basis.
static void add_others(variant_batch *batch, sedge_device *device, int order,
                       sedge_precision precision, sedge_basis basis, bool predicts)
{
    const sedge_operator_options options = {.variant = basis == SEDGE_NODAL ? "auto" : "bernstein"};
    char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME];
    sedge_text *text[SEDGE_OPERATOR_PROGRAMS] = {NULL};
    const sedge_element *const element = batch->elements[order];
    sedge_problem problem = {0};

    CHECK_OK(make_problem(&problem, "maxwell", order, precision));
    problem.curved = basis == SEDGE_NODAL;
    if (predicts) problem.integrator = sedge_integrator_find("ader");
    for (int i = 0; i < problem.equation->source_count && basis != SEDGE_NODAL; i++) {
        if (problem.equation->sources[i].type == SEDGE_SOURCE_INCIDENT)
            problem.incident_count = 1; // faces are converted then
    }
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) CHECK_OK(sedge_text_create(&text[i]));
    const sedge_status status = sedge_operator_texts(text, name, sedge_device_get_info(device),
                                                     element, &problem, &options);
    if (status != SEDGE_OK && (basis != SEDGE_NODAL || predicts) && order >= 8) {
        CHECK(strstr(sedge_error_message(), // too large for small chips
                     predicts ? "bytes of shared memory at least"
                              : "do not fit into this device's block memory") != NULL);
        for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) sedge_text_free(text[i]);
        sedge_problem_clear(&problem);
        return;
    }
    CHECK_OK(status);
    CHECK(strstr(sedge_text_get(text[1]),
                 basis == SEDGE_NODAL ? "sedge_curved_energy" : "define SEDGE_CONVERT_FACES 1") !=
          NULL);
    CHECK(!predicts || strstr(sedge_text_get(text[1]), "define SEDGE_CURVED_PREDICTS 1") != NULL);
    (void)snprintf(batch->names[batch->count], sizeof batch->names[0], "%s %s", name[1],
                   predicts               ? "curved ader"
                   : basis == SEDGE_NODAL ? "curved"
                                          : "bernstein");
    batch->texts[batch->count++] = text[1];
    (void)snprintf(batch->names[batch->count], sizeof batch->names[0], "%s %s", name[2],
                   strchr(batch->names[batch->count - 1], ' ') + 1);
    batch->texts[batch->count++] = text[2];
    sedge_text_free(text[0]);
    sedge_text_free(text[3]);
    sedge_problem_clear(&problem);
}

// ---- one order ---------------------------------------------------------------------------------

static bool is_known(const variant_batch *batch, int first, const char *name)
{
    for (int i = first; i < batch->count; i++)
        if (strcmp(strchr(batch->names[i], ' ') + 1, name) == 0) return true;
    return false;
}

// Has configuration c this order in this precision? The rule's comes first.
static bool has_turn(int c, int order, sedge_precision precision)
{
    const int turn = c + order + (precision == SEDGE_FP32 ? 0 : 1);

    if (has_all()) return true;
    return c == 0 ? order <= 6 || turn % 2 == 1 : turn % 8 == 0;
}

// Those that are searched; the rule's of all comes first of the order.
static void add_order(variant_batch *batch, sedge_device *device, const char *equation, int order,
                      sedge_precision precision)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    const int first = batch->count;
    const sedge_element *const element = batch->elements[order];
    sedge_problem problem = {0};

    CHECK_OK(make_problem(&problem, equation, order, precision));
    const operator_target target = {info, &problem, element};
    for (int curved = 0; curved < 2; curved++) {
        operator_choices choices = {0};
        problem.curved = curved == 1;
        CHECK_OK(operator_choices_list(&choices, &target));
        CHECK(choices.searched > 1 && choices.searched <= choices.count);
        for (int c = 0; c < choices.searched && check_failures == 0; c++) {
            CHECK(choices.candidate[c].config.scratch_bytes <= info->shared_bytes_block);
            CHECK(batch->count < MOST_TEXTS);
            if (!has_turn(c, order, precision) || is_known(batch, first, choices.candidate[c].name))
                continue;
            CHECK_OK(add(batch, &choices, c, &target));
        }
        operator_choices_clear(&choices);
    }
    sedge_problem_clear(&problem);
}

// Chips are numbered from 0; the chips differ in what the tuner may search, not in the texts.
static bool is_selected(int chip, int chips, int order, sedge_precision precision)
{
    return has_all() || (order + (precision == SEDGE_FP32 ? 0 : 1)) % chips == chip;
}

static bool is_advection_selected(const char *arch, int order, sedge_precision precision)
{
    if (strcmp(arch, "sm_90") != 0 || order > 9) return false;
    return has_all() || order == (precision == SEDGE_FP32 ? 1 : 2); // of order 7 four take 17 s
}

static void test_chip(variant_batch *batch, const char *arch, int chip, int chips, FILE *table)
{
    sedge_device *device = NULL;
    sedge_cache *cache = NULL;

    CHECK_OK(sedge_device_create_target(&device, "cuda", arch));
    CHECK_OK(sedge_cache_create(&cache, SEDGE_TEST_DIR "/variants-cache"));
    if (check_failures > 0) return;
    for (int p = 0; p < 2; p++) {
        const sedge_precision precision = p == 0 ? SEDGE_FP32 : SEDGE_FP64;
        for (int order = 1; order <= 10; order += order == 1 ? 3 : 6) {
            if (!is_selected(chip, chips, order, precision)) continue;
            const bool predicts = order == 4 || (order == 10 && has_all());
            if (predicts) add_others(batch, device, order, precision, SEDGE_NODAL, true);
            if (has_all() || order == (precision == SEDGE_FP32 ? 1 : 10))
                add_others(batch, device, order, precision, SEDGE_NODAL, false);
            if (order != 4) add_others(batch, device, order, precision, SEDGE_BERNSTEIN, false);
        }
        for (int order = 1; order <= SEDGE_ORDER_MAX; order++) {
            if (is_selected(chip, chips, order, precision))
                add_order(batch, device, "maxwell", order, precision);
            if (is_advection_selected(arch, order, precision))
                add_order(batch, device, "advection", order, precision);
        }
    }
    compile(batch, device, cache, table);
    sedge_cache_free(cache);
    sedge_device_free(device);
}

int main(void)
{
    static variant_batch batch;
    const char *chips[CUDA_CHIPS];
    const int count = cuda_chips(chips);
    FILE *const table = fopen(SEDGE_TEST_DIR "/variants.txt", "w");

    CHECK(table != NULL);
    if (table == NULL) return CHECK_END();
    (void)fprintf(table, "%-8s %-64s %9s %8s %7s %8s\n", "chip", "variant", "registers", "spilled",
                  "shared", "seconds");
    for (int order = 1; order <= SEDGE_ORDER_MAX; order++)
        CHECK_OK(sedge_element_create(&batch.elements[order], order));
    for (int c = 0; c < count && check_failures == 0; c++)
        test_chip(&batch, chips[c], c, count, table);
    for (int order = 1; order <= SEDGE_ORDER_MAX; order++)
        sedge_element_free(batch.elements[order]);
    CHECK(fclose(table) == 0);
    return CHECK_END();
}
