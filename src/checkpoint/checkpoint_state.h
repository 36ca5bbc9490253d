// The state of a run on the host, in blocks (dg/state_blocks.h), as checkpoints write and read it.
#pragma once

#include "dg/state_blocks.h"
#include "session/session.h"

#include <stdint.h>

#define SEDGE_BLOCK_NAME SEDGE_TERM_NAME

typedef struct sedge_checkpoint_state {
    int count;
    sedge_block *block; // [count], the fields first
    double **values;    // [count], each [its elements][components][nodes]
} sedge_checkpoint_state;

// The blocks of the session's problem on its mesh, all values zero. Clear it in any case. Not
// collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_state_create(sedge_checkpoint_state *out,
                                           const sedge_session *session);
void sedge_checkpoint_state_clear(sedge_checkpoint_state *state);

// The number in the mesh file of a block's element `i`.
static inline int64_t sedge_checkpoint_id(const sedge_block *block, const sedge_mesh *mesh,
                                          int32_t i)
{
    return mesh->global_ids[sedge_block_element(block, i)];
}
