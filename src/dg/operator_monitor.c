#include "dg/dense.h"
#include "dg/operator_internal.h"

#include <string.h>

// ---- point sources -----------------------------------------------------------------------------

// Divide by J what was projected; on curved elements by the weight-adjusted mass matrix.
static sedge_status divide(const sedge_operator *op, int32_t element, double *x)
{
    const int64_t points = op->curved.cut.points;
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

// Weights [nodes][fields] of what a unit source at (r,s,t) of `element` adds to u_t: the projection
// of a point, V V^T l / J, in the state's basis, times the kind's field weights.
static sedge_status make_weights(sedge_operator *op, operator_point *point, int32_t element,
                                 const double rst[3], const double *field_weights)
{
    const int nodes = op->element->nodes;
    const int fields = op->problem->equation->fields;
    const int64_t bytes = (int64_t)nodes * fields * op->layout.real_bytes;
    sedge_status status;
    double *delta = NULL;
    double *modes = NULL;
    void *weights = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&delta, nodes, sizeof *delta));
    SEDGE_TRY_GOTO(status, sedge_allocate(&modes, nodes, sizeof *modes));
    SEDGE_TRY_GOTO(status, sedge_allocate(&weights, bytes, 1));
    sedge_element_modes(op->element, rst[0], rst[1], rst[2], modes);
    for (int n = 0; n < nodes; n++) { // V V^T l = V psi(x0)
        for (int j = 0; j < nodes; j++)
            delta[n] += op->element->vandermonde[n * nodes + j] * modes[j];
    }
    SEDGE_TRY_GOTO(status, divide(op, element, delta));
    operator_convert(op, op->layout.basis, SEDGE_NODAL, delta, modes, 1);
    for (int n = 0; n < nodes; n++) {
        for (int f = 0; f < fields; f++) {
            operator_put(op, weights, (int64_t)n * fields + f, field_weights[f] * delta[n]);
        }
    }
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&point->weights, op->device, bytes));
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(point->weights, 0, weights, bytes, NULL));
done:
    sedge_release(delta);
    sedge_release(modes);
    sedge_release(weights);
    return status;
}

static sedge_status add_point(sedge_operator *op, const sedge_point_source *source, int32_t element,
                              const double rst[3])
{
    double field_weights[SEDGE_MAX_FIELDS] = {0.0};
    operator_point *const point = &op->point[op->points];

    source->kind->point(source->parameters, op->problem->materials[op->mesh->group[element]],
                        field_weights);
    point->slot = operator_slot(op, element);
    SEDGE_TRY(sedge_buffer_create(&point->signal, op->device, sizeof source->signal));
    SEDGE_TRY(sedge_buffer_upload(point->signal, 0, source->signal, sizeof source->signal, NULL));
    SEDGE_TRY(make_weights(op, point, element, rst, field_weights));
    op->points++;
    return SEDGE_OK;
}

sedge_status operator_points_create(sedge_operator *op)
{
    const sedge_problem *const problem = op->problem;
    sedge_status status = SEDGE_OK;
    sedge_point_place *places = NULL;

    SEDGE_TRY(sedge_comm_agree(
        op->comm, sedge_allocate(&op->point, problem->point_source_count, sizeof *op->point)));
    SEDGE_TRY(sedge_problem_find_points(&places, op->comm, op->mesh, problem));
    for (int i = 0; i < problem->point_source_count && status == SEDGE_OK; i++) {
        const sedge_point_source *const source = &problem->point_sources[i];
        if (places[i].owner < 0) status = sedge_problem_point_outside(source);
        if (places[i].element >= 0)
            status = add_point(op, source, places[i].element, places[i].rst);
    }
    sedge_release(places);
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
