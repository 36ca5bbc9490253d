#define _GNU_SOURCE // RTLD_NOLOAD, RTLD_NODELETE
#include "base/openmp.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

void sedge_openmp_limit_spinning(void)
{
    static const char name[] = "libgomp.so.1";
    void *const present = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);

    if (present != NULL) (void)dlclose(present);
    if (present != NULL || getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL ||
        setenv("GOMP_SPINCOUNT", "1000", 0) != 0)
        return;
    void *const loaded = dlopen(name, RTLD_LAZY | RTLD_NODELETE); // its threads outlive kernels
    (void)unsetenv("GOMP_SPINCOUNT");
    if (loaded != NULL) (void)dlclose(loaded);
}
