// Inside codegen: the compiler's log of one program that was compiled in one call with others
// (program/combine.h). Its first line states the prefix of the names of the program's kernels.
#pragma once

#include "base/error.h"
#include "base/text.h"

enum { SEDGE_COMBINE_PREFIX = 32 };

#define SEDGE_COMBINE_NAME "sedge_part_%d_" // prefix of the kernels of program %d

// The prefix of a program's kernels, read from its log; "" if it was compiled alone.
void sedge_combine_prefix(char prefix[SEDGE_COMBINE_PREFIX], const char *log);

// Append the log of program `part`: the lines of the compiler's log about its kernels.
SEDGE_MUST_USE
sedge_status sedge_combine_log(sedge_text *out, const char *log, int part);
