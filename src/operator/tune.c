#include "operator/tune.h"

#include "base/file.h"
#include "base/memory.h"
#include "forms/candidates.h"
#include "forms/program.h"
#include "forms/request.h"
#include "forms/target.h"
#include "operator/choice.h"
#include "operator/cost.h"
#include "operator/family_tune.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/program.h"
#include "operator/sample.h"
#include "operator/stage.h"
#include "operator/upload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The task of the tuner: the stage, whose candidates differ in structure, too.
struct operator_tuning {
    sedge_operator *op;
    operator_choices choices;
    operator_sample *sample; // NULL until something is timed
    operator_tables *tables; // [choices.count], made as candidates are launched; all of one layout
    operator_fields fields;  // to measure with
    int layout;              // whose buffers are there; -1: none
    int candidate;           // the operator's present configuration, with kernels of
    const sedge_program *program; // this program; NULL: none

    char name[SEDGE_CONFIG_NAME];
    char size[SEDGE_CONFIG_NAME];
    char hash[SEDGE_HASH_TEXT];
    const char *layout_names[SEDGE_LAYOUTS];
    sedge_tune_candidate *candidates; // [choices.count]
    operator_choice choice;
    double seconds;                        // of all that was done to choose
    bool is_overruled;                     // what was chosen does not fit what other ranks did
    family_tuning *family[SEDGE_FAMILIES]; // NULL: there is nothing to choose
};

// ---- callbacks of the tuner --------------------------------------------------------------------

// The operator borrows those of its present configuration.
static void free_tables(operator_tuning *tuning)
{
    for (int c = 0; c < tuning->choices.count; c++) operator_tables_free(&tuning->tables[c]);
    tuning->op->tables = (operator_tables){NULL, NULL};
}

// Take a layout and fields of it, instead of those before.
static sedge_status take_layout(operator_tuning *tuning, int layout)
{
    sedge_operator *const op = tuning->op;

    operator_fields_clear(&tuning->fields); // first: there may be no memory for both
    SEDGE_TRY(operator_take_layout(op, &tuning->choices.layout[layout]));
    return operator_fields_create(&tuning->fields, op->device, operator_fields_bytes(op));
}

static sedge_status use_layout(void *context, int layout)
{
    operator_tuning *const tuning = context;
    sedge_operator *const op = tuning->op;

    free_tables(tuning);
    tuning->program = NULL;
    tuning->layout = -1;
    SEDGE_TRY(take_layout(tuning, layout));
    if (tuning->sample != NULL && !operator_sample_fits(tuning->sample, op)) {
        operator_sample_free(tuning->sample);
        tuning->sample = NULL;
    }
    if (tuning->sample == NULL)
        SEDGE_TRY(operator_sample_create(&tuning->sample, op, OPERATOR_SAMPLE_STRAIGHT));
    SEDGE_TRY(operator_sample_fill(tuning->sample, op, &tuning->fields));
    tuning->layout = layout;
    return SEDGE_OK;
}

static sedge_status write_text(void *context, int candidate, sedge_text *text)
{
    const operator_tuning *const tuning = context;
    const operator_candidate *const which = &tuning->choices.candidate[candidate];
    const operator_target target = operator_target_of(tuning->op);
    char name[SEDGE_OPERATOR_NAME];

    return operator_stage_write(text, name, &target, &tuning->choices.layout[which->layout],
                                &which->config, NULL);
}

// Make a candidate the operator's present configuration.
static sedge_status take_candidate(operator_tuning *tuning, int candidate,
                                   const sedge_program *program)
{
    const operator_candidate *const which = &tuning->choices.candidate[candidate];
    operator_tables *const tables = &tuning->tables[candidate];
    sedge_operator *const op = tuning->op;

    if (candidate == tuning->candidate && program == tuning->program) return SEDGE_OK;
    if (which->layout != tuning->layout) SEDGE_TRY(use_layout(tuning, which->layout));
    op->config = which->config;
    if (tables->lift == NULL) SEDGE_TRY(operator_tables_create(tables, op));
    op->tables = *tables;
    SEDGE_TRY(operator_stage_find(op, program));
    tuning->candidate = candidate;
    tuning->program = program;
    return SEDGE_OK;
}

