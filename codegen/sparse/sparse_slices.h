// Slices (as in SELL-C-sigma, Kreutzer et al. 2014): the rows are cut into groups of `height`, all
// rows of a slice are padded to its longest, and stored entry by entry side by side, so that work
// items read neighbouring values. For the formats that have them.
#pragma once

#include "sparse/sparse_choose.h"
#include "sparse/sparse_store.h"

SEDGE_MUST_USE
sedge_status sedge_sparse_build_slices(sedge_sparse_store *store, sedge_context *context,
                                       const sedge_sparse_matrix *matrix);

// Kernels of the layout added last, and what their descriptors need.
void sedge_sparse_slice_kernels(sedge_sparse_chooser *c, int height);
SEDGE_MUST_USE
sedge_status sedge_sparse_slice_constants(sedge_text *out, const sedge_sparse_store *store,
                                          const sedge_sparse_kernel *kernel);
int64_t sedge_sparse_slice_blocks(const sedge_sparse_store *store,
                                  const sedge_sparse_kernel *kernel);
int sedge_sparse_slice_arguments(sedge_argument to[SEDGE_SPARSE_ARGUMENTS],
                                 const sedge_sparse_store *store,
                                 const sedge_sparse_kernel *kernel);
