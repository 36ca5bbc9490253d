// Inside codegen: programs in other ways than program.h has.
#pragma once

#include "program/program.h"

// A program of a binary, or of its module `*module`, which is taken where there is one (NULL:
// none). The caller frees it, before the device.
SEDGE_MUST_USE
sedge_status sedge_program_load(sedge_program **out, sedge_module **module, sedge_device *device,
                                const void *binary, size_t length, const char *log);

// Those of this process's programs that are in the cache; the others are NULL in `out`.
SEDGE_MUST_USE
sedge_status sedge_programs_find(sedge_program **out, sedge_device *device, sedge_cache *cache,
                                 const sedge_program_text *texts, int count);

// SEDGE_DEBUG: nothing is looked for and nothing kept.
bool sedge_program_debugging(void);
