#include "device/device.h"

#include "base/memory.h"
#include "device/backend.h"
#include "device/cpu.h"

#include <assert.h>
#include <string.h>

struct sedge_buffer {
    sedge_device *device;
    uint64_t address;
    int64_t bytes;
};

struct sedge_stream {
    sedge_device *device;
    void *handle;
};

struct sedge_event {
    sedge_device *device;
    void *handle;
};

struct sedge_graph {
    sedge_device *device;
    void *handle;
};

// ---- device ------------------------------------------------------------------------------------

static sedge_status choose_kind(sedge_device_kind *kind, const char *name)
{
    const char *why = NULL;

    if (strcmp(name, "host") == 0) {
        *kind = SEDGE_DEVICE_HOST;
        return SEDGE_OK;
    }
    if (strcmp(name, "auto") == 0) {
        *kind = sedge_device_count_cuda(NULL) > 0 ? SEDGE_DEVICE_CUDA : SEDGE_DEVICE_HOST;
        return SEDGE_OK;
    }
    if (strcmp(name, "opencl") == 0) {
        if (sedge_device_count_opencl(&why) == 0)
            return SEDGE_FAIL(SEDGE_ERR_DEVICE, "device 'opencl' cannot be used: %s", why);
        *kind = SEDGE_DEVICE_OPENCL;
        return SEDGE_OK;
    }
    if (strcmp(name, "cuda") != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "unknown device '%s'; allowed are auto, cuda, opencl and host", name);
    }
    if (sedge_device_count_cuda(&why) == 0)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "device 'cuda' cannot be used: %s", why);
    *kind = SEDGE_DEVICE_CUDA;
    return SEDGE_OK;
}

static sedge_status open_kind(sedge_device *device, sedge_device_kind kind, int local_rank,
                              int local_ranks)
{
    static const char *const names[] = {[SEDGE_DEVICE_HOST] = "host",
                                        [SEDGE_DEVICE_CUDA] = "cuda",
                                        [SEDGE_DEVICE_OPENCL] = "opencl"};

    device->info.kind = kind;
    device->info.kind_name = names[kind];
    switch (kind) {
    case SEDGE_DEVICE_HOST:
        return sedge_host_open(device, local_ranks);
    case SEDGE_DEVICE_CUDA:
        return sedge_cuda_open(device, local_rank);
    case SEDGE_DEVICE_OPENCL:
        return sedge_opencl_open(device, local_rank);
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "device kind %d is not known", (int)kind);
}

sedge_status sedge_device_create(sedge_device **out, const char *kind_name, int local_rank,
                                 int local_ranks)
{
    sedge_status status;
    sedge_device *device = NULL;
    sedge_device_kind kind;

    assert(local_rank >= 0 && local_ranks >= 1);
    *out = NULL;
    SEDGE_TRY(sedge_range_check());
    SEDGE_TRY(choose_kind(&kind, kind_name));
    SEDGE_TRY_GOTO(status, sedge_allocate(&device, 1, sizeof *device));
    SEDGE_TRY_GOTO(status, sedge_text_create(&device->compiler));
    SEDGE_TRY_GOTO(status, sedge_text_create(&device->options));
    SEDGE_TRY_GOTO(status, open_kind(device, kind, local_rank, local_ranks));
    device->info.processors = sedge_cpu_share(local_ranks);
    device->info.name = device->name;
    device->info.arch = device->arch;
    device->info.compiler = sedge_text_get(device->compiler);
    *out = device;
    device = NULL;
done:
    sedge_device_free(device);
    return status;
}

void sedge_device_free(sedge_device *device)
{
    if (device == NULL) return;
    if (device->operations != NULL) device->operations->close(device);
    sedge_text_free(device->compiler);
    sedge_text_free(device->options);
    sedge_release(device);
}

sedge_status sedge_device_make_current(sedge_device *device)
{
    if (device->operations->make_current == NULL) return SEDGE_OK;
    return device->operations->make_current(device);
}

const sedge_device_info *sedge_device_get_info(const sedge_device *device)
{
    return &device->info;
}

const sedge_traits *sedge_device_get_traits(const sedge_device *device)
{
    return sedge_traits_of(device->info.kind);
}

const char *sedge_device_compile_options(const sedge_device *device)
{
    return sedge_text_get(device->options);
}

int64_t sedge_device_memory_now(const sedge_device *device)
{
    return device->memory_now;
}

int64_t sedge_device_memory_peak(const sedge_device *device)
{
    return device->memory_peak;
}

// ---- memory ------------------------------------------------------------------------------------

void sedge_device_add_reserve(sedge_device *device, sedge_reserve *reserve)
{
    reserve->next = device->reserves;
    device->reserves = reserve;
}

