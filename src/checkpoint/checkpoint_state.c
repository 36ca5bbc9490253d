#include "checkpoint_state.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

// The elements of the volume groups that have a term.
static sedge_status list_elements(sedge_checkpoint_block *block, const sedge_mesh *mesh,
                                  const sedge_term *term)
{
    for (int v = 0; v < mesh->groups.volumes; v++)
        if (term->present[v]) block->all += mesh->groups.volume_elements[v];
    for (int32_t e = 0; e < mesh->elements; e++) block->elements += term->present[mesh->group[e]];
    SEDGE_TRY(sedge_allocate(&block->element, block->elements, sizeof *block->element));
    for (int32_t e = 0, i = 0; e < mesh->elements; e++)
        if (term->present[mesh->group[e]]) block->element[i++] = e;
    return SEDGE_OK;
}

static sedge_status make_block(sedge_checkpoint_state *state, const sedge_session *session,
                               const sedge_term *term)
{
    const sedge_mesh *const mesh = session->mesh;
    sedge_checkpoint_block *const block = &state->block[state->count++];

    (void)snprintf(block->name, sizeof block->name, "%s",
                   term == NULL ? "fields" : term->kind->name);
    block->components = term == NULL ? session->problem.equation->fields : term->kind->memory;
    if (term == NULL) {
        block->all = mesh->global_elements;
        block->elements = mesh->elements;
    } else {
        SEDGE_TRY(list_elements(block, mesh, term));
    }
    return sedge_allocate(&block->values,
                          (int64_t)block->elements * block->components * session->element->nodes,
                          sizeof *block->values);
}

sedge_status sedge_checkpoint_state_create(sedge_checkpoint_state *out,
                                           const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;

    memset(out, 0, sizeof *out);
    SEDGE_TRY(sedge_allocate(&out->block, problem->term_count + 1LL, sizeof *out->block));
    SEDGE_TRY(make_block(out, session, NULL));
    for (int i = 0; i < problem->term_count; i++) {
        if (problem->terms[i].kind->memory > 0)
            SEDGE_TRY(make_block(out, session, &problem->terms[i]));
    }
    return SEDGE_OK;
}

void sedge_checkpoint_state_clear(sedge_checkpoint_state *state)
{
    for (int i = 0; i < state->count; i++) {
        sedge_release(state->block[i].element);
        sedge_release(state->block[i].values);
    }
    sedge_release(state->block);
    memset(state, 0, sizeof *state);
}
