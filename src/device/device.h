// Devices: the only place, with its .c files, that sees the CUDA driver, NVRTC, the system compiler
// and dlopen. Nothing above this door knows which kind is in use.
//
// Kinds: `cuda` (driver API and NVRTC, loaded at run time: the same binary starts on machines
// without either) and `host` (C written at run time, compiled by the system compiler through a
// helper process, loaded with dlopen). `opencl` is refused by name until it exists.
//
// Work is put into streams and runs in order within one; on the host everything runs at once, in
// the call. All calls of one device come from one thread.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sedge_device_kind { SEDGE_DEVICE_HOST, SEDGE_DEVICE_CUDA } sedge_device_kind;

typedef struct sedge_device sedge_device;
typedef struct sedge_buffer sedge_buffer;
typedef struct sedge_stream sedge_stream;
typedef struct sedge_event sedge_event;
typedef struct sedge_module sedge_module;
typedef struct sedge_kernel sedge_kernel;

// Start the process that runs the host compiler. Must be called before MPI_Init (a fork later is
// not safe under all transports); main calls it first. The helper ends when this process does.
SEDGE_MUST_USE
sedge_status sedge_device_start_helper(void);
void sedge_device_stop_helper(void);

// Number of usable CUDA devices; 0 when there is no driver, no device, or no NVRTC, and then `why`
// (may be NULL) says which, in words.
int sedge_device_count_cuda(const char **why);

// `kind_name`: "auto" (cuda if a device is there, else host), "cuda", "host". `local_rank` picks
// the CUDA device (local_rank modulo their number) and `local_ranks` the threads of the host device
// (this process's processors / ranks that share them, at least 1; SEDGE_THREADS overrides).
// Fails with SEDGE_ERR_DEVICE and the reason. The caller frees it after everything made from it.
SEDGE_MUST_USE
sedge_status sedge_device_create(sedge_device **out, const char *kind_name, int local_rank,
                                 int local_ranks);
void sedge_device_free(sedge_device *device);

typedef struct sedge_device_info {
    sedge_device_kind kind;
    const char *kind_name; // "cuda", "host"
    const char *name;      // "NVIDIA H200", CPU model
    const char *arch;      // "sm_90"; host: the resolved -march and its features
    const char *compiler;  // identity for the cache key: NVRTC version and library build; `cc -v`
    int ordinal;           // CUDA device; 0 on the host
    int devices_on_node;   // CUDA devices seen; 1 on the host
    int multiprocessors;   // host: threads
    int64_t memory_bytes;
    int64_t l2_bytes;           // last-level cache
    int64_t shared_bytes_block; // shared memory a block may use (opt-in size); host: 0
    int vector_bytes;           // widest vector register of the host; 0 on cuda
} sedge_device_info;

const sedge_device_info *sedge_device_get_info(const sedge_device *device);

// Bytes now and at peak in buffers of this device.
int64_t sedge_device_memory_now(const sedge_device *device);
int64_t sedge_device_memory_peak(const sedge_device *device);

// ---- memory ------------------------------------------------------------------------------------

// `bytes` bytes of device memory, zeroed. Out of memory says how much was asked for and how much is
// free.
SEDGE_MUST_USE
sedge_status sedge_buffer_create(sedge_buffer **out, sedge_device *device, int64_t bytes);
void sedge_buffer_free(sedge_buffer *buffer);
int64_t sedge_buffer_bytes(const sedge_buffer *buffer);

// The address to hand to kernels, as a kernel argument of pointer type (8 bytes).
uint64_t sedge_buffer_address(const sedge_buffer *buffer);

