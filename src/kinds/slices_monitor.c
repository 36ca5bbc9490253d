// slices.h5: fields at the pixels of planes (monitor/plane.h); a point outside the mesh is
// not-a-number. The fields at the points are taken on the device; the root assembles and writes
// them when the monitors are flushed, which the snapshots do that are due at the same steps.
//
// /time, /step, /slices/NAME/GROUP [snapshots][rows][columns] or [...][3], of fields with a real
// and an imaginary part the latter in GROUP_imag, the coordinate arrays beside it.
#include "dg/monitor_kind.h"

#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/plane.h"
#include "monitor/point_recorder.h"
#include "monitor/schedule.h"
#include "monitor/series.h"
#include "par/gather.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#define SLICE_BYTES 16384 // what describes one slice in its file
typedef struct slices_monitor {
    const sedge_output_context *context;
    int64_t samples;
    int count;
    sedge_plane *planes;   // [count]
    sedge_gather *gathers; // [count] of their pixels
    int parts;             // of the fields
    int point_count;
    sedge_monitor_point *points; // of this rank, of one plane after the other; [parts] of them
} slices_monitor;

// ---- the file ----------------------------------------------------------------------------------

// The dataset of a part of a group of fields in a plane.
static void name_dataset(char path[256], const sedge_plane *plane, const sedge_output_group *group,
                         int part)
{
    (void)snprintf(path, 256, "/slices/%s/%s%s", plane->entry->name, group->name,
                   sedge_output_part(part));
}

static sedge_status make_slice_group(const sedge_output_context *context, sedge_h5 *file,
                                     const sedge_plane *plane)
{
    const sedge_equation *const equation = context->problem->equation;
    char folder[128];

    (void)snprintf(folder, sizeof folder, "/slices/%s", plane->entry->name);
    SEDGE_TRY(sedge_h5_group(file, folder));
    SEDGE_TRY(sedge_plane_describe(plane, context, file, folder));
    for (int i = 0; i < sedge_output_parts(context) * equation->group_count; i++) {
        const sedge_output_group *const group = &equation->groups[i % equation->group_count];
        const int64_t shape[3] = {plane->shape[0], plane->shape[1], group->count};
        char path[256];

        name_dataset(path, plane, group, i / equation->group_count);
        SEDGE_TRY(sedge_h5_series(file, path, SEDGE_H5_F32, group->count > 1 ? 3 : 2, shape, 1));
        SEDGE_TRY(sedge_output_describe_group(file, context, path, group));
    }
    return SEDGE_OK;
}

static sedge_status make_slice_file(const void *what, sedge_h5 *file)
{
    const slices_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->context;

    SEDGE_TRY(sedge_output_describe(file, context, "slices"));
    SEDGE_TRY(sedge_h5_series(file, "/time", SEDGE_H5_F64, 0, NULL, 64));
    SEDGE_TRY(sedge_h5_text(file, "/time", "units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_series(file, "/step", SEDGE_H5_I64, 0, NULL, 64));
    SEDGE_TRY(sedge_h5_group(file, "/slices"));
    for (int i = 0; i < monitor->count; i++)
        SEDGE_TRY(make_slice_group(context, file, &monitor->planes[i]));
    return SEDGE_OK;
}

// Root: make slices.h5 with no snapshot in it, or with those of before.
static sedge_status create_file(const slices_monitor *monitor)
{
    int64_t bytes = 0; // of axes and attributes

    for (int i = 0; i < monitor->count; i++)
        bytes += SLICE_BYTES + 8 * (monitor->planes[i].shape[0] + monitor->planes[i].shape[1]);
    return sedge_series_make(monitor->context, "slices.h5", bytes, monitor->samples,
                             make_slice_file, monitor);
}

static void release(void *what)
{
    slices_monitor *const monitor = what;

    if (monitor == NULL) return;
    for (int i = 0; i < monitor->count; i++) {
        sedge_plane_clear(&monitor->planes[i]);
        sedge_gather_clear(&monitor->gathers[i]);
    }
    sedge_release(monitor->planes);
    sedge_release(monitor->gathers);
    sedge_release(monitor->points);
    sedge_release(monitor);
}

static sedge_status list_points(slices_monitor *monitor)
{
    const int nodes = monitor->context->element->nodes;
    int64_t count = 0;

    for (int i = 0; i < monitor->count; i++) count += monitor->parts * monitor->planes[i].owned;
    if (count > INT_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.slices: more than %d pixels on one rank: lower the "
                          "resolution",
                          monitor->context->deck->path, INT_MAX);
    }
    SEDGE_TRY(sedge_allocate(&monitor->points, count, sizeof *monitor->points));
    for (int i = 0; i < monitor->count; i++) {
        const sedge_plane *const plane = &monitor->planes[i];

        for (int64_t j = 0; j < monitor->parts * plane->owned; j++) {
            const int64_t k = j % plane->owned;
            const int32_t e = plane->elements[k];
            monitor->points[monitor->point_count++] =
                (sedge_monitor_point){.element = j < plane->owned ? e : sedge_mesh_twin(e),
                                      .weights = plane->weights + k * nodes};
        }
    }
    return SEDGE_OK;
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const struct json_t *memory)
{
    const sedge_deck *const deck = context->deck;
    const sedge_comm *const comm = context->comm;
    slices_monitor *monitor = NULL;
    sedge_status status;

    (void)parameters;
    *out = NULL;
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->planes, deck->slice_count, sizeof *monitor->planes);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->gathers, deck->slice_count, sizeof *monitor->gathers);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    monitor->context = context;
    monitor->parts = sedge_output_parts(context);
    SEDGE_TRY_GOTO(status, sedge_series_load(&monitor->samples, memory, "slices"));
    for (int i = 0; i < deck->slice_count; i++) {
        sedge_plane *const plane = &monitor->planes[monitor->count++];

        SEDGE_TRY_GOTO(status, sedge_plane_create(plane, context, &deck->slices[i]));
        SEDGE_TRY_GOTO(
            status, sedge_gather_create(&monitor->gathers[i], comm, plane->owned, plane->pixels));
    }
    status = list_points(monitor);
    if (status == SEDGE_OK && sedge_comm_is_root(comm)) status = create_file(monitor);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

