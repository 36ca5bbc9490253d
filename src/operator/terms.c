#include "operator/terms.h"

#include <stdio.h>

// ---- which terms -------------------------------------------------------------------------------

static bool has_source(const sedge_problem *problem, int volume)
{
    const sedge_equation *const equation = problem->equation;

    if (equation->source == NULL) return false;
    return equation->has_source == NULL || equation->has_source(problem->materials[volume]);
}

static bool any_source(const sedge_problem *problem)
{
    for (int v = 0; v < problem->volumes; v++)
        if (has_source(problem, v)) return true;
    return false;
}

int operator_terms_count(const sedge_problem *problem)
{
    return any_source(problem) + problem->term_count;
}

operator_term operator_terms_get(const sedge_problem *problem, int i)
{
    const int sources = any_source(problem);

    if (i < sources) {
        return (operator_term){.name = "source",
                               .function = "sedge_source_local",
                               .header = {.name = "codegen/kernels/dg/dg_source.h"}};
    }
    const sedge_term *const term = &problem->terms[i - sources];
    const sedge_term_kind *const kind = term->kind;
    return (operator_term){.name = kind->name,
                           .function = kind->function,
                           .header = {.name = kind->header, .text = kind->header_text},
                           .memory = kind->memory,
                           .parameters =
                               sedge_parameters_size(kind->parameters, kind->parameter_count),
                           .term = term};
}

bool operator_term_is_in(const operator_term *term, const sedge_problem *problem, int volume)
{
    return term->term != NULL ? term->term->present[volume] : has_source(problem, volume);
}

// ---- what they cost ----------------------------------------------------------------------------

static int64_t count_elements(const operator_term *term, const sedge_problem *problem,
                              const sedge_mesh *mesh)
{
    int64_t count = 0;

    for (int32_t e = 0; e < mesh->elements; e++)
        count += operator_term_is_in(term, problem, mesh->group[e]);
    return count;
}

static int real_bytes(const sedge_problem *problem)
{
    return problem->precision == SEDGE_FP64 ? 8 : 4;
}

// The state is read, the residual read and written, the next state written; memory and its residual
// are read and written.
double operator_terms_bytes(const sedge_problem *problem, const sedge_mesh *mesh, int nodes)
{
    double words = 0.0;

    for (int i = 0; i < operator_terms_count(problem); i++) {
        const operator_term term = operator_terms_get(problem, i);
        words += 4.0 * (double)count_elements(&term, problem, mesh) * nodes *
                 (problem->equation->fields + term.memory);
    }
    return words * real_bytes(problem);
}

int64_t operator_terms_memory(const sedge_problem *problem, const sedge_mesh *mesh, int nodes)
{
    int64_t bytes = 0;

    for (int i = 0; i < operator_terms_count(problem); i++) {
        const operator_term term = operator_terms_get(problem, i);
        bytes += count_elements(&term, problem, mesh) *
                 (2LL * term.memory * nodes * real_bytes(problem) + 12); // its place in the lists
    }
    return bytes;
}

// ---- texts -------------------------------------------------------------------------------------

static bool is_listed(const sedge_source *sources, int count, const sedge_source *header)
{
    for (int i = 0; i < count; i++)
        if (header->text != NULL && sources[i].text == header->text) return true;
    return false;
}

sedge_status operator_terms_sources(sedge_source *sources, int *count,
                                    char (*constants)[SEDGE_TERM_CONSTANTS],
                                    const sedge_problem *problem)
{
    for (int i = 0; i < operator_terms_count(problem); i++) {
        const operator_term term = operator_terms_get(problem, i);
        const int length =
            snprintf(constants[i], sizeof constants[i],
                     "#undef SEDGE_TERM\n#define SEDGE_TERM " SEDGE_TERM_KERNEL_NAME "\n"
                     "#undef SEDGE_TERM_LOCAL\n#define SEDGE_TERM_LOCAL %s\n"
                     "#undef SEDGE_TERM_MEMORY\n#define SEDGE_TERM_MEMORY %d\n"
                     "#undef SEDGE_TERM_PARAMETERS\n#define SEDGE_TERM_PARAMETERS %d\n",
                     i, term.function, term.memory, term.parameters);
        if (length >= SEDGE_TERM_CONSTANTS) {
            return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "the name of the term's function is too long: %s",
                              term.function);
        }
        if (!is_listed(sources, *count, &term.header)) sources[(*count)++] = term.header;
        sources[(*count)++] = (sedge_source){term.name, constants[i]};
        sources[(*count)++] = (sedge_source){"codegen/kernels/dg/dg_term.h", NULL};
    }
    return SEDGE_OK;
}
