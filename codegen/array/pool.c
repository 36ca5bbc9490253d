// The memory pool of a context.
#include "array/context_internal.h"
#include "base/memory.h"

// The class of `bytes`: its number, and what its blocks hold.
static int64_t choose_class(int64_t bytes, int *bin)
{
    int exponent = SEDGE_POOL_FIRST;

    if (bytes < (int64_t)1 << SEDGE_POOL_FIRST) bytes = (int64_t)1 << SEDGE_POOL_FIRST;
    while (bytes >> (exponent + 1) != 0) exponent++;
    const int64_t step = ((int64_t)1 << exponent) / SEDGE_POOL_SPLIT;
    const int64_t steps = (bytes + step - 1) / step; // 16 .. 32
    *bin = (exponent - SEDGE_POOL_FIRST) * SEDGE_POOL_SPLIT + (int)steps - SEDGE_POOL_SPLIT;
    return steps * step;
}

static void note_peak(sedge_pool_statistics *statistics)
{
    const int64_t now = statistics->active_bytes + statistics->held_bytes;

    if (now > statistics->peak_bytes) statistics->peak_bytes = now;
}

sedge_status sedge_pool_take(sedge_context *context, int64_t bytes, void **block,
                             sedge_buffer **buffer)
{
    sedge_pool_statistics *const statistics = &context->pool.statistics;
    sedge_status status;
    sedge_pool_block *taken = NULL;
    int bin;

    *block = NULL;
    *buffer = NULL;
    if (bytes < 0 || bytes > (int64_t)1 << SEDGE_POOL_LAST) {
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory: %lld bytes are outside 0..2^%d",
                          (long long)bytes, SEDGE_POOL_LAST);
    }
    const int64_t size = choose_class(bytes, &bin);
    statistics->requests++;
    taken = context->pool.unused[bin];
    if (taken != NULL) {
        context->pool.unused[bin] = taken->next;
        statistics->hits++;
        statistics->held_bytes -= size;
    } else {
        SEDGE_TRY(sedge_allocate(&taken, 1, sizeof *taken));
        taken->bin = bin;
        SEDGE_TRY_GOTO(status, sedge_buffer_create(&taken->buffer, context->device, size));
    }
    statistics->active_bytes += size;
    note_peak(statistics);
    *block = taken;
    *buffer = taken->buffer;
    return SEDGE_OK;
done:
    sedge_release(taken);
    return status;
}

void sedge_pool_give(sedge_context *context, void *block)
{
    sedge_pool_block *const given = block;
    sedge_pool *const pool = &context->pool;

    if (given == NULL) return;
    const int64_t size = sedge_buffer_bytes(given->buffer);
    pool->statistics.active_bytes -= size;
    pool->statistics.held_bytes += size;
    given->next = pool->unused[given->bin];
    pool->unused[given->bin] = given;
}

void sedge_pool_release(sedge_pool *pool)
{
    for (int bin = 0; bin < SEDGE_POOL_BINS; bin++) {
        while (pool->unused[bin] != NULL) {
            sedge_pool_block *const block = pool->unused[bin];
            pool->unused[bin] = block->next;
            pool->statistics.held_bytes -= sedge_buffer_bytes(block->buffer);
            sedge_buffer_free(block->buffer);
            sedge_release(block);
        }
    }
}

sedge_pool_statistics sedge_context_pool(const sedge_context *context)
{
    return context->pool.statistics;
}

void sedge_pool_give_back(void *context)
{
    if (sedge_context_trim(context) != SEDGE_OK) sedge_error_clear(); // then it keeps what it has
}

sedge_status sedge_context_trim(sedge_context *context)
{
    if (context->pool.statistics.held_bytes == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_context_wait(context));
    sedge_pool_release(&context->pool);
    return SEDGE_OK;
}
