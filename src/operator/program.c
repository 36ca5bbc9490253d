#include "operator/program.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/exponential.h"
#include "dg/predictor.h"
#include "dg/response.h"
#include "forms/candidates.h"
#include "forms/constants.h"
#include "forms/covariant_products.h"
#include "forms/form.h"
#include "forms/program.h"
#include "forms/request.h"
#include "forms/target.h"
#include "operator/covariant.h"
#include "operator/curved.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/predictor_kernels.h"
#include "operator/step_traces.h"
#include "operator/terms.h"

#include <stdio.h>
#include <string.h>

// The programs of a problem. PROGRAM_COMMON has the kernels of dg_sent.h, dg_monitor.h and
// dg_predictor.h.
enum { PROGRAM_STAGE, PROGRAM_OTHERS, PROGRAM_COMMON, PROGRAM_TERMS };

static const struct {
    const char *name;
    int program;
} kernel_rows[KERNELS] = {
    [KERNEL_STAGE] = {"sedge_stage", PROGRAM_STAGE},
    [KERNEL_PACK] = {"sedge_collect", PROGRAM_COMMON},
    [KERNEL_BOUNDARY] = {"sedge_boundary", PROGRAM_OTHERS},
    [KERNEL_POINT] = {"sedge_point_source", PROGRAM_COMMON},
    [KERNEL_CLOCK] = {"sedge_clock", PROGRAM_COMMON},
    [KERNEL_ENERGY] = {"sedge_energy", PROGRAM_COMMON},
    [KERNEL_ENERGY_SUM] = {"sedge_energy_sum", PROGRAM_COMMON},
    [KERNEL_PROBE] = {"sedge_probe", PROGRAM_COMMON},
    [KERNEL_SNAPSHOT] = {"sedge_snapshot", PROGRAM_COMMON},
    [KERNEL_CURVED] = {"sedge_curved", PROGRAM_OTHERS},
    [KERNEL_CURVED_ENERGY] = {"sedge_curved_energy", PROGRAM_OTHERS},
    [KERNEL_MEMORY_ENERGY] = {"sedge_memory_energy", PROGRAM_OTHERS},
    [KERNEL_FACE_ENERGY] = {"sedge_face_energy", PROGRAM_OTHERS},
    [KERNEL_CURVED_MEMORY_ENERGY] = {"sedge_curved_memory_energy", PROGRAM_OTHERS},
    [KERNEL_SEAMS] = {"sedge_seams", PROGRAM_OTHERS},
    [KERNEL_PREDICT_CURVED] = {"sedge_curved_predict", PROGRAM_OTHERS},
    [KERNEL_EXPONENTIAL] = {"sedge_exponential", PROGRAM_OTHERS},
    [KERNEL_EXPONENTIAL_STEP] = {"sedge_exponential_step", PROGRAM_OTHERS},
    [KERNEL_PREDICT] = {"sedge_predict", PROGRAM_OTHERS},
    [KERNEL_PREDICT_TERMS] = {"sedge_predict_terms", PROGRAM_OTHERS},
    [KERNEL_PREDICT_NODES] = {"sedge_predict_nodes", PROGRAM_OTHERS},
    [KERNEL_PREDICT_POINT] = {"sedge_predict_point", PROGRAM_COMMON},
    [KERNEL_PREDICT_POINT_MEMORY] = {"sedge_predict_point_memory", PROGRAM_COMMON},
    [KERNEL_COPY_STATES] = {"sedge_copy_states", PROGRAM_COMMON},
    [KERNEL_DAMP_CURVED] = {"sedge_damp_curved", PROGRAM_COMMON},
    [KERNEL_TAKE_TRACES] = {"sedge_take_traces", PROGRAM_COMMON},
    [KERNEL_STEP_TRACES] = {"sedge_step_traces", PROGRAM_COMMON},
    [KERNEL_PACK_TRACES] = {"sedge_pack_traces", PROGRAM_COMMON},
    [KERNEL_TWO_SIDED] = {"sedge_two_sided", PROGRAM_OTHERS},
    [KERNEL_STAGE_TERMS] = {"sedge_stage_terms", PROGRAM_TERMS},
};

const char *operator_kernel_name(operator_kernel kernel)
{
    return kernel_rows[kernel].name;
}

