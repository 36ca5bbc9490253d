// A monitor of the tests that has points: the mean of the nodal values in each rank's first
// element, which comes in batches, must be that of the fields at the end of the same step. The run
// fails if it is not. It writes no file.
#include "dg/monitor_kind.h"

#include "base/memory.h"
#include "monitor/output_context.h"
#include "monitor/sample.h"

#include <math.h>

#define KEPT 64 // steps; more are not due before all monitors are flushed

// Of fields of size 1: a thousand roundings, for the device may have another basis.
#define TOLERANCE 1e-12

typedef struct mean {
    const sedge_output_context *context;
    int64_t every;
    int kept;
    double times[KEPT];
    double fields[KEPT][SEDGE_MAX_FIELDS];
    double *weights; // [nodes]
    sedge_monitor_point point;
} mean;

static void release(void *what)
{
    mean *const monitor = what;

    if (monitor == NULL) return;
    sedge_release(monitor->weights);
    sedge_release(monitor);
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const struct json_t *memory)
{
    const int nodes = context->element->nodes;
    mean *monitor = NULL;
    sedge_status status = sedge_allocate(&monitor, 1, sizeof *monitor);

    (void)memory;
    *out = NULL;
    if (status == SEDGE_OK) status = sedge_allocate(&monitor->weights, nodes, sizeof(double));
    if (status == SEDGE_OK) {
        monitor->context = context;
        monitor->every = (int64_t)parameters[0];
        for (int n = 0; n < nodes; n++) monitor->weights[n] = 1.0 / nodes;
        monitor->point.weights = monitor->weights;
    }
    status = sedge_comm_agree(context->comm, status);
    if (status == SEDGE_OK) {
        *out = monitor;
    } else {
        release(monitor);
    }
    return status;
}

static bool due(const void *what, int64_t step)
{
    return step % ((const mean *)what)->every == 0;
}

static sedge_status record(void *what, sedge_sample *sample)
{
    mean *const monitor = what;
    const int fields = monitor->context->problem->equation->fields;
    const int nodes = monitor->context->element->nodes;
    const double *u;

    SEDGE_TRY(sedge_sample_fields(sample, &u));
    if (monitor->kept == KEPT) return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "mean: nothing is received");
    for (int f = 0; f < fields; f++) {
        double sum = 0.0;

        for (int n = 0; n < nodes; n++) sum += u[f * nodes + n];
        monitor->fields[monitor->kept][f] = sum / nodes;
    }
    monitor->times[monitor->kept++] = sedge_sample_time(sample);
    return SEDGE_OK;
}

static const sedge_monitor_point *get_points(const void *what, int *count)
{
    *count = 1;
    return &((const mean *)what)->point;
}

static sedge_status receive(void *what, int samples, const int64_t *steps, const double *times,
                            const double *values)
{
    mean *const monitor = what;
    const int fields = monitor->context->problem->equation->fields;
    sedge_status status = SEDGE_OK;

    (void)steps;
    if (samples != monitor->kept)
        status = SEDGE_FAIL(SEDGE_ERR_INTERNAL, "mean: %d samples of %d", samples, monitor->kept);
    for (int s = 0; s < samples && status == SEDGE_OK; s++) {
        double worst = times[s] != monitor->times[s] ? 1.0 : 0.0;
        double size = 0.0;

        for (int f = 0; f < fields; f++) {
            worst = fmax(worst, fabs(values[s * fields + f] - monitor->fields[s][f]));
            size = fmax(size, fabs(monitor->fields[s][f]));
        }
        if (!(worst <= TOLERANCE && size > 0.01)) {
            status = SEDGE_FAIL(SEDGE_ERR_INTERNAL, "mean: sample %d of size %g is wrong by %g", s,
                                size, worst);
        }
    }
    monitor->kept = 0;
    return sedge_comm_agree(monitor->context->comm, status);
}

static sedge_status save(const void *what, struct json_t *memory)
{
    const mean *const monitor = what;

    (void)memory;
    return monitor->kept == 0 ? SEDGE_OK : SEDGE_FAIL(SEDGE_ERR_INTERNAL, "mean: some are missing");
}

static const sedge_parameter parameters[] = {{.name = "every",
                                              .type = SEDGE_PARAMETER_INTEGER,
                                              .fallback = {1.0},
                                              .minimum = 1.0,
                                              .maximum = 1e9,
                                              .text = "steps between samples"}};

extern const sedge_monitor_kind sedge_monitor_mean;
const sedge_monitor_kind sedge_monitor_mean = {
    .name = "mean",
    .text = "compares fields at points with the fields",
    .parameters = parameters,
    .parameter_count = 1,
    .create = create,
    .due = due,
    .sample = record,
    .points = get_points,
    .receive = receive,
    .save = save,
    .free = release,
};
