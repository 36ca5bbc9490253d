// Inside the sparse matrices: what their files share.
//
//   sparse.c          create, apply, what was chosen
//   sparse_order.c    the matrix in another order of rows and columns
//   sparse_check.c    the caller's matrix: checked, counted, listed
//   sparse_choose.c   layouts and kernels that a matrix may have, by a model of their bytes
//   sparse_tune.c     the tuner's view, and the rule
//   sparse_format.c   formats as a table: how they are built, their programs
//   sparse_launch.c   one product: launches, and the sums of its dot product
//   sparse_rows.c     csr, adaptive, merge: their arrays
//   sparse_sell.c     slices, ell and hybrid
//   sparse_slice.c    how one slice's columns are told in few bytes
//   sparse_block.c    dense blocks
//   sparse_packet.c   packets
//   sparse_hub.c      pieces of rows, and the columns most used
#pragma once

#include "base/hash.h"
#include "base/text.h"
#include "device/cusparse.h"
#include "program/launch.h"
#include "sparse/sparse.h"

// ---- the matrix on the host (sparse_check.c) ---------------------------------------------------

// The caller's matrix without rows that are left out, and what is known of it.
typedef struct sedge_sparse_matrix {
    sedge_csr csr;     // the caller's
    int64_t rows;      // stored: those of `listed`, or all
    int64_t entries;   // of them
    int32_t *listed;   // [rows]: row of y, ascending; NULL: row r is r. Owned
    int value_bytes;   // as stored
    int real_bytes;    // of x and y
    int64_t longest;   // entries of a row
    int64_t empty;     // rows of the caller's without entries
    double deviation;  // standard deviation of the lengths of the stored rows
    int64_t bandwidth; // most of |column - row|
    int threads;       // number of host threads that may work on it
    int64_t shift; // tests: added to all offsets, and taken from the addresses that go with them
} sedge_sparse_matrix;

SEDGE_MUST_USE
sedge_status sedge_sparse_matrix_make(sedge_sparse_matrix *matrix, const sedge_csr *csr,
                                      int real_bytes, int value_bytes, int threads);
void sedge_sparse_matrix_clear(sedge_sparse_matrix *matrix);

// The caller's row that stored row r is.
static inline int64_t sedge_sparse_row(const sedge_sparse_matrix *matrix, int64_t r)
{
    return matrix->listed != NULL ? matrix->listed[r] : r;
}
static inline int64_t sedge_sparse_begin(const sedge_sparse_matrix *matrix, int64_t r)
{
    return matrix->csr.offsets[sedge_sparse_row(matrix, r)];
}
static inline int64_t sedge_sparse_length(const sedge_sparse_matrix *matrix, int64_t r)
{
    const int64_t row = sedge_sparse_row(matrix, r);
    return matrix->csr.offsets[row + 1] - matrix->csr.offsets[row];
}
static inline int32_t sedge_csr_column(const sedge_csr *csr, int64_t k)
{
    return csr->columns32 != NULL ? csr->columns32[k] : (int32_t)csr->columns64[k];
}
static inline double sedge_csr_value(const sedge_csr *csr, int64_t k)
{
    return csr->values64 != NULL ? csr->values64[k] : (double)csr->values32[k];
}
static inline void sedge_sparse_set(void *values, int64_t at, double value, int value_bytes)
{
    if (value_bytes == 8) {
        ((double *)values)[at] = value;
    } else {
        ((float *)values)[at] = (float)value;
    }
}

// Split 0 .. count - 1 into pieces of at least `grain`, call `part` for each piece, and wait. Uses
// at most `threads` threads, at least 1 and at most 16, including the calling one. `part` cannot
// fail.
void sedge_sparse_parallel(int threads, int64_t count, int64_t grain,
                           void (*part)(void *context, int64_t first, int64_t end), void *context);

// ---- layouts and kernels (sparse_choose.c) -----------------------------------------------------

