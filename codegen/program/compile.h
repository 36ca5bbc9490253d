// Inside codegen: several programs compiled at once, each in a thread of this process.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"

#include <stddef.h>

// One program to compile, and the result. The texts are borrowed.
typedef struct sedge_compile_job {
    int number;       // the caller's own
    const char *name; // for messages and kept files
    const char *text;
    sedge_status status;
    char *message; // why it failed, to release with sedge_release; else NULL
    void *binary;  // to release with sedge_release
    size_t length;
    sedge_text *log; // the caller's; what the compiler says is added
    double seconds;  // from start to end of this compilation
} sedge_compile_job;

// Record that the job failed with `status`. This thread's error message becomes the job's message
// and is cleared.
void sedge_compile_fail(sedge_compile_job *job, sedge_status status);

// Compile all jobs, `threads` at once. The calling thread passes each job to `settle` as soon as it
// is done, in any order. A job that does not compile records its failure in itself. The calling
// thread compiles if `threads` is 1 or no thread can be started. Fails only if memory runs out.
SEDGE_MUST_USE
sedge_status sedge_compile_jobs(sedge_compile_job *jobs, int count, sedge_device *device,
                                int threads, void (*settle)(void *context, sedge_compile_job *job),
                                void *context);
