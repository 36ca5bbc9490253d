// A cuda chip that need not be here: it compiles as such a GPU's device would, and no more.
#include "device/backend.h"

#include "base/memory.h"
#include "device/cpu.h"
#include "device/cuda/nvrtc.h"

#include <stdio.h>
#include <string.h>

int sedge_device_compilers(int local_ranks)
{
    return sedge_cpu_share(local_ranks);
}

#if SEDGE_HAVE_CUDA
// Shared memory that a block may use (opt-in size), KiB, by compute capability: CUDA C++
// Programming Guide, technical specifications per compute capability.
static const struct {
    int capability;
    int shared_kib;
} chips[] = {
    {75, 64},   {80, 163},  {86, 99},   {87, 163}, {89, 99},  {90, 227},
    {100, 227}, {103, 227}, {110, 227}, {120, 99}, {121, 99},
};
#define CHIPS ((int)(sizeof chips / sizeof chips[0]))

static sedge_status fail_arch(const char *arch)
{
    char known[256];
    size_t used = 0;

    for (int i = 0; i < CHIPS && used < sizeof known; i++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%ssm_%d",
                                 i == 0           ? ""
                                 : i == CHIPS - 1 ? " and "
                                                  : ", ",
                                 chips[i].capability);
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "architecture '%s' is not known; known are %s", arch, known);
}

static sedge_status find_chip(int *capability, int64_t *shared_bytes, const char *arch)
{
    char name[16];

    for (int i = 0; i < CHIPS; i++) {
        (void)snprintf(name, sizeof name, "sm_%d", chips[i].capability);
        if (strcmp(arch, name) != 0) continue;
        *capability = chips[i].capability;
        *shared_bytes = (int64_t)chips[i].shared_kib * 1024;
        return SEDGE_OK;
    }
    return fail_arch(arch);
}

// ---- what it can and cannot do -----------------------------------------------------------------

static sedge_status refuse(const sedge_device *device)
{
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "the device %s compiles only", device->name);
}

static void close_target(sedge_device *device)
{
    (void)device;
}

static sedge_status allocate(sedge_device *device, uint64_t *address, int64_t bytes)
{
    (void)address, (void)bytes;
    return refuse(device);
}

static sedge_status pinned_allocate(sedge_device *device, void **out, int64_t bytes)
{
    (void)out, (void)bytes;
    return refuse(device);
}

static sedge_status stream_create(sedge_device *device, void **stream, bool high_priority)
{
    (void)stream, (void)high_priority;
    return refuse(device);
}

static sedge_status event_create(sedge_device *device, void **event)
{
    (void)event;
    return refuse(device);
}

static sedge_status module_load(sedge_device *device, void **module, const void *binary,
                                size_t length)
{
    (void)module, (void)binary, (void)length;
    return refuse(device);
}

static sedge_status compile(sedge_device *device, const char *source, const char *arch,
                            const char *keep_name, void **out, size_t *length, sedge_text *log)
{
    return sedge_nvrtc_compile_named(source, arch != NULL ? arch : device->arch, keep_name, out,
                                     length, log);
}

// What makes an object fails, so that nothing that takes one is ever called.
static const sedge_device_operations operations = {
    .close = close_target,
    .allocate = allocate,
    .pinned_allocate = pinned_allocate,
    .stream_create = stream_create,
    .event_create = event_create,
    .compile = compile,
    .module_load = module_load,
};

static sedge_status open_target(sedge_device *device, const char *arch)
{
    int capability = 0;

    device->operations = &operations;
    SEDGE_TRY(find_chip(&capability, &device->info.shared_bytes_block, arch));
    SEDGE_TRY(sedge_nvrtc_choose_arch(device->arch, sizeof device->arch, capability / 10,
                                      capability % 10));
    SEDGE_TRY(sedge_nvrtc_identity(device->compiler));
    SEDGE_TRY(sedge_nvrtc_options(device->arch, device->options));
    (void)snprintf(device->name, sizeof device->name, "%s (not opened)", arch);
    device->info.threads_block = 1024; // of every chip in the table
    device->info.kind = SEDGE_DEVICE_CUDA;
    device->info.kind_name = "cuda";
    return SEDGE_OK;
}
#else
static sedge_status open_target(sedge_device *device, const char *arch)
{
    const char *why = NULL;

    (void)device;
    (void)sedge_device_count_cuda(&why);
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot compile for '%s': %s", arch, why);
}
#endif

sedge_status sedge_device_create_target(sedge_device **out, const char *kind_name, const char *arch)
{
    sedge_status status;
    sedge_device *device = NULL;

    *out = NULL;
    if (arch == NULL) return sedge_device_create(out, kind_name, 0, 1);
    if (strcmp(kind_name, "cuda") != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "an architecture ('%s') can be chosen for cuda only, not for '%s'", arch,
                          kind_name);
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&device, 1, sizeof *device));
    SEDGE_TRY_GOTO(status, sedge_text_create(&device->compiler));
    SEDGE_TRY_GOTO(status, sedge_text_create(&device->options));
    SEDGE_TRY_GOTO(status, open_target(device, arch));
    device->info.name = device->name;
    device->info.arch = device->arch;
    device->info.compiler = sedge_text_get(device->compiler);
    *out = device;
    device = NULL;
done:
    sedge_device_free(device);
    return status;
}
