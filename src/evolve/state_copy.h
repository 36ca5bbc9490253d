// A copy of all blocks of the state on the device, for checkpoints that do not stop it. Taking one
// queues a copy from device memory to device memory behind the steps so far; another thread brings
// its rows to the host, piece by piece in a stream of their own, while the steps go on.
//
// Where the device has no room for a copy there is none: then rows come from the state itself, and
// no step may begin before they are all read. A copy that nobody reads gives its memory back when
// another allocation of the device runs out (sedge_reserve), for good.
#pragma once

#include "evolve/evolution.h"

typedef struct sedge_state_copy sedge_state_copy;

// `beside`: with device memory for a copy, if there is room. Keeps the evolution. Not collective.
SEDGE_MUST_USE
sedge_status sedge_state_copy_create(sedge_state_copy **out, sedge_evolution *evolution,
                                     bool beside);
void sedge_state_copy_free(sedge_state_copy *copy);

// True if steps may go on while the copy is read.
bool sedge_state_copy_is_beside(const sedge_state_copy *copy);

// Take one of the state at the end of the queue. Does not wait. Nobody reads the last one any more.
SEDGE_MUST_USE
sedge_status sedge_state_copy_take(sedge_state_copy *copy);

// The copy that was taken last is read: its memory is free for others. By the thread that takes
// copies.
void sedge_state_copy_done(sedge_state_copy *copy);

// Rows [first, first + count) of a block, `values` [count][components][nodes] in the device's
// basis. Waits for them. Any one thread at a time may call it.
SEDGE_MUST_USE
sedge_status sedge_state_copy_get(sedge_state_copy *copy, int block, int64_t first, int64_t count,
                                  double *values);
