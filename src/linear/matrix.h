// A sparse matrix in host memory, whose rows are distributed over the ranks in contiguous parts. It
// is read from a file, checked and partitioned; then AMG and the device operator are made from it.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// Rows [first, first + rows) of a square matrix of `size` rows. In each row the columns ascend, and
// each occurs once.
typedef struct sedge_matrix {
    int64_t size;
    int64_t first, rows;
    int64_t *offsets; // [rows + 1], from 0
    int64_t *columns; // [offsets[rows]], global
    double *values;
    int64_t *original; // [rows]: the rows' numbers before they were partitioned; NULL: the same
} sedge_matrix;

// Zeroed arrays for `rows` rows and `count` entries. The caller fills them and frees the matrix.
SEDGE_MUST_USE
sedge_status sedge_matrix_create(sedge_matrix **out, int64_t size, int64_t first, int64_t rows,
                                 int64_t count);
void sedge_matrix_free(sedge_matrix *matrix);

// The number, from 0, that row `row` of this rank (0..rows - 1) had before partitioning.
int64_t sedge_matrix_original(const sedge_matrix *matrix, int64_t row);

// ---- files -------------------------------------------------------------------------------------

// Read a whole square matrix: Matrix Market "coordinate" (real, integer, pattern; general,
// symmetric, skew-symmetric), compressed by gzip or not; or PETSc's binary form. Entries that occur
// twice are added up. The format is recognised by the content, not by the file's name. Every
// failure is SEDGE_ERR_DATA and names the file and the reason: missing file, pipe or folder,
// unknown format, complex numbers, not square, an index out of range, too short, a line that is not
// an entry of the kind that the first line declares, a truncated gzip file. Called by one rank.
SEDGE_MUST_USE
sedge_status sedge_matrix_read(sedge_matrix **out, const char *path);

// A vector of `size` numbers: Matrix Market "array", or "coordinate" with one column, or PETSc's
// binary form. `*out` is released with sedge_release.
SEDGE_MUST_USE
sedge_status sedge_matrix_read_vector(double **out, const char *path, int64_t size);

// How far a whole matrix is from symmetric: the largest |a_ij - a_ji| relative to the scale of rows
// i and j. The scale is the larger of sqrt(a_ii a_jj), which bounds |a_ij| in a positive definite
// matrix, and |a_ij|. So a difference counts the same in rows of small and of large entries.
typedef struct sedge_matrix_symmetry {
    double ratio, difference; // |a_ij - a_ji| relative to the scale, and its value
    int64_t row, column;      // i and j, from 0
    bool is_skew;             // a_ij = -a_ji everywhere
} sedge_matrix_symmetry;

SEDGE_MUST_USE
sedge_status sedge_matrix_measure(sedge_matrix_symmetry *out, const sedge_matrix *whole);

// ---- ranks -------------------------------------------------------------------------------------

// Distribute the whole matrix, which the root has (NULL elsewhere), over the ranks. Its graph
// is partitioned (petsc/petsc_partition.h) so that few unknowns are exchanged. On one rank the
// order of the rows is kept. Collective.
SEDGE_MUST_USE
sedge_status sedge_matrix_spread(sedge_matrix **out, const sedge_comm *comm,
                                 const sedge_matrix *whole);

// Scatter the root's whole vector (NULL elsewhere), in the file's order, to each rank's part
// [rows]; or gather it. Collective.
SEDGE_MUST_USE
sedge_status sedge_matrix_scatter(const sedge_matrix *matrix, const sedge_comm *comm,
                                  const double *whole, double *part);
SEDGE_MUST_USE
sedge_status sedge_matrix_gather(const sedge_matrix *matrix, const sedge_comm *comm,
                                 const double *part, double *whole);
