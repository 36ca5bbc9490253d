#define _DEFAULT_SOURCE
#include "memory.h"

#include <string.h>
#include <sys/resource.h>

sedge_status sedge_allocate(void *out, int64_t count, size_t size)
{
    void *memory = NULL;

    memcpy(out, &memory, sizeof memory);
    if (count < 0 || (size > 0 && (uint64_t)count > (SIZE_MAX - SEDGE_ALIGNMENT) / size)) {
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "an array of %lld x %zu bytes is not possible",
                          (long long)count, size);
    }
    const size_t bytes = (size_t)count * size;
    const size_t padded = (bytes + SEDGE_ALIGNMENT) / SEDGE_ALIGNMENT * SEDGE_ALIGNMENT;

    memory = aligned_alloc(SEDGE_ALIGNMENT, padded);
    if (memory == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of host memory: %.1f MiB were asked for",
                          (double)bytes / 1048576.0);
    }
    memset(memory, 0, padded);
    memcpy(out, &memory, sizeof memory);
    return SEDGE_OK;
}

void sedge_release(void *memory)
{
    free(memory);
}

int64_t sedge_memory_peak(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return (int64_t)usage.ru_maxrss * 1024;
}
