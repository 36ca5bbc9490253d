#include "state_blocks.h"

#include "base/memory.h"

#include <string.h>

int sedge_blocks_count(const sedge_problem *problem)
{
    int count = 1;

    for (int i = 0; i < problem->term_count; i++) count += problem->terms[i].kind->memory > 0;
    return count;
}

// The term whose memory is block i > 0.
static const sedge_term *find_term(const sedge_problem *problem, int i)
{
    const sedge_term *term = problem->terms;

    for (;; term++)
        if (term->kind->memory > 0 && --i == 0) return term;
}

sedge_status sedge_block_create(sedge_block *out, const sedge_problem *problem,
                                const sedge_mesh *mesh, int i)
{
    int32_t count = 0;

    *out = (sedge_block){.name = "fields",
                         .components = problem->equation->fields,
                         .all = mesh->global_elements,
                         .elements = mesh->elements};
    if (i == 0) return SEDGE_OK;
    const sedge_term *const term = find_term(problem, i);
    *out = (sedge_block){.name = term->name, .components = sedge_term_memory(term)};
    for (int v = 0; v < problem->volumes; v++)
        if (term->present[v]) out->all += mesh->groups.volume_elements[v];
    for (int32_t e = 0; e < mesh->elements; e++) out->elements += term->present[mesh->group[e]];
    SEDGE_TRY(sedge_allocate(&out->element, out->elements, sizeof *out->element));
    for (int32_t e = 0; e < mesh->elements; e++)
        if (term->present[mesh->group[e]]) out->element[count++] = e;
    return SEDGE_OK;
}

void sedge_block_clear(sedge_block *block)
{
    sedge_release(block->element);
    memset(block, 0, sizeof *block);
}
