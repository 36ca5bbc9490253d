// A sparse matrix in host memory, its rows spread over the ranks in contiguous parts: what is read
// from files, checked, partitioned, given to AMG and brought to the device.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// Rows [first, first + rows) of a square matrix of `size` rows. In a row columns ascend, each once.
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

// Start PETSc, which partitions. Collective, before the others here.
SEDGE_MUST_USE
sedge_status sedge_matrix_start(void);

// Read a whole square matrix: Matrix Market "coordinate" (real, integer, pattern; general,
// symmetric, skew-symmetric), compressed by gzip or not; or PETSc's binary form. Entries that occur
// twice are added up. Both by content, not by name. Every failure is SEDGE_ERR_DATA and names the
// file and what is wrong: not there, a pipe or a folder, no such format, complex, not square, an
// index outside, too short, a line that is no entry of the kind of numbers that the first line
// names, a gzip file without its end. Of one rank.
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

// Spread root's whole matrix (elsewhere NULL) over the ranks, by PETSc's partitioner of its graph,
// so that few unknowns are exchanged; one rank keeps the order. Collective.
SEDGE_MUST_USE
sedge_status sedge_matrix_spread(sedge_matrix **out, const sedge_comm *comm,
                                 const sedge_matrix *whole);

// Root's whole vector (elsewhere NULL), in the file's order, to each rank's part [rows], and back.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_matrix_scatter(const sedge_matrix *matrix, const sedge_comm *comm,
                                  const double *whole, double *part);
SEDGE_MUST_USE
sedge_status sedge_matrix_gather(const sedge_matrix *matrix, const sedge_comm *comm,
                                 const double *part, double *whole);
