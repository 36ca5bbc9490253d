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

// How long to wait for a compiler after a signal has asked the process to stop
// (sedge_device_stop_compilers):
//   - It was compiling when the signal came: no longer.
//   - It started after the signal, or is only asked for its version: SEDGE_LIMIT_GRACE seconds.
//   - The wait for any compiler has been given up before: no longer.
#define SEDGE_LIMIT_GRACE 30.0
#define SEDGE_LIMIT_LOOK  100 // milliseconds between looks
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
