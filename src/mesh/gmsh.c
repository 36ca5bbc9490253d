#include "gmsh.h"

#include "cursor.h"
#include "global.h"
#include "gmsh_type.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A geometric entity of version 4.1 that blocks of nodes and elements refer to.
typedef struct entity {
    int dimension, tag;
    int64_t group; // its physical group's tag; 0: none
} entity;

typedef struct scan {
    sedge_cursor cursor;
    sedge_gmsh *file;
    bool version4;
    bool nodes_seen;
    int64_t low, high;      // least and greatest node number
    unsigned char *present; // a bit for each number in [low, high]
    uint32_t *holder;       // [high - low + 1] a corner as of sedge_gmsh_triangle, plus 1; 0: none
    int64_t room;           // for triangles
    int64_t entities;
    entity *entity; // sorted
} scan;

static int compare_entities(const void *left, const void *right)
{
    const entity *const a = left, *const b = right;

    if (a->dimension != b->dimension) return a->dimension < b->dimension ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static sedge_status scan_end(scan *s, const char *wanted)
{
    char word[40];

    SEDGE_TRY(sedge_cursor_heading(&s->cursor, word, sizeof word));
    if (strcmp(word, wanted) != 0) {
        char what[80];
        (void)snprintf(what, sizeof what, "%s is missing here", wanted);
        return sedge_cursor_fail(&s->cursor, what);
    }
    return SEDGE_OK;
}

// $MeshFormat: version, 0 (ASCII) or 1 (binary), bytes of a double (2.2) or of a size (4.1); in
// binary files an int 1 follows.
static sedge_status scan_format(scan *s)
{
    sedge_cursor *const c = &s->cursor;
    char version[16] = "";
    int64_t one = 1;
    int binary = 0;
    int bytes = 0;
    char line[64];

    (void)snprintf(line, sizeof line, "%s", c->at);
    if (sscanf(line, "%15s %d %d", version, &binary, &bytes) != 3)
        return sedge_cursor_fail(c, "expected version, file type and data size");
    s->version4 = strcmp(version, "4.1") == 0;
    if (!s->version4 && strcmp(version, "2.2") != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s has version %s of the Gmsh format; 2.2 and 4.1 can be read "
                          "(gmsh -format msh41)",
                          c->path, version);
    }
    if ((binary != 0 && binary != 1) || bytes != 8)
        return sedge_cursor_fail(c, "the file type must be 0 or 1 and the data size 8");
    sedge_cursor_skip_line(c);
    c->binary = binary == 1;
    SEDGE_TRY(c->binary ? sedge_cursor_int(c, &one) : SEDGE_OK);
    if (one != 1) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s was written with another byte order; write it as ASCII", c->path);
    }
    return scan_end(s, "$EndMeshFormat");
}

// One line of $PhysicalNames: dimension, tag, "name".
static sedge_status scan_name(scan *s, sedge_gmsh_name *out)
{
    sedge_cursor *const c = &s->cursor;
    int64_t dimension;
    int64_t tag;

    SEDGE_TRY(sedge_cursor_text_int(c, &dimension));
    SEDGE_TRY(sedge_cursor_text_int(c, &tag));
    const char *const line_end = memchr(c->at, '\n', (size_t)(c->end - c->at));
    if (line_end == NULL) return sedge_cursor_truncated(c);
    const char *first = memchr(c->at, '"', (size_t)(line_end - c->at));
    const char *last = line_end;
    while (last > c->at && *last != '"') last--;
    if (first == NULL || last <= first + 1)
        return sedge_cursor_fail(c, "a physical group needs a name in double quotes");
    first++;
    if (last - first >= SEDGE_GROUP_NAME)
        return sedge_cursor_fail(c, "the name of a physical group is longer than 63 bytes");
    if (dimension < 0 || dimension > 3 || tag < -INT32_MAX || tag > INT32_MAX)
        return sedge_cursor_fail(c, "dimension or tag of a physical group is out of range");
    memset(out, 0, sizeof *out);
    memcpy(out->name, first, (size_t)(last - first));
    if (!sedge_is_shown(out->name, false)) {
        char what[160];
        (void)snprintf(what, sizeof what,
                       "the name of a physical group is not UTF-8 without control characters: '%s'",
                       out->name);
        return sedge_cursor_fail(c, what);
    }
    out->dimension = (int)dimension;
    out->tag = abs((int)tag);
    sedge_cursor_skip_line(c);
    return SEDGE_OK;
}

