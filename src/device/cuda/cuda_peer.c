// Memory that processes share on GPUs of one node, by CUDA's handles for other processes, and
// flags in it by the driver's memory operations in streams.
#include "device/backend.h"

#if SEDGE_HAVE_CUDA
#include "device/cuda/cuda_driver.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(CUipcMemHandle) == sizeof(sedge_peer_handle), "a handle is 64 bytes");

// The driver shares what it allocates as a whole, and puts small allocations together: those of
// whole pages of 2 MiB are alone.
static int64_t whole_pages(int64_t bytes)
{
    const int64_t page = (int64_t)2 << 20;

    return (bytes + page - 1) / page * page;
}

static sedge_status allocate(sedge_device *device, uint64_t *address, int64_t bytes)
{
    *address = 0;
    SEDGE_TRY(sedge_device_allocate(device, address, whole_pages(bytes)));
    device->memory_now += whole_pages(bytes);
    if (device->memory_now > device->memory_peak) device->memory_peak = device->memory_now;
    return SEDGE_OK;
}

static void release(sedge_device *device, uint64_t address, int64_t bytes)
{
    device->operations->release(device, address, whole_pages(bytes));
    device->memory_now -= whole_pages(bytes);
}

static sedge_status share(sedge_device *device, sedge_peer_handle *out, uint64_t address)
{
    CUipcMemHandle handle;

    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuIpcGetMemHandle, (&handle, address), "0x%llx", (long long)address);
    memcpy(out, &handle, sizeof *out);
    return SEDGE_OK;
}

static sedge_status open_memory(sedge_device *device, uint64_t *address,
                                const sedge_peer_handle *handle)
{
    CUipcMemHandle native;
    CUdeviceptr opened = 0;

    *address = 0;
    memcpy(&native, handle, sizeof native);
    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuIpcOpenMemHandle, (&opened, native, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
               "another process's memory");
    *address = opened;
    return SEDGE_OK;
}

static void close_memory(sedge_device *device, uint64_t address)
{
    SEDGE_CUDA_ENTER_QUIETLY(device);
    SEDGE_CUDA_QUIETLY(cuIpcCloseMemHandle, (address), "0x%llx", (long long)address);
}

static sedge_status copy(sedge_device *device, sedge_stream *stream, uint64_t to, uint64_t from,
                         int64_t bytes)
{
    return device->operations->copy(device, to, from, bytes, sedge_stream_handle(stream));
}

// With the default flags the driver puts a fence of the whole system before the value.
static sedge_status write_flag(sedge_device *device, sedge_stream *stream, uint64_t flag,
                               uint32_t value)
{
    void *const handle = sedge_stream_handle(stream);

    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuStreamWriteValue32,
               (sedge_cuda_stream(device, handle), flag, value, CU_STREAM_WRITE_VALUE_DEFAULT),
               "0x%llx, %u, stream %p", (long long)flag, (unsigned)value, handle);
    return sedge_cuda_end(device, handle);
}

static sedge_status wait_for_flag(sedge_device *device, sedge_stream *stream, uint64_t flag,
                                  uint32_t value)
{
    void *const handle = sedge_stream_handle(stream);

    SEDGE_CUDA_ENTER(device);
    SEDGE_CUDA(cuStreamWaitValue32,
               (sedge_cuda_stream(device, handle), flag, value, CU_STREAM_WAIT_VALUE_EQ),
               "0x%llx, %u, stream %p", (long long)flag, (unsigned)value, handle);
    return SEDGE_OK;
}

static sedge_status is_idle(sedge_device *device, sedge_stream *stream, bool *idle)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    void *const handle = sedge_stream_handle(stream);

    SEDGE_CUDA_ENTER(device);
    const double began = driver->trace ? sedge_clock() : 0.0;
    const CUresult code = driver->cuStreamQuery(sedge_cuda_stream(device, handle));
    *idle = code == CUDA_SUCCESS;
    if (code == CUDA_ERROR_NOT_READY) return SEDGE_OK; // polled
    return sedge_cuda_finish(__FILE__, __LINE__, "cuStreamQuery", code, began, "stream %p", handle);
}

const sedge_peer *sedge_cuda_peer(const char **why)
{
    static const sedge_peer peer = {
        .allocate = allocate,
        .release = release,
        .share = share,
        .open = open_memory,
        .close = close_memory,
        .copy = copy,
        .write = write_flag,
        .wait = wait_for_flag,
        .idle = is_idle,
    };
    static _Thread_local char reason[128];
    const char *const missing = sedge_cuda_driver_get()->no_peer;

    *why = NULL;
    if (missing == NULL) return &peer;
    (void)snprintf(reason, sizeof reason, "the CUDA driver is too old: it has no %s", missing);
    *why = reason;
    return NULL;
}
#endif
