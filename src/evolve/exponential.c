#include "evolve/exponential.h"

#include "base/memory.h"
#include "dg/exponential.h"
#include "layout/upload.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/predictor.h"
#include "operator/scalar.h"

#include <math.h>

// An exponential term of the operator.
typedef struct exponential_term {
    // [times][volumes][size][size + 2], where times are a step's stages, or levels with numbers
    // [size + 2][size]. NULL: none yet, or the term is not exponential.
    sedge_buffer *numbers;
    // Of steps with a prediction: the batches that have the term, those of a level behind those of
    // lower ones, and where a level's begin; what is kept from before the prediction.
    sedge_buffer *list, *rest;
    int64_t first[SEDGE_LEVELS_MAX + 1];
} exponential_term;

struct evolve_exponential {
    sedge_operator *op;
    double dt;                                  // of the numbers
    exponential_term term[SEDGE_MAX_KINDS + 1]; // the operator's terms
};

static bool is_exponential(const sedge_operator *op, int i)
{
    const sedge_term *const term = op->terms.term[i].term.term;

    return term != NULL && term->exponential;
}

// List the batches of a term.
static sedge_status list_batches(exponential_term *of, const sedge_operator *op, int i)
{
    const int32_t *const places = op->terms.term[i].places;
    int32_t *list = NULL;
    int64_t count = 0;

    SEDGE_TRY(sedge_allocate(&list, op->terms.term[i].batches, sizeof *list));
    for (int level = 0; level < op->mesh->levels; level++) {
        of->first[level] = count;
        for (int r = 0; r < op->mesh->range_count; r++) {
            const sedge_range *const range = &op->mesh->ranges[r];
            const int64_t end = sedge_slots_first(&op->data.slots, range + 1);
            if (range->level != level) continue;
            for (int64_t b = sedge_slots_first(&op->data.slots, range); b < end; b++)
                if (places[b] >= 0) list[count++] = (int32_t)b;
        }
    }
    of->first[op->mesh->levels] = count;
    SEDGE_TRY(sedge_upload(&of->list, op->device, list, count, sizeof *list));
    return sedge_buffer_create(&of->rest, op->device,
                               3 * count * op->layout.nodes_padded * op->layout.lanes *
                                   op->layout.real_bytes);
}

sedge_status evolve_exponential_create(evolve_exponential **out, sedge_operator *op)
{
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    (*out)->op = op;
    for (int i = 0; i < op->terms.count && op->problem->integrator->predictor; i++)
        if (is_exponential(op, i)) SEDGE_TRY(list_batches(&(*out)->term[i], op, i));
    return SEDGE_OK;
}

static void forget(evolve_exponential *exponential)
{
    for (int i = 0; i <= SEDGE_MAX_KINDS; i++) {
        sedge_buffer_free(exponential->term[i].numbers);
        exponential->term[i].numbers = NULL;
    }
}

void evolve_exponential_free(evolve_exponential *exponential)
{
    if (exponential == NULL) return;
    forget(exponential);
    for (int i = 0; i <= SEDGE_MAX_KINDS; i++) {
        sedge_buffer_free(exponential->term[i].list);
        sedge_buffer_free(exponential->term[i].rest);
    }
    sedge_release(exponential);
}

// Numbers of a term at one time.
static int64_t count_numbers(const sedge_operator *op, const sedge_term *term)
{
    const int64_t size = sedge_exponential_size(term);

    return op->problem->volumes * size * (size + 2);
}

static int count_times(const sedge_operator *op)
{
    const sedge_integrator *const integrator = op->problem->integrator;

    return integrator->predictor ? op->mesh->levels : integrator->stages;
}

static void find_numbers(double *numbers, const sedge_operator *op, const sedge_term *term,
                         int volume, int time, double dt)
{
    if (op->problem->integrator->predictor) {
        sedge_exponential_step(numbers, op->problem, term, volume,
                               ldexp(dt, 1 + time - op->mesh->levels));
    } else {
        sedge_exponential_stage(numbers, op->problem, term, volume, time, dt);
    }
}

static sedge_status make_numbers(evolve_exponential *exponential, int i, double dt)
{
    const sedge_operator *const op = exponential->op;
    const sedge_term *const term = op->terms.term[i].term.term;
    const int times = count_times(op);
    const int real = op->layout.real_bytes;
    const int64_t count = count_numbers(op, term);
    const int64_t each = count / op->problem->volumes;
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, times * count, (size_t)real));
    for (int s = 0; s < times; s++) {
        for (int v = 0; v < op->problem->volumes; v++) {
            double numbers[SEDGE_EXPONENTIAL_SIZE * (SEDGE_EXPONENTIAL_SIZE + 2)];
            if (!term->present[v]) continue;
            find_numbers(numbers, op, term, v, s, dt);
            for (int64_t k = 0; k < each; k++)
                sedge_real_put(list, real, s * count + v * each + k, numbers[k]);
        }
    }
    return sedge_upload(&exponential->term[i].numbers, op->device, list, times * count,
                        (size_t)real);
}

