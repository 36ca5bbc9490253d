#include "gmsh.h"

#include "gmsh_type.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

// An element before its nodes: `group` is the tag of its physical group, 0 without one, `entity`
// that of the geometric entity.
typedef struct element {
    const sedge_gmsh_type *type;
    int64_t number;
    int32_t group, entity;
} element;

static sedge_status make_room(sedge_gmsh *file)
{
    sedge_gmsh_triangle *const old = file->triangle;
    sedge_gmsh_triangle *wider;

    file->room = 2 * file->triangles + 1024;
    SEDGE_TRY(sedge_allocate(&wider, file->room, sizeof *wider));
    if (old != NULL) memcpy(wider, old, (size_t)file->triangles * sizeof *wider);
    sedge_release(old);
    file->triangle = wider;
    return SEDGE_OK;
}

// Keep a triangle that is in a group.
static sedge_status keep_triangle(sedge_gmsh *file, const element *one, const int32_t *nodes)
{
    if (one->group == 0) return SEDGE_OK;
    if (file->triangles == INT32_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s has more than %d triangles in surface groups: that is the limit",
                          file->cursor.path, INT32_MAX);
    }
    if (file->triangles == file->room) SEDGE_TRY(make_room(file));
    sedge_gmsh_triangle *const out = &file->triangle[file->triangles++];
    out->tag = one->group;
    memcpy(out->node, nodes, sizeof out->node);
    return SEDGE_OK;
}

static sedge_status keep_tet(sedge_gmsh *file, const element *one, const int32_t *nodes,
                             int64_t elements)
{
    // Gmsh's nodes of edges 01 12 02 03 23 13, from its fifth one.
    static const int middle[SEDGE_GMSH_EDGES] = {4, 6, 5, 7, 9, 8};
    const int64_t t = file->tets;

    if (t > 0 && file->order != one->type->order)
        return sedge_cursor_fail(&file->cursor, "tetrahedra of different orders are mixed");
    if (t == file->most) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "%s has more than %lld tetrahedra: that is the limit",
                          file->cursor.path, (long long)file->most);
    }
    file->order = one->type->order;
    if (file->order == 2 && file->middles == NULL)
        SEDGE_TRY(sedge_allocate(&file->middles, elements, sizeof *file->middles));
    memcpy(file->corners[t], nodes, sizeof file->corners[t]);
    for (int e = 0; e < SEDGE_GMSH_EDGES && file->order == 2; e++)
        file->middles[t][e] = nodes[middle[e]];
    file->numbers[t] = one->number;
    file->tags[t] = one->group;
    file->volumes[t] = one->entity;
    file->tets++;
    return SEDGE_OK;
}

// The nodes of an element, one of `elements`: tetrahedra and triangles in groups are kept.
static sedge_status read_nodes(sedge_gmsh *file, const element *one, int64_t elements)
{
    sedge_cursor *const c = &file->cursor;
    const int corners = one->type->dimension < 2 ? 0 : one->type->dimension + 1;
    int32_t nodes[10] = {0};
    char what[128];

    for (int n = 0; n < one->type->nodes; n++) {
        int64_t number;
        SEDGE_TRY(sedge_gmsh_number(file, &number));
        const int32_t place =
            number < file->low || number > file->high ? 0 : file->node_places[number - file->low];
        if (place == 0) {
            (void)snprintf(what, sizeof what, "element %lld has node %lld, which is not in $Nodes",
                           (long long)one->number, (long long)number);
            return sedge_cursor_fail(c, what);
        }
        if (n < 10) nodes[n] = place - 1;
        for (int m = 0; m < n && n < corners; m++) {
            if (nodes[m] != nodes[n]) continue;
            (void)snprintf(what, sizeof what, "element %lld has node %lld twice",
                           (long long)one->number, (long long)number);
            return sedge_cursor_fail(c, what);
        }
    }
    if (one->type->dimension == 2) return keep_triangle(file, one, nodes);
    return one->type->dimension == 3 ? keep_tet(file, one, nodes, elements) : SEDGE_OK;
}

// ASCII: number, type, count of tags, tags, nodes. Binary: blocks of (type, elements, count of
// tags), then number, tags, nodes of each. The first tag is the physical group, the second the
// geometric entity; partitions may follow.
static sedge_status read_elements2(sedge_gmsh *file, int64_t total)
{
    sedge_cursor *const c = &file->cursor;
    element one = {0};
    int64_t follow = 0;
    int64_t tags = 0;
    int64_t code;

    for (int64_t e = 0; e < total; e++) {
        if (!c->binary) {
            SEDGE_TRY(sedge_cursor_int(c, &one.number));
            SEDGE_TRY(sedge_cursor_int(c, &code));
            SEDGE_TRY(sedge_cursor_int(c, &tags));
        } else if (follow == 0) {
            SEDGE_TRY(sedge_cursor_int(c, &code));
            SEDGE_TRY(sedge_cursor_int(c, &follow));
            SEDGE_TRY(sedge_cursor_int(c, &tags));
            if (follow < 1 || follow > total - e)
                return sedge_cursor_fail(c, "a block holds more elements than are announced");
        }
        if (tags < 0 || tags > 1000) return sedge_cursor_fail(c, "the count of tags is not usable");
        if (c->binary) SEDGE_TRY(sedge_cursor_int(c, &one.number));
        if (one.type == NULL || one.type->type != code)
            SEDGE_TRY(sedge_gmsh_type_find(&one.type, c, code, one.number));
        int64_t tag[3] = {0, 0, 0}; // all behind the second one are in the third
        for (int64_t t = 0; t < tags; t++) SEDGE_TRY(sedge_cursor_int(c, &tag[t < 2 ? t : 2]));
        SEDGE_TRY(sedge_gmsh_group(file, tag[0], &one.group));
        one.entity = (int32_t)tag[1];
        SEDGE_TRY(read_nodes(file, &one, total));
        if (c->binary) follow--;
    }
    return SEDGE_OK;
}