operator_target operator_target_of(const sedge_operator *op)
{
    return (operator_target){sedge_device_get_info(op->device), op->problem, op->element};
}

operator_request operator_request_of(const sedge_operator_options *options)
{
    return (operator_request){.variant = options->variant,
                              .config = options->config,
                              .numbers = {.block_elements = options->block_elements,
                                          .item_nodes = options->item_nodes,
                                          .lift_nodes = options->lift_nodes,
                                          .item_fields = options->item_fields}};
}

bool sedge_operator_is_requested(const sedge_operator_options *options)
{
    const operator_request request = operator_request_of(options);

    return operator_request_is_given(&request);
}

// Whether coefficients may stand for u in all conditions: they are linear and the same on all of a
// face.
static bool has_linear_faces(const sedge_problem *problem)
{
    bool linear = problem->incident_count == 0 && problem->surface_source_count == 0;

    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        linear = linear && (kind == NULL || kind->linear);
    }
    return linear;
}

// Whether conditions get nodal values. Where the state of curved elements is covariant they need
// fields, which change along the face.
static bool converts_faces(const operator_layout *layout, const sedge_problem *problem)
{
    return layout->basis != SEDGE_NODAL &&
           (!has_linear_faces(problem) || sedge_cubature_state_is_covariant(problem));
}

// ---- the programs of all other kernels ---------------------------------------------------------

// The headers of kinds that bring their own, each once.
static int list_headers(sedge_source *sources, int room, const sedge_problem *problem)
{
    int count = 0;

    for (int i = 0; i < problem->surfaces && count < room; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        bool known = kind == NULL || kind->header == NULL;
        for (int k = 0; k < count && !known; k++) known = sources[k].text == kind->header_text;
        if (!known) sources[count++] = (sedge_source){kind->header, kind->header_text};
    }
    return count;
}

// Do kernels of this program call the terms: those of curved elements, or the prediction?
static bool has_terms_here(const sedge_problem *problem)
{
    return problem->curved || problem->integrator->predictor;
}

#define CURVED_SOURCES 7

// Those of the stage in curved elements and of the prediction that shares its configuration.
static int list_curved(sedge_source *sources, const sedge_text *products,
                       const sedge_problem *problem)
{
    const bool covariant = sedge_cubature_state_is_covariant(problem);
    int count = 0;

    sources[count++].name = "codegen/kernels/dg/curved/dg_curve.h";
    sources[count++].name = "codegen/kernels/dg/dg_bulk.h";
    sources[count++].name = "codegen/kernels/dg/curved/dg_curved_parts.h";
    if (!sedge_cubature_is_covariant(problem)) {
        sources[count++].name = "codegen/kernels/dg/curved/dg_curved.h";
        return count;
    }
    sources[count++].name = "codegen/kernels/dg/curved/dg_covariant_parts.h";
    if (sedge_text_get(products)[0] != '\0')
        sources[count++] = (sedge_source){"covariant_products.h", sedge_text_get(products)};
    sources[count++].name = covariant ? "codegen/kernels/dg/curved/dg_covariant_state.h"
                                      : "codegen/kernels/dg/curved/dg_covariant.h";
    if (covariant) sources[count++].name = "codegen/kernels/dg/curved/dg_covariant_predict.h";
    return count;
}

