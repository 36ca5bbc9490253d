// Kernels with their work items in random order: what a missing barrier spoils shows.
//
// A module made with codegen/kernels/program/prelude_random.h is given a sedge_order and calls it.
// The items of a block are fibers on one thread: each runs to the next barrier, one after the other
// in random order; when all have come there, each goes on. Blocks come one after the other, in
// random order too.
#pragma once

#include "base/error.h"

#include <stdint.h>

// As the prelude sees it. Behind it lies the rest of the state.
typedef struct sedge_order {
    long long block; // of the item that runs now
    int item;
    void (*run)(struct sedge_order *order, void (*body)(long long, void **), void **arguments,
                long long blocks, int threads);
    void (*barrier)(struct sedge_order *order, const char *file, int line);
    void (*fill)(struct sedge_order *order, void *memory, long long bytes, long long *filled);
    void (*copy)(struct sedge_order *order, void *to, const void *from);
    void (*wait)(struct sedge_order *order);
} sedge_order;

SEDGE_MUST_USE
sedge_status sedge_order_create(sedge_order **out, uint64_t seed);
void sedge_order_free(sedge_order *order);

// What stopped the launch that just ended, in words; NULL: nothing. The next launch forgets it.
const char *sedge_order_problem(const sedge_order *order);
