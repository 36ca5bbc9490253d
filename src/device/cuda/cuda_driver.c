#include "device/backend.h"

#if SEDGE_HAVE_CUDA
#include "device/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A library is loaded once a process, by nature, whichever thread comes first.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sedge_cuda_driver loaded;

static bool find_function(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);

    // This one got a second name in 12.8; both do the same.
    if (symbol == NULL && strcmp(name, "cuEventElapsedTime_v2") == 0)
        symbol = dlsym(library, "cuEventElapsedTime");
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

static bool load_driver(sedge_cuda_driver *driver)
{
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const char *missing = NULL;

    if (library == NULL) {
        (void)snprintf(driver->why, sizeof driver->why,
                       "there is no CUDA driver on this machine (libcuda.so.1 is not found)");
        return false;
    }
#define FIND(name)                                                                            \
    if (!find_function(library, SEDGE_CUDA_NAME(name), &driver->name, sizeof driver->name) && \
        missing == NULL)                                                                      \
        missing = SEDGE_CUDA_NAME(name);
    SEDGE_CUDA_FUNCTIONS(FIND)
#undef FIND
#define FIND(name)                                                                            \
    if (!find_function(library, SEDGE_CUDA_NAME(name), &driver->name, sizeof driver->name) && \
        driver->no_peer == NULL)                                                              \
        driver->no_peer = SEDGE_CUDA_NAME(name);
    SEDGE_CUDA_PEER_FUNCTIONS(FIND)
#undef FIND
    (void)find_function(library, "cuFuncGetParamInfo", &driver->function_parameter,
                        sizeof driver->function_parameter);
    (void)find_function(library, "cuLaunchKernelEx", &driver->cuLaunchKernelEx,
                        sizeof driver->cuLaunchKernelEx);
    if (missing != NULL) {
        (void)snprintf(driver->why, sizeof driver->why,
                       "the CUDA driver is too old: it has no %s; install a newer one", missing);
    }
    return missing == NULL;
}

static void start_driver(void)
{
    sedge_cuda_driver *const driver = &loaded;
    const char *text = NULL;

    driver->trace = sedge_trace_requested();
    if (!load_driver(driver)) return;
    const CUresult started = driver->cuInit(0);
    if (started == CUDA_ERROR_NO_DEVICE) {
        (void)snprintf(driver->why, sizeof driver->why, "the CUDA driver sees no GPU");
        return;
    }
    if (started == CUDA_ERROR_STUB_LIBRARY) {
        (void)snprintf(driver->why, sizeof driver->why,
                       "there is no CUDA driver on this machine (libcuda.so.1 is the toolkit's "
                       "stand-in for linking)");
        return;
    }
    if (started != CUDA_SUCCESS) {
        if (driver->cuGetErrorString(started, &text) != CUDA_SUCCESS || text == NULL)
            text = "no explanation";
        (void)snprintf(driver->why, sizeof driver->why, "the CUDA driver does not start: %s (%d)",
                       text, (int)started);
        return;
    }
    if (driver->cuDriverGetVersion(&driver->version) != CUDA_SUCCESS ||
        driver->cuDeviceGetCount(&driver->devices) != CUDA_SUCCESS)
        driver->devices = 0;
    if (driver->version < 12030) driver->cuLaunchKernelEx = NULL;
    if (driver->devices == 0)
        (void)snprintf(driver->why, sizeof driver->why, "the CUDA driver sees no GPU");
}

const sedge_cuda_driver *sedge_cuda_driver_get(void)
{
    (void)pthread_once(&once, start_driver);
    return &loaded;
}

sedge_status sedge_cuda_finish(const char *file, int line, const char *call, CUresult code,
                               double began, const char *format, ...)
{
    const sedge_cuda_driver *const driver = sedge_cuda_driver_get();
    const char *name = NULL;
    const char *text = NULL;
    char details[256];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(details, sizeof details, format, args);
    va_end(args);
    if (driver->trace) sedge_trace(call, began, "%s", details);
    if (code == CUDA_SUCCESS) return SEDGE_OK;
    if (driver->cuGetErrorName(code, &name) != CUDA_SUCCESS || name == NULL) name = "unknown error";
    if (driver->cuGetErrorString(code, &text) != CUDA_SUCCESS || text == NULL) text = "";
    return sedge_error_raise(SEDGE_ERR_DEVICE, file, line, "%s(%s) failed: %s (%s)", call, details,
                             text, name);
}
#endif
