#include "head.h"

#include "additions.h"
#include "slice.h"
#include "whole.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(int) == sizeof(int32_t), "tags are stored as int32");

#define NAME_BYTES 64 // of a group's name in the file, filled up with NUL

enum {
    COUNT_ELEMENTS,
    COUNT_VERTICES,
    COUNT_CURVED,
    COUNT_STRAIGHTENED, // 1: the Gmsh file has elements of third or higher order
    COUNT_PARTS,
    COUNT_CRACK_FACES,
    COUNT_GROUPLESS_ELEMENTS,
    COUNT_GROUPLESS_FACES,
    COUNTS
};

#define PART_COUNTS (2 + SEDGE_PART_GROUPS) // elements, number of groups, groups

// A dataset with a row for each volume or surface group: a name, numbers, or a single number.
typedef struct group_column {
    const char *path;
    bool of_surfaces;
    sedge_h5_type type;
    void *data;
} group_column;

#define GROUP_COLUMNS 10

// Dimensions, and lengths for so many groups.
static int find_shape(int64_t shape[2], const group_column *column, int64_t volumes,
                      int64_t surfaces)
{
    shape[0] = column->of_surfaces ? surfaces : volumes;
    shape[1] = column->type == SEDGE_H5_U8 ? NAME_BYTES : SEDGE_VOLUME_VALUES;
    return column->type == SEDGE_H5_U8 || column->type == SEDGE_H5_F64 ? 2 : 1;
}

static void list_columns(group_column columns[GROUP_COLUMNS], const sedge_mesh_groups *groups)
{
    const group_column all[GROUP_COLUMNS] = {
        {"/volumes/name", false, SEDGE_H5_U8, groups->volume_names},
        {"/volumes/tag", false, SEDGE_H5_I32, groups->volume_tags},
        {"/volumes/owner", false, SEDGE_H5_I32, groups->volume_owner},
        {"/volumes/axes", false, SEDGE_H5_I32, groups->volume_axes},
        {"/volumes/elements", false, SEDGE_H5_I64, groups->volume_elements},
        {"/volumes/values", false, SEDGE_H5_F64, groups->volume_values},
        {"/surfaces/name", true, SEDGE_H5_U8, groups->surface_names},
        {"/surfaces/tag", true, SEDGE_H5_I32, groups->surface_tags},
        {"/surfaces/outer_faces", true, SEDGE_H5_I64, groups->surface_faces},
        {"/surfaces/inner_faces", true, SEDGE_H5_I64, groups->surface_interior_faces},
    };

    memcpy(columns, all, sizeof all);
}

// ---- writing -----------------------------------------------------------------------------------

static sedge_status write_shape(sedge_h5 *file, const sedge_mesh_shape *shape)
{
    const int64_t rows[2] = {SEDGE_PARTS, PART_COUNTS};
    const int64_t boxes[3] = {SEDGE_PARTS, 2, 3};
    int64_t counts[SEDGE_PARTS][PART_COUNTS] = {{0}};
    double bounds[SEDGE_PARTS][2][3] = {{{0.0}}};

    for (int p = 0; p < SEDGE_PARTS && shape->parts > 1 && p < shape->parts; p++) {
        counts[p][0] = shape->part[p].elements;
        counts[p][1] = shape->part[p].groups;
        for (int g = 0; g < SEDGE_PART_GROUPS; g++) counts[p][2 + g] = shape->part[p].group[g];
        memcpy(bounds[p], shape->part[p].bounds, sizeof bounds[p]);
    }
    SEDGE_TRY(sedge_h5_put(file, "/whole/parts", SEDGE_H5_I64, 2, rows, counts));
    return sedge_h5_put(file, "/whole/part_bounds", SEDGE_H5_F64, 3, boxes, bounds);
}

