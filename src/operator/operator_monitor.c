#include "dg/dense.h"
#include "dg/point.h"
#include "operator/operator_internal.h"

#include <string.h>

// ---- point sources -----------------------------------------------------------------------------

// Divide by J what was projected; on curved elements by the weight-adjusted mass matrix.
static sedge_status divide(const sedge_operator *op, int32_t element, double *x)
{
    const int64_t points = op->curved.config.points;
    double *jacobian = NULL;

    if (sedge_mesh_curve(op->mesh, element) < 0) {
        sedge_geometry geometry;
        sedge_geometry_compute(&geometry, op->mesh->corners[element]);
        for (int n = 0; n < op->element->nodes; n++) x[n] /= geometry.jacobian;
        return SEDGE_OK;
    }
    SEDGE_TRY(sedge_allocate(&jacobian, 2 * points, sizeof *jacobian));
    sedge_cubature_jacobian(op->curved.cubature, op->mesh, element, jacobian);
    sedge_cubature_divide(op->curved.cubature, jacobian, x, jacobian + points);
    sedge_release(jacobian);
    return SEDGE_OK;
}

// Weights of what a unit source adds to u_t in an element: V modes / J in the state's basis, times
// the kind's field weights. They go to `block` of weights [blocks][nodes][fields][lanes]; `work`
// has 2 nodes entries.
static sedge_status put_weights(sedge_operator *op, void *weights, int block,
                                const sedge_point_source *source, int32_t element,
                                const double *modes, double *work)
{
    const int nodes = op->element->nodes;
    const int fields = op->problem->equation->fields;
    const int lanes = op->layout.lanes;
    const int lane = (int)(operator_slot(op, element) % lanes);
    double field_weights[SEDGE_MAX_FIELDS] = {0.0};

    source->kind->point(source->parameters, op->problem->materials[op->mesh->group[element]],
                        field_weights);
    sedge_dense_multiply(work, op->element->vandermonde, false, modes, false, nodes, nodes, 1);
    SEDGE_TRY(divide(op, element, work));
    operator_convert(op, op->layout.basis, SEDGE_NODAL, work, work + nodes, 1);
    for (int n = 0; n < nodes; n++) {
        for (int f = 0; f < fields; f++) {
            operator_put(op, weights, (((int64_t)block * nodes + n) * fields + f) * lanes + lane,
                         field_weights[f] * work[n]);
        }
    }
    return SEDGE_OK;
}

// The place of `value` among the `count` first of `values`, where it is put if it is new.
static int find_block(int64_t *values, int *count, int64_t value)
{
    int i = 0;

    while (i < *count && values[i] != value) i++;
    if (i == *count) values[(*count)++] = value;
    return i;
}

static sedge_status upload(sedge_buffer **out, const sedge_operator *op, const void *data,
                           int64_t bytes)
{
    SEDGE_TRY(sedge_buffer_create(out, op->device, bytes));
    return sedge_buffer_upload(*out, 0, data, bytes, NULL);
}

// A point source with its shares on this rank, which are `count`.
static sedge_status add_point(sedge_operator *op, const sedge_point_source *source,
                              const sedge_point_share *shares, const double *modes, int count)
{
    const int nodes = op->element->nodes;
    const int64_t block_bytes =
        (int64_t)nodes * op->problem->equation->fields * op->layout.lanes * op->layout.real_bytes;
    operator_point *const point = &op->point[op->points++];
    sedge_status status;
    int64_t *values = NULL;
    double *work = NULL;
    void *weights = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&values, count, sizeof *values));
    SEDGE_TRY_GOTO(status, sedge_allocate(&work, 2 * (int64_t)nodes, sizeof *work));
    SEDGE_TRY_GOTO(status, sedge_allocate(&weights, count * block_bytes, 1));
    for (int i = 0; i < count; i++) {
        const int block = find_block(values, &point->blocks,
                                     operator_slot(op, shares[i].element) / op->layout.lanes);
        SEDGE_TRY_GOTO(status, put_weights(op, weights, block, source, shares[i].element,
                                           modes + (int64_t)i * nodes, work));
    }
    SEDGE_TRY_GOTO(status,
                   upload(&point->values, op, values, point->blocks * (int64_t)sizeof *values));
    SEDGE_TRY_GOTO(status, upload(&point->weights, op, weights, point->blocks * block_bytes));
    SEDGE_TRY_GOTO(status, upload(&point->signal, op, source->signal, sizeof source->signal));
done:
    sedge_release(values);
    sedge_release(work);
    sedge_release(weights);
    return status;
}

