// A pool of device memory: arrays take blocks from it and give them back without a call of the
// driver. Sizes are rounded up to size classes, 16 for each power of two, so that at most 6.25 % of
// a block is lost.
#pragma once

#include "base/error.h"
#include "device/device.h"

#include <stdint.h>

typedef struct sedge_pool sedge_pool;

typedef struct sedge_pool_statistics {
    int64_t active_bytes; // in use by arrays
    int64_t held_bytes;   // unused, kept for later
    int64_t peak_bytes;   // largest sum of both
    int64_t requests;     // blocks requested
    int64_t hits;         // of these, found in the pool
} sedge_pool_statistics;

// An empty pool on `device`, which outlives it.
SEDGE_MUST_USE
sedge_status sedge_pool_create(sedge_pool **out, sedge_device *device);

// The caller has waited for the work on all blocks, and has given them back.
void sedge_pool_free(sedge_pool *pool);

// Take a block of at least `bytes` bytes; its buffer is as large or larger. Its contents are
// unspecified.
SEDGE_MUST_USE
sedge_status sedge_pool_take(sedge_pool *pool, int64_t bytes, void **block, sedge_buffer **buffer);

// Give a block back. With `block` NULL nothing is done.
void sedge_pool_give(sedge_pool *pool, void *block);

// Release all unused blocks to the driver. The caller has waited for the work on them.
void sedge_pool_release(sedge_pool *pool);

sedge_pool_statistics sedge_pool_get_statistics(const sedge_pool *pool);
