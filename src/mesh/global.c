#include "global.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

void sedge_global_start(sedge_global *mesh, const char *name)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->name = name;
}

void sedge_global_release(sedge_global *mesh)
{
    sedge_release(mesh->points);
    sedge_release(mesh->cells);
    sedge_release(mesh->group);
    sedge_release(mesh->middles);
    sedge_release(mesh->curved);
    sedge_release(mesh->numbers);
    sedge_release(mesh->volumes);
    sedge_release(mesh->tagged_faces);
    sedge_release(mesh->tagged_group);
    sedge_release(mesh->faces);
    sedge_release(mesh->period);
    sedge_release(mesh->side);
    sedge_groups_release(&mesh->groups);
    memset(mesh, 0, sizeof *mesh);
}

void sedge_global_describe(const sedge_global *mesh, int32_t element, char text[SEDGE_PLACE_TEXT])
{
    double x[3] = {0.0, 0.0, 0.0};
    char number[48] = "";
    const int group = mesh->group != NULL ? mesh->group[element] : -1;

    for (int v = 0; v < 4; v++)
        for (int d = 0; d < 3; d++) x[d] += 0.25 * mesh->points[mesh->cells[element][v]][d];
    if (mesh->numbers != NULL && mesh->numbers[element] != 0) {
        (void)snprintf(number, sizeof number, " (number %lld in Gmsh)",
                       (long long)mesh->numbers[element]);
    }
    (void)snprintf(text, SEDGE_PLACE_TEXT, "tetrahedron %d%s%s%s%s at (%.6g, %.6g, %.6g)", element,
                   number, group >= 0 ? " of group '" : "",
                   group >= 0 ? mesh->groups.volume_names[group] : "", group >= 0 ? "'" : "", x[0],
                   x[1], x[2]);
}

void sedge_global_face_centre(const sedge_global *mesh, int32_t element, int face, double x[3])
{
    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int i = 0; i < 3; i++)
            x[d] += mesh->points[mesh->cells[element][sedge_face_vertices[face][i]]][d] / 3.0;
    }
}

int sedge_orientation_find(const int32_t a[3], const int32_t b[3])
{
    for (int o = 0; o < 6; o++) {
        const int *const to = sedge_face_permutations[o];
        if (a[0] == b[to[0]] && a[1] == b[to[1]] && a[2] == b[to[2]]) return o;
    }
    return -1;
}

sedge_status sedge_groups_allocate(sedge_mesh_groups *groups, int volumes, int surfaces)
{
    const int64_t v = volumes + 1LL;
    const int64_t s = surfaces + 1LL;

    memset(groups, 0, sizeof *groups);
    SEDGE_TRY(sedge_allocate(&groups->volume_names, v, sizeof *groups->volume_names));
    SEDGE_TRY(sedge_allocate(&groups->surface_names, s, sizeof *groups->surface_names));
    SEDGE_TRY(sedge_allocate(&groups->volume_tags, v, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&groups->volume_owner, v, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&groups->volume_axes, v, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&groups->surface_tags, s, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&groups->volume_elements, v, sizeof(int64_t)));
    SEDGE_TRY(sedge_allocate(&groups->surface_faces, s, sizeof(int64_t)));
    SEDGE_TRY(sedge_allocate(&groups->surface_interior_faces, s, sizeof(int64_t)));
    SEDGE_TRY(sedge_allocate(&groups->surface_sheet_faces, s, sizeof(int64_t)));
    groups->volumes = volumes;
    groups->surfaces = surfaces;
    for (int g = 0; g < v; g++) groups->volume_owner[g] = g;
    return SEDGE_OK;
}

int sedge_groups_default(int *count, char (*names)[64])
{
    for (int g = 0; g < *count; g++)
        if (strcmp(names[g], SEDGE_DEFAULT_GROUP) == 0) return g;
    (void)snprintf(names[*count], sizeof names[*count], "%s", SEDGE_DEFAULT_GROUP);
    return (*count)++;
}

void sedge_groups_release(sedge_mesh_groups *groups)
{
    sedge_release(groups->volume_names);
    sedge_release(groups->surface_names);
    sedge_release(groups->volume_tags);
    sedge_release(groups->volume_owner);
    sedge_release(groups->volume_axes);
    sedge_release(groups->surface_tags);
    sedge_release(groups->volume_elements);
    sedge_release(groups->surface_faces);
    sedge_release(groups->surface_interior_faces);
    sedge_release(groups->surface_sheet_faces);
    memset(groups, 0, sizeof *groups);
}
