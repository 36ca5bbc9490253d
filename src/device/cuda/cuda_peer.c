// Memory that processes share on GPUs of one node, by CUDA's handles for other processes, and
// flags in it by the driver's memory operations in streams.
#include "device/backend.h"

#if SEDGE_HAVE_CUDA
#include "device/cuda/cuda_driver.h"

#include <stdio.h>
#include <string.h>

#define MOST_FLAGS 128 // at once; the driver takes 255

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
    device->has_peers = true;
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

static CUstreamBatchMemOpParams describe(const sedge_flag *flag)
{
    CUstreamBatchMemOpParams out;

    memset(&out, 0, sizeof out);
    if (flag->wait) {
        out.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
        out.waitValue.address = flag->address;
        out.waitValue.value = flag->value;
        out.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    } else { // with the default flags the driver puts a fence of the whole system before the value
        out.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        out.writeValue.address = flag->address;
        out.writeValue.value = flag->value;
        out.writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
    }
    return out;
}

static sedge_status queue_flags(sedge_device *device, sedge_stream *stream, const sedge_flag *list,
                                int count)
{
    CUstreamBatchMemOpParams operations[MOST_FLAGS];
    void *const handle = sedge_stream_handle(stream);

    SEDGE_CUDA_ENTER(device);
    for (int from = 0; from < count; from += MOST_FLAGS) {
        const int part = count - from < MOST_FLAGS ? count - from : MOST_FLAGS;
        for (int i = 0; i < part; i++) operations[i] = describe(&list[from + i]);
        SEDGE_CUDA(
            cuStreamBatchMemOp, (sedge_cuda_stream(device, handle), (unsigned)part, operations, 0),
            "%d flags, the first 0x%llx, stream %p", part, (long long)list[from].address, handle);
    }
    return sedge_cuda_end(device, handle);
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
        .flags = queue_flags,
        .kernels_tell = true,
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