static sedge_status scan_names(scan *s)
{
    sedge_gmsh *const file = s->file;
    int64_t count;

    SEDGE_TRY(sedge_cursor_text_int(&s->cursor, &count));
    SEDGE_TRY(sedge_cursor_room(&s->cursor, count, 6));
    sedge_release(file->name);
    SEDGE_TRY(sedge_allocate(&file->name, count, sizeof *file->name));
    for (int64_t n = 0; n < count; n++) {
        SEDGE_TRY(scan_name(s, &file->name[n]));
        for (int64_t m = 0; m < n; m++) {
            char what[128];
            if (file->name[m].dimension != file->name[n].dimension) continue;
            if (strcmp(file->name[m].name, file->name[n].name) != 0) continue;
            (void)snprintf(what, sizeof what, "two physical groups are called '%s'",
                           file->name[n].name);
            return sedge_cursor_fail(&s->cursor, what);
        }
    }
    file->names = (int)count;
    return scan_end(s, "$EndPhysicalNames");
}

// $Entities of 4.1. A surface or volume in two physical groups would have two conditions or two
// materials.
static sedge_status scan_entities(scan *s)
{
    sedge_cursor *const c = &s->cursor;
    int64_t counts[4];
    int64_t value;
    double corner;

    for (int d = 0; d < 4; d++) {
        SEDGE_TRY(sedge_cursor_size(c, &counts[d]));
        SEDGE_TRY(sedge_cursor_room(c, counts[d], 8));
    }
    sedge_release(s->entity);
    SEDGE_TRY(sedge_allocate(&s->entity, counts[0] + counts[1] + counts[2] + counts[3],
                             sizeof *s->entity));
    s->entities = 0;
    for (int d = 0; d < 4; d++) {
        for (int64_t n = 0; n < counts[d]; n++) {
            int64_t tag;
            SEDGE_TRY(sedge_cursor_int(c, &tag));
            entity *const out = &s->entity[s->entities++];
            *out = (entity){d, (int)tag, 0};
            for (int i = 0; i < (d == 0 ? 3 : 6); i++) SEDGE_TRY(sedge_cursor_double(c, &corner));
            for (int list = 0; list < (d == 0 ? 1 : 2); list++) { // groups, bounding entities
                int64_t length;
                SEDGE_TRY(sedge_cursor_size(c, &length));
                SEDGE_TRY(sedge_cursor_room(c, length, 2));
                if (list == 0 && d >= 2 && length > 1) {
                    char what[96];
                    (void)snprintf(
                        what, sizeof what, "%s %lld is in %lld physical groups; one is allowed",
                        d == 2 ? "surface" : "volume", (long long)tag, (long long)length);
                    return sedge_cursor_fail(c, what);
                }
                for (int64_t i = 0; i < length; i++) {
                    SEDGE_TRY(sedge_cursor_int(c, &value));
                    if (list == 0 && i == 0) out->group = value;
                }
            }
        }
    }
    qsort(s->entity, (size_t)s->entities, sizeof *s->entity, compare_entities);
    return scan_end(s, "$EndEntities");
}

// The head of a block of nodes or elements in 4.1: dimension and tag of a known entity, a third
// number and a count of things of at least `bytes` bytes.
static sedge_status scan_block(scan *s, entity *out, int64_t *third, int64_t *count, int bytes)
{
    sedge_cursor *const c = &s->cursor;
    int64_t dimension;
    int64_t tag;

    SEDGE_TRY(sedge_cursor_int(c, &dimension));
    SEDGE_TRY(sedge_cursor_int(c, &tag));
    SEDGE_TRY(sedge_cursor_int(c, third));
    SEDGE_TRY(sedge_cursor_size(c, count));
    SEDGE_TRY(sedge_cursor_room(c, *count, bytes));
    *out = (entity){(int)dimension, (int)tag, 0};
    const entity *const known = s->entities == 0 ? NULL
                                                 : bsearch(out, s->entity, (size_t)s->entities,
                                                           sizeof *out, compare_entities);
    if (known != NULL) {
        *out = *known;
        return SEDGE_OK;
    }
    return sedge_cursor_fail(c, "a block refers to a geometric entity that is not in $Entities");
}

