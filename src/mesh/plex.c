#include "global.h"
#include "gmsh.h"
#include "petsc.h"

#include "base/memory.h"

#include <petscdmplex.h>

#include <stdio.h>
#include <string.h>

// PETSc's status with the file's name before its message.
#define TRY_PETSC(call) SEDGE_TRY(sedge_petsc_check((int)(call), mesh->name))

// Points of the interpolated DMPlex by kind: [0] to [1].
typedef struct strata {
    PetscInt cells[2], faces[2], vertices[2];
} strata;

// Group of every tag of one dimension: surface groups are sorted by tag, so are volume groups.
static int find_tag(const int *tags, int count, int tag)
{
    for (int g = 0; g < count; g++)
        if (tags[g] == tag) return g;
    return -1;
}

static void name_group(char out[SEDGE_GROUP_NAME], const sedge_gmsh *file, int dimension, int tag)
{
    (void)snprintf(out, SEDGE_GROUP_NAME, "tag%d", tag);
    for (int n = 0; n < file->names; n++) {
        if (file->name[n].dimension == dimension && file->name[n].tag == tag)
            (void)snprintf(out, SEDGE_GROUP_NAME, "%s", file->name[n].name);
    }
}

// Tags of the label "Cell Sets" or "Face Sets", made positive (Gmsh negates them for reversed
// surfaces), without 0 (no group), ascending. `tags` needs room for as many as the label has.
static sedge_status list_tags(const sedge_global *mesh, DMLabel label, int *tags, int *count)
{
    PetscInt values = 0;
    const PetscInt *value = NULL;
    IS list = NULL;

    *count = 0;
    if (label == NULL) return SEDGE_OK;
    TRY_PETSC(DMLabelGetNumValues(label, &values));
    TRY_PETSC(DMLabelGetValueIS(label, &list));
    TRY_PETSC(ISGetIndices(list, &value));
    for (PetscInt i = 0; i < values; i++) {
        const int tag = value[i] < 0 ? -(int)value[i] : (int)value[i];
        int at = 0;
        if (tag == 0) continue;
        while (at < *count && tags[at] < tag) at++;
        if (at < *count && tags[at] == tag) continue;
        memmove(&tags[at + 1], &tags[at], (size_t)(*count - at) * sizeof *tags);
        tags[at] = tag;
        ++*count;
    }
    TRY_PETSC(ISRestoreIndices(list, &value));
    TRY_PETSC(ISDestroy(&list));
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
static sedge_status read_groups(sedge_global *mesh, const sedge_gmsh *file, DMLabel cells,
                                DMLabel faces)
{
    int64_t room[2];
    int *tags[2] = {NULL, NULL};
    int counts[2] = {0, 0};
    sedge_status status;

    SEDGE_TRY(count_values(mesh, cells, &room[0]));
    SEDGE_TRY(count_values(mesh, faces, &room[1]));
    SEDGE_TRY_GOTO(status, sedge_allocate(&tags[0], room[0] + 1, sizeof(int)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&tags[1], room[1] + 1, sizeof(int)));
    SEDGE_TRY_GOTO(status, list_tags(mesh, cells, tags[0], &counts[0]));
    SEDGE_TRY_GOTO(status, list_tags(mesh, faces, tags[1], &counts[1]));
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

// Vertices of every cell in Gmsh's order. DMPlex stores a tetrahedron mirrored: the closure has the
// file's second vertex first.
static sedge_status read_cells(sedge_global *mesh, DM dm, const strata *points)
{
    static const int unmirrored[4] = {1, 0, 2, 3};
    PetscInt *closure = NULL;

    SEDGE_TRY(sedge_allocate(&mesh->cells, mesh->elements, sizeof *mesh->cells));
    for (PetscInt c = points->cells[0]; c < points->cells[1]; c++) {
        PetscInt size = 0;
        int corners = 0;
        TRY_PETSC(DMPlexGetTransitiveClosure(dm, c, PETSC_TRUE, &size, &closure));
        for (PetscInt i = 0; i < size; i++) {
            const PetscInt point = closure[2 * (size_t)i];
            if (point < points->vertices[0] || point >= points->vertices[1]) continue;
            if (corners < 4)
                mesh->cells[c][unmirrored[corners]] = (int32_t)(point - points->vertices[0]);
            corners++;
        }
        TRY_PETSC(DMPlexRestoreTransitiveClosure(dm, c, PETSC_TRUE, &size, &closure));
        if (corners != 4) {
            return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: cell %d has %d corners instead of 4", mesh->name,
                              (int)c, corners);
        }
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

// Call `set` with every point of the label and its group; tag 0 is no group.
static sedge_status visit_label(sedge_global *mesh, DM dm, DMLabel label, int dimension,
                                sedge_status (*set)(sedge_global *, DM, PetscInt, int))
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    const int *const tags = dimension == 3 ? groups->volume_tags : groups->surface_tags;
    const int count = dimension == 3 ? groups->volumes : groups->surfaces;
    PetscInt values = 0;
    const PetscInt *value = NULL;
    IS list = NULL;

    if (label == NULL) return SEDGE_OK;
    TRY_PETSC(DMLabelGetNumValues(label, &values));
    TRY_PETSC(DMLabelGetValueIS(label, &list));
    TRY_PETSC(ISGetIndices(list, &value));
    for (PetscInt i = 0; i < values; i++) {
        const int g = find_tag(tags, count, value[i] < 0 ? -(int)value[i] : (int)value[i]);
        PetscInt size = 0;
        const PetscInt *point = NULL;
        IS stratum = NULL;
        if (g < 0) continue;
        TRY_PETSC(DMLabelGetStratumIS(label, value[i], &stratum));
        TRY_PETSC(ISGetLocalSize(stratum, &size));
        TRY_PETSC(ISGetIndices(stratum, &point));
        for (PetscInt p = 0; p < size; p++) SEDGE_TRY(set(mesh, dm, point[p], g));
        TRY_PETSC(ISRestoreIndices(stratum, &point));
        TRY_PETSC(ISDestroy(&stratum));
    }
    TRY_PETSC(ISRestoreIndices(list, &value));
    TRY_PETSC(ISDestroy(&list));
    return SEDGE_OK;
}

static sedge_status set_cell(sedge_global *mesh, DM dm, PetscInt cell, int group)
{
    (void)dm;
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

static sedge_status set_face(sedge_global *mesh, DM dm, PetscInt face, int group)
{
    PetscInt first = 0;
    int32_t *const corner = mesh->tagged_faces[mesh->tagged];
    const PetscInt *edges = NULL;
    const PetscInt *ends = NULL;

    TRY_PETSC(DMPlexGetDepthStratum(dm, 0, &first, NULL));
    TRY_PETSC(DMPlexGetCone(dm, face, &edges));
    TRY_PETSC(DMPlexGetCone(dm, edges[0], &ends));
    corner[0] = (int32_t)(ends[0] - first);
    corner[1] = (int32_t)(ends[1] - first);
    TRY_PETSC(DMPlexGetCone(dm, edges[1], &ends));
    corner[2] = (int32_t)(ends[0] - first);
    if (corner[2] == corner[0] || corner[2] == corner[1]) corner[2] = (int32_t)(ends[1] - first);
    mesh->tagged_group[mesh->tagged] = group;
    mesh->tagged++;
    return SEDGE_OK;
}

// Points in all strata of the label, an upper bound of the tagged faces.
static sedge_status count_points(const sedge_global *mesh, DMLabel label, int64_t *total)
{
    PetscInt values = 0;
    const PetscInt *value = NULL;
    IS list = NULL;

    *total = 0;
    if (label == NULL) return SEDGE_OK;
    TRY_PETSC(DMLabelGetNumValues(label, &values));
    TRY_PETSC(DMLabelGetValueIS(label, &list));
    TRY_PETSC(ISGetIndices(list, &value));
    for (PetscInt i = 0; i < values; i++) {
        PetscInt size = 0;
        TRY_PETSC(DMLabelGetStratumSize(label, value[i], &size));
        *total += size;
    }
    TRY_PETSC(ISRestoreIndices(list, &value));
    TRY_PETSC(ISDestroy(&list));
    return SEDGE_OK;
}

static sedge_status read_tags(sedge_global *mesh, DM dm, const sedge_gmsh *file)
{
    DMLabel cells = NULL;
    DMLabel faces = NULL;
    int64_t total;

    TRY_PETSC(DMGetLabel(dm, "Cell Sets", &cells));
    TRY_PETSC(DMGetLabel(dm, "Face Sets", &faces));
    SEDGE_TRY(read_groups(mesh, file, cells, faces));
    SEDGE_TRY(sedge_allocate(&mesh->group, mesh->elements, sizeof *mesh->group));
    for (int32_t e = 0; e < mesh->elements; e++) mesh->group[e] = -1;
    SEDGE_TRY(visit_label(mesh, dm, cells, 3, set_cell));
    SEDGE_TRY(count_points(mesh, faces, &total));
    SEDGE_TRY(sedge_allocate(&mesh->tagged_faces, total, sizeof *mesh->tagged_faces));
    SEDGE_TRY(sedge_allocate(&mesh->tagged_group, total, sizeof *mesh->tagged_group));
    SEDGE_TRY(visit_label(mesh, dm, faces, 2, set_face));
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
    TRY_PETSC(DMPlexGetHeightStratum(dm, 1, &points.faces[0], &points.faces[1]));
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

sedge_status sedge_plex_read(sedge_global *mesh, const char *path, double scale)
{
    sedge_gmsh *file = NULL;
    DM dm = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_gmsh_scan(&file, path));
    SEDGE_TRY_GOTO(status,
                   file->tets <= SEDGE_GLOBAL_LIMIT
                       ? SEDGE_OK
                       : SEDGE_FAIL(SEDGE_ERR_DATA, "%s has %lld tetrahedra; the limit is %lld",
                                    path, (long long)file->tets, (long long)SEDGE_GLOBAL_LIMIT));
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
                    (int)DMPlexCreateGmshFromFile(PETSC_COMM_SELF, path, PETSC_TRUE, &dm), path));
    mesh->straightened = file->order > 2;
    mesh->numbers = file->numbers;
    file->numbers = NULL;
    status = read_plex(mesh, dm, file, scale);
done:
    sedge_gmsh_free(file);
    if (dm != NULL && status == SEDGE_OK) status = sedge_petsc_check((int)DMDestroy(&dm), path);
    return status;
}
