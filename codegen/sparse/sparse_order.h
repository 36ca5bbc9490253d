// Rows sorted by length, and matrices with rows and columns in another order.
#pragma once

#include "sparse/sparse_layout.h"
#include "sparse/sparse_matrix.h"

// Stored values of slices of `height` rows sorted inside `window`, each as wide as its longest row;
// INT64_MAX where there is no memory to sort in.
int64_t sedge_sparse_padded(const sedge_sparse_matrix *matrix, int height, int64_t window);

// Rows 0 .. rows - 1 sorted by length, longest first, inside windows; equal ones stay in order.
SEDGE_MUST_USE
sedge_status sedge_sparse_sort(int32_t **order, const sedge_sparse_matrix *matrix, int64_t window);

// A matrix of the stored rows of another, and where they and its columns are from. All is owned.
typedef struct sedge_sparse_reordered {
    sedge_sparse_matrix matrix;
    int64_t *offsets;
    int32_t *columns;
    void *values;
    int32_t *rows;   // [matrix.rows]: row of y that each is; NULL: as in the other
    int32_t *gather; // [columns]: number of x that belongs to each
} sedge_sparse_reordered;

// By breadth: a square matrix without rows left out. To be cleared even if it fails.
SEDGE_MUST_USE
sedge_status sedge_sparse_reorder(sedge_sparse_reordered *re, const sedge_sparse_matrix *matrix,
                                  sedge_sparse_order order);
void sedge_sparse_reordered_clear(sedge_sparse_reordered *re);

// Columns by the number of their entries, most first; `counts` [columns], 0 before, gets these.
SEDGE_MUST_USE
sedge_status sedge_sparse_sort_columns(int32_t *order, int32_t *counts,
                                       const sedge_sparse_matrix *matrix);
