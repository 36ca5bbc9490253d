// This machine's processor: name, features, caches, threads.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

// Append the model ("Intel(R) Xeon(R) ...") or the whole list of features, as the operating system
// reports them.
SEDGE_MUST_USE
sedge_status sedge_cpu_model(sedge_text *out);
SEDGE_MUST_USE
sedge_status sedge_cpu_features(sedge_text *out);

int sedge_cpu_vector_bytes(void);         // widest vector register
int64_t sedge_cpu_last_cache_bytes(void); // 0 if unknown
int64_t sedge_cpu_memory_bytes(void);     // of the machine
int64_t sedge_cpu_memory_free(void);      // available without swapping, also to this process's
                                          // cgroup; INT64_MAX if unknown

// Processors for one of `local_ranks` ranks: the node's processors divided by the ranks, at most
// the number that this process may use.
int sedge_cpu_share(int local_ranks);

// Threads for one of `local_ranks` ranks on this node: SEDGE_THREADS if set (1..4096, else
// SEDGE_ERR_USAGE), else its share.
SEDGE_MUST_USE
sedge_status sedge_cpu_threads(int *threads, int local_ranks);
