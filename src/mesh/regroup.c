#include "regroup.h"

#include "base/memory.h"
#include "image/grades.h"
#include "image/image.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { AXES = 2 * SEDGE_LAYER_RADIAL }; // sets of axes, the empty one included

// A vertex lies on a side of the box if it is nearer than this part of the box's longest edge.
static const double flat = 1e-9;

// ---- boxes -------------------------------------------------------------------------------------

static void extend_box(double box[2][3], const double x[3])
{
    for (int d = 0; d < 3; d++) {
        box[0][d] = fmin(box[0][d], x[d]);
        box[1][d] = fmax(box[1][d], x[d]);
    }
}

static void start_box(double box[2][3])
{
    for (int d = 0; d < 3; d++) {
        box[0][d] = DBL_MAX;
        box[1][d] = -DBL_MAX;
    }
}

static void extend_by_element(double box[2][3], const sedge_global *mesh, int32_t e)
{
    for (int v = 0; v < 4; v++) extend_box(box, mesh->points[mesh->cells[e][v]]);
    for (int k = 0; k < SEDGE_EDGES && mesh->middles != NULL; k++)
        extend_box(box, mesh->middles[e][k]);
}

double sedge_global_find_box(double box[2][3], const sedge_global *mesh, const bool *left_out)
{
    double longest = 0.0;
    double largest = 0.0;

    start_box(box);
    for (int32_t e = 0; e < mesh->elements; e++)
        if (left_out == NULL || !left_out[e]) extend_by_element(box, mesh, e);
    for (int d = 0; d < 3; d++) {
        longest = fmax(longest, box[1][d] - box[0][d]);
        largest = fmax(largest, fmax(fabs(box[0][d]), fabs(box[1][d])));
    }
    return flat * longest + 4.0 * DBL_EPSILON * largest; // of rounded coordinates
}

// ---- groups ------------------------------------------------------------------------------------

// The volume group of this name; the number of groups: there is none.
static int find_group(const sedge_mesh_groups *groups, const char *name)
{
    int g = 0;

    while (g < groups->volumes && strcmp(groups->volume_names[g], name) != 0) g++;
    return g;
}

// The group `out` of new groups: that of `owner` in the layers along these axes.
static sedge_status set_group(sedge_mesh_groups *groups, int out, int owner, int axes,
                              const char *mesh_name)
{
    char(*const names)[64] = groups->volume_names;
    char name[96];

    (void)snprintf(name, sizeof name, "%s-layer-%s%s%s%s", names[owner], axes & 1 ? "x" : "",
                   axes & 2 ? "y" : "", axes & 4 ? "z" : "", axes & SEDGE_LAYER_RADIAL ? "r" : "");
    if (strlen(name) >= sizeof *names) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the name of the volume group '%s' is too long: that of its layers, "
                          "'%s', has more than %zu characters; shorten it in the mesh",
                          mesh_name, names[owner], name, sizeof *names - 1);
    }
    for (int g = 0; g < out; g++) {
        if (strcmp(names[g], name) != 0) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the mesh has a volume group '%s', and so would the layers of '%s' "
                          "be called; give it another name in the mesh",
                          mesh_name, name, names[owner]);
    }
    memcpy(names[out], name, strlen(name) + 1);
    groups->volume_tags[out] = groups->volume_tags[owner];
    groups->volume_owner[out] = owner;
    groups->volume_axes[out] = axes;
    return SEDGE_OK;
}

sedge_status sedge_global_group_layers(sedge_global *mesh, const uint8_t *axes)
{
    const int volumes = mesh->groups.volumes;
    int *number = NULL; // [volumes][AXES]
    sedge_mesh_groups groups = {0};
    int more = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&number, (int64_t)volumes * AXES, sizeof *number));
    for (int32_t e = 0; e < mesh->elements; e++)
        if (axes[e] != 0) number[mesh->group[e] * AXES + axes[e]] = 1;
    for (int i = 0; i < volumes * AXES; i++) more += number[i];
    SEDGE_TRY_GOTO(status, sedge_groups_copy(&groups, &mesh->groups, more, 0));
    more = volumes;
    for (int i = 0; i < volumes * AXES; i++) {
        if (number[i] == 0) continue;
        SEDGE_TRY_GOTO(status, set_group(&groups, more, i / AXES, i % AXES, mesh->name));
        number[i] = more++;
    }
    for (int32_t e = 0; e < mesh->elements; e++)
        if (axes[e] != 0) mesh->group[e] = number[mesh->group[e] * AXES + axes[e]];
    memset(groups.volume_elements, 0, (size_t)more * sizeof *groups.volume_elements);
    for (int32_t e = 0; e < mesh->elements; e++) groups.volume_elements[mesh->group[e]]++;
    sedge_groups_release(&mesh->groups);
    mesh->groups = groups;
    memset(&groups, 0, sizeof groups);
