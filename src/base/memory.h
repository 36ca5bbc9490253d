// Memory: zeroed, aligned, overflow-checked arrays that fail with a status and a message.
#pragma once

#include "error.h"

#include <stdint.h>
#include <stdlib.h>

// Byte alignment of every array: a cache line, and the widest vector register.
#define SEDGE_ALIGNMENT 64

// Set `*out` (a pointer to any object pointer) to `count` zeroed objects of `size` bytes, or to
// NULL on failure. `count` 0 gives a valid pointer that must not be read. Release with
// sedge_release.
SEDGE_MUST_USE
sedge_status sedge_allocate(void *out, int64_t count, size_t size);

// Release what sedge_allocate gave; NULL is fine.
void sedge_release(void *memory);

// Allocate a large array that is filled sparsely: only pages that are written to take memory.
// Release with sedge_release_thin and the same `count` and `size`; NULL is fine.
SEDGE_MUST_USE
sedge_status sedge_allocate_thin(void *out, int64_t count, size_t size);
void sedge_release_thin(void *memory, int64_t count, size_t size);

// Peak resident memory of this process in bytes, from the kernel; 0 if unknown.
int64_t sedge_memory_peak(void);
