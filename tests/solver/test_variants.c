// Every way to cut the stage that the tuner may try on a GPU compiles, for chips that need not be
// here. The table variants-*.txt in the build folder shows what each takes: a spill shows there.
//
// Without arguments: for each chip and precision a selection that has each structure, tile and
// layout at least once; for sm_90 and Maxwell's equations each block and limit of registers, too,
// and the rule's choice of each order. With "all": every one, for sm_90. Advection, with its one
// field, for sm_90 at orders 1, 5 and 9. And the program of all other kernels, with those of curved
// elements, of orders 1, 4 and 10.
#include "check.h"
#include "dg/operator_internal.h"

#include <stdlib.h>

#define MOST_TEXTS 256

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

// ---- selection ---------------------------------------------------------------------------------

// The values of cuts seen so far, of one chip, equation and precision.
typedef struct seen_list {
    int values[64];
    int count;
    bool blocks; // they count, and limits of registers
} seen_list;

static bool note(seen_list *seen, int value)
{
    for (int i = 0; i < seen->count; i++)
        if (seen->values[i] == value) return false;
    if (seen->count < 64) seen->values[seen->count++] = value;
    return true;
}

// Whether a candidate has something new: marks what it has.
static bool is_new(seen_list *seen, const operator_candidate *candidate)
{
    const operator_cut *const cut = &candidate->cut;
    const int form = 10000 * cut->fused;
    bool new = note(seen, 1000 + form + cut->item_nodes);

    new = note(seen, 2000 + form + cut->lift_nodes) || new;
    if (seen->blocks) {
        new = note(seen, 3000 + cut->block) || new;
        new = note(seen, 4000 + cut->resident) || new;
    }
    return note(seen, 20000 + candidate->layout) || new;
}

// ---- compilation -------------------------------------------------------------------------------

typedef struct variant_batch {
    sedge_text *texts[MOST_TEXTS];
    char names[MOST_TEXTS][SEDGE_OPERATOR_NAME + SEDGE_CUT_NAME];
    int count;
} variant_batch;

static sedge_status add(variant_batch *batch, const operator_choices *choices, int c,
                        const sedge_problem *problem, const sedge_element *element)
{
    const operator_candidate *const candidate = &choices->candidate[c];
    char name[SEDGE_OPERATOR_NAME];

    SEDGE_TRY(sedge_text_create(&batch->texts[batch->count]));
    SEDGE_TRY(operator_stage_write(batch->texts[batch->count], name, SEDGE_DEVICE_CUDA,
                                   &choices->layout[candidate->layout], &candidate->cut, problem,
                                   element));
    (void)snprintf(batch->names[batch->count], sizeof batch->names[0], "%s %s", name,
                   candidate->name);
    batch->count++;
    return SEDGE_OK;
}

static void compile(variant_batch *batch, sedge_device *device, sedge_cache *cache, FILE *table)
{
    sedge_program_text texts[MOST_TEXTS];
    sedge_program_record records[MOST_TEXTS];
    int compiled = 0;

    for (int i = 0; i < batch->count; i++) {
        texts[i].name = batch->names[i];
        texts[i].text = sedge_text_get(batch->texts[i]);
    }
    CHECK_OK(sedge_programs_build(&compiled, records, NULL, device, cache, texts, batch->count));
    for (int i = 0; i < batch->count && check_failures == 0; i++) {
        const sedge_program_resources *const takes = &records[i].resources;
        CHECK(takes->registers > 0 && takes->registers <= 255);
        (void)fprintf(table, "%-8s %-64s %9d %8d %7d\n", sedge_device_get_info(device)->arch,
                      batch->names[i], takes->registers, takes->spilled, takes->shared);
    }
    for (int i = 0; i < batch->count; i++) sedge_text_free(batch->texts[i]);
    batch->count = 0;
}

// The kernels that are not tuned, by the rule.
static void add_others(variant_batch *batch, sedge_device *device, int order,
                       sedge_precision precision)
{
    static const sedge_operator_options by_rule;
    char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME];
    sedge_text *text[SEDGE_OPERATOR_PROGRAMS] = {NULL, NULL};
    sedge_element *element = NULL;
    sedge_problem problem = {0};

    CHECK_OK(sedge_element_create(&element, order));
    CHECK_OK(make_problem(&problem, "maxwell", order, precision));
    problem.curved = true;
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) CHECK_OK(sedge_text_create(&text[i]));
    CHECK_OK(sedge_operator_texts(text, name, sedge_device_get_info(device), element, &problem,
                                  &by_rule));
    CHECK(strstr(sedge_text_get(text[1]), "sedge_curved_energy") != NULL);
    (void)snprintf(batch->names[batch->count], sizeof batch->names[0], "%s curved", name[1]);
    batch->texts[batch->count++] = text[1];
    sedge_text_free(text[0]);
    sedge_problem_clear(&problem);
    sedge_element_free(element);
}

