#include "checkpoint_state.h"

#include "base/memory.h"

#include <string.h>

sedge_status sedge_checkpoint_state_create(sedge_checkpoint_state *out,
                                           const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    const int count = sedge_blocks_count(problem);

    memset(out, 0, sizeof *out);
    SEDGE_TRY(sedge_allocate(&out->block, count, sizeof *out->block));
    SEDGE_TRY(sedge_allocate(&out->values, count, sizeof *out->values));
    for (int i = 0; i < count; i++) {
        sedge_block *const block = &out->block[out->count++];

        SEDGE_TRY(sedge_block_create(block, problem, session->element, session->mesh, i));
        SEDGE_TRY(sedge_allocate(&out->values[i],
                                 (int64_t)block->elements * block->components * block->nodes,
                                 sizeof *out->values[i]));
        if (block->term != NULL) {
            sedge_block_start(out->values[i], block->term, session->element, session->mesh,
                              block->element, block->elements);
        }
    }
    return SEDGE_OK;
}

void sedge_checkpoint_state_clear(sedge_checkpoint_state *state)
{
    for (int i = 0; i < state->count; i++) {
        sedge_block_clear(&state->block[i]);
        sedge_release(state->values[i]);
    }
    sedge_release(state->block);
    sedge_release(state->values);
    memset(state, 0, sizeof *state);
}
