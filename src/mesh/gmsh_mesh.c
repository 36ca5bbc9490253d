#include "global.h"

#include "base/memory.h"
#include "gmsh/gmsh.h"

#include <stdio.h>
#include <stdlib.h>

static int compare_tags(const void *left, const void *right)
{
    const int32_t *const a = left, *const b = right;

    return (*a > *b) - (*a < *b);
}

// Group of a tag: surface groups are sorted by tag, so are volume groups.
static int find_tag(const int *tags, int count, int32_t tag)
{
    const int *const found =
        count > 0 ? bsearch(&tag, tags, (size_t)count, sizeof tag, compare_tags) : NULL;

    return found != NULL ? (int)(found - tags) : -1;
}

static void name_group(char out[SEDGE_GROUP_NAME], const sedge_gmsh *file, int dimension, int tag)
{
    const char *const name = sedge_gmsh_find_name(file, dimension, tag);

    if (name != NULL) {
        (void)snprintf(out, SEDGE_GROUP_NAME, "%s", name);
    } else {
        (void)snprintf(out, SEDGE_GROUP_NAME, "tag%d", tag);
    }
}

// Sort tags, leave each once and 0 (no group) out; returns how many stay.
static int sort_tags(int32_t *tags, int64_t count)
{
    int kept = 0;

    qsort(tags, (size_t)count, sizeof *tags, compare_tags);
    for (int64_t i = 0; i < count; i++)
        if (tags[i] != 0 && (kept == 0 || tags[kept - 1] != tags[i])) tags[kept++] = tags[i];
    return kept;
}

// Names and tags of the groups that have elements or faces.
static sedge_status list_groups(sedge_global *mesh, const sedge_gmsh *file)
{
    int32_t *tags[2] = {NULL, NULL};
    int32_t last = 0;
    int64_t runs = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&tags[0], file->tets, sizeof(int32_t)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&tags[1], file->triangles, sizeof(int32_t)));
    for (int64_t t = 0; t < file->tets; t++) { // they come in runs: few are sorted
        if (t == 0 || file->tags[t] != last) tags[0][runs++] = file->tags[t];
        last = file->tags[t];
    }
    for (int64_t t = 0; t < file->triangles; t++) tags[1][t] = file->triangle[t].tag;
    const int volumes = sort_tags(tags[0], runs);
    const int surfaces = sort_tags(tags[1], file->triangles);
    SEDGE_TRY_GOTO(status, sedge_groups_allocate(&mesh->groups, volumes, surfaces));
    for (int g = 0; g < volumes; g++) {
        mesh->groups.volume_tags[g] = tags[0][g];
        name_group(mesh->groups.volume_names[g], file, 3, tags[0][g]);
    }
    for (int g = 0; g < surfaces; g++) {
        mesh->groups.surface_tags[g] = tags[1][g];
        name_group(mesh->groups.surface_names[g], file, 2, tags[1][g]);
    }
done:
    sedge_release(tags[0]);
    sedge_release(tags[1]);
    return status;
}

// The corners of tetrahedra become vertices, in the order of the nodes; `vertex` [nodes] gets their
// numbers, -1 for all other nodes.
static sedge_status list_vertices(sedge_global *mesh, const sedge_gmsh *file, double scale,
                                  int32_t *vertex)
{
    for (int64_t n = 0; n < file->nodes; n++) vertex[n] = -1;
    for (int64_t t = 0; t < file->tets; t++)
        for (int v = 0; v < 4; v++) vertex[file->corners[t][v]] = 0;
    for (int64_t n = 0; n < file->nodes; n++)
        if (vertex[n] == 0) vertex[n] = (int32_t)mesh->vertices++;
    SEDGE_TRY(sedge_allocate(&mesh->points, mesh->vertices, sizeof *mesh->points));
    for (int64_t n = 0; n < file->nodes; n++) {
        if (vertex[n] < 0) continue;
        for (int d = 0; d < 3; d++) mesh->points[vertex[n]][d] = file->points[n][d] * scale;
    }
    return SEDGE_OK;
}

static sedge_status list_cells(sedge_global *mesh, const sedge_gmsh *file, double scale,
                               const int32_t *vertex)
{
    SEDGE_TRY(sedge_allocate(&mesh->cells, mesh->elements, sizeof *mesh->cells));
    for (int32_t e = 0; e < mesh->elements; e++)
        for (int v = 0; v < 4; v++) mesh->cells[e][v] = vertex[file->corners[e][v]];
    if (file->middles == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&mesh->middles, mesh->elements, sizeof *mesh->middles));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int i = 0; i < SEDGE_EDGES; i++) {
            for (int d = 0; d < 3; d++)
                mesh->middles[e][i][d] = file->points[file->middles[e][i]][d] * scale;
        }
    }
    return SEDGE_OK;
}