// The four sizes at the head of $Nodes and $Elements in 4.1: blocks, total, least and greatest
// number.
static sedge_status scan_sizes(scan *s, int64_t sizes[4])
{
    for (int i = 0; i < 4; i++) SEDGE_TRY(sedge_cursor_size(&s->cursor, &sizes[i]));
    SEDGE_TRY(sedge_cursor_room(&s->cursor, sizes[0], 8));
    return sedge_cursor_room(&s->cursor, sizes[1], 4);
}

// Note which node numbers exist. DMPlex makes a table from the least to the greatest of them.
static sedge_status note_nodes(scan *s, const int64_t *numbers, int64_t count)
{
    if (count < 1) return sedge_cursor_fail(&s->cursor, "the file has no nodes");
    s->low = s->high = numbers[0];
    for (int64_t n = 0; n < count; n++) {
        if (numbers[n] < s->low) s->low = numbers[n];
        if (numbers[n] > s->high) s->high = numbers[n];
    }
    if (s->low < 1 || s->high >= INT32_MAX)
        return sedge_cursor_fail(&s->cursor, "a node number is outside 1..2147483646");
    if (s->high - s->low > 64 * count + (1 << 22))
        return sedge_cursor_fail(&s->cursor, "the node numbers are too sparse; renumber the mesh");
    SEDGE_TRY(sedge_allocate(&s->present, (s->high - s->low) / 8 + 1, 1));
    SEDGE_TRY(sedge_allocate(&s->holder, s->high - s->low + 1, sizeof *s->holder));
    for (int64_t n = 0; n < count; n++) {
        const int64_t bit = numbers[n] - s->low;
        if (s->present[bit / 8] >> (bit % 8) & 1) {
            char what[64];
            (void)snprintf(what, sizeof what, "node %lld exists twice", (long long)numbers[n]);
            return sedge_cursor_fail(&s->cursor, what);
        }
        s->present[bit / 8] = (unsigned char)(s->present[bit / 8] | 1u << (bit % 8));
    }
    s->nodes_seen = true;
    return SEDGE_OK;
}

static sedge_status read_nodes2(scan *s, int64_t *numbers, int64_t count)
{
    sedge_cursor *const c = &s->cursor;
    double x;

    for (int64_t n = 0; n < count; n++) {
        SEDGE_TRY(sedge_cursor_int(c, &numbers[n]));
        for (int d = 0; d < 3; d++) SEDGE_TRY(sedge_cursor_double(c, &x));
    }
    return SEDGE_OK;
}

static sedge_status read_nodes4(scan *s, int64_t *numbers, const int64_t sizes[4])
{
    sedge_cursor *const c = &s->cursor;
    int64_t done = 0;
    double x;

    for (int64_t block = 0; block < sizes[0]; block++) {
        entity where;
        int64_t parametric;
        int64_t count;
        SEDGE_TRY(scan_block(s, &where, &parametric, &count, 8));
        if (parametric != 0) return sedge_cursor_fail(c, "parametric nodes are not supported");
        if (count > sizes[1] - done)
            return sedge_cursor_fail(c, "the blocks hold more nodes than the section announces");
        for (int64_t n = 0; n < count; n++) {
            SEDGE_TRY(sedge_cursor_size(c, &numbers[done]));
            if (numbers[done] < sizes[2] || numbers[done] > sizes[3])
                return sedge_cursor_fail(c, "a node number is outside the announced range");
            done++;
        }
        for (int64_t n = 0; n < 3 * count; n++) SEDGE_TRY(sedge_cursor_double(c, &x));
    }
    if (done != sizes[1])
        return sedge_cursor_fail(c, "the blocks hold fewer nodes than the section announces");
    return SEDGE_OK;
}

