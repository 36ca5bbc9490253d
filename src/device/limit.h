// A time limit for compilers inside a driver library (NVRTC, OpenCL). Unlike the host's compiler
// they cannot be killed. Therefore each runs on a thread of its own, which is abandoned if it does
// not end in time.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// The time limit for compiling one program: SEDGE_CC_SECONDS, or 600 s if that is not set.
// SEDGE_ERR_USAGE if its value is not a number of seconds.
SEDGE_MUST_USE
sedge_status sedge_compiler_seconds(int64_t *seconds);

// How long to wait for a compiler after a signal has asked the process to stop
// (sedge_device_stop_compilers):
//   - It was compiling when the signal came: no longer.
//   - It started after the signal, or is only asked for its version: SEDGE_LIMIT_GRACE seconds.
//   - The wait for any compiler has been given up before: no longer.
#define SEDGE_LIMIT_GRACE 30.0
#define SEDGE_LIMIT_LOOK  100 // milliseconds between checks
typedef struct sedge_patience {
    bool was_stopped;
    bool compiles;
    double start;
} sedge_patience;

sedge_patience sedge_patience_begin(bool compiles);
bool sedge_patience_is_over(const sedge_patience *patience);

// SEDGE_ERR_STOPPED with a message: the wait for the compiler `who` was given up.
SEDGE_MUST_USE
sedge_status sedge_limit_stopped(const char *who);

// Run work(call) on a thread and wait for it. SEDGE_ERR_DEVICE: `who` did not end in time, or no
// thread could be started. SEDGE_ERR_STOPPED: a signal ended the wait. In both cases the work may
// still be running, so `call` and everything it points to must never be freed. See
// sedge_device_is_left_busy (device.h) for how such a process ends. Several threads may call this.
SEDGE_MUST_USE
sedge_status sedge_limit_run(const char *who, void (*work)(void *call), void *call);
