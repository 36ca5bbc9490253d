// hybrid: slices of one width, which most rows fill, and what longer rows have beyond it as a
// second matrix in the format adaptive (the HYB format of Bell and Garland 2009).
#include "base/memory.h"
#include "sparse/sparse_slices.h"

#include <math.h>

// The width that most rows reach in good part: the largest that a third of the rows has (Bell and
// Garland 2009).
static int hybrid_width(const sedge_sparse_matrix *m)
{
    enum { MOST = 256 };
    int64_t count[MOST + 2] = {0};
    int64_t above = m->rows;
    int width = 0;

    for (int64_t r = 0; r < m->rows; r++) {
        const int64_t length = sedge_sparse_length(m, r);
        count[length > MOST ? MOST + 1 : length]++;
    }
    while (width < MOST && 3 * (above - count[width]) >= m->rows) above -= count[width++];
    return width;
}

static void add_candidates(sedge_sparse_chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const int width = hybrid_width(m);
    const int64_t slots = (m->rows + 31) / 32 * 32;

    if (width == 0 || width >= m->longest) return;
    sedge_sparse_layout *const layout =
        sedge_sparse_add_layout(c, &sedge_sparse_hybrid, "hybrid %d", width);
    layout->height = 32;
    layout->width = width;
    double inside = 0.0;
    for (int64_t r = 0; r < m->rows; r++)
        inside += (double)(sedge_sparse_length(m, r) < width ? sedge_sparse_length(m, r) : width);
    const double rest = (double)m->entries - inside;
    sedge_sparse_set_bytes(c, layout,
                           ((double)slots * width + rest) * (m->value_bytes + 4) +
                               fmin(rest, (double)m->rows) * (8.0 + 2.0 * m->real_bytes),
                           false, 1.15);
    sedge_sparse_slice_kernels(c, 32);
}

// What rows have beyond the width, as a matrix of all rows.
static sedge_status find_rest(sedge_csr *rest, int64_t **offsets, int32_t **columns,
                              double **values, const sedge_sparse_matrix *matrix, int64_t width)
{
    int64_t count = 0;

    *rest = (sedge_csr){.rows = matrix->csr.rows, .columns = matrix->csr.columns};
    SEDGE_TRY(sedge_allocate(offsets, rest->rows + 1, sizeof **offsets));
    for (int64_t r = 0; r < matrix->rows; r++) {
        const int64_t length = sedge_sparse_length(matrix, r);
        (*offsets)[sedge_sparse_row(matrix, r) + 1] = length > width ? length - width : 0;
    }
    for (int64_t r = 0; r < rest->rows; r++) (*offsets)[r + 1] += (*offsets)[r];
    const int64_t entries = (*offsets)[rest->rows];
    SEDGE_TRY(sedge_allocate(columns, entries, sizeof **columns));
    SEDGE_TRY(sedge_allocate(values, entries, sizeof **values));
    for (int64_t r = 0; r < matrix->rows; r++) {
        const int64_t begin = sedge_sparse_begin(matrix, r);
        for (int64_t k = width; k < sedge_sparse_length(matrix, r); k++, count++) {
            (*columns)[count] = sedge_csr_column(&matrix->csr, begin + k);
            (*values)[count] = sedge_csr_value(&matrix->csr, begin + k);
        }
    }
    rest->offsets = *offsets;
    rest->columns32 = *columns;
    rest->values64 = *values;
    return SEDGE_OK;
}

static sedge_status build_rest(sedge_sparse_store *store, sedge_context *context,
                               const sedge_sparse_matrix *matrix)
{
    const sedge_sparse_layout layout = {
        .format = &sedge_sparse_adaptive, .capacity = 1024, .name = "adaptive 1024"};
    sedge_csr csr;
    int64_t *offsets = NULL;
    int32_t *columns = NULL;
    double *values = NULL;
    sedge_sparse_matrix rest = {.rows = 0};
    sedge_status status;

    SEDGE_TRY_GOTO(status,
                   find_rest(&csr, &offsets, &columns, &values, matrix, store->layout.width));
    SEDGE_TRY_GOTO(status, sedge_sparse_matrix_make(&rest, &csr, store->real_bytes,
                                                    store->value_bytes, matrix->threads));
    rest.shift = matrix->shift;
    SEDGE_TRY_GOTO(status, sedge_sparse_store_create(&store->rest, context, &rest, &layout, NULL));
    store->rest_kernel = (sedge_sparse_kernel){.threads = 256, .name = "t256"};
    store->stored += store->rest->stored;
    store->bytes += store->rest->bytes;
done:
    sedge_sparse_matrix_clear(&rest);
    sedge_release(values);
    sedge_release(columns);
    sedge_release(offsets);
    return status;
}

static sedge_status build(sedge_sparse_store *store, sedge_context *context,
                          const sedge_sparse_matrix *matrix)
{
    SEDGE_TRY(sedge_sparse_build_slices(store, context, matrix));
    return build_rest(store, context, matrix);
}

const sedge_sparse_format sedge_sparse_hybrid = {
    .name = "hybrid",
    .source = "codegen/kernels/sparse/sparse_sell.h",
    .candidates = add_candidates,
    .build = build,
    .constants = sedge_sparse_slice_constants,
    .blocks = sedge_sparse_slice_blocks,
    .arguments = sedge_sparse_slice_arguments,
};
