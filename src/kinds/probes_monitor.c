// probes.h5: fields at points over time, /time, /probes/NAME/GROUP [samples] or [samples][3]. The
// root writes it; each append opens the file, extends the datasets (time last, so that every listed
// time has its values) and closes it.
#include "dg/monitor_kind.h"

#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/series.h"

#include <stdio.h>
#include <string.h>

#define PROBE_BYTES 16384 // what describes one probe in its file

// Each probe is owned by exactly one rank, the lowest of those that have its point.
typedef struct probes_monitor {
    const sedge_output_context *context;
    int64_t samples;
    int probes;                 // of the deck
    int owned;                  // of this rank
    sedge_monitor_point *point; // [owned], in the deck's order
    double *weights;            // [owned][nodes]
    int *owners;                // [probes] rank
} probes_monitor;

static sedge_status make_probe_group(const sedge_output_context *context, sedge_h5 *file,
                                     const sedge_deck_probe *probe)
{
    const sedge_equation *const equation = context->problem->equation;
    char folder[128];

    (void)snprintf(folder, sizeof folder, "/probes/%s", probe->name);
    SEDGE_TRY(sedge_h5_group(file, folder));
    SEDGE_TRY(sedge_h5_reals(file, folder, "position", probe->position, 3));
    SEDGE_TRY(sedge_h5_text(file, folder, "position_units", sedge_output_unit(context, "m")));
    for (int g = 0; g < equation->group_count; g++) {
        const sedge_output_group *const group = &equation->groups[g];
        const int64_t width = group->count;
        char path[256];

        (void)snprintf(path, sizeof path, "%s/%s", folder, group->name);
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

static sedge_status fail_outside(const sedge_output_context *context, const sedge_deck_probe *probe)
{
    const double *const x = probe->position;
    const double(*const bounds)[3] = context->mesh->bounds;

    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s:%d: probe '%s' at (%g, %g, %g) lies outside the mesh, which spans (%g, "
                      "%g, %g) to (%g, %g, %g)",
                      context->deck->path, probe->line, probe->name, x[0], x[1], x[2], bounds[0][0],
                      bounds[0][1], bounds[0][2], bounds[1][0], bounds[1][1], bounds[1][2]);
}

// Keep the probes with an element of this rank.
static sedge_status keep_probes(probes_monitor *monitor, const int32_t *elements, double (*rst)[3])
{
    const sedge_output_context *const context = monitor->context;
    const int nodes = context->element->nodes;

    for (int i = 0; i < monitor->probes; i++) {
        if (monitor->owners[i] < 0) return fail_outside(context, &context->deck->probes[i]);
        if (elements[i] < 0) continue;
        double *const weights = monitor->weights + (int64_t)monitor->owned * nodes;
        monitor->point[monitor->owned++] =
            (sedge_monitor_point){.element = elements[i], .weights = weights};
        SEDGE_TRY(
            sedge_element_interpolate(context->element, rst[i][0], rst[i][1], rst[i][2], weights));
    }
    return SEDGE_OK;
}

// Find this rank's element and weights of every probe that it owns. Collective.
static sedge_status find_probes(probes_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    sedge_status status;
    double(*places)[3] = NULL;
    double(*rst)[3] = NULL;
    int32_t *elements = NULL;

    status = sedge_allocate(&places, monitor->probes, sizeof *places);
    if (status == SEDGE_OK) status = sedge_allocate(&rst, monitor->probes, sizeof *rst);
    if (status == SEDGE_OK) status = sedge_allocate(&elements, monitor->probes, sizeof *elements);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    for (int i = 0; i < monitor->probes; i++)
        memcpy(places[i], context->deck->probes[i].position, sizeof *places);
    SEDGE_TRY_GOTO(status,
                   sedge_mesh_claim(monitor->owners, elements, rst, context->comm, context->mesh,
                                    (const double(*)[3])places, monitor->probes));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, keep_probes(monitor, elements, rst)));
done:
    sedge_release(places);
    sedge_release(rst);
    sedge_release(elements);
    return status;
}

