// Devices: the only place, with its .c files, that sees the CUDA driver, NVRTC, OpenCL, the system
// compiler and dlopen. Code outside this folder does not test which kind of device is in use; it
// tests what the device can do (sedge_traits). The exceptions are listed, with reasons, in
// tests/device/kinds.cmake.
//
// Kinds: `cuda` (driver API and NVRTC, loaded at run time: the same binary starts on machines
// without either), `opencl` (any device of OpenCL 1.2 or later, loaded at run time) and `host` (C
// written at run time, compiled by the system compiler through a helper process, loaded with
// dlopen).
//
// Work is queued in streams and runs in order within one stream; on the host all work runs
// immediately, inside the call. All calls for one device must come from one thread, with two
// exceptions: several threads may call sedge_device_compile at once; and another thread may wait
// for an event, and may download buffers in a stream that only it uses, with events of its own. No
// function here is collective.
//
// Failures are SEDGE_ERR_DEVICE with the driver's or compiler's words, unless a comment says
// otherwise. The caller frees what it creates. Objects made from a device are freed before the
// device, and only when no queued work needs them any more. The free functions accept NULL.
//
// The form of a kernel in the compiled binary (the preludes in codegen/kernels produce it): on the
// host `void NAME(long blocks, void **arguments)`, where arguments[i] points to argument i; on cuda
// `extern "C" __global__ void NAME(long long blocks, ...arguments)`; on opencl see
// src/device/opencl/opencl_program.h.
//
// Environment: SEDGE_CC (host compiler: a name or a path, no arguments), SEDGE_NVRTC (path of
// libnvrtc), SEDGE_OPENCL (a part of "PLATFORM: DEVICE": others are not used), SEDGE_THREADS,
// SEDGE_KEEP (folder for compiled sources), SEDGE_DEBUG=1 (line information in binaries, sources
// kept in sedge-kept here if SEDGE_KEEP names no folder), SEDGE_TRACE=1 (each driver call with
// microseconds to stderr), SEDGE_ORDER (host: "random" or "random:SEED" runs the work items of a
// block, and the blocks, in random order, so that a missing barrier changes the result; "" or
// "fixed" is the usual order).
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sedge_device_kind {
    SEDGE_DEVICE_HOST,
    SEDGE_DEVICE_CUDA,
    SEDGE_DEVICE_OPENCL
} sedge_device_kind;

typedef struct sedge_device sedge_device;
typedef struct sedge_buffer sedge_buffer;
typedef struct sedge_stream sedge_stream;
typedef struct sedge_event sedge_event;
typedef struct sedge_graph sedge_graph;
typedef struct sedge_module sedge_module;
typedef struct sedge_kernel sedge_kernel;

// Start the process that runs the host compiler. Must be called before MPI_Init (a fork later is
// not safe under all transports); main calls it first. The helper ends when this process ends.
// Nothing else starts it: without this call a host device is refused. A second call, from any
// thread, does nothing. A child made by fork must call it again. The helper inherits no open files.
// The environment is not changed.
SEDGE_MUST_USE
sedge_status sedge_device_start_helper(void);
void sedge_device_stop_helper(void);

// Set for good the environment variables that PoCL, the OpenCL of machines without a GPU, reads,
// except those that the user has set:
//   - POCL_CACHE_DIR, POCL_KERNEL_CACHE: it compiles in a folder of this process.
//   - POCL_WORK_GROUP_SPECIALIZATION: it does not compile a kernel again at its first launch. It
//     would do so for the block size, which the binary already contains.
//   - POCL_MAX_PTHREAD_COUNT: at most as many threads as processors, and at most SEDGE_THREADS if
//     that is valid. It wakes every thread for each kernel; with thousands of them it hangs.
//   - POCL_SIGFPE_HANDLER, POCL_SIGUSR2_HANDLER: it installs no signal handlers.
// Without this call they are set while an opencl device is opened, a program is compiled for it,
// and a kernel is launched for the first time, and restored before the call returns; meanwhile no
// other thread of the program may read or change the environment. So a program with such threads
// calls this while it has one thread. MPI may load PoCL: a program in which it does calls this
// before MPI starts. A second call in a process does nothing.
//
// During the same calls folders in which everybody may create files are left out of PATH.
void sedge_device_prepare_environment(void);

