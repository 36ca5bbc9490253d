#include "operator/family_tune.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "forms/covariant_products.h"
#include "forms/layouts.h"
#include "forms/program.h"
#include "forms/target.h"
#include "operator/curved.h"
#include "operator/fields.h"
#include "operator/parts.h"
#include "operator/predictor.h"
#include "operator/predictor_kernels.h"
#include "operator/program.h"
#include "operator/sample.h"
#include "operator/upload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Seconds of a call in one element, more than any GPU takes (benchmarks/MEASUREMENTS.md).
#define MOST_SECONDS 1e-6

typedef union family_config {
    operator_curved_config curved;
    operator_series_config series;
} family_config;

// What the tuner needs to know of a family.
typedef struct family_row {
    const char *suffix;    // behind the problem's name, in the task's
    const char *elements;  // in the task's size
    const char *operation; // for the table
    operator_sample_kind sample;
    bool (*is_tuned)(const sedge_problem *problem);
    int64_t (*count_elements)(const sedge_operator *op); // of this rank that it works on
    // Candidates, the rule's first, then by their distance from it.
    sedge_status (*list)(family_config *list, int *count, const operator_layout *layout,
                         const operator_target *target);
    void (*describe)(char name[SEDGE_CONFIG_NAME], sedge_tune_candidate *candidate,
                     const family_config *config, const sedge_operator *op);
    // Compulsory bytes and nominal operations of a call; 0: not counted.
    void (*count_work)(const sedge_operator *op, double *bytes, double *flops);
    sedge_status (*write)(sedge_text *text, const operator_target *target,
                          const operator_layout *layout, const family_config *config);
    void (*take)(sedge_operator *op, const family_config *config);
    sedge_status (*find)(sedge_operator *op, const sedge_program *program); // its kernels
    sedge_status (*run)(sedge_operator *op, const operator_fields *fields, sedge_stream *stream);
} family_row;

struct family_tuning {
    sedge_operator *op;
    sedge_operator_family family;
    const family_row *row;
    operator_sample *sample;      // NULL until something is timed
    operator_fields fields;       // to measure with
    const sedge_program *program; // with the kernels of `candidate`; NULL: none
    sedge_program *alone;         // the rule's, to find the budget; else NULL
    int candidate;
    family_config config[SEDGE_FAMILY_CANDIDATES];
    char name[SEDGE_CONFIG_NAME];
    char size[SEDGE_CONFIG_NAME];
    char hash[SEDGE_HASH_TEXT];
    char names[SEDGE_FAMILY_CANDIDATES][SEDGE_CONFIG_NAME];
    sedge_tune_candidate candidates[SEDGE_FAMILY_CANDIDATES];
    const char *layout_name;
    operator_choice choice;
};

// ---- curved elements ---------------------------------------------------------------------------

static int64_t count_curved(const sedge_operator *op)
{
    return sedge_mesh_curved(op->mesh);
}

static sedge_status list_curved(family_config *list, int *count, const operator_layout *layout,
                                const operator_target *target)
{
    operator_curved_config configs[SEDGE_FAMILY_CANDIDATES];

    SEDGE_TRY(operator_curved_list(configs, count, layout, target->info, target->problem,
                                   target->element));
    for (int c = 0; c < *count; c++) list[c].curved = configs[c];
    return SEDGE_OK;
}

static void describe_curved(char name[SEDGE_CONFIG_NAME], sedge_tune_candidate *candidate,
                            const family_config *config, const sedge_operator *op)
{
    const operator_curved_config *const curved = &config->curved;

    (void)op;
    operator_curved_name(name, curved);
    *candidate = (sedge_tune_candidate){
        .threads = curved->threads,
        .shared_bytes = curved->scratch_bytes,
        .fewer = true, // by even and odd parts
        .number = {curved->block, curved->threads, curved->resident, curved->twos, curved->ahead,
                   curved->tile},
    };
}

static void count_curved_work(const sedge_operator *op, double *bytes, double *flops)
{
    operator_curved_count(op, bytes, flops);
    if (operator_products_predict(op->problem, op->layout.basis))
        *bytes = *flops = 0.0; // the prediction's are not counted
}

static sedge_status write_curved(sedge_text *text, const operator_target *target,
                                 const operator_layout *layout, const family_config *config)
{
    return operator_curved_write(text, target, layout, &config->curved);
}

static void take_curved(sedge_operator *op, const family_config *config)
{
    op->curved.config = config->curved;
}

