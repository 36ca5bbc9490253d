#define _DEFAULT_SOURCE
#include "device/cusparse.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/backend.h"

#include <dlfcn.h>
#include <string.h>

// What is used of cuSPARSE's C interface, version 12: its enumerations' values.
enum { STATUS_OK = 0, PLAIN = 0, BASE_ZERO = 0, INDEX_32 = 2, FLOAT32 = 0, FLOAT64 = 1 };
enum { ALGORITHMS = 3 };
static const int algorithm_numbers[ALGORITHMS] = {2, 3, 5};

typedef int multiply_function(void *handle, int operation, const void *alpha, void *matrix, void *x,
                              const void *beta, void *y, int type, int algorithm, void *workspace);

struct sedge_cusparse {
    sedge_device *device;
    sedge_stream *own; // for calls without a stream. Owned
    void *library;
    void *handle;
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*create_rows)(void **matrix, int64_t rows, int64_t columns, int64_t entries, void *offsets,
                       void *indices, void *values, int offsets_type, int indices_type, int base,
                       int type);
    int (*create_slices)(void **matrix, int64_t rows, int64_t columns, int64_t entries,
                         int64_t stored, int64_t height, void *offsets, void *indices, void *values,
                         int offsets_type, int indices_type, int base, int type);
    int (*destroy_matrix)(void *matrix);
    int (*create_vector)(void **vector, int64_t size, void *values, int type);
    int (*set_vector)(void *vector, void *values);
    int (*destroy_vector)(void *vector);
    int (*workspace_bytes)(void *handle, int operation, const void *alpha, void *matrix, void *x,
                           const void *beta, void *y, int type, int algorithm, size_t *bytes);
    multiply_function *prepare; // NULL: this version has none
    multiply_function *multiply;
};

struct sedge_cusparse_matrix {
    sedge_cusparse *cusparse;
    bool fp64;
    void *matrix, *x, *y;
    bool prepared[ALGORITHMS];
    sedge_buffer *workspace[ALGORITHMS];
};

// ---- library -----------------------------------------------------------------------------------

static void *open_library(void)
{
    static const char *const names[] = {"libcusparse.so.12", "libcusparse.so", NULL};

    return sedge_toolkit_open("SEDGE_CUSPARSE", names);
}

static sedge_status find_functions(sedge_cusparse *c)
{
    const struct {
        const char *name;
        void *place;
        bool optional;
    } rows[] = {
        {"cusparseCreate", &c->create, false},
        {"cusparseDestroy", &c->destroy, false},
        {"cusparseSetStream", &c->set_stream, false},
        {"cusparseCreateCsr", &c->create_rows, false},
        {"cusparseCreateSlicedEll", &c->create_slices, false},
        {"cusparseDestroySpMat", &c->destroy_matrix, false},
        {"cusparseCreateDnVec", &c->create_vector, false},
        {"cusparseDnVecSetValues", &c->set_vector, false},
        {"cusparseDestroyDnVec", &c->destroy_vector, false},
        {"cusparseSpMV_bufferSize", &c->workspace_bytes, false},
        {"cusparseSpMV_preprocess", &c->prepare, true},
        {"cusparseSpMV", &c->multiply, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *const symbol = dlsym(c->library, rows[i].name);
        if (symbol == NULL && !rows[i].optional) {
            return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                              "the cuSPARSE found here has no %s; 12 or newer is needed",
                              rows[i].name);
        }
        memcpy(rows[i].place, &symbol, sizeof symbol);
    }
    return SEDGE_OK;
}

