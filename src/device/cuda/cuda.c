// The cuda device: the driver API, one primary context, work in non-blocking streams.
#include "device/backend.h"

#if SEDGE_HAVE_CUDA
#include "base/memory.h"
#include "device/cuda/cuda_driver.h"
#include "device/cuda/nvrtc.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct cuda_state {
    CUdevice device;
    CUcontext context; // NULL until retained
    CUstream own;      // for calls without a stream
    bool kept;         // current in the device's thread until it is freed
} cuda_state;

int sedge_device_count_cuda(const char **why)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    static _Thread_local char no_compiler[1024];

    if (why != NULL) *why = driver->why;
    if (driver->devices == 0) return 0;
    if (sedge_nvrtc_load() == SEDGE_OK) return driver->devices;
    (void)snprintf(no_compiler, sizeof no_compiler, "%s", sedge_error_message());
    sedge_error_clear();
    if (why != NULL) *why = no_compiler;
    return 0;
}

sedge_status sedge_cuda_enter(sedge_cuda_scope *scope, const sedge_device *device)
{
    const cuda_state *const state = device->state;
    CUcontext current = NULL;

    // Not traced: it stands before every call.
    if (sedge_cuda_driver_get()->cuCtxGetCurrent(&current) == CUDA_SUCCESS &&
        current == state->context)
        return SEDGE_OK;
    SEDGE_CUDA(cuCtxSetCurrent, (state->context), "device %d", device->info.ordinal);
    scope->before = current;
    scope->switched = true;
    return SEDGE_OK;
}

void sedge_cuda_leave(sedge_cuda_scope *scope)
{
    if (scope->switched) SEDGE_CUDA_QUIETLY(cuCtxSetCurrent, (scope->before), "as before");
}

static sedge_status make_current(sedge_device *device)
{
    cuda_state *const state = device->state;
    sedge_cuda_scope scope = {NULL, false};

    SEDGE_TRY(sedge_cuda_enter(&scope, device)); // and no leave
    state->kept = state->kept || scope.switched;
    return SEDGE_OK;
}

CUstream sedge_cuda_stream(const sedge_device *device, void *stream)
{
    const cuda_state *const state = device->state;

    return stream != NULL ? (CUstream)stream : state->own;
}

sedge_status sedge_cuda_end(const sedge_device *device, void *stream)
{
    const cuda_state *const state = device->state;

    if (stream == NULL) SEDGE_CUDA(cuStreamSynchronize, (state->own), "own stream");
    return SEDGE_OK;
}

// ---- memory ------------------------------------------------------------------------------------

static sedge_status out_of_memory(const char *what, int64_t bytes)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    size_t available = 0;
    size_t all = 0;

    (void)driver->cuMemGetInfo(&available, &all);
    return SEDGE_FAIL(
        SEDGE_ERR_MEMORY, "out of %s: %.1f MiB were asked for, %.1f of the GPU's %.1f MiB are free",
        what, (double)bytes / 1048576.0, (double)available / 1048576.0, (double)all / 1048576.0);
}

static sedge_status allocate(sedge_device *device, uint64_t *address, int64_t bytes)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    const cuda_state *const state = device->state;
    CUdeviceptr memory = 0;

    SEDGE_CUDA_ENTER(device);
    const double began = driver->trace ? sedge_clock() : 0.0;
    const CUresult code = driver->cuMemAlloc(&memory, (size_t)bytes);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) return out_of_memory("device memory", bytes);
    SEDGE_TRY(sedge_cuda_finish(__FILE__, __LINE__, "cuMemAlloc", code, began,
                                "%lld bytes at 0x%llx", (long long)bytes, (long long)memory));
    *address = memory;
    SEDGE_CUDA(cuMemsetD8Async, (memory, 0, (size_t)bytes, state->own),
               "0x%llx, %lld bytes, own stream", (long long)memory, (long long)bytes);
    return sedge_cuda_end(device, NULL);
}