static sedge_status run_curved(sedge_operator *op, const operator_fields *fields,
                               sedge_stream *stream)
{
    SEDGE_TRY(operator_predict_all_curved(op, fields, stream, 0.0));
    return operator_run_all_curved(op, fields, stream, &(sedge_stage){.dt = 0.0});
}

// ---- predictions -------------------------------------------------------------------------------

static bool has_prediction(const sedge_problem *problem)
{
    return problem->integrator->predictor;
}

static sedge_status list_series(family_config *list, int *count, const operator_layout *layout,
                                const operator_target *target)
{
    operator_series_config configs[SEDGE_FAMILY_CANDIDATES];

    *count = operator_series_list(configs, layout, target);
    for (int c = 0; c < *count; c++) list[c].series = configs[c];
    return SEDGE_OK;
}

static void describe_series(char name[SEDGE_CONFIG_NAME], sedge_tune_candidate *candidate,
                            const family_config *config, const sedge_operator *op)
{
    const operator_series_config *const series = &config->series;

    operator_series_name(name, series);
    *candidate = (sedge_tune_candidate){
        .threads = series->threads,
        .shared_bytes = series->scratch_words * op->layout.real_bytes * op->layout.lanes,
        .number = {series->block, series->parts, series->folds, series->ahead, series->resident},
    };
}

static void count_series_work(const sedge_operator *op, double *bytes, double *flops)
{
    *bytes = operator_series_bytes(op);
    *flops = 0.0;
}

static sedge_status write_series(sedge_text *text, const operator_target *target,
                                 const operator_layout *layout, const family_config *config)
{
    return operator_series_program(text, target, layout, &config->series);
}

static void take_series(sedge_operator *op, const family_config *config)
{
    op->predictor.series = config->series;
}

static sedge_status run_series(sedge_operator *op, const operator_fields *fields,
                               sedge_stream *stream)
{
    return operator_predict_all_series(op, fields, stream, false, 0.0);
}

// ---- families ----------------------------------------------------------------------------------

static const family_row rows[SEDGE_FAMILIES] = {
    [SEDGE_FAMILY_CURVED] = {.suffix = "-curved",
                             .elements = "curved elements",
                             .operation = "stage of curved elements",
                             .sample = OPERATOR_SAMPLE_CURVED,
                             .is_tuned = sedge_cubature_state_is_covariant,
                             .count_elements = count_curved,
                             .list = list_curved,
                             .describe = describe_curved,
                             .count_work = count_curved_work,
                             .write = write_curved,
                             .take = take_curved,
                             .find = operator_curved_find,
                             .run = run_curved},
    [SEDGE_FAMILY_PREDICTION] = {.suffix = "-prediction",
                                 .elements = "predicted elements",
                                 .operation = "prediction",
                                 .sample = OPERATOR_SAMPLE_PREDICTION,
                                 .is_tuned = has_prediction,
                                 .count_elements = operator_series_elements,
                                 .list = list_series,
                                 .describe = describe_series,
                                 .count_work = count_series_work,
                                 .write = write_series,
                                 .take = take_series,
                                 .find = operator_series_find,
                                 .run = run_series},
};

// ---- callbacks of the tuner --------------------------------------------------------------------

static sedge_status write_text(void *context, int candidate, sedge_text *text)
{
    const family_tuning *const tuning = context;
    const operator_target target = operator_target_of(tuning->op);

    return tuning->row->write(text, &target, &tuning->op->layout, &tuning->config[candidate]);
}

// Fields, and what the kernels must make of them, when they are first needed.
static sedge_status need_sample(family_tuning *tuning)
{
    sedge_operator *const op = tuning->op;

    if (tuning->sample != NULL) return SEDGE_OK;
    if (tuning->fields.residual == NULL) {
        SEDGE_TRY(operator_fields_create(&tuning->fields, op->device, operator_fields_bytes(op)));
    }
    SEDGE_TRY(operator_sample_create(&tuning->sample, op, tuning->row->sample));
    return operator_sample_fill(tuning->sample, op, &tuning->fields);
}

// Make a candidate the operator's present configuration.
static sedge_status take_candidate(family_tuning *tuning, int candidate,
                                   const sedge_program *program)
{
    if (candidate == tuning->candidate && program == tuning->program) return SEDGE_OK;
    SEDGE_TRY(need_sample(tuning));
    tuning->row->take(tuning->op, &tuning->config[candidate]);
    SEDGE_TRY(tuning->row->find(tuning->op, program));
    tuning->candidate = candidate;
    tuning->program = program;
    return SEDGE_OK;
}

