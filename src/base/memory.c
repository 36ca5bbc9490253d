#define _DEFAULT_SOURCE
#include "memory.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

// Arrays of some of these lie on huge pages where the system has them for who asks: a page fault
// costs as much for 2 MiB as for 4 KiB, and large meshes are mostly page faults.
#define HUGE_PAGE ((size_t)1 << 21)

static sedge_status check_size(int64_t count, size_t size)
{
    if (count >= 0 && (size == 0 || (uint64_t)count <= (SIZE_MAX - HUGE_PAGE) / size))
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "an array of %lld x %zu bytes is not possible",
                      (long long)count, size);
}

static sedge_status out_of_memory(size_t bytes)
{
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of host memory: %.1f MiB were asked for",
                      (double)bytes / 1048576.0);
}

sedge_status sedge_allocate(void *out, int64_t count, size_t size)
{
    void *memory = NULL;

    memcpy(out, &memory, sizeof memory);
    SEDGE_TRY(check_size(count, size));
    const size_t bytes = (size_t)count * size;
    const bool is_large = bytes >= 4 * HUGE_PAGE;
    const size_t unit = is_large ? HUGE_PAGE : SEDGE_ALIGNMENT;
    const size_t padded = (bytes + unit) / unit * unit;

    memory = aligned_alloc(unit, padded);
    if (memory == NULL) return out_of_memory(bytes);
    if (is_large) (void)madvise(memory, padded, MADV_HUGEPAGE); // without it all is as before
    memset(memory, 0, is_large ? bytes : padded);
    memcpy(out, &memory, sizeof memory);
    return SEDGE_OK;
}

void sedge_release(void *memory)
{
    free(memory);
}

// A huge page each for what is scattered would be most of the memory again.
sedge_status sedge_allocate_thin(void *out, int64_t count, size_t size)
{
    void *memory = NULL;

    memcpy(out, &memory, sizeof memory);
    SEDGE_TRY(check_size(count, size));
    const size_t bytes = (size_t)count * size + 1; // 0 cannot be mapped
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    if (memory == MAP_FAILED) return out_of_memory(bytes);
    (void)madvise(memory, bytes, MADV_NOHUGEPAGE);
    memcpy(out, &memory, sizeof memory);
    return SEDGE_OK;
}

void sedge_release_thin(void *memory, int64_t count, size_t size)
{
    if (memory != NULL) (void)munmap(memory, (size_t)count * size + 1);
}

int64_t sedge_memory_peak(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return (int64_t)usage.ru_maxrss * 1024;
}
