#include "forms/program.h"

#include "base/memory.h"
#include "dg/predictor.h"
#include "dg/signal.h"
#include "forms/constants.h"

#include <stdio.h>
#include <string.h>

#define FIRST_SOURCES (5 + SEDGE_SIGNAL_KINDS) // at most, before a program's own

void operator_name(char name[SEDGE_CONFIG_NAME], const sedge_problem *problem)
{
    (void)snprintf(name, SEDGE_CONFIG_NAME, "%s-n%d-%s", problem->equation->name, problem->order,
                   problem->precision == SEDGE_FP64 ? "fp64" : "fp32");
}

// ---- constants of all programs -----------------------------------------------------------------

static sedge_status write_list(sedge_text *text, const char *name, const double *values, int count)
{
    SEDGE_TRY(sedge_text_add(text, "#define %s", name));
    for (int i = 0; i < count; i++) SEDGE_TRY(sedge_text_add(text, " %a,", values[i]));
    return sedge_text_add(text, "\n");
}

// The constants c: those of the program, and how boundary functions get the others from an array
// that has all of them.
static sedge_status write_equation_constants(sedge_text *text, const sedge_problem *problem)
{
    const int first = sedge_problem_text_constants(problem);

    SEDGE_TRY(write_list(text, "SEDGE_CONSTANT_LIST", problem->constants, first));
    SEDGE_TRY(sedge_text_add(text, "#define SEDGE_FED %d\n#define SEDGE_RUNTIME_CONSTANTS %d\n",
                             problem->fed_count, sedge_problem_runtime_constants(problem)));
    SEDGE_TRY(sedge_text_add(text, "#define SEDGE_INCIDENT_LIST(from)"));
    for (int i = first; i < problem->equation->constant_count; i++)
        SEDGE_TRY(sedge_text_add(text, " (from)[%d],", i));
    return sedge_text_add(text, "\n");
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
        if (used && equation->boundaries[k].apply != NULL)
            SEDGE_TRY(sedge_text_add(text, " X(%d, %s)", k, equation->boundaries[k].function));
    }
    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        if (kind == NULL || kind->apply == NULL) continue;
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

// A row for each function with memory in use, by its number, with its components of memory.
static sedge_status write_memory_cases(sedge_text *text, const char *name, bool two_sided,
                                       const sedge_problem *problem)
{
    SEDGE_TRY(sedge_text_add(text, "#define %s(X)", name));
    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        bool known = kind == NULL || kind->memory == 0 || sedge_is_two_sided(kind) != two_sided;
        for (int k = 0; k < i; k++) known |= problem->boundaries[k].kind == kind;
        if (known) continue;
        SEDGE_TRY(sedge_text_add(text, " X(%d, %s, %d)", sedge_problem_kind_number(problem, kind),
                                 kind->function, kind->memory));
    }
    return sedge_text_add(text, "\n");
}

// What dg_face_memory.h needs.
static sedge_status write_memory(sedge_text *text, const sedge_problem *problem)
{
    const int components = sedge_problem_face_memory(problem);

    if (components == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_text_add(text, "#define SEDGE_FACE_MEMORY %d\n", components));
    if (problem->curved) SEDGE_TRY(sedge_text_add(text, "#define SEDGE_MEMORY_NORMALS\n"));
    if (problem->integrator->predictor) {
        SEDGE_TRY(
            sedge_text_add(text, "#define SEDGE_MEMORY_SERIES %d\n", SEDGE_PREDICTOR_FACE_TERMS));
    }
    SEDGE_TRY(write_memory_cases(text, "SEDGE_BOUNDARY_MEMORY_CASES", false, problem));
    return write_memory_cases(text, "SEDGE_TWO_SIDED_MEMORY_CASES", true, problem);
}

