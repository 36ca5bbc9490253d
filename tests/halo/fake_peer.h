// The operations of device/peer.h in shared memory of the host. What is put into a stream goes into
// one queue, which a thread works off in order, with random pauses: the caller runs ahead, ranks
// overtake each other.
#pragma once

#include "device/peer.h"

typedef enum fake_fault {
    FAKE_RIGHT,
    FAKE_WRONG,  // copies to other processes have a wrong byte
    FAKE_SILENT, // flags of other processes stay
    FAKE_CLOSED, // no memory of others can be opened
    FAKE_SLOW    // each flag takes 5 ms
} fake_fault;

extern const sedge_peer fake_peer;

// The thread; pauses follow from the seed. Ended before MPI is.
void fake_start(uint32_t seed);
void fake_stop(void);

void fake_set_fault(fake_fault fault);

// A call in the queue's order.
void fake_call(void (*function)(void *argument), void *argument);

// Until the queue is empty. How many waits were given up since the start: flags that never came.
void fake_wait(void);
int fake_lost(void);

// Between begin and end nothing runs: what is queued is recorded. Each launch queues all of it.
typedef struct fake_graph fake_graph;
void fake_record_begin(void);
fake_graph *fake_record_end(void);
void fake_launch(const fake_graph *graph);
void fake_graph_free(fake_graph *graph);
