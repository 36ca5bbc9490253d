// The caller's matrix on the host, in the form that all formats read. It has been checked, the
// lengths of its rows are known, and if most rows are empty they are left out. Also loops on
// several threads.
#pragma once

#include "sparse/sparse.h"

// The caller's matrix without rows that are left out, and what is known of it.
typedef struct sedge_sparse_matrix {
    sedge_csr csr;     // the caller's
    int64_t rows;      // stored: those of `listed`, or all
    int64_t entries;   // of them
    int32_t *listed;   // [rows]: row of y, ascending; NULL: row r is r. Owned
    int value_bytes;   // as stored
    int real_bytes;    // of x and y
    int64_t longest;   // entries of a row
    int64_t empty;     // rows of the caller's without entries
    double deviation;  // standard deviation of the lengths of the stored rows
    int64_t bandwidth; // most of |column - row|
    int threads;       // number of host threads that may work on it
    int64_t shift; // tests: added to all offsets, and taken from the addresses that go with them
} sedge_sparse_matrix;

SEDGE_MUST_USE
sedge_status sedge_sparse_matrix_make(sedge_sparse_matrix *matrix, const sedge_csr *csr,
                                      int real_bytes, int value_bytes, int threads);
void sedge_sparse_matrix_clear(sedge_sparse_matrix *matrix);

// The caller's row that stored row r is.
static inline int64_t sedge_sparse_row(const sedge_sparse_matrix *matrix, int64_t r)
{
    return matrix->listed != NULL ? matrix->listed[r] : r;
}
static inline int64_t sedge_sparse_begin(const sedge_sparse_matrix *matrix, int64_t r)
{
    return matrix->csr.offsets[sedge_sparse_row(matrix, r)];
}
static inline int64_t sedge_sparse_length(const sedge_sparse_matrix *matrix, int64_t r)
{
    const int64_t row = sedge_sparse_row(matrix, r);
    return matrix->csr.offsets[row + 1] - matrix->csr.offsets[row];
}
static inline int32_t sedge_csr_column(const sedge_csr *csr, int64_t k)
{
    return csr->columns32 != NULL ? csr->columns32[k] : (int32_t)csr->columns64[k];
}
static inline double sedge_csr_value(const sedge_csr *csr, int64_t k)
{
    return csr->values64 != NULL ? csr->values64[k] : (double)csr->values32[k];
}
static inline void sedge_sparse_set(void *values, int64_t at, double value, int value_bytes)
{
    if (value_bytes == 8) {
        ((double *)values)[at] = value;
    } else {
        ((float *)values)[at] = (float)value;
    }
}