static void release(sedge_device *device, uint64_t address, int64_t bytes)
{
    SEDGE_CUDA_ENTER_QUIETLY(device);
    SEDGE_CUDA_QUIETLY(cuMemFree, (address), "0x%llx, %lld bytes", (long long)address,
                       (long long)bytes);
}

static sedge_status upload(sedge_device *device, uint64_t to, const void *from, int64_t bytes,
                           void *stream)
{
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuMemcpyHtoDAsync, (to, from, (size_t)bytes, sedge_cuda_stream(device, stream)),
               "0x%llx from %p, %lld bytes, stream %p", (long long)to, from, (long long)bytes,
               stream);
    return sedge_cuda_end(device, stream);
}

static sedge_status download(sedge_device *device, void *to, uint64_t from, int64_t bytes,
                             void *stream)
{
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuMemcpyDtoHAsync, (to, from, (size_t)bytes, sedge_cuda_stream(device, stream)),
               "%p from 0x%llx, %lld bytes, stream %p", to, (long long)from, (long long)bytes,
               stream);
    return sedge_cuda_end(device, stream);
}

static sedge_status copy(sedge_device *device, uint64_t to, uint64_t from, int64_t bytes,
                         void *stream)
{
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuMemcpyDtoDAsync, (to, from, (size_t)bytes, sedge_cuda_stream(device, stream)),
               "0x%llx from 0x%llx, %lld bytes, stream %p", (long long)to, (long long)from,
               (long long)bytes, stream);
    return sedge_cuda_end(device, stream);
}

static sedge_status pinned_allocate(sedge_device *device, void **out, int64_t bytes)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();

    SEDGE_CUDA_ENTER(device);
    const double began = driver->trace ? sedge_clock() : 0.0;
    const CUresult code = driver->cuMemHostAlloc(out, (size_t)bytes, CU_MEMHOSTALLOC_PORTABLE);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) return out_of_memory("pinned host memory", bytes);
    SEDGE_TRY(sedge_cuda_finish(__FILE__, __LINE__, "cuMemHostAlloc", code, began,
                                "%lld bytes at %p", (long long)bytes, *out));
    memset(*out, 0, (size_t)bytes);
    return SEDGE_OK;
}

static void pinned_release(sedge_device *device, void *memory)
{
    SEDGE_CUDA_ENTER_QUIETLY(device);
    SEDGE_CUDA_QUIETLY(cuMemFreeHost, (memory), "%p", memory);
}

// ---- order and time ----------------------------------------------------------------------------

static sedge_status stream_create(sedge_device *device, void **stream, bool high_priority)
{
    CUstream created = NULL;
    int lowest = 0;
    int highest = 0; // a smaller number

    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuCtxGetStreamPriorityRange, (&lowest, &highest), "device %d", device->info.ordinal);
    const int priority = high_priority ? highest : lowest;
    SEDGE_CUDA(cuStreamCreateWithPriority, (&created, CU_STREAM_NON_BLOCKING, priority),
               "priority %d", priority);
    *stream = created;
    return SEDGE_OK;
}

static void stream_free(sedge_device *device, void *stream)
{
    SEDGE_CUDA_ENTER_QUIETLY(device);
    SEDGE_CUDA_QUIETLY(cuStreamDestroy, (stream), "stream %p", stream);
}

static sedge_status stream_wait(sedge_device *device, void *stream)
{
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuStreamSynchronize, (stream), "stream %p", stream);
    return SEDGE_OK;
}

static sedge_status event_create(sedge_device *device, void **event)
{
    CUevent created = NULL;

    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuEventCreate, (&created, CU_EVENT_DEFAULT), "with timing");
    *event = created;
    return SEDGE_OK;
}

static void event_free(sedge_device *device, void *event)
{
    SEDGE_CUDA_ENTER_QUIETLY(device);
    SEDGE_CUDA_QUIETLY(cuEventDestroy, (event), "event %p", event);
}

