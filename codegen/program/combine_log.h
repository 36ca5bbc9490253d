// Inside codegen: the compiler's log of a program that was compiled together with others
// (program/combine.h). Its first line says what the names of the program's kernels begin with.
#pragma once

#include "base/error.h"
#include "base/text.h"

enum { SEDGE_COMBINE_PREFIX = 32 };

#define SEDGE_COMBINE_NAME "sedge_part_%d_" // what the names of a part's kernels begin with

// What the names of a program's kernels begin with, by its log: "" for a program of its own.
void sedge_combine_prefix(char prefix[SEDGE_COMBINE_PREFIX], const char *log);

// The log of one part: of what the compiler says, what concerns its kernels.
SEDGE_MUST_USE
sedge_status sedge_combine_log(sedge_text *out, const char *log, int part);
