// The opencl device: one context, work in in-order queues. Programs are in opencl_build.c.
#define _POSIX_C_SOURCE 200809L // posix_memalign
#include "base/memory.h"
#include "device/backend.h"
#include "device/cpu.h"
#include "device/opencl/opencl_driver.h"
#include "device/opencl/opencl_program.h"
#include "device/opencl_environment.h"
#include "device/opencl_folder.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ADDRESS ((uint64_t)1 << 44) // of the first device; each has as many for itself
#define PAGE          ((uint64_t)4096)
#define SHARED_BYTES  8192 // as codegen/kernels/program/prelude_opencl.h has it without a wish

typedef struct opencl_mark {
    opencl_event *event; // NULL before the first record
} opencl_mark;

int sedge_device_count_opencl(const char **why)
{
    const sedge_opencl_driver *const driver = sedge_opencl_driver_get();

    if (why != NULL) *why = driver->why;
    return driver->devices;
}

static opencl_queue *queue_or_own(const sedge_device *device, void *stream)
{
    const sedge_opencl_state *const state = device->state;

    return stream != NULL ? stream : state->own;
}

// Work without a stream of the caller's is done when the call returns.
static sedge_status finish(const sedge_device *device, void *stream)
{
    const sedge_opencl_state *const state = device->state;

    if (stream == NULL) SEDGE_CL(clFinish, (state->own), "own queue");
    return SEDGE_OK;
}

// ---- memory ------------------------------------------------------------------------------------

// The place in the list of the buffer in which `address` lies, or at whose end; -1: none.
static int find_place(const sedge_opencl_state *state, uint64_t address)
{
    int low = 0;
    int high = state->buffer_count; // the last one that starts at or before address lies before it

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (state->buffers[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) return -1;
    const sedge_opencl_buffer *const found = &state->buffers[low - 1];
    return address - found->address <= (uint64_t)found->bytes ? low - 1 : -1;
}

bool sedge_opencl_buffer_find(sedge_opencl_buffer *out, sedge_opencl_state *state, uint64_t address)
{
    (void)pthread_mutex_lock(&state->lock);
    const int place = find_place(state, address);
    *out = place >= 0 ? state->buffers[place] : (sedge_opencl_buffer){.memory = NULL};
    (void)pthread_mutex_unlock(&state->lock);
    return place >= 0;
}

static sedge_status make_room(sedge_opencl_state *state)
{
    const int capacity = state->buffer_capacity > 0 ? 2 * state->buffer_capacity : 64;
    sedge_opencl_buffer *larger = NULL;

    if (state->buffer_count < state->buffer_capacity) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&larger, capacity, sizeof *larger));
    (void)pthread_mutex_lock(&state->lock);
    if (state->buffer_count > 0)
        memcpy(larger, state->buffers, (size_t)state->buffer_count * sizeof *larger);
    sedge_release(state->buffers);
    state->buffers = larger;
    state->buffer_capacity = capacity;
    (void)pthread_mutex_unlock(&state->lock);
    return SEDGE_OK;
}

// OpenCL does not tell how much is free, only what there is.
static sedge_status out_of_memory(const sedge_device *device, int64_t bytes)
{
    const sedge_opencl_state *const state = device->state;
    const double mebi = 1048576.0;

    return SEDGE_FAIL(SEDGE_ERR_MEMORY,
                      "out of device memory: %.1f MiB were asked for; the device has %.1f MiB, at "
                      "most %.1f MiB in one buffer, and sedge's buffers take %.1f MiB",
                      (double)bytes / mebi, (double)device->info.memory_bytes / mebi,
                      (double)state->most_bytes / mebi, (double)device->memory_now / mebi);
}

