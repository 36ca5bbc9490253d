#include "deck_check.h"

#include "base/plain.h"

#include <stdio.h>
#include <string.h>

#define NAMES_MAX 128 // known names at one place of the deck

// ---- signals ------------------------------------------------------------------------------------

// Put a default that depends on another key of the signal.
static sedge_status complete_signal(const deck_reader *reader, deck_node *node, const char *where,
                                    const sedge_signal_parameter *parameter)
{
    static const deck_key anything = {.type = DECK_REAL};
    deck_node *const source = deck_child(node, parameter->from);
    deck_node *made = NULL;
    char path[DECK_PATH_MAX];
    char text[32];

    if (source == NULL || deck_child(node, parameter->parameter.name) != NULL) return SEDGE_OK;
    deck_path(path, where, parameter->from);
    SEDGE_TRY(deck_value_check(reader, source, path, &anything));
    const double value = sedge_plain_read(source->text, NULL);
    if (!(value > 0.0)) return SEDGE_OK; // the row itself will say so
    deck_print_number(text,
                      parameter->inverse ? parameter->factor / value : parameter->factor * value);
    return deck_tree_add(&made, node, parameter->parameter.name, text);
}

static sedge_status check_signal(const deck_reader *reader, deck_node *node, const char *where,
                                 const deck_key *key)
{
    const deck_key scaled = {.type = DECK_REAL, .dimension = key->dimension};
    const char *names[SEDGE_SIGNAL_KINDS];
    deck_signal_rows rows;
    char path[DECK_PATH_MAX];
    int index = 0;

    SEDGE_TRY(deck_expect(reader, node, where, DECK_MAPPING));
    const deck_node *const type = deck_child(node, "type");
    if (type == NULL) {
        char known[256];
        sedge_signal_names(known, sizeof known);
        return deck_fail(reader->path, node, "%s needs 'type', one of: %s", where, known);
    }
    for (int i = 0; i < SEDGE_SIGNAL_KINDS; i++) names[i] = sedge_signal_kinds[i]->name;
    deck_path(path, where, "type");
    SEDGE_TRY(deck_choose(&index, reader, type, path, names, SEDGE_SIGNAL_KINDS));
    const sedge_signal_kind *const kind = sedge_signal_kinds[index];
    for (int i = 0; i < kind->parameter_count; i++) {
        if (kind->parameters[i].from != NULL)
            SEDGE_TRY(complete_signal(reader, node, where, &kind->parameters[i]));
    }
    const deck_section section = deck_signal_section(&rows, kind);
    SEDGE_TRY(deck_check(reader, node, where, &section, NULL, 0));
    deck_path(path, where, "amplitude"); // once more, with its dimension
    return deck_value_check(reader, deck_child(node, "amplitude"), path, &scaled);
}

// ---- mappings -----------------------------------------------------------------------------------

sedge_status deck_check_value(const deck_reader *reader, deck_node *node, const char *where,
                              const deck_key *key)
{
    return key->type == DECK_SIGNAL ? check_signal(reader, node, where, key)
                                    : deck_value_check(reader, node, where, key);
}

static sedge_status refuse_unknown(const deck_reader *reader, const deck_node *node,
                                   const char *where, const char *const *names, int count)
{
    for (const deck_node *child = node->first; child != NULL; child = child->next) {
        char path[DECK_PATH_MAX];
        char message[640];
        bool known = false;

        for (int i = 0; i < count && !known; i++) known = strcmp(child->key, names[i]) == 0;
        if (known) continue;
        deck_path(path, where, child->key);
        for (int i = 0; i < deck_reserved_count; i++) {
            if (strcmp(path, deck_reserved_keys[i].path) == 0)
                return deck_fail(reader->path, child, "'%s': %s", path, deck_reserved_keys[i].text);
        }
        (void)snprintf(message, sizeof message, "unknown key '%.64s'%s%.200s", child->key,
                       *where != '\0' ? " in " : "", where);
        deck_suggest(message, sizeof message, child->key, names, count);
        return deck_fail(reader->path, child, "%s", message);
    }
    return SEDGE_OK;
}

// Remove a child, if it is there, and what goes only with it.
static void remove_with_company(deck_node *node, const deck_section *section, const char *name)
{
    deck_node *const child = deck_child(node, name);

    if (child != NULL) deck_child_remove(node, child);
    for (int i = 0; i < section->count; i++) {
        const deck_key *const key = &section->keys[i];
        if (key->with != NULL && strcmp(key->with, name) == 0 &&
            deck_child(node, key->name) != NULL)
            deck_child_remove(node, deck_child(node, key->name));
    }
}

// Exactly one of two keys; a setting wins over the file.
static sedge_status settle_either(const deck_reader *reader, deck_node *node, const char *where,
                                  const deck_section *section, const deck_key *key)
{
    const deck_node *const one = deck_child(node, key->name);
    const deck_node *const other = deck_child(node, key->either);

    if (one == NULL && other == NULL) {
        return deck_fail(reader->path, node, "%s needs '%s' or '%s'", where, key->name,
                         key->either);
    }
    if (one == NULL || other == NULL) return SEDGE_OK;
    if ((one->setting == NULL) == (other->setting == NULL)) {
        return deck_fail(reader->path, one, "%s takes one of '%s' and '%s' (line %d), not both",
                         where, key->name, key->either, other->line);
    }
    remove_with_company(node, section, one->setting == NULL ? key->name : key->either);
    return SEDGE_OK;
}

