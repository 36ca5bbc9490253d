// OpenCL, loaded at run time: no library is linked and no OpenCL header is needed. This header
// declares the part of OpenCL 1.2 that src/device/opencl uses, with the names and values of the
// specification.
#pragma once

#include "base/error.h"
#include "base/file.h"
#include "device/backend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct opencl_platform opencl_platform;
typedef struct opencl_device opencl_device;
typedef struct opencl_context opencl_context;
typedef struct opencl_queue opencl_queue;
typedef struct opencl_memory opencl_memory;
typedef struct opencl_program opencl_program;
typedef struct opencl_kernel opencl_kernel;
typedef struct opencl_event opencl_event;

enum {
    CL_SUCCESS = 0,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_BUILD_PROGRAM_FAILURE = -11,
    CL_INVALID_BUFFER_SIZE = -61,
    CL_COMPLETE = 0,
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,
    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_NUM_KERNELS = 0x1167,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_KERNEL_FUNCTION_NAME = 0x1190,
    CL_KERNEL_NUM_ARGS = 0x1191,
    CL_KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196,
    CL_KERNEL_ARG_TYPE_NAME = 0x1198,
    CL_KERNEL_ARG_NAME = 0x119A,
    CL_KERNEL_ARG_ADDRESS_LOCAL = 0x119C,
    CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1,
    CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
    CL_KERNEL_PRIVATE_MEM_SIZE = 0x11B4,
    CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
    CL_PROFILING_COMMAND_END = 0x1283
};

#define CL_DEVICE_TYPE_GPU         ((uint64_t)4)
#define CL_DEVICE_TYPE_ACCELERATOR ((uint64_t)8)
#define CL_DEVICE_TYPE_ALL         ((uint64_t)0xFFFFFFFF)
#define CL_QUEUE_PROFILING_ENABLE  ((uint64_t)2)
#define CL_MEM_READ_WRITE          ((uint64_t)1)

// Every function in use: X(result, name, parameters). A wait list is an array of events.
#define SEDGE_OPENCL_FUNCTIONS(X)                                                                 \
    X(int, clGetPlatformIDs, (uint32_t, opencl_platform **, uint32_t *))                          \
    X(int, clGetPlatformInfo, (opencl_platform *, uint32_t, size_t, void *, size_t *))            \
    X(int, clGetDeviceIDs, (opencl_platform *, uint64_t, uint32_t, opencl_device **, uint32_t *)) \
    X(int, clGetDeviceInfo, (opencl_device *, uint32_t, size_t, void *, size_t *))                \
    X(opencl_context *, clCreateContext,                                                          \
      (const intptr_t *, uint32_t, opencl_device *const *,                                        \
       void (*)(const char *, const void *, size_t, void *), void *, int *))                      \
    X(int, clReleaseContext, (opencl_context *))                                                  \
    X(opencl_queue *, clCreateCommandQueue, (opencl_context *, opencl_device *, uint64_t, int *)) \
    X(int, clReleaseCommandQueue, (opencl_queue *))                                               \
    X(int, clFlush, (opencl_queue *))                                                             \
    X(int, clFinish, (opencl_queue *))                                                            \
    X(opencl_memory *, clCreateBuffer, (opencl_context *, uint64_t, size_t, void *, int *))       \
    X(int, clReleaseMemObject, (opencl_memory *))                                                 \
    X(int, clEnqueueFillBuffer,                                                                   \
      (opencl_queue *, opencl_memory *, const void *, size_t, size_t, size_t, uint32_t,           \
       opencl_event *const *, opencl_event **))                                                   \
    X(int, clEnqueueWriteBuffer,                                                                  \
      (opencl_queue *, opencl_memory *, uint32_t, size_t, size_t, const void *, uint32_t,         \
       opencl_event *const *, opencl_event **))                                                   \
    X(int, clEnqueueReadBuffer,                                                                   \
      (opencl_queue *, opencl_memory *, uint32_t, size_t, size_t, void *, uint32_t,               \
       opencl_event *const *, opencl_event **))                                                   \
    X(int, clEnqueueCopyBuffer,                                                                   \
      (opencl_queue *, opencl_memory *, opencl_memory *, size_t, size_t, size_t, uint32_t,        \
       opencl_event *const *, opencl_event **))                                                   \
    X(int, clEnqueueMarkerWithWaitList,                                                           \
      (opencl_queue *, uint32_t, opencl_event *const *, opencl_event **))                         \
    X(int, clEnqueueBarrierWithWaitList,                                                          \
      (opencl_queue *, uint32_t, opencl_event *const *, opencl_event **))                         \
    X(int, clEnqueueNDRangeKernel,                                                                \
      (opencl_queue *, opencl_kernel *, uint32_t, const size_t *, const size_t *, const size_t *, \
       uint32_t, opencl_event *const *, opencl_event **))                                         \
    X(int, clWaitForEvents, (uint32_t, opencl_event *const *))                                    \
    X(int, clReleaseEvent, (opencl_event *))                                                      \
    X(int, clGetEventInfo, (opencl_event *, uint32_t, size_t, void *, size_t *))                  \
    X(int, clGetEventProfilingInfo, (opencl_event *, uint32_t, size_t, void *, size_t *))         \
    X(opencl_program *, clCreateProgramWithSource,                                                \
      (opencl_context *, uint32_t, const char **, const size_t *, int *))                         \
    X(opencl_program *, clCreateProgramWithBinary,                                                \
      (opencl_context *, uint32_t, opencl_device *const *, const size_t *,                        \
       const unsigned char *const *, int *, int *))                                               \
    X(int, clBuildProgram,                                                                        \
      (opencl_program *, uint32_t, opencl_device *const *, const char *,                          \
       void (*)(opencl_program *, void *), void *))                                               \
    X(int, clReleaseProgram, (opencl_program *))                                                  \
    X(int, clGetProgramInfo, (opencl_program *, uint32_t, size_t, void *, size_t *))              \
    X(int, clGetProgramBuildInfo,                                                                 \
      (opencl_program *, opencl_device *, uint32_t, size_t, void *, size_t *))                    \
    X(opencl_kernel *, clCreateKernel, (opencl_program *, const char *, int *))                   \
    X(int, clCreateKernelsInProgram, (opencl_program *, uint32_t, opencl_kernel **, uint32_t *))  \
    X(int, clReleaseKernel, (opencl_kernel *))                                                    \
    X(int, clSetKernelArg, (opencl_kernel *, uint32_t, size_t, const void *))                     \
    X(int, clGetKernelInfo, (opencl_kernel *, uint32_t, size_t, void *, size_t *))                \
    X(int, clGetKernelArgInfo, (opencl_kernel *, uint32_t, uint32_t, size_t, void *, size_t *))   \
    X(int, clGetKernelWorkGroupInfo,                                                              \
      (opencl_kernel *, const opencl_device *, uint32_t, size_t, void *, size_t *))

