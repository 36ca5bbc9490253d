#include "deck_sweep.h"

#include "deck_sections.h"
#include "deck_value.h"

#include "base/memory.h"
#include "base/plain.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// ---- the form ----------------------------------------------------------------------------------

// Is `key` the key `other`, or a part of its value? sources.0.direction is a part of sources.
static bool is_within(const char *key, const char *other)
{
    const size_t length = strlen(other);

    return strncmp(key, other, length) == 0 && (key[length] == '.' || key[length] == '\0');
}

static sedge_status check_key(const char *path, const deck_node *node)
{
    const char *const key = node->key;

    if (is_within("output.folder", key) || is_within(key, "output.folder")) {
        return deck_fail(
            path, node, "sweep: '%s' cannot be swept: each run has its own folder in output.folder",
            key);
    }
    if (is_within(key, "sweep") || strchr(key, '=') != NULL)
        return deck_fail(path, node, "sweep: '%s' is no key that can be swept", key);
    return SEDGE_OK;
}

static sedge_status check_list(const char *path, const deck_node *node, const deck_node *first)
{
    if (node->kind == DECK_MAPPING && node->first != NULL) {
        return deck_fail(path, node,
                         "sweep.%s must be a list of values, one for each run; write the full "
                         "name of a key in this section, {%s.%s: [...]}",
                         node->key, node->key, node->first->key);
    }
    if (node->kind != DECK_SEQUENCE) {
        return deck_fail(path, node, "sweep.%s must be a list of values, one for each run",
                         node->key);
    }
    if (node->count == 0) {
        return deck_fail(path, node, "the list of sweep.%s is empty; it needs a value for each run",
                         node->key);
    }
    if (node->count == first->count) return SEDGE_OK;
    return deck_fail(
        path, node,
        "sweep.%s has %d value%s, but sweep.%s has %d: the keys change together, run i "
        "has the i-th value of each",
        node->key, node->count, node->count == 1 ? "" : "s", first->key, first->count);
}

sedge_status deck_check_sweep(const char *path, const deck_node *sweep)
{
    if (sweep->kind != DECK_MAPPING) {
        return deck_fail(path, sweep,
                         "sweep must be a mapping of keys to lists, such as {order: [2, 3]}");
    }
    if (sweep->count > SEDGE_SWEEP_KEYS) {
        return deck_fail(path, sweep, "sweep has %d keys; at most %d are possible", sweep->count,
                         SEDGE_SWEEP_KEYS);
    }
    for (const deck_node *node = sweep->first; node != NULL; node = node->next) {
        SEDGE_TRY(check_key(path, node));
        SEDGE_TRY(check_list(path, node, sweep->first));
        for (const deck_node *other = sweep->first; other != node; other = other->next) {
            const bool within = is_within(node->key, other->key);

            if (!within && !is_within(other->key, node->key)) continue;
            return deck_fail(path, node, "sweep: '%s' is a part of '%s': sweep one of them",
                             within ? node->key : other->key, within ? other->key : node->key);
        }
    }
    return SEDGE_OK;
}

// ---- values as JSON ----------------------------------------------------------------------------

// Is the text a number as JSON writes it? YAML allows more: .5, +1, 1.
static bool is_json_number(const char *text)
{
    const char *at = text + (text[0] == '-');
    const size_t digits = strspn(at, "0123456789");

    if (digits == 0 || (digits > 1 && at[0] == '0')) return false;
    at += digits;
    if (at[0] == '.') {
        const size_t more = strspn(at + 1, "0123456789");
        if (more == 0) return false;
        at += more + 1;
    }
    if (at[0] == 'e' || at[0] == 'E') {
        at++;
        at += at[0] == '-' || at[0] == '+';
        const size_t more = strspn(at, "0123456789");
        if (more == 0) return false;
        at += more;
    }
    return at[0] == '\0';
}

static sedge_status write_scalar(sedge_text *out, const deck_node *node)
{
    static const char *const truths[] = {"true", "yes", "false", "no"};
    char number[32];
    char *end = NULL;

    for (int i = 0; i < 4 && node->plain; i++) {
        if (strcmp(node->text, truths[i]) == 0)
            return sedge_text_add(out, "%s", i < 2 ? "true" : "false");
    }
    if (deck_is_nothing(node)) return sedge_text_add(out, "null");
    if (!node->plain) return deck_write_quoted(out, node->text);
    if (is_json_number(node->text)) return sedge_text_add(out, "%s", node->text);
    const double value = sedge_plain_read(node->text, &end);
    if (end == node->text || *end != '\0' || strpbrk(node->text, "xXnN") != NULL)
        return deck_write_quoted(out, node->text); // hexadecimal, nan, inf: no numbers of decks
    deck_print_number(number, value);
    return sedge_text_add(out, "%s", number);
}

