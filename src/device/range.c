#include "device/range.h"

#include "device/backend.h"

#if SEDGE_HAVE_NVTX
#include <stdatomic.h>

#include <nvtx3/nvToolsExt.h>

static bool is_wanted(void)
{
    static atomic_int answer; // 0: not known yet. The environment is the process's, by nature.
    int known = atomic_load_explicit(&answer, memory_order_relaxed);

    if (known == 0) {
        known = sedge_nvtx_requested() ? 2 : 1;
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == 2;
}

// Without a profiler's library in NVTX_INJECTION64_PATH these do nothing.
void sedge_range_begin(const char *name)
{
    if (is_wanted()) (void)nvtxRangePushA(name);
}

void sedge_range_end(void)
{
    if (is_wanted()) (void)nvtxRangePop();
}

sedge_status sedge_range_check(void)
{
    return SEDGE_OK;
}
#else
void sedge_range_begin(const char *name)
{
    (void)name;
}

void sedge_range_end(void)
{
}

sedge_status sedge_range_check(void)
{
    if (!sedge_nvtx_requested()) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_NVTX is set, but this program was built without "
                                       "nvtx3/nvToolsExt.h of the CUDA toolkit");
}
#endif
