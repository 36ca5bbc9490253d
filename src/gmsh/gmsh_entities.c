#include "gmsh.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_entities(const void *left, const void *right)
{
    const sedge_gmsh_entity *const a = left, *const b = right;

    if (a->dimension != b->dimension) return a->dimension < b->dimension ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static sedge_gmsh_entity *find(const sedge_gmsh_entities *list, int64_t dimension, int64_t tag)
{
    const sedge_gmsh_entity key = {.dimension = (int)dimension, .tag = (int)tag};

    return list->count == 0
               ? NULL
               : bsearch(&key, list->entity, (size_t)list->count, sizeof key, compare_entities);
}

sedge_gmsh_entity *sedge_gmsh_find_entity(const sedge_gmsh *file, int64_t dimension, int64_t tag)
{
    sedge_gmsh_entity *const part = find(&file->parts, dimension, tag);

    return part != NULL ? part : find(&file->entities, dimension, tag);
}

static sedge_status skip_doubles(sedge_gmsh *file, int count)
{
    double value;

    for (int i = 0; i < count; i++) SEDGE_TRY(sedge_cursor_double(&file->cursor, &value));
    return SEDGE_OK;
}

// A count, then as many integers, of which the first two are kept.
static sedge_status read_list(sedge_gmsh *file, int64_t kept[2])
{
    int64_t length;
    int64_t value;

    kept[0] = kept[1] = 0;
    SEDGE_TRY(sedge_cursor_size(&file->cursor, &length));
    SEDGE_TRY(sedge_cursor_room(&file->cursor, length, 2));
    for (int64_t i = 0; i < length; i++) {
        SEDGE_TRY(sedge_cursor_int(&file->cursor, &value));
        if (i < 2) kept[i] = value;
    }
    return SEDGE_OK;
}

// An entity from behind its tag: its box (a point's place), its groups, what bounds it.
static sedge_status read_entity(sedge_gmsh *file, sedge_gmsh_entity *out)
{
    const bool is_place = out->dimension == 0 && file->version == SEDGE_GMSH_41;
    int64_t list[2];

    SEDGE_TRY(skip_doubles(file, is_place ? 3 : 6));
    SEDGE_TRY(read_list(file, list));
    for (int i = 0; i < 2; i++) SEDGE_TRY(sedge_gmsh_group(file, list[i], &out->group[i]));
    if (out->group[1] == out->group[0]) out->group[1] = 0;
    return out->dimension > 0 ? read_list(file, list) : SEDGE_OK;
}

// Read a part of an entity from behind its tag: the entity, the partitions, and then the same as
// read_entity. The part is in the groups of its entity; groups that the partitioning has added are
// ignored. A surface between two parts of a volume is in no group.
static sedge_status read_part(sedge_gmsh *file, sedge_gmsh_entity *out)
{
    int64_t dimension;
    int64_t tag;
    int64_t list[2];

    SEDGE_TRY(sedge_cursor_int(&file->cursor, &dimension));
    SEDGE_TRY(sedge_cursor_int(&file->cursor, &tag));
    SEDGE_TRY(read_list(file, list));
    SEDGE_TRY(read_entity(file, out));
    const sedge_gmsh_entity *const whole = find(&file->entities, dimension, tag);
    if (dimension != out->dimension) {
        memset(out->group, 0, sizeof out->group);
    } else if (whole != NULL) {
        memcpy(out->group, whole->group, sizeof out->group);
    }
    return SEDGE_OK;
}

// The four counts, then the entities by dimension.
static sedge_status read_all(sedge_gmsh *file, sedge_gmsh_entities *list,
                             sedge_status (*read)(sedge_gmsh *, sedge_gmsh_entity *))
{
    sedge_cursor *const c = &file->cursor;
    int64_t counts[4];
    int64_t total = 0;

    if (list->entity != NULL) return sedge_cursor_fail(c, "there are two such sections");
    for (int d = 0; d < 4; d++) {
        SEDGE_TRY(sedge_cursor_size(c, &counts[d]));
        SEDGE_TRY(sedge_cursor_room(c, counts[d], 8));
        total += counts[d];
    }
    SEDGE_TRY(sedge_allocate(&list->entity, total, sizeof *list->entity));
    for (int d = 0; d < 4; d++) {
        for (int64_t n = 0; n < counts[d]; n++) {
            int64_t tag;
            SEDGE_TRY(sedge_cursor_int(c, &tag));
            sedge_gmsh_entity *const out = &list->entity[list->count++];
            out->dimension = d;
            out->tag = (int)tag;
            SEDGE_TRY(read(file, out));
        }
    }
    qsort(list->entity, (size_t)list->count, sizeof *list->entity, compare_entities);
    return SEDGE_OK;
}

sedge_status sedge_gmsh_read_entities(sedge_gmsh *file)
{
    SEDGE_TRY(read_all(file, &file->entities, read_entity));
    return sedge_gmsh_end(file, "$EndEntities");
}

sedge_status sedge_gmsh_read_partitions(sedge_gmsh *file)
{
    sedge_cursor *const c = &file->cursor;
    int64_t partitions;
    int64_t ghosts;
    int64_t value;

    SEDGE_TRY(sedge_cursor_size(c, &partitions));
    SEDGE_TRY(sedge_cursor_size(c, &ghosts));
    SEDGE_TRY(sedge_cursor_room(c, ghosts, 4));
    for (int64_t i = 0; i < 2 * ghosts; i++) SEDGE_TRY(sedge_cursor_int(c, &value));
    SEDGE_TRY(read_all(file, &file->parts, read_part));
    return sedge_gmsh_end(file, "$EndPartitionedEntities");
}
