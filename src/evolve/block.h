// A block of an evolution's state: the equation's fields, or the memory of a term
// (dg/term_kind.h). What a block means is known to its owner alone; checkpoints and restarts go
// through all blocks alike.
#pragma once

#include <stdint.h>

typedef struct sedge_block {
    const char *name;       // "fields", or the term kind's name
    int components;         // unknowns at a node
    int32_t elements;       // of this rank's elements, how many have it
    const int32_t *element; // [elements] their local numbers, ascending; NULL: all
} sedge_block;
