#include "global.h"
#include "gmsh.h"
#include "petsc.h"

#include "base/memory.h"

#include <petscdmplex.h>

#include <stdio.h>
#include <stdlib.h>

// PETSc's status with the file's name before its message.
#define TRY_PETSC(call) SEDGE_TRY(sedge_petsc_check((int)(call), mesh->name))

// Points of the DMPlex by kind: [0] to [1]. It has no faces and edges: to make them takes ten times
// as long as all else here, and connect.c matches faces anyway.
typedef struct strata {
    PetscInt cells[2], vertices[2];
} strata;

static int compare_tags(const void *left, const void *right)
{
    const int *const a = left, *const b = right;

    return (*a > *b) - (*a < *b);
}

// Group of a tag: surface groups are sorted by tag, so are volume groups.
static int find_tag(const int *tags, int count, int tag)
{
    const int *const found =
        count > 0 ? bsearch(&tag, tags, (size_t)count, sizeof tag, compare_tags) : NULL;

    return found != NULL ? (int)(found - tags) : -1;
}

static void name_group(char out[SEDGE_GROUP_NAME], const sedge_gmsh *file, int dimension, int tag)
{
    (void)snprintf(out, SEDGE_GROUP_NAME, "tag%d", tag);
    for (int n = 0; n < file->names; n++) {
        if (file->name[n].dimension == dimension && file->name[n].tag == tag)
            (void)snprintf(out, SEDGE_GROUP_NAME, "%s", file->name[n].name);
    }
}

// Sort tags, leave each once; returns how many stay.
static int sort_tags(int *tags, int64_t count)
{
    int kept = 0;

    qsort(tags, (size_t)count, sizeof *tags, compare_tags);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || tags[kept - 1] != tags[i]) tags[kept++] = tags[i];
    return kept;
}

// Tags of the label "Cell Sets", made positive (Gmsh negates those of reversed parts), without 0
// (no group), ascending. `tags` needs room for as many as the label has.
static sedge_status list_cell_tags(const sedge_global *mesh, DMLabel label, int *tags, int *count)
{
    PetscInt values = 0;
    int64_t kept = 0;
    const PetscInt *value = NULL;
    IS list = NULL;

    *count = 0;
    if (label == NULL) return SEDGE_OK;
    TRY_PETSC(DMLabelGetNumValues(label, &values));
    TRY_PETSC(DMLabelGetValueIS(label, &list));
    TRY_PETSC(ISGetIndices(list, &value));
    for (PetscInt i = 0; i < values; i++)
        if (value[i] != 0) tags[kept++] = value[i] < 0 ? -(int)value[i] : (int)value[i];
    TRY_PETSC(ISRestoreIndices(list, &value));
    TRY_PETSC(ISDestroy(&list));
    *count = sort_tags(tags, kept);
    return SEDGE_OK;
}

static sedge_status count_values(const sedge_global *mesh, DMLabel label, int64_t *count)
{
    PetscInt values = 0;

    if (label != NULL) TRY_PETSC(DMLabelGetNumValues(label, &values));
    *count = values;
    return SEDGE_OK;
}

// Names and tags of the groups that have elements or faces.
static sedge_status read_groups(sedge_global *mesh, const sedge_gmsh *file, DMLabel cells)
{
    int64_t room;
    int *tags[2] = {NULL, NULL};
    int counts[2] = {0, 0};
    sedge_status status;

    SEDGE_TRY(count_values(mesh, cells, &room));
    SEDGE_TRY_GOTO(status, sedge_allocate(&tags[0], room + 1, sizeof(int)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&tags[1], file->triangles, sizeof(int)));
    SEDGE_TRY_GOTO(status, list_cell_tags(mesh, cells, tags[0], &counts[0]));
    for (int64_t t = 0; t < file->triangles; t++) tags[1][t] = file->triangle[t].tag;
    counts[1] = sort_tags(tags[1], file->triangles);
    SEDGE_TRY_GOTO(status, sedge_groups_allocate(&mesh->groups, counts[0], counts[1]));
    for (int g = 0; g < counts[0]; g++) {
        mesh->groups.volume_tags[g] = tags[0][g];
        name_group(mesh->groups.volume_names[g], file, 3, tags[0][g]);
    }
    for (int g = 0; g < counts[1]; g++) {
        mesh->groups.surface_tags[g] = tags[1][g];
        name_group(mesh->groups.surface_names[g], file, 2, tags[1][g]);
    }
done:
    sedge_release(tags[0]);
    sedge_release(tags[1]);
    return status;
}

