// Snapshots: whole fields for ParaView. Field files are VTKHDF 1.0, unstructured grids of Lagrange
// tetrahedra of the run's order, one piece a rank: fields_000000.hdf, ... each with links into one
// mesh.hdf, listed with their times in fields.hdf.series. Point data: one array a group of the
// equation's fields; cell data: material (volume group), element (number in the mesh file), rank.
// All ranks write a field file. It is complete or absent, and the list names only complete ones.
#include "dg/monitor_kind.h"

#include "base/memory.h"
#include "monitor/field_list.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/sample.h"
#include "monitor/schedule.h"
#include "monitor/series.h"
#include "monitor/vtk_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_IN_FILE 128

typedef struct snapshots_monitor {
    const sedge_output_context *context;
    sedge_vtk vtk;
    sedge_vtk_mesh mesh;
    int count;     // field files written
    int capacity;  // of `times`
    double *times; // [count], deck's units; root only
} snapshots_monitor;

// ---- a snapshot --------------------------------------------------------------------------------

typedef struct field_snapshot {
    double time; // deck's units
    int64_t step;
    const double *u;
    const sedge_vtk_mesh *mesh;
    const sedge_output_group *group; // the one being written
} field_snapshot;

static void fill_values(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                        void *values)
{
    const field_snapshot *const snapshot = from;
    const sedge_output_group *const group = snapshot->group;
    const int fields_of_u = vtk->context->problem->equation->fields;
    const int nodes = vtk->lattice->nodes;
    const double factor = sedge_output_group_factor(vtk->context, group);
    float *const block = values;

    for (int64_t e = 0; e < count; e++) {
        const double *const own =
            snapshot->u + ((int64_t)vtk->element[first + e] * fields_of_u + group->first) * nodes;
        for (int c = 0; c < group->count; c++) {
            sedge_lattice_apply(vtk->lattice, own + (int64_t)c * nodes, factor,
                                block + e * nodes * group->count + c, group->count);
        }
    }
}

// The dataset of one group; `path` is the room for its name.
static sedge_vtk_column group_column(const sedge_vtk *vtk, const sedge_output_group *group,
                                     char path[PATH_IN_FILE])
{
    (void)snprintf(path, PATH_IN_FILE, "/VTKHDF/PointData/%s", group->name);
    return (sedge_vtk_column){path, SEDGE_H5_F32, vtk->lattice->nodes, group->count, fill_values};
}

