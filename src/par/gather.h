// Rows of numbers that lie on the ranks and are written by the root. Each row has an id, such as
// the number of a pixel.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <stdint.h>

typedef struct sedge_gather {
    int64_t own;      // rows of this rank
    int64_t all;      // rows of all ranks; 0 but on the root
    int64_t *offsets; // [ranks + 1] windows of `ids`
    int64_t *ids;     // [all] on the root, rank by rank
} sedge_gather;

// Bring the `ids` [count] of this rank's rows to the root. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_gather_create(sedge_gather *out, const sedge_comm *comm, int64_t count,
                                 const int64_t *ids);
void sedge_gather_clear(const sedge_gather *gather);

// Bring `rows` [own] of `bytes` bytes each to the root, which gets `all` [all] in the order of
// `ids`. Collective.
void sedge_gather_bring(const sedge_gather *gather, const sedge_comm *comm, const void *rows,
                        size_t bytes, void *all);
