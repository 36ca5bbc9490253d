#include "point_recorder.h"

#include "base/memory.h"

#include <string.h>

#define BATCH_BYTES (128 << 20) // of a rank's recorded samples, unless they are fewer than
#define FEWEST_KEPT 4           // so many: then transforms move each sum no more than that often

struct sedge_point_recorder {
    const sedge_sample_source *source;
    int points, fields, nodes;
    int capacity;    // samples
    void *on_device; // the source's
    double *values;  // [capacity][points][fields]; NULL: nothing has been fetched
};

// Row of weights of each point, and the weights: the nodes' rows first, if some point is a node,
// then a row for each other point.
typedef struct weight_rows {
    int32_t *elements; // [points]
    int32_t *rows;     // [points]
    double *weights;   // [count][nodes]
    int count;
} weight_rows;

static sedge_status fill_rows(weight_rows *out, const sedge_monitor_point *points, int count,
                              int nodes)
{
    const size_t bytes = (size_t)nodes * sizeof(double);
    int others = 0;

    for (int i = 0; i < count; i++) others += points[i].weights != NULL;
    SEDGE_TRY(sedge_allocate(&out->elements, count, sizeof *out->elements));
    SEDGE_TRY(sedge_allocate(&out->rows, count, sizeof *out->rows));
    SEDGE_TRY(sedge_allocate(&out->weights, ((int64_t)others + nodes) * nodes, sizeof(double)));
    for (int n = 0; n < nodes && others < count; n++)
        out->weights[(int64_t)out->count++ * nodes + n] = 1.0;
    for (int i = 0; i < count; i++) {
        out->elements[i] = points[i].element;
        out->rows[i] = points[i].node;
        if (points[i].weights == NULL) continue;
        memcpy(out->weights + (int64_t)out->count * nodes, points[i].weights, bytes);
        out->rows[i] = out->count++;
    }
    return SEDGE_OK;
}

static sedge_status create_points(sedge_point_recorder *recorder, const sedge_monitor_point *points)
{
    const sedge_sample_source *const source = recorder->source;
    weight_rows rows = {0};
    sedge_status status = fill_rows(&rows, points, recorder->points, recorder->nodes);

    if (status == SEDGE_OK) {
        status = source->create_points(&recorder->on_device, source->solver, recorder->points,
                                       rows.elements, rows.rows, rows.count, rows.weights,
                                       recorder->capacity);
    }
    sedge_release(rows.elements);
    sedge_release(rows.rows);
    sedge_release(rows.weights);
    return status;
}

int sedge_point_recorder_fit(double points, int fields)
{
    const double fit = BATCH_BYTES / ((points < 1.0 ? 1.0 : points) * fields * sizeof(double));

    return fit < FEWEST_KEPT ? FEWEST_KEPT : fit > SEDGE_POINT_BATCH ? SEDGE_POINT_BATCH : (int)fit;
}

sedge_status sedge_point_recorder_create(sedge_point_recorder **out,
                                         const sedge_output_context *context,
                                         const sedge_sample *sample,
                                         const sedge_monitor_point *points, int count, int most)
{
    const int fields = context->problem->equation->fields;
    sedge_point_recorder *recorder = NULL;
    int64_t largest = count;
    sedge_status status = sedge_allocate(&recorder, 1, sizeof *recorder);

    *out = NULL;
    sedge_comm_max_int(context->comm, &largest, 1);
    if (status == SEDGE_OK) {
        recorder->source = sedge_sample_get_source(sample);
        recorder->points = count;
        recorder->fields = fields;
        recorder->nodes = context->element->nodes;
        recorder->capacity = most > 0 ? most : sedge_point_recorder_fit((double)largest, fields);
        status = create_points(recorder, points);
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
    sedge_release(recorder->values);
    sedge_release(recorder);
}

int sedge_point_recorder_capacity(const sedge_point_recorder *recorder)
{
    return recorder->capacity;
}

const sedge_sample_source *sedge_point_recorder_source(const sedge_point_recorder *recorder,
                                                       void **points)
{
    *points = recorder->on_device;
    return recorder->source;
}

sedge_status sedge_point_recorder_record(sedge_point_recorder *recorder)
{
    return recorder->source->record_points(recorder->on_device);
}

sedge_status sedge_point_recorder_fetch(sedge_point_recorder *recorder, const double **values)
{
    const int64_t numbers = (int64_t)recorder->capacity * recorder->points * recorder->fields;
    int samples;

    if (recorder->values == NULL)
        SEDGE_TRY(sedge_allocate(&recorder->values, numbers, sizeof *recorder->values));
    *values = recorder->values;
    return recorder->source->fetch_points(recorder->on_device, recorder->values, &samples);
}

void sedge_point_recorder_forget(sedge_point_recorder *recorder)
{
    recorder->source->forget_points(recorder->on_device);
}
