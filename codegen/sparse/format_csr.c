// csr: compressed rows as they come; some work items side by side read each row.
#include "sparse/sparse_choose.h"
#include "sparse/sparse_rows.h"

#include <stdlib.h>

static void add_candidates(sedge_sparse_chooser *c)
{
    static const int lanes[] = {1, 2, 4, 8, 16, 32};
    const double spread = c->is_host ? 1.0 : c->mean < 8.0 ? 1.5 : 1.3;

    sedge_sparse_set_bytes(c, sedge_sparse_add_layout(c, &sedge_sparse_csr, "csr"),
                           sedge_sparse_rows_bytes(c->matrix), false, spread);
    if (c->is_host) {
        sedge_sparse_add_kernel(c, 256, c->mean < 24.0 ? 1 : 4, 0, 0);
        sedge_sparse_add_kernel(c, 256, c->mean < 24.0 ? 4 : 1, 0, 0);
        return;
    }
    // The rule's first: about as many items as the mean row has entries, at least two each.
    int best = 0;
    while (best < 5 && 4 * lanes[best] < c->mean) best++;
    sedge_sparse_add_kernel(c, 256, lanes[best], 0, 1);
    for (int l = 0; l < 6; l++) {
        if (l != best && abs(l - best) <= 2) sedge_sparse_add_kernel(c, 256, lanes[l], 0, 1);
    }
    sedge_sparse_add_kernel(c, 256, lanes[best], 0, 0);
    sedge_sparse_add_kernel(c, 128, lanes[best], 0, 1);
}

static sedge_status write_constants(sedge_text *out, const sedge_sparse_store *store,
                                    const sedge_sparse_kernel *kernel)
{
    (void)store;
    return sedge_text_add(out, "#define SPARSE_LANES    %d\n", kernel->lanes);
}

static int64_t count_blocks(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    return sedge_sparse_divide_up(store->rows, kernel->threads / kernel->lanes);
}

static int set_arguments(sedge_argument to[SEDGE_SPARSE_ARGUMENTS], const sedge_sparse_store *store,
                         const sedge_sparse_kernel *kernel)
{
    (void)kernel;
    to[0] = sedge_buffer_argument(store->offsets);
    to[1] = sedge_sparse_shifted(store, store->columns, 4);
    to[2] = sedge_sparse_shifted(store, store->values, store->value_bytes);
    to[3] = sedge_int64_argument(store->rows);
    return 4;
}

const sedge_sparse_format sedge_sparse_csr = {
    .name = "csr",
    .source = "codegen/kernels/sparse/sparse_csr.h",
    .row_items = 32,
    .bound_by_rows = true,
    .candidates = add_candidates,
    .build = sedge_sparse_build_rows,
    .constants = write_constants,
    .blocks = count_blocks,
    .arguments = set_arguments,
};
