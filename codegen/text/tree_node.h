// Inside syntax trees: the structures of a tree and its nodes. tree.c builds trees, tree_print.c
// prints them.
#pragma once

#include "base/error.h"

typedef enum node_kind {
    NODE_MODULE,
    NODE_KERNEL,
    NODE_FUNCTION,
    NODE_COMMENT,
    NODE_DIRECTIVE,
    NODE_STATEMENT,
    NODE_BLOCK,
    NODE_IF,
    NODE_ELSE_IF,
    NODE_ELSE
} node_kind;

typedef struct sedge_tree sedge_tree;
typedef struct sedge_node sedge_node;

struct sedge_node {
    sedge_tree *tree;
    sedge_node *parent;
    node_kind kind;
    const char *text;        // of a statement without its ';', head of a block
    const char *list;        // of a kernel, the macro's name
    const char **parameters; // of a kernel, [count]: "const float *, x"
    int count;
    sedge_node *first, *last, *next;
};

typedef struct tree_chunk tree_chunk;

struct sedge_tree {
    const char *name;
    tree_chunk *chunks;  // its memory
    sedge_status status; // of building
    char message[256];
    sedge_node module;
    sedge_node lost; // takes what is added after a failure; never printed
};
