#include "monitors.h"

#include "base/file.h"
#include "base/memory.h"
#include "io/json.h"
#include "io/writer.h"
#include "monitor/output_folder.h"
#include "monitor/point_recorder.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct one_monitor {
    const sedge_monitor_kind *kind;
    void *monitor;
    int64_t sampled;                // step of the last sample of this run; -1: none
    sedge_point_recorder *recorder; // NULL: it has no points
    int waiting;                    // samples of its points that it has not received yet
    double *times;                  // [capacity of the recorder]
    int64_t *steps;                 // [capacity of the recorder]
    double seconds;                 // since its creation, in the functions of `kind`
} one_monitor;

struct sedge_monitors {
    sedge_output_context *context;
    json_t *memory; // of the run before, NULL: none
    int count;
    one_monitor *each; // [count]
};

// ---- making ------------------------------------------------------------------------------------

// The numbers of the deck's section of a kind; NULL: it has none.
static const double *find_parameters(const sedge_deck *deck, const sedge_monitor_kind *kind)
{
    for (int i = 0; i < deck->monitor_count; i++)
        if (deck->monitors[i].kind == kind) return deck->monitors[i].parameters;
    return NULL;
}

static bool is_requested(const sedge_deck *deck, const sedge_monitor_kind *kind)
{
    return kind->requested != NULL ? kind->requested(deck) : find_parameters(deck, kind) != NULL;
}

sedge_status sedge_monitors_check(const sedge_output_context *context)
{
    sedge_output_context checks = *context;

    checks.checks = true;
    for (int k = 0; sedge_monitor_kinds[k] != NULL; k++) {
        const sedge_monitor_kind *const kind = sedge_monitor_kinds[k];
        void *monitor = NULL;

        if (!kind->checked || !is_requested(context->deck, kind)) continue;
        SEDGE_TRY(kind->create(&monitor, &checks, find_parameters(context->deck, kind), NULL));
        kind->free(monitor);
    }
    return SEDGE_OK;
}

static sedge_status create_each(sedge_monitors *monitors)
{
    const sedge_output_context *const context = monitors->context;
    int kinds = 0;

    while (sedge_monitor_kinds[kinds] != NULL) kinds++;
    SEDGE_TRY(sedge_comm_agree(context->comm,
                               sedge_allocate(&monitors->each, kinds, sizeof *monitors->each)));
    for (int k = 0; k < kinds; k++) {
        const sedge_monitor_kind *const kind = sedge_monitor_kinds[k];
        const double *const parameters = find_parameters(context->deck, kind);
        one_monitor *const one = &monitors->each[monitors->count];

        if (!is_requested(context->deck, kind)) continue;
        const json_t *const memory = context->continues || kind->sums ? monitors->memory : NULL;
        SEDGE_TRY(
            kind->create(&one->monitor, context, parameters, json_object_get(memory, kind->name)));
        one->kind = kind;
        one->sampled = -1;
        monitors->count++;
    }
    return SEDGE_OK;
}

// Record the points of the monitors that have some.
static sedge_status create_recorders(const sedge_monitors *monitors, const sedge_sample *sample)
{
    const sedge_output_context *const context = monitors->context;

    for (int i = 0; i < monitors->count; i++) {
        one_monitor *const one = &monitors->each[i];
        int count = 0;

        if (one->kind->points == NULL) continue;
        const sedge_monitor_point *const points = one->kind->points(one->monitor, &count);
        SEDGE_TRY(sedge_point_recorder_create(&one->recorder, context, sample, points, count,
                                              one->kind->most_waiting));
        SEDGE_TRY(sedge_comm_agree(
            context->comm, sedge_allocate(&one->times, sedge_point_recorder_capacity(one->recorder),
                                          sizeof *one->times)));
        SEDGE_TRY(sedge_comm_agree(
            context->comm, sedge_allocate(&one->steps, sedge_point_recorder_capacity(one->recorder),
                                          sizeof *one->steps)));
        if (one->kind->connect != NULL) SEDGE_TRY(one->kind->connect(one->monitor, one->recorder));
    }
    return SEDGE_OK;
}

