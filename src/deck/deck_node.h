// The nodes that a deck's tree is made of: scalars, sequences, mappings, each with the place in the
// file that it comes from.
#pragma once

#include "base/error.h"

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

// The origin of `node`, with which messages begin: "PATH:LINE" or "--set SETTING".
#define DECK_ORIGIN_MAX 512
void deck_origin(char out[DECK_ORIGIN_MAX], const char *path, const deck_node *node);

// Fail with SEDGE_ERR_USAGE and a message that begins with the origin of `node`: "PATH:LINE: ..."
// or "--set SETTING: ...". If `node` is NULL it begins with "PATH: ...".
__attribute__((format(printf, 3, 4))) sedge_status
deck_fail(const char *path, const deck_node *node, const char *format, ...);

// Free a node and its children; NULL does nothing.
void deck_node_free(deck_node *node);

// Replace a scalar's text.
SEDGE_MUST_USE
sedge_status deck_node_text(deck_node *node, const char *text, bool plain);

// The child called `key` of a mapping; NULL if there is none.
deck_node *deck_child(const deck_node *map, const char *key);

// Unlink and free a child of `parent`; or make it the last.
void deck_child_remove(deck_node *parent, deck_node *child);
void deck_child_to_end(deck_node *parent, deck_node *child);

// A copy of `text`, to be released with sedge_release.
SEDGE_MUST_USE
sedge_status deck_copy_string(char **out, const char *text);

// A node without children; the caller frees it or appends it.
SEDGE_MUST_USE
sedge_status deck_node_create(deck_node **out, deck_kind kind, int line, const char *setting);

// Make `child`, whose key is set if `parent` is a mapping, the last child of `parent`.
void deck_child_append(deck_node *parent, deck_node *child);
