// Inside src/linear: access to the kernels on matrices.
#pragma once

#include "array/context.h"

// Get a kernel of codegen/kernels/linear/matrix.h, compiled with these constants.
SEDGE_MUST_USE
sedge_status sedge_matrix_kernel(const sedge_kernel **out, sedge_context *context, const char *name,
                                 int real_bytes, int block);
