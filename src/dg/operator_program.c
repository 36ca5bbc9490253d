#include "dg/operator_internal.h"

#include <stdio.h>
#include <string.h>

static const char *const kernel_names[KERNELS] = {
    [KERNEL_STAGE] = "sedge_stage",       [KERNEL_VOLUME] = "sedge_volume",
    [KERNEL_SURFACE] = "sedge_surface",   [KERNEL_PACK] = "sedge_collect",
    [KERNEL_BOUNDARY] = "sedge_boundary", [KERNEL_POINT] = "sedge_point_source",
    [KERNEL_ENERGY] = "sedge_energy",     [KERNEL_PROBE] = "sedge_probe",
};

const char *operator_kernel_name(operator_kernel kernel)
{
    return kernel_names[kernel];
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

static bool any_source(const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;

    if (equation->source == NULL) return false;
    if (equation->has_source == NULL) return true;
    for (int i = 0; i < problem->volumes; i++)
        if (equation->has_source(problem->materials[i])) return true;
    return false;
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
        if (used)
            SEDGE_TRY(sedge_text_add(text, " X(%d, %s)", k, equation->boundaries[k].function));
    }
    return sedge_text_add(text, "\n");
}

// What decides about the code, without layout and cut.
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
        {"HAS_SOURCE", any_source(problem)},
        {"MATERIALS", problem->volumes},
        {"MATERIAL_VALUES", problem->equation->material_values},
        {"CONSTANTS", problem->equation->constant_count},
    };

    return write_rows(text, rows, sizeof rows / sizeof rows[0]);
}

static sedge_status write_cut(sedge_text *text, const operator_layout *layout,
                              const operator_cut *cut, bool stage)
{
    const size_row rows[] = {
        {"STAGE", stage},
        {"LANES", layout->lanes},
        {"PACK", layout->pack},
        {"GROUP", layout->group},
        {"NODES_PADDED", layout->nodes_padded},
        {"STATE_ALIGN", layout->state_align},
        {"FUSED", cut->fused},
        {"BLOCK", cut->block},
        {"TN", cut->item_nodes},
        {"LIFT_TN", cut->lift_nodes},
        {"RESIDENT", cut->resident},
        {"THREADS", cut->threads},
        {"FIELD_BLOCK", cut->field_block},
        {"LIFT_BLOCK", cut->lift_block},
        {"DERIV_WIDTH", cut->deriv_width},
        {"LIFT_WIDTH", cut->lift_width},
        {"SCRATCH_WORDS", (int)cut->scratch_words},
    };

    return write_rows(text, rows, sizeof rows / sizeof rows[0]);
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
    SEDGE_TRY(sedge_text_add(text,
                             "#define SEDGE_FLUX %s_flux\n#define SEDGE_SURFACE %s_surface\n"
                             "#define SEDGE_SOURCE %s_source\n",
                             equation->name, equation->name, equation->name));
    return write_boundaries(text, problem);
}

// ---- programs ----------------------------------------------------------------------------------

#define SOURCES       6
#define STAGE_SOURCES 4 // of these, those of the stage

// Options of a program, and what they point at.
typedef struct program_plan {
    sedge_program_options options;
    sedge_source sources[SOURCES];
    char name[2 * SEDGE_CUT_NAME];
    sedge_text *constants;
} program_plan;

static sedge_status start_plan(program_plan *plan, const sedge_problem *problem, const char *what,
                               int count)
{
    const sedge_source sources[SOURCES] = {
        {"codegen/kernels/values.h", NULL},
        {"codegen/kernels/signal.h", NULL},
        {problem->equation->header, problem->equation->header_text},
        {"codegen/kernels/dg_stage.h", NULL},
        {"codegen/kernels/dg_trace.h", NULL},
        {"codegen/kernels/dg_monitor.h", NULL},
    };
    char name[SEDGE_CUT_NAME];

    memset(plan, 0, sizeof *plan);
    memcpy(plan->sources, sources, sizeof sources);
    operator_name(name, problem);
    (void)snprintf(plan->name, sizeof plan->name, "%s-%s", name, what);
    plan->options.name = plan->name;
    plan->options.sources = plan->sources;
    plan->options.count = count;
    return sedge_text_create(&plan->constants);
}

static void clear_plan(program_plan *plan)
{
    sedge_text_free(plan->constants);
}

