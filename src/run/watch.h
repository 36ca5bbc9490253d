// Ranks that open one file together: where it vanishes between two ranks' opens, Open MPI leaves
// those that found it waiting for those that did not, for ever, each within its own call. A thread
// beside the call sees to it that the job ends. Each rank that is caught says so in a line of its
// own: which others are it could only ask, and they do not answer.
#pragma once

#include "base/error.h"

#include <stdint.h>

typedef struct sedge_watch sedge_watch;

// From now on, look at the file at `path` every `milliseconds` ms (> 0); where it is gone, write
// one message to stderr and end the process with the exit code of SEDGE_ERR_USAGE; mpirun ends the
// others. SEDGE_ERR_USAGE if no thread can be started. Not collective. The caller ends it with
// sedge_watch_end; `path` is copied.
SEDGE_MUST_USE
sedge_status sedge_watch_start(sedge_watch **out, const char *path, int64_t milliseconds);

// NULL does nothing.
void sedge_watch_end(sedge_watch *watch);