sedge_status mesh_head_write(sedge_h5 *file, const sedge_mesh *mesh, const sedge_global *global)
{
    const sedge_mesh_groups *const groups = &global->groups;
    const int64_t counts[COUNTS] = {
        [COUNT_ELEMENTS] = mesh->global_elements,
        [COUNT_VERTICES] = mesh->global_vertices,
        [COUNT_CURVED] = mesh->global_curved,
        [COUNT_STRAIGHTENED] = mesh->straightened,
        [COUNT_PARTS] = mesh->shape.parts,
        [COUNT_CRACK_FACES] = mesh->shape.crack_faces,
        [COUNT_GROUPLESS_ELEMENTS] = groups->groupless_elements,
        [COUNT_GROUPLESS_FACES] = groups->groupless_faces,
    };
    const int64_t length = COUNTS;
    const int64_t box[2] = {2, 3};
    const int64_t place = 3;
    group_column columns[GROUP_COLUMNS];

    SEDGE_TRY(sedge_h5_text(file, "/", "format", SEDGE_MESH_FILE_FORMAT));
    SEDGE_TRY(sedge_h5_group(file, "/whole"));
    SEDGE_TRY(sedge_h5_group(file, "/volumes"));
    SEDGE_TRY(sedge_h5_group(file, "/surfaces"));
    SEDGE_TRY(sedge_h5_put(file, "/whole/counts", SEDGE_H5_I64, 1, &length, counts));
    SEDGE_TRY(sedge_h5_put(file, "/whole/bounds", SEDGE_H5_F64, 2, box, mesh->bounds));
    SEDGE_TRY(sedge_h5_put(file, "/whole/groupless_place", SEDGE_H5_F64, 1, &place,
                           groups->groupless_place));
    SEDGE_TRY(write_shape(file, &mesh->shape));
    list_columns(columns, groups);
    for (int c = 0; c < GROUP_COLUMNS; c++) {
        const group_column *const column = &columns[c];
        int64_t shape[2];
        const int rank = find_shape(shape, column, groups->volumes, groups->surfaces);
        SEDGE_TRY(sedge_h5_put(file, column->path, column->type, rank, shape, column->data));
    }
    return mesh_additions_write(file, global);
}

// ---- reading -----------------------------------------------------------------------------------

sedge_status mesh_head_check_format(sedge_h5 *file, const char *path)
{
    char format[64];

    if (sedge_h5_read_text(file, "/", "format", format, sizeof format) != SEDGE_OK ||
        strncmp(format, "sedge mesh ", strlen("sedge mesh ")) != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s is an HDF5 file, but not one of 'sedge mesh import'; mesh files are "
                          "those and Gmsh's",
                          path);
    }
    if (strcmp(format, SEDGE_MESH_FILE_FORMAT) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "%s has the format '%s', and this version reads '%s'; make it again with "
                      "'sedge mesh import'",
                      path, format, SEDGE_MESH_FILE_FORMAT);
}

static sedge_status read_counts(sedge_mesh *mesh, sedge_h5 *file, const char *path)
{
    const int64_t length = COUNTS;
    int64_t counts[COUNTS];

    SEDGE_TRY(mesh_whole_read(file, path, "/whole/counts", SEDGE_H5_I64, 1, &length, counts));
    for (int c = 0; c < COUNTS; c++)
        if (counts[c] < 0) return mesh_whole_fail(path, "one of /whole/counts is negative");
    if (counts[COUNT_ELEMENTS] == 0) return mesh_whole_fail(path, "it has no elements");
    if (counts[COUNT_PARTS] > INT32_MAX || counts[COUNT_CURVED] > counts[COUNT_ELEMENTS])
        return mesh_whole_fail(path, "one of /whole/counts is too large");
    mesh->global_elements = counts[COUNT_ELEMENTS];
    mesh->global_vertices = counts[COUNT_VERTICES];
    mesh->global_curved = counts[COUNT_CURVED];
    mesh->straightened = counts[COUNT_STRAIGHTENED] != 0;
    mesh->shape.parts = (int32_t)counts[COUNT_PARTS];
    mesh->shape.crack_faces = counts[COUNT_CRACK_FACES];
    mesh->groups.groupless_elements = counts[COUNT_GROUPLESS_ELEMENTS];
    mesh->groups.groupless_faces = counts[COUNT_GROUPLESS_FACES];
    return SEDGE_OK;
}

static sedge_status check_groups(const sedge_mesh *mesh, const char *path)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    int64_t sum = 0;

    for (int g = 0; g < groups->volumes + groups->surfaces; g++) {
        const char *const name = g < groups->volumes ? groups->volume_names[g]
                                                     : groups->surface_names[g - groups->volumes];
        if (name[0] == '\0' || memchr(name, '\0', NAME_BYTES) == NULL)
            return mesh_whole_fail(path, "a group has no name");
    }
    for (int g = 0; g < groups->volumes; g++) {
        const int owner = groups->volume_owner[g];
        if (owner < 0 || owner >= groups->volumes || groups->volume_owner[owner] != owner)
            return mesh_whole_fail(path, "a layer continues an unknown group");
        if (groups->volume_axes[g] < 0 || groups->volume_axes[g] > SEDGE_LAYER_RADIAL)
            return mesh_whole_fail(path, "a layer lies along an unknown axis");
        if (groups->volume_elements[g] < 0 ||
            groups->volume_elements[g] > mesh->global_elements - sum)
            return mesh_whole_fail(path, "the groups' elements are not those of the mesh");
        sum += groups->volume_elements[g];
    }
    if (sum != mesh->global_elements)
        return mesh_whole_fail(path, "the groups' elements are not those of the mesh");
    for (int g = 0; g < groups->surfaces; g++) {
        if (groups->surface_faces[g] < 0 || groups->surface_interior_faces[g] < 0)
            return mesh_whole_fail(path, "a group has a negative number of faces");
    }
    return SEDGE_OK;
}

