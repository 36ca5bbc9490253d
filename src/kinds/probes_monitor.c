// probes.h5: fields at points over time, /time, /probes/NAME/GROUP [samples] or [samples][3]; of
// fields with a real and an imaginary part the latter in /probes/NAME/GROUP_imag. The root writes
// it; each append opens the file, extends the datasets (time last, so that every listed time has
// its values) and closes it.
#include "dg/monitor_kind.h"

#include "base/memory.h"
#include "monitor/deck_points.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/series.h"
#include "par/gather.h"

#include <stdio.h>
#include <string.h>

#define PROBE_BYTES ((int64_t)16384) // what describes one probe in its file

typedef struct probes_monitor {
    const sedge_output_context *context;
    int64_t samples;
    sedge_deck_points points;
    int copies;                 // parts that fields have
    sedge_monitor_point *point; // [copies][points.count]
    sedge_gather gather;        // a row for each probe, whose id is its index in the deck
} probes_monitor;

// The dataset of a group of fields of a probe.
static void name_dataset(char path[256], const sedge_deck_probe *probe,
                         const sedge_output_group *group, int copy)
{
    (void)snprintf(path, 256, "/probes/%s/%s%s", probe->name, group->name, sedge_output_part(copy));
}

static sedge_status make_probe_group(const sedge_output_context *context, sedge_h5 *file,
                                     const sedge_deck_probe *probe)
{
    const int copies = sedge_output_parts(context);
    const sedge_equation *const equation = context->problem->equation;
    char folder[128];

    (void)snprintf(folder, sizeof folder, "/probes/%s", probe->name);
    SEDGE_TRY(sedge_h5_group(file, folder));
    SEDGE_TRY(sedge_h5_reals(file, folder, "position", probe->position, 3));
    SEDGE_TRY(sedge_h5_text(file, folder, "position_units", sedge_output_unit(context, "m")));
    for (int i = 0; i < copies * equation->group_count; i++) {
        const sedge_output_group *const group = &equation->groups[i % equation->group_count];
        const int64_t width = group->count;
        char path[256];

        name_dataset(path, probe, group, i / equation->group_count);
        SEDGE_TRY(
            sedge_h5_series(file, path, SEDGE_H5_F64, group->count > 1 ? 1 : 0, &width, 1024));
        SEDGE_TRY(sedge_output_describe_group(file, context, path, group));
    }
    return SEDGE_OK;
}

static sedge_status make_probe_file(const void *what, sedge_h5 *file)
{
    const sedge_output_context *const context = what;

    SEDGE_TRY(sedge_output_describe(file, context, "probes"));
    SEDGE_TRY(sedge_h5_series(file, "/time", SEDGE_H5_F64, 0, NULL, 1024));
    SEDGE_TRY(sedge_h5_text(file, "/time", "units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_group(file, "/probes"));
    for (int i = 0; i < context->deck->probe_count; i++)
        SEDGE_TRY(make_probe_group(context, file, &context->deck->probes[i]));
    return SEDGE_OK;
}

static void release(void *what)
{
    probes_monitor *const monitor = what;

    if (monitor == NULL) return;
    sedge_deck_points_clear(&monitor->points);
    sedge_gather_clear(&monitor->gather);
    sedge_release(monitor->point);
    sedge_release(monitor);
}

// This rank's probes. Collective.
static sedge_status find_probes(probes_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;

    SEDGE_TRY(sedge_deck_points_find(&monitor->points, context, context->deck->probes,
                                     context->deck->probe_count, "probe"));
    monitor->copies = sedge_output_parts(context);
    SEDGE_TRY(sedge_deck_points_list(&monitor->point, &monitor->points, context));
    return sedge_gather_create(&monitor->gather, context->comm, monitor->points.count,
                               monitor->points.ids);
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const struct json_t *memory)
{
    const sedge_comm *const comm = context->comm;
    sedge_status status;
    probes_monitor *monitor = NULL;

    (void)parameters;
    *out = NULL;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&monitor, 1, sizeof *monitor)));
    monitor->context = context;
    SEDGE_TRY_GOTO(status, find_probes(monitor));
    SEDGE_TRY_GOTO(status, sedge_series_load(&monitor->samples, memory, "probes"));
    if (sedge_comm_is_root(comm)) {
        const int64_t groups = (int64_t)monitor->copies * context->deck->probe_count;
        status = sedge_series_make(context, "probes.h5", groups * PROBE_BYTES, monitor->samples,
                                   make_probe_file, context);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

static bool due(const void *what, int64_t step)
{
    return step % ((const probes_monitor *)what)->context->deck->probe_every == 0;
}

static const sedge_monitor_point *get_points(const void *what, int *count)
{
    const probes_monitor *const monitor = what;

    *count = monitor->copies * (int)monitor->points.count;
    return monitor->point;
}

// ---- samples -----------------------------------------------------------------------------------

// Root: append the values [samples][fields] of one part of the fields at probe `index` of the deck.
static sedge_status extend_probe(const probes_monitor *monitor, sedge_h5 *file, int64_t index,
                                 int copy, int samples, const double *values)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_equation *const equation = context->problem->equation;
    sedge_status status = SEDGE_OK;
    double *rows = NULL;

    SEDGE_TRY(sedge_allocate(&rows, (int64_t)samples * equation->fields, sizeof *rows));
    for (int g = 0; g < equation->group_count && status == SEDGE_OK; g++) {
        const sedge_output_group *const group = &equation->groups[g];
        const double factor = sedge_output_group_factor(context, group);
        char path[256];

        for (int s = 0; s < samples; s++) {
            for (int c = 0; c < group->count; c++) {
                rows[s * group->count + c] =
                    factor * values[s * equation->fields + group->first + c];
            }
        }
        name_dataset(path, &context->deck->probes[index], group, copy);
        status = sedge_h5_extend(file, path, SEDGE_H5_F64, samples, rows);
    }
    sedge_release(rows);
    return status;
}

