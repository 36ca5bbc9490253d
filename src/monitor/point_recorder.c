#include "point_recorder.h"

#include "base/memory.h"

#include <string.h>

struct sedge_point_recorder {
    const sedge_sample_source *source;
    int points, fields, nodes;
    int recorded;      // samples that wait to be fetched
    int32_t *elements; // [points]
    double *weights;   // [points][nodes]
    double *values;    // [SEDGE_POINT_BATCH][points][fields]
};

sedge_status sedge_point_recorder_create(sedge_point_recorder **out,
                                         const sedge_output_context *context,
                                         const sedge_sample *sample,
                                         const sedge_monitor_point *points, int count)
{
    const sedge_sample_source *const source = sedge_sample_get_source(sample);
    const int nodes = context->element->nodes;
    const int fields = context->problem->equation->fields;
    sedge_point_recorder *recorder = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&recorder, 1, sizeof *recorder));
    recorder->source = source;
    recorder->points = count;
    recorder->fields = fields;
    recorder->nodes = nodes;
    SEDGE_TRY_GOTO(status, sedge_allocate(&recorder->elements, count, sizeof(int32_t)));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&recorder->weights, (int64_t)count * nodes, sizeof(double)));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&recorder->values, (int64_t)SEDGE_POINT_BATCH * count * fields,
                                  sizeof(double)));
    for (int i = 0; i < count; i++) {
        recorder->elements[i] = points[i].element;
        memcpy(recorder->weights + (int64_t)i * nodes, points[i].weights,
               (size_t)nodes * sizeof(double));
    }
    if (source->set_points != NULL) {
        SEDGE_TRY_GOTO(status, source->set_points(source->solver, count, recorder->elements,
                                                  recorder->weights, SEDGE_POINT_BATCH));
    }
    *out = recorder;
    recorder = NULL;
done:
    sedge_point_recorder_free(recorder);
    return status;
}

void sedge_point_recorder_free(sedge_point_recorder *recorder)
{
    if (recorder == NULL) return;
    sedge_release(recorder->elements);
    sedge_release(recorder->weights);
    sedge_release(recorder->values);
    sedge_release(recorder);
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
    const sedge_sample_source *const source = recorder->source;

    if (recorder->recorded == SEDGE_POINT_BATCH) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "more than %d samples of points before a fetch",
                          SEDGE_POINT_BATCH);
    }
    SEDGE_TRY(source->record_points != NULL ? source->record_points(source->solver)
                                            : interpolate(recorder, sample));
    recorder->recorded++;
    return SEDGE_OK;
}

sedge_status sedge_point_recorder_fetch(sedge_point_recorder *recorder, const double **values)
{
    const sedge_sample_source *const source = recorder->source;
    int samples = recorder->recorded;

    *values = recorder->values;
    if (source->fetch_points != NULL)
        SEDGE_TRY(source->fetch_points(source->solver, recorder->values, &samples));
    recorder->recorded = 0;
    return SEDGE_OK;
}