enum { SEDGE_OPENCL_DEVICES_MAX = 64 };

typedef struct sedge_opencl_driver {
    bool trace;
    int devices; // that can be used
    opencl_platform *platform[SEDGE_OPENCL_DEVICES_MAX];
    opencl_device *device[SEDGE_OPENCL_DEVICES_MAX]; // GPUs and accelerators first
    char why[512];                                   // why there is none, when devices is 0
#define SEDGE_OPENCL_MEMBER(result, name, parameters) result(*name) parameters;
    SEDGE_OPENCL_FUNCTIONS(SEDGE_OPENCL_MEMBER)
#undef SEDGE_OPENCL_MEMBER
} sedge_opencl_driver;

// OpenCL. The first call loads it and lists its devices; `devices` is 0 if it cannot be used.
const sedge_opencl_driver *sedge_opencl_driver_get(void);

// Turn OpenCL's return code into a status; called by SEDGE_CL. `format` describes the call's
// arguments.
__attribute__((format(printf, 6, 7))) SEDGE_MUST_USE
sedge_status sedge_opencl_finish(const char *file, int line, const char *call, int code,
                                 double began, const char *format, ...);

// Call an OpenCL function; return from the caller when it fails. `arguments` in parentheses; the
// rest is a format and its values for messages and the trace.
#define SEDGE_CL(function, arguments, ...)                                                        \
    do {                                                                                          \
        const sedge_opencl_driver *const sedge_driver = sedge_opencl_driver_get();                \
        const double sedge_began = sedge_driver->trace ? sedge_clock() : 0.0;                     \
        const int sedge_code = sedge_driver->function arguments;                                  \
        if (sedge_code != CL_SUCCESS || sedge_driver->trace)                                      \
            SEDGE_TRY(sedge_opencl_finish(__FILE__, __LINE__, #function, sedge_code, sedge_began, \
                                          __VA_ARGS__));                                          \
    } while (0)

// Call an OpenCL function and ignore its failure, for functions that release.
#define SEDGE_CL_QUIETLY(function, arguments, ...)                                 \
    do {                                                                           \
        const sedge_opencl_driver *const sedge_driver = sedge_opencl_driver_get(); \
        const double sedge_began = sedge_driver->trace ? sedge_clock() : 0.0;      \
        (void)sedge_driver->function arguments;                                    \
        if (sedge_driver->trace) sedge_trace(#function, sedge_began, __VA_ARGS__); \
    } while (0)

// As SEDGE_CL, for a function that returns the object it creates and stores its return code through
// its last argument, which is `&sedge_code`.
#define SEDGE_CL_MAKE(result, function, arguments, ...)                                           \
    do {                                                                                          \
        const sedge_opencl_driver *const sedge_driver = sedge_opencl_driver_get();                \
        const double sedge_began = sedge_driver->trace ? sedge_clock() : 0.0;                     \
        int sedge_code = CL_SUCCESS;                                                              \
        (result) = sedge_driver->function arguments;                                              \
        if (sedge_code != CL_SUCCESS || sedge_driver->trace)                                      \
            SEDGE_TRY(sedge_opencl_finish(__FILE__, __LINE__, #function, sedge_code, sedge_began, \
                                          __VA_ARGS__));                                          \
    } while (0)