static sedge_status list_triangles(sedge_global *mesh, const sedge_gmsh *file, double scale,
                                   const int32_t *vertex)
{
    SEDGE_TRY(sedge_allocate(&mesh->tagged_faces, file->triangles, sizeof *mesh->tagged_faces));
    SEDGE_TRY(sedge_allocate(&mesh->tagged_group, file->triangles, sizeof *mesh->tagged_group));
    for (int64_t t = 0; t < file->triangles; t++) {
        const sedge_gmsh_triangle *const triangle = &file->triangle[t];
        mesh->tagged_group[t] =
            find_tag(mesh->groups.surface_tags, mesh->groups.surfaces, triangle->tag);
        double corners[3][3];
        bool loose = false; // a corner is in no tetrahedron
        for (int i = 0; i < 3; i++) {
            mesh->tagged_faces[t][i] = vertex[triangle->node[i]];
            loose = loose || mesh->tagged_faces[t][i] < 0;
            for (int d = 0; d < 3; d++) corners[i][d] = file->points[triangle->node[i]][d] * scale;
        }
        const double *const places[3] = {corners[0], corners[1], corners[2]};
        if (loose) return sedge_global_fail_loose(mesh, places, mesh->tagged_group[t]);
    }
    mesh->tagged = (int32_t)file->triangles;
    return SEDGE_OK;
}

static sedge_status fail_groupless(const sedge_global *mesh, const sedge_gmsh *file, int32_t first)
{
    const bool saved_all = file->version == SEDGE_GMSH_2 && file->names > 0 &&
                           mesh->groups.groupless_elements == mesh->elements;
    char place[SEDGE_PLACE_TEXT];

    sedge_global_describe(mesh, first, place);
    return SEDGE_FAIL(
        SEDGE_ERR_DATA,
        "%s: %lld of %d tetrahedra are in no volume group, the first is %s, of volume "
        "%d; put every volume into a Physical Volume, or give tetrahedra without a group a "
        "material by the deck's key materials.default%s",
        mesh->name, (long long)mesh->groups.groupless_elements, mesh->elements, place,
        mesh->volumes[first],
        saved_all
            ? "; the file has names of groups, but Gmsh leaves the groups themselves out of "
              "files of version 2 if its option Mesh.SaveAll (-save_all) is 1: set it to 0, or "
              "save version 4.1"
            : "");
}

// The group of every element.
static sedge_status join_groups(sedge_global *mesh, const sedge_gmsh *file, bool takes_groupless)
{
    const int known = mesh->groups.volumes;
    int32_t first = 0;

    SEDGE_TRY(sedge_allocate(&mesh->group, mesh->elements, sizeof *mesh->group));
    for (int32_t e = mesh->elements - 1; e >= 0; e--) {
        mesh->group[e] = find_tag(mesh->groups.volume_tags, known, file->tags[e]);
        if (mesh->group[e] >= 0) continue;
        mesh->groups.groupless_elements++;
        first = e;
    }
    if (mesh->groups.groupless_elements > 0 && !takes_groupless)
        return fail_groupless(mesh, file, first);
    const int32_t other =
        mesh->groups.groupless_elements > 0
            ? sedge_groups_default(&mesh->groups.volumes, mesh->groups.volume_names)
            : -1;
    for (int32_t e = 0; e < mesh->elements; e++) {
        if (mesh->group[e] < 0) mesh->group[e] = other;
        mesh->groups.volume_elements[mesh->group[e]]++;
    }
    return SEDGE_OK;
}

static sedge_status fill(sedge_global *mesh, sedge_gmsh *file, const sedge_mesh_options *options)
{
    int32_t *vertex = NULL;
    sedge_status status;

    mesh->elements = (int32_t)file->tets;
    mesh->straightened = file->order > 2;
    mesh->numbers = file->numbers;
    file->numbers = NULL;
    mesh->volumes = file->volumes;
    file->volumes = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&vertex, file->nodes, sizeof *vertex));
    SEDGE_TRY_GOTO(status, list_vertices(mesh, file, options->scale, vertex));
    SEDGE_TRY_GOTO(status, list_cells(mesh, file, options->scale, vertex));
    SEDGE_TRY_GOTO(status, list_groups(mesh, file));
    SEDGE_TRY_GOTO(status, list_triangles(mesh, file, options->scale, vertex));
    status = join_groups(mesh, file, options->default_volume);
done:
    sedge_release(vertex);
    return status;
}

sedge_status sedge_gmsh_read(sedge_global *mesh, const sedge_mesh_options *options)
{
    sedge_gmsh *file = NULL;

    SEDGE_TRY(sedge_gmsh_open(&file, options->file, SEDGE_GLOBAL_LIMIT));
    const sedge_status status = fill(mesh, file, options);
    sedge_gmsh_free(file);
    return status;
}
