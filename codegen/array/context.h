// A context: one device of this process, and what all arrays and kernels on it share, namely the
// cache of programs, the kernels made so far, a memory pool, a stream, and the level of tuning.
//
//     sedge_context *context;
//     SEDGE_TRY(sedge_context_open(&context, "auto"));
//     ...
//     sedge_context_free(context);
//
// Nothing here is collective: each MPI rank has its own context. All calls of one context come from
// one thread.
#pragma once

#include "array/pool.h"
#include "base/error.h"
#include "device/device.h"
#include "program/program.h"
#include "tune/tune.h"

#include <stdint.h>

typedef struct sedge_context sedge_context;

// Open a device ("auto", "cuda", "opencl", "host") and everything else with its defaults. Starts
// the helper process of the host compiler: call it before MPI_Init, or sedge_device_start_helper
// earlier. The caller frees it after all arrays and programs made from it. SEDGE_ERR_DEVICE where
// there is no such device, SEDGE_ERR_USAGE for another name or a bad variable of the environment.
SEDGE_MUST_USE
sedge_status sedge_context_open(sedge_context **out, const char *device);

// The same on a device and a cache that the caller owns; both outlive the context.
SEDGE_MUST_USE
sedge_status sedge_context_create(sedge_context **out, sedge_device *device, sedge_cache *cache);
void sedge_context_free(sedge_context *context);

// Borrowed.
sedge_device *sedge_context_device(const sedge_context *context);
sedge_cache *sedge_context_cache(const sedge_context *context);

// The stream of all array operations. By default it is the context's own. A stream that the caller
// sets is borrowed until another is set; NULL sets the context's own again.
sedge_stream *sedge_context_stream(const sedge_context *context);
void sedge_context_set_stream(sedge_context *context, sedge_stream *stream);

// Wait for all work queued in the context's stream.
SEDGE_MUST_USE
sedge_status sedge_context_wait(sedge_context *context);

// How long operations on large arrays are tuned at their first use. The default is the level in
// SEDGE_TUNE (off, fast, patient, exhaustive), or off if that is not set. With off, stored wisdom
// is used if there is any, else the rule.
void sedge_context_set_tuning(sedge_context *context, sedge_tune_level level);
sedge_tune_level sedge_context_tuning(const sedge_context *context);

// The name, as in the wisdom, of the candidate that the tuner chose last for an operation of this
// context; "" if the tuner has not been called since sedge_context_set_tuning. Borrowed until the
// next choice.
const char *sedge_context_choice(const sedge_context *context);

// A program from source text, compiled or found in the cache, once in this context: the same
// options give the same program. Owned by the context.
SEDGE_MUST_USE
sedge_status sedge_context_program(sedge_context *context, const sedge_program **out,
                                   const sedge_program_options *options);

// A kernel from one piece of source text in the dialect (codegen/kernels/README.md), e.g. a string
// in the program; messages name it `file`. Owned by the context.
SEDGE_MUST_USE
sedge_status sedge_context_kernel(sedge_context *context, const sedge_kernel **out,
                                  const char *name, const char *file, const char *text);

// ---- memory pool -------------------------------------------------------------------------------

// If any allocation on the device runs out of memory, in this context or elsewhere, the pool's
// unused blocks are released and the allocation is tried again (sedge_reserve). A block that was
// given back may be reused at once: all work of the context is in one stream.
sedge_pool_statistics sedge_context_pool(const sedge_context *context);

// Release unused blocks to the driver. Waits.
SEDGE_MUST_USE
sedge_status sedge_context_trim(sedge_context *context);
