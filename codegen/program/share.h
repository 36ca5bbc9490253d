// Inside codegen: a program that several ranks request is made by one rank, its owner, and sent to
// the others.
//
// All ranks have the same list of the distinct programs, ordered by key. The owner of a program is
// one of the ranks that request it. The programs are spread evenly over the owners.
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sedge_share {
    const sedge_comm *comm; // NULL: this process alone
    int rank, ranks;
    int programs;    // distinct ones of all ranks
    int *owner;      // [programs]
    int *requesters; // [programs]: how many ranks request it
    bool *requested; // [programs][ranks]
    int *mine;       // [count]: which program each of this rank's is
} sedge_share;

// Gather the requests of all ranks. `hashes` [count] are the hashes of the keys of this rank's
// programs. Collective; fails on all ranks or none. The caller clears `share`, also after a
// failure.
SEDGE_MUST_USE
sedge_status sedge_share_create(sedge_share *share, const sedge_comm *comm,
                                const sedge_hash *hashes, int count);
void sedge_share_clear(sedge_share *share);

// Whether this rank requests program `p`.
bool sedge_share_requests(const sedge_share *share, int p);

typedef enum sedge_share_part {
    SEDGE_SHARE_BINARY,
    SEDGE_SHARE_LOG,     // the compiler's
    SEDGE_SHARE_MESSAGE, // why it failed
    SEDGE_SHARE_PARTS
} sedge_share_part;

// The owner's result for one program. Parts are released with sedge_release.
typedef struct sedge_share_item {
    sedge_status status;
    bool found;     // in the cache
    double seconds; // of its compilation
    char *part[SEDGE_SHARE_PARTS];
    size_t length[SEDGE_SHARE_PARTS];
} sedge_share_item;

// Send each owner's item to the ranks that request the program, and its status, `found` and
// `seconds` to all ranks. `items` has a place for each program. Collective; fails on all ranks or
// none.
SEDGE_MUST_USE
sedge_status sedge_share_send(const sedge_share *share, sedge_share_item *items);
void sedge_share_release(sedge_share_item *items, int programs);
