// Layouts and kernels, and the list of those that a matrix may have. A layout is a format with its
// sizes (of slices, blocks, tiles); a kernel is a layout with its launch parameters.
#pragma once

#include "sparse/sparse.h"

struct sedge_sparse_format;

// In which order rows and columns are stored.
typedef enum sedge_sparse_order {
    SEDGE_SPARSE_AS_THEY_COME,
    SEDGE_SPARSE_BY_BREADTH, // both by a breadth-first search; rows sorted by length in short
                             // windows
    SEDGE_SPARSE_BY_COUNT    // columns by their number of entries, rows as they come
} sedge_sparse_order;

// A format with the numbers that its arrays depend on, and how long a product should take by the
// model of bytes.
typedef struct sedge_sparse_layout {
    const struct sedge_sparse_format *format;
    int height;     // rows of a slice; block: rows of blocks of a slice
    int64_t window; // sell, packet: rows are sorted by length inside windows of so many; 1: not
    int packed;     // sell: indices of fewer than 32 bits
    int width;      // ell, hybrid: entries of each row; hub: most entries of a piece of a row
    int capacity;   // adaptive: entries of a block; packet, hub:
                    // numbers of x in block memory; block: rows of a dense block
    sedge_sparse_order order;
    char name[40];
    double bytes;    // that a product moves, by the model; 0: not known
    double prior;    // the same, increased by other costs of the kernel; least is best
    char reason[80]; // why it is not tried; "": it is tried
} sedge_sparse_layout;

typedef struct sedge_sparse_kernel {
    int layout;
    int threads;
    int lanes;    // csr: work items of a row; cusparse: algorithm
    int unroll;   // slices, packet, hub: entries read ahead
    int streamed; // the matrix is read past the cache
    char name[80];
} sedge_sparse_kernel;

enum { SEDGE_SPARSE_LAYOUTS = 32, SEDGE_SPARSE_CANDIDATES = 160 };

typedef struct sedge_sparse_choices {
    int layouts, kernels;
    sedge_sparse_layout layout[SEDGE_SPARSE_LAYOUTS];
    sedge_sparse_kernel kernel[SEDGE_SPARSE_CANDIDATES]; // by layout
} sedge_sparse_choices;
