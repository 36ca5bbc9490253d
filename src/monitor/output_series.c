// energy.h5 and probes.h5. The root writes them; each append opens the file, extends the datasets
// (time last, so that every listed time has its values) and closes it.
#include "output_parts.h"

#include "base/file.h"
#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/series.h"

#include <stdio.h>
#include <string.h>

#define KEPT_SAMPLES 256
#define KEPT_SECONDS 5.0
#define PROBE_BYTES  16384 // what describes one probe in its file

// ---- energy ------------------------------------------------------------------------------------

struct sedge_energy_log {
    const sedge_output_context *context;
    int64_t count; // samples, kept ones included
    int kept;
    double times[KEPT_SAMPLES]; // deck's units, as all below
    double energies[KEPT_SAMPLES];
    int64_t steps[KEPT_SAMPLES];
    double written; // clock of the last write
};

static sedge_status make_energy_file(const void *what, sedge_h5 *file)
{
    const sedge_output_context *const context = what;

    SEDGE_TRY(sedge_output_describe(file, context, "energy"));
    SEDGE_TRY(sedge_h5_series(file, "/time", SEDGE_H5_F64, 0, NULL, 1024));
    SEDGE_TRY(sedge_h5_text(file, "/time", "units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_series(file, "/step", SEDGE_H5_I64, 0, NULL, 1024));
    SEDGE_TRY(sedge_h5_series(file, "/energy", SEDGE_H5_F64, 0, NULL, 1024));
    return sedge_h5_text(file, "/energy", "units", sedge_output_unit(context, "J"));
}

sedge_status sedge_energy_log_create(sedge_energy_log **out, const sedge_output_context *context)
{
    const bool root = sedge_comm_is_root(context->comm);
    const int64_t before = context->from != NULL ? context->from->energies : 0;
    sedge_energy_log *log = NULL;

    *out = NULL;
    sedge_status status = sedge_allocate(&log, 1, sizeof *log);
    if (status == SEDGE_OK && root) {
        status = sedge_series_make(context, "energy.h5", 0, before, make_energy_file, context);
    }
    status = sedge_comm_agree(context->comm, status);
    if (status != SEDGE_OK) {
        sedge_release(log);
        return status;
    }
    log->context = context;
    log->count = before;
    log->written = sedge_clock();
    *out = log;
    return SEDGE_OK;
}

void sedge_energy_log_free(sedge_energy_log *log)
{
    sedge_release(log);
}

int64_t sedge_energy_log_count(const sedge_energy_log *log)
{
    return log->count;
}

static sedge_status extend_energy(const sedge_energy_log *log, sedge_h5 *file)
{
    SEDGE_TRY(sedge_h5_extend(file, "/energy", SEDGE_H5_F64, log->kept, log->energies));
    SEDGE_TRY(sedge_h5_extend(file, "/step", SEDGE_H5_I64, log->kept, log->steps));
    return sedge_h5_extend(file, "/time", SEDGE_H5_F64, log->kept, log->times);
}

// Root: append what is kept.
static sedge_status write_energy(sedge_energy_log *log)
{
    char path[SEDGE_OUTPUT_PATH];
    sedge_h5 *file = NULL;

    if (log->kept == 0) return SEDGE_OK;
    sedge_output_path(path, log->context, "energy.h5");
    SEDGE_TRY(sedge_h5_open_series(&file, path, (int64_t)log->kept * 24, 3));
    const sedge_status status = sedge_h5_close(file, extend_energy(log, file));
    log->kept = 0;
    log->written = sedge_clock();
    return status;
}

sedge_status sedge_energy_log_add(sedge_energy_log *log, double time, int64_t step, double energy)
{
    const sedge_comm *const comm = log->context->comm;
    sedge_status status = SEDGE_OK;

    log->count++;
    if (sedge_comm_is_root(comm)) {
        log->times[log->kept] = time * sedge_deck_time_unit(log->context->deck);
        log->energies[log->kept] = energy * sedge_deck_energy_unit(log->context->deck);
        log->steps[log->kept] = step;
        log->kept++;
        if (log->kept == KEPT_SAMPLES || sedge_clock() - log->written > KEPT_SECONDS)
            status = write_energy(log);
    }
    return sedge_comm_agree(comm, status);
}

sedge_status sedge_energy_log_flush(sedge_energy_log *log)
{
    const sedge_comm *const comm = log->context->comm;

    return sedge_comm_agree(comm, sedge_comm_is_root(comm) ? write_energy(log) : SEDGE_OK);
}

// ---- probes ------------------------------------------------------------------------------------

struct sedge_probe_log {
    const sedge_output_context *context;
    int64_t count;      // samples
    int probes;         // of the deck
    int owned;          // of this rank
    sedge_probe *probe; // [owned], in the deck's order
    double *weights;    // [owned][nodes]
    int *owners;        // [probes] rank
};

static const char *probe_name(const sedge_deck *deck, int i)
{
    return deck->probes[i].name;
}

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
static sedge_status keep_probes(sedge_probe_log *log, const int32_t *elements, double (*rst)[3])
{
    const sedge_output_context *const context = log->context;
    const int nodes = context->element->nodes;

    for (int i = 0; i < log->probes; i++) {
        if (log->owners[i] < 0) return fail_outside(context, &context->deck->probes[i]);
        if (elements[i] < 0) continue;
        sedge_probe *const probe = &log->probe[log->owned];
        probe->index = i;
        probe->element = elements[i];
        probe->weights = log->weights + (int64_t)log->owned * nodes;
        log->owned++;
        SEDGE_TRY(sedge_element_interpolate(context->element, rst[i][0], rst[i][1], rst[i][2],
                                            probe->weights));
    }
    return SEDGE_OK;
}

// Find this rank's element and weights of every probe that it owns. Collective.
static sedge_status find_probes(sedge_probe_log *log)
{
    const sedge_output_context *const context = log->context;
    sedge_status status;
    double(*places)[3] = NULL;
    double(*rst)[3] = NULL;
    int32_t *elements = NULL;

    status = sedge_allocate(&places, log->probes, sizeof *places);
    if (status == SEDGE_OK) status = sedge_allocate(&rst, log->probes, sizeof *rst);
    if (status == SEDGE_OK) status = sedge_allocate(&elements, log->probes, sizeof *elements);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    for (int i = 0; i < log->probes; i++)
        memcpy(places[i], context->deck->probes[i].position, sizeof *places);
    SEDGE_TRY_GOTO(status,
                   sedge_mesh_claim(log->owners, elements, rst, context->comm, context->mesh,
                                    (const double(*)[3])places, log->probes));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, keep_probes(log, elements, rst)));
done:
    sedge_release(places);
    sedge_release(rst);
    sedge_release(elements);
    return status;
}

