// Programs: code that is assembled for one problem, compiled once, and cached on disk.
//
// The code of a program has four parts: a comment that names what it was made from, the prelude of
// the target (codegen/kernels/program/prelude_*.h), the caller's constants, and whole source files.
// A #line directive before each file makes compiler messages name the file that a person edits.
// Sources are embedded in the executable; files in the folder SEDGE_KERNELS replace them one by
// one.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "cache/cache.h"
#include "device/device.h"
#include "par/comm.h"
#include "text/source.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_program sedge_program;

// ---- program -----------------------------------------------------------------------------------

typedef struct sedge_program_options {
    const char *name;            // of the program, for messages and kept files: "maxwell-n4-fp32"
    const char *constants;       // C code put between the prelude and the sources; may be "";
                                 // macros that nothing mentions are left out (constants.h)
    const sedge_source *sources; // in order
    int count;
    int shared_bytes; // opencl: bytes that every kernel reserves for its SEDGE_SHARED arrays, each
                      // rounded up to 16 bytes; 0: 8 KiB. Other devices ignore it
} sedge_program_options;

// Write the whole code that would be compiled for `kind`. The same input gives the same code. The
// sources follow each other in the given order. Lines with `#pragma once` and `#include "..."` in
// constants and sources are dropped without changing line numbers; `#include <...>` is refused.
SEDGE_MUST_USE
sedge_status sedge_program_write(sedge_text *out, sedge_device_kind kind,
                                 const sedge_program_options *options);

// Find a program in the cache or compile it, and load it. Collective (`comm` NULL: this process
// alone). One of the ranks that request the same program (code, architecture, compiler) looks it up
// or compiles it, and sends it to the others. If one rank fails, all fail with its message, which
// includes the compiler's. The caller frees the program, before the device.
SEDGE_MUST_USE
sedge_status sedge_program_create(sedge_program **out, const sedge_comm *comm, sedge_device *device,
                                  sedge_cache *cache, const sedge_program_options *options);

// The whole code of a program, as sedge_program_write makes it.
typedef struct sedge_program_text {
    const char *name; // for messages and kept files
    const char *text;
} sedge_program_text;

// Many programs at once. Each distinct program of all ranks is found or compiled once, by one of
// the ranks that request it, and sent to the others; each rank compiles on several threads.
// Collective; ranks may request different numbers of programs (`comm` NULL: this process alone). If
// a program does not compile, it is NULL in `out`, and `messages` has its message, to be released
// with sedge_release. If `messages` is NULL, any failure fails the whole call, with the first
// message. `out` and `messages` have `count` places. The caller frees each program, before the
// device.
SEDGE_MUST_USE
sedge_status sedge_programs_create(sedge_program **out, char **messages, const sedge_comm *comm,
                                   sedge_device *device, sedge_cache *cache,
                                   const sedge_program_text *texts, int count);

// The result of sedge_programs_build for one program.
typedef struct sedge_program_record {
    bool found;     // in the cache; else compiled
    double seconds; // of its compilation
    sedge_program_resources resources;
} sedge_program_record;

// Fill the cache without loading anything; `device` may be one that only compiles
// (sedge_device_create_target). As sedge_programs_create otherwise, but any failure fails all.
// `*compiled` counts the distinct programs of all ranks that were not found; `records` (may be
// NULL) has `count` places.
SEDGE_MUST_USE
sedge_status sedge_programs_build(int *compiled, sedge_program_record *records,
                                  const sedge_comm *comm, sedge_device *device, sedge_cache *cache,
                                  const sedge_program_text *texts, int count);

// Make a program from a binary. If `module` and `*module` are not NULL, the binary is loaded
// already: the program takes the module over. The caller frees the program, before the device.
SEDGE_MUST_USE
sedge_status sedge_program_load(sedge_program **out, sedge_module **module, sedge_device *device,
                                const void *binary, size_t length, const char *log);

void sedge_program_free(sedge_program *program);

// A kernel by name; borrowed. SEDGE_ERR_DEVICE where there is none.
SEDGE_MUST_USE
sedge_status sedge_program_get(const sedge_kernel **out, const sedge_program *program,
                               const char *name);

// Resources of a kernel, from the driver (sedge_kernel_inspect). The number of spilled bytes comes
// from the compiler's log, if the log states it (cuda only, and not for a chip newer than NVRTC).
// The occupancy is that of blocks with `threads` threads; 0: the number that the kernel was written
// with.
SEDGE_MUST_USE
sedge_status sedge_program_inspect(sedge_kernel_info *out, const sedge_program *program,
                                   const char *name, int threads);

// Borrowed: the compiler's log (registers, spills).
const char *sedge_program_log(const sedge_program *program);
