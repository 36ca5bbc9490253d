#include "evolve/point_sources.h"

#include "base/memory.h"
#include "dg/dense.h"
#include "dg/point.h"
#include "dg/predictor.h"
#include "dg/reference.h"
#include "dg/response.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/scalar.h"

#include <math.h>
#include <string.h>

// A point source on this rank: the elements of a level of the time step on which it acts.
typedef struct point_source {
    int level;
    int batches;           // SIMD batches that have such elements
    sedge_buffer *batch;   // [batches] their indices
    sedge_buffer *weights; // [1 + powers][batches][nodes][fields][lanes]: (scale L)^k g, and
                           // behind these with `acts` what the equation's source makes of them
    double scale;          // about a step of the elements, so that the powers have one size
    sedge_buffer *signal;
} point_source;

struct evolve_point_sources {
    sedge_operator *op;
    int powers; // of L, for integrators with `predictor`; else 0
    bool acts;  // the equation's source acts on the prediction, which sees no point sources
    int count;
    point_source *source; // [count]
};

// What the weights of one source are made with.
typedef struct weights_job {
    sedge_operator *op;
    int powers;
    bool acts;                  // see evolve_point_sources
    sedge_reference *reference; // for L; NULL: no powers
    double *u;                  // [elements][fields][nodes], few of which are touched
    double *rhs;                // [fields][nodes], then room for 2 nodes
    int batches;                // in `weights`
    double scale;               // see point_source
    void *weights;
} weights_job;

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

// g [fields][nodes], what a unit source adds to u_t in an element: V modes / J times the kind's
// field weights, at the nodes. `work` has `nodes` entries.
static sedge_status find_shape(double *g, sedge_operator *op, const sedge_point_source *source,
                               int32_t element, const double *modes, double *work)
{
    const int nodes = op->element->nodes;
    double field_weights[SEDGE_MAX_FIELDS] = {0.0};

    source->kind->point(source->parameters, op->problem->materials[op->mesh->group[element]],
                        field_weights);
    sedge_response_multiply(op->problem, op->mesh->group[element], field_weights);
    sedge_dense_multiply(work, op->element->vandermonde, false, modes, false, nodes, nodes, 1);
    SEDGE_TRY(divide(op, element, work));
    for (int f = 0; f < op->problem->equation->fields; f++)
        for (int n = 0; n < nodes; n++) g[f * nodes + n] = field_weights[f] * work[n];
    return SEDGE_OK;
}

// Put g [fields][nodes], nodal, into row `row` of the weights [rows][nodes][fields][lanes] in the
// state's basis.
static void put_shape(const weights_job *job, int64_t row, int lane, const double *g, double *work)
{
    sedge_operator *const op = job->op;
    const int nodes = op->element->nodes;
    const int fields = op->problem->equation->fields;

    for (int f = 0; f < fields; f++) {
        memcpy(work, g + (int64_t)f * nodes, (size_t)nodes * sizeof *work);
        operator_convert(op, op->layout.basis, SEDGE_NODAL, work, work + nodes, 1);
        for (int n = 0; n < nodes; n++) {
            sedge_real_put(job->weights, op->layout.real_bytes,
                           ((row * nodes + n) * fields + f) * op->layout.lanes + lane, work[n]);
        }
    }
}

// out [fields][nodes], what the equation's source and matrices make of u in an element. Zero in a
// curved one, whose stage adds it.
static void find_action(double *out, const sedge_operator *op, const double *u, int32_t element)
{
    const sedge_problem *const problem = op->problem;
    const int group = op->mesh->group[element];
    const int nodes = op->element->nodes;

    for (int n = 0; n < nodes; n++) {
        double own[SEDGE_MAX_FIELDS];
        double rate[SEDGE_MAX_FIELDS] = {0.0};
        for (int f = 0; f < problem->equation->fields; f++) own[f] = u[f * nodes + n];
        if (sedge_mesh_curve(op->mesh, element) < 0) {
            problem->equation->source(own, problem->materials[group], problem->constants, rate);
            sedge_response_multiply(problem, group, rate);
        }
        for (int f = 0; f < problem->equation->fields; f++) out[f * nodes + n] = rate[f];
    }
}

// The weights of a source in one element, whose batch has `place`, with the powers of L.
static sedge_status put_weights(const weights_job *job, int place, const sedge_point_source *source,
                                int32_t element, const double *modes)
{
    sedge_operator *const op = job->op;
    const int64_t count = (int64_t)op->problem->equation->fields * op->element->nodes;
    const int lane = (int)(sedge_slot(&op->data.slots, element) % op->layout.lanes);
    double *const own = job->u + element * count;
    double *const work = job->rhs + count;

    SEDGE_TRY(find_shape(own, op, source, element, modes, work));
    for (int k = 0; k <= job->powers; k++) {
        put_shape(job, (int64_t)k * job->batches + place, lane, own, work);
        if (job->acts) {
            find_action(job->rhs, op, own, element);
            put_shape(job, (1LL + job->powers + k) * job->batches + place, lane, job->rhs, work);
        }
        if (k == job->powers) break;
        sedge_reference_local_of(job->reference, element, job->u, job->rhs);
        for (int64_t i = 0; i < count; i++) own[i] = job->scale * job->rhs[i];
    }
    return SEDGE_OK;
}

