// Libraries of the CUDA toolkit, loaded when they are needed.
#define _DEFAULT_SOURCE
#include "base/trust.h"
#include "device/backend.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *sedge_toolkit_open(const char *variable, const char *const *names)
{
    const char *const wish = getenv(variable);
    const char *const folders[] = {getenv("CUDA_HOME"), "/usr/local/cuda"};

    if (wish != NULL && wish[0] != '\0') {
        if (strchr(wish, '/') != NULL && sedge_trust_program(wish) != SEDGE_OK) return NULL;
        return dlopen(wish, RTLD_NOW | RTLD_LOCAL);
    }
    for (; *names != NULL; names++) {
        void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        for (size_t f = 0; library == NULL && f < sizeof folders / sizeof folders[0]; f++) {
            char path[PATH_MAX];
            if (folders[f] == NULL) continue;
            if (snprintf(path, sizeof path, "%s/lib64/%s", folders[f], *names) < PATH_MAX)
                library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
        if (library != NULL) return library;
    }
    return NULL;
}
