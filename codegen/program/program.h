// Programs: text assembled for one problem, compiled once, remembered on disk.
//
// The text of a program is: a comment that says from what it was made, the prelude of the target
// (codegen/kernels/program/prelude_*.h), the caller's constants, and whole source files, each
// behind a #line so that a compiler's message names the file a person edits. Sources are embedded
// in the binary; a folder named by SEDGE_KERNELS overrides them file by file.
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
    const char *constants;       // C text put between the prelude and the sources; may be ""
    const sedge_source *sources; // in order
    int count;
    int shared_bytes; // on opencl: what SEDGE_SHARED may take of a kernel, each filled up to 16
                      // bytes, and every kernel takes; 0: 8 KiB. Elsewhere it changes nothing
} sedge_program_options;

// Write the whole text that would be compiled for `kind`. Same input, same text. From constants and
// sources, lines with `#pragma once` and `#include "..."` are dropped (the sources stand one behind
// the other, in order; line numbers stay), and `#include <...>` is refused.
SEDGE_MUST_USE
sedge_status sedge_program_write(sedge_text *out, sedge_device_kind kind,
                                 const sedge_program_options *options);

// Find in the cache or compile, load. Collective (`comm` NULL: this process alone): each distinct
// program (text, architecture, compiler) is looked for and compiled by one of the ranks that
// request it, and sent to the others. Any rank's failure fails all with its message, the compiler's
// lines included. The caller frees it, before the device.
SEDGE_MUST_USE
sedge_status sedge_program_create(sedge_program **out, const sedge_comm *comm, sedge_device *device,
                                  sedge_cache *cache, const sedge_program_options *options);

// A whole program text, as sedge_program_write makes it.
typedef struct sedge_program_text {
    const char *name; // for messages and kept files
    const char *text;
} sedge_program_text;

// Many programs at once. Each distinct program of all ranks is found or compiled once, by one of
// the ranks that request it, and sent to the others; each rank compiles on several threads.
// Collective; ranks may request different numbers of programs (`comm` NULL: this process alone). A
// program that does not compile is NULL in `out` and its message, released with sedge_release, is
// in `messages` (NULL: any failure fails all, with the first message); `out` and `messages` have
// `count` places. The caller frees each program, before the device.
SEDGE_MUST_USE
sedge_status sedge_programs_create(sedge_program **out, char **messages, const sedge_comm *comm,
                                   sedge_device *device, sedge_cache *cache,
                                   const sedge_program_text *texts, int count);

// What became of one program of sedge_programs_build.
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

// Make a program of a binary. If `module` and `*module` are not NULL, the binary is loaded already:
// the program takes the module over. The caller frees the program, before the device.
SEDGE_MUST_USE
sedge_status sedge_program_load(sedge_program **out, sedge_module **module, sedge_device *device,
                                const void *binary, size_t length, const char *log);

void sedge_program_free(sedge_program *program);

// A kernel by name; borrowed. SEDGE_ERR_DEVICE where there is none.
SEDGE_MUST_USE
sedge_status sedge_program_get(const sedge_kernel **out, const sedge_program *program,
                               const char *name);

// Resources of a kernel: what the driver says (sedge_kernel_inspect), and the bytes spilled for
// want of registers from the compiler's log, where it has them (cuda; not for a chip newer than
// NVRTC). `threads` of a block for the occupancy; 0: those that the kernel was written with.
SEDGE_MUST_USE
sedge_status sedge_program_inspect(sedge_kernel_info *out, const sedge_program *program,
                                   const char *name, int threads);

// Borrowed: the compiler's log (registers, spills).
const char *sedge_program_log(const sedge_program *program);
