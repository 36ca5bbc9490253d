// A store: a matrix brought into a layout by its format, or a reordered one.
#include "sparse/sparse_store.h"

#include "base/memory.h"
#include "sparse/sparse_format.h"
#include "sparse/sparse_order.h"

sedge_status sedge_sparse_upload(sedge_buffer **out, sedge_device *device, const void *host,
                                 int64_t bytes)
{
    SEDGE_TRY(sedge_buffer_create(out, device, bytes));
    return bytes > 0 ? sedge_buffer_upload(*out, 0, host, bytes, NULL) : SEDGE_OK;
}

// The same of the reordered matrix, and x gathered in its order before each product.
static sedge_status create_reordered(sedge_sparse_store **out, sedge_context *context,
                                     const sedge_sparse_matrix *matrix,
                                     const sedge_sparse_layout *layout, sedge_cusparse *cusparse)
{
    sedge_device *const device = sedge_context_device(context);
    const int64_t columns = matrix->csr.columns, real = matrix->real_bytes;
    const int32_t *rows = matrix->listed;
    sedge_sparse_layout plain = *layout;
    sedge_sparse_reordered re;
    sedge_sparse_store *store = NULL;
    sedge_status status;

    plain.order = SEDGE_SPARSE_AS_THEY_COME;
    SEDGE_TRY_GOTO(status, sedge_sparse_reorder(&re, matrix, layout->order));
    SEDGE_TRY_GOTO(status,
                   sedge_sparse_store_create(&store, context, &re.matrix, &plain, cusparse));
    store->layout.order = layout->order;
    store->all_rows = matrix->csr.rows;
    store->visits_all = matrix->listed == NULL;
    store->columns_count = columns;
    if (re.rows != NULL) rows = re.rows;
    if (rows != NULL) {
        SEDGE_TRY_GOTO(status, sedge_sparse_upload(&store->listed, device, rows, 4 * matrix->rows));
        store->bytes += 4.0 * (double)matrix->rows;
    }
    SEDGE_TRY_GOTO(status, sedge_sparse_upload(&store->gather, device, re.gather, 4 * columns));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&store->gathered, device, real * columns));
    store->bytes += (double)columns * (4.0 + 2.0 * (double)real);
    *out = store;
    store = NULL;
done:
    sedge_sparse_store_free(store);
    sedge_sparse_reordered_clear(&re);
    return status;
}

sedge_status sedge_sparse_store_create(sedge_sparse_store **out, sedge_context *context,
                                       const sedge_sparse_matrix *matrix,
                                       const sedge_sparse_layout *layout, sedge_cusparse *cusparse)
{
    sedge_status status;
    sedge_sparse_store *store = NULL;

    *out = NULL;
    if (layout->order != SEDGE_SPARSE_AS_THEY_COME)
        return create_reordered(out, context, matrix, layout, cusparse);
    SEDGE_TRY_GOTO(status, sedge_allocate(&store, 1, sizeof *store));
    store->layout = *layout;
    store->device = sedge_context_device(context);
    store->cusparse = cusparse;
    store->real_bytes = matrix->real_bytes;
    store->value_bytes = matrix->value_bytes;
    store->rows = matrix->rows;
    store->all_rows = matrix->csr.rows;
    store->visits_all = matrix->listed == NULL;
    store->shift = matrix->shift;
    store->wide = matrix->entries + matrix->shift > INT32_MAX;
    SEDGE_TRY_GOTO(status, layout->format->build(store, context, matrix));
    if (matrix->listed != NULL && store->listed == NULL) {
        SEDGE_TRY_GOTO(status, sedge_sparse_upload(&store->listed, store->device, matrix->listed,
                                                   4 * matrix->rows));
    }
    store->bytes += (double)(matrix->csr.columns + store->rows) * store->real_bytes;
    if (store->listed != NULL) store->bytes += 4.0 * (double)store->rows;
    *out = store;
    store = NULL;
done:
    sedge_sparse_store_free(store);
    return status;
}

void sedge_sparse_store_free(sedge_sparse_store *store)
{
    if (store == NULL) return;
    sedge_cusparse_matrix_free(store->vendor);
    sedge_sparse_store_free(store->rest);
    sedge_buffer_free(store->offsets);
    sedge_buffer_free(store->columns);
    sedge_buffer_free(store->values);
    sedge_buffer_free(store->places);
    sedge_buffer_free(store->listed);
    sedge_buffer_free(store->work);
    sedge_buffer_free(store->pieces);
    sedge_buffer_free(store->runs);
    sedge_buffer_free(store->gather);
    sedge_buffer_free(store->gathered);
    sedge_release(store);
}

int64_t sedge_sparse_store_bytes(const sedge_sparse_store *store)
{
    const sedge_buffer *const all[] = {store->offsets, store->columns, store->values, store->places,
                                       store->listed,  store->work,    store->pieces, store->runs,
                                       store->gather,  store->gathered};
    int64_t bytes = store->rest != NULL ? sedge_sparse_store_bytes(store->rest) : 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] != NULL) bytes += sedge_buffer_bytes(all[i]);
    return bytes;
}
