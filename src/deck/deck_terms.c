// Terms of the deck: materials.GROUP.KIND: {parameters}, where KIND is in sedge_term_kinds; or a
// list of such mappings, the poles of a kind that has some. A tensor in place of a material's
// number is a term, too.
#include "deck_sections.h"

#include "base/memory.h"
#include "dg/dense.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
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
    int count = sedge_term_kinds_of(kinds, equation, false);

    SEDGE_TRY(deck_expect(reader, node, where, DECK_MAPPING));
    SEDGE_TRY(refuse_foreign(reader, node, where));
    for (int i = 0; i < count; i++) {
        const deck_node *const entry = deck_child(node, kinds[i]->name);
        const bool list = kinds[i]->poles > 0 && entry != NULL && entry->kind == DECK_SEQUENCE;
        keys[i] = (deck_key){.name = kinds[i]->name,
                             .type = list ? DECK_LIST : DECK_SECTION,
                             .text = kinds[i]->text};
    }
    // Those that are there have been replaced: for messages about unknown keys.
    for (const sedge_shorthand *s = equation->shorthands; s != NULL && s->name != NULL; s++) {
        if (count < SEDGE_MAX_KINDS)
            keys[count++] = (deck_key){.name = s->name, .type = DECK_SECTION, .text = s->text};
    }
    const deck_section section = {.path = "materials.NAME", .keys = keys, .count = count};
    return deck_check(reader, node, where, &section, equation->materials, equation->material_count);
}

// One pole: the mapping `node`.
static sedge_status read_pole(const deck_reader *reader, deck_node *node, const char *where,
                              sedge_deck_term *term)
{
    static const deck_section none = {.path = "materials.NAME.KIND"};
    const sedge_term_kind *const kind = term->kind;
    const int size = sedge_parameters_size(kind->parameters, kind->parameter_count);

    SEDGE_TRY(deck_check(reader, node, where, &none, kind->parameters, kind->parameter_count));
    deck_values(term->parameters + (ptrdiff_t)term->poles * size, reader, node, kind->parameters,
                kind->parameter_count);
    term->poles++;
    return SEDGE_OK;
}

// A mapping, or a list of 1 to kind->poles mappings.
static sedge_status read_term(const deck_reader *reader, deck_node *node, const char *where,
                              sedge_deck_term *term)
{
    const sedge_term_kind *const kind = term->kind;
    const int64_t size = sedge_parameters_size(kind->parameters, kind->parameter_count);
    const bool one = node->kind == DECK_MAPPING;

    if (!one && (node->count < 1 || node->count > kind->poles)) {
        return deck_fail(reader->path, node, "%s has %d poles; it must have 1 to %d", where,
                         node->count, kind->poles);
    }
    SEDGE_TRY(sedge_allocate(&term->parameters, (one ? 1 : node->count) * size, sizeof(double)));
    if (one) return read_pole(reader, node, where, term);
    for (deck_node *pole = node->first; pole != NULL; pole = pole->next) {
        char number[16];
        char path[DECK_PATH_MAX];

        (void)snprintf(number, sizeof number, "%d", term->poles);
        deck_path(path, where, number);
        SEDGE_TRY(read_pole(reader, pole, path, term));
    }
    return SEDGE_OK;
}

// The terms of one kind.
static sedge_status read_kind(const deck_reader *reader, sedge_deck *deck,
                              const sedge_term_kind *kind)
{
    deck_node *material = deck_child(deck->tree, "materials")->first;

    for (int i = 0; i < deck->material_count; i++, material = material->next) {
        deck_node *const node = deck_child(material, kind->name);
        char group[DECK_PATH_MAX];
        char where[DECK_PATH_MAX];

        if (node == NULL) continue;
        deck_path(group, "materials", material->key);
        deck_path(where, group, kind->name);
        sedge_deck_term *const term = &deck->terms[deck->term_count++];
        term->kind = kind;
        term->material = i;
        SEDGE_TRY(read_term(reader, node, where, term));
        deck_child_to_end(material, node); // behind the material's own keys
    }
    return SEDGE_OK;
}

// The deck's key of a tensor: its place among the equation's.
static int find_key(const sedge_equation *equation, const char *name)
{
    int i = 0;

    while (strcmp(equation->materials[i].name, name) != 0) i++;
    return i;
}