static sedge_status event_record(sedge_device *device, void *event, void *stream)
{
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuEventRecord, (event, sedge_cuda_stream(device, stream)), "event %p, stream %p",
               event, stream);
    return SEDGE_OK;
}

static sedge_status event_wait(sedge_device *device, void *event)
{
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuEventSynchronize, (event), "event %p", event);
    return SEDGE_OK;
}

static sedge_status event_query(sedge_device *device, void *event, bool *done)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();

    SEDGE_CUDA_ENTER(device);
    const double began = driver->trace ? sedge_clock() : 0.0;
    const CUresult code = driver->cuEventQuery(event);
    *done = code == CUDA_SUCCESS;
    if (!driver->trace && (*done || code == CUDA_ERROR_NOT_READY)) return SEDGE_OK; // polled
    return sedge_cuda_finish(__FILE__, __LINE__, "cuEventQuery",
                             code == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : code, began,
                             "event %p: %s", event, *done ? "happened" : "not yet");
}

static sedge_status stream_wait_event(sedge_device *device, void *stream, void *event)
{
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuStreamWaitEvent, (stream, event, CU_EVENT_WAIT_DEFAULT), "stream %p, event %p",
               stream, event);
    return SEDGE_OK;
}

static sedge_status event_seconds(sedge_device *device, double *seconds, void *from, void *to)
{
    float milliseconds = 0.0f;

    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuEventElapsedTime, (&milliseconds, from, to), "events %p, %p", from, to);
    *seconds = 1e-3 * (double)milliseconds;
    return SEDGE_OK;
}

// ---- graphs ------------------------------------------------------------------------------------

static sedge_status graph_begin(sedge_device *device, void *stream)
{
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuStreamBeginCapture, (stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "stream %p",
               stream);
    return SEDGE_OK;
}

static void graph_free(sedge_device *device, void *graph)
{
    SEDGE_CUDA_ENTER_QUIETLY(device);
    SEDGE_CUDA_QUIETLY(cuGraphExecDestroy, (graph), "graph %p", graph);
}

static sedge_status graph_end(sedge_device *device, void **graph, void *stream)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    CUgraph recorded = NULL;
    CUgraphExec made = NULL;

    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuStreamEndCapture, (stream, &recorded), "stream %p", stream);
    const double began = driver->trace ? sedge_clock() : 0.0;
    const CUresult code = driver->cuGraphInstantiateWithFlags(&made, recorded, 0);
    SEDGE_CUDA_QUIETLY(cuGraphDestroy, (recorded), "graph %p", (void *)recorded);
    SEDGE_TRY(sedge_cuda_finish(__FILE__, __LINE__, "cuGraphInstantiateWithFlags", code, began,
                                "graph %p", (void *)recorded));
    *graph = made;
    return SEDGE_OK;
}

static sedge_status graph_launch(sedge_device *device, void *graph, void *stream)
{
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuGraphLaunch, (graph, stream), "graph %p, stream %p", graph, stream);
    return SEDGE_OK;
}

// ---- programs ----------------------------------------------------------------------------------

static sedge_status compile(sedge_device *device, const char *source, const char *arch,
                            const char *keep_name, void **out, size_t *length, sedge_text *log)
{
    return sedge_nvrtc_compile_named(source, arch != NULL ? arch : device->arch, keep_name, out,
                                     length, log);
}

static sedge_status module_load(sedge_device *device, void **module, const void *binary,
                                size_t length)
{
    CUmodule loaded = NULL;

    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuModuleLoadData, (&loaded, binary), "%zu bytes", length);
    *module = loaded;
    return SEDGE_OK;
}

static void module_free(sedge_device *device, void *module)
{
    SEDGE_CUDA_ENTER_QUIETLY(device);
    SEDGE_CUDA_QUIETLY(cuModuleUnload, (module), "%p", module);
}