// Copies; `stream` NULL: done when the call returns. With a stream: ordered in it, and the host
// memory should be pinned and must stay.
SEDGE_MUST_USE
sedge_status sedge_buffer_upload(sedge_buffer *buffer, int64_t offset, const void *from,
                                 int64_t bytes, sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_buffer_download(const sedge_buffer *buffer, int64_t offset, void *to,
                                   int64_t bytes, sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_buffer_copy(sedge_buffer *to, const sedge_buffer *from, int64_t bytes,
                               sedge_stream *stream);

// Host memory that the device copies from and to without staging. Zeroed.
SEDGE_MUST_USE
sedge_status sedge_pinned_allocate(void *out, sedge_device *device, int64_t bytes);
void sedge_pinned_release(sedge_device *device, void *memory);

// ---- order and time ----------------------------------------------------------------------------

SEDGE_MUST_USE
sedge_status sedge_stream_create(sedge_stream **out, sedge_device *device, bool high_priority);
void sedge_stream_free(sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_stream_wait(sedge_stream *stream); // host waits for all work in it

SEDGE_MUST_USE
sedge_status sedge_event_create(sedge_event **out, sedge_device *device);
void sedge_event_free(sedge_event *event);
SEDGE_MUST_USE
sedge_status sedge_event_record(sedge_event *event, sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_event_wait(sedge_event *event); // host waits
// `*done` tells whether the event has happened; does not wait.
SEDGE_MUST_USE
sedge_status sedge_event_query(sedge_event *event, bool *done);
// Later work in `stream` waits for the event.
SEDGE_MUST_USE
sedge_status sedge_stream_wait_event(sedge_stream *stream, sedge_event *event);
// Seconds between two recorded events that have happened.
SEDGE_MUST_USE
sedge_status sedge_event_seconds(double *seconds, sedge_event *from, sedge_event *to);

// ---- programs ----------------------------------------------------------------------------------

// Compile `source` to a loadable binary (cubin, or a shared object). `*out` gets `*length` bytes to
// release with sedge_release. The compiler's whole log, resource usage included, goes to `log`. A
// failure is SEDGE_ERR_DEVICE with the first lines of the log. Works without a GPU for an explicit
// `arch` ("sm_90"); NULL: this device's. `keep_name`: with SEDGE_KEEP=folder set, the source is
// written to folder/keep_name.{cu,c}; may be NULL.
SEDGE_MUST_USE
sedge_status sedge_device_compile(sedge_device *device, const char *source, const char *arch,
                                  const char *keep_name, void **out, size_t *length,
                                  sedge_text *log);

// Compile for CUDA without a device, e.g. to check registers in CI. As above; needs NVRTC only.
SEDGE_MUST_USE
sedge_status sedge_nvrtc_compile(const char *source, const char *arch, void **out, size_t *length,
                                 sedge_text *log);

// Load what compile gave. Takes a copy. On the host only node-local memory is ever dlopen-ed.
SEDGE_MUST_USE
sedge_status sedge_module_load(sedge_module **out, sedge_device *device, const void *binary,
                               size_t length);
void sedge_module_free(sedge_module *module);

// A kernel by name; owned by the module.
SEDGE_MUST_USE
sedge_status sedge_module_get(const sedge_kernel **out, sedge_module *module, const char *name);

typedef struct sedge_kernel_info {
    int registers;                 // a thread; 0 on the host
    int64_t shared_bytes;          // static, a block
    int64_t local_bytes;           // spills and stack a thread
    int max_threads;               // a block
    int blocks_per_multiprocessor; // at `threads` (occupancy); 0 on the host
} sedge_kernel_info;

SEDGE_MUST_USE
sedge_status sedge_kernel_inspect(sedge_kernel_info *out, const sedge_kernel *kernel, int threads);

// Run `blocks` blocks of `threads` threads (host: `threads` is ignored). `arguments[i]` points to
// argument i, in the order of the kernel's list and without the implied leading block count.
// blocks 0 is fine and does nothing.
SEDGE_MUST_USE
sedge_status sedge_kernel_launch(const sedge_kernel *kernel, sedge_stream *stream, int64_t blocks,
                                 int threads, void *const *arguments, int count);
