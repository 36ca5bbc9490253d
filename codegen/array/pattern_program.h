// Programs of two parts: constants and types, made from a pattern (text/template.h), and kernel
// files that use these constants and types.
#pragma once

#include "array/context.h"
#include "text/pattern.h"

typedef struct sedge_pattern_program {
    const char *name; // for messages and kept files
    sedge_pattern types;
    const char *before;  // an embedded file that stands before the types; NULL: none
    const char *kernels; // the embedded file of kernels, behind them
} sedge_pattern_program;

// Append the program's source for a kind of device: to read it, or to compile it elsewhere.
SEDGE_MUST_USE
sedge_status sedge_pattern_program_write(sedge_text *out, sedge_device_kind kind,
                                         const sedge_pattern_program *program);

// The context's program of that source, which is made if it is new.
SEDGE_MUST_USE
sedge_status sedge_pattern_program_get(const sedge_program **out, sedge_context *context,
                                       const sedge_pattern_program *program);
