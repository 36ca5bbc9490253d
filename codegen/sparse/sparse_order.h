// Rows sorted by length, and matrices with rows and columns in another order.
#pragma once

#include "sparse/sparse_layout.h"
#include "sparse/sparse_matrix.h"

// The number of values that slices of `height` rows store, each slice as wide as its longest row.
// Rows are sorted by length inside `window` before. INT64_MAX if there is no memory for sorting.
int64_t sedge_sparse_padded(const sedge_sparse_matrix *matrix, int height, int64_t window);

// Rows 0 .. rows - 1 sorted by length, longest first, inside windows; equal ones stay in order.
SEDGE_MUST_USE
sedge_status sedge_sparse_sort(int32_t **order, const sedge_sparse_matrix *matrix, int64_t window);

// A copy of a matrix's stored rows in another order of rows and columns, and where each row and
// column comes from. All arrays are owned.
typedef struct sedge_sparse_reordered {
    sedge_sparse_matrix matrix;
    int64_t *offsets;
    int32_t *columns;
    void *values;
    int32_t *rows;   // [matrix.rows]: row of y that each is; NULL: as in the other
    int32_t *gather; // [columns]: number of x that belongs to each
} sedge_sparse_reordered;

// Reorder a matrix. SEDGE_SPARSE_BY_BREADTH requires a square matrix from which no rows are left
// out. The caller clears `re`, also after a failure.
SEDGE_MUST_USE
sedge_status sedge_sparse_reorder(sedge_sparse_reordered *re, const sedge_sparse_matrix *matrix,
                                  sedge_sparse_order order);
void sedge_sparse_reordered_clear(sedge_sparse_reordered *re);

// Sort the columns by their number of entries, largest first. `counts` [columns] must be 0 before,
// and gets these numbers.
SEDGE_MUST_USE
sedge_status sedge_sparse_sort_columns(int32_t *order, int32_t *counts,
                                       const sedge_sparse_matrix *matrix);