// What `with` and `without` say of a row: may the key be there? Else fail if it is.
static sedge_status settle_company(bool *allowed, const deck_reader *reader, const deck_node *node,
                                   const char *where, const deck_key *key)
{
    const deck_node *const child = deck_child(node, key->name);

    *allowed = (key->with == NULL || deck_child(node, key->with) != NULL) &&
               (key->without == NULL || deck_child(node, key->without) == NULL);
    if (*allowed || child == NULL) return SEDGE_OK;
    if (key->with != NULL) {
        return deck_fail(reader->path, child, "'%s' in %s goes only with '%s'", key->name, where,
                         key->with);
    }
    return deck_fail(reader->path, child, "'%s' in %s does not go with '%s'", key->name, where,
                     key->without);
}

static sedge_status check_row(const deck_reader *reader, deck_node *node, const char *where,
                              const deck_key *key)
{
    char path[DECK_PATH_MAX];
    bool allowed = true;

    SEDGE_TRY(settle_company(&allowed, reader, node, where, key));
    if (!allowed) return SEDGE_OK;
    deck_node *child = deck_child(node, key->name);
    if (child == NULL && key->required) {
        return deck_fail(reader->path, node, "%s needs the key '%s'",
                         *where != '\0' ? where : "the deck", key->name);
    }
    if (child == NULL && key->fallback == NULL) return SEDGE_OK;
    if (child == NULL) {
        SEDGE_TRY(deck_tree_add(&child, node, key->name, key->fallback));
    } else {
        deck_child_to_end(node, child);
    }
    deck_path(path, where, key->name);
    return deck_check_value(reader, child, path, key);
}

// The default of an equation's parameter, in the deck's units, as YAML.
static void print_fallback(char text[128], const deck_reader *reader,
                           const sedge_parameter *parameter)
{
    const double factor = deck_factor(reader, parameter->dimension);
    const bool triple = sedge_parameter_size(parameter) == 3;
    char numbers[3][32];

    for (int i = 0; i < 3; i++) deck_print_number(numbers[i], parameter->fallback[i] / factor);
    if (parameter->type == SEDGE_PARAMETER_WEIGHTS) {
        (void)snprintf(text, 128, "{}");
    } else if (triple) {
        (void)snprintf(text, 128, "[%s, %s, %s]", numbers[0], numbers[1], numbers[2]);
    } else {
        (void)snprintf(text, 128, "%s", numbers[0]);
    }
}

sedge_status deck_check(const deck_reader *reader, deck_node *node, const char *where,
                        const deck_section *section, const sedge_parameter *parameters, int count)
{
    const char *names[NAMES_MAX];
    int known = 0;

    SEDGE_TRY(deck_expect(reader, node, where, DECK_MAPPING));
    const int rows = section != NULL ? section->count : 0;
    for (int i = 0; i < rows && known < NAMES_MAX; i++) names[known++] = section->keys[i].name;
    for (int i = 0; i < count && known < NAMES_MAX; i++) names[known++] = parameters[i].name;
    SEDGE_TRY(refuse_unknown(reader, node, where, names, known));

    for (int i = 0; i < rows; i++) {
        if (section->keys[i].either != NULL)
            SEDGE_TRY(settle_either(reader, node, where, section, &section->keys[i]));
    }
    for (int i = 0; i < rows; i++) SEDGE_TRY(check_row(reader, node, where, &section->keys[i]));
    for (int i = 0; i < count; i++) {
        char fallback[128];
        deck_key key = deck_key_of(&parameters[i]);

        print_fallback(fallback, reader, &parameters[i]);
        if (!key.required) key.fallback = fallback;
        SEDGE_TRY(check_row(reader, node, where, &key));
    }
    return SEDGE_OK;
}

sedge_status deck_settle_one(const deck_reader *reader, deck_node *node, const char *where,
                             const char *const *names, int count, int *index)
{
    const deck_node *given = NULL;
    char list[256] = "";
    bool set = false;

    for (int i = 0; i < count; i++) {
        const deck_node *const child = deck_child(node, names[i]);
        const size_t length = strlen(list);

        set = set || (child != NULL && child->setting != NULL);
        (void)snprintf(list + length, sizeof list - length, "%s'%s'",
                       i == 0 ? "" : (i + 1 < count ? ", " : " and "), names[i]);
    }
    for (int i = 0; i < count; i++) {
        deck_node *const child = deck_child(node, names[i]);

        if (child == NULL) continue;
        if (set && child->setting == NULL) {
            deck_child_remove(node, child);
            continue;
        }
        if (given != NULL) {
            return deck_fail(reader->path, child, "%s takes one of '%s' and '%s', not both", where,
                             given->key, child->key);
        }
        given = child;
        *index = i;
    }
    if (given != NULL) return SEDGE_OK;
    return deck_fail(reader->path, node, "%s needs one of %s", where, list);
}