static sedge_status write_value(sedge_text *out, const deck_node *node)
{
    const bool mapping = node->kind == DECK_MAPPING;
    const char *separator = "";

    if (node->kind == DECK_SCALAR) return write_scalar(out, node);
    SEDGE_TRY(sedge_text_add(out, mapping ? "{" : "["));
    for (const deck_node *child = node->first; child != NULL; child = child->next) {
        SEDGE_TRY(sedge_text_add(out, "%s", separator));
        if (mapping) {
            SEDGE_TRY(deck_write_quoted(out, child->key));
            SEDGE_TRY(sedge_text_add(out, ": "));
        }
        SEDGE_TRY(write_value(out, child));
        separator = ", ";
    }
    return sedge_text_add(out, mapping ? "}" : "]");
}

// ---- reading -----------------------------------------------------------------------------------

// A setting of a swept key, or of a part of it, would do nothing.
static sedge_status check_settings(const sedge_sweep *sweep, const char *const *settings, int count)
{
    for (int i = 0; i < count * sweep->keys; i++) {
        const char *const setting = settings[i / sweep->keys];
        const char *const key = sweep->key[i % sweep->keys];
        const size_t length = strlen(key);

        if (strncmp(setting, key, length) != 0 || strchr("=.", setting[length]) == NULL) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "--set %s: the deck sweeps '%s'; without its sweep it is run by --set "
                          "sweep={}",
                          setting, key);
    }
    return SEDGE_OK;
}

static sedge_status take_output(sedge_sweep *out, const char *path, const deck_node *root)
{
    const deck_node *const section = deck_child(root, "output");
    const deck_node *const folder =
        section != NULL && section->kind == DECK_MAPPING ? deck_child(section, "folder") : NULL;
    char name[DECK_FOLDER_MAX];

    deck_default_folder(name, path);
    const bool given = folder != NULL && folder->kind == DECK_SCALAR && folder->text[0] != '\0';
    return deck_copy_string(&out->output, given ? folder->text : name);
}

static sedge_status take_values(sedge_sweep *out, const char *path, const deck_node *sweep)
{
    sedge_text *text = NULL;
    sedge_status status = SEDGE_OK;
    int k = 0;

    SEDGE_TRY(sedge_allocate(&out->key, sweep->count, sizeof *out->key));
    SEDGE_TRY(sedge_allocate(&out->value, (int64_t)sweep->count * sweep->first->count,
                             sizeof *out->value));
    SEDGE_TRY(sedge_allocate(&out->origin, (int64_t)sweep->count * sweep->first->count,
                             sizeof *out->origin));
    out->keys = sweep->count;
    out->runs = sweep->first->count;
    for (const deck_node *node = sweep->first; node != NULL; node = node->next, k++) {
        int at = k;

        SEDGE_TRY_GOTO(status, deck_copy_string(&out->key[k], node->key));
        for (const deck_node *value = node->first; value != NULL; value = value->next) {
            char origin[DECK_ORIGIN_MAX];

            SEDGE_TRY_GOTO(status, sedge_text_create(&text));
            SEDGE_TRY_GOTO(status, write_value(text, value));
            SEDGE_TRY_GOTO(status, deck_copy_string(&out->value[at], sedge_text_get(text)));
            deck_origin(origin, path, value);
            SEDGE_TRY_GOTO(status, deck_copy_string(&out->origin[at], origin));
            sedge_text_free(text);
            text = NULL;
            at += out->keys;
        }
    }
done:
    sedge_text_free(text);
    return status;
}

sedge_status sedge_sweep_read(sedge_sweep *out, const char *path, const char *text, size_t length,
                              const char *const *settings, int count)
{
    deck_node *root = NULL;
    sedge_status status;

    memset(out, 0, sizeof *out);
    SEDGE_TRY_GOTO(status, deck_tree_create(&root, path, text, length));
    for (int i = 0; i < count; i++) SEDGE_TRY_GOTO(status, deck_tree_set(root, path, settings[i]));
    const deck_node *const sweep = deck_child(root, "sweep");
    if (sweep == NULL) goto done;
    SEDGE_TRY_GOTO(status, deck_check_sweep(path, sweep));
    if (sweep->count == 0) goto done;
    SEDGE_TRY_GOTO(status, take_values(out, path, sweep));
    SEDGE_TRY_GOTO(status, take_output(out, path, root));
    status = check_settings(out, settings, count);
done:
    deck_node_free(root);
    return status;
}

static void release_texts(char **texts, int count)
{
    for (int i = 0; i < count && texts != NULL; i++) sedge_release(texts[i]);
    sedge_release(texts);
}

void sedge_sweep_clear(sedge_sweep *sweep)
{
    release_texts(sweep->key, sweep->keys);
    release_texts(sweep->value, sweep->runs * sweep->keys);
    release_texts(sweep->origin, sweep->runs * sweep->keys);
    sedge_release(sweep->output);
}
