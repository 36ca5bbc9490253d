#include "gmsh.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sedge_status sedge_gmsh_end(sedge_gmsh *file, const char *expected)
{
    char word[40];

    SEDGE_TRY(sedge_cursor_heading(&file->cursor, word, sizeof word));
    if (strcmp(word, expected) != 0) {
        char what[80];
        (void)snprintf(what, sizeof what, "%s is missing here", expected);
        return sedge_cursor_fail(&file->cursor, what);
    }
    return SEDGE_OK;
}

sedge_status sedge_gmsh_number(sedge_gmsh *file, int64_t *out)
{
    return file->version == SEDGE_GMSH_41 ? sedge_cursor_size(&file->cursor, out)
                                          : sedge_cursor_int(&file->cursor, out);
}

sedge_status sedge_gmsh_group(const sedge_gmsh *file, int64_t tag, int32_t *out)
{
    if (tag < -INT32_MAX || tag > INT32_MAX)
        return sedge_cursor_fail(&file->cursor, "the tag of a physical group is out of range");
    *out = abs((int)tag);
    return SEDGE_OK;
}

// "2", "2.2", "2.200000" and "4.1" are versions that can be read.
static bool find_version(sedge_gmsh_version *out, const char *text)
{
    static const struct {
        const char *text;
        sedge_gmsh_version version;
    } known[] = {{"2", SEDGE_GMSH_2},
                 {"2.1", SEDGE_GMSH_2},
                 {"2.2", SEDGE_GMSH_2},
                 {"4", SEDGE_GMSH_40},
                 {"4.1", SEDGE_GMSH_41}};
    char shortened[16];

    (void)snprintf(shortened, sizeof shortened, "%s", text);
    size_t length = strlen(shortened);
    if (strchr(shortened, '.') != NULL) {
        while (length > 1 && shortened[length - 1] == '0') length--;
        if (shortened[length - 1] == '.') length--;
        shortened[length] = '\0';
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].text, shortened) != 0) continue;
        *out = known[i].version;
        return true;
    }
    return false;
}

// $MeshFormat: version, 0 (ASCII) or 1 (binary), bytes of a double (2) or of a size (4); in binary
// files an int 1 follows.
static sedge_status read_format(sedge_gmsh *file)
{
    sedge_cursor *const c = &file->cursor;
    char version[16] = "";
    int64_t one = 1;
    int binary = 0;
    int bytes = 0;
    char line[64];

    (void)snprintf(line, sizeof line, "%.63s", c->at); // the rest may be gigabytes
    if (sscanf(line, "%15s %d %d", version, &binary, &bytes) != 3)
        return sedge_cursor_fail(c, "expected version, file type and data size");
    if (!find_version(&file->version, version)) {
        return SEDGE_FAIL(
            SEDGE_ERR_DATA,
            "%s has version %s of the Gmsh format; 2, 2.1, 2.2, 4 and 4.1 can be read "
            "(gmsh FILE -save -format msh41 -o NEW.msh)",
            c->path, version);
    }
    if (binary != 0 && binary != 1) return sedge_cursor_fail(c, "the file type is neither 0 nor 1");
    if (bytes != 8 && (bytes != 4 || file->version != SEDGE_GMSH_41))
        return sedge_cursor_fail(c, "the data size must be 8, or 4 in version 4.1");
    if (binary == 1 && file->version == SEDGE_GMSH_40) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s is a binary file of version %s, which can be read as ASCII only; "
                          "write it as ASCII or in version 4.1",
                          c->path, version);
    }
    sedge_cursor_skip_line(c);
    c->binary = binary == 1;
    c->short_sizes = bytes == 4;
    SEDGE_TRY(c->binary ? sedge_cursor_int(c, &one) : SEDGE_OK);
    if (one != 1) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s was written with another byte order; write it as ASCII", c->path);
    }
    return sedge_gmsh_end(file, "$EndMeshFormat");
}

// ---- names --------------------------------------------------------------------------------------

