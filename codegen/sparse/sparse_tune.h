// The tuner's choice among the layouts and kernels of a matrix.
#pragma once

#include "sparse/sparse_layout.h"
#include "sparse/sparse_store.h"

typedef struct sedge_sparse_choice {
    int kernel; // of choices.kernel
    sedge_tune_source source;
    double seconds; // measured; 0: not
    double tune_seconds;
    sedge_sparse_store *store;  // built already; NULL: not. The caller's
    sedge_tune_record *records; // [choices.kernels]; NULL: none. The caller releases it
} sedge_sparse_choice;

SEDGE_MUST_USE
sedge_status sedge_sparse_tune(sedge_sparse_choice *choice, sedge_context *context,
                               const sedge_sparse_matrix *matrix,
                               const sedge_sparse_choices *choices,
                               const sedge_sparse_options *options, sedge_cusparse *cusparse);