// Their number; `sources` has room for them. `terms` are those of such kernels, `series` the code
// of the prediction's sums, `products` that of curved elements' products, or empty.
static int list_sources(sedge_source *sources, const operator_terms_text *terms,
                        const sedge_text *series, const sedge_text *products,
                        const sedge_problem *problem)
{
    int count = list_headers(sources, SEDGE_MAX_KINDS, problem);

    const int headers = count;
    for (int i = 0; i < terms->count && has_terms_here(problem); i++) {
        bool known = false; // a face kind and a term kind may share a header
        for (int k = 0; k < headers && !known; k++)
            known = sources[k].text != NULL && sources[k].text == terms->sources[i].text;
        if (!known) sources[count++] = terms->sources[i];
    }
    if (sedge_problem_face_memory(problem) > 0)
        sources[count++].name = "codegen/kernels/dg/dg_face_memory.h";
    sources[count++].name = "codegen/kernels/dg/dg_points.h";
    sources[count++].name = "codegen/kernels/dg/dg_frames.h";
    sources[count++].name = "codegen/kernels/dg/dg_trace.h";
    if (problem->curved) {
        count += list_curved(sources + count, products, problem);
        if (sedge_cubature_state_is_covariant(problem))
            sources[count++].name = "codegen/kernels/dg/curved/dg_seams.h";
        sources[count++].name = "codegen/kernels/dg/curved/dg_curved_energy.h";
    } else if (problem->integrator->predictor) {
        sources[count++].name = "codegen/kernels/dg/dg_bulk.h";
    }
    if (problem->integrator->predictor) {
        sources[count++].name = "codegen/kernels/dg/dg_lower.h";
        sources[count++] = (sedge_source){"series_products.h", sedge_text_get(series)};
        sources[count++].name = "codegen/kernels/dg/dg_series.h";
        sources[count++].name = "codegen/kernels/dg/terms/dg_predict.h";
        if (sedge_problem_varies(problem, -1))
            sources[count++].name = "codegen/kernels/dg/terms/dg_predict_nodes.h";
    }
    if (sedge_problem_slows(problem)) {
        sources[count++].name = "codegen/kernels/dg/terms/dg_exponential_step.h";
    } else if (sedge_problem_exponential(problem)) {
        sources[count++].name = "codegen/kernels/dg/terms/dg_exponential.h";
    }
    if (operator_terms_store_energy(problem))
        sources[count++].name = "codegen/kernels/dg/terms/dg_memory_energy.h";
    if (sedge_problem_stores_face_energy(problem))
        sources[count++].name = "codegen/kernels/dg/dg_face_energy.h";
    if (sedge_problem_is_two_sided(problem))
        sources[count++].name = "codegen/kernels/dg/dg_two_sided.h";
    return count;
}

// The configurations of families; NULL: the rule's.
typedef struct family_configs {
    const operator_curved_config *curved;
    const operator_series_config *series;
} family_configs;

// The most numbers of y that an exponential term has.
static int find_exponential_size(const sedge_problem *problem)
{
    int most = 0;

    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (term->exponential && sedge_exponential_size(term) > most)
            most = sedge_exponential_size(term);
    }
    return most;
}

static sedge_status write_constants(sedge_text *text, const operator_target *target,
                                    const operator_layout *layout, family_configs families)
{
    const operator_curved_config *curved = families.curved;
    operator_curved_config rule;
    const operator_energy_shape energy = operator_energy_choose(target);
    const operator_constant rows[] = {
        {"STAGE", 0},
        {"TENSOR", 0},
        {"CONVERT_FACES", converts_faces(layout, target->problem)},
        {"LINEAR_FACES", has_linear_faces(target->problem)},
        {"SENT_THREADS", operator_sent_threads(target->info)},
        {"ENERGY_TILE", energy.tile},
        {"ENERGY_ROWS", energy.rows},
        {"ENERGY_EACH", energy.each},
    };

    SEDGE_TRY(operator_constants_write(text, rows, sizeof rows / sizeof rows[0]));
    SEDGE_TRY(operator_predictor_constants(text, layout, target, families.series));
    if (sedge_response_multiplies(target->problem))
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_ENERGY_MATRIX 1\n"));
    if (sedge_cubature_state_is_covariant(target->problem))
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_COVARIANT_STATE 1\n"));
    if (sedge_problem_turns(target->problem))
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_TURNS 1\n"));
    if (sedge_problem_exponential(target->problem)) {
        const operator_constant exponential[] = {
            {"EXPONENTIAL_SIZE", find_exponential_size(target->problem)},
            {"SLOWS", sedge_problem_slows(target->problem)}};
        SEDGE_TRY(operator_constants_write(text, exponential, 2));
    }
    if (!target->problem->curved) return SEDGE_OK;
    if (curved == NULL) {
        SEDGE_TRY(
            operator_curved_choose(&rule, layout, target->info, target->problem, target->element));
        curved = &rule;
    }
    const bool predicts = operator_products_predict(target->problem, layout->basis);
    const operator_constant curved_rows[] = {
        {"CURVED_POINTS", curved->points},    {"CURVED_FACE_POINTS", curved->face_points},
        {"CURVED_CHUNK", curved->chunk},      {"CURVED_BLOCK", curved->block},
        {"CURVED_THREADS", curved->threads},  {"CURVED_SCRATCH", curved->scratch_words},
        {"CURVED_TILE", curved->tile},        {"CURVED_COEFFICIENTS", layout->basis != SEDGE_NODAL},
        {"CURVED_ROWS", curved->rows},        {"CURVED_RESIDENT", curved->resident},
        {"CURVED_AHEAD", curved->ahead},      {"CURVED_TWOS", curved->twos},
        {"CURVED_CODED", curved->coded},      {"CURVED_IN_PLACE", curved->in_place},
        {"CURVED_PREDICTS", predicts},        {"POINT_ORBITS", curved->orbits[0]},
        {"NODE_ORBITS", curved->orbits[1]},   {"LOWER_ORBITS", curved->orbits[2]},
        {"COLUMN_ROWS", curved->column_rows}, {"COLUMN_STRIDE", curved->column_stride},
        {"TARGET_ROWS", curved->target_rows}, {"TARGET_STRIDE", curved->target_stride},
    };
    return operator_constants_write(text, curved_rows, sizeof curved_rows / sizeof curved_rows[0]);
}