// ---- a snapshot --------------------------------------------------------------------------------

// Root: append the picture of a part of a group from all ranks' values [points][fields].
static sedge_status extend_group(const sedge_output_context *context, sedge_h5 *file,
                                 const sedge_plane *plane, const sedge_gather *gather,
                                 const sedge_output_group *group, int part, const double *values,
                                 float *picture)
{
    const int fields = context->problem->equation->fields;
    const int64_t pixels = plane->shape[0] * plane->shape[1];
    const double factor = sedge_output_group_factor(context, group);
    char path[256];

    for (int64_t i = 0; i < pixels * group->count; i++) picture[i] = NAN;
    for (int64_t i = 0; i < gather->all; i++) {
        for (int c = 0; c < group->count; c++) {
            picture[gather->ids[i] * group->count + c] =
                (float)(factor * values[i * fields + group->first + c]);
        }
    }
    name_dataset(path, plane, group, part);
    return sedge_h5_extend(file, path, SEDGE_H5_F32, 1, picture);
}

// Bring a part of one slice's values, [owned][fields], to the root and append it there. Collective.
static sedge_status write_slice(const sedge_output_context *context, sedge_h5 *file,
                                const sedge_plane *plane, const sedge_gather *gather, int part,
                                const double *values)
{
    const sedge_comm *const comm = context->comm;
    const sedge_equation *const equation = context->problem->equation;
    const bool root = sedge_comm_is_root(comm);
    double *all = NULL;
    float *picture = NULL;
    sedge_status status = sedge_allocate(&all, gather->all * equation->fields, sizeof *all);

    if (root && status == SEDGE_OK)
        status = sedge_allocate(&picture, 3 * plane->shape[0] * plane->shape[1], sizeof *picture);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sedge_gather_bring(gather, comm, values, (size_t)equation->fields * sizeof *values, all);
    for (int g = 0; root && status == SEDGE_OK && g < equation->group_count; g++) {
        status =
            extend_group(context, file, plane, gather, &equation->groups[g], part, all, picture);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    sedge_release(all);
    sedge_release(picture);
    return status;
}

// Root: open the file for one more snapshot.
static sedge_status open_file(const slices_monitor *monitor, sedge_h5 **file)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_equation *const equation = context->problem->equation;
    int64_t points = 0;
    char path[SEDGE_OUTPUT_PATH];

    for (int i = 0; i < monitor->count; i++)
        points += monitor->planes[i].shape[0] * monitor->planes[i].shape[1];
    sedge_output_path(path, context, "slices.h5");
    return sedge_h5_open_series(file, path, monitor->parts * points * equation->fields * 4,
                                2 + monitor->parts * monitor->count * equation->group_count);
}

// Append a snapshot of values, of each plane [parts][points][fields].
static sedge_status append(slices_monitor *monitor, int64_t step, double time, const double *values)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_comm *const comm = context->comm;
    const bool root = sedge_comm_is_root(comm);
    const double shown = time * sedge_deck_time_unit(context->deck);
    sedge_h5 *file = NULL;
    sedge_status status = SEDGE_OK;

    monitor->samples++;
    if (root) status = open_file(monitor, &file);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int i = 0; i < monitor->parts * monitor->count; i++) {
        const int k = i / monitor->parts;
        SEDGE_TRY_GOTO(status, write_slice(context, file, &monitor->planes[k], &monitor->gathers[k],
                                           i % monitor->parts, values));
        values += monitor->planes[k].owned * context->problem->equation->fields;
    }
    if (root) {
        status = sedge_h5_extend(file, "/step", SEDGE_H5_I64, 1, &step);
        if (status == SEDGE_OK) status = sedge_h5_extend(file, "/time", SEDGE_H5_F64, 1, &shown);
        status = sedge_h5_close(file, status);
        file = NULL;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    return sedge_h5_close(file, status);
}

static const sedge_monitor_point *get_points(const void *what, int *count)
{
    const slices_monitor *const monitor = what;

    *count = monitor->point_count;
    return monitor->points;
}

static sedge_status receive(void *what, int samples, const int64_t *steps, const double *times,
                            const double *values)
{
    slices_monitor *const monitor = what;
    const int64_t size =
        (int64_t)monitor->point_count * monitor->context->problem->equation->fields;

    for (int s = 0; s < samples; s++)
        SEDGE_TRY(append(monitor, steps[s], times[s], values + s * size));
    return SEDGE_OK;
}

static bool requested(const sedge_deck *deck)
{
    return deck->slice_count > 0;
}

static bool due(const void *what, int64_t step)
{
    return sedge_schedule_snapshot(((const slices_monitor *)what)->context, step);
}

static sedge_status save(const void *what, struct json_t *memory)
{
    return sedge_series_save(((const slices_monitor *)what)->samples, memory, "slices");
}

extern const sedge_monitor_kind sedge_monitor_slices;
const sedge_monitor_kind sedge_monitor_slices = {
    .name = "slices",
    .twins = true,
    .text = "by name: fields on planes, with every snapshot",
    .requested = requested,
    .create = create,
    .due = due,
    .points = get_points,
    .most_waiting = SEDGE_SLICES_WAITING,
    .receive = receive,
    .last_points = true,
    .save = save,
    .free = release,
};