static sedge_status launch(void *context, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    operator_tuning *const tuning = context;

    SEDGE_TRY(take_candidate(tuning, candidate, program));
    return operator_sample_launch(tuning->sample, tuning->op, &tuning->fields, stream);
}

static sedge_status verify(void *context, int candidate, const sedge_program *program)
{
    operator_tuning *const tuning = context;

    SEDGE_TRY(take_candidate(tuning, candidate, program));
    return operator_sample_verify(tuning->sample, tuning->op, &tuning->fields);
}

// With the rule's configuration. Collective.
static sedge_status prepare(void *context, sedge_cache *cache)
{
    operator_tuning *const tuning = context;
    sedge_operator *const op = tuning->op;

    op->config = tuning->choices.candidate[0].config;
    SEDGE_TRY(sedge_comm_agree(op->comm, take_layout(tuning, 0)));
    SEDGE_TRY(operator_programs_create(op, cache));
    const sedge_status status = operator_tables_create(&tuning->tables[0], op);
    op->tables = tuning->tables[0];
    return sedge_comm_agree(op->comm, status);
}

static sedge_status run_rule(void *context, sedge_stream *stream)
{
    operator_tuning *const tuning = context;

    return operator_run_straight(tuning->op, &tuning->fields, stream, &(sedge_stage){.dt = 0.0});
}

// ---- task --------------------------------------------------------------------------------------

void operator_tuning_free(operator_tuning *tuning)
{
    if (tuning == NULL) return;
    operator_sample_free(tuning->sample);
    operator_fields_clear(&tuning->fields);
    for (int f = 0; f < SEDGE_FAMILIES; f++) family_tuning_free(tuning->family[f]);
    operator_choice_clear(&tuning->choice);
    operator_choices_clear(&tuning->choices);
    sedge_release(tuning->tables);
    sedge_release(tuning->candidates);
    sedge_release(tuning);
}

static void describe_candidates(operator_tuning *tuning)
{
    for (int c = 0; c < tuning->choices.count; c++) {
        const operator_candidate *const from = &tuning->choices.candidate[c];
        const operator_config *const config = &from->config;
        tuning->candidates[c] = (sedge_tune_candidate){
            .name = from->name,
            .layout = from->layout,
            .threads = config->threads,
            .shared_bytes = config->scratch_bytes,
            .registers = from->registers,
            .prior = from->prior,
            .fewer = !config->form->counts_are_bounds,
            .number = {config->block, config->resident, config->item_nodes, config->lift_nodes,
                       config->field_block, config->lift_block, config->own[0], config->own[1]},
        };
    }
}

// `elements` is the largest number of a rank: so that all ranks of a job ask for the same.
static void describe_task(operator_tuning *tuning, int64_t elements)
{
    const sedge_operator *const op = tuning->op;
    const int media = sedge_problem_media(op->problem);
    double bytes, flops;

    describe_candidates(tuning);
    operator_name(tuning->name, op->problem);
    (void)snprintf(tuning->size, sizeof tuning->size, "2^%d elements, %d material%s",
                   (int)lround(log2((double)elements)), media, media == 1 ? "" : "s");
    for (int l = 0; l < tuning->choices.layouts; l++)
        tuning->layout_names[l] = tuning->choices.layout[l].name;
    operator_count(op, KERNEL_STAGE, &bytes, &flops);
    if (bytes < 4.0 * (double)sedge_device_get_info(op->device)->l2_bytes)
        bytes = 0.0; // from there
    tuning->choice.task =
        (sedge_tune_task){.name = tuning->name,
                          .size = tuning->size,
                          .source_hash = tuning->hash,
                          .layouts = tuning->choices.searched_layouts,
                          .layout_names = tuning->layout_names,
                          .operation = "stage",
                          .bytes = bytes,
                          .flops = flops,
                          .count = tuning->choices.searched,
                          .candidates = tuning->candidates,
                          .idle = op->mesh->elements == sedge_mesh_curved(op->mesh),
                          .context = tuning,
                          .use_layout = use_layout,
                          .text = write_text,
                          .launch = launch,
                          .verify = verify};
}