// The products of curved elements as code, where they are; else nothing.
static sedge_status write_products(sedge_text *text, const operator_target *target,
                                   const operator_layout *layout,
                                   const operator_curved_config *curved)
{
    if (!target->problem->curved || curved == NULL || curved->coded == 0) return SEDGE_OK;
    return operator_products_write(text, target->problem, target->element, layout->basis);
}

// It knows the stage's types and needs none of its numbers: the configuration is the same one for
// all, so that the source is. So it is in write_common.
static sedge_status write_others(sedge_text *text, char name[SEDGE_OPERATOR_NAME],
                                 const operator_target *target, const operator_layout *layout,
                                 const operator_terms_text *terms, family_configs families)
{
    sedge_source *sources = NULL;
    sedge_text *constants = NULL;
    sedge_text *series = NULL;
    sedge_text *products = NULL;
    char problem_name[SEDGE_CONFIG_NAME];
    operator_config any;
    sedge_status status;

    operator_name(problem_name, target->problem);
    (void)snprintf(name, SEDGE_OPERATOR_NAME, "%s-others", problem_name);
    operator_config_choose_form(&any, operator_form_of_basis(layout->basis), layout, target);
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&sources, SEDGE_MAX_KINDS + 23 + terms->count, sizeof *sources));
    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status, sedge_text_create(&series));
    SEDGE_TRY_GOTO(status, sedge_text_create(&products));
    SEDGE_TRY_GOTO(status, write_constants(constants, target, layout, families));
    SEDGE_TRY_GOTO(status, operator_predictor_write(series, layout, target, families.series, true));
    SEDGE_TRY_GOTO(status, write_products(products, target, layout, families.curved));
    if (has_terms_here(target->problem))
        SEDGE_TRY_GOTO(status, sedge_text_add(constants, "%s", sedge_text_get(terms->constants)));
    status =
        operator_program_write(text, name, target, layout, &any, constants, true, sources,
                               list_sources(sources, terms, series, products, target->problem));
done:
    sedge_release(sources);
    sedge_text_free(products);
    sedge_text_free(series);
    sedge_text_free(constants);
    return status;
}

// What happens to a state whatever its materials and conditions are.
static sedge_status write_common(sedge_text *text, char name[SEDGE_OPERATOR_NAME],
                                 const operator_target *target, const operator_layout *layout)
{
    const sedge_problem *const problem = target->problem;
    sedge_text *constants = NULL;
    sedge_source sources[5] = {{NULL, NULL}};
    char problem_name[SEDGE_CONFIG_NAME];
    operator_config any;
    sedge_status status;
    int count = 0;

    operator_name(problem_name, problem);
    (void)snprintf(name, SEDGE_OPERATOR_NAME, "%s-common", problem_name);
    operator_config_choose_form(&any, operator_form_of_basis(layout->basis), layout, target);
    sources[count++].name = "codegen/kernels/dg/dg_points.h";
    sources[count++].name = "codegen/kernels/dg/dg_sent.h";
    if (sedge_cubature_state_is_covariant(problem))
        sources[count++].name = "codegen/kernels/dg/curved/dg_curve.h";
    sources[count++].name = "codegen/kernels/dg/dg_monitor.h";
    if (problem->integrator->predictor) sources[count++].name = "codegen/kernels/dg/dg_predictor.h";
    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status,
                   write_constants(constants, target, layout, (family_configs){NULL, NULL}));
    status =
        operator_program_write(text, name, target, layout, &any, constants, false, sources, count);
