// Shared objects from memory.
#pragma once

#include "base/error.h"
#include "device/host/host_order.h"

#include <stddef.h>

typedef struct sedge_host_module sedge_host_module;

// Load a shared object through an anonymous file of this node's memory; where the kernel refuses
// that, through a private temporary file. `threads`: told to its sedge_set_threads, if it has one.
// `order`: given to a program in random order, which keeps it; NULL refuses such a program, and an
// order refuses one that has sedge_set_threads.
SEDGE_MUST_USE
sedge_status sedge_host_module_load(sedge_host_module **out, const void *binary, size_t length,
                                    int threads, sedge_order *order);
void sedge_host_module_free(sedge_host_module *module);

// The function's address, byte by byte in `*function`; SEDGE_ERR_DEVICE when there is none.
SEDGE_MUST_USE
sedge_status sedge_host_module_get(const sedge_host_module *module, const char *name,
                                   void **function);

// A variable of the module: its address and size; NULL when there is none.
const void *sedge_host_module_find(const sedge_host_module *module, const char *name,
                                   size_t *length);