sedge_status sedge_cusparse_create(sedge_cusparse **out, sedge_device *device)
{
    sedge_status status = SEDGE_OK;
    sedge_cusparse *c = NULL;

    *out = NULL;
    if (device->info.kind != SEDGE_DEVICE_CUDA) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cuSPARSE needs a cuda device, this one is '%s'",
                          device->info.kind_name);
    }
    SEDGE_TRY(sedge_allocate(&c, 1, sizeof *c));
    c->device = device;
    c->library = open_library();
    if (c->library == NULL) {
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE,
                            "cuSPARSE is not found: neither by SEDGE_CUSPARSE nor in the library "
                            "path, CUDA_HOME and /usr/local/cuda");
    }
    if (status == SEDGE_OK) status = find_functions(c);
    // The device's context is the primary one, and cuSPARSE works in the one that is current.
    SEDGE_CUDA_SCOPE(scope);
    if (status == SEDGE_OK) status = sedge_cuda_enter(&scope, device);
    if (status == SEDGE_OK && c->create(&c->handle) != STATUS_OK) {
        c->handle = NULL;
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE, "cuSPARSE does not start on %s", device->info.name);
    }
    if (status == SEDGE_OK) status = sedge_stream_create(&c->own, device, false);
    if (status == SEDGE_OK) {
        *out = c;
        return SEDGE_OK;
    }
    sedge_cusparse_free(c);
    return status;
}

void sedge_cusparse_free(sedge_cusparse *cusparse)
{
    if (cusparse == NULL) return;
    if (cusparse->handle != NULL) {
        SEDGE_CUDA_SCOPE(scope);
        if (sedge_cuda_enter(&scope, cusparse->device) == SEDGE_OK)
            (void)cusparse->destroy(cusparse->handle);
    }
    sedge_stream_free(cusparse->own);
    sedge_release(cusparse); // the library stays: it cannot be unloaded safely
}

// ---- matrices ----------------------------------------------------------------------------------

static void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static sedge_status check(int code, const char *what)
{
    if (code == STATUS_OK) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "cuSPARSE: %s gives status %d", what, code);
}

static sedge_status describe(sedge_cusparse_matrix *matrix, const sedge_cusparse_arrays *arrays)
{
    const sedge_cusparse *const c = matrix->cusparse;
    const int type = arrays->fp64 ? FLOAT64 : FLOAT32;
    void *const offsets = pointer(arrays->offsets);
    void *const indices = pointer(arrays->indices);
    void *const values = pointer(arrays->values);

    if (arrays->height == 0) {
        SEDGE_TRY(
            check(c->create_rows(&matrix->matrix, arrays->rows, arrays->columns, arrays->entries,
                                 offsets, indices, values, INDEX_32, INDEX_32, BASE_ZERO, type),
                  "cusparseCreateCsr"));
    } else {
        SEDGE_TRY(check(c->create_slices(&matrix->matrix, arrays->rows, arrays->columns,
                                         arrays->entries, arrays->stored, arrays->height, offsets,
                                         indices, values, INDEX_32, INDEX_32, BASE_ZERO, type),
                        "cusparseCreateSlicedEll"));
    }
    // The vectors' addresses come with each call; these are any that are not 0.
    SEDGE_TRY(
        check(c->create_vector(&matrix->x, arrays->columns, values, type), "cusparseCreateDnVec"));
    return check(c->create_vector(&matrix->y, arrays->rows, values, type), "cusparseCreateDnVec");
}

sedge_status sedge_cusparse_matrix_create(sedge_cusparse_matrix **out, sedge_cusparse *cusparse,
                                          const sedge_cusparse_arrays *arrays)
{
    sedge_cusparse_matrix *matrix = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&matrix, 1, sizeof *matrix));
    matrix->cusparse = cusparse;
    matrix->fp64 = arrays->fp64;
    const sedge_status status = describe(matrix, arrays);
    if (status == SEDGE_OK) {
        *out = matrix;
        return SEDGE_OK;
    }
    sedge_cusparse_matrix_free(matrix);
    return status;
}