void sedge_device_remove_reserve(sedge_device *device, const sedge_reserve *reserve)
{
    sedge_reserve **at = &device->reserves;

    while (*at != NULL && *at != reserve) at = &(*at)->next;
    if (*at != NULL) *at = reserve->next;
}

// After a failed allocation: let the reserves give back their memory. True: try once more.
static bool have_given_back(const sedge_device *device, sedge_status status)
{
    if (status != SEDGE_ERR_MEMORY || device->reserves == NULL) return false;
    sedge_error_clear(); // asking again has its own message
    for (const sedge_reserve *at = device->reserves; at != NULL; at = at->next)
        at->give_back(at->owner);
    return true;
}

sedge_status sedge_device_allocate(sedge_device *device, uint64_t *address, int64_t bytes)
{
    const sedge_status status = device->operations->allocate(device, address, bytes);

    if (!have_given_back(device, status)) return status;
    return device->operations->allocate(device, address, bytes);
}

sedge_status sedge_buffer_create(sedge_buffer **out, sedge_device *device, int64_t bytes)
{
    sedge_status status;
    sedge_buffer *buffer = NULL;

    *out = NULL;
    if (bytes < 0) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a buffer of %lld bytes is not possible",
                          (long long)bytes);
    }
    SEDGE_TRY(sedge_allocate(&buffer, 1, sizeof *buffer));
    buffer->device = device;
    buffer->bytes = bytes;
    // A buffer of no bytes still has an address of its own.
    SEDGE_TRY_GOTO(status, sedge_device_allocate(device, &buffer->address, bytes > 0 ? bytes : 1));
    device->memory_now += bytes;
    if (device->memory_now > device->memory_peak) device->memory_peak = device->memory_now;
    *out = buffer;
    buffer = NULL;
done:
    sedge_release(buffer);
    return status;
}

void sedge_buffer_free(sedge_buffer *buffer)
{
    if (buffer == NULL) return;
    buffer->device->operations->release(buffer->device, buffer->address,
                                        buffer->bytes > 0 ? buffer->bytes : 1);
    buffer->device->memory_now -= buffer->bytes;
    sedge_release(buffer);
}

int64_t sedge_buffer_bytes(const sedge_buffer *buffer)
{
    return buffer->bytes;
}

uint64_t sedge_buffer_address(const sedge_buffer *buffer)
{
    return buffer->address;
}

static sedge_status check_range(const sedge_buffer *buffer, int64_t offset, int64_t bytes)
{
    if (offset < 0 || bytes < 0 || offset > buffer->bytes || bytes > buffer->bytes - offset) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "%lld bytes at offset %lld lie outside a buffer of %lld bytes",
                          (long long)bytes, (long long)offset, (long long)buffer->bytes);
    }
    return SEDGE_OK;
}

void *sedge_stream_handle(const sedge_stream *stream)
{
    return stream != NULL ? stream->handle : NULL;
}

sedge_status sedge_buffer_upload(sedge_buffer *buffer, int64_t offset, const void *from,
                                 int64_t bytes, sedge_stream *stream)
{
    SEDGE_TRY(check_range(buffer, offset, bytes));
    if (bytes == 0) return SEDGE_OK;
    return buffer->device->operations->upload(buffer->device, buffer->address + (uint64_t)offset,
                                              from, bytes, sedge_stream_handle(stream));
}

sedge_status sedge_buffer_download(const sedge_buffer *buffer, int64_t offset, void *to,
                                   int64_t bytes, sedge_stream *stream)
{
    SEDGE_TRY(check_range(buffer, offset, bytes));
    if (bytes == 0) return SEDGE_OK;
    return buffer->device->operations->download(
        buffer->device, to, buffer->address + (uint64_t)offset, bytes, sedge_stream_handle(stream));
}

sedge_status sedge_buffer_copy(sedge_buffer *to, const sedge_buffer *from, int64_t bytes,
                               sedge_stream *stream)
{
    assert(to->device == from->device);
    SEDGE_TRY(check_range(to, 0, bytes));
    SEDGE_TRY(check_range(from, 0, bytes));
    if (bytes == 0 || to == from) return SEDGE_OK;
    return to->device->operations->copy(to->device, to->address, from->address, bytes,
                                        sedge_stream_handle(stream));
}