static void release(void *what)
{
    probes_monitor *const monitor = what;

    if (monitor == NULL) return;
    sedge_release(monitor->point);
    sedge_release(monitor->owners);
    sedge_release(monitor->weights);
    sedge_release(monitor);
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const struct json_t *memory)
{
    const sedge_comm *const comm = context->comm;
    const int64_t probes = context->deck->probe_count;
    sedge_status status;
    probes_monitor *monitor = NULL;

    (void)parameters;
    *out = NULL;
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->point, probes, sizeof *monitor->point);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->owners, probes, sizeof *monitor->owners);
    if (status == SEDGE_OK) {
        status = sedge_allocate(&monitor->weights, probes * context->element->nodes,
                                sizeof *monitor->weights);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    monitor->context = context;
    monitor->probes = (int)probes;
    SEDGE_TRY_GOTO(status, find_probes(monitor));
    SEDGE_TRY_GOTO(status, sedge_series_load(&monitor->samples, memory, "probes"));
    if (sedge_comm_is_root(comm)) {
        status = sedge_series_make(context, "probes.h5", probes * PROBE_BYTES, monitor->samples,
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

    *count = monitor->owned;
    return monitor->point;
}

// ---- samples -----------------------------------------------------------------------------------

// Root: append one probe's values [samples][stride], its fields first in each row.
static sedge_status extend_probe(const probes_monitor *monitor, sedge_h5 *file, int index,
                                 int samples, const double *values, int64_t stride)
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
            for (int c = 0; c < group->count; c++)
                rows[s * group->count + c] = factor * values[s * stride + group->first + c];
        }
        (void)snprintf(path, sizeof path, "/probes/%s/%s", context->deck->probes[index].name,
                       group->name);
        status = sedge_h5_extend(file, path, SEDGE_H5_F64, samples, rows);
    }
    sedge_release(rows);
    return status;
}

// Root: append the values [samples][count][fields] of the probes that `rank` owns.
static sedge_status extend_rank(const probes_monitor *monitor, sedge_h5 *file, int rank, int count,
                                int samples, const double *values)
{
    const int fields = monitor->context->problem->equation->fields;
    int at = 0;

    for (int i = 0; i < monitor->probes; i++) {
        if (monitor->owners[i] != rank) continue;
        SEDGE_TRY(extend_probe(monitor, file, i, samples, values + (int64_t)at * fields,
                               (int64_t)count * fields));
        at++;
    }
    return SEDGE_OK;
}

// Root: take every rank's values, and append them as long as nothing fails.
static sedge_status collect_probes(const probes_monitor *monitor, sedge_h5 *file, int samples,
                                   const double *values, double *received)
{
    const sedge_comm *const comm = monitor->context->comm;
    const int fields = monitor->context->problem->equation->fields;
    sedge_status status = SEDGE_OK;

    for (int rank = 0; rank < sedge_comm_size(comm); rank++) {
        int count = 0;

        for (int i = 0; i < monitor->probes; i++) count += monitor->owners[i] == rank;
        if (count == 0) continue;
        if (rank != 0) {
            sedge_comm_receive(comm, received,
                               (size_t)samples * (size_t)count * (size_t)fields * sizeof *received,
                               rank);
        }
        if (status == SEDGE_OK) {
            status =
                extend_rank(monitor, file, rank, count, samples, rank == 0 ? values : received);
        }
    }
    return status;
}

static sedge_status extend_times(const probes_monitor *monitor, sedge_h5 *file, int samples,
                                 const double *times, double *scaled)
{
    const double unit = sedge_deck_time_unit(monitor->context->deck);

    for (int s = 0; s < samples; s++) scaled[s] = times[s] * unit;
    return sedge_h5_extend(file, "/time", SEDGE_H5_F64, samples, scaled);
}

static sedge_status receive(void *what, int samples, const int64_t *steps, const double *times,
                            const double *values)
{
    probes_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;
    const int64_t fields = monitor->context->problem->equation->fields;
    const int64_t own_values = samples * (monitor->owned * fields);
    const bool root = sedge_comm_is_root(comm);
    const int groups = monitor->context->problem->equation->group_count;
    const int64_t bytes = samples * (1 + monitor->probes * fields) * (int64_t)sizeof(double);
    char path[SEDGE_OUTPUT_PATH];
    sedge_status status = SEDGE_OK;
    sedge_h5 *file = NULL;
    double *buffer = NULL;

    (void)steps;
    monitor->samples += samples;
    sedge_output_path(path, monitor->context, "probes.h5");
    if (root)
        status = sedge_allocate(&buffer, samples * (monitor->probes * fields), sizeof *buffer);
    if (root && status == SEDGE_OK)
        status = sedge_h5_open_series(&file, path, bytes, 1 + monitor->probes * groups);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status)); // the root will receive
    if (root) {
        status = collect_probes(monitor, file, samples, values, buffer);
        if (status == SEDGE_OK) status = extend_times(monitor, file, samples, times, buffer);
        status = sedge_h5_close(file, status);
        file = NULL;
    } else if (monitor->owned > 0) {
        sedge_comm_send(comm, values, (size_t)own_values * sizeof *values, 0);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    sedge_release(buffer);
    return sedge_h5_close(file, status);
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
    .text = "fields at points over time",
    .requested = requested,
    .create = create,
    .due = due,
    .points = get_points,
    .receive = receive,
    .save = save,
    .free = release,
};
