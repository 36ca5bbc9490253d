#include "operator/operator_internal.h"

#include "operator/operator_terms.h"

#include <stdio.h>

static const char *const kernel_names[KERNELS] = {
    [KERNEL_STAGE] = "sedge_stage",         [KERNEL_PACK] = "sedge_collect",
    [KERNEL_BOUNDARY] = "sedge_boundary",   [KERNEL_POINT] = "sedge_point_source",
    [KERNEL_TERM] = "sedge_term",           [KERNEL_CLOCK] = "sedge_clock",
    [KERNEL_ENERGY] = "sedge_energy",       [KERNEL_PROBE] = "sedge_probe",
    [KERNEL_CURVED] = "sedge_curved",       [KERNEL_CURVED_ENERGY] = "sedge_curved_energy",
    [KERNEL_TWO_SIDED] = "sedge_two_sided",
};

const char *operator_kernel_name(operator_kernel kernel)
{
    return kernel_names[kernel];
}

// Coefficients may stand for u in what is linear and the same on all of a face.
static bool converts_faces(const operator_layout *layout, const sedge_problem *problem)
{
    bool linear = problem->incident == NULL;

    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        linear = linear && (kind == NULL || kind->linear);
    }
    return layout->basis != SEDGE_NODAL && !linear;
}

// ---- constants ---------------------------------------------------------------------------------

typedef struct size_row {
    const char *name;
    int value;
} size_row;

static sedge_status write_rows(sedge_text *text, const size_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_%s %d\n", rows[i].name, rows[i].value));
    return SEDGE_OK;
}

static sedge_status write_list(sedge_text *text, const char *name, const double *values, int count)
{
    SEDGE_TRY(sedge_text_add(text, "#define %s", name));
    for (int i = 0; i < count; i++) SEDGE_TRY(sedge_text_add(text, " %a,", values[i]));
    return sedge_text_add(text, "\n");
}

// A row for each boundary function in use; the number is the kind's index in the equation's table.
static sedge_status write_boundaries(sedge_text *text, const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;

    SEDGE_TRY(sedge_text_add(text,
                             "#define SEDGE_BOUNDARY_VALUES %d\n#define SEDGE_BOUNDARY_CASES(X)",
                             SEDGE_MAX_VALUES));
    for (int k = 0; k < equation->boundary_count; k++) {
        bool used = false;
        for (int i = 0; i < problem->surfaces; i++)
            used = used || problem->boundaries[i].kind == &equation->boundaries[k];
        if (used && equation->boundaries[k].apply_two_sided == NULL)
            SEDGE_TRY(sedge_text_add(text, " X(%d, %s)", k, equation->boundaries[k].function));
    }
    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        if (kind == NULL || kind->apply_two_sided != NULL) continue;
        const int number = sedge_problem_kind_number(problem, kind);
        if (number == equation->boundary_count + i) // in no table, and this is its first surface
            SEDGE_TRY(sedge_text_add(text, " X(%d, %s)", number, kind->function));
    }
    return sedge_text_add(text, "\n");
}

// A row for each two-sided function in use, by its number.
static sedge_status write_two_sided(sedge_text *text, const sedge_problem *problem)
{
    if (!sedge_problem_is_two_sided(problem)) return SEDGE_OK;
    SEDGE_TRY(sedge_text_add(text, "#define SEDGE_TWO_SIDED_CASES(X)"));
    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        bool first = true;
        if (kind == NULL || kind->apply_two_sided == NULL) continue;
        for (int k = 0; k < i; k++) first &= problem->boundaries[k].kind != kind;
        if (!first) continue;
        SEDGE_TRY(sedge_text_add(text, " X(%d, %s)", sedge_problem_kind_number(problem, kind),
                                 kind->function));
    }
    return sedge_text_add(text, "\n");
}

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

// What decides about the code, without layout and configuration.
static sedge_status write_problem(sedge_text *text, const sedge_problem *problem,
                                  const sedge_element *element)
{
    const size_row rows[] = {
        {"FP64", problem->precision == SEDGE_FP64},
        {"ORDER", element->order},
        {"FIELDS", problem->equation->fields},
        {"NODES", element->nodes},
        {"FACE_NODES", element->face_nodes},
        {"LINEAR", problem->equation->linear},
        {"MATERIALS", problem->volumes},
        {"MATERIAL_VALUES", problem->equation->material_values},
        {"CONSTANTS", problem->equation->constant_count},
    };

    return write_rows(text, rows, sizeof rows / sizeof rows[0]);
}

