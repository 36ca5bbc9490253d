// A symmetric positive definite matrix, of whose rows the part from the first entry to the diagonal
// is stored, as the product of a triangular matrix and its transpose.
//
// It is no matrix of LAPACK: the order in which a BLAS adds depends on its number of threads, and a
// port's field has the same bits on any number of ranks.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct port_matrix {
    int64_t rows;
    int64_t *first;  // [rows] column of the first entry
    int64_t *offset; // [rows] where column 0 of the row would be in `value`
    double *value;
} port_matrix;

// Zeros from `first` [rows] on, which the matrix takes a copy of. SEDGE_ERR_MEMORY. Clear it in any
// case.
SEDGE_MUST_USE
sedge_status port_matrix_create(port_matrix *out, int64_t rows, const int64_t *first);
void port_matrix_clear(const port_matrix *matrix);

// The entry in a row, at a column from the row's first to its own.
double *port_matrix_at(const port_matrix *matrix, int64_t row, int64_t column);

// Replace the matrix by its factor. SEDGE_ERR_COMPUTE: it is not positive definite.
SEDGE_MUST_USE
sedge_status port_matrix_factor(const port_matrix *matrix);

// Solve with the factor: x [rows] is the right-hand side and becomes the solution.
void port_matrix_solve(const port_matrix *matrix, double *x);

// Eigenvalues of the symmetric a [n][n], which is changed, descending, with the vectors in the
// columns of v [n][n], by rotations of Jacobi.
void port_matrix_eigen(int n, double *a, double *w, double *v);
