// Products with sparse matrices by the device's own library: cuSPARSE on cuda, loaded at run time.
#pragma once

#include "base/error.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_cusparse sedge_cusparse;
typedef struct sedge_cusparse_matrix sedge_cusparse_matrix;

// Load cuSPARSE (SEDGE_CUSPARSE, else the loader's search, CUDA_HOME, /usr/local/cuda) and bind it
// to the device. SEDGE_ERR_DEVICE with the reason where the device is not cuda or there is no
// cuSPARSE 12 or newer. The caller frees it, before the device and after its matrices.
SEDGE_MUST_USE
sedge_status sedge_cusparse_create(sedge_cusparse **out, sedge_device *device);
void sedge_cusparse_free(sedge_cusparse *cusparse);

// Two algorithms for matrices stored by rows (CSR), one for matrices stored in slices (SELL).
typedef enum sedge_cusparse_algorithm {
    SEDGE_CUSPARSE_CSR_1,
    SEDGE_CUSPARSE_CSR_2, // balanced, the same bits in every call
    SEDGE_CUSPARSE_SELL
} sedge_cusparse_algorithm;

// The arrays of a matrix in device memory, which must outlive the matrix. Offsets (of rows [rows +
// 1], or of slices of `height` rows) and column indices (-1 for padding) have 32 bits; values and
// vectors are fp64 or fp32. `stored` counts the values with padding, `entries` those without.
typedef struct sedge_cusparse_arrays {
    int64_t rows, columns, entries, stored;
    int height; // 0: rows
    uint64_t offsets, indices, values;
    bool fp64;
} sedge_cusparse_arrays;

SEDGE_MUST_USE
sedge_status sedge_cusparse_matrix_create(sedge_cusparse_matrix **out, sedge_cusparse *cusparse,
                                          const sedge_cusparse_arrays *arrays);
void sedge_cusparse_matrix_free(sedge_cusparse_matrix *matrix);

// y = alpha A x + beta y in `stream` (NULL: done when the call returns), x and y at device
// addresses. The first call with an algorithm does its preparations and waits for them.
SEDGE_MUST_USE
sedge_status sedge_cusparse_multiply(sedge_cusparse_matrix *matrix, sedge_stream *stream,
                                     sedge_cusparse_algorithm algorithm, double alpha, uint64_t x,
                                     double beta, uint64_t y);
