// From YAML text to nodes, and the parts of nodes that the reader and the tree share.
#pragma once

#include "deck_tree.h"

// Read one YAML document. With `setting` or `line` > 0 the nodes get these as their origin, else
// their own lines. Fails as deck_tree_create does. The caller frees the result.
SEDGE_MUST_USE
sedge_status deck_yaml_parse(deck_node **out, const char *path, const char *setting, int line,
                             const char *text, size_t length);

// A copy of `text`, to be released with sedge_release.
SEDGE_MUST_USE
sedge_status deck_copy_string(char **out, const char *text);

// A node without children; the caller frees it or appends it.
SEDGE_MUST_USE
sedge_status deck_node_create(deck_node **out, deck_kind kind, int line, const char *setting);

// Make `child`, whose key is set if `parent` is a mapping, the last child of `parent`.
void deck_child_append(deck_node *parent, deck_node *child);