sedge_status sedge_monitors_create(sedge_monitors **out, sedge_output_context *context,
                                   const sedge_sample *sample, json_t *memory)
{
    sedge_monitors *monitors = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(context->comm, sedge_allocate(&monitors, 1, sizeof *monitors)));
    monitors->context = context;
    monitors->memory = json_incref(memory);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, sedge_writer_create(&context->writer)));
    SEDGE_TRY_GOTO(status, create_each(monitors));
    SEDGE_TRY_GOTO(status, create_recorders(monitors, sample));
    *out = monitors;
    monitors = NULL;
done:
    sedge_monitors_free(monitors);
    return status;
}

void sedge_monitors_free(sedge_monitors *monitors)
{
    if (monitors == NULL) return;
    sedge_writer_free(monitors->context->writer); // it reads what the monitors have
    monitors->context->writer = NULL;
    for (int i = 0; i < monitors->count; i++) {
        monitors->each[i].kind->free(monitors->each[i].monitor);
        sedge_point_recorder_free(monitors->each[i].recorder);
        sedge_release(monitors->each[i].times);
        sedge_release(monitors->each[i].steps);
    }
    json_decref(monitors->memory);
    sedge_release(monitors->each);
    sedge_release(monitors);
}

// ---- fields at points --------------------------------------------------------------------------

static sedge_status record_points(one_monitor *one, const sedge_sample *sample)
{
    one->sampled = sedge_sample_step(sample);
    one->steps[one->waiting] = one->sampled;
    one->times[one->waiting++] = sedge_sample_time(sample);
    return sedge_point_recorder_record(one->recorder);
}

sedge_status sedge_monitors_record(sedge_monitors *monitors, sedge_sample *sample)
{
    const int64_t step = sedge_sample_step(sample);

    for (int i = 0; i < monitors->count; i++) {
        one_monitor *const one = &monitors->each[i];

        if (one->recorder == NULL || !one->kind->due(one->monitor, step)) continue;
        SEDGE_TRY(record_points(one, sample));
    }
    return SEDGE_OK;
}

static bool is_full(const one_monitor *one)
{
    return one->recorder != NULL && one->waiting == sedge_point_recorder_capacity(one->recorder);
}

static sedge_status fetch_batch(const sedge_monitors *monitors, one_monitor *one)
{
    const sedge_monitor_kind *const kind = one->kind;
    const int samples = one->waiting;
    const double *values = NULL;

    if (samples == 0) return SEDGE_OK;
    one->waiting = 0;
    if (kind->transform != NULL) SEDGE_TRY(kind->transform(one->monitor, samples, one->times));
    if (kind->receive != NULL) {
        SEDGE_TRY(sedge_comm_agree(monitors->context->comm,
                                   sedge_point_recorder_fetch(one->recorder, &values)));
        SEDGE_TRY(kind->receive(one->monitor, samples, one->steps, one->times, values));
    }
    sedge_point_recorder_forget(one->recorder);
    return SEDGE_OK;
}

// Let a monitor have the batch that waits for it. Collective.
static sedge_status fetch(const sedge_monitors *monitors, one_monitor *one)
{
    const double start = sedge_clock();
    const sedge_status status = fetch_batch(monitors, one);

    one->seconds += sedge_clock() - start;
    return status;
}

static sedge_status flush(const sedge_monitors *monitors, one_monitor *one)
{
    SEDGE_TRY(fetch(monitors, one));
    if (one->kind->flush == NULL) return SEDGE_OK;
    const double start = sedge_clock();
    const sedge_status status = one->kind->flush(one->monitor);
    one->seconds += sedge_clock() - start;
    return status;
}

// ---- sampling ----------------------------------------------------------------------------------

static bool is_due(const one_monitor *one, int64_t step)
{
    return one->kind->sample != NULL && one->kind->due(one->monitor, step);
}

bool sedge_monitors_due(const sedge_monitors *monitors, int64_t step)
{
    bool due = false;

    for (int i = 0; i < monitors->count && !due; i++)
        due = is_full(&monitors->each[i]) || is_due(&monitors->each[i], step);
    return due;
}

