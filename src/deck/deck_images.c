// Images that the deck names: mesh.labels, and numbers of materials.
#include "deck_sections.h"

#include "base/memory.h"
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where an image is, in the checked mapping `node`, whose path is `where`.
static sedge_status read_image(sedge_image_source *out, const deck_reader *reader,
                               const sedge_deck *deck, const deck_node *node, const char *where)
{
    char at[DECK_ORIGIN_MAX];
    const deck_node *const origin = deck_child(node, "origin");
    const deck_node *const spacing = deck_child(node, "spacing");

    deck_origin(at, reader->path, node);
    (void)snprintf(out->where, sizeof out->where, "%s: %s", at, where);
    out->dataset = deck_child(node, "dataset")->text;
    out->has_origin = origin != NULL;
    out->has_spacing = spacing != NULL;
    if (origin != NULL) deck_vector(out->origin, reader, origin, SEDGE_LENGTH);
    if (spacing != NULL) deck_vector(out->spacing, reader, spacing, SEDGE_LENGTH);
    out->unit = deck_factor(reader, SEDGE_LENGTH);
    return deck_resolve_file(&out->file, deck, deck_child(node, "file"));
}

// One entry of `names`.
static sedge_status read_name(const deck_reader *reader, deck_node *node, sedge_image_labels *out)
{
    static const deck_key name = {.type = DECK_NAME};
    const size_t length = strlen(node->key);
    char where[DECK_PATH_MAX];

    deck_path(where, "mesh.labels.names", node->key);
    SEDGE_TRY(deck_value_check(reader, node, where, &name));
    const long label = strtol(node->key, NULL, 10);
    if (length == 0 || length > 8 || strspn(node->key, "0123456789") != length ||
        label > SEDGE_LABEL_MAX) {
        return deck_fail(reader->path, node, "%s: a label is a whole number from 0 to %d", where,
                         SEDGE_LABEL_MAX);
    }
    for (int i = 0; i < out->count; i++) {
        if (out->label[i] != label) continue;
        return deck_fail(reader->path, node, "%s: the label %ld has a name already", where, label);
    }
    out->label[out->count] = (int)label;
    out->name[out->count++] = node->text;
    return SEDGE_OK;
}

sedge_status deck_read_labels(const deck_reader *reader, sedge_deck *deck)
{
    deck_node *const node = deck_child(deck_child(deck->tree, "mesh"), "labels");

    if (node == NULL) return SEDGE_OK;
    SEDGE_TRY(deck_check(reader, node, "mesh.labels", deck_section_find("mesh.labels"), NULL, 0));
    deck_node *const names = deck_child(node, "names");
    if (names->count == 0)
        return deck_fail(reader->path, names, "mesh.labels.names is empty: name a label");
    SEDGE_TRY(sedge_allocate(&deck->labels, 1, sizeof *deck->labels));
    SEDGE_TRY(sedge_allocate(&deck->labels->label, names->count, sizeof *deck->labels->label));
    SEDGE_TRY(sedge_allocate(&deck->labels->name, names->count, sizeof *deck->labels->name));
    for (deck_node *name = names->first; name != NULL; name = name->next)
        SEDGE_TRY(read_name(reader, name, deck->labels));
    deck->mesh.labels = deck->labels;
    return read_image(&deck->labels->image, reader, deck, node, "mesh.labels");
}

// ---- numbers of materials ----------------------------------------------------------------------

// The number `key` of material `i`, whose mapping is `node`.
static sedge_status read_grid(const deck_reader *reader, sedge_deck *deck, deck_node *node, int i,
                              int key)
{
    static const char section[] = "materials.NAME.KEY";
    const sedge_parameter *const number = &deck->equation->materials[key];
    const int place = sedge_parameters_size(deck->equation->materials, key);
    sedge_image_grid *const out = &deck->grids[deck->mesh.grids++];
    char group[DECK_PATH_MAX], where[DECK_PATH_MAX];

    deck_path(group, "materials", deck->materials[i].name);
    deck_path(where, group, number->name);
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find(section), NULL, 0));
    out->volume = deck->materials[i].name;
    out->key = key;
    out->unit = deck_factor(reader, number->dimension);
    out->positive = number->positive;
    deck->materials[i].values[place] = 1.0;
    return read_image(&out->image, reader, deck, node, where);
}

sedge_status deck_read_grids(const deck_reader *reader, sedge_deck *deck)
{
    const sedge_equation *const equation = deck->equation;
    const int64_t most = (int64_t)deck->material_count * equation->material_count;
    const deck_node *material = deck_child(deck->tree, "materials")->first;

    SEDGE_TRY(sedge_allocate(&deck->grids, most, sizeof *deck->grids));
    deck->mesh.grid = deck->grids;
    for (int i = 0; i < deck->material_count; i++, material = material->next) {
        int count = 0;
        for (int key = 0; key < equation->material_count; key++) {
            deck_node *const node = deck_child(material, equation->materials[key].name);
            if (node->kind != DECK_MAPPING || !equation->materials[key].tensor) continue;
            if (++count > SEDGE_VOLUME_VALUES) {
                return deck_fail(reader->path, node, "materials.%s has more than %d images",
                                 material->key, SEDGE_VOLUME_VALUES);
            }
            SEDGE_TRY(read_grid(reader, deck, node, i, key));
        }
    }
    return SEDGE_OK;
}

// ---- both --------------------------------------------------------------------------------------

const char *sedge_deck_image_file(const sedge_deck *deck, int i)
{
    if (deck->labels != NULL && i-- == 0) return deck->labels->image.file;
    return i < deck->mesh.grids ? deck->grids[i].image.file : NULL;
}

void deck_free_images(sedge_deck *deck)
{
    for (int i = 0; i < deck->mesh.grids; i++) sedge_release(deck->grids[i].image.file);
    sedge_release(deck->grids);
    if (deck->labels == NULL) return;
    sedge_release(deck->labels->label);
    sedge_release(deck->labels->name);
    sedge_release(deck->labels->image.file);
    sedge_release(deck->labels);
}