typedef enum sedge_sparse_kind {
    SEDGE_SPARSE_CSR,
    SEDGE_SPARSE_ADAPTIVE,
    SEDGE_SPARSE_MERGE,
    SEDGE_SPARSE_SELL,
    SEDGE_SPARSE_ELL,    // slices of one width
    SEDGE_SPARSE_HYBRID, // the same, and longer rows' rest by rows
    SEDGE_SPARSE_BLOCK,
    SEDGE_SPARSE_PACKET,
    SEDGE_SPARSE_HUB,
    SEDGE_SPARSE_CUSPARSE,
    SEDGE_SPARSE_KINDS
} sedge_sparse_kind;

// In which order rows and columns are stored.
typedef enum sedge_sparse_order {
    SEDGE_SPARSE_AS_THEY_COME,
    SEDGE_SPARSE_BY_BREADTH, // both by a breadth-first search; rows sorted by length in short
                             // windows
    SEDGE_SPARSE_BY_COUNT    // columns by their number of entries, rows as they come
} sedge_sparse_order;

// A format with the numbers that its arrays depend on.
typedef struct sedge_sparse_layout {
    sedge_sparse_kind kind;
    int height;     // sell, ell, hybrid: rows of a slice; block: rows of blocks of a slice
    int64_t window; // sell, packet: rows among which they are sorted; 1: not
    int packed;     // sell: narrow indices
    int width;      // ell, hybrid; hub: entries of a piece, at most
    int capacity; // adaptive: entries of a block; merge: things; packet, hub: numbers of x; block:
                  // size
    sedge_sparse_order order;
    char name[40];
    double bytes;    // of a call, by the model; 0: not known
    double prior;    // by the model, with what the kind of kernel costs
    char reason[80]; // why it is not tried; "": it is
} sedge_sparse_layout;

typedef struct sedge_sparse_kernel {
    int layout;
    int threads;
    int lanes;    // csr: items of a row; merge: things of an item; cusparse: algorithm
    int unroll;   // sell, packet, hub
    int streamed; // past the cache
    char name[80];
} sedge_sparse_kernel;

enum { SEDGE_SPARSE_LAYOUTS = 32, SEDGE_SPARSE_CANDIDATES = 160 };

typedef struct sedge_sparse_choices {
    int layouts, kernels;
    sedge_sparse_layout layout[SEDGE_SPARSE_LAYOUTS];
    sedge_sparse_kernel kernel[SEDGE_SPARSE_CANDIDATES]; // by layout
} sedge_sparse_choices;

// All that this matrix may have on such a device, those refused with a reason; the smallest prior
// first.
void sedge_sparse_choose(sedge_sparse_choices *choices, const sedge_sparse_matrix *matrix,
                         const sedge_device_info *info, bool has_cusparse);

// Layouts that are refused behind the others, which stand by prior.
void sedge_sparse_choices_sort(sedge_sparse_choices *choices);

// ---- one format on the device (sparse_format.c, sparse_launch.c)
// ------------------------------------------------

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
    int64_t things;    // merge
    int64_t few, many; // runs: with an item each, with a block each
    int modes;         // sell: that occur
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

// The programs of a store: its own kernel, the one that adds up pieces, vector work.
typedef enum sedge_sparse_part {
    SEDGE_SPARSE_MAIN,
    SEDGE_SPARSE_FIX,
    SEDGE_SPARSE_VECTOR
} sedge_sparse_part;

// The whole text for a device of that kind, which need not be here. `kernel` of the first only. The
// vendor's main program is the one of vector work.
SEDGE_MUST_USE
sedge_status sedge_sparse_program_write(sedge_text *out, sedge_device_kind kind,
                                        const sedge_sparse_store *store,
                                        const sedge_sparse_kernel *kernel, sedge_sparse_part part);

// The hash of all sources from which programs of any store are made, including the preludes.
SEDGE_MUST_USE
sedge_status sedge_sparse_source_hash(char hash[SEDGE_HASH_TEXT], sedge_device_kind device);

