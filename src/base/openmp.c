#define _GNU_SOURCE // RTLD_NOLOAD, RTLD_NODELETE
#include "base/openmp.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// Set a variable that the user has not, neither under this nor under the other name.
static bool lend(const char *name, const char *value, const char *other)
{
    return getenv(name) == NULL && getenv(other) == NULL && setenv(name, value, 0) == 0;
}

void sedge_openmp_load(void)
{
    static const char name[] = "libgomp.so.1";
    void *const present = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);

    if (present != NULL) {
        (void)dlclose(present);
        return;
    }
    const bool spins = lend("GOMP_SPINCOUNT", "1000", "OMP_WAIT_POLICY");
    const bool stacks = lend("OMP_STACKSIZE", "8M", "GOMP_STACKSIZE");
    void *const loaded = dlopen(name, RTLD_LAZY | RTLD_NODELETE); // its threads outlive kernels
    if (spins) (void)unsetenv("GOMP_SPINCOUNT");
    if (stacks) (void)unsetenv("OMP_STACKSIZE");
    if (loaded != NULL) (void)dlclose(loaded);
}