done:
    sedge_groups_release(&groups);
    sedge_release(number);
    return status;
}

// ---- labels ------------------------------------------------------------------------------------

// Where the middle of the reference tetrahedron lies.
static void find_centre(double x[3], const sedge_global *mesh, int32_t e)
{
    const bool bent = mesh->middles != NULL && mesh->curved[e];

    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int v = 0; v < 4; v++)
            x[d] += (bent ? -0.125 : 0.25) * mesh->points[mesh->cells[e][v]][d];
        for (int k = 0; k < SEDGE_EDGES && bent; k++) x[d] += 0.25 * mesh->middles[e][k][d];
    }
}

// The groups of the labels, group [labels->count], behind those of the mesh.
static sedge_status add_labels(sedge_global *mesh, int *group, const sedge_image_labels *labels)
{
    sedge_mesh_groups groups;

    SEDGE_TRY(sedge_groups_copy(&groups, &mesh->groups, labels->count, 0));
    groups.volumes = mesh->groups.volumes;
    for (int i = 0; i < labels->count; i++) {
        const int g = find_group(&groups, labels->name[i]);
        group[i] = g;
        if (g < groups.volumes) continue;
        (void)snprintf(groups.volume_names[g], sizeof *groups.volume_names, "%s", labels->name[i]);
        groups.volume_tags[g] = labels->label[i];
        groups.volumes++;
    }
    sedge_groups_release(&mesh->groups);
    mesh->groups = groups;
    return SEDGE_OK;
}

// Remove the groups without elements.
static sedge_status remove_empty(sedge_global *mesh)
{
    sedge_mesh_groups *const groups = &mesh->groups;
    int *number = NULL;
    int kept = 0;

    SEDGE_TRY(sedge_allocate(&number, groups->volumes, sizeof *number));
    for (int g = 0; g < groups->volumes; g++) {
        if (groups->volume_elements[g] == 0) continue;
        memmove(groups->volume_names[kept], groups->volume_names[g], sizeof *groups->volume_names);
        groups->volume_tags[kept] = groups->volume_tags[g];
        groups->volume_elements[kept] = groups->volume_elements[g];
        number[g] = kept++;
    }
    groups->volumes = kept;
    for (int32_t e = 0; e < mesh->elements; e++) mesh->group[e] = number[mesh->group[e]];
    sedge_release(number);
    return SEDGE_OK;
}

// Each element into the group of its label; found [labels->count]: a label's number of elements.
static void move_elements(sedge_global *mesh, int64_t *found, const int *group,
                          const sedge_image_labels *labels, const sedge_image *image)
{
    for (int32_t e = 0; e < mesh->elements; e++) {
        double x[3];
        float label = 0.0F;
        int i = 0;

        find_centre(x, mesh, e);
        if (!sedge_image_find(image, x, &label)) continue;
        while (i < labels->count && fabsf(label - (float)labels->label[i]) > 0.0F) i++;
        if (i == labels->count) continue;
        mesh->group[e] = group[i];
        found[i]++;
    }
}

