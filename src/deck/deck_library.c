// Keys of a material that stand for others: materials.GROUP.library: NAME, a named material of the
// equation in place of its numbers, and the equation's shorthands. Each is replaced by the keys and
// terms that it stands for, so that the resolved deck has the numbers.
#include "deck_sections.h"

#include <stdio.h>
#include <string.h>

// The material that `node` names.
static sedge_status find_material(const sedge_library_material **out, const deck_reader *reader,
                                  const deck_node *node, const char *where)
{
    const char *names[SEDGE_MAX_KINDS];
    int count = 0;
    int index = 0;

    for (const sedge_library_material *m = reader->equation->library; m->name != NULL; m++)
        if (count < SEDGE_MAX_KINDS) names[count++] = m->name;
    SEDGE_TRY(deck_choose(&index, reader, node, where, names, count));
    *out = &reader->equation->library[index];
    return SEDGE_OK;
}

static const sedge_term_kind *find_kind(const sedge_equation *equation, const char *name)
{
    const sedge_term_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_term_kinds_of(kinds, equation, false);

    for (int i = 0; i < count; i++)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}

// The YAML of all entries with the key of `first`: a number, or a list of mappings.
static sedge_status write_entry(sedge_text *out, const sedge_library_entry *first,
                                const sedge_term_kind *kind)
{
    char number[32];

    deck_print_number(number, first->values[0]);
    if (kind == NULL) return sedge_text_add(out, "%s", number);
    SEDGE_TRY(sedge_text_add(out, "["));
    for (const sedge_library_entry *e = first; e->key != NULL; e++) {
        if (strcmp(e->key, first->key) != 0) continue;
        SEDGE_TRY(sedge_text_add(out, "%s{", e == first ? "" : ", "));
        for (int i = 0; i < kind->parameter_count; i++) {
            deck_print_number(number, e->values[i]);
            SEDGE_TRY(sedge_text_add(out, "%s%s: %s", i == 0 ? "" : ", ", kind->parameters[i].name,
                                     number));
        }
        SEDGE_TRY(sedge_text_add(out, "}"));
    }
    return sedge_text_add(out, "]");
}

// Add the key of `entry` with all its entries. A number that is there gets the new value.
static sedge_status add_entry(const deck_reader *reader, deck_node *node,
                              const sedge_library_entry *entry)
{
    const sedge_term_kind *const kind = find_kind(reader->equation, entry->key);
    deck_node *const own = deck_child(node, entry->key);
    deck_node *made = NULL;
    sedge_text *yaml = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&yaml));
    SEDGE_TRY_GOTO(status, write_entry(yaml, entry, kind));
    if (own != NULL) {
        SEDGE_TRY_GOTO(status, deck_node_text(own, sedge_text_get(yaml), true));
    } else {
        SEDGE_TRY_GOTO(status, deck_tree_add(&made, node, entry->key, sedge_text_get(yaml)));
    }
done:
    sedge_text_free(yaml);
    return status;
}

// Is an earlier entry of this key in the list?
static bool is_done(const sedge_library_entry *entries, const sedge_library_entry *entry)
{
    for (const sedge_library_entry *e = entries; e != entry; e++)
        if (strcmp(e->key, entry->key) == 0) return true;
    return false;
}

sedge_status deck_expand_library(const sedge_library_material **out, const deck_reader *reader,
                                 deck_node *node, const char *where)
{
    const sedge_library_material *material = NULL;
    char path[DECK_PATH_MAX];

    *out = NULL;
    SEDGE_TRY(deck_expect(reader, node, where, DECK_MAPPING));
    deck_node *const name = deck_child(node, "library");
    if (name == NULL || reader->equation->library == NULL) return SEDGE_OK;
    deck_path(path, where, "library");
    SEDGE_TRY(find_material(&material, reader, name, path));
    if (!reader->si) {
        return deck_fail(reader->path, name,
                         "%s '%s' has frequencies in Hz: it needs a deck with 'units: si'", path,
                         material->name);
    }
    for (const sedge_library_entry *e = material->entries; e->key != NULL; e++) {
        const deck_node *const own = deck_child(node, e->key);
        if (is_done(material->entries, e)) continue;
        if (own != NULL) {
            return deck_fail(reader->path, own,
                             "%s has '%s' and the library's '%s', which has it, too: remove one",
                             where, e->key, material->name);
        }
        SEDGE_TRY(add_entry(reader, node, e));
    }
    deck_child_remove(node, name);
    *out = material;
    return SEDGE_OK;
}

