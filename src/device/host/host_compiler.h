// The system's C compiler: finding it, choosing its options, and running it through the helper
// process.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

typedef struct sedge_host_compiler sedge_host_compiler;

// Find the compiler (SEDGE_CC, else cc, gcc, clang in PATH) and query its version. The caller frees
// the result.
SEDGE_MUST_USE
sedge_status sedge_host_compiler_create(sedge_host_compiler **out);
void sedge_host_compiler_free(sedge_host_compiler *compiler);

// Append to `out`: `identity` the version texts of the compiler and of libc, without paths; `arch`
// the chip for which it compiles and a hash of the chip's features; `options` its options, without
// files.
SEDGE_MUST_USE
sedge_status sedge_host_compiler_identity(const sedge_host_compiler *compiler, sedge_text *out);
SEDGE_MUST_USE
sedge_status sedge_host_compiler_arch(const sedge_host_compiler *compiler, sedge_text *out);
SEDGE_MUST_USE
sedge_status sedge_host_compiler_options(const sedge_host_compiler *compiler, sedge_text *out);

// As sedge_device_compile, for the host.
SEDGE_MUST_USE
sedge_status sedge_host_compiler_run(const sedge_host_compiler *compiler, const char *source,
                                     const char *keep_name, void **out, size_t *length,
                                     sedge_text *log);