done:
    sedge_text_free(constants);
    return status;
}

// ---- a family alone ----------------------------------------------------------------------------

// What the program is made of: without terms, which the program of a run has, too. Conditions are
// in other kernels where the state is covariant, and predictions have none.
typedef struct family_parts {
    sedge_problem problem; // without surfaces
    operator_target target;
    operator_config any;
    sedge_text *constants, *written;
    sedge_source sources[3 + CURVED_SOURCES];
    int count;
} family_parts;

// One of `families` is there, the other is NULL.
static sedge_status make_parts(family_parts *parts, const operator_target *target,
                               const operator_layout *layout, family_configs families)
{
    *parts = (family_parts){.problem = *target->problem, .target = *target};
    parts->problem.surfaces = 0;
    parts->target.problem = &parts->problem;
    operator_config_choose_form(&parts->any, operator_form_of_basis(layout->basis), layout,
                                &parts->target);
    SEDGE_TRY(sedge_text_create(&parts->constants));
    SEDGE_TRY(sedge_text_create(&parts->written));
    SEDGE_TRY(write_constants(parts->constants, &parts->target, layout, families));
    if (families.series != NULL) {
        SEDGE_TRY(operator_predictor_write(parts->written, layout, &parts->target, families.series,
                                           false));
        parts->sources[parts->count++].name = "codegen/kernels/dg/dg_bulk.h";
        parts->sources[parts->count++].name = "codegen/kernels/dg/dg_lower.h";
        parts->sources[parts->count++] =
            (sedge_source){"series_products.h", sedge_text_get(parts->written)};
        parts->sources[parts->count++].name = "codegen/kernels/dg/dg_series.h";
        return SEDGE_OK;
    }
    SEDGE_TRY(write_products(parts->written, &parts->target, layout, families.curved));
    parts->sources[parts->count++].name = "codegen/kernels/dg/dg_points.h";
    parts->sources[parts->count++].name = "codegen/kernels/dg/dg_frames.h";
    parts->sources[parts->count++].name = "codegen/kernels/dg/dg_trace.h";
    parts->count += list_curved(parts->sources + parts->count, parts->written, &parts->problem);
    return SEDGE_OK;
}

static void clear_parts(family_parts *parts)
{
    sedge_text_free(parts->constants);
    sedge_text_free(parts->written);
}

static sedge_status write_family(sedge_text *text, const char *name, const operator_target *target,
                                 const operator_layout *layout, family_configs families)
{
    family_parts parts;
    sedge_status status;

    SEDGE_TRY_GOTO(status, make_parts(&parts, target, layout, families));
    status = operator_program_write(text, name, &parts.target, layout, &parts.any, parts.constants,
                                    true, parts.sources, parts.count);
done:
    clear_parts(&parts);
    return status;
}

sedge_status operator_curved_write(sedge_text *text, const operator_target *target,
                                   const operator_layout *layout,
                                   const operator_curved_config *curved)
{
    return write_family(text, "curved", target, layout, (family_configs){.curved = curved});
}

sedge_status operator_series_program(sedge_text *text, const operator_target *target,
                                     const operator_layout *layout,
                                     const operator_series_config *series)
{
    return write_family(text, "prediction", target, layout, (family_configs){.series = series});
}