// Each copy doubles what is there, up to a size that a cache may hold.
sedge_status sedge_buffer_repeat(sedge_buffer *buffer, int64_t bytes, sedge_stream *stream)
{
    enum { LARGEST = 16 << 20 };
    int64_t filled = bytes;

    if (buffer->bytes == 0) return SEDGE_OK;
    SEDGE_TRY(check_range(buffer, 0, bytes));
    if (bytes < 1) return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a pattern of 0 bytes fills no buffer");
    while (filled < buffer->bytes) {
        int64_t length = filled;
        if (length > LARGEST) length = bytes > LARGEST ? bytes : LARGEST / bytes * bytes;
        if (length > buffer->bytes - filled) length = buffer->bytes - filled;
        SEDGE_TRY(
            buffer->device->operations->copy(buffer->device, buffer->address + (uint64_t)filled,
                                             buffer->address, length, sedge_stream_handle(stream)));
        filled += length;
    }
    return SEDGE_OK;
}

sedge_status sedge_pinned_allocate(void *out, sedge_device *device, int64_t bytes)
{
    void *memory = NULL;
    sedge_status status;

    memcpy(out, &memory, sizeof memory);
    if (bytes < 0) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "%lld bytes of pinned memory are not possible",
                          (long long)bytes);
    }
    status = device->operations->pinned_allocate(device, &memory, bytes > 0 ? bytes : 1);
    if (have_given_back(device, status))
        status = device->operations->pinned_allocate(device, &memory, bytes > 0 ? bytes : 1);
    SEDGE_TRY(status);
    memcpy(out, &memory, sizeof memory);
    return SEDGE_OK;
}

void sedge_pinned_release(sedge_device *device, void *memory)
{
    if (memory != NULL) device->operations->pinned_release(device, memory);
}

// ---- order and time ----------------------------------------------------------------------------

sedge_status sedge_stream_create(sedge_stream **out, sedge_device *device, bool high_priority)
{
    sedge_status status;
    sedge_stream *stream = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&stream, 1, sizeof *stream));
    stream->device = device;
    SEDGE_TRY_GOTO(status,
                   device->operations->stream_create(device, &stream->handle, high_priority));
    *out = stream;
    stream = NULL;
done:
    sedge_release(stream);
    return status;
}

void sedge_stream_free(sedge_stream *stream)
{
    if (stream == NULL) return;
    stream->device->operations->stream_free(stream->device, stream->handle);
    sedge_release(stream);
}

sedge_status sedge_stream_wait(sedge_stream *stream)
{
    return stream->device->operations->stream_wait(stream->device, stream->handle);
}

sedge_status sedge_event_create(sedge_event **out, sedge_device *device)
{
    sedge_status status;
    sedge_event *event = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&event, 1, sizeof *event));
    event->device = device;
    SEDGE_TRY_GOTO(status, device->operations->event_create(device, &event->handle));
    *out = event;
    event = NULL;
done:
    sedge_release(event);
    return status;
}

void sedge_event_free(sedge_event *event)
{
    if (event == NULL) return;
    event->device->operations->event_free(event->device, event->handle);
    sedge_release(event);
}

sedge_status sedge_event_record(sedge_event *event, sedge_stream *stream)
{
    return event->device->operations->event_record(event->device, event->handle,
                                                   sedge_stream_handle(stream));
}

sedge_status sedge_event_wait(sedge_event *event)
{
    return event->device->operations->event_wait(event->device, event->handle);
}

sedge_status sedge_event_query(sedge_event *event, bool *done)
{
    *done = false;
    return event->device->operations->event_query(event->device, event->handle, done);
}

sedge_status sedge_stream_wait_event(sedge_stream *stream, sedge_event *event)
{
    return stream->device->operations->stream_wait_event(stream->device, stream->handle,
                                                         event->handle);
}

sedge_status sedge_event_seconds(double *seconds, sedge_event *from, sedge_event *to)
{
    *seconds = 0.0;
    return from->device->operations->event_seconds(from->device, seconds, from->handle, to->handle);
}

// ---- graphs ------------------------------------------------------------------------------------

sedge_status sedge_graph_begin(sedge_stream *stream)
{
    sedge_device *const device = stream->device;

    if (!device->info.graphs) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "device '%s' has no graphs: launch one by one",
                          device->info.kind_name);
    }
    return device->operations->graph_begin(device, stream->handle);
}

sedge_status sedge_graph_end(sedge_graph **out, sedge_stream *stream)
{
    sedge_status status;
    sedge_graph *graph = NULL;
    sedge_device *const device = stream->device;
    void *handle = NULL;

    *out = NULL;
    assert(device->info.graphs);
    SEDGE_TRY(device->operations->graph_end(device, &handle, stream->handle));
    SEDGE_TRY_GOTO(status, sedge_allocate(&graph, 1, sizeof *graph));
    graph->device = device;
    graph->handle = handle;
    handle = NULL;
    *out = graph;
done:
    if (handle != NULL) device->operations->graph_free(device, handle);
    return status;
}

sedge_status sedge_graph_launch(sedge_graph *graph, sedge_stream *stream)
{
    return graph->device->operations->graph_launch(graph->device, graph->handle, stream->handle);
}

