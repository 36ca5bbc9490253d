// Work on several threads of this process.
#pragma once

#include <stdint.h>

// Split 0 .. count - 1 into pieces of at least `grain`, call `part` for each piece, and wait. Uses
// at most `threads` threads, at least 1 and at most 16, including the calling one. `part` cannot
// fail.
void sedge_parallel(int threads, int64_t count, int64_t grain,
                    void (*part)(void *context, int64_t first, int64_t end), void *context);