static sedge_status use_labels(sedge_global *mesh, int *group, int64_t *found,
                               const sedge_image_labels *labels, const sedge_image *image)
{
    sedge_mesh_groups *const groups = &mesh->groups;

    SEDGE_TRY(add_labels(mesh, group, labels));
    move_elements(mesh, found, group, labels, image);
    for (int i = 0; i < labels->count; i++) {
        if (found[i] > 0) continue;
        return SEDGE_FAIL(
            SEDGE_ERR_DATA,
            "%s: no element of the mesh has its centre in a voxel with the label %d, "
            "which is to be '%s': the image reaches from (%.6g, %.6g, %.6g) to (%.6g, "
            "%.6g, %.6g); refine the mesh, or leave the label out",
            labels->image.where, labels->label[i], labels->name[i],
            image->origin[0] - 0.5 * image->spacing[0], image->origin[1] - 0.5 * image->spacing[1],
            image->origin[2] - 0.5 * image->spacing[2],
            image->origin[0] + ((double)image->count[0] - 0.5) * image->spacing[0],
            image->origin[1] + ((double)image->count[1] - 0.5) * image->spacing[1],
            image->origin[2] + ((double)image->count[2] - 0.5) * image->spacing[2]);
    }
    memset(groups->volume_elements, 0, (size_t)groups->volumes * sizeof *groups->volume_elements);
    for (int32_t e = 0; e < mesh->elements; e++) groups->volume_elements[mesh->group[e]]++;
    return remove_empty(mesh);
}

sedge_status sedge_global_label(sedge_global *mesh, const sedge_image_labels *labels)
{
    sedge_image image = {.values = NULL};
    int *group = NULL;
    int64_t *found = NULL;
    sedge_status status;

    if (labels == NULL) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_image_read(&image, &labels->image));
    SEDGE_TRY_GOTO(status, sedge_allocate(&group, labels->count, sizeof *group));
    SEDGE_TRY_GOTO(status, sedge_allocate(&found, labels->count, sizeof *found));
    status = use_labels(mesh, group, found, labels, &image);
done:
    sedge_image_clear(&image);
    sedge_release(group);
    sedge_release(found);
    return status;
}

// ---- graded numbers ----------------------------------------------------------------------------

_Static_assert(SEDGE_VOLUME_VALUES == SEDGE_GRADED_NUMBERS, "a group has all numbers of a grade");
_Static_assert(SEDGE_IMAGE_NODES == 4 + SEDGE_EDGES, "nodes of an element");

static void list_nodes(double node[SEDGE_IMAGE_NODES][3], const sedge_global *mesh, int32_t e)
{
    for (int v = 0; v < 4; v++) memcpy(node[v], mesh->points[mesh->cells[e][v]], sizeof *node);
    for (int k = 0; k < SEDGE_EDGES; k++) {
        const int *const end = sedge_edge_vertices[k];
        for (int d = 0; d < 3; d++) node[4 + k][d] = 0.5 * (node[end[0]][d] + node[end[1]][d]);
        if (mesh->middles != NULL && mesh->curved[e])
            memcpy(node[4 + k], mesh->middles[e][k], sizeof *node);
    }
}

// The number of one element.
static sedge_status read_value(double *value, const sedge_global *mesh, int32_t e,
                               const sedge_image_grid *grid, const sedge_image *image)
{
    double node[SEDGE_IMAGE_NODES][3];
    double x[3];
    double ends[2][3];

    list_nodes(node, mesh, e);
    if (!sedge_image_average(image, node, value, x)) {
        sedge_image_bounds(ends, image);
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: the volume group '%s' has the point (%.6g, %.6g, %.6g), and the "
                          "image reaches from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g): it must "
                          "cover the whole group",
                          grid->image.where, grid->volume, x[0], x[1], x[2], ends[0][0], ends[0][1],
                          ends[0][2], ends[1][0], ends[1][1], ends[1][2]);
    }
    if (grid->positive && !(*value > 0.0)) {
        find_centre(x, mesh, e);
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: the mean of the image over the element at (%.6g, %.6g, %.6g) is "
                          "%.6g; it must be greater than 0",
                          grid->image.where, x[0], x[1], x[2], *value);
    }
    *value *= grid->unit;
    return SEDGE_OK;
}

// Set number `place` of the group's elements; row [elements] is an element's place in `list`.
static sedge_status read_values(sedge_grade *list, const int32_t *row, int place, int group,
                                const sedge_global *mesh, const sedge_image_grid *grid)
{
    sedge_image image;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(sedge_image_read(&image, &grid->image));
    for (int32_t e = 0; e < mesh->elements && status == SEDGE_OK; e++) {
        if (mesh->group[e] == group)
            status = read_value(&list[row[e]].value[place], mesh, e, grid, &image);
    }
    sedge_image_clear(&image);
    return status;
}

