// Source files that are embedded in the executable. CMake generates the tables (sedge_embed).
#pragma once

typedef struct sedge_embedded {
    const char *name; // path in the repository: "codegen/kernels/dg/dg_stage.h"
    const char *text; // NUL-terminated
} sedge_embedded;

// Kernel sources; ends with a row of NULLs.
extern const sedge_embedded sedge_embedded_kernels[];