// ---- one order ---------------------------------------------------------------------------------

static void add_order(variant_batch *batch, seen_list *seen, sedge_device *device,
                      sedge_cache *cache, FILE *table, const char *equation, int order,
                      sedge_precision precision)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    sedge_element *element = NULL;
    sedge_problem problem = {0};
    operator_choices choices = {0};

    CHECK_OK(sedge_element_create(&element, order));
    CHECK_OK(make_problem(&problem, equation, order, precision));
    CHECK_OK(operator_choices_list(&choices, info, &problem, element));
    CHECK(choices.count > 1 && choices.count <= choices.layouts * SEDGE_CANDIDATES);
    for (int c = 0; c < choices.count; c++) {
        CHECK(choices.candidate[c].cut.scratch_bytes <= info->shared_bytes_block);
        const bool is_rule = seen != NULL && seen->blocks && c == 0;
        if (seen != NULL && !is_new(seen, &choices.candidate[c]) && !is_rule) continue;
        CHECK_OK(add(batch, &choices, c, &problem, element));
        if (seen == NULL && batch->count == MOST_TEXTS) compile(batch, device, cache, table);
    }
    operator_choices_clear(&choices);
    sedge_problem_clear(&problem);
    sedge_element_free(element);
}

static void test_chip(const char *arch, bool all, FILE *table)
{
    static const char *const equations[] = {"maxwell", "advection"};
    static variant_batch batch;
    sedge_device *device = NULL;
    sedge_cache *cache = NULL;

    CHECK_OK(sedge_device_create_target(&device, "cuda", arch));
    CHECK_OK(sedge_cache_create(&cache, SEDGE_TEST_DIR "/variants-cache"));
    if (check_failures > 0) return;
    for (int p = 0; p < 2; p++) {
        for (int order = 1; order <= 10; order += order == 1 ? 3 : 6)
            add_others(&batch, device, order, p == 0 ? SEDGE_FP32 : SEDGE_FP64);
    }
    compile(&batch, device, cache, table);
    for (int e = 0; e < (strcmp(arch, "sm_90") == 0 ? 2 : 1); e++) {
        for (int p = 0; p < 2; p++) {
            seen_list seen = {.blocks = e == 0 && strcmp(arch, "sm_90") == 0};
            for (int order = 1; order <= SEDGE_ORDER_MAX; order++) {
                if (e == 1 && order % 4 != 1) continue;
                add_order(&batch, all ? NULL : &seen, device, cache, table, equations[e], order,
                          p == 0 ? SEDGE_FP32 : SEDGE_FP64);
            }
            compile(&batch, device, cache, table);
        }
    }
    sedge_cache_free(cache);
    sedge_device_free(device);
}

// The newest chip that this NVRTC compiles for.
static const char *find_newest(void)
{
    static const char *const chips[] = {"sm_121", "sm_120", "sm_110", "sm_103", "sm_100"};

    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        void *binary = NULL;
        size_t length = 0;
        const sedge_status status = sedge_nvrtc_compile(
            "extern \"C\" __global__ void nothing() {}\n", chips[i], &binary, &length, NULL);
        sedge_release(binary);
        if (status == SEDGE_OK) return chips[i];
        sedge_error_clear();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    const char *const newest = find_newest();
    FILE *const table =
        fopen(all ? SEDGE_TEST_DIR "/variants-all.txt" : SEDGE_TEST_DIR "/variants.txt", "w");

    CHECK(table != NULL);
    if (table == NULL) return CHECK_END();
    (void)fprintf(table, "%-8s %-64s %9s %8s %7s\n", "chip", "variant", "registers", "spilled",
                  "shared");
    if (!all) test_chip("sm_80", false, table);
    test_chip("sm_90", all, table);
    if (!all && newest != NULL) test_chip(newest, false, table);
    CHECK(fclose(table) == 0);
    return CHECK_END();
}