static sedge_status write_config(sedge_text *text, const operator_layout *layout,
                                 const operator_config *config, bool stage)
{
    const size_row rows[] = {
        {"STAGE", stage && config->form != FORM_SPARSE},
        {"LANES", layout->lanes},
        {"PACK", layout->pack},
        {"GROUP", layout->group},
        {"NODES_PADDED", layout->nodes_padded},
        {"STATE_ALIGN", layout->state_align},
        {"BLOCK", config->block},
        {"TN", config->item_nodes},
        {"LIFT_TN", config->lift_nodes},
        {"RESIDENT", config->resident},
        {"THREADS", config->threads},
        {"FIELD_BLOCK", config->field_block},
        {"LIFT_BLOCK", config->lift_block},
        {"DERIV_WIDTH", config->deriv_width},
        {"LIFT_WIDTH", config->lift_width},
        {"SCRATCH_WORDS", (int)config->scratch_words},
        {"TENSOR", config->form == FORM_TENSOR},
    };
    const size_row tensor_rows[] = {
        {"GROUPS", config->groups},
        {"STRIDE", config->stride},
        {"FACE_STRIDE", config->face_stride},
    };

    SEDGE_TRY(write_rows(text, rows, sizeof rows / sizeof rows[0]));
    if (config->form != FORM_TENSOR) return SEDGE_OK;
    return write_rows(text, tensor_rows, sizeof tensor_rows / sizeof tensor_rows[0]);
}

// The same of the sparse form.
static sedge_status write_sparse_config(sedge_text *text, const operator_layout *layout,
                                        const operator_config *config, const sedge_element *element)
{
    const size_row rows[] = {
        {"LOWER_NODES", element->nodes - element->face_nodes},
        {"PARTS", config->parts},
        {"GROUP_ELEMENTS", config->group_elements},
        {"JUMP_STRIDE", config->jump_stride},
        {"LOWER_STRIDE", config->lower_stride},
        {"SHARED_SUMS", config->shared_sums},
        {"AHEAD", config->ahead},
        {"PAIR_BYTES", 2 * layout->real_bytes},
    };

    return write_rows(text, rows, sizeof rows / sizeof rows[0]);
}

static sedge_status write_curved(sedge_text *text, const operator_curved_config *config)
{
    const size_row rows[] = {
        {"CURVED_POINTS", config->points},   {"CURVED_FACE_POINTS", config->face_points},
        {"CURVED_CHUNK", config->chunk},     {"CURVED_BLOCK", config->block},
        {"CURVED_THREADS", config->threads}, {"CURVED_SCRATCH", config->scratch_words},
    };

    return write_rows(text, rows, sizeof rows / sizeof rows[0]);
}

// A row for each kind of signal, with its number.
static sedge_status write_signals(sedge_text *text)
{
    SEDGE_TRY(sedge_text_add(text, "#define SEDGE_SIGNAL_VALUES %d\n#define SEDGE_SIGNAL_LIST(X)",
                             SEDGE_SIGNAL_VALUES));
    for (int i = 0; i < SEDGE_SIGNAL_KINDS; i++)
        SEDGE_TRY(sedge_text_add(text, " X(%d, %s)", i, sedge_signal_kinds[i]->function));
    return sedge_text_add(text, "\n");
}

// Numbers that the code holds, but that do not change what it does.
static sedge_status write_values(sedge_text *text, const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;

    SEDGE_TRY(
        write_list(text, "SEDGE_CONSTANT_LIST", problem->constants, equation->constant_count));
    // One material is part of the program; several are read by number.
    SEDGE_TRY(write_list(text, "SEDGE_MATERIAL_LIST", problem->materials[0],
                         problem->volumes == 1 ? equation->material_values : 0));
    SEDGE_TRY(sedge_text_add(text, "#define SEDGE_FLUX %s_flux\n#define SEDGE_SURFACE %s_surface\n",
                             equation->name, equation->name));
    if (equation->source != NULL)
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_SOURCE %s_source\n", equation->name));
    if (equation->curls)
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_FROM_CURLS %s_from_curls\n", equation->name));
    SEDGE_TRY(write_signals(text));
    SEDGE_TRY(write_boundaries(text, problem));
    return write_two_sided(text, problem);
}

