// Inside src/device: the table of operations that every kind of device implements, and functions
// that the kinds share.
#pragma once

#include "device/device.h"
#include "device/peer.h"

#define SEDGE_KERNEL_ARGUMENTS_MAX 320

// The operations of one kind of device. Addresses are device addresses; the meaning of handles is
// the kind's own. Callers check sizes and ranges first. With a NULL stream handle the work is done
// when the call returns.
typedef struct sedge_device_operations {
    void (*close)(sedge_device *device);
    sedge_status (*make_current)(sedge_device *device); // NULL: threads have no context
    sedge_status (*allocate)(sedge_device *device, uint64_t *address, int64_t bytes);
    void (*release)(sedge_device *device, uint64_t address, int64_t bytes);
    sedge_status (*upload)(sedge_device *device, uint64_t to, const void *from, int64_t bytes,
                           void *stream);
    sedge_status (*download)(sedge_device *device, void *to, uint64_t from, int64_t bytes,
                             void *stream);
    sedge_status (*copy)(sedge_device *device, uint64_t to, uint64_t from, int64_t bytes,
                         void *stream);
    sedge_status (*pinned_allocate)(sedge_device *device, void **out, int64_t bytes);
    void (*pinned_release)(sedge_device *device, void *memory);

    sedge_status (*stream_create)(sedge_device *device, void **stream, bool high_priority);
    void (*stream_free)(sedge_device *device, void *stream);
    sedge_status (*stream_wait)(sedge_device *device, void *stream);
    sedge_status (*event_create)(sedge_device *device, void **event);
    void (*event_free)(sedge_device *device, void *event);
    sedge_status (*event_record)(sedge_device *device, void *event, void *stream);
    sedge_status (*event_wait)(sedge_device *device, void *event);
    sedge_status (*event_query)(sedge_device *device, void *event, bool *done);
    sedge_status (*stream_wait_event)(sedge_device *device, void *stream, void *event);
    sedge_status (*event_seconds)(sedge_device *device, double *seconds, void *from, void *to);

    // NULL where there are no graphs; then info.graphs is false.
    sedge_status (*graph_begin)(sedge_device *device, void *stream);
    sedge_status (*graph_end)(sedge_device *device, void **graph, void *stream);
    sedge_status (*graph_launch)(sedge_device *device, void *graph, void *stream);
    void (*graph_free)(sedge_device *device, void *graph);

    // NULL where no memory can be shared with other processes.
    const sedge_peer *(*peer)(const char **why);

    sedge_status (*compile)(sedge_device *device, const char *source, const char *arch,
                            const char *keep_name, void **out, size_t *length, sedge_text *log);
    sedge_status (*module_load)(sedge_device *device, void **module, const void *binary,
                                size_t length);
    void (*module_free)(sedge_device *device, void *module);
    sedge_status (*module_get)(sedge_device *device, sedge_kernel *kernel, void *module);
    sedge_status (*inspect)(sedge_device *device, sedge_kernel_info *out,
                            const sedge_kernel *kernel, int threads);
    sedge_status (*set_scratch)(sedge_device *device, sedge_kernel *kernel, int64_t bytes);
    sedge_status (*launch)(sedge_device *device, const sedge_kernel *kernel, void *stream,
                           int64_t blocks, int threads, void *const *arguments, int count);
} sedge_device_operations;

struct sedge_device {
    const sedge_device_operations *operations;
    void *state; // the kind's own
    sedge_device_info info;
    char name[256];
    char arch[384];
    sedge_text *compiler;
    sedge_text *options;
    int64_t memory_now;
    int64_t memory_peak;
    sedge_reserve *reserves;
    bool has_peers; // cuda: memory of another process was opened (peer.h)
};

struct sedge_kernel {
    sedge_module *module;
    sedge_kernel *next;
    char *name;
    void *function; // CUfunction; opencl_entry; the host's function pointer, byte by byte
    int scratch;    // bytes of shared memory that a launch gives each block
    bool waits;     // cuda: for the work before it, by itself, so that it may begin earlier
    sedge_signature signature;
    sedge_kernel_parameter *parameters; // signature.parameters, owned; NULL: none
    char *texts;                        // types and names, owned; NULL: none
};

struct sedge_module {
    sedge_device *device;
    void *handle;
    sedge_kernel *kernels; // those that sedge_module_get has returned so far
};