// What decides about the code, without layout and configuration.
static sedge_status write_problem(sedge_text *text, const operator_target *target)
{
    const sedge_problem *const problem = target->problem;
    const sedge_element *const element = target->element;
    const operator_constant rows[] = {
        {"FP64", problem->precision == SEDGE_FP64},
        {"ORDER", element->order},
        {"FIELDS", problem->equation->fields},
        {"NODES", element->nodes},
        {"FACE_NODES", element->face_nodes},
        {"LINEAR", problem->equation->linear},
        {"FINDS", sedge_problem_finds(problem)},
        {"ONE_VOLUME", problem->volumes == 1},
        {"ONE_MEDIUM", sedge_problem_media(problem) == 1},
        {"MATERIAL_VALUES", problem->equation->material_values},
        {"CONSTANTS", problem->equation->constant_count},
    };

    return operator_constants_write(text, rows, sizeof rows / sizeof rows[0]);
}

static sedge_status write_config(sedge_text *text, const operator_layout *layout,
                                 const operator_config *config)
{
    const operator_constant rows[] = {
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
    };

    return operator_constants_write(text, rows, sizeof rows / sizeof rows[0]);
}

// Numbers that the code holds, but that do not change what it does.
static sedge_status write_values(sedge_text *text, const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;

    SEDGE_TRY(write_equation_constants(text, problem));
    // One medium is part of the program; several are read by the number of the volume group.
    SEDGE_TRY(write_list(text, "SEDGE_MATERIAL_LIST", problem->materials[0],
                         sedge_problem_media(problem) == 1 ? equation->material_values : 0));
    SEDGE_TRY(sedge_text_add(text, "#define SEDGE_FLUX %s_flux\n#define SEDGE_SURFACE %s_surface\n",
                             equation->name, equation->name));
    if (equation->source != NULL)
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_SOURCE %s_source\n", equation->name));
    if (equation->curls)
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_FROM_CURLS %s_from_curls\n", equation->name));
    SEDGE_TRY(write_signals(text));
    SEDGE_TRY(write_boundaries(text, problem));
    SEDGE_TRY(write_memory(text, problem));
    return write_two_sided(text, problem);
}

// ---- programs ----------------------------------------------------------------------------------

// `physics`: with the equation's functions and the element's surroundings.
static sedge_status write_sources(sedge_text *text, const char *name, const operator_target *target,
                                  const sedge_text *constants, bool physics,
                                  const sedge_source *own, int count)
{
    const sedge_equation *const equation = target->problem->equation;
    sedge_source *sources = NULL;
    int all = 0;

    SEDGE_TRY(sedge_allocate(&sources, FIRST_SOURCES + count, sizeof *sources));
    sources[all++].name = "codegen/kernels/dg/values.h";
    for (int i = 0; i < SEDGE_SIGNAL_KINDS; i++) {
        sources[all++] =
            (sedge_source){sedge_signal_kinds[i]->header, sedge_signal_kinds[i]->header_text};
    }
    sources[all++].name = "codegen/kernels/dg/signal.h";
    if (physics) sources[all++] = (sedge_source){equation->header, equation->header_text};
    sources[all++].name = "codegen/kernels/dg/dg_layout.h";
    if (physics) sources[all++].name = "codegen/kernels/dg/dg_behind.h";
    for (int i = 0; i < count; i++) sources[all++] = own[i];
    const sedge_program_options options = {
        .name = name, .constants = sedge_text_get(constants), .sources = sources, .count = all};
    const sedge_status status = sedge_program_write(text, target->info->kind, &options);
    sedge_release(sources);
    return status;
}

sedge_status operator_program_write(sedge_text *text, const char *name,
                                    const operator_target *target, const operator_layout *layout,
                                    const operator_config *config, const sedge_text *constants,
                                    bool physics, const sedge_source *sources, int count)
{
    sedge_status status;
    sedge_text *all = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&all));
    SEDGE_TRY_GOTO(status, write_problem(all, target));
    SEDGE_TRY_GOTO(status, write_config(all, layout, config));
    SEDGE_TRY_GOTO(status, sedge_text_add(all, "%s", sedge_text_get(constants)));
    SEDGE_TRY_GOTO(status, write_values(all, target->problem));
    status = write_sources(text, name, target, all, physics, sources, count);
