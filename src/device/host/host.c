// The host device: everything runs at once, in the call.
#define _GNU_SOURCE // MADV_HUGEPAGE
#include "base/file.h"
#include "base/memory.h"
#include "base/openmp.h"
#include "device/backend.h"
#include "device/cpu.h"
#include "device/host/host_compiler.h"
#include "device/host/host_module.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// From here on a buffer gets pages of its own, large ones where the kernel has them: zero until
// touched, so that each page lands beside the thread that first writes it.
#define MAPPED_BYTES ((int64_t)2 << 20)
// A smaller one is not compared with the memory that is free: reading that takes longer than
// filling it.
#define COMPARED_BYTES ((int64_t)256 << 10)

// What a block may have in random order: as on an H100.
#define SHARED_BYTES  ((int64_t)227 << 10)
#define BLOCK_THREADS 1024

typedef struct host_state {
    sedge_host_compiler *compiler;
    sedge_order *order; // NULL: blocks and items in order
    bool trace;
} host_state;

typedef struct host_event {
    double seconds;
    bool recorded;
} host_event;

static void close_host(sedge_device *device)
{
    host_state *const state = device->state;

    if (state == NULL) return;
    sedge_host_compiler_free(state->compiler);
    sedge_order_free(state->order);
    sedge_release(state);
    device->state = NULL;
}

// ---- memory ------------------------------------------------------------------------------------

static sedge_status check_memory(int64_t bytes)
{
    if (bytes < COMPARED_BYTES) return SEDGE_OK;
    const int64_t available = sedge_cpu_memory_free();
    if (bytes <= available) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY,
                      "out of host memory: %.1f MiB were asked for, %.1f MiB are free",
                      (double)bytes / 1048576.0, (double)available / 1048576.0);
}

static sedge_status allocate(sedge_device *device, uint64_t *address, int64_t bytes)
{
    const host_state *const state = device->state;
    void *memory = NULL;

    SEDGE_TRY(check_memory(bytes));
    if (state->order != NULL) {
        SEDGE_TRY(sedge_order_allocate(state->order, &memory, bytes));
    } else if (bytes < MAPPED_BYTES) {
        SEDGE_TRY(sedge_allocate(&memory, bytes, 1));
    } else {
        memory =
            mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return SEDGE_FAIL(SEDGE_ERR_MEMORY,
                              "out of host memory: %.1f MiB were asked for, the system refuses",
                              (double)bytes / 1048576.0);
        }
        (void)madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
    }
    *address = (uint64_t)(uintptr_t)memory;
    return SEDGE_OK;
}

static void release(sedge_device *device, uint64_t address, int64_t bytes)
{
    const host_state *const state = device->state;
    void *const memory = (void *)(uintptr_t)address;

    if (state->order != NULL) {
        sedge_order_release(state->order, memory);
    } else if (bytes < MAPPED_BYTES) {
        sedge_release(memory);
    } else {
        (void)munmap(memory, (size_t)bytes);
    }
}

static sedge_status upload(sedge_device *device, uint64_t to, const void *from, int64_t bytes,
                           void *stream)
{
    (void)device;
    (void)stream;
    memcpy((void *)(uintptr_t)to, from, (size_t)bytes);
    return SEDGE_OK;
}

static sedge_status download(sedge_device *device, void *to, uint64_t from, int64_t bytes,
                             void *stream)
{
    (void)device;
    (void)stream;
    memcpy(to, (const void *)(uintptr_t)from, (size_t)bytes);
    return SEDGE_OK;
}

static sedge_status copy(sedge_device *device, uint64_t to, uint64_t from, int64_t bytes,
                         void *stream)
{
    return upload(device, to, (const void *)(uintptr_t)from, bytes, stream);
}

static sedge_status pinned_allocate(sedge_device *device, void **out, int64_t bytes)
{
    (void)device;
    SEDGE_TRY(check_memory(bytes));
    return sedge_allocate(out, bytes, 1);
}

