// The state of a run on the host, in blocks (dg/state_blocks.h), as checkpoints write and read it.
#pragma once

#include "dg/state_blocks.h"
#include "session/session.h"

#include <stdint.h>

#define SEDGE_BLOCK_NAME SEDGE_TERM_NAME

typedef struct sedge_checkpoint_state {
    int count;
    sedge_block *block; // [count], the fields first
    double **values;    // [count], each [its rows][components][its nodes]
} sedge_checkpoint_state;

// The blocks of the session's problem on its mesh, all values zero. Clear it in any case. Not
// collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_state_create(sedge_checkpoint_state *out,
                                           const sedge_session *session);
void sedge_checkpoint_state_clear(sedge_checkpoint_state *state);
