#include "evolve/terms.h"

#include "base/memory.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/scalar.h"
#include "operator/terms.h"

#include <stdio.h>

// A term on the device.
typedef struct device_term {
    operator_term term;
    const sedge_kernel *kernel;
    int64_t batches; // with elements that have it
    sedge_buffer *batch, *lanes, *parameters;
    sedge_buffer *memory, *residual; // [batches][nodes_padded][memory][lanes]
} device_term;

struct evolve_terms {
    sedge_operator *op;
    int count;
    device_term *term; // [count]
    int blocks;
    evolve_block *block; // [blocks]
};

// ---- creation ----------------------------------------------------------------------------------

// Which lanes of each SIMD batch of the layout have the term, `lanes` [slots.batches].
static void find_lanes(device_term *term, uint32_t *lanes, const sedge_operator *op)
{
    const int64_t width = op->layout.lanes;
    const uint32_t all = width < 32 ? (1U << width) - 1U : UINT32_MAX;

    for (int32_t e = 0; e < op->mesh->elements; e++) {
        const int64_t slot = sedge_slot(&op->data.slots, e);
        if (!operator_term_is_in(&term->term, op->problem, op->mesh->group[e])) continue;
        if (lanes[slot / width] == 0) term->batches++;
        lanes[slot / width] |= 1U << slot % width;
    }
    for (int64_t b = 0; b < op->data.slots.batches; b++)
        if (lanes[b] == all) lanes[b] = UINT32_MAX;
}

// Indices and lanes of the batches that have the term; `place` [slots.batches] gets the batches'
// places in these lists.
static sedge_status make_support(device_term *term, int64_t *place, const sedge_operator *op)
{
    sedge_status status;
    uint32_t *lanes = NULL;
    int64_t *batch = NULL;
    int64_t count = 0;

    SEDGE_TRY_GOTO(status, sedge_allocate(&lanes, op->data.slots.batches, sizeof *lanes));
    find_lanes(term, lanes, op);
    SEDGE_TRY_GOTO(status, sedge_allocate(&batch, term->batches, sizeof *batch));
    for (int64_t b = 0; b < op->data.slots.batches; b++) {
        if (lanes[b] == 0) continue;
        place[b] = count;
        batch[count] = b;
        lanes[count++] = lanes[b];
    }
    SEDGE_TRY_GOTO(
        status, sedge_upload_copy(&term->batch, op->device, batch, count * (int64_t)sizeof *batch));
    status = sedge_upload_copy(&term->lanes, op->device, lanes, count * (int64_t)sizeof *lanes);
done:
    sedge_release(lanes);
    sedge_release(batch);
    return status;
}

static sedge_status make_parameters(device_term *term, const sedge_operator *op)
{
    const int count = term->term.parameters;
    const int volumes = op->problem->volumes;
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, (int64_t)volumes * count + 1, (size_t)op->layout.real_bytes));
    for (int i = 0; i < volumes * count; i++) {
        sedge_real_put(list, op->layout.real_bytes, i,
                       term->term.term->parameters[i / count][i % count]);
    }
    const sedge_status status =
        sedge_upload_copy(&term->parameters, op->device, list,
                          ((int64_t)volumes * count + 1) * op->layout.real_bytes);
    sedge_release(list);
    return status;
}

// The memory of a term, and where its block lies there; `place` as above.
static sedge_status make_memory(device_term *term, evolve_block *block, const int64_t *place,
                                const sedge_operator *op)
{
    const int64_t lanes = op->layout.lanes;
    const int64_t bytes =
        term->batches * lanes * op->layout.nodes_padded * term->term.memory * op->layout.real_bytes;

    SEDGE_TRY(sedge_buffer_create(&term->memory, op->device, bytes));
    SEDGE_TRY(sedge_buffer_create(&term->residual, op->device, bytes));
    block->buffer = term->memory;
    block->slots = term->batches * lanes;
    SEDGE_TRY(sedge_allocate(&block->slot, block->shown.elements, sizeof *block->slot));
    for (int32_t i = 0; i < block->shown.elements; i++) {
        const int64_t slot = sedge_slot(&op->data.slots, sedge_block_element(&block->shown, i));
        block->slot[i] = place[slot / lanes] * lanes + slot % lanes;
    }
    return SEDGE_OK;
}