// True if a compile thread was abandoned because NVRTC or OpenCL's compiler did not end within its
// time limit, SEDGE_CC_SECONDS. The thread keeps running and cannot be stopped. The process must
// then end with `_exit`, because `exit` would destroy objects that the thread uses.
bool sedge_device_is_left_busy(void);

// Stop waiting for compilers, because a signal asks the process to stop (true), or wait for them
// again (false). A compiler that is running is killed; one inside a driver cannot be killed and is
// abandoned. Its caller gets SEDGE_ERR_STOPPED. A compiler that starts later may take
// SEDGE_LIMIT_GRACE seconds (limit.h). Safe in a signal handler.
void sedge_device_stop_compilers(bool stop);

// Call `pending` (NULL: no function) every 0.1 s while waiting for a compiler; if it returns true,
// this has the same effect as sedge_device_stop_compilers(true). It serves programs that block
// their signals, so that no handler runs. `pending` must be safe to call from any thread.
void sedge_device_stop_when(bool (*pending)(void));

// Number of usable CUDA devices. It is 0 if there is no driver, no device, or no NVRTC; `why` (may
// be NULL) then gets the reason in words.
int sedge_device_count_cuda(const char **why);

// The same for OpenCL: its devices of version 1.2 or later with a compiler.
int sedge_device_count_opencl(const char **why);

// `kind_name`: "auto" (cuda if a device is there, else host), "cuda", "opencl", "host".
// `local_rank` picks the CUDA or OpenCL device (local_rank modulo their number; GPUs and
// accelerators of OpenCL come first). `local_ranks` determines the threads of the host device: the
// node's processors divided by the ranks that share them, at least 1 and at most the processors
// that this process may use. SEDGE_THREADS overrides this number; PoCL also obeys SEDGE_THREADS, up
// to the number of processors. Fails with SEDGE_ERR_DEVICE and the reason (SEDGE_ERR_USAGE for a
// bad SEDGE_THREADS). The caller frees it after everything made from it.
SEDGE_MUST_USE
sedge_status sedge_device_create(sedge_device **out, const char *kind_name, int local_rank,
                                 int local_ranks);
void sedge_device_free(sedge_device *device);

// For a program in which only sedge uses the GPU: make the device's CUDA context current for this
// thread until the device is freed. Otherwise each call makes the context current and then restores
// the previous one, which costs a few driver calls. On other devices nothing happens.
SEDGE_MUST_USE
sedge_status sedge_device_make_current(sedge_device *device);

// Create a device that only compiles, for a chip that need not be present. For cuda, `arch` is e.g.
// "sm_90", and only NVRTC is needed. Options and binaries are those of such a GPU: compiler and
// arch are chosen as in a run there, so that the run finds the binaries in the cache. Of its info
// only what kernels depend on is set: kind, arch, compiler, shared_bytes_block, threads_block. With
// `arch` NULL this is sedge_device_create with that kind. Functions that need the chip itself fail
// with SEDGE_ERR_INTERNAL.
SEDGE_MUST_USE
sedge_status sedge_device_create_target(sedge_device **out, const char *kind_name,
                                        const char *arch);

// How many compilers this process should run at once if `local_ranks` ranks share the node: its
// share of the processors that it may use.
int sedge_device_compilers(int local_ranks);

typedef struct sedge_device_info {
    sedge_device_kind kind;
    const char *kind_name; // "cuda", "opencl", "host"
    const char *name;      // "NVIDIA H200", CPU model
    const char *arch;      // "sm_90"; opencl: the device's version; host: the resolved -march and
                           // its features
    const char *compiler;  // identity for the cache key: NVRTC version and library build; OpenCL's
                           // platform, driver and device; `cc -v`
    int ordinal;           // CUDA or OpenCL device; 0 on the host
    int devices_on_node;   // CUDA or OpenCL devices seen; 1 on the host
    int multiprocessors;   // opencl: compute units; host: threads
    int processors;        // this rank's share of the node's: how many threads it may keep busy
    int64_t memory_bytes;
    int64_t l2_bytes;           // last-level cache
    int64_t shared_bytes_block; // shared memory a block may use (opt-in size) as SEDGE_SCRATCH;
                                // host: 0, and in random order what an H100 has
    int threads_block;          // most threads of a block; host: in random order as on a GPU
    int vector_bytes;           // widest vector register of the host; 0 on others
    bool random_order;          // host: kernels run in the form of the GPUs (SEDGE_ORDER)
    bool graphs;                // work can be recorded and launched as a whole
} sedge_device_info;

