// The embedded kernel sources, by name.
#pragma once

#include "base/error.h"

// One piece of a program's source.
typedef struct sedge_source {
    const char *name; // as the compiler's messages show it: "codegen/kernels/dg/dg_stage.h"
    const char *text; // NULL: the embedded file of that name (or its override)
} sedge_source;

// The source of an embedded source file, or of its override: the file of the same base name in the
// folder SEDGE_KERNELS, where there is one. `*text` is released with sedge_release. SEDGE_ERR_USAGE
// when there is neither.
SEDGE_MUST_USE
sedge_status sedge_source_get(char **text, const char *name);