void sedge_cusparse_matrix_free(sedge_cusparse_matrix *matrix)
{
    if (matrix == NULL) return;
    if (matrix->matrix != NULL) (void)matrix->cusparse->destroy_matrix(matrix->matrix);
    if (matrix->x != NULL) (void)matrix->cusparse->destroy_vector(matrix->x);
    if (matrix->y != NULL) (void)matrix->cusparse->destroy_vector(matrix->y);
    for (int a = 0; a < ALGORITHMS; a++) sedge_buffer_free(matrix->workspace[a]);
    sedge_release(matrix);
}

// ---- products ----------------------------------------------------------------------------------

static sedge_status prepare(sedge_cusparse_matrix *matrix, sedge_stream *stream, int a,
                            const void *alpha, const void *beta)
{
    const sedge_cusparse *const c = matrix->cusparse;
    const int type = matrix->fp64 ? FLOAT64 : FLOAT32;
    size_t bytes = 0;

    SEDGE_TRY(check(c->workspace_bytes(c->handle, PLAIN, alpha, matrix->matrix, matrix->x, beta,
                                       matrix->y, type, algorithm_numbers[a], &bytes),
                    "cusparseSpMV_bufferSize"));
    SEDGE_TRY(sedge_buffer_create(&matrix->workspace[a], c->device, (int64_t)bytes + 16));
    if (c->prepare != NULL) {
        SEDGE_TRY(check(c->prepare(c->handle, PLAIN, alpha, matrix->matrix, matrix->x, beta,
                                   matrix->y, type, algorithm_numbers[a],
                                   pointer(sedge_buffer_address(matrix->workspace[a]))),
                        "cusparseSpMV_preprocess"));
    }
    matrix->prepared[a] = true;
    return sedge_stream_wait(stream);
}

static sedge_status multiply(sedge_cusparse_matrix *matrix, sedge_stream *stream,
                             sedge_cusparse_algorithm algorithm, double alpha, uint64_t x,
                             double beta, uint64_t y)
{
    const sedge_cusparse *const c = matrix->cusparse;
    const double began = sedge_trace_requested() ? sedge_clock() : 0.0;
    const float single[2] = {(float)alpha, (float)beta};
    const double twice[2] = {alpha, beta};
    const void *const scalar[2] = {matrix->fp64 ? (const void *)&twice[0] : &single[0],
                                   matrix->fp64 ? (const void *)&twice[1] : &single[1]};
    const int a = (int)algorithm;

    SEDGE_CUDA_ENTER(c->device);
    SEDGE_TRY(check(c->set_stream(c->handle, sedge_stream_handle(stream)), "cusparseSetStream"));
    SEDGE_TRY(check(c->set_vector(matrix->x, pointer(x)), "cusparseDnVecSetValues"));
    SEDGE_TRY(check(c->set_vector(matrix->y, pointer(y)), "cusparseDnVecSetValues"));
    if (!matrix->prepared[a]) SEDGE_TRY(prepare(matrix, stream, a, scalar[0], scalar[1]));
    SEDGE_TRY(check(c->multiply(c->handle, PLAIN, scalar[0], matrix->matrix, matrix->x, scalar[1],
                                matrix->y, matrix->fp64 ? FLOAT64 : FLOAT32, algorithm_numbers[a],
                                pointer(sedge_buffer_address(matrix->workspace[a]))),
                    "cusparseSpMV"));
    if (began > 0.0) sedge_trace("cusparseSpMV", began, "algorithm %d", algorithm_numbers[a]);
    return SEDGE_OK;
}

// The library's stream 0 is not ordered with the device's streams, which do not block.
sedge_status sedge_cusparse_multiply(sedge_cusparse_matrix *matrix, sedge_stream *stream,
                                     sedge_cusparse_algorithm algorithm, double alpha, uint64_t x,
                                     double beta, uint64_t y)
{
    sedge_stream *const own = matrix->cusparse->own;

    if (stream != NULL) return multiply(matrix, stream, algorithm, alpha, x, beta, y);
    SEDGE_TRY(multiply(matrix, own, algorithm, alpha, x, beta, y));
    return sedge_stream_wait(own);
}
