// A time limit for compilers that live in a driver (NVRTC, OpenCL): they cannot be killed, as the
// host's compiler can, so they work on a thread of their own, which is left behind when it does not
// end in time.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// What a compiler may take for a program: SEDGE_CC_SECONDS, 600 where it is not set.
// SEDGE_ERR_USAGE if it is no number of seconds.
SEDGE_MUST_USE
sedge_status sedge_compiler_seconds(int64_t *seconds);

// How long a compiler is waited for once a signal wants the process to stop
// (sedge_device_stop_compilers): not any more where it compiles when the signal comes; else, as for
// one that began afterwards or is only asked for its version, SEDGE_LIMIT_GRACE seconds. When one
// has not been waited for, none is.
#define SEDGE_LIMIT_GRACE 30.0
#define SEDGE_LIMIT_LOOK  100 // milliseconds between looks
typedef struct sedge_patience {
    bool was_stopped;
    bool compiles;
    double start;
} sedge_patience;

sedge_patience sedge_patience_begin(bool compiles);
bool sedge_patience_is_over(const sedge_patience *patience);

// The failure of who is not waited for any more: SEDGE_ERR_STOPPED.
SEDGE_MUST_USE
sedge_status sedge_limit_stopped(const char *who);

// Run work(call) and wait for it. SEDGE_ERR_DEVICE: `who` did not end in time, or no thread could
// be started; SEDGE_ERR_STOPPED: it is not waited for any more; the work may go on then, so `call`
// and all that it names must stay for ever. See sedge_device_is_left_busy (device.h) for how such a
// process ends. Several threads may call this.
SEDGE_MUST_USE
sedge_status sedge_limit_run(const char *who, void (*work)(void *call), void *call);
