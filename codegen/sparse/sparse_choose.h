// Lists the layouts and kernels that a matrix may have on a device, ordered by a model of the bytes
// that a product moves. Formats add their layouts and kernels with the functions at the end.
#pragma once

#include "sparse/sparse_format.h"

// List all layouts and kernels that this matrix may have on such a device, smallest prior first.
// Layouts that are refused have a reason.
void sedge_sparse_choose(sedge_sparse_choices *choices, const sedge_sparse_matrix *matrix,
                         const sedge_device_info *info, bool has_cusparse);

// Sort the layouts by prior, with refused ones at the end.
void sedge_sparse_choices_sort(sedge_sparse_choices *choices);

// ---- for the formats ---------------------------------------------------------------------------

#define SEDGE_SPARSE_PADDING 3.0 // stored values / entries, beyond which slices are not tried
#define SEDGE_SPARSE_UNEVEN \
    0.1 // deviation / mean of the rows' lengths, from which on rows are sorted
#define SEDGE_SPARSE_GATHERED 0.4    // part of the scattered reads of x that a good order leaves
enum { SEDGE_SPARSE_SAMPLE = 2000 }; // slices, or rows of blocks, that are looked at

typedef struct sedge_sparse_chooser {
    sedge_sparse_choices *out;
    const sedge_sparse_matrix *matrix;
    const sedge_device_info *info;
    bool is_host;
    bool has_cusparse;
    double mean;    // entries a row
    double scatter; // 32-byte pieces of x that are read for each number of x, at most 1
    bool is_far;    // these pieces are far apart in x
} sedge_sparse_chooser;

// Add a layout. The caller fills in its sizes, then adds its kernels. Never NULL: there is room for
// all.
__attribute__((format(printf, 3, 4))) sedge_sparse_layout *
sedge_sparse_add_layout(sedge_sparse_chooser *c, const sedge_sparse_format *format,
                        const char *name, ...);

// Set the bytes and prior of a layout. Its arrays have `matrix_bytes` bytes, plus a list of rows if
// the rows are `ordered`. Its kernel is `slower` times slower than its bytes alone suggest.
void sedge_sparse_set_bytes(const sedge_sparse_chooser *c, sedge_sparse_layout *layout,
                            double matrix_bytes, bool ordered, double slower);

// Add a kernel to the layout added last.
void sedge_sparse_add_kernel(sedge_sparse_chooser *c, int threads, int lanes, int unroll,
                             int streamed);
