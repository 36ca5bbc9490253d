// merge: compressed rows, divided so that every work item has as many ends of rows and entries
// together as any other (merge-based CSR, Merrill and Garland 2016). Sums of rows that more than
// one block works on are added afterwards.
#include "base/memory.h"
#include "sparse/sparse_choose.h"
#include "sparse/sparse_rows.h"

enum { FEW_PIECES = 32 };

static void add_candidates(sedge_sparse_chooser *c)
{
    for (int i = 0; i < 2; i++) {
        const int capacity = 1024 << i;
        sedge_sparse_layout *const layout =
            sedge_sparse_add_layout(c, &sedge_sparse_merge, "merge %d", capacity);
        layout->capacity = capacity;
        sedge_sparse_set_bytes(c, layout, sedge_sparse_rows_bytes(c->matrix), false,
                               (c->is_host ? 2.0 : 1.4) + 0.01 * i);
        sedge_sparse_add_kernel(c, 128, 0, 0, 1);
        sedge_sparse_add_kernel(c, 256, 0, 0, 1);
        sedge_sparse_add_kernel(c, 128, 0, 0, 0);
    }
}

// Rows that end before the path's thing `diagonal`.
static int64_t find_crossing(const sedge_sparse_matrix *matrix, int64_t diagonal)
{
    int64_t low = diagonal > matrix->entries ? diagonal - matrix->entries : 0;
    int64_t high = diagonal < matrix->rows ? diagonal : matrix->rows;

    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const int64_t end = sedge_sparse_begin(matrix, middle) +
                            sedge_sparse_length(matrix, middle) - matrix->csr.offsets[0];
        if (end <= diagonal - 1 - middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Runs of blocks whose carries belong to one row: short ones first.
static sedge_status find_runs(sedge_sparse_list *runs, int64_t *few,
                              const sedge_sparse_matrix *matrix, const int64_t *starts,
                              int64_t blocks)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t b = 0, end; b < blocks; b = end) {
            for (end = b + 1; end < blocks && starts[end + 1] == starts[b + 1];) end++;
            if (starts[b + 1] >= matrix->rows || (end - b > FEW_PIECES) != (pass == 1)) continue;
            const int64_t run[3] = {starts[b + 1], b, end - b};
            SEDGE_TRY(sedge_sparse_list_add(runs, run, 3));
        }
        if (pass == 0) *few = runs->count / 3;
    }
    return SEDGE_OK;
}

static sedge_status build(sedge_sparse_store *store, sedge_context *context,
                          const sedge_sparse_matrix *matrix)
{
    const int64_t things = store->layout.capacity;
    sedge_sparse_list runs = {.at = NULL};
    int64_t *starts = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_sparse_build_rows(store, context, matrix));
    store->things = matrix->rows + matrix->entries;
    store->parts = (store->things + things - 1) / things;
    SEDGE_TRY_GOTO(status, sedge_allocate(&starts, store->parts + 1, sizeof *starts));
    for (int64_t b = 0; b < store->parts; b++) starts[b] = find_crossing(matrix, b * things);
    starts[store->parts] = matrix->rows;
    SEDGE_TRY_GOTO(status, find_runs(&runs, &store->few, matrix, starts, store->parts));
    store->many = runs.count / 3 - store->few;
    SEDGE_TRY_GOTO(
        status, sedge_sparse_upload(&store->work, store->device, starts, 8 * (store->parts + 1)));
    SEDGE_TRY_GOTO(status,
                   sedge_sparse_upload(&store->runs, store->device, runs.at, 8 * runs.count));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&store->pieces, store->device,
                                               store->parts * store->real_bytes));
    store->bytes += (double)store->parts * (8.0 + 2.0 * store->real_bytes) +
                    (double)(store->few + store->many) * (24.0 + 2.0 * store->real_bytes);
done:
    sedge_release(runs.at);
    sedge_release(starts);
    return status;
}

static sedge_status write_constants(sedge_text *out, const sedge_sparse_store *store,
                                    const sedge_sparse_kernel *kernel)
{
    return sedge_text_add(out, "#define SPARSE_PER      %d\n",
                          store->layout.capacity / kernel->threads);
}

static int count_shared(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    return (store->layout.capacity + kernel->threads) * (store->real_bytes + 4);
}

static int set_arguments(sedge_argument to[SEDGE_SPARSE_ARGUMENTS], const sedge_sparse_store *store,
                         const sedge_sparse_kernel *kernel)
{
    (void)kernel;
    to[0] = sedge_buffer_argument(store->offsets);
    to[1] = sedge_sparse_shifted(store, store->columns, 4);
    to[2] = sedge_sparse_shifted(store, store->values, store->value_bytes);
    to[3] = sedge_buffer_argument(store->work);
    to[4] = sedge_buffer_argument(store->pieces);
    to[5] = sedge_int64_argument(store->things);
    return 6;
}

const sedge_sparse_format sedge_sparse_merge = {
    .name = "merge",
    .source = "codegen/kernels/sparse/sparse_merge.h",
    .candidates = add_candidates,
    .build = build,
    .constants = write_constants,
    .shared_bytes = count_shared,
    .arguments = set_arguments,
    .fix_adds = true,
};
