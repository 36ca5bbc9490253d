#include "device/opencl/opencl_driver.h"

#include "device/opencl_environment.h"
#include "device/opencl_folder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A library is loaded once a process, by nature, whichever thread comes first.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sedge_opencl_driver driver;

// ---- loading -----------------------------------------------------------------------------------

static bool load_library(void)
{
    void *const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    const char *missing = NULL;

    if (library == NULL) {
        (void)snprintf(driver.why, sizeof driver.why,
                       "there is no OpenCL on this machine (libOpenCL.so.1 is not found)");
        return false;
    }
#define FIND(result, name, parameters)                          \
    {                                                           \
        void *const symbol = dlsym(library, #name);             \
        memcpy(&driver.name, &symbol, sizeof symbol);           \
        if (symbol == NULL && missing == NULL) missing = #name; \
    }
    SEDGE_OPENCL_FUNCTIONS(FIND)
#undef FIND
    if (missing != NULL) {
        (void)snprintf(driver.why, sizeof driver.why,
                       "libOpenCL.so.1 is too old: it has no %s; OpenCL 1.2 is needed", missing);
    }
    return missing == NULL;
}

static bool is_true(opencl_device *device, uint32_t what)
{
    uint32_t value = 0;

    return driver.clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS &&
           value != 0;
}

// Available, with a compiler, of version 1.2 or later. Its version is "OpenCL 1.2 ...".
static bool is_usable(opencl_device *device)
{
    char version[256] = "";
    char *end = NULL;

    if (!is_true(device, CL_DEVICE_AVAILABLE) || !is_true(device, CL_DEVICE_COMPILER_AVAILABLE))
        return false;
    if (driver.clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL) !=
            CL_SUCCESS ||
        strncmp(version, "OpenCL ", 7) != 0)
        return false;
    const long major = strtol(version + 7, &end, 10);
    return major > 1 || (major == 1 && *end == '.' && strtol(end + 1, NULL, 10) >= 2);
}

// SEDGE_OPENCL is a part of "PLATFORM: DEVICE".
static bool is_wanted(opencl_platform *platform, opencl_device *device)
{
    const char *const wish = getenv("SEDGE_OPENCL");
    char names[2][256] = {"", ""};
    char both[520];

    if (wish == NULL || wish[0] == '\0') return true;
    (void)driver.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof names[0], names[0], NULL);
    (void)driver.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof names[1], names[1], NULL);
    (void)snprintf(both, sizeof both, "%.255s: %.255s", names[0], names[1]);
    return strstr(both, wish) != NULL;
}

static bool is_accelerator(opencl_device *device)
{
    uint64_t type = 0;

    (void)driver.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)) != 0;
}

// Devices of one platform that can be used, either accelerators or the others. Counts all in
// `seen`.
static void add_devices(opencl_platform *platform, bool accelerators, int *seen)
{
    opencl_device *found[SEDGE_OPENCL_DEVICES_MAX];
    uint32_t count = 0;

    if (driver.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, SEDGE_OPENCL_DEVICES_MAX, found,
                              &count) != CL_SUCCESS)
        return; // none here, which is a failure to OpenCL
    if (count > SEDGE_OPENCL_DEVICES_MAX) count = SEDGE_OPENCL_DEVICES_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (is_accelerator(found[i]) != accelerators || !is_usable(found[i])) continue;
        (*seen)++;
        if (driver.devices == SEDGE_OPENCL_DEVICES_MAX || !is_wanted(platform, found[i])) continue;
        driver.platform[driver.devices] = platform;
        driver.device[driver.devices++] = found[i];
    }
}

// Devices that can be used; all of them in `seen`. PoCL, which looks for its folder here, has it.
static void find_devices(int *seen)
{
    enum { PLATFORMS = 16 };
    opencl_platform *platforms[PLATFORMS];
    uint32_t count = 0;

    if (driver.clGetPlatformIDs(PLATFORMS, platforms, &count) != CL_SUCCESS) count = 0;
    if (count > PLATFORMS) count = PLATFORMS;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t p = 0; p < count; p++) add_devices(platforms[p], pass == 0, seen);
}

// Load OpenCL and find its devices; all that can be used in `*seen`.
static void open_driver(int *seen)
{
    if (!load_library()) return;
    // Without its folder PoCL can be asked for devices; opening one is refused with the reason.
    const bool has_folder = sedge_opencl_folder_enter() == SEDGE_OK;
    if (!has_folder) sedge_error_clear();
    find_devices(seen);
    if (has_folder) sedge_opencl_folder_leave(); // until a device is opened
}

static void start_driver(void)
{
    int seen = 0;

    driver.trace = sedge_trace_requested();
    if (sedge_opencl_environment_begin() != SEDGE_OK) {
        (void)snprintf(driver.why, sizeof driver.why, "%.200s", sedge_error_message());
        return;
    }
    open_driver(&seen);
    sedge_opencl_environment_end();
    if (driver.devices > 0 || driver.why[0] != '\0') return;
    if (seen > 0) {
        (void)snprintf(driver.why, sizeof driver.why,
                       "SEDGE_OPENCL='%.200s' is in the name of none of the %d devices; 'sedge "
                       "devices' without it lists them",
                       getenv("SEDGE_OPENCL"), seen);
    } else {
        (void)snprintf(driver.why, sizeof driver.why,
                       "OpenCL sees no device of version 1.2 with a compiler; install the one of "
                       "your GPU, or pocl-opencl-icd, which uses the processor");
    }
}

const sedge_opencl_driver *sedge_opencl_driver_get(void)
{
    (void)pthread_once(&once, start_driver);
    return &driver;
}

// ---- answers -----------------------------------------------------------------------------------

static const char *name_of(int code)
{
    static const struct {
        int code;
        const char *name;
    } rows[] = {
        {-1, "CL_DEVICE_NOT_FOUND"},
        {-2, "CL_DEVICE_NOT_AVAILABLE"},
        {-3, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
        {-30, "CL_INVALID_VALUE"},
        {-36, "CL_INVALID_COMMAND_QUEUE"},
        {-38, "CL_INVALID_MEM_OBJECT"},
        {-42, "CL_INVALID_BINARY"},
        {-43, "CL_INVALID_BUILD_OPTIONS"},
        {-44, "CL_INVALID_PROGRAM"},
        {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
        {-46, "CL_INVALID_KERNEL_NAME"},
        {-48, "CL_INVALID_KERNEL"},
        {-49, "CL_INVALID_ARG_INDEX"},
        {-50, "CL_INVALID_ARG_VALUE"},
        {-51, "CL_INVALID_ARG_SIZE"},
        {-52, "CL_INVALID_KERNEL_ARGS"},
        {-54, "CL_INVALID_WORK_GROUP_SIZE"},
        {-55, "CL_INVALID_WORK_ITEM_SIZE"},
        {-58, "CL_INVALID_EVENT"},
        {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code) return rows[i].name;
    return "an error";
}

sedge_status sedge_opencl_finish(const char *file, int line, const char *call, int code,
                                 double began, const char *format, ...)
{
    char details[256];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(details, sizeof details, format, args);
    va_end(args);
    if (driver.trace) sedge_trace(call, began, "%s", details);
    if (code == CL_SUCCESS) return SEDGE_OK;
    return sedge_error_raise(SEDGE_ERR_DEVICE, file, line, "%s(%s) failed: %s (%d)", call, details,
                             name_of(code), code);
}
