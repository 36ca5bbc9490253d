#include "evolve/probes.h"

#include "base/memory.h"
#include "dg/dense.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"

#include <string.h>

struct sedge_probes {
    sedge_operator *op;
    const operator_fields *fields; // steps change which of its buffers is the current one
    int count;
    int capacity; // samples that the ring holds
    int recorded;
    sedge_buffer *slots, *weights;
    sedge_buffer *samples; // [capacity][count][fields]
};

// The weights of what the state is made of: of coefficients c with u = T c those of u times T.
static void turn_weights(const sedge_operator *op, double *out, const double *weights, int count)
{
    const int nodes = op->element->nodes;
    const bool nodal = op->layout.basis == SEDGE_NODAL;

    for (int i = 0; i < count; i++) {
        const double *const from = weights + (int64_t)i * nodes;
        double *const to = out + (int64_t)i * nodes;
        if (nodal) {
            memcpy(to, from, (size_t)nodes * sizeof *to);
        } else {
            sedge_dense_multiply(to, from, false, op->bernstein->to_nodal, false, 1, nodes, nodes);
        }
    }
}

static sedge_status make_buffers(sedge_probes *probes, const int32_t *elements,
                                 const double *weights)
{
    const sedge_operator *const op = probes->op;
    const int count = probes->count;
    const int64_t numbers = (int64_t)count * op->element->nodes;
    const int64_t sample_bytes =
        (int64_t)count * op->problem->equation->fields * (int64_t)sizeof(double);
    int32_t *slots = NULL;
    double *turned = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&slots, count, sizeof *slots));
    for (int i = 0; i < count; i++) slots[i] = (int32_t)sedge_slot(&op->data.slots, elements[i]);
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&probes->slots, op->device, slots,
                                             count * (int64_t)sizeof *slots));
    SEDGE_TRY_GOTO(status, sedge_allocate(&turned, numbers, sizeof *turned));
    turn_weights(op, turned, weights, count);
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&probes->weights, op->device, turned,
                                             numbers * (int64_t)sizeof *turned));
    SEDGE_TRY_GOTO(
        status, sedge_buffer_create(&probes->samples, op->device, sample_bytes * probes->capacity));
done:
    sedge_release(slots);
    sedge_release(turned);
    return status;
}

sedge_status sedge_probes_create(sedge_probes **out, sedge_evolution *evolution, int count,
                                 const int32_t *elements, const double *weights, int capacity)
{
    sedge_status status = SEDGE_OK;
    sedge_probes *probes = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&probes, 1, sizeof *probes));
    *probes = (sedge_probes){.op = sedge_evolution_operator(evolution),
                             .fields = sedge_evolution_fields(evolution),
                             .count = count,
                             .capacity = capacity};
    if (count > 0) status = make_buffers(probes, elements, weights);
    if (status == SEDGE_OK) {
        *out = probes;
    } else {
        sedge_probes_free(probes);
    }
    return status;
}

void sedge_probes_free(sedge_probes *probes)
{
    if (probes == NULL) return;
    // What failed before stays the message: a wait that fails too has nothing to add.
    (void)!sedge_stream_wait(probes->op->main);
    sedge_buffer_free(probes->slots);
    sedge_buffer_free(probes->weights);
    sedge_buffer_free(probes->samples);
    sedge_release(probes);
}

sedge_status sedge_probes_record(sedge_probes *probes)
{
    sedge_operator *const op = probes->op;
    int64_t values = (int64_t)probes->count * op->problem->equation->fields;

    if (probes->recorded == probes->capacity) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "more than %d probe samples before a fetch",
                          probes->capacity);
    }
    if (probes->count > 0) {
        uint64_t u = sedge_buffer_address(probes->fields->u[0]);
        uint64_t slots = sedge_buffer_address(probes->slots);
        uint64_t weights = sedge_buffer_address(probes->weights);
        uint64_t samples = sedge_buffer_address(probes->samples) +
                           (uint64_t)(probes->recorded * values * (int64_t)sizeof(double));
        void *const arguments[] = {&u, &slots, &weights, &samples, &values};
        SEDGE_TRY(operator_launch(&op->launcher, KERNEL_PROBE, op->main,
                                  (values + SEDGE_MONITOR_THREADS - 1) / SEDGE_MONITOR_THREADS,
                                  SEDGE_MONITOR_THREADS, arguments, 5));
    }
    probes->recorded++;
    return SEDGE_OK;
}

sedge_status sedge_probes_fetch(sedge_probes *probes, double *values, int *samples)
{
    const sedge_operator *const op = probes->op;
    const int64_t bytes = (int64_t)probes->recorded * probes->count *
                          op->problem->equation->fields * (int64_t)sizeof(double);

    *samples = probes->recorded;
    probes->recorded = 0;
    if (bytes == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_stream_wait(op->main));
    return sedge_buffer_download(probes->samples, 0, values, bytes, NULL);
}
