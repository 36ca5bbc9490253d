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
    if (count >= 0 && (size == 0 || (uint64_t)count <= (SIZE_MAX - 4 * HUGE_PAGE) / size))
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "an array of %lld x %zu bytes is not possible",
                      (long long)count, size);
}

static sedge_status out_of_memory(size_t bytes)
{
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of host memory: %.1f MiB were asked for",
                      (double)bytes / 1048576.0);
}

// Where an array begins in its block; the block's address is before it.
static char *place(char *block, size_t offset)
{
    if (block != NULL) memcpy(block + offset - sizeof block, &block, sizeof block);
    return block != NULL ? block + offset : NULL;
}

// calloc does not clear pages that the system has just given: they are zero.
static char *take_small(size_t bytes)
{
    const size_t room = 2 * (size_t)SEDGE_ALIGNMENT;
    char *const block = calloc(1, bytes + room);

    return place(block, room - (uintptr_t)block % SEDGE_ALIGNMENT);
}

// Pages are touched by whoever fills the array, perhaps by several threads.
static char *take_large(size_t bytes)
{
    const size_t padded = (bytes + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
    char *const block = calloc(1, padded + HUGE_PAGE + SEDGE_ALIGNMENT);

    if (block == NULL) return NULL;
    const size_t offset =
        HUGE_PAGE + SEDGE_ALIGNMENT - ((uintptr_t)block + SEDGE_ALIGNMENT) % HUGE_PAGE;
    (void)madvise(block + offset, padded, MADV_HUGEPAGE); // without it all is as before
    return place(block, offset);
}

sedge_status sedge_allocate(void *out, int64_t count, size_t size)
{
    void *memory = NULL;

    memcpy(out, &memory, sizeof memory);
    SEDGE_TRY(check_size(count, size));
    const size_t bytes = (size_t)count * size;
    char *const block = bytes >= 4 * HUGE_PAGE ? take_large(bytes) : take_small(bytes);
    if (block == NULL) return out_of_memory(bytes);
    memory = block;
    memcpy(out, &memory, sizeof memory);
    return SEDGE_OK;
}

void sedge_release(void *memory)
{
    char *block;

    if (memory == NULL) return;
    memcpy(&block, (char *)memory - sizeof block, sizeof block);
    free(block);
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