static sedge_status launch(void *context, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    family_tuning *const tuning = context;

    SEDGE_TRY(take_candidate(tuning, candidate, program));
    return operator_sample_launch(tuning->sample, tuning->op, &tuning->fields, stream);
}

static sedge_status verify(void *context, int candidate, const sedge_program *program)
{
    family_tuning *const tuning = context;

    SEDGE_TRY(take_candidate(tuning, candidate, program));
    return operator_sample_verify(tuning->sample, tuning->op, &tuning->fields);
}

// ---- what is chosen ----------------------------------------------------------------------------

// Is the rule's program compiled alone, to find the budget? With terms the operator's own cannot be
// launched before its terms are there. The prediction's is small, and the tuner compiles it anyway.
static bool is_alone(const family_tuning *tuning)
{
    return operator_terms_staged(tuning->op->problem) || tuning->family == SEDGE_FAMILY_PREDICTION;
}

// The rule's program without terms, as candidates are. Collective.
static sedge_status prepare_alone(family_tuning *tuning, sedge_cache *cache)
{
    sedge_operator *const op = tuning->op;
    sedge_text *text = NULL;

    sedge_status status = sedge_text_create(&text);
    if (status == SEDGE_OK) status = write_text(tuning, 0, text);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    const sedge_program_text whole = {.name = tuning->name, .text = sedge_text_get(text)};
    SEDGE_TRY_GOTO(status, sedge_programs_create(&tuning->alone, NULL, op->comm, op->device, cache,
                                                 &whole, 1));
    status = sedge_comm_agree(op->comm, tuning->row->find(op, tuning->alone));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status prepare(void *context, sedge_cache *cache)
{
    family_tuning *const tuning = context;
    sedge_operator *const op = tuning->op;

    // The operator's own: a run needs them, unless another candidate wins.
    SEDGE_TRY(is_alone(tuning) ? prepare_alone(tuning, cache) : operator_programs_need(op, cache));
    return sedge_comm_agree(
        op->comm, operator_fields_create(&tuning->fields, op->device, operator_fields_bytes(op)));
}

static sedge_status run_rule(void *context, sedge_stream *stream)
{
    family_tuning *const tuning = context;

    return tuning->row->run(tuning->op, &tuning->fields, stream);
}

static void describe_candidates(family_tuning *tuning, int count)
{
    for (int c = 0; c < count; c++) {
        tuning->row->describe(tuning->names[c], &tuning->candidates[c], &tuning->config[c],
                              tuning->op);
        tuning->candidates[c].name = tuning->names[c];
        tuning->candidates[c].prior = 1.0 + c; // by their distance from the rule
    }
}

static void make_name(char name[SEDGE_CONFIG_NAME], const family_row *row,
                      const sedge_problem *problem)
{
    operator_name(name, problem);
    (void)strncat(name, row->suffix, SEDGE_CONFIG_NAME - 1 - strlen(name));
}

// `elements` is the largest number of a rank.
static void describe_task(family_tuning *tuning, int count, int64_t elements)
{
    const sedge_operator *const op = tuning->op;
    const family_row *const row = tuning->row;
    const int media = sedge_problem_media(op->problem);
    double bytes, flops;

    describe_candidates(tuning, count);
    make_name(tuning->name, row, op->problem);
    (void)snprintf(tuning->size, sizeof tuning->size, "2^%d %s, %d material%s",
                   (int)lround(log2((double)elements)), row->elements, media,
                   media == 1 ? "" : "s");
    tuning->layout_name = op->layout.name;
    row->count_work(op, &bytes, &flops);
    if (bytes < 4.0 * (double)sedge_device_get_info(op->device)->l2_bytes)
        bytes = 0.0; // from there
    tuning->choice =
        (operator_choice){.op = tuning->op,
                          .most = is_alone(tuning) ? MOST_SECONDS * (double)elements : 0.0,
                          .prepare = prepare,
                          .run = run_rule,
                          .task = {.name = tuning->name,
                                   .size = tuning->size,
                                   .source_hash = tuning->hash,
                                   .layouts = 1,
                                   .layout_names = &tuning->layout_name,
                                   .operation = row->operation,
                                   .bytes = bytes,
                                   .flops = flops,
                                   .count = count,
                                   .candidates = tuning->candidates,
                                   .idle = count == 1 || row->count_elements(op) == 0,
                                   .context = tuning,
                                   .text = write_text,
                                   .launch = launch,
                                   .verify = verify}};
}

static sedge_status make_task(family_tuning *tuning, int *count,
                              const sedge_operator_options *options, int64_t elements)
{
    const operator_target target = operator_target_of(tuning->op);

    SEDGE_TRY(tuning->row->list(tuning->config, count, &tuning->op->layout, &target));
    if (options->most_candidates > 0 && *count > options->most_candidates)
        *count = options->most_candidates;
    SEDGE_TRY(operator_family_hash(tuning->hash, tuning->family, &target, &tuning->op->layout));
    describe_task(tuning, *count, elements);
    return SEDGE_OK;
}

// What only choosing needed.
static void clear_up(family_tuning *tuning)
{
    operator_sample_free(tuning->sample);
    tuning->sample = NULL;
    tuning->program = NULL;
    operator_fields_clear(&tuning->fields);
    sedge_program_free(tuning->alone);
    tuning->alone = NULL;
    memset(tuning->op->launcher.launches, 0, sizeof tuning->op->launcher.launches);
}

static void take_for_good(family_tuning *tuning, int candidate)
{
    sedge_operator *const op = tuning->op;

    if (candidate != 0) operator_programs_free(op); // they are the rule's, if any
    tuning->row->take(op, &tuning->config[candidate]);
    memcpy(op->family_variant[tuning->family], tuning->names[candidate], SEDGE_CONFIG_NAME);
}

sedge_status family_tuning_make(family_tuning **out, sedge_operator_family family,
                                sedge_operator *op, sedge_cache *cache,
                                const sedge_operator_options *options, double spent)
{
    const family_row *const row = &rows[family];
    int count = 1;

    *out = NULL;
    if (!row->is_tuned(op->problem)) return SEDGE_OK;
    int64_t elements = row->count_elements(op);
    sedge_comm_max_int(op->comm, &elements, 1);
    if (elements == 0) return SEDGE_OK;
    sedge_status status = sedge_allocate(out, 1, sizeof **out);
    if (status == SEDGE_OK) {
        (*out)->op = op;
        (*out)->family = family;
        (*out)->row = row;
        status = make_task(*out, &count, options, elements);
    }
    SEDGE_TRY(sedge_comm_agree(op->comm, status));
    int64_t most = count; // on a host there is but one
    sedge_comm_max_int(op->comm, &most, 1);
    if (most == 1) {
        family_tuning_free(*out);
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

void family_tuning_free(family_tuning *tuning)
{
    if (tuning == NULL) return;
    clear_up(tuning);
    operator_choice_clear(&tuning->choice);
    sedge_release(tuning);
}

const operator_choice *family_tuning_get(const family_tuning *tuning)
{
    return &tuning->choice;
}

// ---- earlier choices ---------------------------------------------------------------------------

// Those of one layout behind `names` [*count], which are others.
static sedge_status add_remembered(char (**names)[SEDGE_TUNE_NAME], int *count,
                                   sedge_operator_family family, const sedge_device *device,
                                   const sedge_cache *cache, const operator_target *target,
                                   const operator_layout *layout)
{
    char name[SEDGE_CONFIG_NAME];
    char hash[SEDGE_HASH_TEXT];
    char(*more)[SEDGE_TUNE_NAME] = NULL;
    char(*all)[SEDGE_TUNE_NAME] = NULL;
    int found = 0;
    sedge_status status;

    make_name(name, &rows[family], target->problem);
    SEDGE_TRY_GOTO(status, operator_family_hash(hash, family, target, layout));
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

sedge_status sedge_operator_remembered_family(char (**names)[SEDGE_TUNE_NAME], int *count,
                                              sedge_operator_family family,
                                              const sedge_device *device, const sedge_cache *cache,
                                              const sedge_element *element,
                                              const sedge_problem *problem)
{
    const operator_target target = {sedge_device_get_info(device), problem, element};
    operator_layout layouts[SEDGE_LAYOUTS];
    int layout_count;

    *names = NULL;
    *count = 0;
    if (!rows[family].is_tuned(problem)) return SEDGE_OK;
    operator_layouts_list(layouts, &layout_count, &target);
    for (int i = 0; i < layout_count; i++)
        SEDGE_TRY(add_remembered(names, count, family, device, cache, &target, &layouts[i]));
    return SEDGE_OK;
}
