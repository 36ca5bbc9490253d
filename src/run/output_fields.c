// mesh.hdf, fields_%06d.hdf and fields.hdf.series: VTKHDF 1.0, unstructured grid of Lagrange
// tetrahedra, one piece a rank. A DG grid shares no points: element e of a piece has the points
// [e nodes, (e+1) nodes), in VTK's numbering of the equispaced lattice.
#define _DEFAULT_SOURCE
#include "output_parts.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

#include <jansson.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VTK_LAGRANGE_TETRAHEDRON 71
#define BLOCK_VALUES             (1 << 23) // values of a dataset that are converted and written at once

#define FRAME_BYTES  65536 // what describes a file, without its values
#define PATH_IN_FILE 128

struct sedge_fields {
    const sedge_output_context *context;
    sedge_lattice *lattice;
    int64_t elements;   // of all ranks
    int64_t first;      // elements of lower ranks
    int64_t most;       // elements of the largest rank
    bool wide;          // fp32 points would lose the geometry
    char mesh_name[48]; // file with the mesh
    char partition[SEDGE_HASH_TEXT];
    void *block;          // for BLOCK_VALUES values or one element's, at most 8 bytes each
    int64_t block_values; // its size
    int count;            // field files written
    int capacity;         // of `times`
    double *times;        // [count], deck's units; root only
};

// Fill a block: `values` gets what elements [first, first + count) have for a dataset.
typedef void block_filler(const sedge_fields *fields, const void *from, int64_t first,
                          int64_t count, void *values);

// A dataset with the same number of rows for each element.
typedef struct field_column {
    const char *path;
    sedge_h5_type type;
    int width;      // rows an element
    int components; // values a row
    block_filler *filler;
} field_column;

// Root: the dataset, empty.
static sedge_status make_column(const sedge_fields *fields, sedge_h5 *file,
                                const field_column *column)
{
    const int64_t shape[2] = {fields->elements * column->width, column->components};

    return sedge_h5_dataset(file, column->path, column->type, column->components > 1 ? 2 : 1,
                            shape);
}

// All ranks: its values, block by block; as many rounds as the largest rank needs.
static sedge_status fill_column(sedge_fields *fields, sedge_h5 *file, const field_column *column,
                                const void *from)
{
    const int64_t own = fields->context->mesh->elements;
    const int64_t width = column->width;
    const int64_t step = fields->block_values / (width * column->components);

    for (int64_t e = 0; e < fields->most; e += step) {
        const int64_t left = own > e ? own - e : 0;
        const int64_t count = left < step ? left : step;

        if (count > 0) column->filler(fields, from, e, count, fields->block);
        SEDGE_TRY(
            sedge_comm_agree(fields->context->comm, sedge_h5_write(file, column->path, column->type,
                                                                   (fields->first + e) * width,
                                                                   count * width, fields->block)));
    }
    return SEDGE_OK;
}

// ---- the mesh ----------------------------------------------------------------------------------

// Where node m of a curved element lies.
static void place_point(double x[3], const sedge_fields *fields, int32_t e, int m)
{
    const sedge_lattice *const lattice = fields->lattice;
    double rst[3];

    for (int a = 0; a < 3; a++) rst[a] = 2.0 * lattice->place[m][a] / lattice->order - 1.0;
    sedge_mesh_place(fields->context->mesh, e, rst, x);
}

static void fill_points(const sedge_fields *fields, const void *from, int64_t first, int64_t count,
                        void *values)
{
    const sedge_lattice *const lattice = fields->lattice;
    const sedge_mesh *const mesh = fields->context->mesh;
    double(*const corners)[4][3] = mesh->corners;
    double *const wide = values;
    float *const narrow = values;

    (void)from;
    for (int64_t e = 0; e < count; e++) {
        const bool curved = sedge_mesh_curve(mesh, (int32_t)(first + e)) >= 0;
        for (int m = 0; m < lattice->nodes; m++) {
            double place[3];
            if (curved) place_point(place, fields, (int32_t)(first + e), m);
            for (int d = 0; d < 3; d++) {
                const double *const v0 = corners[first + e][0];
                double x = v0[d];

                for (int a = 0; a < 3; a++) {
                    x += (corners[first + e][a + 1][d] - v0[d]) * lattice->place[m][a] /
                         lattice->order;
                }
                if (curved) x = place[d];
                if (fields->wide) {
                    wide[(e * lattice->nodes + m) * 3 + d] = x;
                } else {
                    narrow[(e * lattice->nodes + m) * 3 + d] = (float)x;
                }
            }
        }
    }
}

