// The column indices of one slice (`height` consecutive rows stored entry by entry side by side, as
// in SELL-C-sigma) in few bytes. Modes: 0, columns of 32 bits; 1 and 2, 16 and 8 bits beyond the
// least column of each place; 3, diagonals, each with a mask of the rows that have an entry on it.
#pragma once

#include "sparse/sparse_matrix.h"

enum { SEDGE_SPARSE_HEIGHT = 32, SEDGE_SPARSE_DIAGONALS = 256 };

// The rows of a slice, and how their columns are encoded.
typedef struct sedge_sparse_slice {
    const sedge_sparse_matrix *matrix;
    int height;
    int64_t first;                    // place of its first row in the order
    int64_t row[SEDGE_SPARSE_HEIGHT]; // stored rows; -1: none
    int mode;                         // as in kernels/sparse/sparse_sell.h
    int width;
    int64_t words; // of 4 bytes, of its indices
    int32_t offset[SEDGE_SPARSE_DIAGONALS];
    uint32_t mask[SEDGE_SPARSE_DIAGONALS];
} sedge_sparse_slice;

// Set the mode, width and words of a slice. With `mode` -1 the mode is chosen; else it is one that
// was chosen before. `order` NULL: rows first .. first + height - 1.
void sedge_sparse_slice_plan(sedge_sparse_slice *slice, const sedge_sparse_matrix *matrix,
                             const int32_t *order, int64_t first, int height, int mode);
// The number of words that the indices of a slice of this width have. It is even, so that the
// indices of every slice begin at a multiple of 8 bytes.
int64_t sedge_sparse_slice_words(int mode, int64_t width, int height);
// Widen a slice to `width` with places that no row uses. A slice on diagonals is at most
// SEDGE_SPARSE_DIAGONALS wide.
void sedge_sparse_slice_widen(sedge_sparse_slice *slice, int width);
// Write the values [width][height] of a slice, which are zero before, and its indices [words]. For
// a slice on diagonals `codes` may be NULL, if another slice has written the same indices.
void sedge_sparse_slice_write(const sedge_sparse_slice *slice, void *values, int32_t *codes);