sedge_status sedge_monitors_sample(sedge_monitors *monitors, sedge_sample *sample)
{
    const int64_t step = sedge_sample_step(sample);
    bool flush_all = false;

    for (int i = 0; i < monitors->count; i++) {
        one_monitor *const one = &monitors->each[i];

        if (is_full(one)) SEDGE_TRY(fetch(monitors, one));
        if (!is_due(one, step)) continue;
        const double start = sedge_clock();
        SEDGE_TRY(one->kind->sample(one->monitor, sample));
        one->seconds += sedge_clock() - start;
        one->sampled = step;
        flush_all = flush_all || one->kind->flushes_all;
    }
    return flush_all ? sedge_monitors_flush(monitors) : SEDGE_OK;
}

sedge_status sedge_monitors_compare(sedge_monitors *monitors, int64_t window, bool measure,
                                    double *remains)
{
    *remains = 0.0;
    for (int i = 0; i < monitors->count; i++) {
        one_monitor *const one = &monitors->each[i];
        double own = 0.0;

        if (one->kind->compare == NULL) continue;
        if (measure) SEDGE_TRY(fetch(monitors, one));
        SEDGE_TRY(one->kind->compare(one->monitor, window, measure, &own));
        *remains = fmax(*remains, own);
    }
    return SEDGE_OK;
}

sedge_status sedge_monitors_energy(sedge_monitors *monitors, int64_t step, double time,
                                   double energy)
{
    for (int i = 0; i < monitors->count; i++) {
        one_monitor *const one = &monitors->each[i];

        if (one->kind->energy == NULL || !one->kind->due(one->monitor, step)) continue;
        SEDGE_TRY(one->kind->energy(one->monitor, step, time, energy));
        one->sampled = step;
    }
    return SEDGE_OK;
}

sedge_status sedge_monitors_last(sedge_monitors *monitors, sedge_sample *sample)
{
    const int64_t step = sedge_sample_step(sample);

    SEDGE_TRY(sedge_monitors_flush(monitors));
    for (int i = 0; i < monitors->count; i++) {
        one_monitor *const one = &monitors->each[i];
        const sedge_monitor_kind *const kind = one->kind;

        if ((kind->last == NULL && !kind->last_points) || one->sampled == step) continue;
        SEDGE_TRY(kind->last_points
                      ? sedge_comm_agree(monitors->context->comm, record_points(one, sample))
                      : kind->last(one->monitor, sample));
        one->sampled = step;
    }
    SEDGE_TRY(sedge_monitors_flush(monitors));
    return sedge_monitors_settle(monitors, SEDGE_SETTLE_ALL);
}

sedge_status sedge_monitors_flush(sedge_monitors *monitors)
{
    for (int i = 0; i < monitors->count; i++) SEDGE_TRY(flush(monitors, &monitors->each[i]));
    return SEDGE_OK;
}

sedge_status sedge_monitors_settle(sedge_monitors *monitors, int64_t step)
{
    for (int i = 0; i < monitors->count; i++) {
        one_monitor *const one = &monitors->each[i];
        const double start = sedge_clock();

        if (one->kind->settle == NULL) continue;
        SEDGE_TRY(one->kind->settle(one->monitor, step));
        one->seconds += sedge_clock() - start;
    }
    return SEDGE_OK;
}

