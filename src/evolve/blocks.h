// The blocks of an evolution's state on the device (dg/state_blocks.h): the fields, then the memory
// of each term that has some, then that of boundary faces.
#pragma once

#include "evolve/transfer.h"

typedef struct evolve_blocks evolve_blocks;

// Make the memory of the operator's terms and faces, as it is at the start, and give it to
// `fields`, whose own buffers are there already. Not collective. Keeps the operator, which must
// outlive it.
SEDGE_MUST_USE
sedge_status evolve_blocks_create(evolve_blocks **out, sedge_operator *op, operator_fields *fields);
void evolve_blocks_free(evolve_blocks *blocks);

int evolve_blocks_count(const evolve_blocks *blocks);
const evolve_block *evolve_blocks_get(const evolve_blocks *blocks, int i);