sedge_status operator_family_hash(char hash[SEDGE_HASH_TEXT], sedge_operator_family family,
                                  const operator_target *target, const operator_layout *layout)
{
    const sedge_device_info info = operator_nominal_device(target->info);
    const operator_target nominal = {&info, target->problem, target->element};
    const bool is_curved = family == SEDGE_FAMILY_CURVED;
    operator_curved_config curved;
    operator_series_config series;
    family_parts parts = {.count = 0};
    sedge_status status;

    if (is_curved) {
        SEDGE_TRY_GOTO(status, operator_curved_choose(&curved, layout, &info, target->problem,
                                                      target->element));
    } else {
        operator_series_choose(&series, layout, &nominal);
    }
    SEDGE_TRY_GOTO(status, make_parts(&parts, &nominal, layout,
                                      (family_configs){is_curved ? &curved : NULL,
                                                       is_curved ? NULL : &series}));
    // With terms other candidates are possible.
    SEDGE_TRY_GOTO(status, sedge_text_add(parts.constants, "#define SEDGE_TERMS_STAGED %d\n",
                                          operator_terms_staged(target->problem)));
    status = operator_program_hash(hash, &parts.target, layout, &parts.any, parts.constants,
                                   parts.sources, parts.count);
done:
    clear_parts(&parts);
    return status;
}

// All programs; the last source stays empty where no stage has terms. `curved` is not read where
// nothing is curved.
static sedge_status write_all(sedge_text *const text[SEDGE_OPERATOR_PROGRAMS],
                              char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME],
                              const operator_target *target, const operator_layout *layout,
                              const operator_config *config, family_configs families)
{
    operator_terms_text terms;
    sedge_status status;

    name[PROGRAM_TERMS][0] = '\0';
    SEDGE_TRY_GOTO(status, operator_terms_text_create(&terms, target->problem));
    SEDGE_TRY_GOTO(status, operator_stage_write(text[PROGRAM_STAGE], name[PROGRAM_STAGE], target,
                                                layout, config, NULL));
    SEDGE_TRY_GOTO(status, write_others(text[PROGRAM_OTHERS], name[PROGRAM_OTHERS], target, layout,
                                        &terms, families));
    SEDGE_TRY_GOTO(status,
                   write_common(text[PROGRAM_COMMON], name[PROGRAM_COMMON], target, layout));
    if (operator_terms_in_stage(target->problem)) {
        if (target->problem->integrator->predictor) {
            SEDGE_TRY_GOTO(status,
                           sedge_text_add(terms.constants, "#define SEDGE_TERMS_PREDICTED\n"));
        }
        const operator_addition addition = {
            .name = "terms",
            .constants = sedge_text_get(terms.constants),
            .sources = terms.sources,
            .count = terms.count,
        };
        status = operator_stage_write(text[PROGRAM_TERMS], name[PROGRAM_TERMS], target, layout,
                                      config, &addition);
    }
done:
    operator_terms_text_clear(&terms);
    return status;
}

// The configuration of this name, or the rule's if there is none, as where it is that of another
// layout.
static sedge_status find_curved(operator_curved_config *out, const operator_layout *layout,
                                const operator_target *target, const char *name)
{
    operator_curved_config list[SEDGE_FAMILY_CANDIDATES];
    char known[SEDGE_CONFIG_NAME];
    int count;

    SEDGE_TRY(
        operator_curved_list(list, &count, layout, target->info, target->problem, target->element));
    *out = list[0];
    for (int i = 1; i < count && name != NULL; i++) {
        operator_curved_name(known, &list[i]);
        if (strcmp(known, name) == 0) *out = list[i];
    }
    return SEDGE_OK;
}

static void find_series(operator_series_config *out, const operator_layout *layout,
                        const operator_target *target, const char *name)
{
    operator_series_config list[SEDGE_FAMILY_CANDIDATES];
    char known[SEDGE_CONFIG_NAME];
    const int count = operator_series_list(list, layout, target);

    *out = list[0];
    for (int i = 1; i < count && name != NULL; i++) {
        operator_series_name(known, &list[i]);
        if (strcmp(known, name) == 0) *out = list[i];
    }
}

