// Sparse matrices on a device: y = alpha A x + beta y, in the storage format and with the kernel
// that are fastest for this matrix on this device.
//
//     const sedge_csr csr = {.rows = n, .columns = n, .offsets = offsets, .columns32 = columns,
//                            .values64 = values};
//     SEDGE_TRY(sedge_sparse_create(&a, context, &csr, NULL));
//     SEDGE_TRY(sedge_sparse_apply(a, NULL, 1.0, x, 0.0, y)); // in the context's stream
//     sedge_sparse_free(a);
//
// Formats: compressed rows (csr; adaptive: rows binned by length); slices of rows as in
// SELL-C-sigma (sell; rows sorted by length inside a window, column indices of 32 or fewer bits, or
// diagonals); ell and hybrid; dense blocks (block); packets of rows that share a tile of x in block
// memory (packet); pieces of rows, with x of the most used columns in block memory (hub); and on
// cuda NVIDIA's library (cusparse). The tuner chooses by measuring and stores its choice
// (tune/tune.h); with tuning off, a rule chooses by the lengths of the rows.
//
// An object gives the same bits in every call: there are no atomics, and sums have a fixed order.
// Two formats may add a row's terms in different orders. If rounding must not depend on measured
// times, name a format in the options.
//
// A distributed matrix has two objects per rank: the local part, and the halo part, which is
// applied to the halo's values x_halo: y = A_local x, then y += A_halo x_halo (alpha = beta = 1).
// If most rows of an object are empty, it stores and visits the other rows only.
#pragma once

#include "array/context.h"
#include "base/error.h"
#include "device/device.h"
#include "par/comm.h"
#include "tune/tune.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct sedge_sparse sedge_sparse;

// A matrix on the host, compressed by rows; a view, all arrays are borrowed. Entries of row r are
// offsets[r] .. offsets[r + 1] - 1. offsets[0] need not be 0: offsets + first is a range of rows.
// Columns come in any order and may repeat (their values add up). Explicit zeros are entries.
typedef struct sedge_csr {
    int64_t rows, columns;    // at most 2^31 - 1 each; the entries may be more
    const int64_t *offsets;   // [rows + 1], not descending
    const int32_t *columns32; // [offsets[rows]]; or
    const int64_t *columns64;
    const float *values32; // [offsets[rows]]; or
    const double *values64;
} sedge_csr;

typedef struct sedge_sparse_options {
    int real_bytes;  // of x and y: 8 (default, 0) or 4
    int value_bytes; // of the values as stored: 4 or 8; 0: as x and y. Sums are in x's precision
    bool dot;        // sedge_sparse_apply_dot will be called
    bool has_tune;   // use `tune`, not the context's level
    sedge_tune_level tune;  // how much to measure
    const char *format;     // "csr", "adaptive", "sell", ...: only this one; NULL: any
    const char *kernel;     // only candidates whose name contains this; NULL: any
    const sedge_comm *comm; // ranks that share devices tune one after the other; NULL: this process
                            // alone; else creating is collective
    bool forget;            // measure even where there is wisdom
} sedge_sparse_options;

// Check the matrix, choose a format and a kernel, convert the matrix and upload it; no pointer of
// `csr` is kept. `options` NULL: all zero. Waits. Collective over options->comm. SEDGE_ERR_DATA for
// offsets that descend, columns outside 0..columns - 1 and sizes that do not fit, with the place;
// SEDGE_ERR_USAGE for bad options, or a format that this matrix or device cannot have, with the
// reason. The caller frees the object, before the context.
SEDGE_MUST_USE
sedge_status sedge_sparse_create(sedge_sparse **out, sedge_context *context, const sedge_csr *csr,
                                 const sedge_sparse_options *options);
void sedge_sparse_free(sedge_sparse *sparse);

int64_t sedge_sparse_rows(const sedge_sparse *sparse);
int64_t sedge_sparse_columns(const sedge_sparse *sparse);

// y = alpha A x + beta y in `stream` (NULL: the context's). x [columns] and y [rows] hold numbers
// of real_bytes bytes in two different buffers. A buffer may be larger than needed; a smaller one
// is SEDGE_ERR_USAGE. With beta 0 y is not read. Does not wait; not collective.
SEDGE_MUST_USE
sedge_status sedge_sparse_apply(sedge_sparse *sparse, sedge_stream *stream, double alpha,
                                const sedge_buffer *x, double beta, sedge_buffer *y);

// The largest number of partial sums of a dot product.
#define SEDGE_SPARSE_SUMS 1024

// As sedge_sparse_apply; in addition `sums` [sedge_sparse_sums()] gets doubles. Added up in their
// order, they give w . (alpha A x), with w [rows]. This is w . y if beta is 0; for a halo part it
// is the part's contribution to w . y. An object created without the option `dot` is
// SEDGE_ERR_USAGE. The object owns the work space, so two calls must not run at the same time in
// two streams.
SEDGE_MUST_USE
sedge_status sedge_sparse_apply_dot(sedge_sparse *sparse, sedge_stream *stream, double alpha,
                                    const sedge_buffer *x, double beta, sedge_buffer *y,
                                    const sedge_buffer *w, sedge_buffer *sums);
int sedge_sparse_sums(const sedge_sparse *sparse); // 1 .. SEDGE_SPARSE_SUMS

// ---- what was chosen ---------------------------------------------------------------------------

// One candidate of the search.
typedef struct sedge_sparse_candidate {
    const char *format, *kernel; // borrowed from the object
    double bytes;                // of a call by its format's model; 0: not known
    double seconds;              // least that was measured; 0: not timed
    const char *reason;          // "winner", "1.8x slower ...", "padding 9.1: ..."
} sedge_sparse_candidate;

typedef struct sedge_sparse_info {
    int64_t rows, columns, entries;
    const char *format; // borrowed, as all here
    const char *kernel;
    sedge_tune_source source;
    double compulsory_bytes; // of a call: values, 32-bit columns, offsets, x and y once each
    double stored_bytes;     // of a call: what this format reads and writes
    double padding;          // stored values / entries; 1: none
    int64_t device_bytes;    // that the object holds
    double seconds;          // of a call as measured; 0: not measured
    double tune_seconds;     // spent on choosing
    int count;
    const sedge_sparse_candidate *candidates; // [count]
} sedge_sparse_info;

// Borrowed from the object.
const sedge_sparse_info *sedge_sparse_get_info(const sedge_sparse *sparse);

// Print the table of candidates.
SEDGE_MUST_USE
sedge_status sedge_sparse_print(FILE *file, const sedge_sparse *sparse);

// The slow reference on the host, in double precision and on up to `threads` threads: y = alpha A x
// + beta y. `bound` [rows], unless NULL, gets |alpha| sum |a x| + |beta y| of each row, for error
// bounds.
void sedge_csr_apply(const sedge_csr *csr, double alpha, const double *x, double beta, double *y,
                     double *bound, int threads);