// `block` is that of the term's memory, if it has one.
static sedge_status make_term(evolve_terms *terms, int i, evolve_block *block)
{
    sedge_operator *const op = terms->op;
    device_term *const term = &terms->term[i];
    sedge_status status;
    int64_t *place = NULL;
    char name[32];

    term->term = operator_terms_get(op->problem, i);
    (void)snprintf(name, sizeof name, SEDGE_TERM_KERNEL_NAME, i);
    SEDGE_TRY(sedge_program_get(&term->kernel, op->program[1], name));
    SEDGE_TRY_GOTO(status, sedge_allocate(&place, op->data.slots.batches, sizeof *place));
    SEDGE_TRY_GOTO(status, make_support(term, place, op));
    SEDGE_TRY_GOTO(status, make_parameters(term, op));
    if (term->term.memory > 0) status = make_memory(term, block, place, op);
done:
    sedge_release(place);
    return status;
}

// The list of blocks; those of memory have no place yet.
static sedge_status make_blocks(evolve_terms *terms)
{
    const sedge_operator *const op = terms->op;
    const int count = sedge_blocks_count(op->problem);

    SEDGE_TRY(sedge_allocate(&terms->block, count, sizeof *terms->block));
    while (terms->blocks < count) {
        const int i = terms->blocks++;
        SEDGE_TRY(sedge_block_create(&terms->block[i].shown, op->problem, op->mesh, i));
    }
    terms->block[0].slots = op->data.slots.count;
    return SEDGE_OK;
}

sedge_status evolve_terms_create(evolve_terms **out, sedge_operator *op)
{
    sedge_status status;
    evolve_terms *terms = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&terms, 1, sizeof *terms));
    terms->op = op;
    terms->count = operator_terms_count(op->problem);
    SEDGE_TRY_GOTO(status, sedge_allocate(&terms->term, terms->count, sizeof *terms->term));
    SEDGE_TRY_GOTO(status, make_blocks(terms));
    for (int i = 0, block = 1; i < terms->count; i++) {
        SEDGE_TRY_GOTO(status, make_term(terms, i, &terms->block[block]));
        block += terms->term[i].term.memory > 0;
    }
    *out = terms;
    terms = NULL;
done:
    evolve_terms_free(terms);
    return status;
}

void evolve_terms_free(evolve_terms *terms)
{
    if (terms == NULL) return;
    for (int i = 0; i < terms->count && terms->term != NULL; i++) {
        const device_term *const term = &terms->term[i];
        sedge_buffer_free(term->batch);
        sedge_buffer_free(term->lanes);
        sedge_buffer_free(term->parameters);
        sedge_buffer_free(term->memory);
        sedge_buffer_free(term->residual);
    }
    for (int i = 0; i < terms->blocks; i++) {
        sedge_block_clear(&terms->block[i].shown);
        sedge_release(terms->block[i].slot);
    }
    sedge_release(terms->term);
    sedge_release(terms->block);
    sedge_release(terms);
}

// ---- a stage -----------------------------------------------------------------------------------

static sedge_status add_term(sedge_operator *op, const operator_fields *fields,
                             const device_term *term, const sedge_stage *stage)
{
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t next = sedge_buffer_address(fields->u[1]);
    uint64_t residual = sedge_buffer_address(fields->residual);
    uint64_t memory = term->memory != NULL ? sedge_buffer_address(term->memory) : 0;
    uint64_t memory_residual = term->residual != NULL ? sedge_buffer_address(term->residual) : 0;
    uint64_t batch = sedge_buffer_address(term->batch);
    uint64_t lanes = sedge_buffer_address(term->lanes);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t parameters = sedge_buffer_address(term->parameters);
    uint64_t clock = sedge_buffer_address(fields->clock);
    double delay = stage->delay;
    int64_t count = term->batches;
    operator_real a = operator_scalar(op, stage->a);
    operator_real b = operator_scalar(op, stage->b);
    operator_real dt = operator_scalar(op, stage->dt);
    void *const arguments[] = {&u,     &next,     &residual,  &memory,     &memory_residual, &batch,
                               &lanes, &material, &materials, &parameters, &clock,           &delay,
                               &count, &a,        &b,         &dt};
    const int64_t items = term->batches * op->element->nodes;

    return operator_launch_as(&op->launcher, KERNEL_TERM, term->kernel, op->main,
                              (items + SEDGE_TERM_THREADS - 1) / SEDGE_TERM_THREADS,
                              SEDGE_TERM_THREADS, arguments,
                              (int)(sizeof arguments / sizeof arguments[0]));
}

sedge_status evolve_terms_add(const evolve_terms *terms, const operator_fields *fields,
                              const sedge_stage *stage)
{
    for (int i = 0; i < terms->count; i++)
        SEDGE_TRY(add_term(terms->op, fields, &terms->term[i], stage));
    return SEDGE_OK;
}

// ---- blocks ------------------------------------------------------------------------------------

int evolve_terms_blocks(const evolve_terms *terms)
{
    return terms->blocks;
}

const evolve_block *evolve_terms_block(const evolve_terms *terms, int i)
{
    return &terms->block[i];
}
