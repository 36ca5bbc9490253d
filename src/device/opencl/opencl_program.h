// Inside the opencl device: its state, and its programs and kernels (opencl_build.c).
//
// A kernel's form is that of SEDGE_KERNEL in codegen/kernels/program/prelude_opencl.h:
//   kernel(long blocks, local memory,  then for each argument:  argument, long offset, type) OpenCL
//   passes buffers, not addresses, and its sub-buffers start at multiples of up to 4 KiB. Therefore
//   an address is passed as its buffer and the offset in bytes from the buffer's start, which the
//   kernel adds; so every address in a buffer is legal. `type` is always NULL. Its type `char
//   (*)[SIZE][KIND]`, which OpenCL reports, encodes the size and the kind of the argument.
#pragma once

#include "device/opencl/opencl_driver.h"

#include <pthread.h>
#include <stdbool.h>

// Each device has its own range of made-up addresses (by its number on the node). Addresses of new
// buffers ascend and are never used again. There is a gap between two buffers, so that the address
// of a buffer's end belongs to that buffer.
typedef struct sedge_opencl_buffer {
    uint64_t address;
    int64_t bytes;
    opencl_memory *memory;
} sedge_opencl_buffer;

typedef struct sedge_opencl_state {
    opencl_platform *platform;
    opencl_device *device;
    opencl_context *context; // NULL until made
    opencl_queue *own;       // for calls without a stream; NULL until made
    bool in_folder;
    bool has_fp64;
    bool has_exact_division; // of fp32, if asked for
    int64_t most_bytes;      // of a buffer
    int64_t local_bytes;     // of a block's memory
    uint64_t next_address;
    sedge_opencl_buffer *buffers; // [buffer_count], by rising addresses
    int buffer_count, buffer_capacity;
    pthread_mutex_t lock; // guards the list of buffers
} sedge_opencl_state;

// The buffer in which `address` lies, or at whose end, into `out`; false when there is none. Any
// thread may call it.
bool sedge_opencl_buffer_find(sedge_opencl_buffer *out, sedge_opencl_state *state,
                              uint64_t address);

// The options of every program, once context and queue are there.
SEDGE_MUST_USE
sedge_status sedge_opencl_options(const sedge_opencl_state *state, sedge_text *out);

// Rows of sedge_device_operations.
SEDGE_MUST_USE
sedge_status sedge_opencl_compile(sedge_device *device, const char *source, const char *arch,
                                  const char *keep_name, void **out, size_t *length,
                                  sedge_text *log);
SEDGE_MUST_USE
sedge_status sedge_opencl_module_load(sedge_device *device, void **module, const void *binary,
                                      size_t length);
void sedge_opencl_module_free(sedge_device *device, void *module);
SEDGE_MUST_USE
sedge_status sedge_opencl_module_get(sedge_device *device, sedge_kernel *kernel, void *module);
SEDGE_MUST_USE
sedge_status sedge_opencl_inspect(sedge_device *device, sedge_kernel_info *out,
                                  const sedge_kernel *kernel, int threads);
SEDGE_MUST_USE
sedge_status sedge_opencl_set_scratch(sedge_device *device, sedge_kernel *kernel, int64_t bytes);
// Launch a kernel without waiting for it; the caller (opencl.c) handles streams.
SEDGE_MUST_USE
sedge_status sedge_opencl_enqueue(sedge_device *device, const sedge_kernel *kernel,
                                  opencl_queue *queue, int64_t blocks, int threads,
                                  void *const *arguments, int count);
