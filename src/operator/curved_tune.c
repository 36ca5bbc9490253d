#include "operator/curved_tune.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "forms/covariant_products.h"
#include "forms/layouts.h"
#include "forms/program.h"
#include "forms/target.h"
#include "operator/curved.h"
#include "operator/fields.h"
#include "operator/parts.h"
#include "operator/program.h"
#include "operator/sample.h"
#include "operator/upload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Seconds of a stage in one curved element, more than any GPU takes (benchmarks/MEASUREMENTS.md).
#define MOST_SECONDS 1e-6

struct curved_tuning {
    sedge_operator *op;
    operator_sample *sample;      // NULL until something is timed
    operator_fields fields;       // to measure with
    const sedge_program *program; // with the kernels of `candidate`; NULL: none
    sedge_program *alone;         // the rule's, to find the budget; else NULL
    int candidate;
    operator_curved_config config[SEDGE_CURVED_CANDIDATES];
    char name[SEDGE_CONFIG_NAME];
    char size[SEDGE_CONFIG_NAME];
    char hash[SEDGE_HASH_TEXT];
    char names[SEDGE_CURVED_CANDIDATES][SEDGE_CONFIG_NAME];
    sedge_tune_candidate candidates[SEDGE_CURVED_CANDIDATES];
    const char *layout_name;
    operator_choice choice;
};

// ---- callbacks of the tuner --------------------------------------------------------------------

static sedge_status write_text(void *context, int candidate, sedge_text *text)
{
    const curved_tuning *const tuning = context;
    const operator_target target = operator_target_of(tuning->op);

    return operator_curved_write(text, &target, &tuning->op->layout, &tuning->config[candidate]);
}

// Fields, and what the kernels must make of them, when they are first needed.
static sedge_status need_sample(curved_tuning *tuning)
{
    sedge_operator *const op = tuning->op;

    if (tuning->sample != NULL) return SEDGE_OK;
    if (tuning->fields.residual == NULL) {
        SEDGE_TRY(operator_fields_create(&tuning->fields, op->device, operator_fields_bytes(op)));
    }
    SEDGE_TRY(operator_sample_create(&tuning->sample, op, true));
    return operator_sample_fill(tuning->sample, op, &tuning->fields);
}

// Make a candidate the operator's present configuration.
static sedge_status take_candidate(curved_tuning *tuning, int candidate,
                                   const sedge_program *program)
{
    if (candidate == tuning->candidate && program == tuning->program) return SEDGE_OK;
    SEDGE_TRY(need_sample(tuning));
    tuning->op->curved.config = tuning->config[candidate];
    SEDGE_TRY(operator_curved_find(tuning->op, program));
    tuning->candidate = candidate;
    tuning->program = program;
    return SEDGE_OK;
}

static sedge_status launch(void *context, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    curved_tuning *const tuning = context;

    SEDGE_TRY(take_candidate(tuning, candidate, program));
    return operator_sample_launch(tuning->sample, tuning->op, &tuning->fields, stream);
}

static sedge_status verify(void *context, int candidate, const sedge_program *program)
{
    curved_tuning *const tuning = context;

    SEDGE_TRY(take_candidate(tuning, candidate, program));
    return operator_sample_verify(tuning->sample, tuning->op, &tuning->fields);
}

// ---- what is chosen ----------------------------------------------------------------------------