// What a kind of device can do. Code that writes or chooses kernels tests these properties and
// never the kind itself, so that a new kind needs only one row in traits.c and a folder in
// src/device.
typedef struct sedge_traits {
    bool in_call;     // this process's threads do the work, in the call that starts it: nothing
                      // runs meanwhile, needs warming up or is waited for; a kernel is loops
                      // over vector registers, not blocks of threads (but see random_order)
    bool gpu_rules;   // certainly a GPU: rules found on GPUs hold (its bandwidth, blocks of
                      // 1024 threads, much shared memory). An OpenCL device may be a processor
    bool blocks_meet; // blocks may count themselves, read what earlier blocks of the same
                      // launch wrote, and wait for it
    bool mpi_memory;  // there are MPIs that take addresses of its memory
    bool vendor_libraries; // cuBLAS and cuSPARSE work on it
    bool joint_compile;    // the compiler takes several programs at once in less time than one each
    bool fixed_scratch;    // the bytes of a block's memory stand in a program's source
    double launch_nodes;   // what a small launch costs: for so many nodes of straight elements a
                           // stage in fp32 takes as long
} sedge_traits;

const sedge_traits *sedge_traits_of(sedge_device_kind kind);

// Those of the kind that sedge_device_create takes by this name, which opens no device: on a node
// without a GPU "cuda" has its traits, too. `kind_name` is one of the deck's words.
const sedge_traits *sedge_traits_expected(const char *kind_name);
const sedge_traits *sedge_device_get_traits(const sedge_device *device);

// Whether the chip has matrix units for double precision, and whether the blocks of a cluster can
// read each other's shared memory. Both follow from info's arch, so the chip need not be present.
bool sedge_device_has_matrix_units(const sedge_device_info *info);
bool sedge_device_has_clusters(const sedge_device_info *info);

// Borrowed from the device.
const sedge_device_info *sedge_device_get_info(const sedge_device *device);

// What SEDGE_ORDER requests of the host device. `*seed` is 0 if the variable names no seed.
// SEDGE_ERR_USAGE for an invalid value.
SEDGE_MUST_USE
sedge_status sedge_order_requested(bool *random, uint64_t *seed);

// The options that sedge_device_compile gives the compiler for this device, without file names: a
// part of the cache key. Borrowed.
const char *sedge_device_compile_options(const sedge_device *device);

// Bytes in buffers of this device, now and at the peak.
int64_t sedge_device_memory_now(const sedge_device *device);
int64_t sedge_device_memory_peak(const sedge_device *device);

// ---- memory ------------------------------------------------------------------------------------

// `bytes` bytes of device memory, zeroed; 0 is fine. Out of memory is SEDGE_ERR_MEMORY and says how
// much was asked for and how much is free.
SEDGE_MUST_USE
sedge_status sedge_buffer_create(sedge_buffer **out, sedge_device *device, int64_t bytes);
void sedge_buffer_free(sedge_buffer *buffer);

// An owner of unused device memory, such as a memory pool. When any allocation runs out of memory
// (a buffer, pinned memory, or memory shared with other processes, peer.h), all reserves are asked
// to give back what they can, and the allocation is tried once more. `give_back` may wait for work
// and free buffers; it must not create any.
typedef struct sedge_reserve {
    void (*give_back)(void *owner);
    void *owner;
    struct sedge_reserve *next; // the device's
} sedge_reserve;

// `reserve` must stay valid at its address until it is removed, which must happen before the device
// is freed. Removing a reserve that was not added does nothing.
void sedge_device_add_reserve(sedge_device *device, sedge_reserve *reserve);
void sedge_device_remove_reserve(sedge_device *device, const sedge_reserve *reserve);
int64_t sedge_buffer_bytes(const sedge_buffer *buffer);