static void fill_connectivity(const sedge_fields *fields, const void *from, int64_t first,
                              int64_t count, void *values)
{
    const int64_t nodes = fields->lattice->nodes;
    int64_t *const points = values;

    (void)from;
    for (int64_t i = 0; i < count * nodes; i++) points[i] = first * nodes + i;
}

static void fill_types(const sedge_fields *fields, const void *from, int64_t first, int64_t count,
                       void *values)
{
    (void)fields;
    (void)from;
    (void)first;
    memset(values, VTK_LAGRANGE_TETRAHEDRON, (size_t)count);
}

static void fill_group(const sedge_fields *fields, const void *from, int64_t first, int64_t count,
                       void *values)
{
    (void)from;
    memcpy(values, fields->context->mesh->group + first, (size_t)count * sizeof(int32_t));
}

static void fill_id(const sedge_fields *fields, const void *from, int64_t first, int64_t count,
                    void *values)
{
    (void)from;
    memcpy(values, fields->context->mesh->global_ids + first, (size_t)count * sizeof(int64_t));
}

static void fill_rank(const sedge_fields *fields, const void *from, int64_t first, int64_t count,
                      void *values)
{
    int32_t *const ranks = values;

    (void)from;
    (void)first;
    for (int64_t i = 0; i < count; i++) ranks[i] = sedge_comm_rank(fields->context->comm);
}

// The columns of mesh.hdf, links to which make up a field file.
#define MESH_COLUMNS 6
static void mesh_columns(const sedge_fields *fields, field_column columns[MESH_COLUMNS])
{
    const sedge_h5_type real = fields->wide ? SEDGE_H5_F64 : SEDGE_H5_F32;
    const int nodes = fields->lattice->nodes;
    const field_column all[MESH_COLUMNS] = {
        {"/VTKHDF/Points", real, nodes, 3, fill_points},
        {"/VTKHDF/Connectivity", SEDGE_H5_I64, nodes, 1, fill_connectivity},
        {"/VTKHDF/Types", SEDGE_H5_U8, 1, 1, fill_types},
        {"/VTKHDF/CellData/material", SEDGE_H5_I32, 1, 1, fill_group},
        {"/VTKHDF/CellData/element", SEDGE_H5_I64, 1, 1, fill_id},
        {"/VTKHDF/CellData/rank", SEDGE_H5_I32, 1, 1, fill_rank}};

    memcpy(columns, all, sizeof all);
}

// Datasets with one row a piece.
#define COUNTS 3
static const char *const count_paths[COUNTS] = {"/VTKHDF/NumberOfPoints", "/VTKHDF/NumberOfCells",
                                                "/VTKHDF/NumberOfConnectivityIds"};

// All ranks: offsets, which have one entry more than a piece has elements.
static sedge_status fill_offsets(const sedge_fields *fields, sedge_h5 *file)
{
    const sedge_comm *const comm = fields->context->comm;
    const int64_t own = fields->context->mesh->elements;
    int64_t *offsets = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_allocate(&offsets, own + 1, sizeof *offsets)));
    for (int64_t e = 0; e <= own; e++) offsets[e] = e * fields->lattice->nodes;
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_h5_write(file, "/VTKHDF/Offsets", SEDGE_H5_I64,
                                                         fields->first + sedge_comm_rank(comm),
                                                         own + 1, offsets)));
done:
    sedge_release(offsets);
    return status;
}

// What VTK wants to see first, and our own attributes.
static sedge_status write_head(const sedge_output_context *context, sedge_h5 *file,
                               const char *content)
{
    static const int64_t version[2] = {1, 0};

    SEDGE_TRY(sedge_output_describe(file, context, content));
    SEDGE_TRY(sedge_h5_group(file, "/VTKHDF"));
    SEDGE_TRY(sedge_h5_integers(file, "/VTKHDF", "Version", version, 2));
    SEDGE_TRY(sedge_h5_ascii(file, "/VTKHDF", "Type", "UnstructuredGrid"));
    SEDGE_TRY(sedge_h5_group(file, "/VTKHDF/PointData"));
    return sedge_h5_group(file, "/VTKHDF/CellData");
}

