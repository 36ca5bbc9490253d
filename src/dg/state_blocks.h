// The blocks of a run's state: the fields, which all elements have; then the memory of each term
// that has one (dg/term_kind.h), on the elements of the volume groups that have the term; then
// that of all boundary faces with memory (sedge_boundary_kind.memory), "faces". What a
// block means is known to its owner alone; checkpoints and restarts go through all blocks alike.
//
// The evolution (on the device) and checkpoints (on the host) make theirs by these functions, so
// block i of the one is block i of the other.
#pragma once

#include "dg/element.h"
#include "dg/problem.h"

#include <stdint.h>

typedef struct sedge_block {
    const char *name;       // "fields", the term's, or "faces"
    const sedge_term *term; // whose memory it is; NULL: fields or faces; borrowed
    int components;         // unknowns at a node
    int nodes;              // of a row
    int64_t all;            // rows of the whole mesh: the elements that have it, or the faces
    int32_t elements;       // rows of this rank
    int32_t *element;       // [elements] their local numbers, ascending; NULL: all elements
    int32_t *slot; // of the block "faces", [elements]: the rows are the boundary faces with these
                   // trace slots, ascending, whose sides are `element` and `face`; else NULL
    int8_t *face;  // [elements], with slot
} sedge_block;

#define SEDGE_FACES_BLOCK "faces"

int sedge_blocks_count(const sedge_problem *problem);

// Block `i` of a problem on this rank's mesh. Borrows the name; clear it in any case.
// SEDGE_ERR_MEMORY. Not collective.
SEDGE_MUST_USE
sedge_status sedge_block_create(sedge_block *out, const sedge_problem *problem,
                                const sedge_element *element, const sedge_mesh *mesh, int i);
void sedge_block_clear(sedge_block *block);

// The values of a term's memory at the start of a run, `values` [count][components][nodes] in the
// listed elements: zero, and the frame of a radial layer.
void sedge_block_start(double *values, const sedge_term *term, const sedge_element *element,
                       const sedge_mesh *mesh, const int32_t *elements, int32_t count);

// The local number of the block's element `i`.
static inline int32_t sedge_block_element(const sedge_block *block, int32_t i)
{
    return block->element != NULL ? block->element[i] : i;
}

// The number of row `i`, the same on any number of ranks: below sedge_block_numbers.
static inline int64_t sedge_block_number(const sedge_block *block, const sedge_mesh *mesh,
                                         int32_t i)
{
    const int64_t element = mesh->global_ids[sedge_block_element(block, i)];

    return block->slot != NULL ? element * SEDGE_FACES + block->face[i] : element;
}

static inline int64_t sedge_block_numbers(const sedge_block *block, const sedge_mesh *mesh)
{
    return mesh->global_elements * (block->slot != NULL ? SEDGE_FACES : 1);
}
