#include "point_recorder.h"

#include "base/memory.h"

#include <string.h>

#define BATCH_BYTES (128 << 20) // of a rank's recorded samples, unless one sample is larger

struct sedge_point_recorder {
    const sedge_sample_source *source;
    int points, fields, nodes;
    int capacity;      // samples
    int recorded;      // samples that wait to be fetched
    void *on_device;   // the source's; NULL: it cannot record
    int32_t *elements; // [points]
    double *weights;   // [points][nodes]
    double *values;    // [capacity][points][fields]
};

static sedge_status fill(sedge_point_recorder *recorder, const sedge_monitor_point *points)
{
    const sedge_sample_source *const source = recorder->source;
    const int count = recorder->points;
    const int nodes = recorder->nodes;

    SEDGE_TRY(sedge_allocate(&recorder->elements, count, sizeof(int32_t)));
    SEDGE_TRY(sedge_allocate(&recorder->weights, (int64_t)count * nodes, sizeof(double)));
    SEDGE_TRY(sedge_allocate(
        &recorder->values, (int64_t)recorder->capacity * count * recorder->fields, sizeof(double)));
    for (int i = 0; i < count; i++) {
        recorder->elements[i] = points[i].element;
        memcpy(recorder->weights + (int64_t)i * nodes, points[i].weights,
               (size_t)nodes * sizeof(double));
    }
    if (source->create_points == NULL) return SEDGE_OK;
    return source->create_points(&recorder->on_device, source->solver, count, recorder->elements,
                                 recorder->weights, recorder->capacity);
}

// How many samples are kept: what fits into BATCH_BYTES on the rank with the most points.
static int find_capacity(const sedge_comm *comm, int points, int fields)
{
    int64_t most = points;

    sedge_comm_max_int(comm, &most, 1);
    const int64_t fit = BATCH_BYTES / ((most > 0 ? most : 1) * fields * (int64_t)sizeof(double));
    return fit < 1 ? 1 : fit > SEDGE_POINT_BATCH ? SEDGE_POINT_BATCH : (int)fit;
}

sedge_status sedge_point_recorder_create(sedge_point_recorder **out,
                                         const sedge_output_context *context,
                                         const sedge_sample *sample,
                                         const sedge_monitor_point *points, int count)
{
    const int fields = context->problem->equation->fields;
    const int capacity = find_capacity(context->comm, count, fields);
    sedge_point_recorder *recorder = NULL;
    sedge_status status = sedge_allocate(&recorder, 1, sizeof *recorder);

    *out = NULL;
    if (status == SEDGE_OK) {
        recorder->source = sedge_sample_get_source(sample);
        recorder->points = count;
        recorder->fields = fields;
        recorder->nodes = context->element->nodes;
        recorder->capacity = capacity;
        status = fill(recorder, points);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    *out = recorder;
    recorder = NULL;
done:
    sedge_point_recorder_free(recorder);
    return status;
}

void sedge_point_recorder_free(sedge_point_recorder *recorder)
{
    if (recorder == NULL) return;
    if (recorder->on_device != NULL) recorder->source->free_points(recorder->on_device);
    sedge_release(recorder->elements);
    sedge_release(recorder->weights);
    sedge_release(recorder->values);
    sedge_release(recorder);
}

int sedge_point_recorder_capacity(const sedge_point_recorder *recorder)
{
    return recorder->capacity;
}

static sedge_status interpolate(sedge_point_recorder *recorder, sedge_sample *sample)
{
    const int nodes = recorder->nodes;
    const int fields = recorder->fields;
    double *const values =
        recorder->values + (int64_t)recorder->recorded * recorder->points * fields;
    const double *u;

    SEDGE_TRY(sedge_sample_fields(sample, &u));
    for (int i = 0; i < recorder->points; i++) {
        const double *const weights = recorder->weights + (int64_t)i * nodes;

        for (int f = 0; f < fields; f++) {
            const double *const nodal = u + ((int64_t)recorder->elements[i] * fields + f) * nodes;
            double sum = 0.0;

            for (int n = 0; n < nodes; n++) sum += weights[n] * nodal[n];
            values[i * fields + f] = sum;
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_point_recorder_record(sedge_point_recorder *recorder, sedge_sample *sample)
{
    if (recorder->recorded == recorder->capacity) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "more than %d samples of points before a fetch",
                          recorder->capacity);
    }
    SEDGE_TRY(recorder->on_device != NULL ? recorder->source->record_points(recorder->on_device)
                                          : interpolate(recorder, sample));
    recorder->recorded++;
    return SEDGE_OK;
}

sedge_status sedge_point_recorder_fetch(sedge_point_recorder *recorder, const double **values)
{
    int samples = recorder->recorded;

    *values = recorder->values;
    if (recorder->on_device != NULL)
        SEDGE_TRY(recorder->source->fetch_points(recorder->on_device, recorder->values, &samples));
    recorder->recorded = 0;
    return SEDGE_OK;
}
