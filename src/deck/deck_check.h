// Check the deck's tree against the schema, and fill in the defaults in place. Values of checked
// nodes: deck_value.h.
#pragma once

#include "deck_value.h"

// Check that `node`, which messages call `where`, is a mapping whose keys are rows of `section` and
// `parameters`. Afterwards all its values have the right type and range, absent values have their
// defaults, and the keys are in the tables' order. Sections and lists inside it are checked by the
// caller; those with a default exist afterwards.
SEDGE_MUST_USE
sedge_status deck_check(const deck_reader *reader, deck_node *node, const char *where,
                        const deck_section *section, const sedge_parameter *parameters, int count);

// As deck_value_check (deck_value.h), for signals, too.
SEDGE_MUST_USE
sedge_status deck_check_value(const deck_reader *reader, deck_node *node, const char *where,
                              const deck_key *key);

// Exactly one of the keys `names` [count] is there: `*index` says which. A setting wins over the
// file, whose key is then removed.
SEDGE_MUST_USE
sedge_status deck_settle_one(const deck_reader *reader, deck_node *node, const char *where,
                             const char *const *names, int count, int *index);