sedge_status sedge_operator_texts(sedge_text *const out[SEDGE_OPERATOR_PROGRAMS],
                                  char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME],
                                  const sedge_device_info *info, const sedge_element *element,
                                  const sedge_problem *problem,
                                  const sedge_operator_options *options)
{
    const operator_target target = {info, problem, element};
    const operator_request request = operator_request_of(options);
    operator_choices choices;
    operator_config config;
    operator_curved_config curved = {.coded = 0};  // read where something is curved
    operator_series_config series = {.powers = 0}; // read for integrators with `predictor`
    sedge_status status;
    int layout;

    SEDGE_TRY_GOTO(status, operator_choices_list(&choices, &target));
    SEDGE_TRY_GOTO(status, operator_request_find(&config, &layout, &choices, &target, &request));
    const operator_layout *const in = &choices.layout[layout];
    if (problem->curved) {
        SEDGE_TRY_GOTO(
            status, find_curved(&curved, in, &target, options->family_config[SEDGE_FAMILY_CURVED]));
    }
    if (problem->integrator->predictor)
        find_series(&series, in, &target, options->family_config[SEDGE_FAMILY_PREDICTION]);
    status = write_all(out, name, &target, in, &config, (family_configs){&curved, &series});
done:
    operator_choices_clear(&choices);
    return status;
}

// ---- programs of an operator -------------------------------------------------------------------

sedge_status operator_stage_find(sedge_operator *op, const sedge_program *program)
{
    SEDGE_TRY(sedge_program_get(&op->launcher.kernel[KERNEL_STAGE], program,
                                kernel_rows[KERNEL_STAGE].name));
    return sedge_kernel_set_scratch(op->launcher.kernel[KERNEL_STAGE], op->config.scratch_bytes);
}

sedge_status operator_curved_find(sedge_operator *op, const sedge_program *program)
{
    const bool predicts = operator_products_predict(op->problem, op->layout.basis);
    const int64_t bytes = op->curved.config.scratch_bytes;
    const sedge_kernel **const stage = &op->launcher.kernel[KERNEL_CURVED];
    const sedge_kernel **const predict = &op->launcher.kernel[KERNEL_PREDICT_CURVED];

    SEDGE_TRY(sedge_program_get(stage, program, kernel_rows[KERNEL_CURVED].name));
    SEDGE_TRY(sedge_kernel_set_scratch(*stage, bytes));
    if (!predicts) return SEDGE_OK;
    SEDGE_TRY(sedge_program_get(predict, program, kernel_rows[KERNEL_PREDICT_CURVED].name));
    return sedge_kernel_set_scratch(*predict, bytes);
}

sedge_status operator_series_find(sedge_operator *op, const sedge_program *program)
{
    const sedge_kernel **const kernel = &op->launcher.kernel[KERNEL_PREDICT];

    SEDGE_TRY(sedge_program_get(kernel, program, kernel_rows[KERNEL_PREDICT].name));
    return sedge_kernel_set_scratch(*kernel, op->predictor.series.scratch_words *
                                                 op->layout.real_bytes * op->layout.lanes);
}

int operator_boundary_points(const sedge_operator *op)
{
    const int width = op->element->face_nodes;

    if (!converts_faces(&op->layout, op->problem)) return SEDGE_TRACE_THREADS;
    return SEDGE_TRACE_THREADS / width * width;
}

