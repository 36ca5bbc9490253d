// Inside codegen: groups of ranks that need the same result, for example the same search. Ranks
// with equal hashes form a group. The lowest rank of a group that is able to make the result, or
// the lowest of all where none is, is its owner: it makes the result and sends it to the others.
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sedge_group {
    const sedge_comm *comm;
    int owner;
    bool is_owner; // this rank
    bool is_able;  // the owner
    bool all_same; // one group
    sedge_hash mine;
    sedge_hash *hashes; // of all ranks
} sedge_group;

// `able`: whether this rank can make the result. Collective (`comm` NULL: this process alone). The
// group keeps `comm`. Release it with sedge_group_free.
SEDGE_MUST_USE
sedge_status sedge_group_init(sedge_group *group, const sedge_comm *comm, const sedge_hash *mine,
                              bool able);
void sedge_group_free(sedge_group *group);

// Send `bytes` bytes from each group's owner to the group's other ranks. Collective.
void sedge_group_give(const sedge_group *group, void *data, size_t bytes);