static void pinned_release(sedge_device *device, void *memory)
{
    (void)device;
    sedge_release(memory);
}

// ---- order and time ----------------------------------------------------------------------------

static sedge_status stream_create(sedge_device *device, void **stream, bool high_priority)
{
    (void)device;
    (void)high_priority;
    *stream = NULL;
    return SEDGE_OK;
}

static void stream_free(sedge_device *device, void *stream)
{
    (void)device;
    (void)stream;
}

static sedge_status stream_wait(sedge_device *device, void *stream)
{
    (void)device;
    (void)stream;
    return SEDGE_OK;
}

static sedge_status event_create(sedge_device *device, void **event)
{
    (void)device;
    return sedge_allocate(event, 1, sizeof(host_event));
}

static void event_free(sedge_device *device, void *event)
{
    (void)device;
    sedge_release(event);
}

static sedge_status event_record(sedge_device *device, void *event, void *stream)
{
    host_event *const mine = event;

    (void)device;
    (void)stream;
    mine->seconds = sedge_clock();
    mine->recorded = true;
    return SEDGE_OK;
}

static sedge_status event_wait(sedge_device *device, void *event)
{
    (void)device;
    (void)event;
    return SEDGE_OK;
}

static sedge_status event_query(sedge_device *device, void *event, bool *done)
{
    (void)device;
    (void)event;
    *done = true;
    return SEDGE_OK;
}

static sedge_status stream_wait_event(sedge_device *device, void *stream, void *event)
{
    (void)device;
    (void)stream;
    (void)event;
    return SEDGE_OK;
}

static sedge_status event_seconds(sedge_device *device, double *seconds, void *from, void *to)
{
    const host_event *const first = from;
    const host_event *const last = to;

    (void)device;
    if (!first->recorded || !last->recorded)
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "the time of an event that was never recorded");
    *seconds = last->seconds - first->seconds;
    return SEDGE_OK;
}

// ---- programs ----------------------------------------------------------------------------------

static sedge_status compile(sedge_device *device, const char *source, const char *arch,
                            const char *keep_name, void **out, size_t *length, sedge_text *log)
{
    const host_state *const state = device->state;

    if (arch != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "the host device compiles for this machine only, not for '%s'", arch);
    }
    return sedge_host_compiler_run(state->compiler, source, keep_name, out, length, log);
}

static sedge_status module_load(sedge_device *device, void **module, const void *binary,
                                size_t length)
{
    const host_state *const state = device->state;
    sedge_host_module *loaded = NULL;

    SEDGE_TRY(sedge_host_module_load(&loaded, binary, length, device->info.multiprocessors,
                                     state->order));
    *module = loaded;
    return SEDGE_OK;
}

static void module_free(sedge_device *device, void *module)
{
    (void)device;
    sedge_host_module_free(module);
}

static sedge_status module_get(sedge_device *device, sedge_kernel *kernel, void *module)
{
    char name[SEDGE_SIGNATURE_NAME_MAX];
    size_t length;

    (void)device;
    SEDGE_TRY(sedge_host_module_get(module, kernel->name, &kernel->function));
    SEDGE_TRY(sedge_signature_name(name, kernel));
    const void *const signature = sedge_host_module_find(module, name, &length);
    return signature != NULL ? sedge_signature_read(kernel, signature, length) : SEDGE_OK;
}

static sedge_status inspect(sedge_device *device, sedge_kernel_info *out,
                            const sedge_kernel *kernel, int threads)
{
    (void)device;
    (void)kernel;
    (void)threads;
    out->max_threads = INT_MAX;
    return SEDGE_OK;
}

static sedge_status set_scratch(sedge_device *device, sedge_kernel *kernel, int64_t bytes)
{
    (void)device, (void)kernel, (void)bytes; // a kernel's block memory is on its stack
    return SEDGE_OK;
}