// The group of the entity that a block of elements refers to. Without a section $Entities there are
// no groups. A surface or volume in two groups is refused: it would have two conditions or
// materials.
static sedge_status find_group(sedge_gmsh *file, const sedge_gmsh_block *block, element *out)
{
    sedge_gmsh_entity *const entity = sedge_gmsh_find_entity(file, block->dimension, block->tag);
    char text[2][SEDGE_GROUP_TEXT];
    char what[320];

    out->group = entity != NULL ? entity->group[0] : 0;
    out->entity = (int32_t)block->tag;
    if (entity != NULL) entity->filled = true;
    if (entity == NULL && file->entities.entity != NULL) {
        (void)snprintf(what, sizeof what,
                       "a block refers to the entity %lld of dimension %lld, which is not in "
                       "$Entities%s",
                       (long long)block->tag, (long long)block->dimension,
                       file->parts.entity == NULL
                           ? ""
                           : "; of a partitioned mesh all parts must be in one file (in Gmsh, "
                             "Mesh.PartitionSplitMeshFiles = 0)");
        return sedge_cursor_fail(&file->cursor, what);
    }
    if (entity == NULL || entity->group[1] == 0 || block->dimension < 2) return SEDGE_OK;
    for (int i = 0; i < 2; i++)
        sedge_gmsh_describe(file, entity->dimension, entity->group[i], text[i]);
    const char *const kind = block->dimension == 2 ? "surface" : "volume";
    (void)snprintf(what, sizeof what,
                   "%s %lld is in two physical groups, %s and %s; a %s can be in one only", kind,
                   (long long)block->tag, text[0], text[1], kind);
    return sedge_cursor_fail(&file->cursor, what);
}

static sedge_status read_elements4(sedge_gmsh *file, int64_t blocks, int64_t total)
{
    sedge_cursor *const c = &file->cursor;
    int64_t done = 0;

    for (int64_t b = 0; b < blocks; b++) {
        sedge_gmsh_block block;
        element one = {0};
        SEDGE_TRY(sedge_gmsh_read_block(file, &block, 4));
        if (block.count > total - done)
            return sedge_cursor_fail(c, "the blocks hold more elements than are announced");
        done += block.count;
        if (block.count > 0) SEDGE_TRY(find_group(file, &block, &one));
        for (int64_t e = 0; e < block.count; e++) {
            SEDGE_TRY(sedge_gmsh_number(file, &one.number));
            if (e == 0) SEDGE_TRY(sedge_gmsh_type_find(&one.type, c, block.third, one.number));
            if (one.type->dimension != block.dimension)
                return sedge_cursor_fail(c, "the element type does not fit the entity's dimension");
            SEDGE_TRY(read_nodes(file, &one, total));
        }
    }
    if (done != total)
        return sedge_cursor_fail(c, "the blocks hold fewer elements than the section announces");
    return SEDGE_OK;
}

// Of a partitioned mesh a file may have one part, but it has a list of all. Volumes in no group are
// not saved.
static sedge_status check_parts(const sedge_gmsh *file)
{
    for (int64_t i = 0; i < file->parts.count; i++) {
        const sedge_gmsh_entity *const part = &file->parts.entity[i];
        if (part->dimension < 3 || part->group[0] == 0 || part->filled) continue;
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s has no elements of %d, a part of a volume: of a partitioned mesh all "
                          "parts must be in one file (in Gmsh, Mesh.PartitionSplitMeshFiles = 0)",
                          file->cursor.path, part->tag);
    }
    return SEDGE_OK;
}

sedge_status sedge_gmsh_read_elements(sedge_gmsh *file)
{
    int64_t blocks;
    int64_t total;

    if (file->points == NULL) return sedge_cursor_fail(&file->cursor, "$Nodes must come before");
    SEDGE_TRY(sedge_gmsh_read_counts(file, &blocks, &total, 4));
    SEDGE_TRY(sedge_allocate(&file->numbers, total, sizeof *file->numbers));
    SEDGE_TRY(sedge_allocate(&file->corners, total, sizeof *file->corners));
    SEDGE_TRY(sedge_allocate(&file->tags, total, sizeof *file->tags));
    SEDGE_TRY(sedge_allocate(&file->volumes, total, sizeof *file->volumes));
    SEDGE_TRY(file->version == SEDGE_GMSH_2 ? read_elements2(file, total)
                                            : read_elements4(file, blocks, total));
    SEDGE_TRY(sedge_gmsh_end(file, "$EndElements"));
    if (file->tets > 0) return check_parts(file);
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "%s has no tetrahedra among its %lld elements: make a mesh in 3-D, and if "
                      "there are Physical Surfaces put every volume into a Physical Volume, for "
                      "then Gmsh saves nothing that is in no group",
                      file->cursor.path, (long long)total);
}
