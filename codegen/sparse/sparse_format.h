// A storage format is one file, format_NAME.c, and one row of SEDGE_SPARSE_FORMATS. The other files
// know a format only by its descriptor: the model, the programs, the hash of their sources, the
// launches and the tuner all use this table.
#pragma once

#include "base/text.h"
#include "program/launch.h"
#include "sparse/sparse_layout.h"
#include "sparse/sparse_matrix.h"

// Candidates are listed in this order. csr comes first: it can store any matrix.
#define SEDGE_SPARSE_FORMATS(X) \
    X(csr)                      \
    X(adaptive)                 \
    X(sell)                     \
    X(ell)                      \
    X(hybrid)                   \
    X(packet)                   \
    X(hub)                      \
    X(cusparse)                 \
    X(block)

struct sedge_sparse_chooser;
struct sedge_sparse_store;

enum { SEDGE_SPARSE_ARGUMENTS = 9 }; // the most arguments that a format adds

typedef struct sedge_sparse_format {
    const char *name;   // first word of the names of its layouts
    const char *source; // of its kernel `sedge_sparse`; of a library: any that compiles

    // The model of bytes.
    bool is_sampled;    // the bytes of a layout are estimated from a sample of the matrix
    bool always_tried;  // a quick search tries it, too, whatever the model says
    int row_items;      // work items among which the longest row is divided; 0: as many as it needs
    bool bound_by_rows; // no call is shorter than one item's share of the longest row
    // Which part of the scattered reads of x this format still has; NULL: all of them.
    double (*scattered)(const struct sedge_sparse_chooser *chooser);
    // Add the layouts and kernels that this matrix may have on this device. Layouts that are
    // refused get a reason.
    void (*candidates)(struct sedge_sparse_chooser *chooser);

    // Convert a matrix into the arrays of `store`, whose layout is set; set parts, stored and
    // bytes.
    sedge_status (*build)(struct sedge_sparse_store *store, sedge_context *context,
                          const sedge_sparse_matrix *matrix);

    // The kernel: its constants beside the common ones (NULL: none), bytes of its arrays in block
    // memory beside the dot product's (NULL: a number an item), bytes of block memory that the
    // launch gives (NULL: none), blocks (NULL: store->parts), and its first arguments.
    sedge_status (*constants)(sedge_text *out, const struct sedge_sparse_store *store,
                              const sedge_sparse_kernel *kernel);
    int (*shared_bytes)(const struct sedge_sparse_store *store, const sedge_sparse_kernel *kernel);
    int64_t (*scratch_bytes)(const struct sedge_sparse_store *store);
    int64_t (*blocks)(const struct sedge_sparse_store *store, const sedge_sparse_kernel *kernel);
    int (*arguments)(sedge_argument to[SEDGE_SPARSE_ARGUMENTS],
                     const struct sedge_sparse_store *store, const sedge_sparse_kernel *kernel);

    // y = alpha A x + beta y by a library, without a kernel; NULL: there is a kernel. A dot product
    // takes a vector of its own and a second kernel.
    sedge_status (*multiply)(const struct sedge_sparse_store *store,
                             const sedge_sparse_kernel *kernel, sedge_stream *stream, double alpha,
                             const sedge_buffer *x, double beta, sedge_buffer *y);
} sedge_sparse_format;

#define SEDGE_SPARSE_DECLARE(format) extern const sedge_sparse_format sedge_sparse_##format;
SEDGE_SPARSE_FORMATS(SEDGE_SPARSE_DECLARE)
#undef SEDGE_SPARSE_DECLARE

extern const sedge_sparse_format *const sedge_sparse_formats[]; // ends with NULL