// Of a kernel that is not written in the dialect: the driver is asked for one parameter after the
// other, and its refusal of the one behind the last is an error in the eyes of compute-sanitizer.
static sedge_status count_parameters(sedge_kernel *kernel)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    int sizes[SEDGE_KERNEL_ARGUMENTS_MAX + 1];
    size_t offset;
    size_t size;
    int count = 0;

    if (driver->function_parameter == NULL) return SEDGE_OK;
    const double began = driver->trace ? sedge_clock() : 0.0;
    while (count <= SEDGE_KERNEL_ARGUMENTS_MAX &&
           driver->function_parameter(kernel->function, (size_t)count, &offset, &size) ==
               CUDA_SUCCESS)
        sizes[count++] = (int)size;
    if (driver->trace)
        sedge_trace("cuFuncGetParamInfo", began, "'%s', %d times", kernel->name, count + 1);
    if (count == 0) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "kernel '%s' lacks its first parameter, the number of blocks",
                          kernel->name);
    }
    return sedge_signature_set(kernel, sizes + 1, count - 1);
}

static sedge_status read_signature(sedge_device *device, sedge_kernel *kernel, void *module)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    const double began = sedge_clock();
    char name[SEDGE_SIGNATURE_NAME_MAX];
    sedge_status status;
    CUdeviceptr address = 0;
    size_t length = 0;
    char *bytes = NULL;

    SEDGE_TRY(sedge_signature_name(name, kernel));
    const CUresult code = driver->cuModuleGetGlobal(&address, &length, module, name);
    if (code == CUDA_ERROR_NOT_FOUND) {
        if (driver->trace) sedge_trace("cuModuleGetGlobal", began, "'%s': none", name);
        return count_parameters(kernel);
    }
    SEDGE_TRY(
        sedge_cuda_finish(__FILE__, __LINE__, "cuModuleGetGlobal", code, began, "'%s'", name));
    SEDGE_TRY(sedge_allocate(&bytes, (int64_t)length, 1));
    SEDGE_TRY_GOTO(status, download(device, bytes, address, (int64_t)length, NULL));
    SEDGE_TRY_GOTO(status, sedge_signature_read(kernel, bytes, length));
done:
    sedge_release(bytes);
    return status;
}

// Whether the kernel is one of the dialect's in a program whose kernels wait (prelude_cuda.h), on a
// chip where early launches were measured.
static sedge_status find_wait(const sedge_device *device, sedge_kernel *kernel, void *module)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    CUdeviceptr address = 0;
    size_t length = 0;

    kernel->waits = false;
    if (driver->cuLaunchKernelEx == NULL || kernel->signature.threads == 0 ||
        strncmp(device->arch, "sm_90", 5) != 0)
        return SEDGE_OK;
    const double began = driver->trace ? sedge_clock() : 0.0;
    const CUresult code = driver->cuModuleGetGlobal(&address, &length, module, "sedge_waits");
    kernel->waits = code == CUDA_SUCCESS;
    if (code == CUDA_ERROR_NOT_FOUND) return SEDGE_OK;
    return sedge_cuda_finish(__FILE__, __LINE__, "cuModuleGetGlobal", code, began,
                             "'sedge_waits' for '%s'", kernel->name);
}

static sedge_status module_get(sedge_device *device, sedge_kernel *kernel, void *module)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    const double began = sedge_clock();
    CUfunction function = NULL;

    SEDGE_CUDA_ENTER(device);
    const CUresult code = driver->cuModuleGetFunction(&function, module, kernel->name);
    if (code == CUDA_ERROR_NOT_FOUND)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "the program has no kernel '%s'", kernel->name);
    SEDGE_TRY(sedge_cuda_finish(__FILE__, __LINE__, "cuModuleGetFunction", code, began, "'%s'",
                                kernel->name));
    kernel->function = function;
    SEDGE_TRY(read_signature(device, kernel, module));
    return find_wait(device, kernel, module);
}

