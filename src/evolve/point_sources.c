#include "evolve/point_sources.h"

#include "base/memory.h"
#include "dg/dense.h"
#include "dg/point.h"
#include "dg/predictor.h"
#include "dg/reference.h"
#include "dg/response.h"
#include "dg/surface_source.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/scalar.h"

#include <math.h>
#include <string.h>

// Memory of a term in the elements on which a source acts, straight or curved ones.
typedef struct source_memory {
    int term; // of the operator
    bool curved;
    sedge_buffer *places; // [batches of the source] in the term's memory or, if curved, in brackets
                          // (operator_bracket); -1: not here
    sedge_buffer *weights; // [1 + powers][batches][components][nodes][lanes]: what (scale L)^k g
                           // has of it if curved; else what the terms make of that
} source_memory;

// A source on this rank: the elements of a level of the time step on which it acts.
typedef struct point_source {
    int level;
    bool predicted;        // it acts on the prediction, too
    int batches;           // SIMD batches that have such elements
    sedge_buffer *batch;   // [batches] their indices
    sedge_buffer *weights; // [1 + powers][batches][nodes][fields][lanes]: (scale L)^k g, and
                           // behind these with `acts` what terms and the equation's source make
                           // of them
    int memories;
    source_memory *memory; // [memories]
    double scale;          // about a step of the elements, so that the powers have one size
    sedge_buffer *signal;
} point_source;

struct evolve_point_sources {
    sedge_operator *op;
    int powers; // of L, for integrators with `predictor`; else 0
    bool acts;  // terms or the equation's source act on the prediction, which sees no sources
    int count;
    point_source *source; // [count]
};

// A source, and all its elements on this rank.
typedef struct given_source {
    const sedge_point_source *point; // NULL: of a surface
    const double *signal;            // SEDGE_SIGNAL_VALUES
    const sedge_point_share *shares; // [count]
    const double *modes; // [count][nodes]; of a surface the rates [count][fields][nodes]
    int count;
} given_source;

