// sedge_sparse_create_shifted, which only tests use. All else is in sparse.h.
#pragma once

#include "sparse/sparse.h"

// As sedge_sparse_create, with `shift` added to all offsets on the device: so tests reach offsets
// beyond 2^31 without so much memory. Not on opencl.
SEDGE_MUST_USE
sedge_status sedge_sparse_create_shifted(sedge_sparse **out, sedge_context *context,
                                         const sedge_csr *csr, const sedge_sparse_options *options,
                                         int64_t shift);
