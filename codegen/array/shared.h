// What the operations on arrays of one context share: a pool of device memory, the kernels made so
// far, and flags and a counter with which the blocks of a kernel synchronise. All work of a context
// goes into one stream, one operation after the other, so that one set is enough. Functions are in
// context.c.
#pragma once

#include "array/cached_kernel.h"
#include "array/pool.h"

typedef struct sedge_context sedge_context;

// The context's, borrowed.
sedge_pool *sedge_context_memory(sedge_context *context);
sedge_kernel_table *sedge_context_kernels(sedge_context *context);

// Set the name that sedge_context_choice returns; it is copied.
void sedge_context_set_choice(sedge_context *context, const char *name);

// Flags by which the blocks of one launch tell each other that they are ready: at least `bytes`
// bytes, in 32-bit words. A flag is set if it equals `epoch`, the number of the launch. No word has
// this value before the launch, so flags never need to be cleared.
SEDGE_MUST_USE
sedge_status sedge_context_flags(sedge_context *context, int64_t bytes, sedge_buffer **out,
                                 int *epoch);

// Device block counter, an int: each block of a launch adds 1 when it ends, and the last block
// resets it to 0.
SEDGE_MUST_USE
sedge_status sedge_context_counter(sedge_context *context, sedge_buffer **out);