// After read_counts.
static sedge_status read_groups(sedge_mesh *mesh, sedge_h5 *file, const char *path)
{
    const int64_t elements = mesh->groups.groupless_elements;
    const int64_t faces = mesh->groups.groupless_faces;
    const int64_t most = 1 << 20; // groups
    int64_t volumes;
    int64_t surfaces;
    group_column columns[GROUP_COLUMNS];

    SEDGE_TRY(sedge_h5_shape(file, "/volumes/tag", SEDGE_H5_I32, 1, &volumes));
    SEDGE_TRY(sedge_h5_shape(file, "/surfaces/tag", SEDGE_H5_I32, 1, &surfaces));
    if (volumes < 1 || volumes > most || surfaces > most)
        return mesh_whole_fail(path, "it has no groups, or too many");
    SEDGE_TRY(sedge_groups_allocate(&mesh->groups, (int)volumes, (int)surfaces));
    mesh->groups.groupless_elements = elements;
    mesh->groups.groupless_faces = faces;
    list_columns(columns, &mesh->groups);
    for (int c = 0; c < GROUP_COLUMNS; c++) {
        const group_column *const column = &columns[c];
        int64_t shape[2];
        const int rank = find_shape(shape, column, volumes, surfaces);
        SEDGE_TRY(
            mesh_whole_read(file, path, column->path, column->type, rank, shape, column->data));
    }
    return check_groups(mesh, path);
}

static sedge_status read_shape(sedge_mesh *mesh, sedge_h5 *file, const char *path)
{
    sedge_mesh_shape *const shape = &mesh->shape;
    const int64_t rows[2] = {SEDGE_PARTS, PART_COUNTS};
    const int64_t boxes[3] = {SEDGE_PARTS, 2, 3};
    int64_t counts[SEDGE_PARTS][PART_COUNTS];
    double bounds[SEDGE_PARTS][2][3];

    SEDGE_TRY(mesh_whole_read(file, path, "/whole/parts", SEDGE_H5_I64, 2, rows, counts));
    SEDGE_TRY(mesh_whole_read(file, path, "/whole/part_bounds", SEDGE_H5_F64, 3, boxes, bounds));
    for (int p = 0; p < SEDGE_PARTS; p++) {
        sedge_mesh_part *const part = &shape->part[p];
        if (counts[p][1] < 0 || counts[p][1] > SEDGE_PART_GROUPS + 1)
            return mesh_whole_fail(path, "a connected part has too many groups");
        part->elements = counts[p][0];
        part->groups = (int)counts[p][1];
        for (int g = 0; g < SEDGE_PART_GROUPS; g++) {
            const int64_t group = counts[p][2 + g];
            if (group < 0 || group >= mesh->groups.volumes)
                return mesh_whole_fail(path, "a connected part has an unknown group");
            part->group[g] = (int)group;
        }
        memcpy(part->bounds, bounds[p], sizeof part->bounds);
    }
    return SEDGE_OK;
}

static void scale_places(sedge_mesh *mesh, double scale)
{
    for (int d = 0; d < 3; d++) {
        mesh->groups.groupless_place[d] *= scale;
        for (int i = 0; i < 2; i++) {
            mesh->bounds[i][d] *= scale;
            for (int p = 0; p < SEDGE_PARTS; p++) mesh->shape.part[p].bounds[i][d] *= scale;
        }
    }
}

sedge_status mesh_head_read(sedge_mesh *mesh, sedge_h5 *file, const char *path, double scale)
{
    const int64_t box[2] = {2, 3};
    const int64_t place = 3;

    SEDGE_TRY(read_counts(mesh, file, path));
    SEDGE_TRY(read_groups(mesh, file, path));
    SEDGE_TRY(mesh_whole_read(file, path, "/whole/bounds", SEDGE_H5_F64, 2, box, mesh->bounds));
    SEDGE_TRY(mesh_whole_read(file, path, "/whole/groupless_place", SEDGE_H5_F64, 1, &place,
                              mesh->groups.groupless_place));
    SEDGE_TRY(read_shape(mesh, file, path));
    for (int d = 0; d < 3; d++) {
        if (!isfinite(mesh->bounds[0][d]) || !isfinite(mesh->bounds[1][d]) ||
            !(mesh->bounds[0][d] < mesh->bounds[1][d]))
            return mesh_whole_fail(path, "its extents are no box");
    }
    scale_places(mesh, scale);
    return mesh_additions_read(mesh, file, path);
}
