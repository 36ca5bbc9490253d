// A matrix by rows on the device under test, with a kernel of its own: any operator will do for the
// solver. On several ranks rows are spread evenly, and vectors are gathered for each product.
#pragma once

#include "linear/krylov.h"

#include "base/memory.h"
#include "program/launch.h"

// The ranks, and a context on the device that SEDGE_TEST_DEVICE names. Ends the program where there
// is none.
typedef struct krylov_session {
    sedge_comm *comm;
    sedge_device *device;
    sedge_cache *cache;
    sedge_context *context;
} krylov_session;

void krylov_case_start(krylov_session *session);
void krylov_case_end(krylov_session *session);

typedef struct krylov_case {
    sedge_context *context;
    const sedge_comm *comm;
    const sedge_kernel *kernel;
    int real_bytes;
    int64_t size;        // of the whole matrix
    int64_t first, rows; // of this rank
    sedge_buffer *offsets, *columns, *values, *all_x;
    double *host_values; // [offsets[rows]]
    int64_t *host_offsets;
    int32_t *host_columns;
    double *all; // [size], gathered
    int applied;
} krylov_case;

// Entry (row, column[k]) = value[k] of a row; returns how many, at most 64.
typedef int (*krylov_row)(int64_t size, int64_t row, int64_t *columns, double *values);

void krylov_case_open(krylov_case *test, sedge_context *context, const sedge_comm *comm,
                      int real_bytes, int64_t size, krylov_row row);
void krylov_case_close(krylov_case *test);

// The operator; on one rank with its matrix by rows.
sedge_krylov_operator krylov_case_operator(krylov_case *test);

// This rank's part of a vector [size] as a device buffer, and back, gathered on every rank.
sedge_buffer *krylov_case_vector(const krylov_case *test, const double *values);
void krylov_case_values(const krylov_case *test, const sedge_buffer *buffer, double *values);

// y = A x of whole vectors on the host, in double.
void krylov_case_multiply(const krylov_case *test, krylov_row row, const double *x, double *y);