done:
    sedge_text_free(all);
    return status;
}

// The sources of a form; `written` is the code of the one that it writes.
static sedge_status list_sources(sedge_source sources[OPERATOR_FORM_SOURCES], int *count,
                                 const operator_form *form, const sedge_text *written)
{
    if (form->sources[0] == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "the form '%s' names no sources: tuning results could not tell its "
                          "kernels from changed ones",
                          form->name);
    }
    for (*count = 0; *count < OPERATOR_FORM_SOURCES && form->sources[*count] != NULL; (*count)++) {
        const char *const name = form->sources[*count];
        const bool is_written = form->written != NULL && strcmp(form->written, name) == 0;
        sources[*count] = (sedge_source){name, is_written ? sedge_text_get(written) : NULL};
    }
    return SEDGE_OK;
}

sedge_status operator_stage_write(sedge_text *text, char name[SEDGE_OPERATOR_NAME],
                                  const operator_target *target, const operator_layout *layout,
                                  const operator_config *config, const operator_addition *more)
{
    const operator_addition none = {.name = NULL};
    const operator_addition *const added = more != NULL ? more : &none;
    const operator_form *const form = config->form;
    sedge_source *sources = NULL;
    char problem_name[SEDGE_CONFIG_NAME];
    sedge_status status;
    sedge_text *constants = NULL;
    sedge_text *written = NULL;
    int count;

    operator_name(problem_name, target->problem);
    (void)snprintf(name, SEDGE_OPERATOR_NAME, added->name != NULL ? "%s-%s-%s" : "%s-%s",
                   problem_name, form->name, added->name);
    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    SEDGE_TRY_GOTO(status, sedge_text_create(&written));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&sources, added->count + OPERATOR_FORM_SOURCES, sizeof *sources));
    for (int i = 0; i < added->count; i++) sources[i] = added->sources[i];
    SEDGE_TRY_GOTO(status, form->constants(constants, config, layout, target));
    if (added->count > 0) SEDGE_TRY_GOTO(status, sedge_text_add(constants, "%s", added->constants));
    if (form->write != NULL) SEDGE_TRY_GOTO(status, form->write(written, config, target));
    SEDGE_TRY_GOTO(status, list_sources(sources + added->count, &count, form, written));
    status = operator_program_write(text, name, target, layout, config, constants, true, sources,
                                    added->count + count);
done:
    sedge_release(sources);
    sedge_text_free(constants);
    sedge_text_free(written);
    return status;
}

// ---- hash --------------------------------------------------------------------------------------

sedge_device_info operator_nominal_device(const sedge_device_info *info)
{
    return (sedge_device_info){.kind = info->kind,
                               .kind_name = info->kind_name,
                               .name = info->kind_name,
                               .arch = "sm_90",
                               .shared_bytes_block = (int64_t)227 << 10,
                               .threads_block = 1024,
                               .vector_bytes = sedge_traits_of(info->kind)->in_call ? 64 : 0,
                               .random_order = info->random_order};
}

static void print_hash(char hash[SEDGE_HASH_TEXT], const sedge_text *text)
{
    const sedge_hash bytes = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));

    sedge_hash_print(&bytes, hash);
}

sedge_status operator_program_hash(char hash[SEDGE_HASH_TEXT], const operator_target *target,
                                   const operator_layout *layout, const operator_config *config,
                                   const sedge_text *constants, const sedge_source *sources,
                                   int count)
{
    sedge_text *all = NULL;
    sedge_text *text = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&all));
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, write_problem(all, target));
    SEDGE_TRY_GOTO(status, write_config(all, layout, config));
    SEDGE_TRY_GOTO(status, sedge_text_add(all, "%s", sedge_text_get(constants)));
    SEDGE_TRY_GOTO(status, write_sources(text, "program", target, all, true, sources, count));
    print_hash(hash, text);