static sedge_status describe_mesh(const sedge_output_context *context, sedge_h5 *file)
{
    const sedge_mesh_groups *const groups = &context->mesh->groups;
    const char **names = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&names, groups->volumes, sizeof *names));
    for (int v = 0; v < groups->volumes; v++) names[v] = groups->volume_names[v];
    SEDGE_TRY_GOTO(status,
                   sedge_h5_text(file, "/VTKHDF/Points", "units", sedge_output_unit(context, "m")));
    SEDGE_TRY_GOTO(
        status, sedge_h5_texts(file, "/VTKHDF/CellData/material", "names", names, groups->volumes));
done:
    sedge_release(names);
    return status;
}

// Root: all of mesh.hdf but the values of its datasets.
static sedge_status frame_mesh(const sedge_fields *fields, sedge_h5 *file, const void *what)
{
    const sedge_output_context *const context = fields->context;
    const int64_t pieces = sedge_comm_size(context->comm);
    const int64_t offsets = fields->elements + pieces;
    field_column columns[MESH_COLUMNS];

    (void)what;
    mesh_columns(fields, columns);
    SEDGE_TRY(write_head(context, file, "mesh"));
    SEDGE_TRY(sedge_h5_text(file, "/", "partition", fields->partition));
    for (int i = 0; i < COUNTS; i++)
        SEDGE_TRY(sedge_h5_dataset(file, count_paths[i], SEDGE_H5_I64, 1, &pieces));
    SEDGE_TRY(sedge_h5_dataset(file, "/VTKHDF/Offsets", SEDGE_H5_I64, 1, &offsets));
    for (int i = 0; i < MESH_COLUMNS; i++) SEDGE_TRY(make_column(fields, file, &columns[i]));
    return describe_mesh(context, file);
}

// All ranks: the values.
static sedge_status fill_mesh(sedge_fields *fields, sedge_h5 *file, const void *what)
{
    const sedge_comm *const comm = fields->context->comm;
    const int64_t cells = fields->context->mesh->elements;
    const int64_t points = cells * fields->lattice->nodes;
    const int64_t counts[COUNTS] = {points, cells, points};
    field_column columns[MESH_COLUMNS];

    (void)what;
    mesh_columns(fields, columns);
    for (int i = 0; i < COUNTS; i++) {
        SEDGE_TRY(sedge_comm_agree(comm, sedge_h5_write(file, count_paths[i], SEDGE_H5_I64,
                                                        sedge_comm_rank(comm), 1, &counts[i])));
    }
    SEDGE_TRY(fill_offsets(fields, file));
    for (int i = 0; i < MESH_COLUMNS; i++) SEDGE_TRY(fill_column(fields, file, &columns[i], NULL));
    return SEDGE_OK;
}

// ---- complete or absent ------------------------------------------------------------------------

typedef sedge_status frame_writer(const sedge_fields *fields, sedge_h5 *file, const void *what);
typedef sedge_status value_writer(sedge_fields *fields, sedge_h5 *file, const void *what);

// Root: the file with everything but values, its space reserved.
static sedge_status write_frame(const sedge_fields *fields, const char *path, frame_writer *frame,
                                const void *what)
{
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_h5_create(&file, path, FRAME_BYTES));
    SEDGE_TRY(sedge_h5_close(file, frame(fields, file, what)));
    return sedge_h5_reserve(path);
}

// Write the file `name` under a temporary name, then rename it: the root makes the frame, all ranks
// fill in the values.
static sedge_status write_whole(sedge_fields *fields, const char *name, frame_writer *frame,
                                value_writer *values, const void *what)
{
    const sedge_comm *const comm = fields->context->comm;
    const bool root = sedge_comm_is_root(comm);
    char path[SEDGE_OUTPUT_PATH];
    char temporary[SEDGE_OUTPUT_PATH + 8];
    sedge_h5 *file = NULL;
    sedge_status status = SEDGE_OK;

    sedge_output_path(path, fields->context, name);
    (void)snprintf(temporary, sizeof temporary, "%s.tmp", path);
    if (root) status = write_frame(fields, temporary, frame, what);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    status = sedge_comm_agree(comm, sedge_h5_open_shared(&file, temporary, comm));
    if (status == SEDGE_OK) status = values(fields, file, what);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_h5_close(file, status)));
    if (root) status = sedge_file_publish(temporary, path);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    if (root && status != SEDGE_OK) (void)unlink(temporary);
    return status;
}