// ---- programs ----------------------------------------------------------------------------------

// Kernel sources behind those that all programs have.
typedef enum program_part {
    PART_STAGE,
    PART_TENSOR, // the stage by matrix instructions
    PART_SPARSE, // the stage in the Bernstein-Bezier basis
    PART_STAGES, // number of the stage's forms, which are above
    PART_OTHERS = PART_STAGES,
    PART_CURVED // the others and those of curved elements
} program_part;

#define SOURCES      (9 + SEDGE_SIGNAL_KINDS) // of a program, at most
#define ALL_PROGRAMS (4 + SEDGE_SIGNAL_KINDS) // of these, those that all programs have

void operator_name(char name[SEDGE_CONFIG_NAME], const sedge_problem *problem)
{
    (void)snprintf(name, SEDGE_CONFIG_NAME, "%s-n%d-%s", problem->equation->name, problem->order,
                   problem->precision == SEDGE_FP64 ? "fp64" : "fp32");
}

// `products` is the text of the sparse products, in PART_SPARSE.
static sedge_status write_sources(sedge_text *text, const char *name, sedge_device_kind kind,
                                  const sedge_text *constants, const sedge_problem *problem,
                                  program_part part, const sedge_text *products)
{
    static const char *const kernels[][SOURCES - ALL_PROGRAMS] = {
        [PART_STAGE] = {"codegen/kernels/dg/dg_stage.h"},
        [PART_TENSOR] = {"codegen/kernels/dg/dg_stage.h", "codegen/kernels/dg/dg_tensor.h"},
        [PART_SPARSE] = {"codegen/kernels/dg/dg_stage.h", "bernstein_products.h",
                         "codegen/kernels/dg/dg_bernstein.h"},
        [PART_OTHERS] = {"codegen/kernels/dg/dg_trace.h", "codegen/kernels/dg/dg_monitor.h"},
        [PART_CURVED] = {"codegen/kernels/dg/dg_trace.h", "codegen/kernels/dg/dg_monitor.h",
                         "codegen/kernels/dg/dg_curve.h", "codegen/kernels/dg/dg_curved.h"},
    };
    const int terms = operator_terms_count(problem);
    const int most = SOURCES + SEDGE_MAX_KINDS + 1 + SEDGE_TERM_SOURCES * terms;
    char(*term_constants)[SEDGE_TERM_CONSTANTS] = NULL;
    sedge_source *sources = NULL;
    sedge_status status;
    int count = 0;

    SEDGE_TRY_GOTO(status, sedge_allocate(&sources, most, sizeof *sources));
    SEDGE_TRY_GOTO(status, sedge_allocate(&term_constants, terms, sizeof *term_constants));
    sources[count++].name = "codegen/kernels/dg/values.h";
    for (int i = 0; i < SEDGE_SIGNAL_KINDS; i++) {
        sources[count++] =
            (sedge_source){sedge_signal_kinds[i]->header, sedge_signal_kinds[i]->header_text};
    }
    sources[count++].name = "codegen/kernels/dg/signal.h";
    sources[count++] = (sedge_source){problem->equation->header, problem->equation->header_text};
    sources[count++].name = "codegen/kernels/dg/dg_layout.h";
    if (part >= PART_OTHERS) count += list_headers(sources + count, SEDGE_MAX_KINDS, problem);
    for (int i = 0; i < SOURCES - ALL_PROGRAMS && kernels[part][i] != NULL; i++)
        sources[count++].name = kernels[part][i];
    if (part == PART_SPARSE) sources[ALL_PROGRAMS + 1].text = sedge_text_get(products);
    if (part >= PART_OTHERS && sedge_problem_is_two_sided(problem))
        sources[count++].name = "codegen/kernels/dg/dg_two_sided.h";
    if (part >= PART_OTHERS)
        SEDGE_TRY_GOTO(status, operator_terms_sources(sources, &count, term_constants, problem));
    status = sedge_program_write(text, kind,
                                 &(sedge_program_options){.name = name,
                                                          .constants = sedge_text_get(constants),
                                                          .sources = sources,
                                                          .count = count});
done:
    sedge_release(sources);
    sedge_release(term_constants);
    return status;
}

