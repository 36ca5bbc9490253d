// Shared objects of host kernels, loaded from memory.
#pragma once

#include "base/error.h"
#include "device/host/host_order.h"

#include <stddef.h>

typedef struct sedge_host_module sedge_host_module;

// Load a shared object through an anonymous file in memory or, if the operating system refuses
// that, through a private temporary file. If the object has sedge_set_threads, that is called with
// `threads`. `order` is passed to a program compiled for random order, which keeps it. A program
// for random order is refused if `order` is NULL; with an `order`, a program that has
// sedge_set_threads is refused.
SEDGE_MUST_USE
sedge_status sedge_host_module_load(sedge_host_module **out, const void *binary, size_t length,
                                    int threads, sedge_order *order);
void sedge_host_module_free(sedge_host_module *module);

// Copy the function's address into the bytes of `*function`; SEDGE_ERR_DEVICE if there is none.
SEDGE_MUST_USE
sedge_status sedge_host_module_get(const sedge_host_module *module, const char *name,
                                   void **function);

// A variable of the module: its address and size; NULL when there is none.
const void *sedge_host_module_find(const sedge_host_module *module, const char *name,
                                   size_t *length);
