// A time limit for compilers that live in a driver (NVRTC, OpenCL): they cannot be killed, as the
// host's compiler can, so they work on a thread of their own, which is left behind when it does not
// end in time.
#pragma once

#include "base/error.h"

#include <stdint.h>

// What a compiler may take for a program: SEDGE_CC_SECONDS, 600 where it is not set.
// SEDGE_ERR_USAGE if it is no number of seconds.
SEDGE_MUST_USE
sedge_status sedge_compiler_seconds(int64_t *seconds);

// Run work(call) and wait for it. SEDGE_ERR_DEVICE: `who` did not end in time, or no thread could
// be started; the work may go on then, so `call` and all that it names must stay for ever. See
// sedge_device_is_left_busy (device.h) for how such a process ends. Several threads may call this.
SEDGE_MUST_USE
sedge_status sedge_limit_run(const char *who, void (*work)(void *call), void *call);
