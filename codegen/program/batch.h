// Inside codegen: many programs at once. The functions of program.h that take a list of programs
// (sedge_programs_create, sedge_programs_build) are written here, and two variants of them for one
// process, which the tuner uses: one only looks into the cache, the other limits the compilers.
#pragma once

#include "program/program.h"

// Load the programs that are in the cache, for this process alone; in `out` the others are NULL.
SEDGE_MUST_USE
sedge_status sedge_programs_find(sedge_program **out, sedge_device *device, sedge_cache *cache,
                                 const sedge_program_text *texts, int count);

// As sedge_programs_create with `messages`, for this process alone, with at most `compilers`
// compilers at once.
SEDGE_MUST_USE
sedge_status sedge_programs_create_here(sedge_program **out, char **messages, sedge_device *device,
                                        sedge_cache *cache, const sedge_program_text *texts,
                                        int count, int compilers);

// Whether SEDGE_DEBUG is set: then no program is looked for in the cache, and none is stored.
bool sedge_program_debugging(void);
