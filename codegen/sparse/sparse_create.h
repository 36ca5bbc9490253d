// A function that only tests need, in addition to sparse.h.
#pragma once

#include "sparse/sparse.h"

// As sedge_sparse_create, with `shift` added to all offsets on the device (tests: places beyond
// 2^31 without the memory; not on opencl).
SEDGE_MUST_USE
sedge_status sedge_sparse_create_shifted(sedge_sparse **out, sedge_context *context,
                                         const sedge_csr *csr, const sedge_sparse_options *options,
                                         int64_t shift);