static sedge_status find_kernels(sedge_operator *op)
{
    const sedge_program *const with_terms = op->program[PROGRAM_TERMS];

    SEDGE_TRY(operator_stage_find(op, op->program[PROGRAM_STAGE]));
    if (with_terms != NULL) {
        SEDGE_TRY(sedge_program_get(&op->launcher.kernel[KERNEL_STAGE_TERMS], with_terms,
                                    kernel_rows[KERNEL_STAGE].name));
        SEDGE_TRY(sedge_kernel_set_scratch(op->launcher.kernel[KERNEL_STAGE_TERMS],
                                           op->config.scratch_bytes));
    }
    const int kernels = op->problem->curved ? KERNELS : KERNEL_CURVED;
    const bool two_sided = sedge_problem_is_two_sided(op->problem);
    const bool stores = operator_terms_store_energy(op->problem);
    for (int k = KERNEL_PACK; k < kernels; k++) {
        const bool predicts = k >= KERNEL_PREDICT && k <= KERNEL_PACK_TRACES;
        if (predicts && !op->problem->integrator->predictor) continue;
        if (k == KERNEL_PREDICT_TERMS && !operator_predicts_terms(op->problem)) continue;
        if (k == KERNEL_PREDICT_NODES && !sedge_problem_varies(op->problem, -1)) continue;
        if (k == KERNEL_PREDICT_POINT_MEMORY && !operator_terms_staged(op->problem)) continue;
        if (k == KERNEL_TWO_SIDED && !two_sided) continue;
        if (k == KERNEL_SEAMS && !sedge_cubature_state_is_covariant(op->problem)) continue;
        if (k == KERNEL_PREDICT || k == KERNEL_CURVED || k == KERNEL_PREDICT_CURVED) continue;
        const bool slows = sedge_problem_slows(op->problem);
        if (k == KERNEL_EXPONENTIAL && (slows || !sedge_problem_exponential(op->problem))) continue;
        if (k == KERNEL_EXPONENTIAL_STEP && !slows) continue;
        if (k == KERNEL_FACE_ENERGY && !sedge_problem_stores_face_energy(op->problem)) continue;
        if ((k == KERNEL_MEMORY_ENERGY || k == KERNEL_CURVED_MEMORY_ENERGY) && !stores) continue;
        SEDGE_TRY(sedge_program_get(&op->launcher.kernel[k], op->program[kernel_rows[k].program],
                                    kernel_rows[k].name));
    }
    if (two_sided && converts_faces(&op->layout, op->problem)) {
        SEDGE_TRY(sedge_kernel_set_scratch(op->launcher.kernel[KERNEL_TWO_SIDED],
                                           3LL * operator_boundary_points(op) *
                                               op->problem->equation->fields *
                                               op->layout.real_bytes));
    }
    if (converts_faces(&op->layout, op->problem)) {
        SEDGE_TRY(sedge_kernel_set_scratch(op->launcher.kernel[KERNEL_BOUNDARY],
                                           2LL * operator_boundary_points(op) *
                                               op->problem->equation->fields *
                                               op->layout.real_bytes));
    }
    if (op->problem->integrator->predictor)
        SEDGE_TRY(operator_series_find(op, op->program[PROGRAM_OTHERS]));
    return op->problem->curved ? operator_curved_find(op, op->program[PROGRAM_OTHERS]) : SEDGE_OK;
}

sedge_status operator_programs_create(sedge_operator *op, sedge_cache *cache)
{
    char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME];
    sedge_text *text[SEDGE_OPERATOR_PROGRAMS] = {NULL};
    sedge_program_text whole[SEDGE_OPERATOR_PROGRAMS];
    sedge_status status = SEDGE_OK;

    operator_programs_free(op);
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS && status == SEDGE_OK; i++)
        status = sedge_text_create(&text[i]);
    if (status == SEDGE_OK) {
        const operator_target target = operator_target_of(op);
        status = write_all(text, name, &target, &op->layout, &op->config,
                           (family_configs){&op->curved.config, &op->predictor.series});
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    const int count = SEDGE_OPERATOR_PROGRAMS - !operator_terms_in_stage(op->problem);
    for (int i = 0; i < count; i++)
        whole[i] = (sedge_program_text){.name = name[i], .text = sedge_text_get(text[i])};
    SEDGE_TRY_GOTO(status, sedge_programs_create(op->program, NULL, op->comm, op->device, cache,
                                                 whole, count));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, find_kernels(op)));
done:
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) sedge_text_free(text[i]);
    return status;
}

sedge_status operator_programs_need(sedge_operator *op, sedge_cache *cache)
{
    int64_t missing = op->program[0] == NULL;

    sedge_comm_max_int(op->comm, &missing, 1);
    if (missing > 0) return operator_programs_create(op, cache);
    return sedge_comm_agree(op->comm, find_kernels(op));
}

void operator_programs_free(sedge_operator *op)
{
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) {
        sedge_program_free(op->program[i]);
        op->program[i] = NULL;
    }
}

#define TILE 4 // nodes of an item: each word of the state serves them all

operator_energy_shape operator_energy_choose(const operator_target *target)
{
    const int nodes = target->element->nodes;
    const int least = (nodes + SEDGE_MONITOR_THREADS - 1) / SEDGE_MONITOR_THREADS;
    const int tile = least > TILE ? least : TILE;
    const int rows = (nodes + tile - 1) / tile;

    if (operator_is_host_form(target->info)) return (operator_energy_shape){1, nodes, 1};
    return (operator_energy_shape){tile, rows, SEDGE_MONITOR_THREADS / rows};
}
