#define _GNU_SOURCE // sched_getaffinity
#include "device/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The value behind the first "key...: value" of a /proc file, NUL-terminated in `line`; or NULL.
static char *find_value(const char *path, const char *key, char *line, size_t size)
{
    FILE *const file = fopen(path, "r");
    char *value = NULL;

    if (file == NULL) return NULL;
    while (value == NULL && fgets(line, (int)size, file) != NULL) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        value = strchr(line, ':');
    }
    (void)fclose(file);
    if (value == NULL) return NULL;
    value += 1 + strspn(value + 1, " \t");
    value[strcspn(value, "\n")] = '\0';
    return value;
}

static sedge_status add_first_value(sedge_text *out, const char *const *keys)
{
    static const char path[] = "/proc/cpuinfo";
    char line[16384];

    for (; *keys != NULL; keys++) {
        const char *const value = find_value(path, *keys, line, sizeof line);
        if (value != NULL) return sedge_text_add(out, "%s", value);
    }
    return sedge_text_add(out, "unknown processor");
}

sedge_status sedge_cpu_model(sedge_text *out)
{
    static const char *const keys[] = {"model name", "Model", "cpu", "CPU part", NULL};

    return add_first_value(out, keys);
}

sedge_status sedge_cpu_features(sedge_text *out)
{
    static const char *const keys[] = {"flags", "Features", "isa", "cpu", NULL};

    return add_first_value(out, keys);
}

int sedge_cpu_vector_bytes(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return 64;
    if (__builtin_cpu_supports("avx2")) return 32;
#endif
    return 16;
}

int64_t sedge_cpu_last_cache_bytes(void)
{
    static const int levels[] = {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                 _SC_LEVEL2_CACHE_SIZE};

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const long bytes = sysconf(levels[i]);
        if (bytes > 0) return bytes;
    }
    return 0;
}

int64_t sedge_cpu_memory_bytes(void)
{
    const int64_t pages = sysconf(_SC_PHYS_PAGES);
    const int64_t page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? pages * page : 0;
}

// A number in a file; -1: there is none, or it is "max".
static int64_t read_number(const char *path)
{
    FILE *const file = fopen(path, "re");
    char line[64];
    char *end = line;

    if (file == NULL) return -1;
    const bool found = fgets(line, sizeof line, file) != NULL;
    (void)fclose(file);
    const int64_t number = found ? (int64_t)strtoll(line, &end, 10) : -1;
    return end != line ? number : -1;
}

// Bytes of cached files that the cgroup (version 2) drops when it needs memory.
static int64_t read_group_cache(void)
{
    static const char key[] = "inactive_file ";
    FILE *const file = fopen("/sys/fs/cgroup/memory.stat", "re");
    char line[128];
    int64_t bytes = 0;

    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, sizeof key - 1) == 0)
            bytes = (int64_t)strtoll(line + sizeof key - 1, NULL, 10);
    }
    (void)fclose(file);
    return bytes;
}

// What the limit of the cgroup leaves; INT64_MAX: there is none.
static int64_t find_group_free(void)
{
    const int64_t most = read_number("/sys/fs/cgroup/memory.max");
    const int64_t used = read_number("/sys/fs/cgroup/memory.current");

    if (most < 0 || used < 0) return INT64_MAX;
    const int64_t left = most - used + read_group_cache();
    return left > 0 ? left : 0;
}

int64_t sedge_cpu_memory_free(void)
{
    char line[256];
    const char *const value = find_value("/proc/meminfo", "MemAvailable", line, sizeof line);

    const int64_t machine = value != NULL ? 1024 * (int64_t)strtoll(value, NULL, 10) : INT64_MAX;
    const int64_t group = find_group_free();
    return machine < group ? machine : group;
}

// Processors that this process may use; the set grows until the kernel's mask fits.
static int count_allowed(void)
{
    for (int processors = 1024; processors <= 1 << 20; processors *= 4) {
        cpu_set_t *const set = CPU_ALLOC((size_t)processors);
        const size_t bytes = CPU_ALLOC_SIZE((size_t)processors);
        if (set == NULL) return 1;
        const bool got = sched_getaffinity(0, bytes, set) == 0;
        const int count = got ? CPU_COUNT_S(bytes, set) : 0;
        const int reason = errno;
        CPU_FREE(set);
        if (got) return count > 0 ? count : 1;
        if (reason != EINVAL) return 1;
    }
    return 1;
}

int sedge_cpu_share(int local_ranks)
{
    const int allowed = count_allowed();
    const int share = (int)(sysconf(_SC_NPROCESSORS_ONLN) / local_ranks);
    const int threads = share < allowed ? share : allowed;

    return threads > 1 ? threads : 1;
}

sedge_status sedge_cpu_threads(int *threads, int local_ranks)
{
    const char *const wish = getenv("SEDGE_THREADS");

    if (wish != NULL && wish[0] != '\0') {
        char *end = NULL;
        const long number = strtol(wish, &end, 10);
        if (*end != '\0' || number < 1 || number > 4096) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_THREADS='%s' is not a number in 1..4096",
                              wish);
        }
        *threads = (int)number;
        return SEDGE_OK;
    }
    *threads = sedge_cpu_share(local_ranks);
    return SEDGE_OK;
}