static sedge_status inspect(sedge_device *device, sedge_kernel_info *out,
                            const sedge_kernel *kernel, int threads)
{
    const CUfunction function = kernel->function;
    int shared = 0;
    int local = 0;

    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuFuncGetAttribute, (&out->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
               "registers of '%s'", kernel->name);
    SEDGE_CUDA(cuFuncGetAttribute, (&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
               "shared memory of '%s'", kernel->name);
    SEDGE_CUDA(cuFuncGetAttribute, (&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function),
               "local memory of '%s'", kernel->name);
    SEDGE_CUDA(cuFuncGetAttribute,
               (&out->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
               "most threads of '%s'", kernel->name);
    SEDGE_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor,
               (&out->blocks_per_multiprocessor, function, threads, (size_t)kernel->scratch),
               "'%s', %d threads", kernel->name, threads);
    out->shared_bytes = shared;
    out->local_bytes = local;
    return SEDGE_OK;
}

static sedge_status set_scratch(sedge_device *device, sedge_kernel *kernel, int64_t bytes)
{
    if (bytes < 0 || bytes > device->info.shared_bytes_block) {
        return SEDGE_FAIL(
            SEDGE_ERR_DEVICE,
            "kernel '%s' wants %lld bytes of shared memory a block: 0..%lld are possible",
            kernel->name, (long long)bytes, (long long)device->info.shared_bytes_block);
    }
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuFuncSetAttribute,
               (kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes),
               "'%s', %lld bytes", kernel->name, (long long)bytes);
    kernel->scratch = (int)bytes;
    return SEDGE_OK;
}

// Launch a kernel that waits for the work before it: the GPU may set it up, and begin its blocks,
// when the last blocks of the kernel before end; without this it does so only when that kernel's
// stores have reached memory. No kernel of ours lets the next one begin sooner
// (griddepcontrol.launch_dependents), so waiting blocks never take room that blocks of an earlier
// kernel need, not even of one whose blocks wait for each other. A kernel that waits ends after all
// earlier ones, so the next one waits for those, too. Other work in a stream is ordered as ever:
// copies, events, kernels that do not wait. Recorded graphs are the same from 12.3 on. A device
// whose stream waits for flags of other GPUs (peer.h) has plain launches: early ones behind such
// waits were never run.
static sedge_status launch_early(const sedge_kernel *kernel, CUstream stream, unsigned blocks,
                                 unsigned threads, void **parameters)
{
    CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                               .value.programmaticStreamSerializationAllowed = 1};
    const CUlaunchConfig config = {.gridDimX = blocks,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = threads,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = (unsigned)kernel->scratch,
                                   .hStream = stream,
                                   .attrs = &early,
                                   .numAttrs = 1};

    SEDGE_CUDA(cuLaunchKernelEx, (&config, kernel->function, parameters, NULL),
               "'%s', %u blocks of %u threads, %d bytes of shared memory, early, stream %p",
               kernel->name, blocks, threads, kernel->scratch, (void *)stream);
    return SEDGE_OK;
}

static sedge_status launch(sedge_device *device, const sedge_kernel *kernel, void *stream,
                           int64_t blocks, int threads, void *const *arguments, int count)
{
    void *parameters[SEDGE_KERNEL_ARGUMENTS_MAX + 1];
    long long leading = blocks;

    if (blocks > INT_MAX || threads < 1) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "kernel '%s' cannot run %lld blocks of %d threads: allowed are %d blocks "
                          "and at least 1 thread",
                          kernel->name, leading, threads, INT_MAX);
    }
    parameters[0] = &leading;
    for (int i = 0; i < count; i++) parameters[i + 1] = arguments[i];
    SEDGE_CUDA_ENTER(device);
    if (kernel->waits && !device->has_peers) {
        SEDGE_TRY(launch_early(kernel, sedge_cuda_stream(device, stream), (unsigned)blocks,
                               (unsigned)threads, parameters));
        return sedge_cuda_end(device, stream);
    }
    SEDGE_CUDA(cuLaunchKernel,
               (kernel->function, (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1,
                (unsigned)kernel->scratch, sedge_cuda_stream(device, stream), parameters, NULL),
               "'%s', %lld blocks of %d threads, %d bytes of shared memory, %d arguments, "
               "stream %p",
               kernel->name, leading, threads, kernel->scratch, count, stream);
    return sedge_cuda_end(device, stream);
}

