// Runs kernels with their work items in random order, so that tests detect missing barriers.
//
// A module made with codegen/kernels/program/prelude_random.h is given a sedge_order and calls it.
// The items of a block are fibers on one thread: one after the other, in random order, each runs up
// to the next barrier; when all have reached it, they continue. The blocks run one after the other,
// also in random order. Arrays have some bytes behind their end that no kernel may change.
#pragma once

#include "base/error.h"

#include <stdint.h>

// The part of the state that the prelude uses. The rest of the state follows it in memory.
typedef struct sedge_order {
    long long block; // of the item that runs now
    int item;
    void (*run)(struct sedge_order *order, void (*body)(long long, void **), void **arguments,
                long long blocks, int threads);
    void (*barrier)(struct sedge_order *order, const char *file, int line);
    void (*fill)(struct sedge_order *order, void *memory, long long bytes, long long *filled);
    void (*copy)(struct sedge_order *order, void *to, const void *from, int bytes);
    void (*next)(struct sedge_order *order);
    void (*wait_first)(struct sedge_order *order);
    void (*wait)(struct sedge_order *order);
} sedge_order;

SEDGE_MUST_USE
sedge_status sedge_order_create(sedge_order **out, uint64_t seed);
void sedge_order_free(sedge_order *order);

// Memory for a buffer, zero. `bytes` is at least 1; SEDGE_ERR_MEMORY. A launch that changed what is
// behind the end of any has a problem. Release it before the order is freed.
SEDGE_MUST_USE
sedge_status sedge_order_allocate(sedge_order *order, void **memory, int64_t bytes);
void sedge_order_release(sedge_order *order, void *memory);

// The reason, in words, why the last launch was stopped; NULL: it was not. The next launch clears
// it.
const char *sedge_order_problem(const sedge_order *order);
