// Inside src/linear.
#pragma once

#include "array/context.h"

// A kernel of codegen/kernels/linear/matrix.h, of the context's program for these constants.
SEDGE_MUST_USE
sedge_status sedge_matrix_kernel(const sedge_kernel **out, sedge_context *context, const char *name,
                                 int real_bytes, int block);