static bool is_out_of_memory(int code)
{
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
           code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

// Many drivers take the memory when it is first used: filling it shows whether it is there.
static sedge_status make_zeroed(const sedge_device *device, opencl_memory **memory, int64_t bytes)
{
    static const unsigned char zeros[16];
    const sedge_opencl_driver *const driver = sedge_opencl_driver_get();
    const sedge_opencl_state *const state = device->state;
    const size_t size = ((size_t)bytes + sizeof zeros - 1) / sizeof zeros * sizeof zeros;
    int code = CL_SUCCESS;

    const double began = driver->trace ? sedge_clock() : 0.0;
    *memory = driver->clCreateBuffer(state->context, CL_MEM_READ_WRITE, size, NULL, &code);
    if (is_out_of_memory(code)) return out_of_memory(device, bytes);
    SEDGE_TRY(sedge_opencl_finish(__FILE__, __LINE__, "clCreateBuffer", code, began, "%lld bytes",
                                  (long long)bytes));
    code = driver->clEnqueueFillBuffer(state->own, *memory, zeros, sizeof zeros, 0, size, 0, NULL,
                                       NULL);
    if (code == CL_SUCCESS) code = driver->clFinish(state->own);
    if (is_out_of_memory(code)) return out_of_memory(device, bytes);
    return sedge_opencl_finish(__FILE__, __LINE__, "clEnqueueFillBuffer", code, began, "%lld bytes",
                               (long long)bytes);
}

static sedge_status allocate(sedge_device *device, uint64_t *address, int64_t bytes)
{
    sedge_opencl_state *const state = device->state;
    opencl_memory *memory = NULL;

    SEDGE_TRY(make_room(state));
    if (bytes > state->most_bytes) return out_of_memory(device, bytes);
    const sedge_status status = make_zeroed(device, &memory, bytes);
    if (status != SEDGE_OK) {
        if (memory != NULL) SEDGE_CL_QUIETLY(clReleaseMemObject, (memory), "not filled");
        return status;
    }
    *address = state->next_address;
    state->next_address += ((uint64_t)bytes / PAGE + 2) * PAGE;
    (void)pthread_mutex_lock(&state->lock);
    state->buffers[state->buffer_count++] = (sedge_opencl_buffer){*address, bytes, memory};
    (void)pthread_mutex_unlock(&state->lock);
    return SEDGE_OK;
}

static void release(sedge_device *device, uint64_t address, int64_t bytes)
{
    sedge_opencl_state *const state = device->state;

    (void)pthread_mutex_lock(&state->lock);
    const int at = find_place(state, address);
    opencl_memory *const memory = state->buffers[at].memory;
    state->buffer_count--;
    memmove(&state->buffers[at], &state->buffers[at + 1],
            (size_t)(state->buffer_count - at) * sizeof *state->buffers);
    (void)pthread_mutex_unlock(&state->lock);
    SEDGE_CL_QUIETLY(clReleaseMemObject, (memory), "%lld bytes", (long long)bytes);
}

static sedge_status upload(sedge_device *device, uint64_t to, const void *from, int64_t bytes,
                           void *stream)
{
    sedge_opencl_buffer buffer;

    (void)sedge_opencl_buffer_find(&buffer, device->state, to);
    SEDGE_CL(clEnqueueWriteBuffer,
             (queue_or_own(device, stream), buffer.memory, stream == NULL,
              (size_t)(to - buffer.address), (size_t)bytes, from, 0, NULL, NULL),
             "%lld bytes", (long long)bytes);
    return SEDGE_OK;
}

static sedge_status download(sedge_device *device, void *to, uint64_t from, int64_t bytes,
                             void *stream)
{
    sedge_opencl_buffer buffer;

    (void)sedge_opencl_buffer_find(&buffer, device->state, from);
    SEDGE_CL(clEnqueueReadBuffer,
             (queue_or_own(device, stream), buffer.memory, stream == NULL,
              (size_t)(from - buffer.address), (size_t)bytes, to, 0, NULL, NULL),
             "%lld bytes", (long long)bytes);
    return SEDGE_OK;
}

static sedge_status copy(sedge_device *device, uint64_t to, uint64_t from, int64_t bytes,
                         void *stream)
{
    sedge_opencl_buffer source;
    sedge_opencl_buffer target;

    (void)sedge_opencl_buffer_find(&source, device->state, from);
    (void)sedge_opencl_buffer_find(&target, device->state, to);
    SEDGE_CL(clEnqueueCopyBuffer,
             (queue_or_own(device, stream), source.memory, target.memory,
              (size_t)(from - source.address), (size_t)(to - target.address), (size_t)bytes, 0,
              NULL, NULL),
             "%lld bytes", (long long)bytes);
    return finish(device, stream);
}

// Pages of the host: OpenCL has no way to pin memory that is not a mapped buffer.
static sedge_status pinned_allocate(sedge_device *device, void **out, int64_t bytes)
{
    (void)device;
    if (posix_memalign(out, (size_t)PAGE, (size_t)bytes) != 0) {
        *out = NULL;
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of host memory: %.1f MiB were asked for",
                          (double)bytes / 1048576.0);
    }
    memset(*out, 0, (size_t)bytes);
    return SEDGE_OK;
}