// At most the first `most` of each layout, in their order; the searched ones stay the first.
static void keep_first(operator_choices *choices, int most)
{
    int of_layout[SEDGE_LAYOUTS] = {0};
    int searched = 0;
    int count = 0;

    for (int c = 0; c < choices->count; c++) {
        const operator_candidate *const candidate = &choices->candidate[c];
        if (of_layout[candidate->layout]++ >= most) continue;
        searched += c < choices->searched;
        choices->candidate[count++] = *candidate;
    }
    choices->searched = searched;
    choices->count = count;
}

static sedge_status make_task(sedge_operator *op, const sedge_operator_options *options)
{
    operator_tuning *tuning = NULL;

    SEDGE_TRY(sedge_allocate(&tuning, 1, sizeof *tuning));
    op->tuning = tuning; // freed with it
    tuning->op = op;
    tuning->layout = -1;
    tuning->choice = (operator_choice){.op = op, .prepare = prepare, .run = run_rule};
    const operator_target target = operator_target_of(op);
    SEDGE_TRY(operator_choices_list(&tuning->choices, &target));
    if (options->most_candidates > 0) keep_first(&tuning->choices, options->most_candidates);
    if (options->search_all) {
        tuning->choices.searched = tuning->choices.count;
        tuning->choices.searched_layouts = tuning->choices.layouts;
    }
    const int64_t count = tuning->choices.count;
    SEDGE_TRY(sedge_allocate(&tuning->candidates, count, sizeof *tuning->candidates));
    SEDGE_TRY(sedge_allocate(&tuning->tables, count, sizeof *tuning->tables));
    return operator_forms_hash(tuning->hash, operator_forms, &target);
}

// ---- choice ------------------------------------------------------------------------------------

static sedge_status take_candidate_for_good(operator_tuning *tuning, int candidate)
{
    const operator_candidate *const which = &tuning->choices.candidate[candidate];
    sedge_operator *const op = tuning->op;

    if (candidate != 0) operator_programs_free(op); // they are the rule's, if any
    op->config = which->config;
    return operator_take_layout(op, &tuning->choices.layout[which->layout]);
}

// What only choosing needed.
static void clear_up(operator_tuning *tuning)
{
    free_tables(tuning);
    operator_sample_free(tuning->sample);
    tuning->sample = NULL;
    tuning->program = NULL;
    operator_fields_clear(&tuning->fields);
    memset(tuning->op->launcher.launches, 0, sizeof tuning->op->launcher.launches);
}

static sedge_status take_requested(operator_tuning *tuning, const sedge_operator_options *options)
{
    const operator_request request = operator_request_of(options);
    sedge_operator *const op = tuning->op;
    const operator_target target = operator_target_of(op);
    int layout;

    SEDGE_TRY(operator_request_find(&op->config, &layout, &tuning->choices, &target, &request));
    return operator_take_layout(op, &tuning->choices.layout[layout]);
}

// What was chosen here; the rule's where devices of several kinds chose several bases, of which the
// nodal one is every device's: ranks exchange what they keep. Collective.
static int agree_on_basis(operator_tuning *tuning)
{
    const int choice = tuning->choice.result->choice;
    const sedge_basis basis =
        tuning->choices.layout[tuning->choices.candidate[choice].layout].basis;
    int64_t others = basis == SEDGE_NODAL;

    sedge_comm_max_int(tuning->op->comm, &others, 1);
    tuning->is_overruled = basis == SEDGE_BERNSTEIN && others != 0;
    if (!tuning->is_overruled) return choice;
    int nodal = 0;
    while (tuning->choices.layout[tuning->choices.candidate[nodal].layout].basis != SEDGE_NODAL)
        nodal++;
    return nodal;
}

sedge_status operator_tune(sedge_operator *op, sedge_cache *cache,
                           const sedge_operator_options *options)
{
    const double began = sedge_clock();
    int64_t elements = op->mesh->elements;

    SEDGE_TRY(sedge_comm_agree(op->comm, make_task(op, options)));
    sedge_comm_max_int(op->comm, &elements, 1);
    describe_task(op->tuning, elements);
    if (sedge_operator_is_requested(options))
        return sedge_comm_agree(op->comm, take_requested(op->tuning, options));
    const sedge_operator_options shared = operator_choice_options(op->comm, options);
    const sedge_status status = operator_choice_make(&op->tuning->choice, cache, &shared);
    clear_up(op->tuning);
    SEDGE_TRY(status);
    const int choice = agree_on_basis(op->tuning);
    SEDGE_TRY(sedge_comm_agree(op->comm, take_candidate_for_good(op->tuning, choice)));
    double spent = op->tuning->choice.spent;
    for (int f = 0; f < SEDGE_FAMILIES; f++) {
        family_tuning **const family = &op->tuning->family[f];
        SEDGE_TRY(family_tuning_make(family, (sedge_operator_family)f, op, cache, &shared, spent));
        if (*family != NULL) spent = family_tuning_get(*family)->spent;
    }
    op->tuning->seconds = sedge_clock() - began;
    return SEDGE_OK;
}