// The stage's kernels; or the other ones, which know its types, with any configuration.
static sedge_status write_program(sedge_text *text, const char *name, sedge_device_kind kind,
                                  const operator_layout *layout, const operator_config *config,
                                  const operator_curved_config *curved,
                                  const sedge_problem *problem, const sedge_element *element,
                                  bool stage)
{
    const bool is_sparse = stage && config->form == FORM_SPARSE;
    sedge_status status;
    sedge_text *constants = NULL;
    sedge_text *sparse = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status, write_problem(constants, problem, element));
    SEDGE_TRY_GOTO(status, write_config(constants, layout, config, stage));
    if (is_sparse) {
        SEDGE_TRY_GOTO(status, write_sparse_config(constants, layout, config, element));
        SEDGE_TRY_GOTO(status, sedge_text_create(&sparse));
        SEDGE_TRY_GOTO(status, operator_bernstein_write(sparse, element, problem->equation->fields,
                                                        config->shared_sums));
    }
    if (!stage) {
        SEDGE_TRY_GOTO(status, sedge_text_add(constants, "#define SEDGE_CONVERT_FACES %d\n",
                                              converts_faces(layout, problem)));
    }
    if (curved != NULL) SEDGE_TRY_GOTO(status, write_curved(constants, curved));
    SEDGE_TRY_GOTO(status, write_values(constants, problem));
    const program_part part = !stage      ? problem->curved ? PART_CURVED : PART_OTHERS
                              : is_sparse ? PART_SPARSE
                              : config->form == FORM_TENSOR ? PART_TENSOR
                                                            : PART_STAGE;
    SEDGE_TRY_GOTO(status, write_sources(text, name, kind, constants, problem, part, sparse));
done:
    sedge_text_free(sparse);
    sedge_text_free(constants);
    return status;
}

sedge_status operator_stage_write(sedge_text *text, char name[SEDGE_OPERATOR_NAME],
                                  sedge_device_kind kind, const operator_layout *layout,
                                  const operator_config *config, const sedge_problem *problem,
                                  const sedge_element *element)
{
    char problem_name[SEDGE_CONFIG_NAME];

    operator_name(problem_name, problem);
    (void)snprintf(name, SEDGE_OPERATOR_NAME, "%s-%s", problem_name,
                   operator_form_name(config->form));
    return write_program(text, name, kind, layout, config, NULL, problem, element, true);
}

static sedge_status write_both(sedge_text *const text[SEDGE_OPERATOR_PROGRAMS],
                               char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME],
                               const sedge_device_info *info, const operator_layout *layout,
                               const operator_config *config, const sedge_problem *problem,
                               const sedge_element *element)
{
    const operator_form form = layout->basis == SEDGE_NODAL ? FORM_PLAIN : FORM_SPARSE;
    operator_curved_config curved;
    operator_config any; // the same for all configurations, so that the text is
    char problem_name[SEDGE_CONFIG_NAME];

    operator_config_choose_form(&any, form, layout, info, problem, element);
    operator_name(problem_name, problem);
    (void)snprintf(name[1], SEDGE_OPERATOR_NAME, "%s-others", problem_name);
    SEDGE_TRY(operator_stage_write(text[0], name[0], info->kind, layout, config, problem, element));
    if (!problem->curved) {
        return write_program(text[1], name[1], info->kind, layout, &any, NULL, problem, element,
                             false);
    }
    SEDGE_TRY(operator_curved_choose(&curved, layout, info, problem, element));
    return write_program(text[1], name[1], info->kind, layout, &any, &curved, problem, element,
                         false);
}

static sedge_status write_named(sedge_text *const out[SEDGE_OPERATOR_PROGRAMS],
                                char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME],
                                const sedge_device_info *info, const sedge_element *element,
                                const sedge_problem *problem, const char *config)
{
    operator_choices choices;
    sedge_status status;

    SEDGE_TRY_GOTO(status, operator_choices_list(&choices, info, problem, element));
    const operator_candidate *const found = operator_choices_find(&choices, config);
    if (found == NULL) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "there is no way to run it that is called '%s'; "
                            "'sedge tune' lists them all",
                            config);
        goto done;
    }
    status = write_both(out, name, info, &choices.layout[found->layout], &found->config, problem,
                        element);
done:
    operator_choices_clear(&choices);
    return status;
}