static void pinned_release(sedge_device *device, void *memory)
{
    (void)device;
    free(memory);
}

// ---- order and time ----------------------------------------------------------------------------

static sedge_status make_queue(const sedge_opencl_state *state, opencl_queue **queue)
{
    SEDGE_CL_MAKE(*queue, clCreateCommandQueue,
                  (state->context, state->device, CL_QUEUE_PROFILING_ENABLE, &sedge_code),
                  "in order");
    return SEDGE_OK;
}

// OpenCL 1.2 has no priorities.
static sedge_status stream_create(sedge_device *device, void **stream, bool high_priority)
{
    opencl_queue *queue = NULL;

    (void)high_priority;
    SEDGE_TRY(make_queue(device->state, &queue));
    *stream = queue;
    return SEDGE_OK;
}

static void stream_free(sedge_device *device, void *stream)
{
    (void)device;
    SEDGE_CL_QUIETLY(clReleaseCommandQueue, (stream), "queue %p", stream);
}

static sedge_status stream_wait(sedge_device *device, void *stream)
{
    (void)device;
    SEDGE_CL(clFinish, (stream), "queue %p", stream);
    return SEDGE_OK;
}

static sedge_status event_create(sedge_device *device, void **event)
{
    (void)device;
    return sedge_allocate(event, 1, sizeof(opencl_mark));
}

static void forget(opencl_mark *mark)
{
    if (mark->event != NULL) SEDGE_CL_QUIETLY(clReleaseEvent, (mark->event), "event");
    mark->event = NULL;
}

static void event_free(sedge_device *device, void *event)
{
    (void)device;
    forget(event);
    sedge_release(event);
}

// The queue is flushed: another one may wait for the event, and does not start this one's work.
static sedge_status event_record(sedge_device *device, void *event, void *stream)
{
    opencl_mark *const mark = event;
    opencl_queue *const queue = queue_or_own(device, stream);

    forget(mark);
    SEDGE_CL(clEnqueueMarkerWithWaitList, (queue, 0, NULL, &mark->event), "queue %p", stream);
    SEDGE_CL(clFlush, (queue), "queue %p", stream);
    return SEDGE_OK;
}

static sedge_status event_wait(sedge_device *device, void *event)
{
    const opencl_mark *const mark = event;

    (void)device;
    if (mark->event != NULL) SEDGE_CL(clWaitForEvents, (1, &mark->event), "event %p", event);
    return SEDGE_OK;
}

