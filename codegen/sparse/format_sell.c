// sell: slices, each as wide as its longest row (SELL-C-sigma); packed: with indices of fewer than
// 32 bits or diagonals; sorted: rows by length inside windows; ordered: rows and columns by
// breadth.
#include "base/memory.h"
#include "sparse/sparse_order.h"
#include "sparse/sparse_slice.h"
#include "sparse/sparse_slices.h"

#include <stdio.h>

// Bytes of the indices and values of packed slices, from a sample of them; with sorted rows, from
// the sorted ones.
static double sample_packed(const sedge_sparse_chooser *c, int height, const int32_t *order)
{
    const int64_t slices = (c->matrix->rows + height - 1) / height;
    const int64_t step = slices / SEDGE_SPARSE_SAMPLE + 1;
    sedge_sparse_slice slice;
    double bytes = 0.0;
    int64_t count = 0;

    for (int64_t s = 0; s < slices; s += step, count++) {
        sedge_sparse_slice_plan(&slice, c->matrix, order, s * height, height, -1);
        bytes += (double)slice.width * height * c->matrix->value_bytes + 4.0 * (double)slice.words;
    }
    return bytes / (double)count * (double)slices;
}

static void add_sell(sedge_sparse_chooser *c, int height, int64_t window, bool packed)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const bool ordered = window > 1;
    char sorted[40] = "";
    int32_t *order = NULL;

    if (window >= m->rows) {
        (void)snprintf(sorted, sizeof sorted, " sorted");
    } else if (ordered) {
        (void)snprintf(sorted, sizeof sorted, " sorted %lld", (long long)window);
    }
    sedge_sparse_layout *const layout = sedge_sparse_add_layout(
        c, &sedge_sparse_sell, "sell%s %d%s", packed ? " packed" : "", height, sorted);
    layout->height = height;
    layout->window = window;
    layout->packed = packed;
    const double stored = (double)sedge_sparse_padded(m, height, window);
    const double padding = stored / (double)m->entries;
    if (padding > SEDGE_SPARSE_PADDING) {
        (void)snprintf(layout->reason, sizeof layout->reason,
                       "padding: %.1f values stored for each entry", padding);
    } else if (packed && ordered && sedge_sparse_sort(&order, m, window) != SEDGE_OK) {
        (void)snprintf(layout->reason, sizeof layout->reason, "no memory to sort the rows");
    }
    if (layout->reason[0] == '\0') {
        const double own = packed ? sample_packed(c, height, order) : stored * (m->value_bytes + 4);
        sedge_sparse_set_bytes(c, layout, own + (packed ? 16.0 : 8.0) * (double)m->rows / height,
                               ordered,
                               (ordered ? 1.03 : 1.0) * (c->is_host && !packed ? 1.3 : 1.0));
    }
    sedge_release(order);
    sedge_sparse_slice_kernels(c, height);
}

// Columns far from each other, of a matrix that may have an order in which they are near.
static void add_ordered(sedge_sparse_chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;
    sedge_sparse_layout *const layout =
        sedge_sparse_add_layout(c, &sedge_sparse_sell, "sell packed 32 ordered");

    layout->height = 32;
    layout->packed = 1;
    layout->order = SEDGE_SPARSE_BY_BREADTH;
    sedge_sparse_set_bytes(c, layout, 1.05 * (double)m->entries * (m->value_bytes + 2.5), true,
                           1.0);
    sedge_sparse_slice_kernels(c, 32);
}

static void add_candidates(sedge_sparse_chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;
    int height = 32;

    // On the host a slice is a register or two.
    if (c->is_host)
        height = c->info->vector_bytes >= 32 ? c->info->vector_bytes / m->real_bytes : 8;
    if (height > SEDGE_SPARSE_HEIGHT) height = SEDGE_SPARSE_HEIGHT;
    if (height < 4) height = 4;
    add_sell(c, height, 1, true);
    add_sell(c, height, 1, false);
    if (c->is_host && 2 * height <= SEDGE_SPARSE_HEIGHT) add_sell(c, 2 * height, 1, true);
    if (m->deviation > SEDGE_SPARSE_UNEVEN * c->mean) {
        add_sell(c, height, 256, true);
        add_sell(c, height, 8192, true);
        add_sell(c, height, m->rows, false);
    }
    if (c->is_far && m->csr.rows == m->csr.columns && m->listed == NULL && m->deviation < c->mean)
        add_ordered(c);
}

const sedge_sparse_format sedge_sparse_sell = {
    .name = "sell",
    .source = "codegen/kernels/sparse/sparse_sell.h",
    .row_items = 1,
    .bound_by_rows = true,
    .candidates = add_candidates,
    .build = sedge_sparse_build_slices,
    .constants = sedge_sparse_slice_constants,
    .blocks = sedge_sparse_slice_blocks,
    .arguments = sedge_sparse_slice_arguments,
};
