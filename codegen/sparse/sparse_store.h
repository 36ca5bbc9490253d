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
    int64_t things;    // merge: rows and entries; hub: pieces of rows
    int64_t few, many; // rows whose pieces are added up by one work item each, by a block each
    int modes;         // slices: bit m is set if some slice has its indices in mode m
    int64_t stored;    // values
    double bytes;      // of a call
    sedge_buffer *offsets, *columns, *values, *places, *listed, *work, *pieces, *runs;
    sedge_buffer *gather, *gathered; // in another order: which x is where, and x there; hub: of
                                     // the columns most used only
    int64_t columns_count;           // of these
    sedge_sparse_store *rest;        // hybrid: of the longer rows. Owned
    sedge_sparse_kernel rest_kernel;
    sedge_cusparse *cusparse; // borrowed
    sedge_cusparse_matrix *vendor;
};

// Bring the matrix into a layout. `cusparse` NULL: there is none.
SEDGE_MUST_USE
sedge_status sedge_sparse_store_create(sedge_sparse_store **out, sedge_context *context,
                                       const sedge_sparse_matrix *matrix,
                                       const sedge_sparse_layout *layout, sedge_cusparse *cusparse);
void sedge_sparse_store_free(sedge_sparse_store *store);
int64_t sedge_sparse_store_bytes(const sedge_sparse_store *store); // held

// A buffer of `bytes` bytes with what is at `host`.
SEDGE_MUST_USE
sedge_status sedge_sparse_upload(sedge_buffer **out, sedge_device *device, const void *host,
                                 int64_t bytes);

// Large arrays are filled and uploaded piece by piece, of about so many elements.
enum { SEDGE_SPARSE_CHUNK = 1 << 23 };

static inline int64_t sedge_sparse_divide_up(int64_t count, int64_t each)
{
    return (count + each - 1) / each;
}

// The argument of a buffer from whose start offsets count: minus `shift` elements of `bytes`.
static inline sedge_argument sedge_sparse_shifted(const sedge_sparse_store *store,
                                                  const sedge_buffer *buffer, int64_t bytes)
{
    return sedge_address_argument(sedge_buffer_address(buffer) - (uint64_t)(store->shift * bytes));
}
