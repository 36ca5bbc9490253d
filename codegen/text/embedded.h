// Source files that travel inside the binary; the tables are made by CMake (sedge_embed).
#pragma once

typedef struct sedge_embedded {
    const char *name; // path in the repository: "codegen/kernels/dg/dg_stage.h"
    const char *text; // NUL-terminated
} sedge_embedded;

// Kernel sources; ends with a row of NULLs.
extern const sedge_embedded sedge_embedded_kernels[];
