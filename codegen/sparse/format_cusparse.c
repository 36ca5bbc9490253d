// cusparse: the products of NVIDIA's library, with its compressed rows or slices.
#include "base/memory.h"
#include "sparse/sparse_order.h"
#include "sparse/sparse_rows.h"
#include "sparse/sparse_slices.h"

#include <stdio.h>

// Slices as cuSPARSE takes them: offsets of 32 bits.
static sedge_status narrow_offsets(sedge_sparse_store *store)
{
    const int64_t count = store->parts + 1;
    sedge_status status;
    int64_t *wide = NULL;
    int32_t *narrow = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&wide, count, sizeof *wide));
    SEDGE_TRY_GOTO(status, sedge_allocate(&narrow, count, sizeof *narrow));
    SEDGE_TRY_GOTO(status, sedge_buffer_download(store->offsets, 0, wide, 8 * count, NULL));
    for (int64_t s = 0; s < count; s++) narrow[s] = (int32_t)wide[s];
    sedge_buffer_free(store->offsets);
    store->offsets = NULL;
    SEDGE_TRY_GOTO(status, sedge_sparse_upload(&store->offsets, store->device, narrow, 4 * count));
done:
    sedge_release(narrow);
    sedge_release(wide);
    return status;
}

static sedge_status build(sedge_sparse_store *store, sedge_context *context,
                          const sedge_sparse_matrix *matrix)
{
    const int height = store->layout.height;

    if (height == 0) {
        SEDGE_TRY(sedge_sparse_build_rows(store, context, matrix));
    } else {
        SEDGE_TRY(sedge_sparse_build_slices(store, context, matrix));
        if (store->stored > INT32_MAX) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "cuSPARSE's slices hold at most 2^31 - 1 values, "
                                               "padding included");
        }
        SEDGE_TRY(narrow_offsets(store));
    }
    const sedge_cusparse_arrays arrays = {.rows = matrix->rows,
                                          .columns = matrix->csr.columns,
                                          .entries = matrix->entries,
                                          .stored = store->stored,
                                          .height = height,
                                          .offsets = sedge_buffer_address(store->offsets),
                                          .indices = sedge_buffer_address(store->columns),
                                          .values = sedge_buffer_address(store->values),
                                          .fp64 = store->value_bytes == 8};
    return sedge_cusparse_matrix_create(&store->vendor, store->cusparse, &arrays);
}

static void add_candidates(sedge_sparse_chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;

    if (!c->has_cusparse || m->listed != NULL || m->shift != 0) return;
    if (m->value_bytes != m->real_bytes || m->entries > INT32_MAX) return;
    sedge_sparse_set_bytes(c, sedge_sparse_add_layout(c, &sedge_sparse_cusparse, "cusparse csr"),
                           sedge_sparse_rows_bytes(c->matrix), false, 1.25);
    sedge_sparse_add_kernel(c, 256, SEDGE_CUSPARSE_CSR_2, 0, 0);
    sedge_sparse_layout *const layout =
        sedge_sparse_add_layout(c, &sedge_sparse_cusparse, "cusparse sell");
    const double stored = (double)sedge_sparse_padded(m, 32, 1);
    layout->height = 32;
    if (stored > SEDGE_SPARSE_PADDING * (double)m->entries || stored > (double)INT32_MAX) {
        (void)snprintf(layout->reason, sizeof layout->reason,
                       "padding: %.1f values stored for each entry", stored / (double)m->entries);
    }
    sedge_sparse_set_bytes(c, layout, stored * (m->value_bytes + 4), false, 1.3);
    sedge_sparse_add_kernel(c, 256, SEDGE_CUSPARSE_SELL, 0, 0);
}

static sedge_status multiply(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                             sedge_stream *stream, double alpha, const sedge_buffer *x, double beta,
                             sedge_buffer *y)
{
    return sedge_cusparse_multiply(store->vendor, stream, (sedge_cusparse_algorithm)kernel->lanes,
                                   alpha, sedge_buffer_address(x), beta, sedge_buffer_address(y));
}

const sedge_sparse_format sedge_sparse_cusparse = {
    .name = "cusparse",
    .source = "codegen/kernels/sparse/sparse_vector.h",
    .always_tried = true,
    .candidates = add_candidates,
    .build = build,
    .multiply = multiply,
};