void operator_name(char name[SEDGE_CUT_NAME], const sedge_problem *problem)
{
    (void)snprintf(name, SEDGE_CUT_NAME, "%s-n%d-%s", problem->equation->name, problem->order,
                   problem->precision == SEDGE_FP64 ? "fp64" : "fp32");
}

// The stage's kernels; or the other ones, which know its types, with any cut.
static sedge_status plan_program(program_plan *plan, const operator_layout *layout,
                                 const operator_cut *cut, const sedge_problem *problem,
                                 const sedge_element *element, bool stage)
{
    SEDGE_TRY(start_plan(plan, problem,
                         !stage       ? "others"
                         : cut->fused ? "fused"
                                      : "split",
                         stage ? STAGE_SOURCES : SOURCES));
    SEDGE_TRY(write_problem(plan->constants, problem, element));
    SEDGE_TRY(write_cut(plan->constants, layout, cut, stage));
    SEDGE_TRY(write_values(plan->constants, problem));
    plan->options.constants = sedge_text_get(plan->constants);
    return SEDGE_OK;
}

sedge_status operator_stage_write(sedge_text *text, sedge_device_kind kind,
                                  const operator_layout *layout, const operator_cut *cut,
                                  const sedge_problem *problem, const sedge_element *element)
{
    program_plan plan;
    sedge_status status = plan_program(&plan, layout, cut, problem, element, true);

    if (status == SEDGE_OK) status = sedge_program_write(text, kind, &plan.options);
    clear_plan(&plan);
    return status;
}

sedge_status operator_source_hash(char hash[SEDGE_HASH_TEXT], const sedge_operator *op)
{
    sedge_status status;
    sedge_text *text = NULL;
    program_plan plan;

    SEDGE_TRY_GOTO(status, start_plan(&plan, op->problem, "hash", STAGE_SOURCES));
    SEDGE_TRY_GOTO(status, write_problem(plan.constants, op->problem, op->element));
    plan.options.constants = sedge_text_get(plan.constants);
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(
        status, sedge_program_write(text, sedge_device_get_info(op->device)->kind, &plan.options));
    const sedge_hash bytes = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));
    sedge_hash_print(&bytes, hash);
done:
    sedge_text_free(text);
    clear_plan(&plan);
    return status;
}

// ---- programs of an operator -------------------------------------------------------------------

sedge_status operator_stage_find(sedge_operator *op, const sedge_program *program)
{
    static const operator_kernel kernels[] = {KERNEL_STAGE, KERNEL_VOLUME, KERNEL_SURFACE};

    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        const operator_kernel k = kernels[i];
        op->kernel[k] = NULL;
        if ((k == KERNEL_STAGE) != op->cut.fused) continue;
        SEDGE_TRY(sedge_program_get(&op->kernel[k], program, kernel_names[k]));
        SEDGE_TRY(sedge_kernel_set_scratch(op->kernel[k], op->cut.scratch_bytes));
    }
    return SEDGE_OK;
}

static sedge_status find_others(sedge_operator *op)
{
    for (int k = KERNEL_PACK; k < KERNELS; k++)
        SEDGE_TRY(sedge_program_get(&op->kernel[k], op->other_program, kernel_names[k]));
    return SEDGE_OK;
}

static sedge_status create(sedge_program **out, const sedge_operator *op, sedge_cache *cache,
                           const operator_cut *cut, bool stage)
{
    program_plan plan;
    sedge_status status = plan_program(&plan, &op->layout, cut, op->problem, op->element, stage);

    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    SEDGE_TRY_GOTO(status, sedge_program_create(out, op->comm, op->device, cache, &plan.options));
done:
    clear_plan(&plan);
    return status;
}

sedge_status operator_stage_create(sedge_operator *op, sedge_cache *cache)
{
    sedge_program_free(op->stage_program);
    op->stage_program = NULL;
    SEDGE_TRY(create(&op->stage_program, op, cache, &op->cut, true));
    return sedge_comm_agree(op->comm, operator_stage_find(op, op->stage_program));
}

sedge_status operator_others_create(sedge_operator *op, sedge_cache *cache)
{
    operator_cut cut; // of the text only, so that it is the same for all

    operator_cut_choose(&cut, &op->layout, sedge_device_get_info(op->device), op->problem,
                        op->element);
    SEDGE_TRY(create(&op->other_program, op, cache, &cut, false));
    return sedge_comm_agree(op->comm, find_others(op));
}
