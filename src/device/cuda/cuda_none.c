// The cuda device in a build without CUDA's headers: refused in words.
#include "device/backend.h"

#if !SEDGE_HAVE_CUDA
static const char reason[] = "this sedge was built without the CUDA headers";

int sedge_device_count_cuda(const char **why)
{
    if (why != NULL) *why = reason;
    return 0;
}

sedge_status sedge_cuda_open(sedge_device *device, int local_rank)
{
    (void)device;
    (void)local_rank;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "%s", reason);
}

sedge_status sedge_cuda_enter(sedge_cuda_scope *scope, const sedge_device *device)
{
    (void)scope;
    (void)device;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "%s", reason);
}

void sedge_cuda_leave(sedge_cuda_scope *scope)
{
    (void)scope;
}

sedge_status sedge_nvrtc_compile(const char *source, const char *arch, void **out, size_t *length,
                                 sedge_text *log)
{
    (void)source;
    (void)log;
    *out = NULL;
    *length = 0;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot compile for '%s': %s", arch, reason);
}
#endif
