#include "petsc/lapack.h"

#include "base/openmp.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

// Of this process, used by one thread.
static struct {
    sedge_lapack call;
    bool is_there;
} library;

static bool find(void *function, void *handle, const char *name)
{
    void *const symbol = dlsym(handle, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

// What the library of this name has, or those that it is linked with.
static bool load(const char *name)
{
    void *const handle = dlopen(name, RTLD_LAZY);

    return handle != NULL && find(&library.call.zgesdd, handle, "zgesdd_") &&
           find(&library.call.zgeev, handle, "zgeev_") &&
           find(&library.call.zgels, handle, "zgels_");
}

sedge_status sedge_lapack_load(const sedge_lapack **out)
{
    // PETSc, with some sixty libraries more, only where LAPACK has another name.
    static const char *const names[] = {"liblapack.so.3", SEDGE_PETSC_LIBRARY, SEDGE_PETSC_SONAME};

    *out = &library.call;
    if (library.is_there) return SEDGE_OK;
    sedge_openmp_load(); // some have OpenMP
    for (int i = 0; i < 3 && !library.is_there; i++) library.is_there = load(names[i]);
    if (library.is_there) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "LAPACK, which finds resonances, cannot be loaded: "
                                        "install PETSc, which brings it, or liblapack.so.3");
}