// Call the device kind's `allocate`. If it runs out of memory, ask all reserves to give back their
// memory and try once more.
SEDGE_MUST_USE
sedge_status sedge_device_allocate(sedge_device *device, uint64_t *address, int64_t bytes);

// Open a device of one kind: fill `device`, which is zeroed except for its texts. On failure the
// caller frees the device, so `close` must accept a partly filled state.
SEDGE_MUST_USE
sedge_status sedge_host_open(sedge_device *device, int local_ranks);
SEDGE_MUST_USE
sedge_status sedge_cuda_open(sedge_device *device, int local_rank);
// Make a cuda device's context current for this thread. `leave` restores the context that was
// current before, because the calling program may have contexts of its own. `scope` starts as
// {NULL, false}.
typedef struct sedge_cuda_scope {
    void *before;
    bool switched; // false: the device's context was current already
} sedge_cuda_scope;

SEDGE_MUST_USE
sedge_status sedge_cuda_enter(sedge_cuda_scope *scope, const sedge_device *device);
void sedge_cuda_leave(sedge_cuda_scope *scope);

// Enter, and leave automatically at the end of the enclosing block, whichever return ends it.
#define SEDGE_CUDA_SCOPE(name) \
    __attribute__((cleanup(sedge_cuda_leave))) sedge_cuda_scope name = {NULL, false}
#define SEDGE_CUDA_ENTER(device)     \
    SEDGE_CUDA_SCOPE(sedge_entered); \
    SEDGE_TRY(sedge_cuda_enter(&sedge_entered, device))
#define SEDGE_CUDA_ENTER_QUIETLY(device) \
    SEDGE_CUDA_SCOPE(sedge_entered);     \
    if (sedge_cuda_enter(&sedge_entered, device) != SEDGE_OK) return

SEDGE_MUST_USE
sedge_status sedge_opencl_open(sedge_device *device, int local_rank); // there is a device

// Fill the kernel's signature from the `length` bytes of the symbol sedge_signature_NAME, which the
// preludes write (codegen/kernels/program/prelude_cuda.h describes the format). SEDGE_ERR_DEVICE if
// the bytes are not a signature.
SEDGE_MUST_USE
sedge_status sedge_signature_read(sedge_kernel *kernel, const void *bytes, size_t length);

// Fill the kernel's signature where only the number and sizes of its parameters are known; `sizes`
// NULL: only the number.
SEDGE_MUST_USE
sedge_status sedge_signature_set(sedge_kernel *kernel, const int *sizes, int count);

// Write "sedge_signature_NAME" for a kernel; SEDGE_ERR_USAGE for a name that is too long.
#define SEDGE_SIGNATURE_NAME_MAX 256
SEDGE_MUST_USE
sedge_status sedge_signature_name(char name[SEDGE_SIGNATURE_NAME_MAX], const sedge_kernel *kernel);
void sedge_signature_clear(sedge_kernel *kernel);

// The kind's handle of a stream; NULL if `stream` is NULL.
void *sedge_stream_handle(const sedge_stream *stream);

// If SEDGE_KEEP is set, write `source` to SEDGE_KEEP/name.extension. If only SEDGE_DEBUG is set,
// write it into the folder sedge-kept of the working directory. Otherwise, or if `name` is NULL, do
// nothing.
SEDGE_MUST_USE
sedge_status sedge_keep_source(const char *source, const char *name, const char *extension);

// Fail with the part of a compiler's log that matters: from the first error on.
SEDGE_MUST_USE
sedge_status sedge_compile_failure(const char *what, const char *name, const char *log);

// True if SEDGE_TRACE, SEDGE_NVTX or SEDGE_DEBUG is set to anything but "" and "0".
bool sedge_trace_requested(void);
bool sedge_nvtx_requested(void);
bool sedge_debug_requested(void);

// SEDGE_ERR_USAGE where SEDGE_NVTX is set and this build has no NVTX.
SEDGE_MUST_USE
sedge_status sedge_range_check(void);

// One line of the trace: what was called, how long since `began` (sedge_clock).
__attribute__((format(printf, 3, 4))) void sedge_trace(const char *call, double began,
                                                       const char *format, ...);

// Load a library of the CUDA toolkit. If the environment variable `variable` is set, it names the
// library, which must be trusted (base/trust.h). Else the library is the first of `names` (NULL
// ends the list) that the loader or the toolkit's folder has. NULL: there is none, or it is not
// trusted. The caller closes it with dlclose.
void *sedge_toolkit_open(const char *variable, const char *const *names);