// One line of $PhysicalNames: dimension, tag, "name"; version 2.0 has no dimension.
static sedge_status read_name(sedge_gmsh *file, sedge_gmsh_name *out)
{
    sedge_cursor *const c = &file->cursor;
    int64_t dimension = -1;
    int64_t tag;

    SEDGE_TRY(sedge_cursor_text_int(c, &tag));
    const char *const line_end = memchr(c->at, '\n', (size_t)(c->end - c->at));
    if (line_end == NULL) return sedge_cursor_truncated(c);
    while (c->at < line_end && (*c->at == ' ' || *c->at == '\t')) c->at++;
    if (*c->at != '"') {
        dimension = tag;
        SEDGE_TRY(sedge_cursor_text_int(c, &tag));
    }
    const char *first = c->at < line_end ? memchr(c->at, '"', (size_t)(line_end - c->at)) : NULL;
    const char *last = line_end;
    while (last > c->at && *last != '"') last--;
    if (first == NULL || last <= first + 1)
        return sedge_cursor_fail(c, "a physical group needs a name in double quotes");
    first++;
    if (last - first >= SEDGE_GROUP_NAME)
        return sedge_cursor_fail(c, "the name of a physical group is longer than 63 bytes");
    if (dimension < -1 || dimension > 3 || tag < -INT32_MAX || tag > INT32_MAX)
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

static int compare_names(const void *left, const void *right)
{
    const sedge_gmsh_name *const a = left, *const b = right;

    return a->dimension != b->dimension ? a->dimension - b->dimension : strcmp(a->name, b->name);
}

static int compare_tags(const void *left, const void *right)
{
    const sedge_gmsh_name *const a = left, *const b = right;

    return a->dimension != b->dimension ? a->dimension - b->dimension
                                        : (a->tag > b->tag) - (a->tag < b->tag);
}

static sedge_status read_names(sedge_gmsh *file)
{
    int64_t count;

    SEDGE_TRY(sedge_cursor_text_int(&file->cursor, &count));
    SEDGE_TRY(sedge_cursor_room(&file->cursor, count, 4));
    sedge_release(file->name);
    SEDGE_TRY(sedge_allocate(&file->name, count, sizeof *file->name));
    for (int64_t n = 0; n < count; n++) SEDGE_TRY(read_name(file, &file->name[n]));
    file->names = (int)count;
    if (count == 0) return sedge_gmsh_end(file, "$EndPhysicalNames");
    qsort(file->name, (size_t)count, sizeof *file->name, compare_names);
    for (int64_t n = 1; n < count; n++) {
        char what[128];
        if (compare_names(&file->name[n - 1], &file->name[n]) != 0) continue;
        (void)snprintf(what, sizeof what, "two physical groups are called '%s'",
                       file->name[n].name);
        return sedge_cursor_fail(&file->cursor, what);
    }
    qsort(file->name, (size_t)count, sizeof *file->name, compare_tags);
    return sedge_gmsh_end(file, "$EndPhysicalNames");
}

const char *sedge_gmsh_find_name(const sedge_gmsh *file, int dimension, int tag)
{
    const int dimensions[2] = {dimension, -1};

    for (int i = 0; i < 2 && file->names > 0; i++) {
        const sedge_gmsh_name key = {.dimension = dimensions[i], .tag = tag};
        const sedge_gmsh_name *const found =
            bsearch(&key, file->name, (size_t)file->names, sizeof key, compare_tags);
        if (found != NULL) return found->name;
    }
    return NULL;
}

void sedge_gmsh_describe(const sedge_gmsh *file, int dimension, int tag,
                         char text[SEDGE_GROUP_TEXT])
{
    const char *const name = sedge_gmsh_find_name(file, dimension, tag);

    if (name != NULL) {
        (void)snprintf(text, SEDGE_GROUP_TEXT, "'%s'", name);
    } else {
        (void)snprintf(text, SEDGE_GROUP_TEXT, "%d", tag);
    }
}

// ---- sections -----------------------------------------------------------------------------------

static const struct {
    const char *name;
    sedge_status (*read)(sedge_gmsh *);
} sections[] = {
    {"$PhysicalNames", read_names},
    {"$Entities", sedge_gmsh_read_entities},
    {"$PartitionedEntities", sedge_gmsh_read_partitions},
    {"$Nodes", sedge_gmsh_read_nodes},
    {"$ParametricNodes", sedge_gmsh_read_parametric},
    {"$Elements", sedge_gmsh_read_elements},
};

// Move behind the line $MeshFormat. Text and sections before it, such as $Comments, are skipped.
static sedge_status find_format(sedge_gmsh *file)
{
    sedge_cursor *const c = &file->cursor;
    char word[40];

    while (sedge_cursor_has_more(c)) {
        SEDGE_TRY(sedge_cursor_heading(c, word, sizeof word));
        if (strcmp(word, "$MeshFormat") == 0) return SEDGE_OK;
        if (strcmp(word, "$NOD") == 0) {
            return SEDGE_FAIL(SEDGE_ERR_DATA,
                              "%s has version 1 of the Gmsh format; write it again "
                              "(gmsh FILE -save -format msh41 -o NEW.msh)",
                              c->path);
        }
        if (word[0] == '$' && !sedge_cursor_skip_section(c, word)) break;
    }
    const bool packed = c->end - c->start > 2 && memcmp(c->start, "\x1f\x8b", 2) == 0;
    return SEDGE_FAIL(SEDGE_ERR_DATA, "%s is not a Gmsh mesh: %s", c->path,
                      packed ? "it is compressed; unpack it (gunzip)"
                             : "it has no section $MeshFormat; Gmsh converts other formats "
                               "(gmsh FILE -save -format msh41 -o NEW.msh)");
}

// Read the sections in the order of the file, up to the end of $Elements. Unknown ones are skipped.
static sedge_status read_sections(sedge_gmsh *file)
{
    sedge_cursor *const c = &file->cursor;
    const size_t count = sizeof sections / sizeof *sections;
    char word[40];

    c->section = "the header";
    SEDGE_TRY(find_format(file));
    c->section = "$MeshFormat";
    SEDGE_TRY(read_format(file));
    for (;;) {
        size_t i = 0;
        c->section = file->points != NULL ? "the part before $Elements" : "the part before $Nodes";
        SEDGE_TRY(sedge_cursor_heading(c, word, sizeof word));
        while (i < count && strcmp(sections[i].name, word) != 0) i++;
        if (i < count) {
            c->section = sections[i].name;
            SEDGE_TRY(sections[i].read(file));
            if (sections[i].read == sedge_gmsh_read_elements) return SEDGE_OK;
            continue;
        }
        char what[96];
        (void)snprintf(what, sizeof what, "expected a section, found '%s'", word);
        if (word[0] != '$') return sedge_cursor_fail(c, what);
        c->section = word;
        if (!sedge_cursor_skip_section(c, word)) return sedge_cursor_truncated(c);
    }
}

sedge_status sedge_gmsh_open(sedge_gmsh **out, const char *path, int64_t most)
{
    sedge_gmsh *file = NULL;
    char *bytes = NULL;
    size_t length = 0;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(sedge_file_read(&bytes, &length, path, SEDGE_ERR_DATA));
    SEDGE_TRY_GOTO(status, sedge_allocate(&file, 1, sizeof *file));
    file->most = most;
    file->cursor = (sedge_cursor){.path = path, .start = bytes, .at = bytes, .end = bytes + length};
    SEDGE_TRY_GOTO(status, length > 0 ? SEDGE_OK : SEDGE_FAIL(SEDGE_ERR_DATA, "%s is empty", path));
    SEDGE_TRY_GOTO(status, read_sections(file));
    file->cursor = (sedge_cursor){.path = path, .section = "the mesh"};
    *out = file;
    file = NULL;
done:
    sedge_gmsh_free(file);
    sedge_release(bytes);
    return status;
}

void sedge_gmsh_free(sedge_gmsh *file)
{
    if (file == NULL) return;
    sedge_release(file->name);
    sedge_release(file->entities.entity);
    sedge_release(file->parts.entity);
    sedge_release(file->points);
    sedge_release(file->node_places);
    sedge_release(file->numbers);
    sedge_release(file->corners);
    sedge_release(file->middles);
    sedge_release(file->tags);
    sedge_release(file->volumes);
    sedge_release(file->triangle);
    sedge_release(file);
}
