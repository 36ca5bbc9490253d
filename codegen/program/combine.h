// Inside codegen: several programs compiled in one call of the compiler, which saves time: the
// compiler starts once and reads the prelude once. This is done for cuda only, where each program
// becomes a namespace, so that equal names in two programs do not collide.
//
// The call gives one binary for all its programs. In this binary the names of each program's
// kernels have a prefix. The first line of the program's log states the prefix; the rest of the log
// concerns this program alone. The cache stores the binary once for each program, under the
// program's own code, as if the program had been compiled alone. SEDGE_COMBINE_MOST limits what
// this repetition costs.
//
// If combined code does not compile, each of its programs is compiled alone, and only the broken
// ones fail.
#pragma once

#include "program/program.h"

enum { SEDGE_COMBINE_MOST = 8 }; // programs in one call of the compiler

// Whether two programs can be compiled in one call: sedge_program_write has written both for cuda,
// with the same prelude.
bool sedge_combine_fits(const char *text, const char *other);

// As sedge_programs_create with `messages`, for this process alone, with at most `compilers` calls
// of the compiler at once. On cuda each call compiles up to `together` of the programs that are not
// in the cache; on other devices each call compiles one.
SEDGE_MUST_USE
sedge_status sedge_programs_combine(sedge_program **out, char **messages, sedge_device *device,
                                    sedge_cache *cache, const sedge_program_text *texts, int count,
                                    int together, int compilers);