static sedge_status scan_nodes(scan *s)
{
    int64_t sizes[4] = {0};
    int64_t *numbers = NULL;
    sedge_status status;

    if (s->nodes_seen) return sedge_cursor_fail(&s->cursor, "there are two such sections");
    if (s->version4) {
        SEDGE_TRY(scan_sizes(s, sizes));
        if (sizes[2] < 1 || sizes[3] < sizes[2] || sizes[3] >= INT32_MAX ||
            sizes[3] - sizes[2] > 64 * sizes[1] + (1 << 22))
            return sedge_cursor_fail(&s->cursor, "the range of the node numbers is not usable");
    } else {
        SEDGE_TRY(sedge_cursor_text_int(&s->cursor, &sizes[1]));
        sedge_cursor_skip_line(&s->cursor);
        SEDGE_TRY(sedge_cursor_room(&s->cursor, sizes[1], 7));
    }
    SEDGE_TRY(sedge_allocate(&numbers, sizes[1], sizeof *numbers));
    SEDGE_TRY_GOTO(status, s->version4 ? read_nodes4(s, numbers, sizes)
                                       : read_nodes2(s, numbers, sizes[1]));
    SEDGE_TRY_GOTO(status, note_nodes(s, numbers, sizes[1]));
    status = scan_end(s, "$EndNodes");
done:
    sedge_release(numbers);
    return status;
}

static sedge_status make_room(scan *s)
{
    sedge_gmsh *const file = s->file;
    sedge_gmsh_triangle *const old = file->triangle;
    sedge_gmsh_triangle *wider;

    s->room = 2 * file->triangles + 1024;
    SEDGE_TRY(sedge_allocate(&wider, s->room, sizeof *wider));
    if (old != NULL) memcpy(wider, old, (size_t)file->triangles * sizeof *wider);
    sedge_release(old);
    file->triangle = wider;
    return SEDGE_OK;
}

// Keep a triangle that is in a group, for the present with nodes' numbers for corners.
static sedge_status note_triangle(scan *s, const int64_t nodes[3], int64_t number, int64_t group)
{
    sedge_gmsh *const file = s->file;

    if (group == 0) return SEDGE_OK;
    if (group < -INT32_MAX || group > INT32_MAX)
        return sedge_cursor_fail(&s->cursor, "the tag of a physical group is out of range");
    if (file->triangles == s->room) SEDGE_TRY(make_room(s));
    sedge_gmsh_triangle *const out = &file->triangle[file->triangles++];
    out->number = number;
    for (int i = 0; i < 3; i++) out->corner[i] = (int32_t)nodes[i];
    out->tag = abs((int)group);
    return SEDGE_OK;
}

static sedge_status note_tet(scan *s, const sedge_gmsh_type *type, const int64_t nodes[4],
                             int64_t number)
{
    sedge_gmsh *const file = s->file;

    if (file->tets > 0 && file->order != type->order)
        return sedge_cursor_fail(&s->cursor, "tetrahedra of different orders are mixed");
    if (file->tets == SEDGE_GLOBAL_LIMIT) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "%s has more than %lld tetrahedra: that is the limit",
                          s->cursor.path, (long long)SEDGE_GLOBAL_LIMIT);
    }
    file->order = type->order;
    for (uint32_t v = 0; v < 4; v++)
        s->holder[nodes[v] - s->low] = 4 * (uint32_t)file->tets + v + 1;
    file->numbers[file->tets++] = number;
    return SEDGE_OK;
}

// The corners of the triangles, when all tetrahedra are known.
static sedge_status place_triangles(scan *s)
{
    for (int64_t t = 0; t < s->file->triangles; t++) {
        sedge_gmsh_triangle *const triangle = &s->file->triangle[t];
        for (int i = 0; i < 3; i++) {
            const uint32_t corner = s->holder[triangle->corner[i] - s->low];
            if (corner == 0) {
                return SEDGE_FAIL(SEDGE_ERR_DATA,
                                  "%s: triangle %lld of a surface group has node %d, which is in "
                                  "no tetrahedron",
                                  s->cursor.path, (long long)triangle->number, triangle->corner[i]);
            }
            triangle->corner[i] = (int32_t)(corner - 1);
        }
    }
    return SEDGE_OK;
}

