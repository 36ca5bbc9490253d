// ell: slices that are all as wide as the longest row (ELLPACK).
#include "sparse/sparse_slices.h"

#include <stdio.h>

static void add_candidates(sedge_sparse_chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const int64_t slots = (m->rows + 31) / 32 * 32;
    const double padding = (double)slots * (double)m->longest / (double)m->entries;
    sedge_sparse_layout *const layout = sedge_sparse_add_layout(c, &sedge_sparse_ell, "ell");

    layout->height = 32;
    layout->width = m->longest < 4096 ? (int)m->longest : 4096;
    if (padding > 1.5 || m->longest > 4096) {
        (void)snprintf(layout->reason, sizeof layout->reason,
                       "padding: %.1f values stored for each entry", padding);
    }
    sedge_sparse_set_bytes(c, layout, (double)slots * (double)m->longest * (m->value_bytes + 4),
                           false, 1.05);
    sedge_sparse_slice_kernels(c, 32);
}

const sedge_sparse_format sedge_sparse_ell = {
    .name = "ell",
    .source = "codegen/kernels/sparse/sparse_sell.h",
    .row_items = 1,
    .candidates = add_candidates,
    .build = sedge_sparse_build_slices,
    .constants = sedge_sparse_slice_constants,
    .blocks = sedge_sparse_slice_blocks,
    .arguments = sedge_sparse_slice_arguments,
};