// Those first whose files are written meanwhile: others may link to them.
static sedge_status finish_each(const sedge_monitors *monitors)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < monitors->count; i++) {
            one_monitor *const one = &monitors->each[i];
            const double start = sedge_clock();

            if (one->kind->finish == NULL || (one->kind->settle == NULL) != (pass == 1)) continue;
            SEDGE_TRY(one->kind->finish(one->monitor));
            one->seconds += sedge_clock() - start;
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_monitors_finish(sedge_monitors *monitors)
{
    SEDGE_TRY(sedge_monitors_flush(monitors));
    sedge_failure first = {0};
    sedge_failure_keep(&first, finish_each(monitors)); // while the last files are written
    sedge_failure_keep(&first, sedge_monitors_settle(monitors, SEDGE_SETTLE_ALL));
    return sedge_failure_get(&first);
}

sedge_status sedge_monitors_report(const sedge_monitors *monitors, sedge_text *text, json_t *json)
{
    for (int i = 0; i < monitors->count; i++) {
        const one_monitor *const one = &monitors->each[i];
        json_t *const own = json_object();

        if (one->kind->report == NULL) {
            json_decref(own);
            continue;
        }
        if (json_object_set_new(json, one->kind->name, own) != 0)
            return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the report");
        SEDGE_TRY(one->kind->report(one->monitor, text, own));
    }
    return SEDGE_OK;
}

json_t *sedge_monitors_seconds(const sedge_monitors *monitors)
{
    json_t *const object = json_object();

    for (int i = 0; i < monitors->count; i++) {
        const one_monitor *const one = &monitors->each[i];

        (void)json_object_set_new(object, one->kind->name, sedge_json_number(one->seconds));
    }
    return object;
}

// ---- checkpoints -------------------------------------------------------------------------------

sedge_status sedge_monitors_sync(const sedge_monitors *monitors)
{
    for (int i = 0; i < monitors->count; i++) {
        char path[SEDGE_OUTPUT_PATH];
        char file[128];

        (void)snprintf(file, sizeof file, "%.100s.h5", monitors->each[i].kind->name);
        sedge_output_path(path, monitors->context, file);
        if (access(path, F_OK) == 0) SEDGE_TRY(sedge_file_sync(path));
    }
    return SEDGE_OK;
}

// Each monitor has what the one before it has on all ranks: `save` may be collective.
static sedge_status save_each(const sedge_monitors *monitors, json_t *all)
{
    const sedge_comm *const comm = monitors->context->comm;

    for (int i = 0; i < monitors->count; i++) {
        const one_monitor *const one = &monitors->each[i];
        json_t *const memory = json_object();
        sedge_status status = SEDGE_OK;

        if (json_object_set_new(all, one->kind->name, memory) != 0) {
            status =
                SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the monitor '%s'", one->kind->name);
        }
        SEDGE_TRY(sedge_comm_agree(comm, status));
        SEDGE_TRY(sedge_comm_agree(comm, one->kind->save(one->monitor, memory)));
    }
    return SEDGE_OK;
}

sedge_status sedge_monitors_save(sedge_monitors *monitors, json_t **out)
{
    json_t *all = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(sedge_monitors_flush(monitors));
    SEDGE_TRY(sedge_monitors_settle(monitors, SEDGE_SETTLE_WRITTEN));
    all = monitors->context->continues && monitors->memory != NULL ? json_copy(monitors->memory)
                                                                   : json_object();
    // Sums that nobody goes on with are not in the checkpoint, so nothing may tell of them.
    for (int k = 0; sedge_monitor_kinds[k] != NULL; k++)
        if (sedge_monitor_kinds[k]->sums) (void)json_object_del(all, sedge_monitor_kinds[k]->name);
    status = save_each(monitors, all);
    if (status == SEDGE_OK) {
        *out = all;
    } else {
        json_decref(all);
    }
    return status;
}

sedge_status sedge_monitors_arrays(const sedge_monitors *monitors, sedge_named_array **out,
                                   int *count)
{
    int most = 0;

    for (int pass = 0; pass < 2; pass++) {
        *count = 0;
        if (pass == 1) SEDGE_TRY(sedge_allocate(out, most, sizeof **out));
        for (int i = 0; i < monitors->count; i++) {
            const one_monitor *const one = &monitors->each[i];
            int own = 0;

            if (one->kind->arrays == NULL) continue;
            const sedge_monitor_array *const arrays = one->kind->arrays(one->monitor, &own);
            for (int k = 0; k < own && pass == 1; k++)
                (*out)[*count + k] = (sedge_named_array){one->kind->name, &arrays[k]};
            *count += own;
        }
        most = *count;
    }
    return SEDGE_OK;
}
