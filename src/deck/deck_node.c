#include "deck_node.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void deck_origin(char out[DECK_ORIGIN_MAX], const char *path, const deck_node *node)
{
    if (node->setting != NULL) {
        (void)snprintf(out, DECK_ORIGIN_MAX, "--set %s", node->setting);
    } else {
        (void)snprintf(out, DECK_ORIGIN_MAX, "%s:%d", path, node->line);
    }
}

sedge_status deck_fail(const char *path, const deck_node *node, const char *format, ...)
{
    char message[768];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (node == NULL) return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: %s", path, message);
    if (node->setting != NULL)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--set %s: %s", node->setting, message);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s:%d: %s", path, node->line, message);
}

// ---- nodes ------------------------------------------------------------------------------------

void deck_node_free(deck_node *node)
{
    if (node == NULL) return;
    for (deck_node *child = node->first; child != NULL;) {
        deck_node *const next = child->next;
        deck_node_free(child);
        child = next;
    }
    sedge_release(node->setting);
    sedge_release(node->key);
    sedge_release(node->text);
    sedge_release(node);
}

sedge_status deck_copy_string(char **out, const char *text)
{
    const size_t length = strlen(text);

    SEDGE_TRY(sedge_allocate(out, (int64_t)length + 1, 1));
    memcpy(*out, text, length);
    return SEDGE_OK;
}

sedge_status deck_node_create(deck_node **out, deck_kind kind, int line, const char *setting)
{
    deck_node *node = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&node, 1, sizeof *node));
    node->kind = kind;
    node->line = line;
    node->plain = true;
    if (setting != NULL) SEDGE_TRY_GOTO(status, deck_copy_string(&node->setting, setting));
    *out = node;
    return SEDGE_OK;
done:
    deck_node_free(node);
    return status;
}

sedge_status deck_node_text(deck_node *node, const char *text, bool plain)
{
    char *copy = NULL;

    SEDGE_TRY(deck_copy_string(&copy, text));
    sedge_release(node->text);
    node->text = copy;
    node->plain = plain;
    return SEDGE_OK;
}

deck_node *deck_child(const deck_node *map, const char *key)
{
    if (map->kind != DECK_MAPPING) return NULL;
    for (deck_node *child = map->first; child != NULL; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

void deck_child_append(deck_node *parent, deck_node *child)
{
    child->next = NULL;
    if (parent->last != NULL) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
}

static void unlink_child(deck_node *parent, deck_node *child)
{
    deck_node *before = NULL;

    for (deck_node *node = parent->first; node != child; node = node->next) before = node;
    if (before != NULL) {
        before->next = child->next;
    } else {
        parent->first = child->next;
    }
    if (parent->last == child) parent->last = before;
    child->next = NULL;
    parent->count--;
}

void deck_child_remove(deck_node *parent, deck_node *child)
{
    unlink_child(parent, child);
    deck_node_free(child);
}

void deck_child_to_end(deck_node *parent, deck_node *child)
{
    unlink_child(parent, child);
    deck_child_append(parent, child);
}

// Put `fresh` where `old` is, and free `old`.
