// Compressed rows on the device (offsets, columns and values): for the formats that have them.
#pragma once

#include "sparse/sparse_store.h"

// Bytes of these arrays.
double sedge_sparse_rows_bytes(const sedge_sparse_matrix *matrix);

SEDGE_MUST_USE
sedge_status sedge_sparse_build_rows(sedge_sparse_store *store, sedge_context *context,
                                     const sedge_sparse_matrix *matrix);

// A list of numbers that grows: work of blocks, pieces of rows. {NULL} is empty; the caller
// releases `at`.
typedef struct sedge_sparse_list {
    int64_t *at;
    int64_t count, room; // in numbers
} sedge_sparse_list;

SEDGE_MUST_USE
sedge_status sedge_sparse_list_add(sedge_sparse_list *list, const int64_t *numbers, int count);
