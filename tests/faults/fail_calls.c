// Put before a program by LD_PRELOAD: calls into drivers that fail or never return, on one rank.
// Sedge finds its drivers' functions by dlsym, so that is what stands here.
//
//   SEDGE_FAIL_LAUNCH=RANK:NUMBER  from launch NUMBER on, clEnqueueNDRangeKernel fails there
//   SEDGE_FAIL_BUILD=RANK          clBuildProgram and nvrtcCompileProgram never return there
#define _GNU_SOURCE // dlvsym, RTLD_NEXT
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *dlsym(void *restrict handle, const char *restrict name);

typedef int launch_function(void *queue, void *kernel, unsigned dimensions, const size_t *offset,
                            const size_t *global, const size_t *local, unsigned events,
                            const void *before, void *event);

static launch_function *real_launch;
static atomic_long launches;

// Is this the rank that the variable names? `*rest` is what follows its number.
static int is_chosen(const char *variable, const char **rest)
{
    const char *const text = getenv(variable);
    const char *const rank = getenv("OMPI_COMM_WORLD_RANK");
    char *end = NULL;

    if (text == NULL) return 0;
    const long chosen = strtol(text, &end, 10);
    *rest = end;
    return chosen == (rank != NULL ? strtol(rank, NULL, 10) : 0);
}

static int fail_launch(void *queue, void *kernel, unsigned dimensions, const size_t *offset,
                       const size_t *global, const size_t *local, unsigned events,
                       const void *before, void *event)
{
    enum { CL_OUT_OF_RESOURCES = -5 };
    const char *rest = NULL;

    if (is_chosen("SEDGE_FAIL_LAUNCH", &rest) && *rest == ':' &&
        atomic_fetch_add(&launches, 1) + 1 >= strtol(rest + 1, NULL, 10))
        return CL_OUT_OF_RESOURCES;
    return real_launch(queue, kernel, dimensions, offset, global, local, events, before, event);
}

// Stands for functions of any arguments and results: it does not look at them.
static _Noreturn void never_return(void)
{
    for (;;) (void)pause();
}

void *dlsym(void *restrict handle, const char *restrict name)
{
    static const char *const builds[] = {"clBuildProgram", "nvrtcCompileProgram"};
    void *(*real)(void *, const char *) = NULL;
    void (*stands)(void) = never_return;
    launch_function *launch = fail_launch;
    const char *rest = NULL;
    void *found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");

    if (found == NULL) found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"); // x86-64 before 2.34
    memcpy(&real, &found, sizeof found);
    found = real(handle, name);
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        if (strcmp(name, builds[i]) == 0 && is_chosen("SEDGE_FAIL_BUILD", &rest))
            memcpy(&found, &stands, sizeof found);
    }
    if (strcmp(name, "clEnqueueNDRangeKernel") == 0 && found != NULL) {
        memcpy(&real_launch, &found, sizeof found);
        memcpy(&found, &launch, sizeof found);
    }
    return found;
}