// Vertices of every cell in Gmsh's order. DMPlex stores a tetrahedron mirrored: its cone has the
// file's second vertex first.
static sedge_status read_cells(sedge_global *mesh, DM dm, const strata *points)
{
    static const int unmirrored[4] = {1, 0, 2, 3};

    SEDGE_TRY(sedge_allocate(&mesh->cells, mesh->elements, sizeof *mesh->cells));
    for (PetscInt c = points->cells[0]; c < points->cells[1]; c++) {
        PetscInt corners = 0;
        const PetscInt *cone = NULL;
        TRY_PETSC(DMPlexGetConeSize(dm, c, &corners));
        TRY_PETSC(DMPlexGetCone(dm, c, &cone));
        if (corners != 4) {
            return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: cell %d has %d corners instead of 4", mesh->name,
                              (int)c, (int)corners);
        }
        for (int i = 0; i < 4; i++)
            mesh->cells[c][unmirrored[i]] = (int32_t)(cone[i] - points->vertices[0]);
    }
    return SEDGE_OK;
}

// Corners and middles of edges of every cell of second order. DMPlex keeps them cell by cell, in
// rows from Gmsh's first vertex to its second, then towards the third, then the fourth.
static sedge_status read_nodes(sedge_global *mesh, DM dm, const strata *points, double scale)
{
    static const int corner[4] = {0, 2, 5, 9};
    static const int middle[SEDGE_EDGES] = {1, 3, 4, 6, 7, 8};

    mesh->vertices = points->vertices[1] - points->vertices[0];
    SEDGE_TRY(sedge_allocate(&mesh->points, mesh->vertices, sizeof *mesh->points));
    SEDGE_TRY(sedge_allocate(&mesh->middles, mesh->elements, sizeof *mesh->middles));
    for (PetscInt c = points->cells[0]; c < points->cells[1]; c++) {
        const PetscScalar *array = NULL;
        PetscScalar *values = NULL;
        PetscBool own;
        PetscInt count = 0;
        TRY_PETSC(DMPlexGetCellCoordinates(dm, c, &own, &count, &array, &values));
        if (count != 30) {
            return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: cell %d has %d coordinates instead of 30",
                              mesh->name, (int)c, (int)count);
        }
        for (int d = 0; d < 3; d++) {
            for (int v = 0; v < 4; v++)
                mesh->points[mesh->cells[c][v]][d] = values[3 * corner[v] + d] * scale;
            for (int e = 0; e < SEDGE_EDGES; e++)
                mesh->middles[c][e][d] = values[3 * middle[e] + d] * scale;
        }
        TRY_PETSC(DMPlexRestoreCellCoordinates(dm, c, &own, &count, &array, &values));
    }
    return SEDGE_OK;
}

static sedge_status read_points(sedge_global *mesh, DM dm, const strata *points, double scale)
{
    PetscSection section = NULL;
    const PetscScalar *values = NULL;
    Vec coordinates = NULL;

    mesh->vertices = points->vertices[1] - points->vertices[0];
    SEDGE_TRY(sedge_allocate(&mesh->points, mesh->vertices, sizeof *mesh->points));
    TRY_PETSC(DMGetCoordinateSection(dm, &section));
    TRY_PETSC(DMGetCoordinatesLocal(dm, &coordinates));
    TRY_PETSC(VecGetArrayRead(coordinates, &values));
    for (int64_t v = 0; v < mesh->vertices; v++) {
        PetscInt count = 0;
        PetscInt offset = 0;
        TRY_PETSC(PetscSectionGetDof(section, points->vertices[0] + (PetscInt)v, &count));
        TRY_PETSC(PetscSectionGetOffset(section, points->vertices[0] + (PetscInt)v, &offset));
        if (count != 3) {
            return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: vertex %lld has %d coordinates instead of 3",
                              mesh->name, (long long)v, (int)count);
        }
        for (int d = 0; d < 3; d++) mesh->points[v][d] = values[offset + d] * scale;
    }
    TRY_PETSC(VecRestoreArrayRead(coordinates, &values));
    return SEDGE_OK;
}

static sedge_status set_group(sedge_global *mesh, PetscInt cell, int group)
{
    if (cell < 0 || cell >= mesh->elements) return SEDGE_OK;
    if (mesh->group[cell] >= 0 && mesh->group[cell] != group) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: tetrahedron %d is in two volume groups, '%s' and '%s'", mesh->name,
                          (int)cell, mesh->groups.volume_names[mesh->group[cell]],
                          mesh->groups.volume_names[group]);
    }
    mesh->group[cell] = group;
    return SEDGE_OK;
}

// The group of every cell of the label; tag 0 is no group.
static sedge_status visit_cells(sedge_global *mesh, DMLabel label)
{
    PetscInt values = 0;
    const PetscInt *value = NULL;
    IS list = NULL;

    if (label == NULL) return SEDGE_OK;
    TRY_PETSC(DMLabelGetNumValues(label, &values));
    TRY_PETSC(DMLabelGetValueIS(label, &list));
    TRY_PETSC(ISGetIndices(list, &value));
    for (PetscInt i = 0; i < values; i++) {
        const int g = find_tag(mesh->groups.volume_tags, mesh->groups.volumes,
                               value[i] < 0 ? -(int)value[i] : (int)value[i]);
        PetscInt size = 0;
        const PetscInt *point = NULL;
        IS stratum = NULL;
        if (g < 0) continue;
        TRY_PETSC(DMLabelGetStratumIS(label, value[i], &stratum));
        TRY_PETSC(ISGetLocalSize(stratum, &size));
        TRY_PETSC(ISGetIndices(stratum, &point));
        for (PetscInt p = 0; p < size; p++) SEDGE_TRY(set_group(mesh, point[p], g));
        TRY_PETSC(ISRestoreIndices(stratum, &point));
        TRY_PETSC(ISDestroy(&stratum));
    }
    TRY_PETSC(ISRestoreIndices(list, &value));
    TRY_PETSC(ISDestroy(&list));
    return SEDGE_OK;
}

