// Snapshots: whole fields for ParaView. Field files are VTKHDF 1.0, unstructured grids of Lagrange
// tetrahedra of the run's order, one piece a rank: fields_000000.hdf, ... each with links into one
// mesh.hdf, listed with their times in fields.hdf.series. Point data: one array a group of the
// equation's fields, and one GROUP_imag where they have an imaginary part; cell data: material
// (volume group), element (number in the mesh file), rank. All ranks write a field file. It is
// complete or absent, and the list names only complete ones.
//
// A snapshot does not stop the run. The root makes the file with its structure; the device converts
// the fields to what the file holds, and they are copied to the host while steps go on; a thread
// of each rank writes them (io/writer.h); when all ranks have done so, which they ask at the run's
// checks of the energy, the root gives the file its name. Two snapshots may be on their way: when a
// third is due, the run waits for the first.
#include "dg/monitor_kind.h"

#include "base/memory.h"
#include "io/writer.h"
#include "monitor/field_copy.h"
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
#include <unistd.h>

#define ROOMS 2 // snapshots that are on their way at most

// A snapshot on its way.
typedef struct snapshot_room {
    double time; // deck's units
    int64_t step;
    char name[32];  // of the file
    sedge_write to; // this rank's part of it
    const sedge_field_copy *copy;
    int number;
} snapshot_room;

typedef struct snapshots_monitor {
    const sedge_output_context *context;
    sedge_vtk vtk;
    sedge_vtk_mesh mesh;
    int count;     // field files that are complete
    int capacity;  // of `times`
    double *times; // [count], deck's units
    sedge_field_copy *copy;
    snapshot_room room[ROOMS];
    int oldest;  // room of the snapshot that was taken first
    int waiting; // snapshots on their way
    bool failed; // the oldest one could not be completed, so no later one may be
} snapshots_monitor;

// ---- the file ----------------------------------------------------------------------------------

typedef struct field_snapshot {
    double time; // deck's units
    int64_t step;
    const sedge_vtk_mesh *mesh;
} field_snapshot;

// How many datasets of fields there are, a part of a group each, and their groups and parts.
typedef struct field_set {
    const sedge_output_group *group;
    int number, part;
} field_set;

static int count_sets(const sedge_output_context *context)
{
    return sedge_output_parts(context) * context->problem->equation->group_count;
}

static field_set find_set(const sedge_output_context *context, int i)
{
    const sedge_equation *const equation = context->problem->equation;
    const int number = i % equation->group_count;

    return (field_set){&equation->groups[number], number, i / equation->group_count};
}

static void set_path(char path[SEDGE_VTK_PATH], field_set set)
{
    (void)snprintf(path, SEDGE_VTK_PATH, "/VTKHDF/PointData/%s%s", set.group->name,
                   sedge_output_part(set.part));
}

// Root: everything of a field file but the fields' values: the mesh by links, and the time.
static sedge_status frame_snapshot(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    static const int64_t one = 1;
    const sedge_output_context *const context = vtk->context;
    const field_snapshot *const snapshot = what;
    char path[SEDGE_VTK_PATH];

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
    for (int i = 0; i < count_sets(context); i++) {
        const field_set set = find_set(context, i);
        const sedge_vtk_column column = {path, SEDGE_H5_F32, vtk->lattice->nodes, set.group->count,
                                         NULL};

        set_path(path, set);
        SEDGE_TRY(sedge_vtk_make_column(vtk, file, &column));
        SEDGE_TRY(sedge_output_describe_group(file, context, path, set.group));
    }
    return SEDGE_OK;
}

// ---- the list ----------------------------------------------------------------------------------

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

// The oldest snapshot on its way, which this rank may still write, is to be complete.
static sedge_status complete_oldest(snapshots_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const bool root = sedge_comm_is_root(context->comm);
    const snapshot_room *const room = &monitor->room[monitor->oldest];

    monitor->failed = true;                                   // until all is done
    SEDGE_TRY(sedge_vtk_mesh_complete(&monitor->mesh, true)); // the writer had it before
    sedge_status status = sedge_writer_finish(context->writer, &room->to);
    if (status == SEDGE_OK) status = note_time(monitor, room->time);
    status = sedge_comm_agree(context->comm, status);
    if (root && status == SEDGE_OK) status = sedge_vtk_publish(&monitor->vtk, room->name);
    if (root && status != SEDGE_OK) (void)unlink(room->to.path);
    SEDGE_TRY(sedge_comm_agree(context->comm, status));
    if (root) status = sedge_field_list_write(context, monitor->count + 1, monitor->times);
    SEDGE_TRY(sedge_comm_agree(context->comm, status));
    monitor->count++;
    monitor->oldest = (monitor->oldest + 1) % ROOMS;
    monitor->waiting--;
    monitor->failed = false;
    return SEDGE_OK;
}

// True on all ranks if all have written the oldest snapshot on its way.
static bool is_written(const snapshots_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    int64_t busy = !sedge_writer_is_done(context->writer, &monitor->room[monitor->oldest].to);

    sedge_comm_max_int(context->comm, &busy, 1);
    return busy == 0;
}