// The nodes of one element, whose physical group has the tag `group`; tetrahedra are counted and
// numbered, triangles in a group kept.
static sedge_status scan_element(scan *s, const sedge_gmsh_type *type, int64_t number,
                                 int64_t group)
{
    sedge_cursor *const c = &s->cursor;
    int64_t nodes[4] = {0};
    char what[128];

    for (int n = 0; n < type->nodes; n++) {
        int64_t node;
        SEDGE_TRY(s->version4 ? sedge_cursor_size(c, &node) : sedge_cursor_int(c, &node));
        const int64_t bit = node - s->low;
        if (node < s->low || node > s->high || !(s->present[bit / 8] >> (bit % 8) & 1)) {
            (void)snprintf(what, sizeof what, "element %lld has node %lld, which is not in $Nodes",
                           (long long)number, (long long)node);
            return sedge_cursor_fail(c, what);
        }
        if (n >= 4) continue;
        nodes[n] = node;
        for (int m = 0; m < n && type->dimension > 1; m++) {
            if (nodes[m] != node) continue;
            (void)snprintf(what, sizeof what, "element %lld has node %lld twice", (long long)number,
                           (long long)node);
            return sedge_cursor_fail(c, what);
        }
    }
    if (type->dimension == 2) return note_triangle(s, nodes, number, group);
    return type->dimension == 3 ? note_tet(s, type, nodes, number) : SEDGE_OK;
}

// 2.2 ASCII: number, type, count of tags, tags, nodes. 2.2 binary: blocks of (type, elements, count
// of tags), then number, tags, nodes of each.
static sedge_status read_elements2(scan *s, int64_t total)
{
    sedge_cursor *const c = &s->cursor;
    const sedge_gmsh_type *type = NULL;
    int64_t follow = 0;
    int64_t tags = 0;
    int64_t number = 0;
    int64_t code;
    int64_t value;

    for (int64_t e = 0; e < total; e++) {
        if (!c->binary) {
            SEDGE_TRY(sedge_cursor_int(c, &number));
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
        if (c->binary) SEDGE_TRY(sedge_cursor_int(c, &number));
        if (type == NULL || type->type != code)
            SEDGE_TRY(sedge_gmsh_type_find(&type, c, code, number));
        int64_t group = 0; // the first tag
        for (int64_t t = 0; t < tags; t++) {
            SEDGE_TRY(sedge_cursor_int(c, &value));
            if (t == 0) group = value;
        }
        SEDGE_TRY(scan_element(s, type, number, group));
        if (c->binary) follow--;
    }
    return SEDGE_OK;
}

static sedge_status read_elements4(scan *s, const int64_t sizes[4])
{
    sedge_cursor *const c = &s->cursor;
    int64_t done = 0;

    for (int64_t block = 0; block < sizes[0]; block++) {
        const sedge_gmsh_type *type;
        entity where;
        int64_t code;
        int64_t count;
        int64_t number = 0;
        SEDGE_TRY(scan_block(s, &where, &code, &count, 4));
        if (count > sizes[1] - done)
            return sedge_cursor_fail(c, "the blocks hold more elements than are announced");
        done += count;
        for (int64_t e = 0; e < count; e++) {
            SEDGE_TRY(sedge_cursor_size(c, &number));
            SEDGE_TRY(sedge_gmsh_type_find(&type, c, code, number));
            if (type->dimension != where.dimension)
                return sedge_cursor_fail(c, "the element type does not fit the entity's dimension");
            SEDGE_TRY(scan_element(s, type, number, where.group));
        }
    }
    if (done != sizes[1])
        return sedge_cursor_fail(c, "the blocks hold fewer elements than the section announces");
    return SEDGE_OK;
}

static sedge_status scan_elements(scan *s)
{
    sedge_gmsh *const file = s->file;
    int64_t sizes[4] = {0};

    if (!s->nodes_seen) return sedge_cursor_fail(&s->cursor, "$Nodes must come before");
    if (s->version4) {
        SEDGE_TRY(scan_sizes(s, sizes));
    } else {
        SEDGE_TRY(sedge_cursor_text_int(&s->cursor, &sizes[1]));
        sedge_cursor_skip_line(&s->cursor);
        SEDGE_TRY(sedge_cursor_room(&s->cursor, sizes[1], 8));
    }
    sedge_release(file->numbers);
    SEDGE_TRY(sedge_allocate(&file->numbers, sizes[1], sizeof *file->numbers));
    file->tets = 0;
    SEDGE_TRY(s->version4 ? read_elements4(s, sizes) : read_elements2(s, sizes[1]));
    SEDGE_TRY(scan_end(s, "$EndElements"));
    if (file->tets == 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s has no tetrahedra among its %lld elements (is it a 2-D mesh?)",
                          s->cursor.path, (long long)sizes[1]);
    }
    return place_triangles(s);
}

