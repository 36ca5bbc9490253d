// Cached kernels: the kernels that a context has made, found again by a binary key. The table only
// grows. Every array operation looks a kernel up, so this must be fast.
#pragma once

#include "base/error.h"
#include "device/device.h"

#include <stdint.h>

// A kernel and the numbers of its launch.
typedef struct sedge_cached_kernel {
    const sedge_kernel *kernel[3];
    int threads;   // of a block
    int64_t items; // elements a block
    int tuned;     // 0: the tuner was not asked; else 1 + its choice
} sedge_cached_kernel;

// Open addressing; at most half of the places are taken. All zero: an empty table.
typedef struct sedge_kernel_table {
    struct sedge_kernel_entry **places; // [capacity]
    int64_t capacity;                   // a power of two, or 0
    int64_t count;
} sedge_kernel_table;

void sedge_kernel_table_free(sedge_kernel_table *table);

// Find the kernel that is stored under a key of `bytes` bytes; NULL: none. The table owns it.
const sedge_cached_kernel *sedge_cached_kernel_find(const sedge_kernel_table *table,
                                                    const void *key, int bytes);

// Store a copy of `kernel` under the key, and replace an earlier one. `*out` is that copy.
SEDGE_MUST_USE
sedge_status sedge_cached_kernel_keep(const sedge_cached_kernel **out, sedge_kernel_table *table,
                                      const void *key, int bytes,
                                      const sedge_cached_kernel *kernel);

// Write a name such as "expression-0123456789abcdef", with `what` "expression". The same key always
// gives the same name.
enum { SEDGE_KERNEL_TITLE = 48 };
void sedge_cached_kernel_title(char title[SEDGE_KERNEL_TITLE], const char *what, const void *key,
                               int bytes);
