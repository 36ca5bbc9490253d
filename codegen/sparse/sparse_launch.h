// One product: the launches of a store's kernels.
#pragma once

#include "sparse/sparse_program.h"

// One call.
typedef struct sedge_sparse_call {
    double alpha, beta;
    const sedge_buffer *x, *w;
    sedge_buffer *y;
    sedge_buffer *sums;    // NULL: no dot product
    sedge_buffer *parts;   // where there are more blocks than SEDGE_SPARSE_SUMS
    sedge_buffer *product; // of the vendor's, with a dot product and beta not 0
} sedge_sparse_call;

// The number of blocks that each make one part of the dot product, and the number of sums to which
// these parts are added up.
int64_t sedge_sparse_parts(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel);
int sedge_sparse_sums_of(int64_t parts);

SEDGE_MUST_USE
sedge_status sedge_sparse_run(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                              const sedge_sparse_programs *programs, sedge_stream *stream,
                              const sedge_sparse_call *call);
