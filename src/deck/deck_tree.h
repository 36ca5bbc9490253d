// The deck as a tree of nodes: what YAML says, with the place where it says it.
//
// The tree is read from the file, changed by `--set key.sub=value`, then checked and completed in
// place (deck_check.h): absent keys get their defaults, values their canonical spelling, keys the
// order of the schema. What is left is the resolved deck, and deck_tree_write prints it.
//
// Only this module sees libyaml. Aliases, tags and further documents are refused.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum deck_kind { DECK_SCALAR, DECK_SEQUENCE, DECK_MAPPING } deck_kind;

typedef struct deck_node {
    deck_kind kind;
    int line;      // in the file, from 1; of a node made by a setting: that of its parent
    char *setting; // "key.sub=value" that made the node; NULL: the file or a default
    char *key;     // in its mapping; NULL: element of a sequence, or the root
    char *text;    // of a scalar
    bool plain;    // a scalar without quotes: may be a number or a boolean
    int count;     // children
    struct deck_node *first;
    struct deck_node *last;
    struct deck_node *next;
} deck_node;

// Fail with SEDGE_ERR_USAGE and "PATH:LINE: ..." or "--set SETTING: ...", as `node` came to be.
// `node` NULL: "PATH: ...".
__attribute__((format(printf, 3, 4))) sedge_status
deck_fail(const char *path, const deck_node *node, const char *format, ...);

// Read the deck's text. `path` is for messages. Fails with SEDGE_ERR_USAGE for text that is not
// UTF-8, not YAML, empty, not a mapping, too deep (32 levels) or too long (100000 values), and for
// duplicate keys. The caller frees the result.
SEDGE_MUST_USE
sedge_status deck_tree_create(deck_node **out, const char *path, const char *text, size_t length);
void deck_tree_free(deck_node *node);

// Apply one setting "key.sub=value"; the value is YAML. Mappings on the way are made, elements of
// sequences (named by their number from 0) must exist.
SEDGE_MUST_USE
sedge_status deck_tree_set(deck_node *root, const char *path, const char *setting);

// Append a child from YAML text (a default): to a mapping under `key`, to a sequence with key NULL.
SEDGE_MUST_USE
sedge_status deck_tree_add(deck_node **out, deck_node *parent, const char *key, const char *yaml);

// Replace a scalar's text.
SEDGE_MUST_USE
sedge_status deck_node_text(deck_node *node, const char *text, bool plain);

// The child called `key` of a mapping; NULL if there is none.
deck_node *deck_child(const deck_node *map, const char *key);

// Unlink and free a child of `parent`; or make it the last.
void deck_child_remove(deck_node *parent, deck_node *child);
void deck_child_to_end(deck_node *parent, deck_node *child);

// The shortest decimal number that reads back as `value`.
void deck_print_number(char text[32], double value);

// Print the tree as YAML; scalars that are not plain are quoted where they need it.
SEDGE_MUST_USE
sedge_status deck_tree_write(sedge_text *out, const deck_node *root);
