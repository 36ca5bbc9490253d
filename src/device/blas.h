// Dense matrix products by the device's own library: cuBLAS on cuda, loaded at run time. The host
// in random order (SEDGE_ORDER), which is for tests, multiplies by loops, sums in fp64. Nothing
// here is collective.
#pragma once

#include "base/error.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_blas sedge_blas;

// Load cuBLAS (SEDGE_CUBLAS, else the loader's search, CUDA_HOME, /usr/local/cuda) and bind it to
// the device. SEDGE_ERR_DEVICE with the reason where the device is not cuda or there is no cuBLAS.
// The caller frees it, before the device.
SEDGE_MUST_USE
sedge_status sedge_blas_create(sedge_blas **out, sedge_device *device);
void sedge_blas_free(sedge_blas *blas);

// C = A B in row-major order, as one call in `stream`, or done on return if that is NULL: A is
// [rows][inner], B [inner][columns], C [rows][columns], all packed, at device addresses, and C is
// none of the others; fp64 or fp32 (TF32 is not used). SEDGE_ERR_DEVICE where cuBLAS fails.
SEDGE_MUST_USE
sedge_status sedge_blas_multiply(sedge_blas *blas, sedge_stream *stream, bool fp64, int rows,
                                 int columns, int inner, uint64_t a, uint64_t b, uint64_t c);
