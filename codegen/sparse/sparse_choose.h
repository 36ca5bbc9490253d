// Layouts and kernels that a matrix may have on a device, by a model of the bytes that a product
// moves; and what the formats need to add theirs.
#pragma once

#include "sparse/sparse_format.h"

// All that this matrix may have on such a device, those refused with a reason; the smallest prior
// first.
void sedge_sparse_choose(sedge_sparse_choices *choices, const sedge_sparse_matrix *matrix,
                         const sedge_device_info *info, bool has_cusparse);

// Layouts by prior, those refused behind the others.
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
    double scatter; // pieces of 32 bytes of x for each number read of it, at most 1
    bool is_far;    // these lie anywhere in x
} sedge_sparse_chooser;

// A layout without sizes, to be filled in; its kernels are added after it. Never NULL: there is
// room for all.
__attribute__((format(printf, 3, 4))) sedge_sparse_layout *
sedge_sparse_add_layout(sedge_sparse_chooser *c, const sedge_sparse_format *format,
                        const char *name, ...);

// Set bytes and prior: `matrix_bytes` of its arrays, with a list of rows if they are `ordered`, and
// how many times `slower` such a kernel is than its bytes say.
void sedge_sparse_set_bytes(const sedge_sparse_chooser *c, sedge_sparse_layout *layout,
                            double matrix_bytes, bool ordered, double slower);

// A kernel of the layout added last.
void sedge_sparse_add_kernel(sedge_sparse_chooser *c, int threads, int lanes, int unroll,
                             int streamed);