// Kernels of one store. The vendor's has no `main`.
typedef struct sedge_sparse_programs {
    const sedge_kernel *main;
    const sedge_kernel *fix;                             // NULL: not needed
    const sedge_kernel *rest, *rest_fix;                 // hybrid
    const sedge_kernel *scale, *gather, *combine, *sums; // vector work
} sedge_sparse_programs;

// `main` may be given (the tuner's); NULL: it is made, too.
SEDGE_MUST_USE
sedge_status sedge_sparse_programs_get(sedge_sparse_programs *out, sedge_context *context,
                                       const sedge_sparse_store *store,
                                       const sedge_sparse_kernel *kernel, const sedge_kernel *main);

// One call.
typedef struct sedge_sparse_call {
    double alpha, beta;
    const sedge_buffer *x, *w;
    sedge_buffer *y;
    sedge_buffer *sums;    // NULL: no dot product
    sedge_buffer *parts;   // where there are more blocks than SEDGE_SPARSE_SUMS
    sedge_buffer *product; // of the vendor's, with a dot product and beta not 0
} sedge_sparse_call;

// Blocks that make parts of the dot product, and the sums that are made of them.
int64_t sedge_sparse_parts(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel);
int sedge_sparse_sums_of(int64_t parts);

SEDGE_MUST_USE
sedge_status sedge_sparse_run(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                              const sedge_sparse_programs *programs, sedge_stream *stream,
                              const sedge_sparse_call *call);

// ---- arrays of the formats ---------------------------------------------------------------------

SEDGE_MUST_USE
sedge_status sedge_sparse_build_rows(sedge_sparse_store *store, const sedge_sparse_matrix *matrix);
SEDGE_MUST_USE
sedge_status sedge_sparse_build_sell(sedge_sparse_store *store, sedge_context *context,
                                     const sedge_sparse_matrix *matrix);
SEDGE_MUST_USE
sedge_status sedge_sparse_build_block(sedge_sparse_store *store, const sedge_sparse_matrix *matrix);
SEDGE_MUST_USE
sedge_status sedge_sparse_build_packet(sedge_sparse_store *store,
                                       const sedge_sparse_matrix *matrix);
SEDGE_MUST_USE
sedge_status sedge_sparse_build_hub(sedge_sparse_store *store, const sedge_sparse_matrix *matrix);

// Bytes of block memory for the columns most used; 0: none are brought there.
int64_t sedge_sparse_hub_scratch(const sedge_sparse_store *store);
// Blocks of the kernel of pieces, which stay for all of the product.
int64_t sedge_sparse_hub_blocks(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel);

// A buffer of `bytes` bytes with what is at `host`.
SEDGE_MUST_USE
sedge_status sedge_sparse_upload(sedge_buffer **out, sedge_device *device, const void *host,
                                 int64_t bytes);

// Large arrays are filled and uploaded piece by piece, of about so many elements.
enum { SEDGE_SPARSE_CHUNK = 1 << 23 };

// Stored values of slices of `height` rows sorted inside `window`, each as wide as its longest row;
// INT64_MAX where there is no memory to sort in.
int64_t sedge_sparse_padded(const sedge_sparse_matrix *matrix, int height, int64_t window);

// Rows 0 .. rows - 1 sorted by length, longest first, inside windows; equal ones stay in order.
SEDGE_MUST_USE
sedge_status sedge_sparse_sort(int32_t **order, const sedge_sparse_matrix *matrix, int64_t window);

// Blocks of `size` rows and columns in rows of blocks 0, step, 2 step, ...: their number, and the
// entries there. Entries that repeat are counted as such in `*repeats`.
SEDGE_MUST_USE
sedge_status sedge_sparse_count_blocks(int64_t *blocks, int64_t *entries, int64_t *repeats,
                                       const sedge_sparse_matrix *matrix, int size, int64_t step);

