// Inside codegen: programs that several ranks want are made by one of them and sent to the others.
//
// All ranks hold the same list of the distinct programs, ordered by key. Each has an owner among
// the ranks that want it, chosen so that all have the same number of them as nearly as can be.
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sedge_share {
    const sedge_comm *comm; // NULL: this process alone
    int rank, ranks;
    int programs; // distinct ones of all ranks
    int *owner;   // [programs]
    int *wanters; // [programs]: how many ranks want it
    bool *wanted; // [programs][ranks]
    int *mine;    // [count]: which program each of this rank's is
} sedge_share;

// Ranks say what they want: the keys' hashes of their `count` programs. Collective; fails on all
// ranks or none. Cleared by the caller in any case.
SEDGE_MUST_USE
sedge_status sedge_share_create(sedge_share *share, const sedge_comm *comm,
                                const sedge_hash *hashes, int count);
void sedge_share_clear(sedge_share *share);

// Does this rank want program `p`?
bool sedge_share_wants(const sedge_share *share, int p);

typedef enum sedge_share_part {
    SEDGE_SHARE_BINARY,
    SEDGE_SHARE_LOG,     // the compiler's
    SEDGE_SHARE_MESSAGE, // why it failed
    SEDGE_SHARE_PARTS
} sedge_share_part;

// What the owner made of one program. Parts are released with sedge_release.
typedef struct sedge_share_item {
    sedge_status status;
    bool found;     // in the cache
    double seconds; // of its compilation
    char *part[SEDGE_SHARE_PARTS];
    size_t length[SEDGE_SHARE_PARTS];
} sedge_share_item;

// Bring each owner's item to the ranks that want the program, and status, `found` and `seconds` to
// all. `items` has a place for each program. Collective; fails on all ranks or none.
SEDGE_MUST_USE
sedge_status sedge_share_send(const sedge_share *share, sedge_share_item *items);
void sedge_share_release(sedge_share_item *items, int programs);