static sedge_status event_query(sedge_device *device, void *event, bool *done)
{
    const opencl_mark *const mark = event;
    int state = CL_COMPLETE;

    (void)device;
    if (mark->event != NULL) {
        SEDGE_CL(clGetEventInfo,
                 (mark->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
                 "event %p", event);
    }
    if (state < 0) {
        return sedge_opencl_finish(__FILE__, __LINE__, "clGetEventInfo", state, 0.0,
                                   "the work before event %p", event);
    }
    *done = state == CL_COMPLETE;
    return SEDGE_OK;
}

static sedge_status stream_wait_event(sedge_device *device, void *stream, void *event)
{
    const opencl_mark *const mark = event;

    (void)device;
    if (mark->event != NULL) {
        SEDGE_CL(clEnqueueBarrierWithWaitList, (stream, 1, &mark->event, NULL),
                 "queue %p, event %p", stream, event);
    }
    return SEDGE_OK;
}

static sedge_status event_nanoseconds(const opencl_mark *mark, uint64_t *nanoseconds)
{
    if (mark->event == NULL)
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "the time of an event that was never recorded");
    SEDGE_CL(clGetEventProfilingInfo,
             (mark->event, CL_PROFILING_COMMAND_END, sizeof *nanoseconds, nanoseconds, NULL),
             "event");
    return SEDGE_OK;
}

static sedge_status event_seconds(sedge_device *device, double *seconds, void *from, void *to)
{
    uint64_t first = 0;
    uint64_t last = 0;

    (void)device;
    SEDGE_TRY(event_nanoseconds(from, &first));
    SEDGE_TRY(event_nanoseconds(to, &last));
    *seconds = 1e-9 * (last >= first ? (double)(last - first) : -(double)(first - last));
    return SEDGE_OK;
}

static sedge_status launch(sedge_device *device, const sedge_kernel *kernel, void *stream,
                           int64_t blocks, int threads, void *const *arguments, int count)
{
    SEDGE_TRY(sedge_opencl_enqueue(device, kernel, queue_or_own(device, stream), blocks, threads,
                                   arguments, count));
    return finish(device, stream);
}

// ---- opening -----------------------------------------------------------------------------------

static void close_opencl(sedge_device *device)
{
    sedge_opencl_state *const state = device->state;

    if (state == NULL) return;
    if (state->own != NULL) SEDGE_CL_QUIETLY(clReleaseCommandQueue, (state->own), "own queue");
    if (state->context != NULL) {
        SEDGE_CL_QUIETLY(clReleaseContext, (state->context), "device %d", device->info.ordinal);
    }
    if (state->in_folder) sedge_opencl_folder_leave();
    sedge_release(state->buffers);
    (void)pthread_mutex_destroy(&state->lock);
    sedge_release(state);
    device->state = NULL;
}

static const sedge_device_operations operations = {
    .close = close_opencl,
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
    .compile = sedge_opencl_compile,
    .module_load = sedge_opencl_module_load,
    .module_free = sedge_opencl_module_free,
    .module_get = sedge_opencl_module_get,
    .inspect = sedge_opencl_inspect,
    .set_scratch = sedge_opencl_set_scratch,
    .launch = launch,
};

static sedge_status get_text(const sedge_opencl_state *state, uint32_t what, char *text,
                             size_t size)
{
    SEDGE_CL(clGetDeviceInfo, (state->device, what, size, text, NULL), "text %#x", what);
    return SEDGE_OK;
}

// A number of 8 bytes.
static sedge_status get_number(const sedge_opencl_state *state, uint32_t what, int64_t *number)
{
    SEDGE_CL(clGetDeviceInfo, (state->device, what, sizeof *number, number, NULL), "number %#x",
             what);
    return SEDGE_OK;
}

// What of the environment changes the code that PoCL makes.
static sedge_status add_settings(sedge_text *out)
{
    static const char *const settings[] = {"POCL_EXTRA_BUILD_FLAGS",
                                           "POCL_WORK_GROUP_METHOD",
                                           "POCL_WORK_GROUP_SPECIALIZATION",
                                           "POCL_WILOOPS_MAX_UNROLL_COUNT",
                                           "POCL_FULL_REPLICATION_THRESHOLD",
                                           "POCL_FORCE_PARALLEL_OUTER_LOOP",
                                           "POCL_LLVM_CPU_NAME",
                                           "POCL_KERNELLIB_NAME"};

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *const value = getenv(settings[i]);
        if (value != NULL) SEDGE_TRY(sedge_text_add(out, ", %s=%s", settings[i], value));
    }
    return SEDGE_OK;
}

