// Threads of OpenMP have the stacks that kernels count on, whatever the limit of stacks is, and the
// environment stays as it was. The limit is read when a program begins: this one begins again.
#define _GNU_SOURCE // pthread_getattr_np
#include "base/openmp.h"
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)8 << 20)

static size_t least = SIZE_MAX;

static void look(void *data)
{
    pthread_attr_t attributes;
    size_t bytes = 0;

    (void)data;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) abort();
    (void)pthread_attr_getstacksize(&attributes, &bytes);
    (void)pthread_attr_destroy(&attributes);
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)pthread_mutex_lock(&lock);
    if (bytes < least) least = bytes;
    (void)pthread_mutex_unlock(&lock);
}

static void run_team(void)
{
    void *const library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = NULL;

    CHECK(library != NULL);
    if (library == NULL) return;
    *(void **)&parallel = dlsym(library, "GOMP_parallel");
    CHECK(parallel != NULL);
    if (parallel != NULL) parallel(look, NULL, 2, 0);
    (void)dlclose(library);
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        struct rlimit limit;

        CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
        limit.rlim_cur = limit.rlim_max; // where that is no limit threads have 2 MiB by default
        CHECK(setrlimit(RLIMIT_STACK, &limit) == 0);
        (void)unsetenv("OMP_STACKSIZE");
        (void)unsetenv("GOMP_STACKSIZE");
        (void)execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        CHECK(false); // it cannot begin again
        return CHECK_END();
    }
    sedge_openmp_load();
    CHECK(getenv("OMP_STACKSIZE") == NULL);
    run_team();
    CHECK(least >= STACK_BYTES);
    return CHECK_END();
}
