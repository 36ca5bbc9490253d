// A symmetric positive definite matrix, of whose rows the part from the first entry to the diagonal
// is stored, as the product of a triangular matrix and its transpose. It is stored in tiles of 8 by
// 8, and eight right-hand sides are solved for at once.
//
// Or a quasi-definite one: its block of some rows is positive definite, that of the others negative
// definite. In whatever order the rows are, it is L S L^T without a choice of pivots, where S has 1
// and -1 for these rows on its diagonal (R. Vanderbei, SIAM J. Optim. 5 (1995) 100).
//
// It is no matrix of LAPACK: the order in which a BLAS adds depends on its number of threads, and a
// port's field must be the same, to the bit, on all ranks and in all runs.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define PORT_TILE 8 // rows and columns of a tile, and columns of a panel

typedef struct port_matrix {
    int64_t tiles;   // in a column of tiles: rows beyond those of the matrix are those of 1
    int64_t *first;  // [tiles] the column of the first tile in a row of tiles
    int64_t *offset; // [tiles] where the tile of column 0 would be in `value`
    double *value;   // [tiles][PORT_TILE columns][PORT_TILE rows]
    double *sign;    // [tiles * PORT_TILE] S, 1 unless the caller sets it
} port_matrix;

// How many numbers the matrix has whose rows begin with the entries `first` [rows].
double port_matrix_entries(int64_t rows, const int64_t *first);

// Zeros there. SEDGE_ERR_MEMORY. Clear it in any case.
SEDGE_MUST_USE
sedge_status port_matrix_create(port_matrix *out, int64_t rows, const int64_t *first);
void port_matrix_clear(const port_matrix *matrix);

// The entry in a row, at a column from the row's first to its own.
double *port_matrix_at(const port_matrix *matrix, int64_t row, int64_t column);

// Replace the matrix by its factor. SEDGE_ERR_COMPUTE: it is not definite as `sign` says.
SEDGE_MUST_USE
sedge_status port_matrix_factor(const port_matrix *matrix);

// Solve with the factor: the columns of x are right-hand sides and become the solutions.
void port_matrix_solve(const port_matrix *matrix, double *x);

// A panel x [tiles * PORT_TILE][PORT_TILE] has eight vectors as its columns. The tile x^T y
// [PORT_TILE][PORT_TILE], and y = y - x tile.
void port_panel_multiply(double *tile, int64_t tiles, const double *x, const double *y);
void port_panel_subtract(double *y, int64_t tiles, const double *x, const double *tile);

// Eigenvalues of the symmetric a [n][n], which is changed, descending, with the vectors in the
// columns of v [n][n], by rotations of Jacobi.
void port_matrix_eigen(int n, double *a, double *w, double *v);