// A tensor must be symmetric, and positive definite where the number that it stands for must be
// positive, else positive semidefinite.
static sedge_status check_tensor(const deck_reader *reader, const deck_node *node,
                                 const char *where, bool symmetric, bool positive,
                                 const double t[6], double unit)
{
    double values[3];

    if (!symmetric) {
        return deck_fail(reader->path, node,
                         "%s is a tensor that is not symmetric; only symmetric ones are available",
                         where);
    }
    sedge_symmetric_values(values, t);
    // Of a semidefinite tensor rounding may make the least value negative.
    const double least = positive ? 0.0 : -1e-12 * fabs(values[2]);
    if (positive ? values[0] > 1e-12 * values[2] : values[0] >= least) return SEDGE_OK;
    return deck_fail(reader->path, node,
                     "%s is a tensor with the principal values %.6g, %.6g and %.6g: they must be "
                     "%s",
                     where, values[0] / unit, values[1] / unit, values[2] / unit,
                     positive ? "greater than 0" : "at least 0");
}

// The tensors that have the law of one kind.
static sedge_status read_tensors(const deck_reader *reader, sedge_deck *deck,
                                 const sedge_term_kind *kind)
{
    const int place = find_key(deck->equation, kind->tensor);
    const sedge_parameter *const key = &deck->equation->materials[place];
    const int at = sedge_parameters_size(deck->equation->materials, place);
    const deck_node *material = deck_child(deck->tree, "materials")->first;

    for (int i = 0; i < deck->material_count; i++, material = material->next) {
        const deck_node *const node = deck_child(material, kind->tensor);
        sedge_deck_term *const term = &deck->terms[deck->term_count];
        double *const t = term->tensor;
        char group[DECK_PATH_MAX];
        char where[DECK_PATH_MAX];

        if (node->kind != DECK_SEQUENCE) continue;
        deck_path(group, "materials", material->key);
        deck_path(where, group, kind->tensor);
        const bool symmetric = deck_tensor(t, reader, node, key->dimension);
        SEDGE_TRY(check_tensor(reader, node, where, symmetric, key->positive, t,
                               deck_factor(reader, key->dimension)));
        const bool same = !(t[0] < t[1]) && !(t[0] > t[1]) && !(t[0] < t[2]) && !(t[0] > t[2]);
        deck->materials[i].values[at] = t[0];
        if (same && !(fabs(t[3]) + fabs(t[4]) + fabs(t[5]) > 0.0)) continue; // a number
        deck->term_count++;
        SEDGE_TRY(sedge_allocate(&term->parameters, 6, sizeof *term->parameters));
        kind->from_tensor(t, term->parameters, &deck->materials[i].values[at]);
        term->kind = kind;
        term->material = i;
        term->poles = 1;
    }
    return SEDGE_OK;
}

// Does the equation's source act in a material?
static bool has_source(const sedge_deck *deck, const sedge_deck_material *material)
{
    double m[SEDGE_MAX_MATERIALS] = {0.0};

    if (deck->equation->derive != NULL) deck->equation->derive(material->values, m);
    return sedge_equation_has_source(deck->equation, m);
}

// The volume groups with terms or a source are the mesh's classes: no SIMD batch has elements of
// two of them.
static sedge_status list_volumes(sedge_deck *deck)
{
    int count = 0;

    SEDGE_TRY(sedge_allocate(&deck->term_volumes, deck->material_count, sizeof(char *)));
    for (int i = 0; i < deck->material_count; i++) {
        bool has_some = has_source(deck, &deck->materials[i]);
        for (int k = 0; k < deck->term_count; k++) has_some |= deck->terms[k].material == i;
        if (has_some) deck->term_volumes[count++] = deck->materials[i].name;
    }
    deck->mesh.class_volume = deck->term_volumes;
    deck->mesh.classes = count;
    return SEDGE_OK;
}

sedge_status deck_read_terms(const deck_reader *reader, sedge_deck *deck)
{
    const sedge_term_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_term_kinds_of(kinds, deck->equation, true);

    SEDGE_TRY(
        sedge_allocate(&deck->terms, (int64_t)count * deck->material_count, sizeof *deck->terms));
    for (int i = 0; i < count; i++) {
        if (kinds[i]->layer != 0) continue;
        SEDGE_TRY(kinds[i]->tensor != NULL ? read_tensors(reader, deck, kinds[i])
                                           : read_kind(reader, deck, kinds[i]));
    }
    return list_volumes(deck);
}
