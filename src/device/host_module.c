#define _GNU_SOURCE // memfd_create, dladdr1
#include "host_module.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/trust.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct sedge_host_module {
    void *library;
    int file; // kept open: the loader knows libraries by name, and /proc/self/fd/N must stay ours
};

static void load_from_memory(sedge_host_module *module, const void *binary, size_t length)
{
    char path[64];

    module->file = memfd_create("sedge-kernels", MFD_CLOEXEC);
    if (module->file < 0) return;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", module->file);
    if (sedge_file_write_all(module->file, binary, length))
        module->library = dlopen(path, RTLD_NOW);
    if (module->library == NULL) {
        (void)close(module->file);
        module->file = -1;
    }
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
    module->file = mkstemp(path); // a new name each time
    if (module->file < 0 || !sedge_file_write_all(module->file, binary, length)) {
        why = strerror(errno);
    } else {
        module->library = dlopen(path, RTLD_NOW);
        if (module->library == NULL) why = dlerror();
    }
    const sedge_status status =
        module->library != NULL ? SEDGE_OK
                                : SEDGE_FAIL(SEDGE_ERR_DEVICE, "cannot load compiled kernels: %s",
                                             why != NULL ? why : "reason unknown");
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
    module->file = -1;
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
    if (module->file >= 0) (void)close(module->file);
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
