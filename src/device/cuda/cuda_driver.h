// The CUDA driver, loaded at run time. No library is linked, so the program also starts on a
// machine without a driver. Only files with SEDGE_HAVE_CUDA=1 include this.
#pragma once

#include "base/error.h"
#include "base/file.h"
#include "device/backend.h"

#include <stdbool.h>

#include <cuda.h>

// Every driver function in use. cuda.h renames some by macros (cuMemAlloc is cuMemAlloc_v2): the
// member of the table and the name that is looked up follow it.
#define SEDGE_CUDA_FUNCTIONS(X)                    \
    X(cuInit)                                      \
    X(cuDriverGetVersion)                          \
    X(cuGetErrorName)                              \
    X(cuGetErrorString)                            \
    X(cuDeviceGet)                                 \
    X(cuDeviceGetCount)                            \
    X(cuDeviceGetName)                             \
    X(cuDeviceGetAttribute)                        \
    X(cuDeviceTotalMem)                            \
    X(cuDevicePrimaryCtxRetain)                    \
    X(cuDevicePrimaryCtxRelease)                   \
    X(cuCtxGetCurrent)                             \
    X(cuCtxSetCurrent)                             \
    X(cuCtxGetStreamPriorityRange)                 \
    X(cuMemGetInfo)                                \
    X(cuMemAlloc)                                  \
    X(cuMemFree)                                   \
    X(cuMemHostAlloc)                              \
    X(cuMemFreeHost)                               \
    X(cuMemsetD8Async)                             \
    X(cuMemcpyHtoDAsync)                           \
    X(cuMemcpyDtoHAsync)                           \
    X(cuMemcpyDtoDAsync)                           \
    X(cuStreamCreateWithPriority)                  \
    X(cuStreamDestroy)                             \
    X(cuStreamSynchronize)                         \
    X(cuStreamWaitEvent)                           \
    X(cuStreamBeginCapture)                        \
    X(cuStreamEndCapture)                          \
    X(cuGraphInstantiateWithFlags)                 \
    X(cuGraphLaunch)                               \
    X(cuGraphDestroy)                              \
    X(cuGraphExecDestroy)                          \
    X(cuEventCreate)                               \
    X(cuEventDestroy)                              \
    X(cuEventRecord)                               \
    X(cuEventSynchronize)                          \
    X(cuEventQuery)                                \
    X(cuEventElapsedTime)                          \
    X(cuModuleLoadData)                            \
    X(cuModuleUnload)                              \
    X(cuModuleGetFunction)                         \
    X(cuModuleGetGlobal)                           \
    X(cuFuncGetAttribute)                          \
    X(cuFuncSetAttribute)                          \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
    X(cuLaunchKernel)

// What only the exchange between processes needs; a driver may be without it.
#define SEDGE_CUDA_PEER_FUNCTIONS(X) \
    X(cuIpcGetMemHandle)             \
    X(cuIpcOpenMemHandle)            \
    X(cuIpcCloseMemHandle)           \
    X(cuStreamQuery)                 \
    X(cuStreamBatchMemOp)

typedef struct sedge_cuda_driver {
    bool trace;
    int version; // 13000 for 13.0
    int devices;
    char why[512];       // why there is no device, when devices is 0
    const char *no_peer; // the first function that is missing for exchanges between processes; NULL
    // Describes a kernel's parameters; available since 12.4, NULL before.
    CUresult (*function_parameter)(CUfunction function, size_t index, size_t *offset, size_t *size);
    // Launches a kernel with attributes; NULL before 12.3, where graphs do not record all of them.
    __typeof__(&cuLaunchKernelEx) cuLaunchKernelEx;
#define SEDGE_CUDA_MEMBER(name) __typeof__(&name) name;
    SEDGE_CUDA_FUNCTIONS(SEDGE_CUDA_MEMBER)
    SEDGE_CUDA_PEER_FUNCTIONS(SEDGE_CUDA_MEMBER) // NULL where they are missing
#undef SEDGE_CUDA_MEMBER
} sedge_cuda_driver;

// The driver, loaded and started by the first call; `devices` is 0 when it cannot be used.
const sedge_cuda_driver *sedge_cuda_driver_get(void);

// sedge_cuda_stream gives the CUstream of a stream handle; a NULL handle means the device's own
// stream. sedge_cuda_end ends a call that used the handle: it waits if the stream is the device's
// own, so that the work is done when the call returns.
CUstream sedge_cuda_stream(const sedge_device *device, void *stream);
SEDGE_MUST_USE
sedge_status sedge_cuda_end(const sedge_device *device, void *stream);

// The operations of peer.h; NULL says why not.
const sedge_peer *sedge_cuda_peer(const char **why);

// Turn a driver's return code into a status; called by SEDGE_CUDA. `format` describes the call's
// arguments.
__attribute__((format(printf, 6, 7))) SEDGE_MUST_USE
sedge_status sedge_cuda_finish(const char *file, int line, const char *call, CUresult code,
                               double began, const char *format, ...);

// Call a driver function and ignore its failure, for functions that free. The call is traced
// nevertheless.
#define SEDGE_CUDA_QUIETLY(function, arguments, ...)                                               \
    do {                                                                                           \
        const sedge_cuda_driver *const sedge_driver = sedge_cuda_driver_get();                     \
        const double sedge_began = sedge_driver->trace ? sedge_clock() : 0.0;                      \
        (void)sedge_driver->function arguments;                                                    \
        if (sedge_driver->trace) sedge_trace(SEDGE_CUDA_NAME(function), sedge_began, __VA_ARGS__); \
    } while (0)

#define SEDGE_CUDA_NAME(name)  SEDGE_CUDA_NAME2(name)
#define SEDGE_CUDA_NAME2(name) #name

// Call a driver function; return from the caller when it fails. `arguments` in parentheses; the
// rest is a format and its values for messages and the trace.
#define SEDGE_CUDA(function, arguments, ...)                                                       \
    do {                                                                                           \
        const sedge_cuda_driver *const sedge_driver = sedge_cuda_driver_get();                     \
        const double sedge_began = sedge_driver->trace ? sedge_clock() : 0.0;                      \
        const CUresult sedge_code = sedge_driver->function arguments;                              \
        if (sedge_code != CUDA_SUCCESS || sedge_driver->trace)                                     \
            SEDGE_TRY(sedge_cuda_finish(__FILE__, __LINE__, SEDGE_CUDA_NAME(function), sedge_code, \
                                        sedge_began, __VA_ARGS__));                                \
    } while (0)
