// Dense matrix products by the device's own library: cuBLAS on cuda, loaded at run time. For tests,
// the host in random order (SEDGE_ORDER) multiplies with plain loops and sums in fp64. No function
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

// C = A B in row-major order, queued in `stream`; if `stream` is NULL, done on return. A is
// [rows][inner], B [inner][columns], C [rows][columns], all packed, at device addresses. C must not
// overlap A or B. fp64 or fp32 (TF32 is not used). SEDGE_ERR_DEVICE if cuBLAS fails.
SEDGE_MUST_USE
sedge_status sedge_blas_multiply(sedge_blas *blas, sedge_stream *stream, bool fp64, int rows,
                                 int columns, int inner, uint64_t a, uint64_t b, uint64_t c);