// What the weights of one source are made with.
typedef struct weights_job {
    sedge_operator *op;
    int powers;
    bool acts;                  // see evolve_point_sources
    sedge_reference *reference; // for L; NULL: no powers
    double *u;                  // [elements][fields][nodes], few of which are touched
    double *rhs;                // [fields][nodes], then room for 2 nodes
    int64_t rows;               // of all terms' memory in an element
    double *w, *dw;             // [rows][nodes]: of u, and its rates
    double *turned;             // [fields or rows, whichever are more][nodes]: as the state has it
    int batches;                // in `weights`
    double scale;               // see point_source
    void *weights;
    const point_source *point;
    void **memory; // [its memories] weights
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

// g [fields][nodes], what a unit source adds to u_t in its element number `share`: of a point V
// modes / J times the kind's field weights, at the nodes. `work` has `nodes` entries.
static sedge_status find_shape(double *g, sedge_operator *op, const given_source *source, int share,
                               double *work)
{
    const int nodes = op->element->nodes;
    const int fields = op->problem->equation->fields;
    const int32_t element = source->shares[share].element;
    const sedge_point_source *const point = source->point;
    double field_weights[SEDGE_MAX_FIELDS] = {0.0};

    if (point == NULL) {
        memcpy(g, source->modes + (int64_t)share * fields * nodes,
               (size_t)fields * (size_t)nodes * sizeof *g);
        return SEDGE_OK;
    }
    point->kind->point(point->parameters, op->problem->materials[op->mesh->group[element]],
                       field_weights);
    sedge_response_multiply(op->problem, op->mesh->group[element], field_weights);
    sedge_dense_multiply(work, op->element->vandermonde, false,
                         source->modes + (int64_t)share * nodes, false, nodes, nodes, 1);
    SEDGE_TRY(divide(op, element, work));
    for (int f = 0; f < fields; f++)
        for (int n = 0; n < nodes; n++) g[f * nodes + n] = field_weights[f] * work[n];
    return SEDGE_OK;
}

// Put the nodal values g [nodes] into weights in the state's basis, from number `first` on, one
// each `step` numbers.
static void put_values(const weights_job *job, void *weights, int64_t first, int64_t step,
                       const double *g, double *work)
{
    sedge_operator *const op = job->op;
    const int nodes = op->element->nodes;

    memcpy(work, g, (size_t)nodes * sizeof *work);
    operator_convert(op, op->layout.basis, SEDGE_NODAL, work, work + nodes, 1);
    for (int n = 0; n < nodes; n++)
        sedge_real_put(weights, op->layout.real_bytes, first + n * step, work[n]);
}

// Put g [fields][nodes], nodal, into row `row` of the weights [rows][nodes][fields][lanes].
static void put_shape(const weights_job *job, int64_t row, int32_t element, int lane,
                      const double *g, double *work)
{
    const int64_t nodes = job->op->element->nodes;
    const int64_t fields = job->op->problem->equation->fields;
    const int64_t lanes = job->op->layout.lanes;

    memcpy(job->turned, g, (size_t)(fields * nodes) * sizeof *g);
    operator_view_from_physical(job->op, element, job->turned, (int)fields);
    for (int64_t f = 0; f < fields; f++) {
        put_values(job, job->weights, (row * nodes * fields + f) * lanes + lane, fields * lanes,
                   job->turned + f * nodes, work);
    }
}

// The first row of an operator's term in `w` and `dw` of the job.
static int64_t find_row(const sedge_operator *op, int term)
{
    int64_t row = 0;

    for (int i = 0; i < term; i++) row += op->terms.term[i].term.memory;
    return row;
}

// Put the memory of power k in an element, whose batch has `place`, into the weights of straight
// or curved elements.
static void put_memory(const weights_job *job, int k, int place, int32_t element, int lane,
                       bool curved, const double *values, double *work)
{
    const sedge_operator *const op = job->op;
    const int64_t nodes = op->element->nodes;
    const int64_t lanes = op->layout.lanes;

    for (int i = 0; i < job->point->memories; i++) {
        const source_memory *const memory = &job->point->memory[i];
        const int64_t components = op->terms.term[memory->term].term.memory;
        const int64_t first = find_row(op, memory->term);
        if (memory->curved != curved) continue;
        memcpy(job->turned, values + first * nodes, (size_t)(components * nodes) * sizeof *values);
        operator_view_from_physical(op, element, job->turned, (int)components);
        for (int64_t c = 0; c < components; c++) {
            const int64_t row = ((int64_t)k * job->batches + place) * components + c;
            put_values(job, job->memory[i], row * nodes * lanes + lane, lanes,
                       job->turned + c * nodes, work);
        }
    }
}

// The weights of a source in one element, whose batch has `place`, with the powers of L. In a
// straight element terms have acted on the state when sources are added; in a curved one the stage
// adds what they do.
static sedge_status put_weights(const weights_job *job, int place, const given_source *source,
                                int share)
{
    sedge_operator *const op = job->op;
    const int32_t element = source->shares[share].element;
    const int nodes = op->element->nodes;
    const int64_t count = (int64_t)op->problem->equation->fields * nodes;
    const int lane = (int)(sedge_slot(&op->data.slots, element) % op->layout.lanes);
    const bool curved = sedge_mesh_curve(op->mesh, element) >= 0;
    double *const own = job->u + element * count;
    double *const work = job->rhs + count;

    SEDGE_TRY(find_shape(own, op, source, share, work));
    for (int64_t i = 0; i < job->rows * nodes; i++) job->w[i] = job->dw[i] = 0.0;
    for (int k = 0; k <= job->powers; k++) {
        put_shape(job, (int64_t)k * job->batches + place, element, lane, own, work);
        if (job->acts) {
            memset(job->rhs, 0, (size_t)count * sizeof *job->rhs);
            if (!curved)
                sedge_reference_terms_of(job->reference, element, own, job->w, job->rhs, job->dw);
            put_shape(job, (1LL + job->powers + k) * job->batches + place, element, lane, job->rhs,
                      work);
            put_memory(job, k, place, element, lane, curved, curved ? job->w : job->dw, work);
        }
        if (k == job->powers) break;
        sedge_reference_local_of(job->reference, element, job->u, job->w, job->rhs, job->dw);
        for (int64_t i = 0; i < count; i++) own[i] = job->scale * job->rhs[i];
        for (int64_t i = 0; i < job->rows * nodes; i++) job->w[i] = job->scale * job->dw[i];
    }
    return SEDGE_OK;
}

// Where the memory that a source acts on begins for an element's batch; -1: it has none.
static int64_t find_memory(const sedge_operator *op, const source_memory *memory, int32_t element)
{
    const sedge_range *const range = sedge_mesh_range(op->mesh, element);
    const int64_t batch = sedge_slot(&op->data.slots, element) / op->layout.lanes;
    const int64_t place = op->terms.term[memory->term].places[batch];
    const operator_bracket *const bracket = &op->predictor.bracket[memory->term];

    if (place < 0 || (range->curved != 0) != memory->curved) return -1;
    if (!memory->curved) return place;
    return place - bracket->first[range->halo] + (range->halo ? bracket->count[0] : 0);
}

// The memory of one term in straight or curved elements of a source; none if they have none.
static sedge_status add_memory(weights_job *job, point_source *point, int term, bool curved,
                               const sedge_point_share *shares, const int *place, int count)
{
    const sedge_operator *const op = job->op;
    source_memory *const memory = &point->memory[point->memories];
    const int64_t components = op->terms.term[term].term.memory;
    int64_t *places = NULL;
    bool found = false;

    *memory = (source_memory){.term = term, .curved = curved};
    SEDGE_TRY(sedge_allocate(&places, point->batches, sizeof *places));
    for (int b = 0; b < point->batches; b++) places[b] = -1;
    for (int i = 0; i < count; i++) {
        if (place[i] < 0) continue;
        places[place[i]] = find_memory(op, memory, shares[i].element);
        found |= places[place[i]] >= 0;
    }
    if (!found || components == 0 || !operator_term_is_staged(&op->terms.term[term].term)) {
        sedge_release(places);
        return SEDGE_OK;
    }
    const int64_t words = (1LL + job->powers) * point->batches * components * op->element->nodes;
    SEDGE_TRY(sedge_upload(&memory->places, op->device, places, point->batches, sizeof *places));
    return sedge_allocate(&job->memory[point->memories++],
                          words * op->layout.lanes * op->layout.real_bytes, 1);
}

static sedge_status add_memories(weights_job *job, point_source *point,
                                 const sedge_point_share *shares, const int *place, int count)
{
    const int terms = job->powers > 0 ? job->op->terms.count : 0;

    job->point = point;
    SEDGE_TRY(sedge_allocate(&point->memory, 2LL * terms, sizeof *point->memory));
    SEDGE_TRY(sedge_allocate(&job->memory, 2LL * terms, sizeof *job->memory));
    for (int i = 0; i < 2 * terms; i++)
        SEDGE_TRY(add_memory(job, point, i / 2, i % 2 == 1, shares, place, count));
    return SEDGE_OK;
}

static sedge_status upload_memories(const weights_job *job, point_source *point)
{
    const sedge_operator *const op = job->op;

    for (int i = 0; i < point->memories; i++) {
        const int64_t components = op->terms.term[point->memory[i].term].term.memory;
        SEDGE_TRY(sedge_upload_copy(&point->memory[i].weights, op->device, job->memory[i],
                                    (1LL + job->powers) * point->batches * components *
                                        op->element->nodes * op->layout.lanes *
                                        op->layout.real_bytes));
    }
    return SEDGE_OK;
}

static void release_memories(weights_job *job)
{
    for (int i = 0; job->memory != NULL && i < job->point->memories; i++)
        sedge_release(job->memory[i]);
    sedge_release(job->memory);
    job->memory = NULL;
}

// The place of `one` among the `count` first of `batch`, where it is put if it is new.
static int find_batch(int64_t *batch, int *count, int64_t one)
{
    int i = 0;

    while (i < *count && batch[i] != one) i++;
    if (i == *count) batch[(*count)++] = one;
    return i;
}

// A source in its elements of one level. The field of a surface's source balances what the fields
// on both sides of the surface differ by, which the prediction does not see: so it sees neither.
static sedge_status add_source(evolve_point_sources *sources, weights_job *job,
                               const given_source *source, int level)
{
    sedge_operator *const op = sources->op;
    const sedge_point_share *const shares = source->shares;
    const int count = source->count;
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
    point->predicted = source->point != NULL;
    job->powers = point->predicted ? sources->powers : 0;
    job->acts = point->predicted && sources->acts;
    for (int i = 0; i < count; i++) {
        place[i] = -1;
        if (sedge_mesh_level(op->mesh, shares[i].element) != level) continue;
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
    SEDGE_TRY_GOTO(status, add_memories(job, point, shares, place, count));
    for (int i = 0; i < count; i++) {
        if (place[i] < 0) continue;
        SEDGE_TRY_GOTO(status, put_weights(job, place[i], source, i));
    }
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&point->batch, op->device, batch,
                                             point->batches * (int64_t)sizeof *batch));
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&point->weights, op->device, job->weights, bytes));
    SEDGE_TRY_GOTO(status, upload_memories(job, point));
    SEDGE_TRY_GOTO(status, sedge_upload_copy(&point->signal, op->device, source->signal,
                                             SEDGE_SIGNAL_VALUES * sizeof *source->signal));