sedge_status evolve_exponential_prepare(evolve_exponential *exponential, double dt)
{
    sedge_operator *const op = exponential->op;

    if (exponential->dt == dt || !sedge_problem_exponential(op->problem)) return SEDGE_OK;
    SEDGE_TRY(sedge_stream_wait(op->main));
    forget(exponential);
    for (int i = 0; i < op->terms.count; i++)
        if (is_exponential(op, i)) SEDGE_TRY(make_numbers(exponential, i, dt));
    SEDGE_TRY(operator_predictor_prepare(op, ldexp(dt, 1 - op->mesh->levels)));
    exponential->dt = dt;
    return SEDGE_OK;
}

static sedge_status run_term(const evolve_exponential *exponential, const operator_fields *fields,
                             int i, int stage)
{
    sedge_operator *const op = exponential->op;
    const sedge_term *const term = op->terms.term[i].term.term;
    const int64_t items = 3 * op->data.slots.batches * op->element->nodes;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t next = sedge_buffer_address(fields->u[1]);
    uint64_t residual = sedge_buffer_address(fields->residual);
    uint64_t w = sedge_buffer_address(fields->memory[i].now);
    uint64_t before = sedge_buffer_address(fields->memory[i].residual);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t places = sedge_buffer_address(op->terms.term[i].on_device);
    uint64_t numbers = sedge_buffer_address(exponential->term[i].numbers) +
                       (uint64_t)(stage * count_numbers(op, term) * op->layout.real_bytes);
    int first = term->kind->field_triple - 1;
    int size = sedge_exponential_size(term);
    int64_t batches = op->data.slots.batches;
    operator_real a = operator_scalar(op, op->problem->integrator->a[stage]);
    void *const arguments[] = {&u,      &next,    &residual, &w,    &before,  &material,
                               &places, &numbers, &first,    &size, &batches, &a};

    return operator_launch(&op->launcher, KERNEL_EXPONENTIAL, op->main,
                           (items + SEDGE_MONITOR_THREADS - 1) / SEDGE_MONITOR_THREADS,
                           SEDGE_MONITOR_THREADS, arguments, 12);
}

sedge_status evolve_exponential_run(const evolve_exponential *exponential,
                                    const operator_fields *fields, int stage)
{
    for (int i = 0; i < exponential->op->terms.count; i++) {
        if (exponential->term[i].numbers != NULL)
            SEDGE_TRY(run_term(exponential, fields, i, stage));
    }
    return SEDGE_OK;
}

static sedge_status step_term(const evolve_exponential *exponential, const operator_fields *fields,
                              int i, bool after, int level)
{
    sedge_operator *const op = exponential->op;
    const exponential_term *const of = &exponential->term[i];
    const sedge_term *const term = op->terms.term[i].term.term;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t w = sedge_buffer_address(fields->memory[i].now);
    uint64_t rest = sedge_buffer_address(of->rest);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t places = sedge_buffer_address(op->terms.term[i].on_device);
    uint64_t list = sedge_buffer_address(of->list) + (uint64_t)of->first[level] * sizeof(int32_t);
    uint64_t numbers = sedge_buffer_address(of->numbers) +
                       (uint64_t)(level * count_numbers(op, term) * op->layout.real_bytes);
    int first = term->kind->field_triple - 1;
    int size = sedge_exponential_size(term);
    int is_after = after;
    int64_t count = of->first[level + 1] - of->first[level];
    const int64_t items = 3 * count * op->element->nodes;
    void *const arguments[] = {&u,       &w,     &rest, &material, &places, &list,
                               &numbers, &first, &size, &is_after, &count};

    return operator_launch(&op->launcher, KERNEL_EXPONENTIAL_STEP, op->main,
                           (items + SEDGE_MONITOR_THREADS - 1) / SEDGE_MONITOR_THREADS,
                           SEDGE_MONITOR_THREADS, arguments, 11);
}

sedge_status evolve_exponential_step(const evolve_exponential *exponential,
                                     const operator_fields *fields, bool after, int level)
{
    for (int i = 0; i < exponential->op->terms.count; i++) {
        for (int l = 0; l <= level && exponential->term[i].numbers != NULL; l++)
            SEDGE_TRY(step_term(exponential, fields, i, after, l));
    }
    return SEDGE_OK;
}
