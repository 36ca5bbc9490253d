// Inside codegen: several programs compiled as one, which costs the compiler's start and the
// prelude once. On cuda, where a namespace keeps the names of one program's sources from the
// others'.
//
// The binary is that of all. A part of it is a program whose kernels have longer names; the first
// line of its log says what they begin with, and the rest of the log is its own. So an entry of the
// cache is found by the part's text, as if it had been compiled alone, and holds the others, too:
// the most that are put together bounds what that costs.
//
// Where the whole does not compile, each part is compiled alone, and only what is broken fails.
#pragma once

#include "program/program.h"

enum { SEDGE_COMBINE_MOST = 8 }; // parts of a whole

// Whether a program may be put together with `other`: both are in the dialect, by
// sedge_program_write for cuda with the same prelude.
bool sedge_combine_fits(const char *text, const char *other);

// As sedge_programs_create with places for messages, for this process alone: those of the
// programs that are not in the cache are compiled up to `together` as one, on other devices than
// cuda each alone.
SEDGE_MUST_USE
sedge_status sedge_programs_combine(sedge_program **out, char **messages, sedge_device *device,
                                    sedge_cache *cache, const sedge_program_text *texts, int count,
                                    int together);