// The numbers of all graded groups, each group's in the order of the grids.
static sedge_status read_grids(sedge_grade *list, const int32_t *row, const sedge_global *mesh,
                               const sedge_mesh_options *options)
{
    for (int i = 0; i < options->grids; i++) {
        const sedge_image_grid *const grid = &options->grid[i];
        const int group = find_group(&mesh->groups, grid->volume);
        int place = 0;

        for (int k = 0; k < i; k++) place += strcmp(options->grid[k].volume, grid->volume) == 0;
        if (group < mesh->groups.volumes)
            SEDGE_TRY(read_values(list, row, place, group, mesh, grid));
    }
    return SEDGE_OK;
}

// Elements in graded groups get rows: row [elements], -1 elsewhere; returns how many there are.
static int32_t list_rows(int32_t *row, const sedge_global *mesh, const sedge_mesh_options *options)
{
    int32_t rows = 0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        const char *const name = mesh->groups.volume_names[mesh->group[e]];
        int i = 0;
        while (i < options->grids && strcmp(options->grid[i].volume, name) != 0) i++;
        row[e] = i < options->grids ? rows++ : -1;
    }
    return rows;
}

sedge_status sedge_global_grade(sedge_global *mesh, const sedge_mesh_options *options)
{
    int32_t *row = NULL;
    int32_t *grade = NULL;    // of the rows
    sedge_grade *list = NULL; // the same
    sedge_status status;

    if (options->grids == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&row, mesh->elements, sizeof *row));
    const int32_t rows = list_rows(row, mesh, options);
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, rows, sizeof *list));
    SEDGE_TRY_GOTO(status, sedge_allocate(&grade, rows, sizeof *grade));
    SEDGE_TRY_GOTO(status, sedge_allocate(&mesh->grade, mesh->elements, sizeof *mesh->grade));
    for (int32_t e = 0; e < mesh->elements; e++)
        if (row[e] >= 0) list[row[e]].group = mesh->group[e];
    SEDGE_TRY_GOTO(status, read_grids(list, row, mesh, options));
    SEDGE_TRY_GOTO(status, sedge_grades_find(&mesh->grades, &mesh->grade_count, grade, list, rows));
    for (int32_t e = 0; e < mesh->elements; e++) mesh->grade[e] = row[e] >= 0 ? grade[row[e]] : -1;
done:
    sedge_release(row);
    sedge_release(list);
    sedge_release(grade);
    return status;
}

// How groups are divided: group g has the parts [offset[g], offset[g + 1]), one for each grade of
// its owner, or a single one. number [parts] is that of a new group; -1: the part is not needed.
typedef struct division {
    int *first;  // [volume groups] the owner's first grade
    int *offset; // [volume groups + 1]
    int *number;
    int volumes; // new groups
} division;

static int find_part(const division *by, const sedge_global *mesh, int32_t e)
{
    const int g = mesh->group[e];

    return by->offset[g] + (mesh->grade[e] >= 0 ? mesh->grade[e] - by->first[g] : 0);
}

static sedge_status list_parts(division *by, const sedge_global *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    int *grades = NULL; // [volume groups] how many

    SEDGE_TRY(sedge_allocate(&by->first, groups->volumes, sizeof *by->first));
    SEDGE_TRY(sedge_allocate(&by->offset, groups->volumes + 1LL, sizeof *by->offset));
    SEDGE_TRY(sedge_allocate(&grades, groups->volumes, sizeof *grades));
    for (int k = 0; k < mesh->grade_count; k++)
        if (grades[mesh->grades[k].group]++ == 0) by->first[mesh->grades[k].group] = k;
    for (int g = 0; g < groups->volumes; g++) {
        const int owner = groups->volume_owner[g];
        by->first[g] = by->first[owner];
        by->offset[g + 1] = by->offset[g] + (grades[owner] > 0 ? grades[owner] : 1);
    }
    sedge_release(grades);
    return SEDGE_OK;
}