static sedge_status settle(void *what, int64_t step)
{
    snapshots_monitor *const monitor = what;

    if (!monitor->failed)
        SEDGE_TRY(sedge_vtk_mesh_complete(&monitor->mesh, step != SEDGE_SETTLE_WRITTEN));
    while (monitor->waiting > 0) {
        const snapshot_room *const room = &monitor->room[monitor->oldest];

        if (step == SEDGE_SETTLE_WRITTEN ? monitor->failed || !is_written(monitor)
                                         : room->step > step)
            return SEDGE_OK;
        if (monitor->failed)
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s' could not be written", room->to.path);
        SEDGE_TRY(complete_oldest(monitor));
    }
    return SEDGE_OK;
}

// ---- a snapshot --------------------------------------------------------------------------------

// Make ready for field files, if that is not done: begin mesh.hdf, unless an earlier one fits.
static sedge_status prepare(snapshots_monitor *monitor)
{
    if (monitor->vtk.lattice != NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_vtk_prepare(&monitor->vtk, monitor->context));
    return sedge_vtk_mesh_prepare(&monitor->mesh, &monitor->vtk, monitor->count > 0);
}

// The writer's thread.
static sedge_status wait_for_copy(void *of)
{
    const snapshot_room *const room = of;

    return sedge_field_copy_wait(room->copy, room->number);
}

// What this rank writes; `places` of the groups' datasets in the file.
static void plan_write(snapshots_monitor *monitor, snapshot_room *room, const int64_t *places)
{
    const sedge_vtk *const vtk = &monitor->vtk;

    sedge_vtk_temporary(room->to.path, vtk, room->name);
    room->to.wait = wait_for_copy;
    room->to.of = room;
    room->to.count = count_sets(monitor->context);
    for (int i = 0; i < room->to.count; i++) {
        const field_set set = find_set(monitor->context, i);
        const int64_t point_bytes = set.group->count * (int64_t)sizeof(float);
        sedge_write_part *const part = &room->to.part[i];
        int64_t values;

        part->from =
            sedge_field_copy_values(monitor->copy, room->number, set.number, set.part, &values);
        part->bytes = values * (int64_t)sizeof(float);
        part->place = places[i] + vtk->first * vtk->lattice->nodes * point_bytes;
    }
}

// Begin the next field file.
static sedge_status record(void *what, sedge_sample *sample)
{
    snapshots_monitor *const monitor = what;
    const int sets = count_sets(monitor->context);
    const field_snapshot snapshot = {.time = sedge_sample_time(sample) *
                                             sedge_deck_time_unit(monitor->context->deck),
                                     .step = sedge_sample_step(sample),
                                     .mesh = &monitor->mesh};
    char paths[SEDGE_WRITE_PARTS][SEDGE_VTK_PATH];
    int64_t places[SEDGE_WRITE_PARTS] = {0};

    if (!isfinite(snapshot.time)) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a snapshot at time %g cannot be listed",
                          snapshot.time);
    }
    SEDGE_TRY(prepare(monitor));
    if (monitor->copy == NULL)
        SEDGE_TRY(sedge_field_copy_create(&monitor->copy, &monitor->vtk, sample, ROOMS));
    SEDGE_TRY(settle(monitor, SEDGE_SETTLE_WRITTEN));
    if (monitor->waiting == ROOMS) SEDGE_TRY(complete_oldest(monitor));
    const int number = (monitor->oldest + monitor->waiting) % ROOMS;
    snapshot_room *const room = &monitor->room[number];
    room->time = snapshot.time;
    room->step = snapshot.step;
    room->copy = monitor->copy;
    room->number = number;
    sedge_field_list_name(room->name, monitor->count + monitor->waiting);
    SEDGE_TRY(sedge_field_copy_take(monitor->copy, sample, number));
    for (int i = 0; i < sets; i++) set_path(paths[i], find_set(monitor->context, i));
    SEDGE_TRY(
        sedge_vtk_begin(&monitor->vtk, room->name, frame_snapshot, &snapshot, paths, sets, places));
    plan_write(monitor, room, places);
    sedge_writer_add(monitor->context->writer, &room->to);
    monitor->waiting++;
    return SEDGE_OK;
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
    for (int i = 0; i < monitor->waiting; i++) { // the run has failed
        if (sedge_comm_is_root(monitor->context->comm))
            (void)unlink(monitor->room[(monitor->oldest + i) % ROOMS].to.path);
    }
    sedge_vtk_mesh_discard(&monitor->mesh);
    sedge_field_copy_free(monitor->copy);
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

// Other monitors' files may link to the mesh.
static sedge_status finish(void *what)
{
    snapshots_monitor *const monitor = what;

    return sedge_vtk_mesh_complete(&monitor->mesh, true);
}

static bool due(const void *what, int64_t step)
{
    return sedge_schedule_snapshot(((const snapshots_monitor *)what)->context, step);
}

static sedge_status save(const void *what, struct json_t *memory)
{
    const snapshots_monitor *const monitor = what;

    return sedge_series_save(monitor->count + monitor->waiting, memory, "snapshots");
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
    .twins = true,
    .text = "whole fields over the run",
    .requested = requested,
    .create = create,
    .due = due,
    .sample = record,
    .last = record,
    .flushes_all = true,
    .settle = settle,
    .finish = finish,
    .save = save,
    .free = release,
    .owns = owns,
};
