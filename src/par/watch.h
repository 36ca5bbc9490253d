// A watch over a collective call that may never return: ranks in libraries (MPI's files, PETSc)
// that wait for one which failed alone cannot be asked, each is within its own call. A thread
// beside the call ends the process; mpirun ends the others.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_watch {
    int64_t milliseconds;                 // from one look to the next, > 0
    bool (*is_lost)(const void *context); // a look; NULL: the call is lost at the first
    const void *context;
    sedge_status failure; // whose exit code the process gets
    const char *message;  // one line for stderr, without "sedge: "
} sedge_watch;

typedef struct sedge_watch_thread sedge_watch_thread;

// From now on look, and where the call is lost print the message and end the process. What `watch`
// points to must stay until sedge_watch_end. SEDGE_ERR_USAGE if no thread can be started. Not
// collective. The caller ends it with sedge_watch_end.
SEDGE_MUST_USE
sedge_status sedge_watch_start(sedge_watch_thread **out, const sedge_watch *watch);

// NULL does nothing.
void sedge_watch_end(sedge_watch_thread *thread);
