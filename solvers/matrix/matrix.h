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
} sedge_matrix;

// Zeroed arrays for `rows` rows and `count` entries. The caller fills them and frees the matrix.
SEDGE_MUST_USE
sedge_status sedge_matrix_create(sedge_matrix **out, int64_t size, int64_t first, int64_t rows,
                                 int64_t count);
void sedge_matrix_free(sedge_matrix *matrix);