// Root: everything of a field file but the fields' values: the mesh by links, and the time.
static sedge_status frame_snapshot(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    static const int64_t one = 1;
    const sedge_output_context *const context = vtk->context;
    const sedge_equation *const equation = context->problem->equation;
    const field_snapshot *const snapshot = what;
    char path[PATH_IN_FILE];

    SEDGE_TRY(sedge_vtk_write_head(vtk, file, "fields"));
    SEDGE_TRY(sedge_h5_real(file, "/", "time", snapshot->time));
    SEDGE_TRY(sedge_h5_text(file, "/", "time_units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_integer(file, "/", "step", snapshot->step));
    SEDGE_TRY(sedge_vtk_mesh_link(snapshot->mesh, vtk, file));
    SEDGE_TRY(sedge_h5_group(file, "/VTKHDF/FieldData"));
    SEDGE_TRY(
        sedge_h5_put(file, "/VTKHDF/FieldData/TimeValue", SEDGE_H5_F64, 1, &one, &snapshot->time));
    SEDGE_TRY(sedge_h5_text(file, "/VTKHDF/FieldData/TimeValue", "units",
                            sedge_output_unit(context, "s")));
    for (int g = 0; g < equation->group_count; g++) {
        const sedge_vtk_column column = group_column(vtk, &equation->groups[g], path);

        SEDGE_TRY(sedge_vtk_make_column(vtk, file, &column));
        SEDGE_TRY(sedge_output_describe_group(file, context, path, &equation->groups[g]));
    }
    return SEDGE_OK;
}

// All ranks: the fields' values.
static sedge_status fill_snapshot(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    const sedge_equation *const equation = vtk->context->problem->equation;
    field_snapshot snapshot = *(const field_snapshot *)what;
    char path[PATH_IN_FILE];

    for (int g = 0; g < equation->group_count; g++) {
        const sedge_vtk_column column = group_column(vtk, &equation->groups[g], path);

        snapshot.group = &equation->groups[g];
        SEDGE_TRY(sedge_vtk_fill_column(vtk, file, &column, &snapshot));
    }
    return SEDGE_OK;
}

static sedge_status note_time(snapshots_monitor *monitor, double time)
{
    if (monitor->count == monitor->capacity) {
        double *more = NULL;

        SEDGE_TRY(sedge_allocate(&more, 2 * (int64_t)monitor->capacity + 64, sizeof *more));
        if (monitor->count > 0) memcpy(more, monitor->times, (size_t)monitor->count * sizeof *more);
        sedge_release(monitor->times);
        monitor->times = more;
        monitor->capacity = 2 * monitor->capacity + 64;
    }
    monitor->times[monitor->count] = time;
    return SEDGE_OK;
}

// Make ready for field files, if that is not done: write mesh.hdf, unless an earlier one fits.
static sedge_status prepare(snapshots_monitor *monitor)
{
    if (monitor->vtk.lattice != NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_vtk_prepare(&monitor->vtk, monitor->context));
    return sedge_vtk_mesh_prepare(&monitor->mesh, &monitor->vtk, monitor->count > 0);
}

// Write the next field file and the list of all.
static sedge_status record(void *what, sedge_sample *sample)
{
    snapshots_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->context;
    const sedge_comm *const comm = context->comm;
    const double time = sedge_sample_time(sample) * sedge_deck_time_unit(context->deck);
    field_snapshot snapshot = {
        .time = time, .step = sedge_sample_step(sample), .mesh = &monitor->mesh};
    char name[32];

    if (!isfinite(time))
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a snapshot at time %g cannot be listed", time);
    SEDGE_TRY(sedge_sample_fields(sample, &snapshot.u));
    SEDGE_TRY(prepare(monitor));
    SEDGE_TRY(sedge_comm_agree(comm, note_time(monitor, time)));
    sedge_field_list_name(name, monitor->count);
    SEDGE_TRY(sedge_vtk_write(&monitor->vtk, name, frame_snapshot, fill_snapshot, &snapshot));
    monitor->count++;
    return sedge_comm_agree(comm,
                            sedge_comm_is_root(comm)
                                ? sedge_field_list_write(context, monitor->count, monitor->times)
                                : SEDGE_OK);
}

// ---- set-up ------------------------------------------------------------------------------------

// The list of the field files before the restart; those behind it are removed when the list does
// not name them any more. The root has the files; all ranks count.
static sedge_status continue_list(snapshots_monitor *monitor, int64_t count)
{
    const sedge_output_context *const context = monitor->context;

    SEDGE_TRY(sedge_allocate(&monitor->times, count + 64, sizeof *monitor->times));
    monitor->capacity = (int)count + 64;
    monitor->count = (int)count;
    if (!sedge_comm_is_root(context->comm)) return SEDGE_OK;
    if (count > 0) {
        SEDGE_TRY(sedge_field_list_read(context, count, monitor->times));
        SEDGE_TRY(sedge_field_list_write(monitor->context, monitor->count, monitor->times));
    } else {
        sedge_field_list_remove(context); // of files that are no more
    }
    return sedge_field_list_cut(context, count);
}

static void release(void *what)
{
    snapshots_monitor *const monitor = what;

    if (monitor == NULL) return;
    sedge_vtk_clear(&monitor->vtk);
    sedge_release(monitor->times);
    sedge_release(monitor);
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const struct json_t *memory)
{
    const sedge_comm *const comm = context->comm;
    snapshots_monitor *monitor = NULL;
    int64_t count = 0;
    sedge_status status;

    (void)parameters;
    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&monitor, 1, sizeof *monitor)));
    monitor->context = context;
    status = sedge_series_load(&count, memory, "snapshots");
    if (status == SEDGE_OK && context->continues) status = continue_list(monitor, count);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (context->deck->snapshots > 0) SEDGE_TRY_GOTO(status, prepare(monitor));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

static bool due(const void *what, int64_t step)
{
    return sedge_schedule_snapshot(((const snapshots_monitor *)what)->context, step);
}

static sedge_status save(const void *what, struct json_t *memory)
{
    return sedge_series_save(((const snapshots_monitor *)what)->count, memory, "snapshots");
}

// A run that fails leaves a snapshot even if the deck asks for none.
static bool requested(const sedge_deck *deck)
{
    (void)deck;
    return true;
}

static bool owns(const char *name)
{
    static const char *const plain[] = {"", ".tmp", NULL};
    static const char *const numbered[] = {".hdf", ".hdf.tmp", NULL};

    return strcmp(name, "fields.hdf.series") == 0 ||
           sedge_output_is_numbered(name, "mesh.hdf", "", 0, plain) ||
           sedge_output_is_numbered(name, "mesh-", "0123456789abcdef", 16, numbered) ||
           sedge_output_is_numbered(name, "fields_", "0123456789", 6, numbered);
}

extern const sedge_monitor_kind sedge_monitor_snapshots;
const sedge_monitor_kind sedge_monitor_snapshots = {
    .name = "snapshots",
    .text = "whole fields over the run",
    .requested = requested,
    .create = create,
    .due = due,
    .sample = record,
    .last = record,
    .flushes_all = true,
    .save = save,
    .free = release,
    .owns = owns,
};