done:
    sedge_release(batch);
    sedge_release(place);
    sedge_release(job->weights);
    job->weights = NULL;
    release_memories(job);
    return status;
}

static sedge_status start_job(weights_job *job, const evolve_point_sources *sources)
{
    sedge_operator *const op = sources->op;
    const int64_t fields = op->problem->equation->fields;
    const int64_t count = fields * op->element->nodes;

    *job = (weights_job){.op = op, .powers = sources->powers, .acts = sources->acts};
    SEDGE_TRY(sedge_allocate_thin(&job->u, op->mesh->elements * count, sizeof *job->u));
    SEDGE_TRY(sedge_allocate(&job->rhs, count + 2LL * op->element->nodes, sizeof *job->rhs));
    if (job->powers > 0) job->rows = find_row(op, op->terms.count);
    SEDGE_TRY(sedge_allocate(&job->turned,
                             (job->rows > fields ? job->rows : fields) * op->element->nodes,
                             sizeof *job->turned));
    if (job->powers == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&job->w, job->rows * op->element->nodes, sizeof *job->w));
    SEDGE_TRY(sedge_allocate(&job->dw, job->rows * op->element->nodes, sizeof *job->dw));
    return sedge_reference_create_alone(&job->reference, op->element, op->mesh, op->problem);
}

