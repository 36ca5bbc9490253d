#include "evolve/point_sources.h"

#include "base/memory.h"
#include "dg/dense.h"
#include "dg/point.h"
#include "dg/response.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/scalar.h"

// A point source on this rank: the elements on which it acts.
typedef struct point_source {
    int batches;           // SIMD batches that have such elements
    sedge_buffer *batch;   // [batches] their indices
    sedge_buffer *weights; // [batches][nodes][fields][lanes]
    sedge_buffer *signal;
} point_source;

struct evolve_point_sources {
    sedge_operator *op;
    int count;
    point_source *source; // [count]
};

// ---- creation ----------------------------------------------------------------------------------

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
// the kind's field weights. They go to `place` of weights [batches][nodes][fields][lanes]; `work`
// has 2 nodes entries.
static sedge_status put_weights(sedge_operator *op, void *weights, int place,
                                const sedge_point_source *source, int32_t element,
                                const double *modes, double *work)
{
    const int nodes = op->element->nodes;
    const int fields = op->problem->equation->fields;
    const int lanes = op->layout.lanes;
    const int lane = (int)(sedge_slot(&op->data.slots, element) % lanes);
    double field_weights[SEDGE_MAX_FIELDS] = {0.0};

    source->kind->point(source->parameters, op->problem->materials[op->mesh->group[element]],
                        field_weights);
    sedge_response_multiply(op->problem, op->mesh->group[element], field_weights);
    sedge_dense_multiply(work, op->element->vandermonde, false, modes, false, nodes, nodes, 1);
    SEDGE_TRY(divide(op, element, work));
    operator_convert(op, op->layout.basis, SEDGE_NODAL, work, work + nodes, 1);
    for (int n = 0; n < nodes; n++) {
        for (int f = 0; f < fields; f++) {
            sedge_real_put(weights, op->layout.real_bytes,
                           (((int64_t)place * nodes + n) * fields + f) * lanes + lane,
                           field_weights[f] * work[n]);
        }
    }
    return SEDGE_OK;
}

// The place of `one` among the `count` first of `batch`, where it is put if it is new.
static int find_batch(int64_t *batch, int *count, int64_t one)
{
    int i = 0;

    while (i < *count && batch[i] != one) i++;
    if (i == *count) batch[(*count)++] = one;
    return i;
}

// A point source with its shares on this rank, which are `count`.
static sedge_status add_source(evolve_point_sources *sources, const sedge_point_source *source,
                               const sedge_point_share *shares, const double *modes, int count)
{
    sedge_operator *const op = sources->op;
    const int nodes = op->element->nodes;
    const int64_t batch_bytes =
        (int64_t)nodes * op->problem->equation->fields * op->layout.lanes * op->layout.real_bytes;
    point_source *const point = &sources->source[sources->count++];
    sedge_status status;
    int64_t *batch = NULL;
    double *work = NULL;
    void *weights = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&batch, count, sizeof *batch));
    SEDGE_TRY_GOTO(status, sedge_allocate(&work, 2 * (int64_t)nodes, sizeof *work));
    SEDGE_TRY_GOTO(status, sedge_allocate(&weights, count * batch_bytes, 1));
    for (int i = 0; i < count; i++) {
        const int place =
            find_batch(batch, &point->batches,
                       sedge_slot(&op->data.slots, shares[i].element) / op->layout.lanes);
        SEDGE_TRY_GOTO(status, put_weights(op, weights, place, source, shares[i].element,
                                           modes + (int64_t)i * nodes, work));
    }
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&point->batch, op->device, batch,
                                             point->batches * (int64_t)sizeof *batch));
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&point->weights, op->device, weights,
                                             point->batches * batch_bytes));
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&point->signal, op->device, source->signal,
                                             sizeof source->signal));
done:
    sedge_release(batch);
    sedge_release(work);
    sedge_release(weights);
    return status;
}

static sedge_status add_sources(evolve_point_sources *sources)
{
    const sedge_operator *const op = sources->op;
    const sedge_problem *const problem = op->problem;
    sedge_status status = SEDGE_OK;
    sedge_points points;

    SEDGE_TRY(sedge_points_create(&points, op->comm, op->element, op->mesh, problem));
    status = sedge_allocate(&sources->source, problem->point_source_count, sizeof *sources->source);
    for (int first = 0, next = 0; first < points.count && status == SEDGE_OK; first = next) {
        const int source = points.share[first].source;
        while (next < points.count && points.share[next].source == source) next++;
        status = add_source(sources, &problem->point_sources[source], points.share + first,
                            points.modes + (int64_t)first * op->element->nodes, next - first);
    }
    sedge_points_clear(&points);
    return sedge_comm_agree(op->comm, status);
}

sedge_status evolve_point_sources_create(evolve_point_sources **out, sedge_operator *op)
{
    evolve_point_sources *sources = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_comm_agree(op->comm, sedge_allocate(&sources, 1, sizeof *sources)));
    sources->op = op;
    const sedge_status status = add_sources(sources);
    if (status == SEDGE_OK) {
        *out = sources;
    } else {
        evolve_point_sources_free(sources);
    }
    return status;
}

void evolve_point_sources_free(evolve_point_sources *sources)
{
    if (sources == NULL) return;
    for (int i = 0; i < sources->count; i++) {
        sedge_buffer_free(sources->source[i].batch);
        sedge_buffer_free(sources->source[i].weights);
        sedge_buffer_free(sources->source[i].signal);
    }
    sedge_release(sources->source);
    sedge_release(sources);
}

// ---- a stage -----------------------------------------------------------------------------------

sedge_status evolve_point_sources_add(const evolve_point_sources *sources,
                                      const operator_fields *fields, const sedge_stage *stage)
{
    sedge_operator *const op = sources->op;
    uint64_t next = sedge_buffer_address(fields->u[1]);
    uint64_t residual = sedge_buffer_address(fields->residual);
    uint64_t clock = sedge_buffer_address(fields->clock);
    double delay = stage->delay;
    double dt = stage->dt;
    operator_real b = operator_scalar(op, stage->b);

    for (int i = 0; i < sources->count; i++) {
        const point_source *const source = &sources->source[i];
        uint64_t batch = sedge_buffer_address(source->batch);
        uint64_t weights = sedge_buffer_address(source->weights);
        uint64_t signal = sedge_buffer_address(source->signal);
        void *const arguments[] = {&next,  &residual, &weights, &batch, &signal,
                                   &clock, &delay,    &dt,      &b};
        SEDGE_TRY(operator_launch(&op->launcher, KERNEL_POINT, op->main, source->batches,
                                  SEDGE_MONITOR_THREADS, arguments, 9));
    }
    return SEDGE_OK;
}