static sedge_status launch(sedge_device *device, const sedge_kernel *kernel, void *stream,
                           int64_t blocks, int threads, void *const *arguments, int count)
{
    const host_state *const state = device->state;
    const double began = state->trace ? sedge_clock() : 0.0;
    void *pointers[SEDGE_KERNEL_ARGUMENTS_MAX];
    void (*function)(long, void **);

    (void)stream;
    (void)threads;
    for (int i = 0; i < count; i++) pointers[i] = arguments[i];
    memcpy(&function, &kernel->function, sizeof function);
    function((long)blocks, pointers);
    if (state->trace) sedge_trace(kernel->name, began, "%lld blocks", (long long)blocks);
    const char *const problem = state->order != NULL ? sedge_order_problem(state->order) : NULL;
    if (problem == NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "kernel '%s' was stopped: %s", kernel->name, problem);
}

// ---- opening -----------------------------------------------------------------------------------

static const sedge_device_operations operations = {
    .close = close_host,
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .download = download,
    .copy = copy,
    .pinned_allocate = pinned_allocate,
    .pinned_release = pinned_release,
    .stream_create = stream_create,
    .stream_free = stream_free,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_free = event_free,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_query = event_query,
    .stream_wait_event = stream_wait_event,
    .event_seconds = event_seconds,
    .compile = compile,
    .module_load = module_load,
    .module_free = module_free,
    .module_get = module_get,
    .inspect = inspect,
    .set_scratch = set_scratch,
    .launch = launch,
};

// The seed of this device: the one that SEDGE_ORDER names, else another each time.
static sedge_status open_order(sedge_device *device)
{
    host_state *const state = device->state;
    const double began = sedge_clock();
    bool random;
    uint64_t seed;

    SEDGE_TRY(sedge_order_requested(&random, &seed));
    if (!random) return SEDGE_OK;
    if (seed == 0) seed = 1 + (uint64_t)(began * 1e9) % 1000000000u + (uint64_t)getpid();
    if (state->trace) sedge_trace("SEDGE_ORDER", began, "random:%llu", (unsigned long long)seed);
    device->info.random_order = true;
    device->info.multiprocessors = 1;
    device->info.shared_bytes_block = SHARED_BYTES;
    device->info.threads_block = BLOCK_THREADS;
    return sedge_order_create(&state->order, seed);
}

sedge_status sedge_host_open(sedge_device *device, int local_ranks)
{
    sedge_status status;
    host_state *state = NULL;
    sedge_text *text = NULL;

    device->operations = &operations;
    sedge_openmp_load(); // kernels load it
    SEDGE_TRY(sedge_allocate(&state, 1, sizeof *state));
    device->state = state;
    state->trace = sedge_trace_requested();
    SEDGE_TRY(sedge_cpu_threads(&device->info.multiprocessors, local_ranks));
    device->info.threads_block = INT_MAX;
    SEDGE_TRY(open_order(device));
    SEDGE_TRY(sedge_host_compiler_create(&state->compiler));
    SEDGE_TRY(sedge_host_compiler_identity(state->compiler, device->compiler));
    SEDGE_TRY(sedge_host_compiler_options(state->compiler, device->options));
    SEDGE_TRY(sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_host_compiler_arch(state->compiler, text));
    (void)snprintf(device->arch, sizeof device->arch, "%s", sedge_text_get(text));
    sedge_text_free(text);
    SEDGE_TRY(sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_cpu_model(text));
    (void)snprintf(device->name, sizeof device->name, "%s", sedge_text_get(text));
    device->info.devices_on_node = 1;
    device->info.memory_bytes = sedge_cpu_memory_bytes();
    device->info.l2_bytes = sedge_cpu_last_cache_bytes();
    device->info.vector_bytes = sedge_cpu_vector_bytes();
done:
    sedge_text_free(text);
    return status;
}
