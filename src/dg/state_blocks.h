// The blocks of a run's state: the fields, which all elements have, then the memory of each term
// that has one (dg/term_kind.h), on the elements of the volume groups that have the term. What a
// block means is known to its owner alone; checkpoints and restarts go through all blocks alike.
//
// The evolution (on the device) and checkpoints (on the host) make theirs by these functions, so
// block i of the one is block i of the other.
#pragma once

#include "dg/problem.h"

#include <stdint.h>

typedef struct sedge_block {
    const char *name; // "fields", or the term's
    int components;   // unknowns at a node
    int64_t all;      // elements of the whole mesh that have it
    int32_t elements; // of this rank's elements, how many
    int32_t *element; // [elements] their local numbers, ascending; NULL: all
} sedge_block;

int sedge_blocks_count(const sedge_problem *problem);

// Block `i` of a problem on this rank's mesh. Borrows the name; clear it in any case.
// SEDGE_ERR_MEMORY. Not collective.
SEDGE_MUST_USE
sedge_status sedge_block_create(sedge_block *out, const sedge_problem *problem,
                                const sedge_mesh *mesh, int i);
void sedge_block_clear(sedge_block *block);

// The local number of the block's element `i`.
static inline int32_t sedge_block_element(const sedge_block *block, int32_t i)
{
    return block->element != NULL ? block->element[i] : i;
}