// ---- a snapshot --------------------------------------------------------------------------------

typedef struct field_snapshot {
    double time; // deck's units
    int64_t step;
    const double *u;
    const sedge_output_group *group; // the one being written
} field_snapshot;

static void fill_values(const sedge_fields *fields, const void *from, int64_t first, int64_t count,
                        void *values)
{
    const field_snapshot *const snapshot = from;
    const sedge_output_group *const group = snapshot->group;
    const int fields_of_u = fields->context->problem->equation->fields;
    const int nodes = fields->lattice->nodes;
    const double factor = sedge_output_group_factor(fields->context, group);
    float *const block = values;

    for (int64_t e = 0; e < count; e++) {
        for (int c = 0; c < group->count; c++) {
            sedge_lattice_apply(fields->lattice,
                                snapshot->u +
                                    ((first + e) * fields_of_u + group->first + c) * nodes,
                                factor, block + e * nodes * group->count + c, group->count);
        }
    }
}

// The dataset of one group; `path` is the room for its name.
static field_column group_column(const sedge_fields *fields, const sedge_output_group *group,
                                 char path[PATH_IN_FILE])
{
    (void)snprintf(path, PATH_IN_FILE, "/VTKHDF/PointData/%s", group->name);
    return (field_column){path, SEDGE_H5_F32, fields->lattice->nodes, group->count, fill_values};
}

static sedge_status link_mesh(const sedge_fields *fields, sedge_h5 *file)
{
    field_column columns[MESH_COLUMNS];

    mesh_columns(fields, columns);
    for (int i = 0; i < COUNTS; i++)
        SEDGE_TRY(sedge_h5_link(file, count_paths[i], fields->mesh_name, count_paths[i]));
    SEDGE_TRY(sedge_h5_link(file, "/VTKHDF/Offsets", fields->mesh_name, "/VTKHDF/Offsets"));
    for (int i = 0; i < MESH_COLUMNS; i++)
        SEDGE_TRY(sedge_h5_link(file, columns[i].path, fields->mesh_name, columns[i].path));
    return SEDGE_OK;
}

