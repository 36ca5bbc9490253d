#define _GNU_SOURCE // memfd_create, dladdr1
#include "device/host/host_module.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/trust.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct sedge_host_module {
    void *library;
};

// How many libraries this process has loaded from memory.
static atomic_uint spelled;

enum { SPELLED_PATH = 128 };

// The path of an open file, spelled differently by each call. The dynamic loader takes a path that
// it has seen before for the same library, but the number of a closed descriptor is reused. For the
// system "/." and "//." change nothing in a path, so they encode the bits of a counter.
static void spell_path(char path[SPELLED_PATH], int file)
{
    int at = snprintf(path, SPELLED_PATH, "/proc/self/fd");

    for (unsigned bits = atomic_fetch_add(&spelled, 1); bits != 0; bits >>= 1)
        at += snprintf(path + at, SPELLED_PATH - (size_t)at, "%s/.", bits % 2 != 0 ? "/" : "");
    (void)snprintf(path + at, SPELLED_PATH - (size_t)at, "/%d", file);
}

static void load_from_memory(sedge_host_module *module, const void *binary, size_t length)
{
    char path[SPELLED_PATH];
    const int file = memfd_create("sedge-kernels", MFD_CLOEXEC);

    if (file < 0) return;
    spell_path(path, file);
    if (sedge_file_write_all(file, binary, length)) module->library = dlopen(path, RTLD_NOW);
    (void)close(file); // the library stays mapped
}

static sedge_status load_from_file(sedge_host_module *module, const void *binary, size_t length)
{
    const char *base;
    const char *why = NULL;
    char folder[PATH_MAX];
    char path[PATH_MAX + 16];

    SEDGE_TRY(sedge_trust_temporary(&base));
    if (snprintf(folder, sizeof folder, "%s/sedge-XXXXXX", base) >= (int)sizeof folder)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "TMPDIR: path too long: '%s'", base);
    if (mkdtemp(folder) == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot make a folder in '%s': %s", base,
                          strerror(errno));
    }
    (void)snprintf(path, sizeof path, "%s/so-XXXXXX", folder);
    const int file = mkstemp(path);
    if (file < 0 || !sedge_file_write_all(file, binary, length)) {
        why = strerror(errno);
    } else {
        module->library = dlopen(path, RTLD_NOW);
        if (module->library == NULL) why = dlerror();
    }
    const sedge_status status =
        module->library != NULL ? SEDGE_OK
                                : SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot load compiled kernels: %s",
                                             why != NULL ? why : "reason unknown");
    if (file >= 0) (void)close(file);
    (void)unlink(path);
    (void)rmdir(folder);
    return status;
}

// The OpenMP runtime came with a module, and its threads outlive it: it must stay when the last
// module goes.
static void keep_openmp(void)
{
    static const char *const names[] = {"libgomp.so.1", "libomp.so.5"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *const runtime = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        if (runtime != NULL) (void)dlclose(runtime);
    }
}

// Tell the program how it is run. Raw C has neither of the two functions.
static sedge_status set_up(const sedge_host_module *module, int threads, sedge_order *order)
{
    void *const threads_symbol = dlsym(module->library, "sedge_set_threads");
    void *const order_symbol = dlsym(module->library, "sedge_set_order");
    void (*set_threads)(int) = NULL;
    void (*set_order)(sedge_order *) = NULL;

    if (order_symbol != NULL ? order == NULL : order != NULL && threads_symbol != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "SEDGE_ORDER was %s when this program was written and %s when the device "
                          "was opened",
                          order_symbol != NULL ? "random" : "not random",
                          order != NULL ? "random" : "not random");
    }
    memcpy(&set_threads, &threads_symbol, sizeof set_threads);
    memcpy(&set_order, &order_symbol, sizeof set_order);
    if (set_threads != NULL) set_threads(threads);
    if (set_order != NULL) set_order(order);
    return SEDGE_OK;
}

sedge_status sedge_host_module_load(sedge_host_module **out, const void *binary, size_t length,
                                    int threads, sedge_order *order)
{
    sedge_status status = SEDGE_OK;
    sedge_host_module *module = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&module, 1, sizeof *module));
    load_from_memory(module, binary, length);
    if (module->library == NULL) SEDGE_TRY_GOTO(status, load_from_file(module, binary, length));
    keep_openmp();
    SEDGE_TRY_GOTO(status, set_up(module, threads, order));
    *out = module;
    module = NULL;
done:
    sedge_host_module_free(module);
    return status;
}

void sedge_host_module_free(sedge_host_module *module)
{
    if (module == NULL) return;
    if (module->library != NULL) (void)dlclose(module->library);
    sedge_release(module);
}

sedge_status sedge_host_module_get(const sedge_host_module *module, const char *name,
                                   void **function)
{
    *function = dlsym(module->library, name);
    if (*function == NULL)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "the program has no kernel '%s'", name);
    return SEDGE_OK;
}

const void *sedge_host_module_find(const sedge_host_module *module, const char *name,
                                   size_t *length)
{
    const void *const symbol = dlsym(module->library, name);
    const ElfW(Sym) *entry = NULL;
    void *found = NULL;
    Dl_info about;

    *length = 0;
    if (symbol == NULL || dladdr1(symbol, &about, &found, RTLD_DL_SYMENT) == 0) return NULL;
    entry = found;
    if (entry == NULL) return NULL;
    *length = entry->st_size;
    return symbol;
}
