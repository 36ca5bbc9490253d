// A watch over a collective library call (MPI's files, PETSc) that may never return. If one rank
// fails inside such a call, the others wait for it for ever, and no rank can leave the call to ask
// the others. Therefore a second thread checks whether the call is lost, and then ends the process;
// mpirun ends the others.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_watch {
    int64_t milliseconds;                 // between checks, > 0; the first check comes after one
    bool (*is_lost)(const void *context); // the check; NULL: always true, a plain time limit
    const void *context;
    sedge_status failure; // the process ends with its exit code
    const char *message;  // one line for stderr, without "sedge: "
} sedge_watch;

typedef struct sedge_watch_thread sedge_watch_thread;

// Start checking. When the call is lost, the message is printed and the process ends. Everything
// that `watch` points to must stay valid until sedge_watch_end. SEDGE_ERR_USAGE if no thread can be
// started. Not collective. The caller ends it with sedge_watch_end.
SEDGE_MUST_USE
sedge_status sedge_watch_start(sedge_watch_thread **out, const sedge_watch *watch);

// NULL does nothing.
void sedge_watch_end(sedge_watch_thread *thread);
