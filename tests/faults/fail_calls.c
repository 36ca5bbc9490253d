// Put before a program by LD_PRELOAD: calls that fail, never return or are the last, on one rank.
// Sedge finds its drivers' functions by dlsym, so that is what stands here; HDF5 writes by pwrite.
//
//   SEDGE_FAIL_LAUNCH=RANK:NUMBER  from launch NUMBER on, clEnqueueNDRangeKernel fails there
//   SEDGE_FAIL_BUILD=RANK          clBuildProgram and nvrtcCompileProgram never return there
//   SEDGE_FAIL_WRITE=RANK:NUMBER:NAME
//                                  the rank is killed by the NUMBER-th pwrite to files whose names
//                                  begin with NAME, when half of it is written
#define _GNU_SOURCE // dlvsym, RTLD_NEXT, pwrite
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *dlsym(void *restrict handle, const char *restrict name);

typedef int launch_function(void *queue, void *kernel, unsigned dimensions, const size_t *offset,
                            const size_t *global, const size_t *local, unsigned events,
                            const void *before, void *event);

typedef ssize_t write_function(int file, const void *bytes, size_t count, off_t offset);

static launch_function *real_launch;
static atomic_long launches;
static atomic_long writes;

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

// Is this open file one whose name begins with `name`?
static int is_named(int file, const char *name)
{
    char link[64];
    char path[4096];

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = '\0';
    const char *const last = strrchr(path, '/');
    return last != NULL && strncmp(last + 1, name, strlen(name)) == 0;
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t offset)
{
    void *const found = dlvsym(RTLD_NEXT, "pwrite", "GLIBC_2.2.5");
    write_function *real = NULL;
    const char *rest = NULL;
    char *name = NULL;

    memcpy(&real, &found, sizeof found);
    if (!is_chosen("SEDGE_FAIL_WRITE", &rest) || *rest != ':') return real(fd, buf, n, offset);
    const long number = strtol(rest + 1, &name, 10);
    if (*name != ':' || !is_named(fd, name + 1) || atomic_fetch_add(&writes, 1) + 1 < number)
        return real(fd, buf, n, offset);
    (void)real(fd, buf, n / 2, offset);
    return raise(SIGKILL);
}
