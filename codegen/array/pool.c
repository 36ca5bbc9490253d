#include "array/pool.h"

#include "base/memory.h"

// Size classes: 16 of each power of two, from 2^8 bytes on.
enum { POOL_FIRST = 8, POOL_LAST = 47, POOL_SPLIT = 16 };
enum { POOL_BINS = (POOL_LAST - POOL_FIRST + 1) * POOL_SPLIT };

typedef struct pool_block {
    sedge_buffer *buffer;
    int bin;
    struct pool_block *next; // in its bin, while unused
} pool_block;

struct sedge_pool {
    sedge_device *device;
    pool_block *unused[POOL_BINS];
    sedge_pool_statistics statistics;
};

// The class of `bytes`: its number, and what its blocks hold.
static int64_t choose_class(int64_t bytes, int *bin)
{
    int exponent = POOL_FIRST;

    if (bytes < (int64_t)1 << POOL_FIRST) bytes = (int64_t)1 << POOL_FIRST;
    while (bytes >> (exponent + 1) != 0) exponent++;
    const int64_t step = ((int64_t)1 << exponent) / POOL_SPLIT;
    const int64_t steps = (bytes + step - 1) / step; // 16 .. 32
    *bin = (exponent - POOL_FIRST) * POOL_SPLIT + (int)steps - POOL_SPLIT;
    return steps * step;
}

static void note_peak(sedge_pool_statistics *statistics)
{
    const int64_t now = statistics->active_bytes + statistics->held_bytes;

    if (now > statistics->peak_bytes) statistics->peak_bytes = now;
}

sedge_status sedge_pool_take(sedge_pool *pool, int64_t bytes, void **block, sedge_buffer **buffer)
{
    sedge_pool_statistics *const statistics = &pool->statistics;
    sedge_status status;
    pool_block *taken = NULL;
    int bin;

    *block = NULL;
    *buffer = NULL;
    if (bytes < 0 || bytes > (int64_t)1 << POOL_LAST) {
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory: %lld bytes are outside 0..2^%d",
                          (long long)bytes, POOL_LAST);
    }
    const int64_t size = choose_class(bytes, &bin);
    statistics->requests++;
    taken = pool->unused[bin];
    if (taken != NULL) {
        pool->unused[bin] = taken->next;
        statistics->hits++;
        statistics->held_bytes -= size;
    } else {
        SEDGE_TRY(sedge_allocate(&taken, 1, sizeof *taken));
        taken->bin = bin;
        SEDGE_TRY_GOTO(status, sedge_buffer_create(&taken->buffer, pool->device, size));
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

void sedge_pool_give(sedge_pool *pool, void *block)
{
    pool_block *const given = block;

    if (given == NULL) return;
    const int64_t size = sedge_buffer_bytes(given->buffer);
    pool->statistics.active_bytes -= size;
    pool->statistics.held_bytes += size;
    given->next = pool->unused[given->bin];
    pool->unused[given->bin] = given;
}

void sedge_pool_release(sedge_pool *pool)
{
    for (int bin = 0; bin < POOL_BINS; bin++) {
        while (pool->unused[bin] != NULL) {
            pool_block *const block = pool->unused[bin];
            pool->unused[bin] = block->next;
            pool->statistics.held_bytes -= sedge_buffer_bytes(block->buffer);
            sedge_buffer_free(block->buffer);
            sedge_release(block);
        }
    }
}

sedge_pool_statistics sedge_pool_get_statistics(const sedge_pool *pool)
{
    return pool->statistics;
}

sedge_status sedge_pool_create(sedge_pool **out, sedge_device *device)
{
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    (*out)->device = device;
    return SEDGE_OK;
}

void sedge_pool_free(sedge_pool *pool)
{
    if (pool == NULL) return;
    sedge_pool_release(pool);
    sedge_release(pool);
}
