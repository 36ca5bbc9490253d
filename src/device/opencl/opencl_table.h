// The table of a program's kernels: their names and parameters. It is stored together with the
// driver's binary, because OpenCL does not report parameters for a program loaded from a binary.
//
// A row is two lengths, a name with its NUL, and a signature as sedge_signature_read takes it.
#pragma once

#include "device/opencl/opencl_program.h"

enum { SEDGE_CL_FIXED = 2, SEDGE_CL_EACH = 3 }; // parameters before the arguments, and of each

// Append a row for each of the `count` kernels of a program that was built from source.
SEDGE_MUST_USE
sedge_status sedge_opencl_table_write(sedge_text *table, const sedge_opencl_state *state,
                                      opencl_program *program, size_t count);

typedef struct sedge_opencl_row {
    const char *name;
    const char *signature; // [signature_bytes]
    size_t signature_bytes;
} sedge_opencl_row;

// Read the first row of `*table` [*bytes] and advance the table. The row points into the table.
// False: the table is truncated.
bool sedge_opencl_table_next(sedge_opencl_row *row, const char **table, size_t *bytes);