// Root: append the samples of all probes, `all` [gather.all][copies][samples][fields], then
// their times.
static sedge_status append(const probes_monitor *monitor, int samples, const double *times,
                           const double *all)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_equation *const equation = context->problem->equation;
    const sedge_gather *const gather = &monitor->gather;
    const int copies = monitor->copies;
    const int64_t size = (int64_t)samples * equation->fields; // of a part of a probe
    const double unit = sedge_deck_time_unit(context->deck);
    char path[SEDGE_OUTPUT_PATH];
    sedge_h5 *file = NULL;
    double *shown = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&shown, samples, sizeof *shown));
    sedge_output_path(path, context, "probes.h5");
    SEDGE_TRY_GOTO(
        status, sedge_h5_open_series(&file, path,
                                     (samples + copies * gather->all * size) * (int64_t)sizeof *all,
                                     1 + copies * (int)gather->all * equation->group_count));
    for (int64_t i = 0; i < copies * gather->all; i++) {
        SEDGE_TRY_GOTO(status, extend_probe(monitor, file, gather->ids[i / copies],
                                            (int)(i % copies), samples, all + i * size));
    }
    for (int s = 0; s < samples; s++) shown[s] = times[s] * unit;
    status = sedge_h5_extend(file, "/time", SEDGE_H5_F64, samples, shown);
done:
    sedge_release(shown);
    return sedge_h5_close(file, status);
}

static sedge_status receive(void *what, int samples, const int64_t *steps, const double *times,
                            const double *values)
{
    probes_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;
    const int64_t fields = monitor->context->problem->equation->fields;
    const int64_t own = monitor->points.count;
    const int64_t copies = monitor->copies;
    double *rows = NULL; // [own][copies][samples][fields]
    double *all = NULL;  // [gather.all][copies][samples][fields]

    (void)steps;
    monitor->samples += samples;
    sedge_status status = sedge_allocate(&rows, own * copies * samples * fields, sizeof *rows);
    if (status == SEDGE_OK)
        status = sedge_allocate(&all, monitor->gather.all * copies * samples * fields, sizeof *all);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int64_t i = 0; i < own * copies; i++) {
        const int64_t point = i % copies * own + i / copies;
        for (int64_t s = 0; s < samples; s++) {
            memcpy(rows + (i * samples + s) * fields, values + (s * own * copies + point) * fields,
                   (size_t)fields * sizeof *rows);
        }
    }
    sedge_gather_bring(&monitor->gather, comm, rows,
                       (size_t)(copies * samples * fields) * sizeof *rows, all);
    if (sedge_comm_is_root(comm)) status = append(monitor, samples, times, all);
    status = sedge_comm_agree(comm, status);
done:
    sedge_release(rows);
    sedge_release(all);
    return status;
}

static sedge_status save(const void *what, struct json_t *memory)
{
    return sedge_series_save(((const probes_monitor *)what)->samples, memory, "probes");
}

static bool requested(const sedge_deck *deck)
{
    return deck->probe_count > 0;
}

extern const sedge_monitor_kind sedge_monitor_probes;
const sedge_monitor_kind sedge_monitor_probes = {
    .name = "probes",
    .twins = true,
    .text = "fields at points over time",
    .requested = requested,
    .create = create,
    .due = due,
    .points = get_points,
    .receive = receive,
    .save = save,
    .free = release,
};