void sedge_graph_free(sedge_graph *graph)
{
    if (graph == NULL) return;
    graph->device->operations->graph_free(graph->device, graph->handle);
    sedge_release(graph);
}

// ---- other processes' memory -------------------------------------------------------------------

const sedge_peer *sedge_device_peer(const sedge_device *device, const char **why)
{
    if (device->operations->peer != NULL) return device->operations->peer(why);
    *why = "no other process can open this device's memory";
    return NULL;
}

// ---- programs ----------------------------------------------------------------------------------

sedge_status sedge_device_compile(sedge_device *device, const char *source, const char *arch,
                                  const char *keep_name, void **out, size_t *length,
                                  sedge_text *log)
{
    *out = NULL;
    *length = 0;
    return device->operations->compile(device, source, arch, keep_name, out, length, log);
}

sedge_status sedge_module_load(sedge_module **out, sedge_device *device, const void *binary,
                               size_t length)
{
    sedge_status status;
    sedge_module *module = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&module, 1, sizeof *module));
    module->device = device;
    SEDGE_TRY_GOTO(status,
                   device->operations->module_load(device, &module->handle, binary, length));
    *out = module;
    module = NULL;
done:
    sedge_release(module);
    return status;
}

static void free_kernel(sedge_kernel *kernel)
{
    if (kernel == NULL) return;
    sedge_signature_clear(kernel);
    sedge_release(kernel->name);
    sedge_release(kernel);
}

void sedge_module_free(sedge_module *module)
{
    if (module == NULL) return;
    for (sedge_kernel *kernel = module->kernels; kernel != NULL;) {
        sedge_kernel *const next = kernel->next;
        free_kernel(kernel);
        kernel = next;
    }
    module->device->operations->module_free(module->device, module->handle);
    sedge_release(module);
}

sedge_status sedge_module_get(const sedge_kernel **out, sedge_module *module, const char *name)
{
    sedge_status status;
    sedge_kernel *kernel = NULL;
    const size_t length = strlen(name);

    *out = NULL;
    for (const sedge_kernel *known = module->kernels; known != NULL; known = known->next) {
        if (strcmp(known->name, name) == 0) {
            *out = known;
            return SEDGE_OK;
        }
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&kernel, 1, sizeof *kernel));
    SEDGE_TRY_GOTO(status, sedge_allocate(&kernel->name, (int64_t)length + 1, 1));
    memcpy(kernel->name, name, length);
    kernel->module = module;
    kernel->signature.count = -1;
    SEDGE_TRY_GOTO(status,
                   module->device->operations->module_get(module->device, kernel, module->handle));
    kernel->next = module->kernels;
    module->kernels = kernel;
    *out = kernel;
    kernel = NULL;
done:
    free_kernel(kernel);
    return status;
}

const char *sedge_kernel_name(const sedge_kernel *kernel)
{
    return kernel->name;
}

const sedge_signature *sedge_kernel_signature(const sedge_kernel *kernel)
{
    return &kernel->signature;
}

sedge_status sedge_kernel_inspect(sedge_kernel_info *out, const sedge_kernel *kernel, int threads)
{
    sedge_device *const device = kernel->module->device;

    memset(out, 0, sizeof *out);
    out->spill_store_bytes = -1;
    out->spill_load_bytes = -1;
    return device->operations->inspect(device, out, kernel, threads);
}

sedge_status sedge_kernel_set_scratch(const sedge_kernel *kernel, int64_t bytes)
{
    sedge_device *const device = kernel->module->device;

    for (sedge_kernel *own = kernel->module->kernels; own != NULL; own = own->next)
        if (own == kernel) return device->operations->set_scratch(device, own, bytes);
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "kernel '%s' is not in its module", kernel->name);
}

sedge_status sedge_kernel_launch(const sedge_kernel *kernel, sedge_stream *stream, int64_t blocks,
                                 int threads, void *const *arguments, int count)
{
    sedge_device *const device = kernel->module->device;

    if (blocks < 0) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "kernel '%s' cannot run %lld blocks", kernel->name,
                          (long long)blocks);
    }
    if (count < 0 || count > SEDGE_KERNEL_ARGUMENTS_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "kernel '%s': %d arguments are outside 0..%d",
                          kernel->name, count, SEDGE_KERNEL_ARGUMENTS_MAX);
    }
    if (kernel->signature.count >= 0 && count != kernel->signature.count) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "kernel '%s' takes %d arguments and was given %d",
                          kernel->name, kernel->signature.count, count);
    }
    if (blocks == 0) return SEDGE_OK;
    return device->operations->launch(device, kernel, sedge_stream_handle(stream), blocks, threads,
                                      arguments, count);
}