sedge_status sedge_operator_remembered(char (**names)[SEDGE_TUNE_NAME], int *count,
                                       const sedge_device *device, const sedge_cache *cache,
                                       const sedge_element *element, const sedge_problem *problem)
{
    const operator_target target = {sedge_device_get_info(device), problem, element};
    operator_choices choices;
    char name[SEDGE_CONFIG_NAME];
    char hash[SEDGE_HASH_TEXT];
    sedge_status status;
    int kept = 0;

    *names = NULL;
    *count = 0;
    operator_name(name, problem);
    SEDGE_TRY_GOTO(status, operator_choices_list(&choices, &target));
    SEDGE_TRY_GOTO(status, operator_forms_hash(hash, operator_forms, &target));
    SEDGE_TRY_GOTO(status, sedge_tune_remembered(names, count, device, cache, name, hash));
    for (int i = 0; i < *count; i++) {
        if (operator_choices_find(&choices, (*names)[i]) == NULL) continue;
        memmove((*names)[kept++], (*names)[i], SEDGE_TUNE_NAME);
    }
    *count = kept;
done:
    operator_choices_clear(&choices);
    return status;
}

// ---- what came of it ---------------------------------------------------------------------------

void sedge_operator_get_tuning(const sedge_operator *op, sedge_operator_tuning *out)
{
    const operator_tuning *const tuning = op->tuning;
    const operator_choice *const choice = &tuning->choice;

    memset(out, 0, sizeof *out);
    out->how = "request";
    if (choice->result == NULL) return;
    out->how =
        tuning->is_overruled ? "rule, for the other ranks' basis" : operator_choice_source(choice);
    out->seconds = tuning->seconds;
    out->compiled = choice->result->compiled;
    out->timed = operator_choice_timed(choice);
    if (!tuning->is_overruled) out->gain = operator_choice_gain(choice);
    double before = choice->spent;
    for (int f = 0; f < SEDGE_FAMILIES; f++) {
        if (tuning->family[f] == NULL) continue;
        const operator_choice *const own = family_tuning_get(tuning->family[f]);
        out->family[f] = (sedge_family_tuning){.variant = op->family_variant[f],
                                               .how = operator_choice_source(own),
                                               .seconds = own->spent - before,
                                               .timed = operator_choice_timed(own),
                                               .gain = operator_choice_gain(own)};
        out->compiled += own->result->compiled;
        before = own->spent;
    }
}

sedge_status sedge_operator_task(sedge_operator *op, const sedge_tune_task **out)
{
    operator_tuning *const tuning = op->tuning;

    operator_programs_free(op);
    operator_terms_clear(&op->terms);
    clear_up(tuning);
    tuning->layout = -1;
    describe_task(tuning, op->mesh->elements);
    operator_count(op, KERNEL_STAGE, &tuning->choice.task.bytes, &tuning->choice.task.flops);
    *out = &tuning->choice.task;
    return SEDGE_OK;
}

sedge_status sedge_operator_print_tuning(const sedge_operator *op, FILE *file)
{
    const operator_tuning *const tuning = op->tuning;

    if (tuning->choice.result == NULL) {
        (void)fprintf(file, "%s: %s, as requested\n", tuning->name, op->variant);
        return SEDGE_OK;
    }
    SEDGE_TRY(sedge_tune_print(file, &tuning->choice.task, tuning->choice.result));
    for (int f = 0; f < SEDGE_FAMILIES; f++) {
        if (tuning->family[f] == NULL) continue;
        const operator_choice *const own = family_tuning_get(tuning->family[f]);
        SEDGE_TRY(sedge_tune_print(file, &own->task, own->result));
    }
    return SEDGE_OK;
}
