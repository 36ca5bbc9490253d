// Images that the deck names: mesh.labels.
#include "deck_sections.h"

#include "base/memory.h"
#include "image/image.h"

#include <stdlib.h>
#include <string.h>

// Where an image is, in the checked mapping `node`.
static sedge_status read_image(sedge_image_source *out, const deck_reader *reader,
                               const sedge_deck *deck, const deck_node *node)
{
    const deck_node *const origin = deck_child(node, "origin");
    const deck_node *const spacing = deck_child(node, "spacing");

    _Static_assert(sizeof out->where == DECK_ORIGIN_MAX, "an origin fits");
    deck_origin(out->where, reader->path, node);
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
    return read_image(&deck->labels->image, reader, deck, node);
}

void deck_free_labels(sedge_deck *deck)
{
    if (deck->labels == NULL) return;
    sedge_release(deck->labels->label);
    sedge_release(deck->labels->name);
    sedge_release(deck->labels->image.file);
    sedge_release(deck->labels);
}