// Root: everything of a field file but the fields' values: the mesh by links, and the time.
static sedge_status frame_snapshot(const sedge_fields *fields, sedge_h5 *file, const void *what)
{
    static const int64_t one = 1;
    const sedge_output_context *const context = fields->context;
    const sedge_equation *const equation = context->problem->equation;
    const field_snapshot *const snapshot = what;
    char path[PATH_IN_FILE];

    SEDGE_TRY(write_head(context, file, "fields"));
    SEDGE_TRY(sedge_h5_real(file, "/", "time", snapshot->time));
    SEDGE_TRY(sedge_h5_text(file, "/", "time_units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_integer(file, "/", "step", snapshot->step));
    SEDGE_TRY(link_mesh(fields, file));
    SEDGE_TRY(sedge_h5_group(file, "/VTKHDF/FieldData"));
    SEDGE_TRY(
        sedge_h5_put(file, "/VTKHDF/FieldData/TimeValue", SEDGE_H5_F64, 1, &one, &snapshot->time));
    SEDGE_TRY(sedge_h5_text(file, "/VTKHDF/FieldData/TimeValue", "units",
                            sedge_output_unit(context, "s")));
    for (int g = 0; g < equation->group_count; g++) {
        const field_column column = group_column(fields, &equation->groups[g], path);

        SEDGE_TRY(make_column(fields, file, &column));
        SEDGE_TRY(sedge_output_describe_group(file, context, path, &equation->groups[g]));
    }
    return SEDGE_OK;
}

// All ranks: the fields' values.
static sedge_status fill_snapshot(sedge_fields *fields, sedge_h5 *file, const void *what)
{
    const sedge_equation *const equation = fields->context->problem->equation;
    field_snapshot snapshot = *(const field_snapshot *)what;
    char path[PATH_IN_FILE];

    for (int g = 0; g < equation->group_count; g++) {
        const field_column column = group_column(fields, &equation->groups[g], path);

        snapshot.group = &equation->groups[g];
        SEDGE_TRY(fill_column(fields, file, &column, &snapshot));
    }
    return SEDGE_OK;
}

static void file_name(char name[32], int index)
{
    (void)snprintf(name, 32, "fields_%06d.hdf", index);
}

// Root: the list of complete files, whole or not at all.
static sedge_status write_series(const sedge_fields *fields)
{
    char path[SEDGE_OUTPUT_PATH];
    json_t *const files = json_array();
    json_t *const series = json_pack("{s:s, s:O}", "file-series-version", "1.0", "files", files);
    int failed = files == NULL || series == NULL;

    for (int i = 0; i < fields->count && !failed; i++) {
        char name[32];

        file_name(name, i);
        failed = json_array_append_new(
            files, json_pack("{s:s, s:f}", "name", name, "time", fields->times[i]));
    }
    char *const text = failed ? NULL : json_dumps(series, JSON_INDENT(2));
    json_decref(files);
    json_decref(series);
    if (text == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the list of %d field files",
                          fields->count);
    }
    sedge_output_path(path, fields->context, "fields.hdf.series");
    const sedge_status status = sedge_file_write(path, text, strlen(text));
    free(text);
    return status;
}

static sedge_status note_time(sedge_fields *fields, double time)
{
    if (fields->count == fields->capacity) {
        double *more = NULL;

        SEDGE_TRY(sedge_allocate(&more, 2 * (int64_t)fields->capacity + 64, sizeof *more));
        if (fields->count > 0) memcpy(more, fields->times, (size_t)fields->count * sizeof *more);
        sedge_release(fields->times);
        fields->times = more;
        fields->capacity = 2 * fields->capacity + 64;
    }
    fields->times[fields->count] = time;
    return SEDGE_OK;
}

sedge_status sedge_fields_write(sedge_fields *fields, double time, int64_t step, const double *u)
{
    const sedge_comm *const comm = fields->context->comm;
    const field_snapshot snapshot = {time * sedge_deck_time_unit(fields->context->deck), step, u,
                                     NULL};
    char name[32];

    if (!isfinite(time))
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a snapshot at time %g cannot be listed", time);
    SEDGE_TRY(sedge_comm_agree(comm, note_time(fields, snapshot.time)));
    file_name(name, fields->count);
    SEDGE_TRY(write_whole(fields, name, frame_snapshot, fill_snapshot, &snapshot));
    fields->count++;
    return sedge_comm_agree(comm, sedge_comm_is_root(comm) ? write_series(fields) : SEDGE_OK);
}

// ---- set-up ------------------------------------------------------------------------------------

// Points are fp32 unless that would move a lattice node by more than a hundredth of the distance to
// the next one, somewhere in the mesh.
static bool needs_wide_points(const sedge_output_context *context)
{
    const sedge_mesh *const mesh = context->mesh;
    double least = HUGE_VAL;
    double reach = 0.0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int a = 0; a < 4; a++) {
            for (int b = a + 1; b < 4; b++) {
                const double *const p = mesh->corners[e][a];
                const double *const q = mesh->corners[e][b];
                const double edge = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
                if (edge < least) least = edge;
            }
        }
    }
    for (int side = 0; side < 2; side++)
        for (int d = 0; d < 3; d++) reach = fmax(reach, fabs(mesh->bounds[side][d]));
    sedge_comm_min(context->comm, &least, 1);
    return reach * (double)FLT_EPSILON / 2.0 > 0.01 * least / context->element->order ||
           reach > (double)FLT_MAX;
}

// The elements' order over ranks, as a text: equal in runs whose mesh files are interchangeable.
static sedge_status name_partition(sedge_fields *fields)
{
    const sedge_comm *const comm = fields->context->comm;
    const sedge_mesh *const mesh = fields->context->mesh;
    const int64_t ranks = sedge_comm_size(comm);
    const sedge_hash mine =
        sedge_hash_bytes(mesh->global_ids, (size_t)mesh->elements * sizeof *mesh->global_ids);
    sedge_hash *all = NULL;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&all, ranks, sizeof *all)));
    sedge_comm_all_gather(comm, &mine, all, sizeof mine);
    const sedge_hash together = sedge_hash_bytes(all, (size_t)ranks * sizeof *all);
    sedge_hash_print(&together, fields->partition);
    sedge_release(all);
    return SEDGE_OK;
}

