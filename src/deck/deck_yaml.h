// Parse YAML text into nodes of a deck's tree.
#pragma once

#include "deck_node.h"

// Read one YAML document. If `setting` is not NULL or `line` is > 0, the nodes get these as their
// origin, else their own lines. Fails as deck_tree_create does. The caller frees the result.
SEDGE_MUST_USE
sedge_status deck_yaml_parse(deck_node **out, const char *path, const char *setting, int line,
                             const char *text, size_t length);