sedge_status sedge_probe_log_create(sedge_probe_log **out, const sedge_output_context *context)
{
    const sedge_comm *const comm = context->comm;
    const int64_t probes = context->deck->probe_count;
    sedge_status status;
    sedge_probe_log *log = NULL;

    *out = NULL;
    for (int i = 0; i < probes; i++) {
        SEDGE_TRY(sedge_output_check_name(context, "probe", context->deck->probes[i].line,
                                          context->deck->probes[i].name, i, probe_name));
    }
    status = sedge_allocate(&log, 1, sizeof *log);
    if (status == SEDGE_OK) status = sedge_allocate(&log->probe, probes, sizeof *log->probe);
    if (status == SEDGE_OK) status = sedge_allocate(&log->owners, probes, sizeof *log->owners);
    if (status == SEDGE_OK) {
        status =
            sedge_allocate(&log->weights, probes * context->element->nodes, sizeof *log->weights);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    log->context = context;
    log->probes = (int)probes;
    SEDGE_TRY_GOTO(status, find_probes(log));
    log->count = context->from != NULL ? context->from->probes : 0;
    if (probes > 0 && sedge_comm_is_root(comm)) {
        status = sedge_series_make(context, "probes.h5", probes * PROBE_BYTES, log->count,
                                   make_probe_file, context);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *out = log;
    log = NULL;
done:
    sedge_probe_log_free(log);
    return status;
}

void sedge_probe_log_free(sedge_probe_log *log)
{
    if (log == NULL) return;
    sedge_release(log->probe);
    sedge_release(log->owners);
    sedge_release(log->weights);
    sedge_release(log);
}

int64_t sedge_probe_log_count(const sedge_probe_log *log)
{
    return log->count;
}

const sedge_probe *sedge_probe_log_owned(const sedge_probe_log *log, int *count)
{
    *count = log->owned;
    return log->probe;
}

// Root: append one probe's values [samples][stride], its fields first in each row.
static sedge_status extend_probe(const sedge_probe_log *log, sedge_h5 *file, int index, int samples,
                                 const double *values, int64_t stride)
{
    const sedge_output_context *const context = log->context;
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
static sedge_status extend_rank(const sedge_probe_log *log, sedge_h5 *file, int rank, int count,
                                int samples, const double *values)
{
    const int fields = log->context->problem->equation->fields;
    int at = 0;

    for (int i = 0; i < log->probes; i++) {
        if (log->owners[i] != rank) continue;
        SEDGE_TRY(extend_probe(log, file, i, samples, values + (int64_t)at * fields,
                               (int64_t)count * fields));
        at++;
    }
    return SEDGE_OK;
}

// Root: take every rank's values, and append them as long as nothing fails.
static sedge_status collect_probes(const sedge_probe_log *log, sedge_h5 *file, int samples,
                                   const double *values, double *received)
{
    const sedge_comm *const comm = log->context->comm;
    const int fields = log->context->problem->equation->fields;
    sedge_status status = SEDGE_OK;

    for (int rank = 0; rank < sedge_comm_size(comm); rank++) {
        int count = 0;

        for (int i = 0; i < log->probes; i++) count += log->owners[i] == rank;
        if (count == 0) continue;
        if (rank != 0) {
            sedge_comm_receive(comm, received,
                               (size_t)samples * (size_t)count * (size_t)fields * sizeof *received,
                               rank);
        }
        if (status == SEDGE_OK)
            status = extend_rank(log, file, rank, count, samples, rank == 0 ? values : received);
    }
    return status;
}

static sedge_status extend_times(const sedge_probe_log *log, sedge_h5 *file, int samples,
                                 const double *times, double *scaled)
{
    const double unit = sedge_deck_time_unit(log->context->deck);

    for (int s = 0; s < samples; s++) scaled[s] = times[s] * unit;
    return sedge_h5_extend(file, "/time", SEDGE_H5_F64, samples, scaled);
}

sedge_status sedge_probe_log_append(sedge_probe_log *log, int samples, const double *times,
                                    const double *values)
{
    const sedge_comm *const comm = log->context->comm;
    const int64_t fields = log->context->problem->equation->fields;
    const int64_t own_values = samples * (log->owned * fields);
    const bool root = sedge_comm_is_root(comm);
    const int groups = log->context->problem->equation->group_count;
    const int64_t bytes = samples * (1 + log->probes * fields) * (int64_t)sizeof(double);
    char path[SEDGE_OUTPUT_PATH];
    sedge_status status = SEDGE_OK;
    sedge_h5 *file = NULL;
    double *buffer = NULL;

    if (log->probes == 0 || samples == 0) return SEDGE_OK;
    log->count += samples;
    sedge_output_path(path, log->context, "probes.h5");
    if (root) status = sedge_allocate(&buffer, samples * (log->probes * fields), sizeof *buffer);
    if (root && status == SEDGE_OK)
        status = sedge_h5_open_series(&file, path, bytes, 1 + log->probes * groups);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status)); // the root will receive
    if (root) {
        status = collect_probes(log, file, samples, values, buffer);
        if (status == SEDGE_OK) status = extend_times(log, file, samples, times, buffer);
        status = sedge_h5_close(file, status);
        file = NULL;
    } else if (log->owned > 0) {
        sedge_comm_send(comm, values, (size_t)own_values * sizeof *values, 0);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    sedge_release(buffer);
    return sedge_h5_close(file, status);
}