sedge_status operator_points_create(sedge_operator *op)
{
    const sedge_problem *const problem = op->problem;
    sedge_status status = SEDGE_OK;
    sedge_points points;

    SEDGE_TRY(sedge_points_create(&points, op->comm, op->element, op->mesh, problem));
    status = sedge_allocate(&op->point, problem->point_source_count, sizeof *op->point);
    for (int first = 0, next = 0; first < points.count && status == SEDGE_OK; first = next) {
        const int source = points.share[first].source;
        while (next < points.count && points.share[next].source == source) next++;
        status = add_point(op, &problem->point_sources[source], points.share + first,
                           points.modes + (int64_t)first * op->element->nodes, next - first);
    }
    sedge_points_clear(&points);
    return sedge_comm_agree(op->comm, status);
}

// ---- energy ------------------------------------------------------------------------------------

sedge_status sedge_operator_energy(sedge_operator *op, double *energy)
{
    uint64_t u = sedge_buffer_address(op->data.u[0]);
    uint64_t out = sedge_buffer_address(op->data.energy);
    uint64_t mass = sedge_buffer_address(op->mass);
    uint64_t half_jacobian = sedge_buffer_address(op->data.half_jacobian);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t weights = sedge_buffer_address(op->energy_weights);
    void *const arguments[] = {&u, &out, &mass, &half_jacobian, &material, &weights};
    sedge_status status;
    double *slots = NULL;

    SEDGE_TRY(sedge_allocate(&slots, op->layout.slots, sizeof *slots));
    SEDGE_TRY_GOTO(status, operator_launch(op, KERNEL_ENERGY, op->main, op->layout.values,
                                           SEDGE_MONITOR_THREADS, arguments, 6));
    SEDGE_TRY_GOTO(status, operator_run_curved_energy(op));
    SEDGE_TRY_GOTO(status, sedge_stream_wait(op->main));
    SEDGE_TRY_GOTO(status, sedge_buffer_download(op->data.energy, 0, slots,
                                                 op->layout.slots * (int64_t)sizeof *slots, NULL));
    for (int32_t e = 0; e < op->mesh->elements; e++) energy[e] = slots[operator_slot(op, e)];
done:
    sedge_release(slots);
    return status;
}

// ---- probes ------------------------------------------------------------------------------------

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

sedge_status sedge_operator_set_probes(sedge_operator *op, int count, const int32_t *elements,
                                       const double *weights, int capacity)
{
    const int nodes = op->element->nodes;
    const int64_t sample_bytes =
        (int64_t)count * op->problem->equation->fields * (int64_t)sizeof(double);
    int32_t *slots = NULL;
    double *turned = NULL;
    sedge_status status;

    op->probes = count;
    op->capacity = capacity;
    if (count == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&slots, count, sizeof *slots));
    for (int i = 0; i < count; i++) slots[i] = (int32_t)operator_slot(op, elements[i]);
    SEDGE_TRY_GOTO(
        status, sedge_buffer_create(&op->probe_slots, op->device, count * (int64_t)sizeof *slots));
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(op->probe_slots, 0, slots,
                                               count * (int64_t)sizeof *slots, NULL));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&op->probe_weights, op->device,
                                               (int64_t)count * nodes * (int64_t)sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&turned, (int64_t)count * nodes, sizeof *turned));
    turn_weights(op, turned, weights, count);
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_upload(op->probe_weights, 0, turned,
                                       (int64_t)count * nodes * (int64_t)sizeof(double), NULL));
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_create(&op->probe_samples, op->device, sample_bytes * capacity));
done:
    sedge_release(slots);
    sedge_release(turned);
    return status;
}

sedge_status sedge_operator_record_probes(sedge_operator *op)
{
    int64_t values = (int64_t)op->probes * op->problem->equation->fields;

    if (op->recorded == op->capacity) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "more than %d probe samples before a fetch",
                          op->capacity);
    }
    if (op->probes > 0) {
        uint64_t u = sedge_buffer_address(op->data.u[0]);
        uint64_t slots = sedge_buffer_address(op->probe_slots);
        uint64_t weights = sedge_buffer_address(op->probe_weights);
        uint64_t samples = sedge_buffer_address(op->probe_samples) +
                           (uint64_t)(op->recorded * values * (int64_t)sizeof(double));
        void *const arguments[] = {&u, &slots, &weights, &samples, &values};
        SEDGE_TRY(operator_launch(op, KERNEL_PROBE, op->main,
                                  (values + SEDGE_MONITOR_THREADS - 1) / SEDGE_MONITOR_THREADS,
                                  SEDGE_MONITOR_THREADS, arguments, 5));
    }
    op->recorded++;
    return SEDGE_OK;
}

sedge_status sedge_operator_fetch_probes(sedge_operator *op, double *values, int *samples)
{
    const int64_t bytes = (int64_t)op->recorded * op->probes * op->problem->equation->fields *
                          (int64_t)sizeof(double);

    *samples = op->recorded;
    op->recorded = 0;
    if (bytes == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_stream_wait(op->main));
    return sedge_buffer_download(op->probe_samples, 0, values, bytes, NULL);
}