static sedge_status fill_identity(sedge_device *device)
{
    const sedge_opencl_state *const state = device->state;
    char platform[2][256] = {"", ""};
    char driver[128] = "";

    SEDGE_CL(clGetPlatformInfo,
             (state->platform, CL_PLATFORM_NAME, sizeof platform[0], platform[0], NULL), "name");
    SEDGE_CL(clGetPlatformInfo,
             (state->platform, CL_PLATFORM_VERSION, sizeof platform[1], platform[1], NULL),
             "version");
    SEDGE_TRY(get_text(state, CL_DEVICE_NAME, device->name, sizeof device->name));
    SEDGE_TRY(get_text(state, CL_DEVICE_VERSION, device->arch, sizeof device->arch));
    SEDGE_TRY(get_text(state, CL_DRIVER_VERSION, driver, sizeof driver));
    SEDGE_TRY(sedge_text_add(device->compiler, "%s, %s, driver %s, for %s", platform[0],
                             platform[1], driver, device->name));
    SEDGE_TRY(sedge_opencl_environment_begin());
    const sedge_status status = add_settings(device->compiler);
    sedge_opencl_environment_end();
    return status;
}

static sedge_status fill_info(sedge_device *device)
{
    sedge_opencl_state *const state = device->state;
    sedge_device_info *const info = &device->info;
    int64_t local = 0;
    int64_t fp32 = 0;
    int64_t fp64 = 0;
    size_t threads = 0;
    uint32_t units = 0;

    SEDGE_TRY(fill_identity(device));
    SEDGE_TRY(get_number(state, CL_DEVICE_GLOBAL_MEM_SIZE, &info->memory_bytes));
    SEDGE_TRY(get_number(state, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, &info->l2_bytes));
    SEDGE_TRY(get_number(state, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &state->most_bytes));
    SEDGE_TRY(get_number(state, CL_DEVICE_LOCAL_MEM_SIZE, &local));
    SEDGE_TRY(get_number(state, CL_DEVICE_SINGLE_FP_CONFIG, &fp32));
    SEDGE_TRY(get_number(state, CL_DEVICE_DOUBLE_FP_CONFIG, &fp64));
    SEDGE_CL(clGetDeviceInfo,
             (state->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof threads, &threads, NULL),
             "largest work-group");
    SEDGE_CL(clGetDeviceInfo,
             (state->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL), "units");
    state->has_fp64 = fp64 != 0;
    state->has_exact_division = (fp32 & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    info->multiprocessors = (int)units;
    info->threads_block = (int)threads;
    state->local_bytes = local;
    info->shared_bytes_block = local > SHARED_BYTES ? local - SHARED_BYTES : 0;
    return SEDGE_OK;
}

sedge_status sedge_opencl_open(sedge_device *device, int local_rank)
{
    const sedge_opencl_driver *const driver = sedge_opencl_driver_get();
    sedge_opencl_state *state = NULL;
    int threads;

    device->operations = &operations;
    SEDGE_TRY(sedge_cpu_threads(&threads, 1)); // refuses a bad SEDGE_THREADS, which PoCL is given
    SEDGE_TRY(sedge_allocate(&state, 1, sizeof *state));
    (void)pthread_mutex_init(&state->lock, NULL); // does not fail on Linux
    device->state = state;
    SEDGE_TRY(sedge_opencl_folder_enter());
    state->in_folder = true;
    device->info.devices_on_node = driver->devices;
    device->info.ordinal = local_rank % driver->devices;
    state->next_address = FIRST_ADDRESS * (uint64_t)(1 + device->info.ordinal);
    state->platform = driver->platform[device->info.ordinal];
    state->device = driver->device[device->info.ordinal];
    SEDGE_TRY(fill_info(device));
    SEDGE_CL_MAKE(state->context, clCreateContext,
                  (NULL, 1, &state->device, NULL, NULL, &sedge_code), "device %d",
                  device->info.ordinal);
    SEDGE_TRY(make_queue(state, &state->own));
    return sedge_opencl_options(state, device->options);
}