// The rule's program without terms, as candidates are: the operator's own cannot be launched before
// its terms are there. Collective.
static sedge_status prepare_alone(curved_tuning *tuning, sedge_cache *cache)
{
    sedge_operator *const op = tuning->op;
    sedge_text *text = NULL;

    sedge_status status = sedge_text_create(&text);
    if (status == SEDGE_OK) status = write_text(tuning, 0, text);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    const sedge_program_text whole = {.name = tuning->name, .text = sedge_text_get(text)};
    SEDGE_TRY_GOTO(status, sedge_programs_create(&tuning->alone, NULL, op->comm, op->device, cache,
                                                 &whole, 1));
    status = sedge_comm_agree(op->comm, operator_curved_find(op, tuning->alone));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status prepare(void *context, sedge_cache *cache)
{
    curved_tuning *const tuning = context;
    sedge_operator *const op = tuning->op;
    const bool terms = operator_terms_staged(op->problem);

    // Without terms the operator's own: a run needs them, unless another candidate wins.
    SEDGE_TRY(terms ? prepare_alone(tuning, cache) : operator_programs_need(op, cache));
    return sedge_comm_agree(
        op->comm, operator_fields_create(&tuning->fields, op->device, operator_fields_bytes(op)));
}

static sedge_status run_rule(void *context, sedge_stream *stream)
{
    curved_tuning *const tuning = context;

    SEDGE_TRY(operator_predict_all_curved(tuning->op, &tuning->fields, stream, 0.0));
    return operator_run_all_curved(tuning->op, &tuning->fields, stream, &(sedge_stage){.dt = 0.0});
}

static void describe_candidates(curved_tuning *tuning, int count)
{
    for (int c = 0; c < count; c++) {
        const operator_curved_config *const config = &tuning->config[c];
        operator_curved_name(tuning->names[c], config);
        tuning->candidates[c] = (sedge_tune_candidate){
            .name = tuning->names[c],
            .threads = config->threads,
            .shared_bytes = config->scratch_bytes,
            .prior = 1.0 + c, // by their distance from the rule
            .fewer = true,    // by even and odd parts
            .number = {config->block, config->threads, config->resident, config->twos,
                       config->ahead, config->tile},
        };
    }
}

void curved_tuning_name(char name[SEDGE_CONFIG_NAME], const sedge_problem *problem)
{
    operator_name(name, problem);
    (void)strncat(name, "-curved", SEDGE_CONFIG_NAME - 1 - strlen(name));
}

// `elements` is the largest number of curved ones of a rank.
static void describe_task(curved_tuning *tuning, int count, int64_t elements)
{
    const sedge_operator *const op = tuning->op;
    const int media = sedge_problem_media(op->problem);
    double bytes, flops;

    describe_candidates(tuning, count);
    curved_tuning_name(tuning->name, op->problem);
    (void)snprintf(tuning->size, sizeof tuning->size, "2^%d curved elements, %d material%s",
                   (int)lround(log2((double)elements)), media, media == 1 ? "" : "s");
    tuning->layout_name = op->layout.name;
    operator_curved_count(op, &bytes, &flops);
    if (bytes < 4.0 * (double)sedge_device_get_info(op->device)->l2_bytes)
        bytes = 0.0; // from there
    if (operator_products_predict(op->problem, op->layout.basis))
        bytes = flops = 0.0; // the prediction's are not counted
    tuning->choice = (operator_choice){
        .op = tuning->op,
        .most = operator_terms_staged(op->problem) ? MOST_SECONDS * (double)elements
                                                   : 0.0, // a program is compiled for it alone
        .prepare = prepare,
        .run = run_rule,
        .task = {.name = tuning->name,
                 .size = tuning->size,
                 .source_hash = tuning->hash,
                 .layouts = 1,
                 .layout_names = &tuning->layout_name,
                 .operation = "stage of curved elements",
                 .bytes = bytes,
                 .flops = flops,
                 .count = count,
                 .candidates = tuning->candidates,
                 .idle = count == 1 || sedge_mesh_curved(op->mesh) == 0,
                 .context = tuning,
                 .text = write_text,
                 .launch = launch,
                 .verify = verify}};
}

static sedge_status make_task(curved_tuning *tuning, int *count,
                              const sedge_operator_options *options, int64_t elements)
{
    const sedge_operator *const op = tuning->op;
    const operator_target target = operator_target_of(op);

    SEDGE_TRY(operator_curved_list(tuning->config, count, &op->layout, target.info, target.problem,
                                   target.element));
    if (options->most_candidates > 0 && *count > options->most_candidates)
        *count = options->most_candidates;
    SEDGE_TRY(operator_curved_hash(tuning->hash, &target, &op->layout));
    describe_task(tuning, *count, elements);
    return SEDGE_OK;
}

// What only choosing needed.
static void clear_up(curved_tuning *tuning)
{
    operator_sample_free(tuning->sample);
    tuning->sample = NULL;
    tuning->program = NULL;
    operator_fields_clear(&tuning->fields);
    sedge_program_free(tuning->alone);
    tuning->alone = NULL;
    memset(tuning->op->launcher.launches, 0, sizeof tuning->op->launcher.launches);
}

static void take_for_good(curved_tuning *tuning, int candidate)
{
    sedge_operator *const op = tuning->op;

    if (candidate != 0) operator_programs_free(op); // they are the rule's, if any
    op->curved.config = tuning->config[candidate];
    memcpy(op->curved.variant, tuning->names[candidate], sizeof op->curved.variant);
}

sedge_status curved_tuning_make(curved_tuning **out, sedge_operator *op, sedge_cache *cache,
                                const sedge_operator_options *options, double spent)
{
    int64_t elements = sedge_mesh_curved(op->mesh);
    int count = 1;

    *out = NULL;
    sedge_comm_max_int(op->comm, &elements, 1);
    if (elements == 0 || !sedge_cubature_state_is_covariant(op->problem)) return SEDGE_OK;
    sedge_status status = sedge_allocate(out, 1, sizeof **out);
    if (status == SEDGE_OK) {
        (*out)->op = op;
        status = make_task(*out, &count, options, elements);
    }
    SEDGE_TRY(sedge_comm_agree(op->comm, status));
    int64_t most = count; // on a host there is but one
    sedge_comm_max_int(op->comm, &most, 1);
    if (most == 1) {
        curved_tuning_free(*out);
        *out = NULL;
        return SEDGE_OK;
    }
    (*out)->choice.spent = spent;
    status = operator_choice_make(&(*out)->choice, cache, options);
    clear_up(*out);
    SEDGE_TRY(status);
    take_for_good(*out, (*out)->choice.result->choice);
    return SEDGE_OK;
}

void curved_tuning_free(curved_tuning *tuning)
{
    if (tuning == NULL) return;
    clear_up(tuning);
    operator_choice_clear(&tuning->choice);
    sedge_release(tuning);
}

const operator_choice *curved_tuning_get(const curved_tuning *tuning)
{
    return &tuning->choice;
}

// ---- earlier choices ---------------------------------------------------------------------------

// Those of one layout behind `names` [*count], which are others.
static sedge_status add_remembered(char (**names)[SEDGE_TUNE_NAME], int *count,
                                   const sedge_device *device, const sedge_cache *cache,
                                   const operator_target *target, const operator_layout *layout)
{
    char name[SEDGE_CONFIG_NAME];
    char hash[SEDGE_HASH_TEXT];
    char(*more)[SEDGE_TUNE_NAME] = NULL;
    char(*all)[SEDGE_TUNE_NAME] = NULL;
    int found = 0;
    sedge_status status;

    curved_tuning_name(name, target->problem);
    SEDGE_TRY_GOTO(status, operator_curved_hash(hash, target, layout));
    SEDGE_TRY_GOTO(status, sedge_tune_remembered(&more, &found, device, cache, name, hash));
    SEDGE_TRY_GOTO(status, sedge_allocate(&all, (int64_t)*count + found, sizeof *all));
    if (*count > 0) memcpy(all, *names, (size_t)*count * sizeof *all);
    for (int i = 0; i < found; i++) {
        bool known = false;
        for (int k = 0; k < *count && !known; k++) known = strcmp(all[k], more[i]) == 0;
        if (!known) memcpy(all[(*count)++], more[i], sizeof *all);
    }
    sedge_release(*names);
    *names = all;
done:
    sedge_release(more);
    return status;
}

sedge_status sedge_operator_remembered_curved(char (**names)[SEDGE_TUNE_NAME], int *count,
                                              const sedge_device *device, const sedge_cache *cache,
                                              const sedge_element *element,
                                              const sedge_problem *problem)
{
    const operator_target target = {sedge_device_get_info(device), problem, element};
    operator_layout layouts[SEDGE_LAYOUTS];
    int layout_count;

    *names = NULL;
    *count = 0;
    if (!sedge_cubature_state_is_covariant(problem)) return SEDGE_OK;
    operator_layouts_list(layouts, &layout_count, &target);
    for (int i = 0; i < layout_count; i++)
        SEDGE_TRY(add_remembered(names, count, device, cache, &target, &layouts[i]));
    return SEDGE_OK;
}