done:
    sedge_text_free(text);
    sedge_text_free(all);
    return status;
}

// The source that a form writes; a pointer of its own, for arrays of plain ones look like mistakes
// to clang-tidy.
typedef struct written_source {
    sedge_text *text;
} written_source;

// Several forms: the constants of one after the other, and the files of all, each once.
typedef struct forms_sources {
    sedge_text *constants;
    sedge_source *sources;   // [count]
    written_source *written; // [forms]
    int count, forms;
} forms_sources;

static sedge_status add_form_source(forms_sources *all, const sedge_source *source)
{
    SEDGE_TRY(sedge_text_add(all->constants, "//   %s\n", source->name));
    for (int i = 0; i < all->count && source->text == NULL; i++) {
        if (all->sources[i].text == NULL && strcmp(all->sources[i].name, source->name) == 0)
            return SEDGE_OK;
    }
    all->sources[all->count++] = *source;
    return SEDGE_OK;
}

// Add a form in its default configuration.
static sedge_status add_form(forms_sources *all, const operator_form *form,
                             const operator_target *target)
{
    written_source *const written = &all->written[all->forms++];
    sedge_source sources[OPERATOR_FORM_SOURCES];
    operator_layout layouts[SEDGE_LAYOUTS];
    operator_config config;
    int count;
    int at = 0;

    SEDGE_TRY(sedge_text_create(&written->text));
    operator_layouts_list(layouts, &count, target);
    while (at < count - 1 && layouts[at].basis != form->basis) at++;
    operator_config_choose_form(&config, form, &layouts[at], target);
    if (form->write != NULL) SEDGE_TRY(form->write(written->text, &config, target));
    SEDGE_TRY(list_sources(sources, &count, form, written->text));
    SEDGE_TRY(sedge_text_add(all->constants, "// The form '%s' of\n", form->name));
    for (int i = 0; i < count; i++) SEDGE_TRY(add_form_source(all, &sources[i]));
    SEDGE_TRY(write_config(all->constants, &layouts[at], &config));
    return form->constants(all->constants, &config, &layouts[at], target);
}

static void clear_forms(forms_sources *all)
{
    for (int i = 0; i < all->forms; i++) sedge_text_free(all->written[i].text);
    sedge_release(all->written);
    sedge_release(all->sources);
    sedge_text_free(all->constants);
}

sedge_status operator_forms_hash(char hash[SEDGE_HASH_TEXT], const operator_form *const *forms,
                                 const operator_target *target)
{
    const sedge_device_info info = operator_nominal_device(target->info);
    const operator_target nominal = {&info, target->problem, target->element};
    const int64_t most = OPERATOR_FORM_SOURCES;
    forms_sources all = {.count = 0};
    sedge_status status;
    sedge_text *text = NULL;
    int count = 0;

    while (forms[count] != NULL) count++;
    SEDGE_TRY_GOTO(status, sedge_allocate(&all.sources, most * count, sizeof *all.sources));
    SEDGE_TRY_GOTO(status, sedge_allocate(&all.written, count, sizeof *all.written));
    SEDGE_TRY_GOTO(status, sedge_text_create(&all.constants));
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, write_problem(all.constants, &nominal));
    for (int i = 0; i < count; i++) {
        if (operator_form_refusal(forms[i], &nominal) == NULL)
            SEDGE_TRY_GOTO(status, add_form(&all, forms[i], &nominal));
    }
    SEDGE_TRY_GOTO(status, write_sources(text, "forms", &nominal, all.constants, true, all.sources,
                                         all.count));
    print_hash(hash, text);
done:
    sedge_text_free(text);
    clear_forms(&all);
    return status;
}
