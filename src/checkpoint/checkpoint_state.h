// The state of a run on the host, in blocks, as checkpoints write and read it: the fields of all
// elements, then the memory of each term that has one (dg/term_kind.h), which only the elements of
// some volume groups have.
#pragma once

#include "session/session.h"

#include <stdint.h>

#define SEDGE_BLOCK_NAME SEDGE_TERM_NAME

typedef struct sedge_checkpoint_block {
    char name[SEDGE_BLOCK_NAME]; // "fields", or the name of the term's kind
    int components;              // numbers at a node
    int64_t all;                 // elements of the whole mesh that have it
    int32_t elements;            // of this rank, that have it
    int32_t *element;            // [elements] their local numbers, ascending; NULL: all
    double *values;              // [elements][components][nodes]
} sedge_checkpoint_block;

typedef struct sedge_checkpoint_state {
    int count;
    sedge_checkpoint_block *block; // [count], the fields first
} sedge_checkpoint_state;

// The blocks of the session's problem on its mesh, all values zero. Clear it in any case. Not
// collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_state_create(sedge_checkpoint_state *out,
                                           const sedge_session *session);
void sedge_checkpoint_state_clear(sedge_checkpoint_state *state);

// The number in the mesh file of a block's element `i`.
static inline int64_t sedge_checkpoint_id(const sedge_checkpoint_block *block,
                                          const sedge_mesh *mesh, int32_t i)
{
    return mesh->global_ids[block->element != NULL ? block->element[i] : i];
}