// ---- shorthands ---------------------------------------------------------------------------------

static sedge_status refuse_others(const deck_reader *reader, const deck_node *node,
                                  const char *where, const sedge_shorthand *shorthand)
{
    for (const char *const *name = shorthand->without; *name != NULL; name++) {
        const deck_node *const other = deck_child(node, *name);
        if (other == NULL) continue;
        return deck_fail(reader->path, other,
                         "%s has both '%s' and '%s', which contradict each other: remove one",
                         where, shorthand->name, *name);
    }
    return SEDGE_OK;
}

// The number of the material's key that the shorthand needs.
static sedge_status find_number(double *out, const deck_reader *reader, deck_node *node,
                                const char *where, const sedge_shorthand *shorthand)
{
    const sedge_parameter *parameter = reader->equation->materials;
    deck_node *const own = deck_child(node, shorthand->of);
    char path[DECK_PATH_MAX];

    while (strcmp(parameter->name, shorthand->of) != 0) parameter++;
    *out = parameter->fallback[0];
    if (own == NULL) return SEDGE_OK;
    if (own->kind != DECK_SCALAR) {
        return deck_fail(reader->path, own,
                         "%s.%s must be one number beside '%s', not a tensor or an image: give "
                         "what '%s' stands for by its own keys",
                         where, shorthand->of, shorthand->name, shorthand->name);
    }
    deck_key key = deck_key_of(parameter);
    deck_path(path, where, shorthand->of);
    SEDGE_TRY(deck_value_check(reader, own, path, &key));
    *out = deck_real(reader, own, parameter->dimension);
    return SEDGE_OK;
}

// From code units to the deck's.
static void scale_entry(const deck_reader *reader, sedge_library_entry *entry)
{
    const sedge_term_kind *const kind = find_kind(reader->equation, entry->key);
    const sedge_parameter *number = reader->equation->materials;

    for (int i = 0; kind != NULL && i < kind->parameter_count; i++)
        entry->values[i] /= deck_factor(reader, kind->parameters[i].dimension);
    if (kind != NULL) return;
    while (strcmp(number->name, entry->key) != 0) number++;
    entry->values[0] /= deck_factor(reader, number->dimension);
}

static sedge_status expand(const deck_reader *reader, deck_node *node, const char *where,
                           const sedge_shorthand *shorthand)
{
    static const deck_section none = {.path = "materials.NAME.KIND"};
    deck_node *const entry = deck_child(node, shorthand->name);
    sedge_library_entry entries[SEDGE_MAX_SHORTHAND + 1];
    double p[SEDGE_MAX_VALUES];
    double of;
    char path[DECK_PATH_MAX];
    char message[256];

    if (entry == NULL) return SEDGE_OK;
    deck_path(path, where, shorthand->name);
    SEDGE_TRY(refuse_others(reader, node, where, shorthand));
    SEDGE_TRY(
        deck_check(reader, entry, path, &none, shorthand->parameters, shorthand->parameter_count));
    SEDGE_TRY(find_number(&of, reader, node, where, shorthand));
    deck_values(p, reader, entry, shorthand->parameters, shorthand->parameter_count);
    if (!shorthand->expand(entries, of, p, message))
        return deck_fail(reader->path, entry, "%s: %s", path, message);
    for (sedge_library_entry *e = entries; e->key != NULL; e++) scale_entry(reader, e);
    for (const sedge_library_entry *e = entries; e->key != NULL; e++)
        if (!is_done(entries, e)) SEDGE_TRY(add_entry(reader, node, e));
    deck_child_remove(node, entry);
    return SEDGE_OK;
}

sedge_status deck_expand_shorthands(const deck_reader *reader, deck_node *node, const char *where)
{
    SEDGE_TRY(deck_expect(reader, node, where, DECK_MAPPING));
    if (reader->equation->shorthands == NULL) return SEDGE_OK;
    for (const sedge_shorthand *s = reader->equation->shorthands; s->name != NULL; s++)
        SEDGE_TRY(expand(reader, node, where, s));
    return SEDGE_OK;
}