// The address to hand to kernels, as a kernel argument of pointer type (8 bytes).
uint64_t sedge_buffer_address(const sedge_buffer *buffer);

// Copies. With `stream` NULL the copy is done when the call returns, but it is not ordered after
// work in any stream. With a stream the copy is queued in it; the host memory should be pinned and
// must stay valid until the copy is done. A range outside the buffer is SEDGE_ERR_INTERNAL.
// sedge_buffer_copy copies the first `bytes` bytes; the two buffers must differ.
SEDGE_MUST_USE
sedge_status sedge_buffer_upload(sedge_buffer *buffer, int64_t offset, const void *from,
                                 int64_t bytes, sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_buffer_download(const sedge_buffer *buffer, int64_t offset, void *to,
                                   int64_t bytes, sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_buffer_copy(sedge_buffer *to, const sedge_buffer *from, int64_t bytes,
                               sedge_stream *stream);

// Fill the buffer with copies of its first `bytes` bytes, one after the other; the last copy is
// truncated at the buffer's end. Nothing is copied between host and device. `stream` as above.
// `bytes` must be between 1 and the buffer's size, else SEDGE_ERR_INTERNAL; for an empty buffer
// `bytes` is ignored.
SEDGE_MUST_USE
sedge_status sedge_buffer_repeat(sedge_buffer *buffer, int64_t bytes, sedge_stream *stream);

// Set `*out` (a pointer to any object pointer) to `bytes` bytes of host memory that the device
// copies from and to without staging. Zeroed; 0 is fine. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_pinned_allocate(void *out, sedge_device *device, int64_t bytes);
void sedge_pinned_release(sedge_device *device, void *memory);

// ---- order and time ----------------------------------------------------------------------------

// If the device supports priorities, work in a stream with high priority runs first.
SEDGE_MUST_USE
sedge_status sedge_stream_create(sedge_stream **out, sedge_device *device, bool high_priority);
void sedge_stream_free(sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_stream_wait(sedge_stream *stream); // host waits for all work in it

// Events. Before its first record an event counts as happened, but has no time.
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

// ---- graphs ------------------------------------------------------------------------------------

// A graph is a recorded sequence of work that is launched as a whole, any number of times, with
// less time between kernels than separate launches. Work queued in `stream` between begin and end
// is recorded and does not run. Only launches, copies, events and flags (peer.h) can be recorded,
// in this stream or in streams that wait for its events and for which it waits before the end.
// Every launch of the graph uses the addresses and values given at recording. While recording,
// memory must not be allocated or freed, and the host must not wait. SEDGE_ERR_USAGE on devices
// without graphs (info.graphs); there the caller repeats the calls.
SEDGE_MUST_USE
sedge_status sedge_graph_begin(sedge_stream *stream);
// The caller frees the graph when its launches are done. After a failure the stream is as before
// begin.
SEDGE_MUST_USE
sedge_status sedge_graph_end(sedge_graph **out, sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_graph_launch(sedge_graph *graph, sedge_stream *stream);
void sedge_graph_free(sedge_graph *graph);

// ---- programs ----------------------------------------------------------------------------------

// Compile `source` to a loadable binary (cubin, OpenCL's binary with what its kernels take, or a
// shared object). `*out` gets `*length` bytes to release with sedge_release. The compiler's whole
// log, resource usage included, is appended to `log` (may be NULL). A failure is SEDGE_ERR_DEVICE
// with the lines of the log from the first error on. `arch` "sm_90" or "compute_90" compiles for
// another CUDA chip than this device's (NULL: this device's); on others it must be NULL.
// `keep_name`: with SEDGE_KEEP=folder set, the source is written to folder/keep_name.{cu,cl,c}; may
// be NULL. Several threads may compile at once.
SEDGE_MUST_USE
sedge_status sedge_device_compile(sedge_device *device, const char *source, const char *arch,
                                  const char *keep_name, void **out, size_t *length,
                                  sedge_text *log);

// Compile for CUDA without a device, e.g. to check registers in CI. As above; needs NVRTC only, and
// `arch` is not NULL.
SEDGE_MUST_USE
sedge_status sedge_nvrtc_compile(const char *source, const char *arch, void **out, size_t *length,
                                 sedge_text *log);

// Load a binary that sedge_device_compile made; the binary is copied. On the host the module is
// loaded from node-local memory only, and if it exports `void sedge_set_threads(int)`, that
// function is called with the device's number of threads.
SEDGE_MUST_USE
sedge_status sedge_module_load(sedge_module **out, sedge_device *device, const void *binary,
                               size_t length);
void sedge_module_free(sedge_module *module);

// A kernel by name; owned by the module. SEDGE_ERR_DEVICE where there is none.
SEDGE_MUST_USE
sedge_status sedge_module_get(const sedge_kernel **out, sedge_module *module, const char *name);

const char *sedge_kernel_name(const sedge_kernel *kernel); // borrowed from the kernel

typedef enum sedge_value_kind {
    SEDGE_KIND_UNKNOWN,
    SEDGE_KIND_POINTER,
    SEDGE_KIND_INTEGER,
    SEDGE_KIND_FLOATING,
    SEDGE_KIND_OTHER // a structure, a vector, a complex number
} sedge_value_kind;

typedef struct sedge_kernel_parameter {
    const char *type; // as in the source (opencl: as the compiler spells it, without qualifiers);
                      // "": not known
    const char *name; // "": not known
    int bytes;        // -1: not known
    sedge_value_kind kind;
} sedge_kernel_parameter;

// The parameters of a kernel, without the leading block count. For kernels of the dialect
// (SEDGE_KERNEL) everything is known. For other kernels, cuda 12.4 and later gives the number and
// the sizes of the parameters, and the host gives nothing; opencl refuses such kernels.
typedef struct sedge_signature {
    int count;                                // of parameters; -1: not known
    int threads;                              // of a block; 0: not known
    const sedge_kernel_parameter *parameters; // `count` of them; NULL with count <= 0
} sedge_signature;

// Borrowed from the kernel.
const sedge_signature *sedge_kernel_signature(const sedge_kernel *kernel);

// What the driver reports about a kernel. sedge_program_inspect (program/program.h) adds the spills
// from the compiler's log.
typedef struct sedge_kernel_info {
    int registers;                 // a thread; 0 on the host and on opencl, which does not tell
    int64_t shared_bytes;          // static, a block; opencl: what is set as scratch, too
    int64_t local_bytes;           // spills and stack a thread; 0 on the host
    int64_t spill_store_bytes;     // bytes of register spills written; -1: not known
    int64_t spill_load_bytes;      // bytes of register spills read; -1: not known
    int max_threads;               // a block; INT_MAX on the host
    int blocks_per_multiprocessor; // at `threads` (occupancy); 0 on the host and on opencl
} sedge_kernel_info;

// `threads`: the threads of a block for which the occupancy is computed.
SEDGE_MUST_USE
sedge_status sedge_kernel_inspect(sedge_kernel_info *out, const sedge_kernel *kernel, int threads);

// Set the size of the dynamic shared memory (SEDGE_SCRATCH in the kernel dialect) that each block
// gets in later launches, at most shared_bytes_block of the device. On the host nothing happens,
// because kernels have memory of their own.
SEDGE_MUST_USE
sedge_status sedge_kernel_set_scratch(const sedge_kernel *kernel, int64_t bytes);

// Run `blocks` blocks of `threads` threads (host: `threads` is ignored; opencl: those of
// SEDGE_KERNEL). `arguments[i]` points to argument i, in the order of the kernel's list and without
// the implied leading block count; values are copied during the call. With 0 blocks the call does
// nothing. Kernels of a stream see what those before them have stored; on cuda (sm_90) one of
// the dialect may be set up while the one before it ends. `stream` NULL: done when the call
// returns. A wrong `count` is SEDGE_ERR_INTERNAL where the kernel's signature is known;
// program/launch.h checks more. On opencl every pointer is 0 or lies in a buffer of this device,
// else SEDGE_ERR_INTERNAL.
SEDGE_MUST_USE
sedge_status sedge_kernel_launch(const sedge_kernel *kernel, sedge_stream *stream, int64_t blocks,
                                 int threads, void *const *arguments, int count);
