#include "global.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>

static const char *const wall_names[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};

// The axes of the three steps from the cube's low corner to its high corner, for each of its six
// tetrahedra. Even permutations give positive volume; odd ones have two vertices exchanged.
static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};

static sedge_status check_box(const sedge_mesh_options *o)
{
    double vertices = 1.0;
    double cells = 1.0;

    for (int d = 0; d < 3; d++) {
        const double low = o->box_min[d], high = o->box_max[d];
        if (!isfinite(low) || !isfinite(high) || !(high > low)) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "the box is empty along %c: from %.9g to %.9g",
                              "xyz"[d], low, high);
        }
        if (o->box_cells[d] < 1) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "the box has %d cells along %c; at least 1 is needed",
                              o->box_cells[d], "xyz"[d]);
        }
        cells *= o->box_cells[d];
        vertices *= o->box_cells[d] + 1.0;
    }
    if (6.0 * cells > (double)SEDGE_GLOBAL_LIMIT || vertices > (double)INT32_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "a box of %.0f tetrahedra is above the limit of %lld",
                          6.0 * cells, (long long)SEDGE_GLOBAL_LIMIT);
    }
    if (o->box_split_axis > 2) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the axis %d of the box's split is not one of 0, 1, 2",
                          o->box_split_axis);
    }
    return SEDGE_OK;
}

static double grid_coordinate(const sedge_mesh_options *o, int axis, int i)
{
    const int n = o->box_cells[axis];

    if (i == n) return o->box_max[axis];
    return o->box_min[axis] + (o->box_max[axis] - o->box_min[axis]) * i / n;
}

static void set_point(const sedge_mesh_options *o, const double x[3], double out[3])
{
    if (o->box_map != NULL) {
        o->box_map(x, out);
    } else {
        for (int d = 0; d < 3; d++) out[d] = x[d];
    }
}

static sedge_status make_points(sedge_global *mesh, const sedge_mesh_options *o)
{
    const int *const n = o->box_cells;
    int64_t v = 0;

    mesh->vertices = (n[0] + 1LL) * (n[1] + 1LL) * (n[2] + 1LL);
    SEDGE_TRY(sedge_allocate(&mesh->points, mesh->vertices, sizeof *mesh->points));
    for (int k = 0; k <= n[2]; k++) {
        for (int j = 0; j <= n[1]; j++) {
            for (int i = 0; i <= n[0]; i++, v++) {
                const double x[3] = {grid_coordinate(o, 0, i), grid_coordinate(o, 1, j),
                                     grid_coordinate(o, 2, k)};
                set_point(o, x, mesh->points[v]);
            }
        }
    }
    return SEDGE_OK;
}

// The faces of the cell's tetrahedra that lie on walls: on the low wall of axis a those of the two
// paths that step along a last, without the last vertex; on the high wall those that step along a
// first, without the first vertex.
static void tag_walls(sedge_global *mesh, const int n[3], const int at[3], int32_t path[6][4])
{
    for (int p = 0; p < 6; p++) {
        const int last = paths[p][2];
        const int first = paths[p][0];
        if (at[last] == 0) {
            for (int i = 0; i < 3; i++) mesh->tagged_faces[mesh->tagged][i] = path[p][i];
            mesh->tagged_group[mesh->tagged++] = 2 * last;
        }
        if (at[first] == n[first] - 1) {
            for (int i = 0; i < 3; i++) mesh->tagged_faces[mesh->tagged][i] = path[p][i + 1];
            mesh->tagged_group[mesh->tagged++] = 2 * first + 1;
        }
    }
}

// Six tetrahedra of the cube at `at`.
static void make_cube(sedge_global *mesh, const int n[3], const int at[3], int32_t first)
{
    const int32_t stride[3] = {1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};
    int32_t path[6][4];

    for (int p = 0; p < 6; p++) {
        path[p][0] = at[0] * stride[0] + at[1] * stride[1] + at[2] * stride[2];
        for (int i = 0; i < 3; i++) path[p][i + 1] = path[p][i] + stride[paths[p][i]];
        const int odd = p >= 3;
        int32_t *const cell = mesh->cells[first + p];
        cell[0] = path[p][0];
        cell[1] = path[p][odd ? 2 : 1];
        cell[2] = path[p][odd ? 1 : 2];
        cell[3] = path[p][3];
    }
    tag_walls(mesh, n, at, path);
}

