#define _DEFAULT_SOURCE
#include "device/blas.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/backend.h"

#include <dlfcn.h>
#include <string.h>

// What is used of cuBLAS's C interface, version 12 and 13.
enum { CUBLAS_OK = 0, CUBLAS_PLAIN = 0 };

// By a library; or, on the host in random order, by loops: `library` is NULL there.
struct sedge_blas {
    sedge_device *device;
    void *library;
    void *handle;
    sedge_stream *own; // for calls without a stream. Owned
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*multiply_float)(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
                          const float *alpha, const float *a, int lda, const float *b, int ldb,
                          const float *beta, float *c, int ldc);
    int (*multiply_double)(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
                           const double *alpha, const double *a, int lda, const double *b, int ldb,
                           const double *beta, double *c, int ldc);
};

static void *open_library(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL};

    return sedge_toolkit_open("SEDGE_CUBLAS", names);
}

static sedge_status find_functions(sedge_blas *blas)
{
    const struct {
        const char *name;
        void *place;
    } rows[] = {
        {"cublasCreate_v2", &blas->create},         {"cublasDestroy_v2", &blas->destroy},
        {"cublasSetStream_v2", &blas->set_stream},  {"cublasSgemm_v2", &blas->multiply_float},
        {"cublasDgemm_v2", &blas->multiply_double},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *const symbol = dlsym(blas->library, rows[i].name);
        if (symbol == NULL) {
            return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                              "the cuBLAS found here has no %s; 12 or newer is "
                              "needed",
                              rows[i].name);
        }
        memcpy(rows[i].place, &symbol, sizeof symbol);
    }
    return SEDGE_OK;
}

sedge_status sedge_blas_create(sedge_blas **out, sedge_device *device)
{
    sedge_status status;
    sedge_blas *blas = NULL;

    *out = NULL;
    if (device->info.kind != SEDGE_DEVICE_CUDA && !device->info.random_order) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cuBLAS needs a cuda device, this one is '%s'",
                          device->info.kind_name);
    }
    SEDGE_TRY(sedge_allocate(&blas, 1, sizeof *blas));
    blas->device = device;
    if (device->info.random_order) {
        *out = blas;
        return SEDGE_OK;
    }
    blas->library = open_library();
    status = SEDGE_OK;
    if (blas->library == NULL) {
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE, "cuBLAS is not found: neither by SEDGE_CUBLAS nor in "
                                              "the library path, CUDA_HOME and /usr/local/cuda");
    }
    if (status == SEDGE_OK) status = find_functions(blas);
    // The device's context is the primary one, and cuBLAS works in the one that is current.
    SEDGE_CUDA_SCOPE(scope);
    if (status == SEDGE_OK) status = sedge_cuda_enter(&scope, device);
    if (status == SEDGE_OK && blas->create(&blas->handle) != CUBLAS_OK) {
        blas->handle = NULL;
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE, "cuBLAS does not start on %s", device->info.name);
    }
    if (status == SEDGE_OK) status = sedge_stream_create(&blas->own, device, false);
    if (status == SEDGE_OK) {
        *out = blas;
        return SEDGE_OK;
    }
    sedge_blas_free(blas);
    return status;
}

void sedge_blas_free(sedge_blas *blas)
{
    if (blas == NULL) return;
    if (blas->handle != NULL) {
        SEDGE_CUDA_SCOPE(scope);
        if (sedge_cuda_enter(&scope, blas->device) == SEDGE_OK) (void)blas->destroy(blas->handle);
    }
    sedge_stream_free(blas->own);
    sedge_release(blas); // the library stays: it cannot be unloaded safely
}

// The same by the book, in memory of the host, whose streams have done what was asked before.
static void multiply_on_host(bool fp64, int rows, int columns, int inner, uint64_t a, uint64_t b,
                             uint64_t c)
{
    for (int64_t at = 0; at < (int64_t)rows * columns; at++) {
        const int64_t row = at / columns * inner;
        const int64_t column = at % columns;
        double sum = 0.0;
        for (int64_t k = 0; k < inner; k++) {
            sum += fp64 ? ((const double *)(uintptr_t)a)[row + k] *
                              ((const double *)(uintptr_t)b)[k * columns + column]
                        : (double)((const float *)(uintptr_t)a)[row + k] *
                              (double)((const float *)(uintptr_t)b)[k * columns + column];
        }
        if (fp64) {
            ((double *)(uintptr_t)c)[at] = sum;
        } else {
            ((float *)(uintptr_t)c)[at] = (float)sum;
        }
    }
}

static sedge_status multiply(const sedge_blas *blas, sedge_stream *stream, bool fp64, int rows,
                             int columns, int inner, uint64_t a, uint64_t b, uint64_t c)
{
    const double began = sedge_trace_requested() ? sedge_clock() : 0.0;

    SEDGE_CUDA_ENTER(blas->device);
    int code = blas->set_stream(blas->handle, sedge_stream_handle(stream));

    // Row-major C = A B is column-major C' = B' A'.
    if (code == CUBLAS_OK && fp64) {
        const double one = 1.0, zero = 0.0;
        code = blas->multiply_double(blas->handle, CUBLAS_PLAIN, CUBLAS_PLAIN, columns, rows, inner,
                                     &one, (const double *)(uintptr_t)b, columns,
                                     (const double *)(uintptr_t)a, inner, &zero,
                                     (double *)(uintptr_t)c, columns);
    } else if (code == CUBLAS_OK) {
        const float one = 1.0f, zero = 0.0f;
        code = blas->multiply_float(blas->handle, CUBLAS_PLAIN, CUBLAS_PLAIN, columns, rows, inner,
                                    &one, (const float *)(uintptr_t)b, columns,
                                    (const float *)(uintptr_t)a, inner, &zero,
                                    (float *)(uintptr_t)c, columns);
    }
    if (began > 0.0) sedge_trace("cublasGemm", began, "%d x %d x %d", rows, columns, inner);
    if (code == CUBLAS_OK) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cuBLAS cannot multiply %d x %d by %d x %d: its status %d",
                      rows, inner, inner, columns, code);
}

// The library's stream 0 is not ordered with the device's streams, which do not block.
sedge_status sedge_blas_multiply(sedge_blas *blas, sedge_stream *stream, bool fp64, int rows,
                                 int columns, int inner, uint64_t a, uint64_t b, uint64_t c)
{
    if (blas->library == NULL) {
        multiply_on_host(fp64, rows, columns, inner, a, b, c);
        return SEDGE_OK;
    }
    if (stream != NULL) return multiply(blas, stream, fp64, rows, columns, inner, a, b, c);
    SEDGE_TRY(multiply(blas, blas->own, fp64, rows, columns, inner, a, b, c));
    return sedge_stream_wait(blas->own);
}
