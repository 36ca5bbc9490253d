// Terms of the deck: materials.GROUP.KIND: {parameters}, where KIND is in sedge_term_kinds.
#include "deck_sections.h"

#include "base/memory.h"

#include <string.h>

// Has the equation a key of materials or a term of this name?
static bool is_own(const sedge_equation *equation, const char *name)
{
    const sedge_term_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_term_kinds_of(kinds, equation, false);

    for (int i = 0; i < equation->material_count; i++)
        if (strcmp(equation->materials[i].name, name) == 0) return true;
    for (int i = 0; i < count; i++)
        if (strcmp(kinds[i]->name, name) == 0) return true;
    return false;
}

// An entry with the name of another equation's term.
static sedge_status refuse_foreign(const deck_reader *reader, const deck_node *node,
                                   const char *where)
{
    for (int i = 0; sedge_term_kinds[i] != NULL; i++) {
        const sedge_term_kind *const kind = sedge_term_kinds[i];
        const deck_node *const entry = deck_child(node, kind->name);
        if (entry == NULL || kind->layer != 0 || is_own(reader->equation, kind->name)) continue;
        return deck_fail(reader->path, entry,
                         "%s.%s is a term of the equation '%s'; this deck has the equation '%s'",
                         where, kind->name, kind->equation, reader->equation->name);
    }
    return SEDGE_OK;
}

sedge_status deck_check_material(const deck_reader *reader, deck_node *node, const char *where)
{
    const sedge_equation *const equation = reader->equation;
    const sedge_term_kind *kinds[SEDGE_MAX_KINDS];
    deck_key keys[SEDGE_MAX_KINDS];
    const int count = sedge_term_kinds_of(kinds, equation, false);

    SEDGE_TRY(deck_expect(reader, node, where, DECK_MAPPING));
    SEDGE_TRY(refuse_foreign(reader, node, where));
    for (int i = 0; i < count; i++)
        keys[i] = (deck_key){.name = kinds[i]->name, .type = DECK_SECTION, .text = kinds[i]->text};
    const deck_section section = {.path = "materials.NAME", .keys = keys, .count = count};
    return deck_check(reader, node, where, &section, equation->materials, equation->material_count);
}

// The terms of one kind.
static sedge_status read_kind(const deck_reader *reader, sedge_deck *deck,
                              const sedge_term_kind *kind)
{
    static const deck_section none = {.path = "materials.NAME.KIND"};
    deck_node *material = deck_child(deck->tree, "materials")->first;

    for (int i = 0; i < deck->material_count; i++, material = material->next) {
        deck_node *const node = deck_child(material, kind->name);
        char group[DECK_PATH_MAX];
        char where[DECK_PATH_MAX];

        if (node == NULL) continue;
        deck_path(group, "materials", material->key);
        deck_path(where, group, kind->name);
        SEDGE_TRY(deck_check(reader, node, where, &none, kind->parameters, kind->parameter_count));
        sedge_deck_term *const term = &deck->terms[deck->term_count++];
        term->kind = kind;
        term->material = i;
        deck_values(term->parameters, reader, node, kind->parameters, kind->parameter_count);
        deck_child_to_end(material, node); // behind the material's own keys
    }
    return SEDGE_OK;
}

// The volume groups with terms are the mesh's classes: no SIMD batch has elements of two of them.
static sedge_status list_volumes(sedge_deck *deck)
{
    int count = 0;

    SEDGE_TRY(sedge_allocate(&deck->term_volumes, deck->material_count, sizeof(char *)));
    for (int i = 0; i < deck->material_count; i++) {
        bool has_term = false;
        for (int k = 0; k < deck->term_count; k++) has_term |= deck->terms[k].material == i;
        if (has_term) deck->term_volumes[count++] = deck->materials[i].name;
    }
    deck->mesh.class_volume = deck->term_volumes;
    deck->mesh.classes = count;
    return SEDGE_OK;
}

sedge_status deck_read_terms(const deck_reader *reader, sedge_deck *deck)
{
    const sedge_term_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_term_kinds_of(kinds, deck->equation, false);

    SEDGE_TRY(
        sedge_allocate(&deck->terms, (int64_t)count * deck->material_count, sizeof *deck->terms));
    for (int i = 0; i < count; i++) SEDGE_TRY(read_kind(reader, deck, kinds[i]));
    return list_volumes(deck);
}
