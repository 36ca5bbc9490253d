#include "evolve/blocks.h"

#include "base/memory.h"
#include "layout/slots.h"
#include "operator/parts.h"

struct evolve_blocks {
    int terms;
    operator_term_memory *memory; // [terms]
    operator_term_memory faces;   // of boundary faces
    int count;
    evolve_block *block; // [count]
};

// The memory of a term, and where its block lies there.
static sedge_status make_memory(operator_term_memory *memory, evolve_block *block,
                                const operator_device_term *term, const sedge_operator *op)
{
    const int64_t lanes = op->layout.lanes;
    const int64_t bytes =
        term->batches * lanes * op->layout.nodes_padded * term->term.memory * op->layout.real_bytes;

    SEDGE_TRY(sedge_buffer_create(&memory->now, op->device, bytes));
    if (sedge_problem_finds(op->problem))
        SEDGE_TRY(sedge_buffer_create(&memory->other, op->device, bytes));
    if (operator_terms_keep(op->problem))
        SEDGE_TRY(sedge_buffer_create(&memory->residual, op->device, bytes));
    block->buffer = memory->now;
    block->other = memory->other;
    block->slots = term->batches * lanes;
    SEDGE_TRY(sedge_allocate(&block->slot, block->shown.elements, sizeof *block->slot));
    for (int32_t i = 0; i < block->shown.elements; i++) {
        const int64_t slot = sedge_slot(&op->data.slots, sedge_block_element(&block->shown, i));
        block->slot[i] = term->places[slot / lanes] * lanes + slot % lanes;
    }
    return SEDGE_OK;
}

// Upload what a term's memory is at the start, where that is not zero.
static sedge_status start_memory(const evolve_block *block, const operator_device_term *term,
                                 sedge_operator *op, const operator_fields *fields)
{
    const sedge_block *const shown = &block->shown;
    double *values = NULL;
    sedge_status status;

    if (term->term.unknowns == term->term.memory) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&values, (int64_t)shown->elements * shown->components * shown->nodes,
                             sizeof *values));
    sedge_block_start(values, shown->term, op->element, op->mesh, shown->element, shown->elements);
    status = evolve_block_set(op, fields, block, SEDGE_NODAL, values);
    sedge_release(values);
    return status;
}

// The memory of boundary faces: its rows are those of the block.
static sedge_status make_faces(operator_term_memory *memory, evolve_block *block,
                               const sedge_operator *op)
{
    const sedge_block *const shown = &block->shown;
    const int64_t bytes =
        (int64_t)shown->elements * shown->components * shown->nodes * op->layout.real_bytes;

    SEDGE_TRY(sedge_buffer_create(&memory->now, op->device, bytes > 0 ? bytes : 16));
    SEDGE_TRY(sedge_buffer_create(&memory->residual, op->device, bytes > 0 ? bytes : 16));
    block->buffer = memory->now;
    return SEDGE_OK;
}

// Which blocks there are; those of memory have no place yet.
static sedge_status list_blocks(evolve_blocks *blocks, const sedge_operator *op)
{
    const int count = sedge_blocks_count(op->problem);

    SEDGE_TRY(sedge_allocate(&blocks->block, count, sizeof *blocks->block));
    while (blocks->count < count) {
        const int i = blocks->count++;
        SEDGE_TRY(
            sedge_block_create(&blocks->block[i].shown, op->problem, op->element, op->mesh, i));
    }
    blocks->block[0].slots = op->data.slots.count;
    return SEDGE_OK;
}

sedge_status evolve_blocks_create(evolve_blocks **out, sedge_operator *op, operator_fields *fields)
{
    sedge_status status;
    evolve_blocks *blocks = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&blocks, 1, sizeof *blocks));
    blocks->terms = op->terms.count;
    SEDGE_TRY_GOTO(status, sedge_allocate(&blocks->memory, blocks->terms, sizeof *blocks->memory));
    SEDGE_TRY_GOTO(status, list_blocks(blocks, op));
    for (int i = 0, block = 1; i < blocks->terms; i++) {
        const operator_device_term *const term = &op->terms.term[i];
        if (term->term.memory == 0) continue;
        SEDGE_TRY_GOTO(status, make_memory(&blocks->memory[i], &blocks->block[block], term, op));
        SEDGE_TRY_GOTO(status, start_memory(&blocks->block[block++], term, op, fields));
    }
    if (sedge_problem_face_memory(op->problem) > 0)
        SEDGE_TRY_GOTO(status, make_faces(&blocks->faces, &blocks->block[blocks->count - 1], op));
    fields->memory = blocks->memory;
    fields->faces = blocks->faces;
    *out = blocks;
    blocks = NULL;
done:
    evolve_blocks_free(blocks);
    return status;
}

void evolve_blocks_free(evolve_blocks *blocks)
{
    if (blocks == NULL) return;
    for (int i = 0; i < blocks->terms && blocks->memory != NULL; i++) {
        sedge_buffer_free(blocks->memory[i].now);
        sedge_buffer_free(blocks->memory[i].other);
        sedge_buffer_free(blocks->memory[i].residual);
    }
    for (int i = 0; i < blocks->count; i++) {
        sedge_block_clear(&blocks->block[i].shown);
        sedge_release(blocks->block[i].slot);
    }
    sedge_buffer_free(blocks->faces.now);
    sedge_buffer_free(blocks->faces.residual);
    sedge_release(blocks->memory);
    sedge_release(blocks->block);
    sedge_release(blocks);
}

int evolve_blocks_count(const evolve_blocks *blocks)
{
    return blocks->count;
}

const evolve_block *evolve_blocks_get(const evolve_blocks *blocks, int i)
{
    return &blocks->block[i];
}
