// Inside codegen/program: the constants of a program, less those that nothing mentions.
#pragma once

#include "base/error.h"
#include "base/text.h"

// Append the lines of `constants`, C code, to `out`, without the macros (lines `#define NAME ...`)
// whose name stands neither in one of the `count` texts, nor in a line of `constants` that is
// appended. Programs that differ only in what they do not use have the same code then, and are
// compiled once. Comments mention nothing. Of a name that ## puts together the code spells a part:
// all macros whose name has it are appended; where both sides are parameters, all macros are.
SEDGE_MUST_USE
sedge_status sedge_constants_write(sedge_text *out, const char *constants, const char *const *texts,
                                   int count);
