#include "deck_tree.h"

#include "deck_yaml.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static void replace_child(deck_node *parent, deck_node *old, deck_node *fresh)
{
    deck_node **link = &parent->first;

    while (*link != old) link = &(*link)->next;
    *link = fresh;
    fresh->next = old->next;
    if (parent->last == old) parent->last = fresh;
    deck_node_free(old);
}

sedge_status deck_tree_add(deck_node **out, deck_node *parent, const char *key, const char *yaml)
{
    deck_node *node = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(deck_yaml_parse(&node, "default", NULL, parent->line, yaml, strlen(yaml)));
    if (key != NULL) SEDGE_TRY_GOTO(status, deck_copy_string(&node->key, key));
    deck_child_append(parent, node);
    *out = node;
    return SEDGE_OK;
done:
    deck_node_free(node);
    return status;
}

// ---- settings ---------------------------------------------------------------------------------

// One step of a setting's path: the child `name` of `parent`, NULL if a mapping lacks it.
static sedge_status step(deck_node **child, const deck_node *parent, const char *name,
                         const deck_node *at)
{
    *child = NULL;
    if (parent->kind == DECK_SCALAR) {
        return deck_fail("", at, "'%s' is a single value and has no '%s'",
                         parent->key != NULL ? parent->key : "an element", name);
    }
    if (parent->kind == DECK_MAPPING) {
        *child = deck_child(parent, name);
        return SEDGE_OK;
    }
    const size_t digits = strspn(name, "0123456789");
    const long index =
        digits > 0 && digits < 8 && name[digits] == '\0' ? strtol(name, NULL, 10) : -1;
    if (index < 0 || index >= parent->count) {
        return deck_fail("", at,
                         "'%s' is a list of %d; its elements are named by number from 0, and "
                         "'%s' is none of them",
                         parent->key != NULL ? parent->key : "this", parent->count, name);
    }
    *child = parent->first;
    for (long i = 0; i < index; i++) *child = (*child)->next;
    return SEDGE_OK;
}

// Walk down `keys` (dots become NULs) and put `value` at their end; takes `value` when it succeeds.
static sedge_status put(deck_node *root, char *keys, deck_node *value, const char *path)
{
    deck_node *parent = root;
    char *name = keys;

    for (;;) {
        char *const dot = strchr(name, '.');
        deck_node *child = NULL;

        if (dot != NULL) *dot = '\0';
        if (*name == '\0') return deck_fail(path, value, "a part of the key is empty");
        SEDGE_TRY(step(&child, parent, name, value));
        if (dot == NULL) {
            if (parent->kind == DECK_MAPPING) SEDGE_TRY(deck_copy_string(&value->key, name));
            value->line = child != NULL ? child->line : parent->line;
            if (child != NULL) {
                replace_child(parent, child, value);
            } else {
                deck_child_append(parent, value);
            }
            return SEDGE_OK;
        }
        if (child == NULL) {
            SEDGE_TRY(deck_node_create(&child, DECK_MAPPING, parent->line, value->setting));
            const sedge_status status = deck_copy_string(&child->key, name);
            if (status != SEDGE_OK) {
                deck_node_free(child);
                return status;
            }
            deck_child_append(parent, child);
        }
        parent = child;
        name = dot + 1;
    }
}

sedge_status deck_tree_set(deck_node *root, const char *path, const char *setting)
{
    const char *const equals = strchr(setting, '=');
    char *keys = NULL;
    deck_node *value = NULL;
    sedge_status status;

    if (equals == NULL || equals == setting) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--set %s: a setting has the form key.sub=value",
                          setting);
    }
    SEDGE_TRY_GOTO(status, deck_copy_string(&keys, setting));
    keys[equals - setting] = '\0';
    SEDGE_TRY_GOTO(
        status, deck_yaml_parse(&value, path, setting, root->line, equals + 1, strlen(equals + 1)));
    SEDGE_TRY_GOTO(status, put(root, keys, value, path));
    value = NULL;
done:
    deck_node_free(value);
    sedge_release(keys);
    return status;
}

// ---- reading the file -------------------------------------------------------------------------

// Length of the UTF-8 character at `at`, `left` bytes before the end; 0: it is none.
static size_t utf8_length(const unsigned char *at, size_t left)
{
    const unsigned char c = at[0];
    const size_t length = c < 0x80   ? 1
                          : c < 0xc2 ? 0
                          : c < 0xe0 ? 2
                          : c < 0xf0 ? 3
                          : c < 0xf5 ? 4
                                     : 0;

    if (length == 0 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    // Overlong forms, surrogates, beyond U+10FFFF.
    if (c == 0xe0 && at[1] < 0xa0) return 0;
    if (c == 0xed && at[1] > 0x9f) return 0;
    if (c == 0xf0 && at[1] < 0x90) return 0;
    if (c == 0xf4 && at[1] > 0x8f) return 0;
    return length;
}

sedge_status deck_tree_create(deck_node **out, const char *path, const char *text, size_t length)
{
    deck_node place = {.line = 1};

    *out = NULL;
    for (size_t i = 0; i < length;) {
        const unsigned char *const at = (const unsigned char *)text + i;
        const size_t bytes = utf8_length(at, length - i);

        if (bytes == 0) return deck_fail(path, &place, "byte 0x%02x is not UTF-8", at[0]);
        if (at[0] == '\0') return deck_fail(path, &place, "a deck is text: it has a NUL byte");
        if (at[0] == '\n') place.line++;
        i += bytes;
    }
    SEDGE_TRY(deck_yaml_parse(out, path, NULL, 0, text, length));
    if ((*out)->kind == DECK_MAPPING) return SEDGE_OK;
    const sedge_status status =
        deck_fail(path, *out, "a deck is a mapping of keys to values, such as 'order: 4'");
    deck_node_free(*out);
    *out = NULL;
    return status;
}