static sedge_status check_medium(const sedge_operator *op, int32_t element)
{
    const int group = op->mesh->group[element];
    const sedge_term *const term = sedge_predictor_refused_source(op->problem, group);

    if (term == NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "a point source in '%s', which has the term '%s': the integrator '%s' cannot "
                      "do this; choose time.integrator: lsrk45 or auto",
                      op->mesh->groups.volume_names[group], term->name,
                      op->problem->integrator->name);
}

// The place of `one` among the `count` first of `batch`, where it is put if it is new.
static int find_batch(int64_t *batch, int *count, int64_t one)
{
    int i = 0;

    while (i < *count && batch[i] != one) i++;
    if (i == *count) batch[(*count)++] = one;
    return i;
}

// A point source with its shares on this rank, which are `count`, of elements of one level.
static sedge_status add_source(evolve_point_sources *sources, weights_job *job,
                               const sedge_point_source *source, const sedge_point_share *shares,
                               const double *modes, int count, int level)
{
    sedge_operator *const op = sources->op;
    const int nodes = op->element->nodes;
    const int64_t batch_bytes =
        (int64_t)nodes * op->problem->equation->fields * op->layout.lanes * op->layout.real_bytes;
    point_source *const point = &sources->source[sources->count];
    sedge_status status = SEDGE_OK;
    int64_t *batch = NULL;
    int *place = NULL; // of each share's batch

    SEDGE_TRY_GOTO(status, sedge_allocate(&batch, count, sizeof *batch));
    SEDGE_TRY_GOTO(status, sedge_allocate(&place, count, sizeof *place));
    point->level = level;
    for (int i = 0; i < count; i++) {
        place[i] = -1;
        if (sedge_mesh_level(op->mesh, shares[i].element) != level) continue;
        if (job->powers > 0) SEDGE_TRY_GOTO(status, check_medium(op, shares[i].element));
        // A power of two: products have the same bits whichever of its elements this rank has.
        const double step = 1.0 / sedge_problem_rate(op->problem, op->mesh, shares[i].element);
        point->scale = ldexp(1.0, ilogb(step));
        place[i] = find_batch(batch, &point->batches,
                              sedge_slot(&op->data.slots, shares[i].element) / op->layout.lanes);
    }
    if (point->batches == 0) goto done; // its place is for the next one
    sources->count++;
    job->batches = point->batches;
    job->scale = point->scale;
    const int64_t bytes = (1LL + job->acts) * (1LL + job->powers) * point->batches * batch_bytes;
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->weights, bytes, 1));
    for (int i = 0; i < count; i++) {
        if (place[i] < 0) continue;
        SEDGE_TRY_GOTO(status, put_weights(job, place[i], source, shares[i].element,
                                           modes + (int64_t)i * nodes));
    }
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&point->batch, op->device, batch,
                                             point->batches * (int64_t)sizeof *batch));
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&point->weights, op->device, job->weights, bytes));
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&point->signal, op->device, source->signal,
                                             sizeof source->signal));
done:
    sedge_release(batch);
    sedge_release(place);
    sedge_release(job->weights);
    job->weights = NULL;
    return status;
}

static sedge_status start_job(weights_job *job, const evolve_point_sources *sources)
{
    sedge_operator *const op = sources->op;
    const int64_t count = (int64_t)op->problem->equation->fields * op->element->nodes;

    *job = (weights_job){.op = op, .powers = sources->powers, .acts = sources->acts};
    SEDGE_TRY(sedge_allocate_thin(&job->u, op->mesh->elements * count, sizeof *job->u));
    SEDGE_TRY(sedge_allocate(&job->rhs, count + 2LL * op->element->nodes, sizeof *job->rhs));
    if (job->powers == 0) return SEDGE_OK;
    return sedge_reference_create_alone(&job->reference, op->element, op->mesh, op->problem);
}

static void end_job(weights_job *job)
{
    const int64_t count = (int64_t)job->op->problem->equation->fields * job->op->element->nodes;

    sedge_release_thin(job->u, job->op->mesh->elements * count, sizeof *job->u);
    sedge_release(job->rhs);
    sedge_reference_free(job->reference);
}