// The nodes of the edges of a box that is moved: the middles of the edges before.
static sedge_status make_middles(sedge_global *mesh, const sedge_mesh_options *o)
{
    const int *const n = o->box_cells;

    if (o->box_map == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&mesh->middles, mesh->elements, sizeof *mesh->middles));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int k = 0; k < SEDGE_EDGES; k++) {
            double x[3] = {0.0, 0.0, 0.0};
            for (int end = 0; end < 2; end++) {
                const int32_t v = mesh->cells[e][sedge_edge_vertices[k][end]];
                const int at[3] = {v % (n[0] + 1), v / (n[0] + 1) % (n[1] + 1),
                                   v / (n[0] + 1) / (n[1] + 1)};
                for (int d = 0; d < 3; d++) x[d] += 0.5 * grid_coordinate(o, d, at[d]);
            }
            set_point(o, x, mesh->middles[e][k]);
        }
    }
    return SEDGE_OK;
}

static sedge_status name_groups(sedge_global *mesh, const sedge_mesh_options *o)
{
    const int volumes = o->box_split_axis < 0 ? 1 : 2;

    SEDGE_TRY(sedge_groups_allocate(&mesh->groups, volumes, 6));
    for (int g = 0; g < volumes; g++) {
        if (o->box_names[g] == NULL || o->box_names[g][0] == '\0')
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "volume group %d of the box has no name", g + 1);
        mesh->groups.volume_tags[g] = g + 1;
        (void)snprintf(mesh->groups.volume_names[g], sizeof *mesh->groups.volume_names, "%s",
                       o->box_names[g]);
    }
    for (int g = 0; g < 6; g++) {
        mesh->groups.surface_tags[g] = g + 1;
        (void)snprintf(mesh->groups.surface_names[g], sizeof *mesh->groups.surface_names, "%s",
                       wall_names[g]);
    }
    return SEDGE_OK;
}

static sedge_status check_split(const sedge_global *mesh, const sedge_mesh_options *o)
{
    for (int g = 0; g < mesh->groups.volumes; g++) {
        if (mesh->groups.volume_elements[g] == 0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "the box's split at %c = %.9g leaves no cell to '%s'; the box goes "
                              "from %.9g to %.9g",
                              "xyz"[o->box_split_axis], o -> box_split,
                              mesh -> groups.volume_names[g], o->box_min[o->box_split_axis],
                              o->box_max[o->box_split_axis]);
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_box_make(sedge_global *mesh, const sedge_mesh_options *o)
{
    const int *const n = o->box_cells;
    const int split = o->box_split_axis;
    int at[3];

    SEDGE_TRY(check_box(o));
    SEDGE_TRY(name_groups(mesh, o));
    SEDGE_TRY(make_points(mesh, o));
    mesh->elements = 6 * n[0] * n[1] * n[2];
    const int64_t walls = 4 * ((int64_t)n[0] * n[1] + (int64_t)n[1] * n[2] + (int64_t)n[2] * n[0]);
    SEDGE_TRY(sedge_allocate(&mesh->cells, mesh->elements, sizeof *mesh->cells));
    SEDGE_TRY(sedge_allocate(&mesh->group, mesh->elements, sizeof *mesh->group));
    SEDGE_TRY(sedge_allocate(&mesh->tagged_faces, walls, sizeof *mesh->tagged_faces));
    SEDGE_TRY(sedge_allocate(&mesh->tagged_group, walls, sizeof *mesh->tagged_group));
    int32_t e = 0;
    for (at[2] = 0; at[2] < n[2]; at[2]++) {
        for (at[1] = 0; at[1] < n[1]; at[1]++) {
            for (at[0] = 0; at[0] < n[0]; at[0]++, e += 6) {
                make_cube(mesh, n, at, e);
                int g = 0;
                if (split >= 0) {
                    g = 0.5 * (grid_coordinate(o, split, at[split]) +
                               grid_coordinate(o, split, at[split] + 1)) >=
                        o->box_split;
                }
                for (int t = 0; t < 6; t++) mesh->group[e + t] = g;
                mesh->groups.volume_elements[g] += 6;
            }
        }
    }
    SEDGE_TRY(make_middles(mesh, o));
    return check_split(mesh, o);
}