// A layer has only the parts with elements; another group, which layers continue, has all.
static sedge_status number_parts(division *by, const sedge_global *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;

    SEDGE_TRY(sedge_allocate(&by->number, by->offset[groups->volumes], sizeof *by->number));
    for (int32_t e = 0; e < mesh->elements; e++) by->number[find_part(by, mesh, e)] = 1;
    for (int g = 0; g < groups->volumes; g++) {
        for (int i = by->offset[g]; i < by->offset[g + 1]; i++) {
            const bool is_needed = groups->volume_axes[g] == 0 || by->number[i] == 1;
            by->number[i] = is_needed ? by->volumes++ : -1;
        }
    }
    return SEDGE_OK;
}

// The new groups, and what closed surfaces know of them.
static sedge_status divide_groups(sedge_mesh_groups *out, sedge_mesh_beside *beside,
                                  const division *by, const sedge_global *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;

    SEDGE_TRY(sedge_groups_allocate(out, by->volumes, 0));
    for (int g = 0; g < groups->volumes; g++) {
        const int owner = groups->volume_owner[g];
        for (int i = by->offset[g]; i < by->offset[g + 1]; i++) {
            const int v = by->number[i];
            const int part = i - by->offset[g];
            const int k = by->first[g] + part;
            if (v < 0) continue;
            memcpy(out->volume_names[v], groups->volume_names[g], sizeof *out->volume_names);
            out->volume_tags[v] = groups->volume_tags[g];
            out->volume_axes[v] = groups->volume_axes[g];
            out->volume_owner[v] = by->number[by->offset[owner] + part];
            if (k < mesh->grade_count && mesh->grades[k].group == owner)
                memcpy(out->volume_values[v], mesh->grades[k].value, sizeof *out->volume_values);
            for (int s = 0; s < SEDGE_ENCLOSURES_MAX && mesh->enclosed_beside != NULL; s++)
                beside[s * by->volumes + v] = mesh->enclosed_beside[s * groups->volumes + g];
        }
    }
    return SEDGE_OK;
}

// The volume groups of `mesh` change places with those of `with`.
static void swap_volumes(sedge_mesh_groups *groups, sedge_mesh_groups *with)
{
    const sedge_mesh_groups old = *groups;

    groups->volumes = with->volumes;
    groups->volume_names = with->volume_names;
    groups->volume_tags = with->volume_tags;
    groups->volume_owner = with->volume_owner;
    groups->volume_axes = with->volume_axes;
    groups->volume_values = with->volume_values;
    groups->volume_elements = with->volume_elements;
    with->volumes = old.volumes;
    with->volume_names = old.volume_names;
    with->volume_tags = old.volume_tags;
    with->volume_owner = old.volume_owner;
    with->volume_axes = old.volume_axes;
    with->volume_values = old.volume_values;
    with->volume_elements = old.volume_elements;
}

// The elements and connected parts of the mesh with the numbers of the new groups.
static void renumber(sedge_global *mesh, int64_t *volume_elements, const division *by)
{
    for (int32_t e = 0; e < mesh->elements; e++) {
        mesh->group[e] = by->number[find_part(by, mesh, e)];
        volume_elements[mesh->group[e]]++;
    }
    for (int p = 0; p < SEDGE_PARTS; p++) {
        for (int i = 0; i < SEDGE_PART_GROUPS; i++) {
            int *const group = &mesh->shape.part[p].group[i];
            int part = by->offset[*group];
            while (by->number[part] < 0) part++; // a group has one that is needed
            *group = by->number[part];
        }
    }
}

sedge_status sedge_global_divide(sedge_global *mesh)
{
    division by = {.volumes = 0};
    sedge_mesh_groups groups = {.volumes = 0};
    sedge_mesh_beside *beside = NULL;
    sedge_status status;

    if (mesh->grade == NULL) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, list_parts(&by, mesh));
    SEDGE_TRY_GOTO(status, number_parts(&by, mesh));
    SEDGE_TRY_GOTO(status, sedge_allocate(&beside, (int64_t)SEDGE_ENCLOSURES_MAX * by.volumes,
                                          sizeof *beside));
    SEDGE_TRY_GOTO(status, divide_groups(&groups, beside, &by, mesh));
    renumber(mesh, groups.volume_elements, &by);
    swap_volumes(&mesh->groups, &groups);
    if (mesh->enclosed_beside != NULL) {
        sedge_release(mesh->enclosed_beside);
        mesh->enclosed_beside = beside;
        beside = NULL;
    }
done:
    sedge_groups_release(&groups);
    sedge_release(beside);
    sedge_release(by.first);
    sedge_release(by.offset);
    sedge_release(by.number);
    return status;
}

