// The sections of the deck, one function each: check the tree, fill the struct. Those of
// deck_read.c are not here.
#pragma once

#include "deck.h"
#include "deck_check.h"

// After the top level, the mesh and the time, in this order: later ones use what earlier ones
// found.
SEDGE_MUST_USE
sedge_status deck_read_materials(const deck_reader *reader, sedge_deck *deck);
SEDGE_MUST_USE
sedge_status deck_read_boundaries(const deck_reader *reader, sedge_deck *deck);
SEDGE_MUST_USE
sedge_status deck_read_initial(const deck_reader *reader, sedge_deck *deck);
SEDGE_MUST_USE
sedge_status deck_read_sources(const deck_reader *reader, sedge_deck *deck);
SEDGE_MUST_USE
sedge_status deck_read_monitors(const deck_reader *reader, sedge_deck *deck);

// The mapping of one volume group, which is called `where`: the equation's parameters of a
// material, and an entry for each kind of term, which is absent or a mapping. deck_read_terms goes
// on.
SEDGE_MUST_USE
sedge_status deck_check_material(const deck_reader *reader, deck_node *node, const char *where);

// The terms of all materials, once these are read.
SEDGE_MUST_USE
sedge_status deck_read_terms(const deck_reader *reader, sedge_deck *deck);

// Copy a name of at most 63 bytes.
void deck_copy_name(char out[64], const char *name);