static void end_job(weights_job *job)
{
    const int64_t count = (int64_t)job->op->problem->equation->fields * job->op->element->nodes;

    sedge_release_thin(job->u, job->op->mesh->elements * count, sizeof *job->u);
    sedge_release(job->rhs);
    sedge_release(job->w);
    sedge_release(job->dw);
    sedge_release(job->turned);
    sedge_reference_free(job->reference);
}

static sedge_status add_levels(evolve_point_sources *sources, weights_job *job,
                               const given_source *source)
{
    for (int level = 0; level < sources->op->mesh->levels; level++)
        SEDGE_TRY(add_source(sources, job, source, level));
    return SEDGE_OK;
}

// All sources; shares of one follow each other.
static sedge_status add_shares(evolve_point_sources *sources, weights_job *job,
                               const sedge_points *points, const sedge_surface_shares *surfaces)
{
    const sedge_operator *const op = sources->op;
    const sedge_problem *const problem = op->problem;
    const int64_t nodes = op->element->nodes;

    for (int first = 0, next = 0; first < points->count; first = next) {
        const sedge_point_source *const point =
            &problem->point_sources[points->share[first].source];
        while (next < points->count && points->share[next].source == points->share[first].source)
            next++;
        const given_source source = {.point = point,
                                     .signal = point->signal,
                                     .shares = points->share + first,
                                     .modes = points->modes + first * nodes,
                                     .count = next - first};
        SEDGE_TRY(add_levels(sources, job, &source));
    }
    for (int first = 0, next = 0; first < surfaces->count; first = next) {
        const int source = surfaces->share[first].source;
        while (next < surfaces->count && surfaces->share[next].source == source) next++;
        const given_source given = {.signal = sedge_surface_signal(problem, source),
                                    .shares = surfaces->share + first,
                                    .modes =
                                        surfaces->rates + nodes * first * problem->equation->fields,
                                    .count = next - first};
        SEDGE_TRY(add_levels(sources, job, &given));
    }
    return SEDGE_OK;
}

