// Inside codegen: many programs found in the cache or compiled at once (sedge_programs_create and
// sedge_programs_build of program.h), and a search of the cache alone.
#pragma once

#include "program/program.h"

// Those of this process's programs that are in the cache; the others are NULL in `out`.
SEDGE_MUST_USE
sedge_status sedge_programs_find(sedge_program **out, sedge_device *device, sedge_cache *cache,
                                 const sedge_program_text *texts, int count);

// SEDGE_DEBUG: nothing is looked for and nothing kept.
bool sedge_program_debugging(void);
