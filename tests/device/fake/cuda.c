// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
#include "fake/cuda.h"

#include <cuda.h>

#include <stdlib.h>
#include <string.h>

// Any address is a context's; this one is the device's.
static int primary;
static _Thread_local void *current;

bool fake_is_entered(void)
{
    return current == &primary;
}

CUresult cuInit(unsigned flags)
{
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult code, const char **out)
{
    *out = code == CUDA_ERROR_INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT" : "another";
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult code, const char **out)
{
    *out = code == CUDA_ERROR_INVALID_CONTEXT ? "invalid device context" : "another";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    if (size > 0) name[0] = '\0';
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    *bytes = (size_t)1 << 30;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice device)
{
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
             : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                     : 1024;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    *context = (CUcontext)(void *)&primary;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    *context = current;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    current = context;
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    if (!fake_is_entered()) return CUDA_ERROR_INVALID_CONTEXT;
    *out = malloc(bytes);
    return *out != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFreeHost(void *memory)
{
    if (!fake_is_entered()) return CUDA_ERROR_INVALID_CONTEXT;
    free(memory);
    return CUDA_SUCCESS;
}

// Threads, number of parameters, and an empty text.
static const struct {
    int numbers[2];
    char text[1];
} signature = {{32, 0}, ""};

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    (void)module;
    *address = 0;
    *bytes = 0;
    if (!fake_is_entered()) return CUDA_ERROR_INVALID_CONTEXT;
    if (strcmp(name, "sedge_waits") == 0) return CUDA_SUCCESS;
    if (strcmp(name, "sedge_signature_waiting") != 0) return CUDA_ERROR_NOT_FOUND;
    *address = (CUdeviceptr)&signature;
    *bytes = sizeof signature;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    if (!fake_is_entered()) return CUDA_ERROR_INVALID_CONTEXT;
    if (from == (CUdeviceptr)&signature) memcpy(to, &signature, bytes);
    return CUDA_SUCCESS;
}

fake_launches fake_counts;

CUresult cuLaunchKernel(CUfunction function, unsigned blocks_x, unsigned blocks_y,
                        unsigned blocks_z, unsigned threads_x, unsigned threads_y,
                        unsigned threads_z, unsigned bytes, CUstream stream, void **parameters,
                        void **extra)
{
    (void)function, (void)blocks_x, (void)blocks_y, (void)blocks_z, (void)threads_x;
    (void)threads_y, (void)threads_z, (void)bytes, (void)stream, (void)parameters, (void)extra;
    fake_counts.all++;
    return fake_is_entered() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                          void **extra)
{
    (void)function, (void)parameters, (void)extra;
    fake_counts.all++;
    if (config->numAttrs == 1 &&
        config->attrs[0].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
        config->attrs[0].value.programmaticStreamSerializationAllowed == 1)
        fake_counts.early++;
    return fake_is_entered() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