static sedge_status add_sources(evolve_point_sources *sources)
{
    const sedge_operator *const op = sources->op;
    const sedge_problem *const problem = op->problem;
    const int levels = op->mesh->levels;
    sedge_points points;
    weights_job job;
    sedge_status status;

    SEDGE_TRY(sedge_points_create(&points, op->comm, op->element, op->mesh, problem));
    status = start_job(&job, sources);
    if (status == SEDGE_OK) {
        status = sedge_allocate(&sources->source, (int64_t)problem->point_source_count * levels + 1,
                                sizeof *sources->source);
    }
    for (int first = 0, next = 0; first < points.count && status == SEDGE_OK; first = next) {
        const int source = points.share[first].source;
        while (next < points.count && points.share[next].source == source) next++;
        for (int level = 0; level < levels && status == SEDGE_OK; level++) {
            status =
                add_source(sources, &job, &problem->point_sources[source], points.share + first,
                           points.modes + (int64_t)first * op->element->nodes, next - first, level);
        }
    }
    end_job(&job);
    sedge_points_clear(&points);
    return sedge_comm_agree(op->comm, status);
}

sedge_status evolve_point_sources_create(evolve_point_sources **out, sedge_operator *op)
{
    evolve_point_sources *sources = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_comm_agree(op->comm, sedge_allocate(&sources, 1, sizeof *sources)));
    sources->op = op;
    if (op->problem->integrator->predictor)
        sources->powers = sedge_predictor_terms(op->element->order, true);
    sources->acts = sources->powers > 0 && op->problem->equation->source != NULL;
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

// residual += dt g weights, next += b dt g weights, with g the signal at clock + delay.
static sedge_status add(const evolve_point_sources *sources, const point_source *source,
                        const operator_fields *fields, double b, double delay, double dt)
{
    sedge_operator *const op = sources->op;
    uint64_t next = sedge_buffer_address(fields->u[1]);
    uint64_t residual = sedge_buffer_address(fields->residual);
    uint64_t clock = sedge_buffer_address(fields->clock);
    operator_real factor = operator_scalar(op, b);
    uint64_t batch = sedge_buffer_address(source->batch);
    uint64_t weights = sedge_buffer_address(source->weights);
    uint64_t signal = sedge_buffer_address(source->signal);
    void *const arguments[] = {&next,  &residual, &weights, &batch, &signal,
                               &clock, &delay,    &dt,      &factor};

    return operator_launch(&op->launcher, KERNEL_POINT, op->main, source->batches,
                           SEDGE_MONITOR_THREADS, arguments, 9);
}

bool evolve_point_sources_present(const evolve_point_sources *sources)
{
    return sources->count > 0;
}

sedge_status evolve_point_sources_add(const evolve_point_sources *sources,
                                      const operator_fields *fields, const sedge_stage *stage)
{
    for (int i = 0; i < sources->count; i++) {
        SEDGE_TRY(add(sources, &sources->source[i], fields, stage->b, stage->delay, stage->dt));
    }
    return SEDGE_OK;
}

// ---- a step by a predictor ---------------------------------------------------------------------

sedge_status evolve_point_sources_predict(const evolve_point_sources *sources,
                                          const operator_fields *means, const sedge_stage *stage,
                                          int started)
{
    sedge_operator *const op = sources->op;
    uint64_t mean = sedge_buffer_address(means->u[0]);
    uint64_t half = sedge_buffer_address(means->u[1]);
    uint64_t state = sedge_buffer_address(means->residual);
    uint64_t clock = sedge_buffer_address(means->clock);
    double delay = stage->delay;
    int powers = sources->powers;
    int acts = sources->acts;

    for (int i = 0; i < sources->count; i++) {
        const point_source *const source = &sources->source[i];
        double dt = ldexp(stage->dt, source->level);
        uint64_t batch = sedge_buffer_address(source->batch);
        uint64_t weights = sedge_buffer_address(source->weights);
        uint64_t signal = sedge_buffer_address(source->signal);
        double scale = source->scale;
        int64_t batches = source->batches;
        void *const arguments[] = {&mean,  &half, &state, &weights, &batch, &signal, &clock,
                                   &delay, &dt,   &scale, &powers,  &acts,  &batches};
        if (source->level > started) continue;
        SEDGE_TRY(operator_launch(&op->launcher, KERNEL_PREDICT_POINT, op->main, batches,
                                  SEDGE_MONITOR_THREADS, arguments, 13));
    }
    return SEDGE_OK;
}

sedge_status evolve_point_sources_step(const evolve_point_sources *sources,
                                       const operator_fields *means, const sedge_stage *stage,
                                       int ended)
{
    double points[SEDGE_PREDICTOR_TIMES], weights[SEDGE_PREDICTOR_TIMES];
    const int times = sedge_predictor_times(sources->op->element->order, points, weights);

    for (int i = 0; i < sources->count; i++) {
        const point_source *const source = &sources->source[i];
        const double dt = ldexp(stage->dt, source->level);
        const double begin = stage->delay + stage->dt - dt;
        if (source->level > ended) continue;
        for (int q = 0; q < times; q++) {
            SEDGE_TRY(add(sources, source, means, 0.0, begin + points[q] * dt, weights[q] * dt));
        }
    }
    return SEDGE_OK;
}
