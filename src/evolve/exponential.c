#include "evolve/exponential.h"

#include "base/memory.h"
#include "dg/exponential.h"
#include "layout/upload.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/scalar.h"

struct evolve_exponential {
    sedge_operator *op;
    double dt; // of the numbers
    // Of the operator's terms, [stages][volumes][size][size + 2]; NULL: none yet, or the term is
    // not exponential.
    sedge_buffer *numbers[SEDGE_MAX_KINDS + 1];
};

sedge_status evolve_exponential_create(evolve_exponential **out, sedge_operator *op)
{
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    (*out)->op = op;
    return SEDGE_OK;
}

static void forget(evolve_exponential *exponential)
{
    for (int i = 0; i <= SEDGE_MAX_KINDS; i++) {
        sedge_buffer_free(exponential->numbers[i]);
        exponential->numbers[i] = NULL;
    }
}

void evolve_exponential_free(evolve_exponential *exponential)
{
    if (exponential == NULL) return;
    forget(exponential);
    sedge_release(exponential);
}

// Numbers of one stage.
static int64_t count_numbers(const sedge_operator *op, const sedge_term *term)
{
    const int64_t size = sedge_exponential_size(term);

    return op->problem->volumes * size * (size + 2);
}

static sedge_status make_numbers(evolve_exponential *exponential, int i, double dt)
{
    const sedge_operator *const op = exponential->op;
    const sedge_term *const term = op->terms.term[i].term.term;
    const int stages = op->problem->integrator->stages;
    const int real = op->layout.real_bytes;
    const int64_t count = count_numbers(op, term);
    const int64_t each = count / op->problem->volumes;
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, stages * count, (size_t)real));
    for (int s = 0; s < stages; s++) {
        for (int v = 0; v < op->problem->volumes; v++) {
            double numbers[SEDGE_EXPONENTIAL_SIZE * (SEDGE_EXPONENTIAL_SIZE + 2)];
            if (!term->present[v]) continue;
            sedge_exponential_stage(numbers, op->problem, term, v, s, dt);
            for (int64_t k = 0; k < each; k++)
                sedge_real_put(list, real, s * count + v * each + k, numbers[k]);
        }
    }
    return sedge_upload(&exponential->numbers[i], op->device, list, stages * count, (size_t)real);
}

sedge_status evolve_exponential_prepare(evolve_exponential *exponential, double dt)
{
    sedge_operator *const op = exponential->op;

    if (exponential->dt == dt || !sedge_problem_exponential(op->problem)) return SEDGE_OK;
    SEDGE_TRY(sedge_stream_wait(op->main));
    forget(exponential);
    for (int i = 0; i < op->terms.count; i++) {
        const sedge_term *const term = op->terms.term[i].term.term;
        if (term != NULL && term->exponential) SEDGE_TRY(make_numbers(exponential, i, dt));
    }
    exponential->dt = dt;
    return SEDGE_OK;
}

static sedge_status run_term(const evolve_exponential *exponential, const operator_fields *fields,
                             int i, int stage)
{
    sedge_operator *const op = exponential->op;
    const sedge_term *const term = op->terms.term[i].term.term;
    const int64_t items = op->data.slots.batches * op->element->nodes;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t next = sedge_buffer_address(fields->u[1]);
    uint64_t residual = sedge_buffer_address(fields->residual);
    uint64_t w = sedge_buffer_address(fields->memory[i].now);
    uint64_t before = sedge_buffer_address(fields->memory[i].residual);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t places = sedge_buffer_address(op->terms.term[i].on_device);
    uint64_t numbers = sedge_buffer_address(exponential->numbers[i]) +
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
    for (int i = 0; i < exponential->op->terms.count; i++)
        if (exponential->numbers[i] != NULL) SEDGE_TRY(run_term(exponential, fields, i, stage));
    return SEDGE_OK;
}