// ---- another order (sparse_order.c) ------------------------------------------------------------

// A matrix of the stored rows of another, and where they and its columns are from. All is owned.
typedef struct sedge_sparse_reordered {
    sedge_sparse_matrix matrix;
    int64_t *offsets;
    int32_t *columns;
    void *values;
    int32_t *rows;   // [matrix.rows]: row of y that each is; NULL: as in the other
    int32_t *gather; // [columns]: number of x that belongs to each
} sedge_sparse_reordered;

// By breadth: a square matrix without rows left out. To be cleared even if it fails.
SEDGE_MUST_USE
sedge_status sedge_sparse_reorder(sedge_sparse_reordered *re, const sedge_sparse_matrix *matrix,
                                  sedge_sparse_order order);
void sedge_sparse_reordered_clear(sedge_sparse_reordered *re);

// Columns by the number of their entries, most first; `counts` [columns], 0 before, gets these.
SEDGE_MUST_USE
sedge_status sedge_sparse_sort_columns(int32_t *order, int32_t *counts,
                                       const sedge_sparse_matrix *matrix);

// ---- one slice (sparse_slice.c) ----------------------------------------------------------------

enum { SEDGE_SPARSE_HEIGHT = 32, SEDGE_SPARSE_DIAGONALS = 256 };

// Rows of a slice, and how their columns are told.
typedef struct sedge_sparse_slice {
    const sedge_sparse_matrix *matrix;
    int height;
    int64_t first;                    // place of its first row in the order
    int64_t row[SEDGE_SPARSE_HEIGHT]; // stored rows; -1: none
    int mode;                         // as in kernels/sparse_sell.h
    int width;
    int64_t words; // of 4 bytes, of its indices
    int32_t offset[SEDGE_SPARSE_DIAGONALS];
    uint32_t mask[SEDGE_SPARSE_DIAGONALS];
} sedge_sparse_slice;

// Find mode, width and words; `mode` -1: choose it, else it is what was chosen before. `order`
// NULL: rows first .. first + height - 1.
void sedge_sparse_slice_plan(sedge_sparse_slice *slice, const sedge_sparse_matrix *matrix,
                             const int32_t *order, int64_t first, int height, int mode);
// Words of the indices of a slice so wide; even, so that every slice's begin at 8 bytes.
int64_t sedge_sparse_slice_words(int mode, int64_t width, int height);
// Give it places that no row has. A slice on diagonals is at most SEDGE_SPARSE_DIAGONALS wide.
void sedge_sparse_slice_widen(sedge_sparse_slice *slice, int width);
// Write its values [width][height], which are zero before, and its indices [words]. `codes` NULL,
// on diagonals only: another slice has written the same.
void sedge_sparse_slice_write(const sedge_sparse_slice *slice, void *values, int32_t *codes);

// ---- the tuner's view (sparse_tune.c) ----------------------------------------------------------

typedef struct sedge_sparse_choice {
    int kernel; // of choices.kernel
    sedge_tune_source source;
    double seconds; // measured; 0: not
    double tune_seconds;
    sedge_sparse_store *store;  // built already; NULL: not. The caller's
    sedge_tune_record *records; // [choices.kernels]; NULL: none. The caller releases it
} sedge_sparse_choice;

SEDGE_MUST_USE
sedge_status sedge_sparse_tune(sedge_sparse_choice *choice, sedge_context *context,
                               const sedge_sparse_matrix *matrix,
                               const sedge_sparse_choices *choices,
                               const sedge_sparse_options *options, sedge_cusparse *cusparse);

// As sedge_sparse_create, with `shift` added to all offsets on the device (tests: places beyond
// 2^31 without the memory; not on opencl).
SEDGE_MUST_USE
sedge_status sedge_sparse_create_shifted(sedge_sparse **out, sedge_context *context,
                                         const sedge_csr *csr, const sedge_sparse_options *options,
                                         int64_t shift);
