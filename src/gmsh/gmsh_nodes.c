#include "gmsh.h"

#include "base/memory.h"

#include <stdio.h>

sedge_status sedge_gmsh_read_counts(sedge_gmsh *file, int64_t *blocks, int64_t *count, int bytes)
{
    sedge_cursor *const c = &file->cursor;
    int64_t skipped;

    *blocks = 0;
    if (file->version == SEDGE_GMSH_2) {
        SEDGE_TRY(sedge_cursor_text_int(c, count));
        sedge_cursor_skip_line(c);
        return sedge_cursor_room(c, *count, bytes);
    }
    SEDGE_TRY(sedge_cursor_size(c, blocks));
    SEDGE_TRY(sedge_cursor_size(c, count));
    for (int i = 0; i < 2 && file->version == SEDGE_GMSH_41; i++)
        SEDGE_TRY(sedge_cursor_size(c, &skipped));
    SEDGE_TRY(sedge_cursor_room(c, *blocks, 8));
    return sedge_cursor_room(c, *count, bytes);
}

sedge_status sedge_gmsh_read_block(sedge_gmsh *file, sedge_gmsh_block *out, int bytes)
{
    sedge_cursor *const c = &file->cursor;
    const bool tag_first = file->version == SEDGE_GMSH_40;

    SEDGE_TRY(sedge_cursor_int(c, tag_first ? &out->tag : &out->dimension));
    SEDGE_TRY(sedge_cursor_int(c, tag_first ? &out->dimension : &out->tag));
    SEDGE_TRY(sedge_cursor_int(c, &out->third));
    SEDGE_TRY(sedge_cursor_size(c, &out->count));
    if (out->dimension < 0 || out->dimension > 3)
        return sedge_cursor_fail(c, "the dimension of a block is outside 0..3");
    return sedge_cursor_room(c, out->count, bytes);
}

// The place of a node and as many parameters of its entity, which are not needed.
static sedge_status read_place(sedge_gmsh *file, double x[3], int64_t parameters)
{
    double skipped;

    for (int d = 0; d < 3; d++) SEDGE_TRY(sedge_cursor_double(&file->cursor, &x[d]));
    for (int64_t i = 0; i < parameters; i++)
        SEDGE_TRY(sedge_cursor_double(&file->cursor, &skipped));
    return SEDGE_OK;
}

static sedge_status read_nodes2(sedge_gmsh *file, int64_t *numbers, bool parametric)
{
    sedge_cursor *const c = &file->cursor;

    for (int64_t n = 0; n < file->nodes; n++) {
        int64_t entity[2] = {0, 0}; // dimension and tag
        SEDGE_TRY(sedge_cursor_int(c, &numbers[n]));
        SEDGE_TRY(read_place(file, file->points[n], 0));
        if (!parametric) continue;
        for (int i = 0; i < 2; i++) SEDGE_TRY(sedge_cursor_int(c, &entity[i]));
        if (entity[0] < 0 || entity[0] > 3)
            return sedge_cursor_fail(c, "the dimension of a node's entity is outside 0..3");
        double skipped;
        for (int64_t i = 0; i < entity[0] && entity[0] < 3; i++) // in a volume there are none
            SEDGE_TRY(sedge_cursor_double(c, &skipped));
    }
    return SEDGE_OK;
}

// 4.1: numbers of the nodes of a block, then places; 4.0: number and place of each.
static sedge_status read_nodes4(sedge_gmsh *file, int64_t *numbers, int64_t blocks)
{
    sedge_cursor *const c = &file->cursor;
    const bool together = file->version == SEDGE_GMSH_40;
    int64_t done = 0;

    for (int64_t b = 0; b < blocks; b++) {
        sedge_gmsh_block block;
        SEDGE_TRY(sedge_gmsh_read_block(file, &block, 8));
        if (block.third != 0 && block.third != 1)
            return sedge_cursor_fail(c, "the mark of parametric nodes is neither 0 nor 1");
        const int64_t parameters = block.third == 1 ? block.dimension : 0;
        if (block.count > file->nodes - done)
            return sedge_cursor_fail(c, "the blocks hold more nodes than the section announces");
        for (int64_t n = 0; n < block.count && !together; n++)
            SEDGE_TRY(sedge_gmsh_number(file, &numbers[done + n]));
        for (int64_t n = 0; n < block.count; n++) {
            if (together) SEDGE_TRY(sedge_gmsh_number(file, &numbers[done + n]));
            SEDGE_TRY(read_place(file, file->points[done + n], parameters));
        }
        done += block.count;
    }
    if (done != file->nodes)
        return sedge_cursor_fail(c, "the blocks hold fewer nodes than the section announces");
    return SEDGE_OK;
}

// The table from numbers to places.
static sedge_status list_places(sedge_gmsh *file, const int64_t *numbers)
{
    const int64_t count = file->nodes;

    file->low = file->high = numbers[0];
    for (int64_t n = 0; n < count; n++) {
        if (numbers[n] < file->low) file->low = numbers[n];
        if (numbers[n] > file->high) file->high = numbers[n];
    }
    if (file->low < 1 || file->high >= INT32_MAX)
        return sedge_cursor_fail(&file->cursor, "a node number is outside 1..2147483646");
    if (file->high - file->low > 64 * count + (1 << 22)) {
        return sedge_cursor_fail(&file->cursor,
                                 "the node numbers are too sparse; renumber the mesh");
    }
    SEDGE_TRY(
        sedge_allocate(&file->node_places, file->high - file->low + 1, sizeof *file->node_places));
    for (int64_t n = 0; n < count; n++) {
        int32_t *const place = &file->node_places[numbers[n] - file->low];
        if (*place != 0) {
            char what[64];
            (void)snprintf(what, sizeof what, "node %lld exists twice", (long long)numbers[n]);
            return sedge_cursor_fail(&file->cursor, what);
        }
        *place = (int32_t)n + 1;
    }
    return SEDGE_OK;
}

static sedge_status read_nodes(sedge_gmsh *file, bool parametric, const char *end)
{
    int64_t blocks;
    int64_t *numbers = NULL;
    sedge_status status;

    if (file->points != NULL)
        return sedge_cursor_fail(&file->cursor, "there are two sections with nodes");
    SEDGE_TRY(sedge_gmsh_read_counts(file, &blocks, &file->nodes, 7));
    if (file->nodes < 1) return sedge_cursor_fail(&file->cursor, "the file has no nodes");
    if (file->nodes >= INT32_MAX)
        return sedge_cursor_fail(&file->cursor, "the file has more than 2147483646 nodes");
    SEDGE_TRY(sedge_allocate(&file->points, file->nodes, sizeof *file->points));
    SEDGE_TRY(sedge_allocate(&numbers, file->nodes, sizeof *numbers));
    SEDGE_TRY_GOTO(status, file->version == SEDGE_GMSH_2 ? read_nodes2(file, numbers, parametric)
                                                         : read_nodes4(file, numbers, blocks));
    SEDGE_TRY_GOTO(status, list_places(file, numbers));
    status = sedge_gmsh_end(file, end);
done:
    sedge_release(numbers);
    return status;
}

sedge_status sedge_gmsh_read_nodes(sedge_gmsh *file)
{
    return read_nodes(file, false, "$EndNodes");
}

sedge_status sedge_gmsh_read_parametric(sedge_gmsh *file)
{
    if (file->version != SEDGE_GMSH_2)
        return sedge_cursor_fail(&file->cursor, "only version 2 has such a section");
    return read_nodes(file, true, "$EndParametricNodes");
}