sedge_status sedge_operator_texts(sedge_text *const out[SEDGE_OPERATOR_PROGRAMS],
                                  char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME],
                                  const sedge_device_info *info, const sedge_element *element,
                                  const sedge_problem *problem,
                                  const sedge_operator_options *options)
{
    operator_choices choices;
    sedge_status status;
    int wanted;
    int first = 0;

    if (options->config != NULL)
        return write_named(out, name, info, element, problem, options->config);
    SEDGE_TRY_GOTO(status, operator_choices_list(&choices, info, problem, element));
    SEDGE_TRY_GOTO(status, operator_layout_request(&wanted, &choices, problem, options));
    const operator_layout *const layout = &choices.layout[wanted];
    while (choices.candidate[first].layout != wanted) first++;
    operator_config config = choices.candidate[first].config;
    SEDGE_TRY_GOTO(status,
                   operator_config_request(&config, layout, info, problem, element, options));
    status = write_both(out, name, info, layout, &config, problem, element);
done:
    operator_choices_clear(&choices);
    return status;
}

sedge_status operator_source_hash(char hash[SEDGE_HASH_TEXT], sedge_device_kind kind,
                                  const sedge_problem *problem, const sedge_element *element)
{
    sedge_status status;
    sedge_text *constants = NULL;
    sedge_text *products = NULL;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status, sedge_text_create(&products));
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, write_problem(constants, problem, element));
    SEDGE_TRY_GOTO(status,
                   operator_bernstein_write(products, element, problem->equation->fields, false));
    for (program_part part = PART_STAGE; part < PART_STAGES; part++) {
        SEDGE_TRY_GOTO(status,
                       write_sources(text, "stage", kind, constants, problem, part, products));
    }
    const sedge_hash bytes = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));
    sedge_hash_print(&bytes, hash);
done:
    sedge_text_free(constants);
    sedge_text_free(products);
    sedge_text_free(text);
    return status;
}

// ---- programs of an operator -------------------------------------------------------------------

sedge_status operator_stage_find(sedge_operator *op, const sedge_program *program)
{
    SEDGE_TRY(
        sedge_program_get(&op->launcher.kernel[KERNEL_STAGE], program, kernel_names[KERNEL_STAGE]));
    return sedge_kernel_set_scratch(op->launcher.kernel[KERNEL_STAGE], op->config.scratch_bytes);
}

int operator_boundary_points(const sedge_operator *op)
{
    const int width = op->element->face_nodes;

    if (!converts_faces(&op->layout, op->problem)) return SEDGE_TRACE_THREADS;
    return SEDGE_TRACE_THREADS / width * width;
}

static sedge_status find_kernels(sedge_operator *op)
{
    SEDGE_TRY(operator_stage_find(op, op->program[0]));
    const int kernels = op->problem->curved ? KERNELS : KERNEL_CURVED;
    const bool two_sided = sedge_problem_is_two_sided(op->problem);
    for (int k = KERNEL_PACK; k < kernels; k++) {
        if (k == KERNEL_TWO_SIDED && !two_sided) continue;
        if (k == KERNEL_TERM) continue; // each term has a kernel of its own
        SEDGE_TRY(sedge_program_get(&op->launcher.kernel[k], op->program[1], kernel_names[k]));
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
    if (!op->problem->curved) return SEDGE_OK;
    SEDGE_TRY(operator_curved_choose(&op->curved.config, &op->layout,
                                     sedge_device_get_info(op->device), op->problem, op->element));
    return sedge_kernel_set_scratch(op->launcher.kernel[KERNEL_CURVED],
                                    op->curved.config.scratch_bytes);
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
        status = write_both(text, name, sedge_device_get_info(op->device), &op->layout, &op->config,
                            op->problem, op->element);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++)
        whole[i] = (sedge_program_text){.name = name[i], .text = sedge_text_get(text[i])};
    SEDGE_TRY_GOTO(status, sedge_programs_create(op->program, NULL, op->comm, op->device, cache,
                                                 whole, SEDGE_OPERATOR_PROGRAMS));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, find_kernels(op)));
done:
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) sedge_text_free(text[i]);
    return status;
}

void operator_programs_free(sedge_operator *op)
{
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) {
        sedge_program_free(op->program[i]);
        op->program[i] = NULL;
    }
}
