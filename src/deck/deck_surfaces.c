// The section mesh.surfaces: closed surfaces that the deck makes inside the mesh.
#include "deck_sections.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// As sedge_enclosure_shape lists them, from SEDGE_ENCLOSURE_GROUPS on.
static const char *const shapes[] = {"groups", "box", "sphere", "plane"};

static sedge_status read_shape(const deck_reader *reader, deck_node *node, const char *where,
                               sedge_mesh_enclosure *out, const char **volumes)
{
    char path[DECK_PATH_MAX];

    deck_path(path, where, node->key);
    switch (out->shape) {
    case SEDGE_ENCLOSURE_GROUPS:
        out->volume = volumes;
        for (const deck_node *child = node->first; child != NULL; child = child->next)
            volumes[out->volumes++] = child->text;
        return SEDGE_OK;
    case SEDGE_ENCLOSURE_BOX:
        SEDGE_TRY(
            deck_check(reader, node, path, deck_section_find("mesh.surfaces.NAME.box"), NULL, 0));
        deck_vector(out->low, reader, deck_child(node, "min"), SEDGE_LENGTH);
        deck_vector(out->high, reader, deck_child(node, "max"), SEDGE_LENGTH);
        for (int d = 0; d < 3; d++) {
            if (out->low[d] < out->high[d]) continue;
            return deck_fail(reader->path, deck_child(node, "max"),
                             "%s.max must exceed min on the %c axis", path, 'x' + d);
        }
        return SEDGE_OK;
    case SEDGE_ENCLOSURE_SPHERE:
        SEDGE_TRY(deck_check(reader, node, path, deck_section_find("mesh.surfaces.NAME.sphere"),
                             NULL, 0));
        deck_vector(out->centre, reader, deck_child(node, "centre"), SEDGE_LENGTH);
        out->radius = deck_real(reader, deck_child(node, "radius"), SEDGE_LENGTH);
        return SEDGE_OK;
    case SEDGE_ENCLOSURE_PLANE:
        SEDGE_TRY(
            deck_check(reader, node, path, deck_section_find("mesh.surfaces.NAME.plane"), NULL, 0));
        for (int d = 0; d < 3; d++) {
            out->low[d] = -HUGE_VAL;
            out->high[d] = HUGE_VAL;
        }
        out->high[deck_child(node, "normal")->text[0] - 'x'] =
            deck_real(reader, deck_child(node, "at"), SEDGE_LENGTH);
        return SEDGE_OK;
    case SEDGE_ENCLOSURE_NAMED:
        break;
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a surface has the shape %d", (int)out->shape);
}

static sedge_status read_surface(const deck_reader *reader, deck_node *node,
                                 sedge_mesh_enclosure *out, const char **volumes)
{
    char where[DECK_PATH_MAX];
    int shape = 0;

    deck_path(where, "mesh.surfaces", node->key);
    SEDGE_TRY(deck_check_name(reader, node, node->key, false));
    if (strcmp(node->key, SEDGE_DEFAULT_GROUP) == 0) {
        return deck_fail(reader->path, node,
                         "%s: '" SEDGE_DEFAULT_GROUP "' is for faces in no surface group; the "
                         "surface needs another name",
                         where);
    }
    SEDGE_TRY(deck_check(reader, node, where, deck_section_find("mesh.surfaces.NAME"), NULL, 0));
    SEDGE_TRY(deck_settle_one(reader, node, where, shapes, sizeof shapes / sizeof *shapes, &shape));
    out->name = node->key;
    out->shape = (sedge_enclosure_shape)(SEDGE_ENCLOSURE_GROUPS + shape);
    return read_shape(reader, deck_child(node, shapes[shape]), where, out, volumes);
}

sedge_status deck_read_surfaces(const deck_reader *reader, sedge_deck *deck)
{
    const deck_node *const section = deck_child(deck_child(deck->tree, "mesh"), "surfaces");
    const deck_node *const boundaries = deck_child(deck->tree, "boundaries");
    deck_node *const first = section != NULL ? section->first : NULL;
    int volumes = 0;

    for (const deck_node *node = first; node != NULL; node = node->next) {
        const deck_node *const groups = deck_child(node, "groups");
        volumes += groups != NULL ? groups->count : 0;
    }
    const int room = (section != NULL ? section->count : 0) +
                     boundaries->count; // with conditions of closed surfaces
    SEDGE_TRY(sedge_allocate(&deck->enclosures, room, sizeof *deck->enclosures));
    SEDGE_TRY(sedge_allocate(&deck->enclosure_origins, room, sizeof *deck->enclosure_origins));
    SEDGE_TRY(sedge_allocate(&deck->enclosed_volumes, volumes, sizeof *deck->enclosed_volumes));
    volumes = 0;
    for (deck_node *node = first; node != NULL; node = node->next) {
        sedge_mesh_enclosure *const out = &deck->enclosures[deck->mesh.enclosures];
        out->where = deck->enclosure_origins[deck->mesh.enclosures];
        deck_origin(deck->enclosure_origins[deck->mesh.enclosures++], reader->path, node);
        SEDGE_TRY(read_surface(reader, node, out, deck->enclosed_volumes + volumes));
        volumes += out->volumes;
    }
    deck->mesh.enclosure = deck->enclosures;
    return SEDGE_OK;
}