// ---- opening -----------------------------------------------------------------------------------

static void close_cuda(sedge_device *device)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    cuda_state *const state = device->state;

    if (state == NULL) return;
    if (state->own != NULL) stream_free(device, state->own);
    if (state->context != NULL) {
        CUcontext current = NULL;
        if (state->kept && driver->cuCtxGetCurrent(&current) == CUDA_SUCCESS &&
            current == state->context)
            SEDGE_CUDA_QUIETLY(cuCtxSetCurrent, (NULL), "none");
        SEDGE_CUDA_QUIETLY(cuDevicePrimaryCtxRelease, (state->device), "device %d",
                           device->info.ordinal);
    }
    sedge_release(state);
    device->state = NULL;
}

static const sedge_device_operations operations = {
    .close = close_cuda,
    .make_current = make_current,
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
    .graph_begin = graph_begin,
    .graph_end = graph_end,
    .graph_launch = graph_launch,
    .graph_free = graph_free,
    .peer = sedge_cuda_peer,
    .compile = compile,
    .module_load = module_load,
    .module_free = module_free,
    .module_get = module_get,
    .inspect = inspect,
    .set_scratch = set_scratch,
    .launch = launch,
};

static sedge_status get_attribute(const cuda_state *state, int *value, CUdevice_attribute which)
{
    SEDGE_CUDA(cuDeviceGetAttribute, (value, which, state->device), "attribute %d", (int)which);
    return SEDGE_OK;
}

static sedge_status fill_info(sedge_device *device)
{
    const cuda_state *const state = device->state;
    sedge_device_info *const info = &device->info;
    int major, minor, l2, shared;
    size_t memory = 0;

    SEDGE_CUDA(cuDeviceGetName, (device->name, (int)sizeof device->name, state->device),
               "device %d", info->ordinal);
    SEDGE_CUDA(cuDeviceTotalMem, (&memory, state->device), "device %d", info->ordinal);
    SEDGE_TRY(get_attribute(state, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
    SEDGE_TRY(get_attribute(state, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    SEDGE_TRY(get_attribute(state, &l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    SEDGE_TRY(get_attribute(state, &shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    SEDGE_TRY(
        get_attribute(state, &info->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    SEDGE_TRY(
        get_attribute(state, &info->threads_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    info->memory_bytes = (int64_t)memory;
    info->l2_bytes = l2;
    info->shared_bytes_block = shared;
    SEDGE_TRY(sedge_nvrtc_choose_arch(device->arch, sizeof device->arch, major, minor));
    SEDGE_TRY(sedge_nvrtc_identity(device->compiler));
    return sedge_nvrtc_options(device->arch, device->options);
}

sedge_status sedge_cuda_open(sedge_device *device, int local_rank)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    cuda_state *state = NULL;

    device->operations = &operations;
    SEDGE_TRY(sedge_allocate(&state, 1, sizeof *state));
    device->state = state;
    device->info.devices_on_node = driver->devices;
    device->info.graphs = true;
    device->info.ordinal = local_rank % driver->devices;
    SEDGE_CUDA(cuDeviceGet, (&state->device, device->info.ordinal), "device %d",
               device->info.ordinal);
    SEDGE_TRY(fill_info(device));
    SEDGE_CUDA(cuDevicePrimaryCtxRetain, (&state->context, state->device), "device %d",
               device->info.ordinal);
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuStreamCreateWithPriority, (&state->own, CU_STREAM_NON_BLOCKING, 0), "own stream");
    return SEDGE_OK;
}
#endif