// ---- layers that the mesh file has -------------------------------------------------------------

static sedge_status mark_layers(bool *marked, const sedge_global *mesh,
                                const sedge_mesh_extrusion *request)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    int32_t count = 0;

    for (int i = 0; i < request->volumes; i++) {
        const int g = find_group(groups, request->volume[i]);
        if (g == groups->volumes) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s has no volume group '%s', which is to be an absorbing layer",
                              mesh->name, request->volume[i]);
        }
        for (int32_t e = 0; e < mesh->elements; e++) marked[e] |= mesh->group[e] == g;
    }
    for (int32_t e = 0; e < mesh->elements; e++) count += marked[e];
    if (count < mesh->elements) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: all of the mesh is to be an absorbing layer: leave the volume groups in "
                      "the middle out of the list",
                      mesh->name);
}

// The axes of the layer that an element is in: the sides of the box that it lies behind.
static sedge_status find_axes(uint8_t *axes, const sedge_global *mesh, int32_t e, double box[2][3],
                              double tolerance)
{
    double own[2][3];
    char place[SEDGE_PLACE_TEXT];

    start_box(own);
    extend_by_element(own, mesh, e);
    for (int d = 0; d < 3; d++) {
        for (int end = 0; end < 2; end++) {
            const double sign = end == 0 ? -1.0 : 1.0;
            const double nearest = sign * (own[1 - end][d] - box[end][d]);
            const double farthest = sign * (own[end][d] - box[end][d]);
            if (nearest >= -tolerance) *axes |= (uint8_t)(1 << d);
            if (nearest >= -tolerance || farthest <= tolerance) continue;
            sedge_global_describe(mesh, e, place);
            return SEDGE_FAIL(SEDGE_ERR_DATA,
                              "%s: the absorbing layers are no shell of a box: %s reaches across "
                              "the plane %c = %.9g, a side of the box around all other groups; "
                              "draw the layers outside of a box with edges along the axes, whose "
                              "sides go on as planes through the layers beside it",
                              mesh->name, place, "xyz"[d], box[end][d]);
        }
    }
    if (*axes != 0) return SEDGE_OK;
    sedge_global_describe(mesh, e, place);
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "%s: the absorbing layers are no shell of a box: %s lies inside the box "
                      "(%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) around all other groups",
                      mesh->name, place, box[0][0], box[0][1], box[0][2], box[1][0], box[1][1],
                      box[1][2]);
}

// The inner box and the thickness of the thinnest side, to which the absorption is fitted.
static void measure_layers(sedge_global *mesh, double inner[2][3], double tolerance)
{
    double outer[2][3];

    (void)sedge_global_find_box(outer, mesh, NULL);
    mesh->extruded.thickness = DBL_MAX;
    for (int s = 0; s < 6; s++) {
        const double thickness = fabs(outer[s % 2][s / 2] - inner[s % 2][s / 2]);
        if (thickness > tolerance) {
            mesh->extruded.thickness = fmin(mesh->extruded.thickness, thickness);
        } else {
            inner[s % 2][s / 2] = outer[s % 2][s / 2]; // a side without layer
        }
    }
    memcpy(mesh->extruded.inner, inner, sizeof mesh->extruded.inner);
}

sedge_status sedge_global_find_layers(sedge_global *mesh, const sedge_mesh_extrusion *request)
{
    bool *marked = NULL;
    uint8_t *axes = NULL;
    double box[2][3];
    sedge_status status;

    if (request->volumes == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&marked, mesh->elements, sizeof *marked));
    SEDGE_TRY_GOTO(status, sedge_allocate(&axes, mesh->elements, sizeof *axes));
    SEDGE_TRY_GOTO(status, mark_layers(marked, mesh, request));
    const double tolerance = sedge_global_find_box(box, mesh, marked);
    for (int32_t e = 0; e < mesh->elements; e++)
        if (marked[e]) SEDGE_TRY_GOTO(status, find_axes(&axes[e], mesh, e, box, tolerance));
    measure_layers(mesh, box, tolerance);
    status = sedge_global_group_layers(mesh, axes);
done:
    sedge_release(marked);
    sedge_release(axes);
    return status;
}
