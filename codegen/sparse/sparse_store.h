// A matrix on the device in one layout: its arrays, and what its kernels need to know of them.
#pragma once

#include "array/context.h"
#include "device/cusparse.h"
#include "program/launch.h"
#include "sparse/sparse_layout.h"
#include "sparse/sparse_matrix.h"

typedef struct sedge_sparse_store sedge_sparse_store;
struct sedge_sparse_store {
    sedge_sparse_layout layout;
    sedge_device *device;
    int real_bytes, value_bytes;
    int wide;          // offsets of 64 bits
    int64_t shift;     // as the matrix's
    int64_t rows;      // stored
    int64_t all_rows;  // of y
    bool visits_all;   // every row of y is written
    int64_t parts;     // slices, blocks of work, packets
    int64_t things;    // hub: pieces of rows
    int64_t few, many; // rows whose pieces are added up by one work item each, by a block each
    int modes;         // slices: bit m is set if some slice has its indices in mode m
    int64_t stored;    // values
    double bytes;      // of a call
    sedge_buffer *offsets, *columns, *values, *places, *listed, *work, *pieces, *runs;
    // x in another order: the column of each place, and x in that order. hub: of the most used
    // columns only.
    sedge_buffer *gather, *gathered;
    int64_t columns_count;    // length of both
    sedge_sparse_store *rest; // hybrid: of the longer rows. Owned
    sedge_sparse_kernel rest_kernel;
    sedge_cusparse *cusparse; // borrowed
    sedge_cusparse_matrix *vendor;
};

// Store the matrix on the device in a layout. `cusparse` NULL: there is none.
SEDGE_MUST_USE
sedge_status sedge_sparse_store_create(sedge_sparse_store **out, sedge_context *context,
                                       const sedge_sparse_matrix *matrix,
                                       const sedge_sparse_layout *layout, sedge_cusparse *cusparse);
void sedge_sparse_store_free(sedge_sparse_store *store);
int64_t sedge_sparse_store_bytes(const sedge_sparse_store *store); // held

// Make a buffer with a copy of the `bytes` bytes at `host`.
SEDGE_MUST_USE
sedge_status sedge_sparse_upload(sedge_buffer **out, sedge_device *device, const void *host,
                                 int64_t bytes);

// Large arrays are filled and uploaded in pieces of about this many elements.
enum { SEDGE_SPARSE_CHUNK = 1 << 23 };

static inline int64_t sedge_sparse_divide_up(int64_t count, int64_t each)
{
    return (count + each - 1) / each;
}

// The argument for a buffer that kernels index with shifted offsets: its address minus `shift`
// elements of `bytes` bytes.
static inline sedge_argument sedge_sparse_shifted(const sedge_sparse_store *store,
                                                  const sedge_buffer *buffer, int64_t bytes)
{
    return sedge_address_argument(sedge_buffer_address(buffer) - (uint64_t)(store->shift * bytes));
}