static sedge_status skip_comments(scan *s)
{
    const char *const end = strstr(s->cursor.at, "$EndComments");

    if (end == NULL) return sedge_cursor_truncated(&s->cursor);
    s->cursor.at = end;
    return scan_end(s, "$EndComments");
}

static const struct {
    const char *name;
    sedge_status (*read)(scan *);
} sections[] = {
    {"$PhysicalNames", scan_names}, {"$Entities", scan_entities}, {"$Nodes", scan_nodes},
    {"$Elements", scan_elements},   {"$Comments", skip_comments},
};

// Sections in the order of the file, up to the end of $Elements.
static sedge_status scan_sections(scan *s)
{
    sedge_cursor *const c = &s->cursor;
    const size_t count = sizeof sections / sizeof *sections;
    char word[40];

    c->section = "the header";
    SEDGE_TRY(sedge_cursor_heading(c, word, sizeof word));
    if (strcmp(word, "$MeshFormat") != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s is not a Gmsh mesh: it does not begin with $MeshFormat", c->path);
    }
    c->section = "$MeshFormat";
    SEDGE_TRY(scan_format(s));
    for (;;) {
        size_t i = 0;
        c->section = s->nodes_seen ? "the part before $Elements" : "the part before $Nodes";
        SEDGE_TRY(sedge_cursor_heading(c, word, sizeof word));
        while (i < count && strcmp(sections[i].name, word) != 0) i++;
        if (i == count) {
            char what[80];
            (void)snprintf(what, sizeof what, "a section '%s' is not supported", word);
            return sedge_cursor_fail(c, what);
        }
        c->section = sections[i].name;
        SEDGE_TRY(sections[i].read(s));
        if (sections[i].read == scan_elements) return SEDGE_OK;
    }
}

sedge_status sedge_gmsh_scan(sedge_gmsh **out, const char *path)
{
    scan s = {.cursor = {.path = path}};
    char *bytes = NULL;
    size_t length = 0;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(sedge_file_read(&bytes, &length, path, SEDGE_ERR_DATA));
    SEDGE_TRY_GOTO(status, sedge_allocate(&s.file, 1, sizeof *s.file));
    s.cursor.start = s.cursor.at = bytes;
    s.cursor.end = bytes + length;
    SEDGE_TRY_GOTO(status, length > 0 ? SEDGE_OK : SEDGE_FAIL(SEDGE_ERR_DATA, "%s is empty", path));
    SEDGE_TRY_GOTO(status, scan_sections(&s));
    *out = s.file;
    s.file = NULL;
done:
    sedge_gmsh_free(s.file);
    sedge_release(s.present);
    sedge_release(s.holder);
    sedge_release(s.entity);
    sedge_release(bytes);
    return status;
}

void sedge_gmsh_free(sedge_gmsh *file)
{
    if (file == NULL) return;
    sedge_release(file->numbers);
    sedge_release(file->triangle);
    sedge_release(file->name);
    sedge_release(file);
}