// Root: does the file of this name hold the mesh as it lies on the ranks now?
static bool has_partition(const sedge_fields *fields, const char *name)
{
    char path[SEDGE_OUTPUT_PATH];
    char partition[SEDGE_HASH_TEXT];
    sedge_h5 *file = NULL;

    sedge_output_path(path, fields->context, name);
    if (access(path, F_OK) != 0) return false;
    sedge_status status = sedge_h5_open_read(&file, path);
    if (status == SEDGE_OK) {
        status = sedge_h5_read_text(file, "/", "partition", partition, sizeof partition);
        status = sedge_h5_close(file, status);
    }
    const bool same = status == SEDGE_OK && strcmp(partition, fields->partition) == 0;
    sedge_error_clear(); // a file that cannot be read is not used
    return same;
}

// Choose the mesh's file name; `*written` if the file is there. Earlier field files link to
// mesh.hdf: it is replaced only where there are none.
static void choose_mesh(sedge_fields *fields, bool *written)
{
    const sedge_output_position *const from = fields->context->from;

    (void)snprintf(fields->mesh_name, sizeof fields->mesh_name, "mesh.hdf");
    *written = false;
    if (from == NULL || from->fields == 0) return;
    if (sedge_comm_is_root(fields->context->comm)) {
        *written = has_partition(fields, fields->mesh_name);
        if (!*written) {
            (void)snprintf(fields->mesh_name, sizeof fields->mesh_name, "mesh-%.16s.hdf",
                           fields->partition);
            *written = has_partition(fields, fields->mesh_name);
        }
    }
    sedge_comm_broadcast(fields->context->comm, fields->mesh_name, sizeof fields->mesh_name, 0);
    sedge_comm_broadcast(fields->context->comm, written, sizeof *written, 0);
}

// The list of the field files before the restart; those behind it are removed when the list does
// not name them any more. The root has the files; all ranks count.
static sedge_status continue_series(sedge_fields *fields)
{
    const sedge_output_context *const context = fields->context;
    const int64_t count = context->from->fields;
    char path[SEDGE_OUTPUT_PATH];

    SEDGE_TRY(sedge_allocate(&fields->times, count + 64, sizeof *fields->times));
    fields->capacity = (int)count + 64;
    fields->count = (int)count;
    if (!sedge_comm_is_root(context->comm)) return SEDGE_OK;
    if (count > 0) {
        SEDGE_TRY(sedge_output_read_times(context, count, fields->times));
        SEDGE_TRY(write_series(fields));
    } else {
        sedge_output_path(path, context, "fields.hdf.series");
        (void)unlink(path); // of files that are no more
    }
    return sedge_output_remove_fields(context, count);
}

// What writing needs, and the mesh.
sedge_status sedge_fields_prepare(sedge_fields *fields)
{
    const sedge_output_context *const context = fields->context;
    const sedge_comm *const comm = context->comm;
    bool written = false;

    if (fields->lattice != NULL) return SEDGE_OK;
    fields->elements = context->mesh->elements;
    fields->most = context->mesh->elements;
    sedge_comm_sum_int(comm, &fields->elements, 1);
    sedge_comm_max_int(comm, &fields->most, 1);
    fields->first = sedge_comm_scan(comm, context->mesh->elements);
    fields->wide = needs_wide_points(context);
    const int64_t all = fields->most * context->element->nodes * 3;
    fields->block_values = all < BLOCK_VALUES ? (all > 0 ? all : 1) : BLOCK_VALUES;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&fields->block, fields->block_values, 8)));
    SEDGE_TRY(sedge_comm_agree(comm, sedge_lattice_create(&fields->lattice, context->element)));
    SEDGE_TRY(name_partition(fields));
    choose_mesh(fields, &written);
    if (written) return SEDGE_OK;
    return write_whole(fields, fields->mesh_name, frame_mesh, fill_mesh, NULL);
}

sedge_status sedge_fields_create(sedge_fields **out, const sedge_output_context *context)
{
    const sedge_comm *const comm = context->comm;
    sedge_status status;
    sedge_fields *fields = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&fields, 1, sizeof *fields)));
    fields->context = context;
    if (context->from != NULL) status = continue_series(fields);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (context->deck->snapshots > 0) SEDGE_TRY_GOTO(status, sedge_fields_prepare(fields));
    *out = fields;
    fields = NULL;
done:
    sedge_fields_free(fields);
    return status;
}

int64_t sedge_fields_count(const sedge_fields *fields)
{
    return fields->count;
}

void sedge_fields_free(sedge_fields *fields)
{
    if (fields == NULL) return;
    sedge_lattice_free(fields->lattice);
    sedge_release(fields->block);
    sedge_release(fields->times);
    sedge_release(fields);
}