static sedge_status add_sources(evolve_point_sources *sources)
{
    const sedge_operator *const op = sources->op;
    const sedge_problem *const problem = op->problem;
    const int64_t count = problem->point_source_count + problem->surface_source_count;
    sedge_surface_shares surfaces = {0};
    sedge_points points;
    weights_job job = {.op = sources->op};
    sedge_status status;

    SEDGE_TRY(sedge_points_create(&points, op->comm, op->element, op->mesh, problem));
    SEDGE_TRY_GOTO(status, sedge_surface_shares_create(&surfaces, op->element, op->mesh, problem));
    SEDGE_TRY_GOTO(status, start_job(&job, sources));
    SEDGE_TRY_GOTO(status, sedge_allocate(&sources->source, count * op->mesh->levels + 1,
                                          sizeof *sources->source));
    status = add_shares(sources, &job, &points, &surfaces);
done:
    end_job(&job);
    sedge_surface_shares_clear(&surfaces);
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
    sources->acts = sources->powers > 0 &&
                    (op->problem->equation->source != NULL || op->problem->term_count > 0);
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
        for (int k = 0; k < sources->source[i].memories; k++) {
            sedge_buffer_free(sources->source[i].memory[k].places);
            sedge_buffer_free(sources->source[i].memory[k].weights);
        }
        sedge_release(sources->source[i].memory);
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

// A source's part of the terms' memory over a step of dt that begins at clock + delay.
static sedge_status predict_memory(const evolve_point_sources *sources, const point_source *source,
                                   const operator_fields *means, double delay, double dt)
{
    sedge_operator *const op = sources->op;

    for (int i = 0; i < source->memories; i++) {
        const source_memory *const memory = &source->memory[i];
        const operator_term_memory *const of_term = &means->memory[memory->term];
        uint64_t w = sedge_buffer_address(memory->curved ? of_term->now : of_term->residual);
        uint64_t weights = sedge_buffer_address(memory->weights);
        uint64_t places = sedge_buffer_address(memory->places);
        uint64_t signal = sedge_buffer_address(source->signal);
        uint64_t clock = sedge_buffer_address(means->clock);
        double scale = source->scale;
        double part = memory->curved ? 1.0 : dt;
        int powers = sources->powers;
        int components = op->terms.term[memory->term].term.memory;
        int64_t batches = source->batches;
        void *const arguments[] = {&w,  &weights, &places, &signal, &clock,      &delay,
                                   &dt, &scale,   &part,   &powers, &components, &batches};
        SEDGE_TRY(operator_launch(&op->launcher, KERNEL_PREDICT_POINT_MEMORY, op->main, batches,
                                  SEDGE_MONITOR_THREADS, arguments, 12));
    }
    return SEDGE_OK;
}

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
        if (source->level > started || !source->predicted) continue;
        SEDGE_TRY(operator_launch(&op->launcher, KERNEL_PREDICT_POINT, op->main, batches,
                                  SEDGE_MONITOR_THREADS, arguments, 13));
        SEDGE_TRY(predict_memory(sources, source, means, delay, dt));
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
