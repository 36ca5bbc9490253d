// The deck as a tree of nodes: what YAML says, with the place where it says it.
//
// The tree is read from the file, changed by `--set key.sub=value`, then checked and completed in
// place (deck_check.h): absent keys get their defaults, values their canonical spelling, keys the
// order of the schema. The result is the resolved deck, and deck_tree_write prints it.
//
// Only this module sees libyaml. Aliases, tags and further documents are refused.
#pragma once

#include "base/text.h"
#include "deck_node.h"

// Read the deck's text. `path` is for messages. Fails with SEDGE_ERR_USAGE for text that is not
// UTF-8, not YAML, empty, not a mapping, too deep (32 levels) or too long (100000 values), and for
// duplicate keys. The caller frees the result.
SEDGE_MUST_USE
sedge_status deck_tree_create(deck_node **out, const char *path, const char *text, size_t length);

// Apply one setting "key.sub=value"; the value is YAML. Missing mappings on the path are created;
// elements of sequences (named by their index from 0) must exist.
SEDGE_MUST_USE
sedge_status deck_tree_set(deck_node *root, const char *path, const char *setting);

// Append a child from YAML text (a default): to a mapping under `key`, to a sequence with key NULL.
SEDGE_MUST_USE
sedge_status deck_tree_add(deck_node **out, deck_node *parent, const char *key, const char *yaml);

// The shortest decimal number that reads back as `value`.
void deck_print_number(char text[32], double value);

// Append `text` in double quotes, as YAML and JSON have it.
SEDGE_MUST_USE
sedge_status deck_write_quoted(sedge_text *out, const char *text);

// Print the tree as YAML; scalars that are not plain are quoted where they need it.
SEDGE_MUST_USE
sedge_status deck_tree_write(sedge_text *out, const deck_node *root);
