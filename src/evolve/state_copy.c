#include "evolve/state_copy.h"

#include "base/memory.h"
#include "evolve/blocks.h"
#include "operator/fields.h"
#include "operator/parts.h"

struct sedge_state_copy {
    sedge_operator *op;
    const operator_fields *fields; // steps change which of its buffers is the current one
    const evolve_blocks *blocks;
    sedge_basis basis;
    sedge_stream *stream; // in which rows travel
    sedge_event *taken;
    evolve_transfer transfer;
    bool beside;
    bool taken_now; // somebody may read it
    sedge_reserve reserve;
    int count;
    sedge_buffer **buffer;     // [count] copies; NULL: there is no room
    const sedge_buffer **from; // [count] what is read: copies, or the state's own buffers
};

static const sedge_buffer *state_buffer(const sedge_state_copy *copy, int i)
{
    return evolve_block_buffer(evolve_blocks_get(copy->blocks, i), copy->fields);
}

static void free_buffers(sedge_state_copy *copy)
{
    for (int i = 0; i < copy->count && copy->buffer != NULL; i++) {
        sedge_buffer_free(copy->buffer[i]);
        copy->buffer[i] = NULL;
    }
}

static void give_back(void *owner)
{
    sedge_state_copy *const copy = owner;

    if (copy->taken_now) return;
    copy->beside = false;
    free_buffers(copy);
}

static sedge_status make_buffers(sedge_state_copy *copy)
{
    for (int i = 0; i < copy->count; i++) {
        const sedge_status status = sedge_buffer_create(&copy->buffer[i], copy->op->device,
                                                        sedge_buffer_bytes(state_buffer(copy, i)));

        if (status == SEDGE_OK) continue;
        free_buffers(copy);
        if (status != SEDGE_ERR_MEMORY) return status;
        sedge_error_clear();
        return SEDGE_OK;
    }
    copy->beside = true;
    copy->reserve = (sedge_reserve){.give_back = give_back, .owner = copy};
    sedge_device_add_reserve(copy->op->device, &copy->reserve);
    return SEDGE_OK;
}

sedge_status sedge_state_copy_create(sedge_state_copy **out, sedge_evolution *evolution,
                                     bool beside)
{
    sedge_status status;
    sedge_state_copy *copy = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&copy, 1, sizeof *copy));
    copy->op = sedge_evolution_operator(evolution);
    copy->fields = sedge_evolution_fields(evolution);
    copy->blocks = sedge_evolution_state_blocks(evolution);
    copy->basis = sedge_evolution_basis(evolution);
    copy->count = evolve_blocks_count(copy->blocks);
    SEDGE_TRY_GOTO(status, sedge_allocate(&copy->buffer, copy->count, sizeof(sedge_buffer *)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&copy->from, copy->count, sizeof(sedge_buffer *)));
    SEDGE_TRY_GOTO(status, sedge_stream_create(&copy->stream, copy->op->device, false));
    SEDGE_TRY_GOTO(status, sedge_event_create(&copy->taken, copy->op->device));
    SEDGE_TRY_GOTO(status, evolve_transfer_create(&copy->transfer, copy->op, copy->stream,
                                                  evolve_blocks_get(copy->blocks, 0), copy->count));
    if (beside) SEDGE_TRY_GOTO(status, make_buffers(copy));
    *out = copy;
    copy = NULL;
done:
    sedge_state_copy_free(copy);
    return status;
}

void sedge_state_copy_free(sedge_state_copy *copy)
{
    if (copy == NULL) return;
    // What failed before stays the message: a wait that fails too has nothing to add.
    (void)!sedge_stream_wait(copy->op->main);
    evolve_transfer_clear(&copy->transfer);
    sedge_device_remove_reserve(copy->op->device, &copy->reserve);
    free_buffers(copy);
    sedge_event_free(copy->taken);
    sedge_stream_free(copy->stream);
    sedge_release(copy->buffer);
    sedge_release(copy->from);
    sedge_release(copy);
}

bool sedge_state_copy_is_beside(const sedge_state_copy *copy)
{
    return copy->beside;
}

sedge_status sedge_state_copy_take(sedge_state_copy *copy)
{
    sedge_stream *const main = copy->op->main;

    copy->taken_now = true;
    for (int i = 0; i < copy->count; i++) {
        const sedge_buffer *const state = state_buffer(copy, i);

        copy->from[i] = copy->beside ? copy->buffer[i] : state;
        if (copy->beside)
            SEDGE_TRY(sedge_buffer_copy(copy->buffer[i], state, sedge_buffer_bytes(state), main));
    }
    SEDGE_TRY(sedge_event_record(copy->taken, main));
    return sedge_stream_wait_event(copy->stream, copy->taken);
}

void sedge_state_copy_done(sedge_state_copy *copy)
{
    copy->taken_now = false;
}

sedge_status sedge_state_copy_get(sedge_state_copy *copy, int block, int64_t first, int64_t count,
                                  double *values)
{
    return evolve_transfer_get(&copy->transfer, evolve_blocks_get(copy->blocks, block),
                               copy->from[block], copy->basis, first, count, values);
}