// The triangles of the file by the vertices of the cells that they share them with.
static sedge_status take_triangles(sedge_global *mesh, const sedge_gmsh *file)
{
    SEDGE_TRY(sedge_allocate(&mesh->tagged_faces, file->triangles, sizeof *mesh->tagged_faces));
    SEDGE_TRY(sedge_allocate(&mesh->tagged_group, file->triangles, sizeof *mesh->tagged_group));
    for (int64_t t = 0; t < file->triangles; t++) {
        const sedge_gmsh_triangle *const triangle = &file->triangle[t];
        for (int i = 0; i < 3; i++) {
            mesh->tagged_faces[t][i] =
                mesh->cells[triangle->corner[i] / 4][triangle->corner[i] % 4];
        }
        mesh->tagged_group[t] =
            find_tag(mesh->groups.surface_tags, mesh->groups.surfaces, triangle->tag);
    }
    mesh->tagged = (int32_t)file->triangles;
    return SEDGE_OK;
}

static sedge_status read_tags(sedge_global *mesh, DM dm, const sedge_gmsh *file)
{
    DMLabel cells = NULL;

    TRY_PETSC(DMGetLabel(dm, "Cell Sets", &cells));
    SEDGE_TRY(read_groups(mesh, file, cells));
    SEDGE_TRY(sedge_allocate(&mesh->group, mesh->elements, sizeof *mesh->group));
    for (int32_t e = 0; e < mesh->elements; e++) mesh->group[e] = -1;
    SEDGE_TRY(visit_cells(mesh, cells));
    SEDGE_TRY(take_triangles(mesh, file));
    for (int32_t e = 0; e < mesh->elements; e++) {
        if (mesh->group[e] >= 0) {
            mesh->groups.volume_elements[mesh->group[e]]++;
            continue;
        }
        char place[SEDGE_PLACE_TEXT];
        sedge_global_describe(mesh, e, place);
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: %s is in no volume group; put every volume into a Physical Volume",
                          mesh->name, place);
    }
    return SEDGE_OK;
}

static sedge_status read_plex(sedge_global *mesh, DM dm, const sedge_gmsh *file, double scale)
{
    strata points;
    PetscInt dimension = 0;

    TRY_PETSC(DMGetDimension(dm, &dimension));
    TRY_PETSC(DMPlexGetHeightStratum(dm, 0, &points.cells[0], &points.cells[1]));
    TRY_PETSC(DMPlexGetDepthStratum(dm, 0, &points.vertices[0], &points.vertices[1]));
    mesh->elements = (int32_t)(points.cells[1] - points.cells[0]);
    if (dimension != 3 || points.cells[0] != 0 || mesh->elements != file->tets) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: PETSc made %d cells of dimension %d from %lld tetrahedra",
                          mesh->name, (int)mesh->elements, (int)dimension, (long long)file->tets);
    }
    SEDGE_TRY(read_cells(mesh, dm, &points));
    SEDGE_TRY(file->order == 2 ? read_nodes(mesh, dm, &points, scale)
                               : read_points(mesh, dm, &points, scale));
    SEDGE_TRY(read_tags(mesh, dm, file));
    return SEDGE_OK;
}

sedge_status sedge_plex_read(sedge_global *mesh, const sedge_mesh_options *options)
{
    const char *const path = options->file;
    sedge_gmsh *file = NULL;
    DM dm = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_gmsh_scan(&file, path));
    if (options->tell != NULL) options->tell("reading the mesh", file->tets);
    // Periodicity by surface groups instead of the file's $Periodic; of third and higher order the
    // corners only.
    SEDGE_TRY_GOTO(status,
                   sedge_petsc_check((int)PetscOptionsSetValue(NULL, "-dm_plex_gmsh_highorder",
                                                               file->order == 2 ? "1" : "0"),
                                     path));
    SEDGE_TRY_GOTO(
        status,
        sedge_petsc_check((int)PetscOptionsSetValue(NULL, "-dm_plex_gmsh_periodic", "0"), path));
    SEDGE_TRY_GOTO(
        status, sedge_petsc_check(
                    (int)DMPlexCreateGmshFromFile(PETSC_COMM_SELF, path, PETSC_FALSE, &dm), path));
    mesh->straightened = file->order > 2;
    mesh->numbers = file->numbers;
    file->numbers = NULL;
    status = read_plex(mesh, dm, file, options->scale);
done:
    sedge_gmsh_free(file);
    if (dm != NULL && status == SEDGE_OK) status = sedge_petsc_check((int)DMDestroy(&dm), path);
    return status;
}
