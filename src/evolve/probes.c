#include "evolve/probes.h"

#include "base/memory.h"
#include "dg/dense.h"
#include "forms/target.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"

#include <string.h>

struct sedge_probes {
    sedge_evolution *evolution;
    sedge_operator *op;
    const operator_fields *fields; // steps change which of its buffers is the current one
    int count;
    int capacity; // samples that the ring holds
    int recorded;
    sedge_buffer *slots, *rows; // [count]
    sedge_buffer *weights;      // [rows][nodes]
    // [count] places in `matrices` [][3][3], or -1; NULL: the state has no covariant components.
    sedge_buffer *matrix_places, *matrices;
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

// The slots and the rows of the points.
static sedge_status upload_places(sedge_probes *probes, const sedge_probe_points *points)
{
    const sedge_operator *const op = probes->op;
    const int64_t bytes = points->count * (int64_t)sizeof(int32_t);
    int32_t *list = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&list, points->count, sizeof *list));
    for (int i = 0; i < points->count; i++)
        list[i] = (int32_t)sedge_slot(&op->data.slots, points->elements[i]);
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&probes->slots, op->device, list, bytes));
    for (int i = 0; i < points->count; i++) list[i] = points->rows != NULL ? points->rows[i] : i;
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&probes->rows, op->device, list, bytes));
done:
    sedge_release(list);
    return status;
}

// Of points in elements that need it, what takes the state's vectors to the equation's.
static sedge_status upload_matrices(sedge_probes *probes, const sedge_probe_points *points)
{
    const sedge_operator *const op = probes->op;
    const int64_t count = points->count;
    double(*matrices)[3][3] = NULL;
    int32_t *list = NULL;
    int32_t found = 0;
    sedge_status status;

    if (!sedge_cubature_state_is_covariant(op->problem)) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&matrices, count, sizeof *matrices));
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, count, sizeof *list));
    for (int i = 0; i < count; i++) {
        const int row = points->rows != NULL ? points->rows[i] : i;
        double place[3];
        list[i] = -1;
        if (!operator_view_needed(op, points->elements[i])) continue;
        sedge_element_place(op->element, points->weights + (int64_t)row * op->element->nodes, 1,
                            place);
        list[i] = found;
        operator_view_matrix(matrices[found++], op, points->elements[i], place);
    }
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&probes->matrix_places, op->device, list,
                                             count * (int64_t)sizeof *list));
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&probes->matrices, op->device, matrices,
                                             (found > 0 ? found : 1) * (int64_t)sizeof *matrices));
done:
    sedge_release(matrices);
    sedge_release(list);
    return status;
}

static sedge_status make_buffers(sedge_probes *probes, const sedge_probe_points *points)
{
    const sedge_operator *const op = probes->op;
    const int64_t numbers = (int64_t)points->row_count * op->element->nodes;
    const int64_t sample_bytes =
        (int64_t)points->count * op->problem->equation->fields * (int64_t)sizeof(double);
    double *turned = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, upload_places(probes, points));
    SEDGE_TRY_GOTO(status, upload_matrices(probes, points));
    SEDGE_TRY_GOTO(status, sedge_allocate(&turned, numbers, sizeof *turned));
    turn_weights(op, turned, points->weights, points->row_count);
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&probes->weights, op->device, turned,
                                             numbers * (int64_t)sizeof *turned));
    SEDGE_TRY_GOTO(
        status, sedge_buffer_create(&probes->samples, op->device, sample_bytes * probes->capacity));
done:
    sedge_release(turned);
    return status;
}

sedge_status sedge_probes_create(sedge_probes **out, sedge_evolution *evolution,
                                 const sedge_probe_points *points, int capacity)
{
    sedge_status status = SEDGE_OK;
    sedge_probes *probes = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&probes, 1, sizeof *probes));
    *probes = (sedge_probes){.evolution = evolution,
                             .op = sedge_evolution_operator(evolution),
                             .fields = sedge_evolution_fields(evolution),
                             .count = points->count,
                             .capacity = capacity};
    if (points->count > 0) status = make_buffers(probes, points);
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
    sedge_buffer_free(probes->rows);
    sedge_buffer_free(probes->weights);
    sedge_buffer_free(probes->matrix_places);
    sedge_buffer_free(probes->matrices);
    sedge_buffer_free(probes->samples);
    sedge_release(probes);
}

sedge_status sedge_probes_record(sedge_probes *probes)
{
    sedge_operator *const op = probes->op;
    const int fields = op->problem->equation->fields;
    const bool host = operator_is_host_form(sedge_device_get_info(op->device));
    int64_t values = (int64_t)probes->count * fields;
    const int64_t each = (int64_t)SEDGE_MONITOR_THREADS * (host ? fields : 1); // values a block

    if (probes->recorded == probes->capacity) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "more than %d probe samples before a fetch",
                          probes->capacity);
    }
    if (probes->count > 0) {
        uint64_t u = sedge_buffer_address(probes->fields->u[0]);
        uint64_t slots = sedge_buffer_address(probes->slots);
        uint64_t rows = sedge_buffer_address(probes->rows);
        uint64_t weights = sedge_buffer_address(probes->weights);
        uint64_t samples = sedge_buffer_address(probes->samples) +
                           (uint64_t)(probes->recorded * values * (int64_t)sizeof(double));
        const bool covariant = probes->matrices != NULL;
        uint64_t places = covariant ? sedge_buffer_address(probes->matrix_places) : 0;
        uint64_t matrices = covariant ? sedge_buffer_address(probes->matrices) : 0;
        void *const arguments[] = {&u,       &slots,  &rows,   &weights,
                                   &samples, &values, &places, &matrices};
        SEDGE_TRY(operator_launch(&op->launcher, KERNEL_PROBE, op->main, (values + each - 1) / each,
                                  SEDGE_MONITOR_THREADS, arguments, covariant ? 8 : 6));
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
    if (bytes == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_stream_wait(op->main));
    return sedge_buffer_download(probes->samples, 0, values, bytes, NULL);
}

void sedge_probes_forget(sedge_probes *probes)
{
    probes->recorded = 0;
}

sedge_probe_ring sedge_probes_ring(const sedge_probes *probes)
{
    return (sedge_probe_ring){.evolution = probes->evolution,
                              .count = probes->count,
                              .capacity = probes->capacity,
                              .recorded = probes->recorded,
                              .samples = probes->samples};
}
