// The arrays of compressed rows, and lists of work.
#include "sparse/sparse_rows.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum { GRAIN = 1 << 14 };

// ---- offsets, columns, values ------------------------------------------------------------------

typedef struct copy_job {
    const sedge_sparse_matrix *matrix;
    int64_t first; // entry
    int32_t *columns;
    void *values;
} copy_job;

static void copy_entries(void *context, int64_t first, int64_t end)
{
    const copy_job *const job = context;
    const sedge_csr *const csr = &job->matrix->csr;

    for (int64_t k = first; k < end; k++) {
        if (job->columns != NULL) job->columns[k] = sedge_csr_column(csr, job->first + k);
        if (job->values != NULL) {
            sedge_sparse_set(job->values, k, sedge_csr_value(csr, job->first + k),
                             job->matrix->value_bytes);
        }
    }
}

// Columns and values lie side by side in the caller's arrays, for rows left out have none; what has
// another type there goes through a piece of memory.
static sedge_status upload_entries(sedge_sparse_store *store, const sedge_sparse_matrix *matrix)
{
    const sedge_csr *const csr = &matrix->csr;
    const int64_t first = matrix->entries > 0 ? csr->offsets[0] : 0;
    const void *const values =
        matrix->value_bytes == 8 ? (const void *)csr->values64 : (const void *)csr->values32;
    const int64_t size = matrix->value_bytes;
    copy_job job = {.matrix = matrix};
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(sedge_buffer_create(&store->columns, store->device, 4 * matrix->entries));
    SEDGE_TRY(sedge_buffer_create(&store->values, store->device, size * matrix->entries));
    if (csr->columns32 == NULL)
        SEDGE_TRY_GOTO(status, sedge_allocate(&job.columns, SEDGE_SPARSE_CHUNK, 4));
    if (values == NULL)
        SEDGE_TRY_GOTO(status, sedge_allocate(&job.values, SEDGE_SPARSE_CHUNK, (size_t)size));
    for (int64_t at = 0; at < matrix->entries; at += SEDGE_SPARSE_CHUNK) {
        const int64_t left = matrix->entries - at;
        const int64_t count = left < SEDGE_SPARSE_CHUNK ? left : SEDGE_SPARSE_CHUNK;
        job.first = first + at;
        if (job.columns != NULL || job.values != NULL)
            sedge_parallel(matrix->threads, count, GRAIN, copy_entries, &job);
        SEDGE_TRY_GOTO(status, sedge_buffer_upload(store->columns, 4 * at,
                                                   job.columns != NULL ? job.columns
                                                                       : csr->columns32 + job.first,
                                                   4 * count, NULL));
        SEDGE_TRY_GOTO(status, sedge_buffer_upload(store->values, size * at,
                                                   job.values != NULL
                                                       ? job.values
                                                       : (const char *)values + size * job.first,
                                                   size * count, NULL));
    }
done:
    sedge_release(job.values);
    sedge_release(job.columns);
    return status;
}

typedef struct offset_job {
    const sedge_sparse_matrix *matrix;
    int64_t *wide; // [rows + 1]; or
    int32_t *narrow;
} offset_job;

static void copy_offsets(void *context, int64_t first, int64_t end)
{
    const offset_job *const job = context;
    const sedge_sparse_matrix *const matrix = job->matrix;

    for (int64_t r = first; r < end; r++) {
        const int64_t at = r < matrix->rows ? sedge_sparse_begin(matrix, r) - matrix->csr.offsets[0]
                                            : matrix->entries;
        if (job->wide != NULL) {
            job->wide[r] = at + matrix->shift;
        } else {
            job->narrow[r] = (int32_t)at;
        }
    }
}

static sedge_status upload_offsets(sedge_sparse_store *store, const sedge_sparse_matrix *matrix)
{
    const int64_t count = matrix->rows + 1;
    offset_job job = {.matrix = matrix};

    if (store->wide) {
        SEDGE_TRY(sedge_allocate(&job.wide, count, sizeof *job.wide));
    } else {
        SEDGE_TRY(sedge_allocate(&job.narrow, count, sizeof *job.narrow));
    }
    sedge_parallel(matrix->threads, count, GRAIN, copy_offsets, &job);
    const sedge_status status = sedge_sparse_upload(
        &store->offsets, store->device, job.wide != NULL ? (const void *)job.wide : job.narrow,
        count * (job.wide != NULL ? 8 : 4));
    sedge_release(job.wide);
    sedge_release(job.narrow);
    return status;
}

// ---- lists
// ---------------------------------------------------------------------------------------

sedge_status sedge_sparse_list_add(sedge_sparse_list *list, const int64_t *numbers, int count)
{
    if (list->count + count > list->room) {
        int64_t *more = NULL;
        const int64_t room = 2 * list->room + 1024;
        SEDGE_TRY(sedge_allocate(&more, room, sizeof *more));
        if (list->count > 0) memcpy(more, list->at, (size_t)list->count * sizeof *more);
        sedge_release(list->at);
        list->at = more;
        list->room = room;
    }
    memcpy(list->at + list->count, numbers, (size_t)count * sizeof *numbers);
    list->count += count;
    return SEDGE_OK;
}

// ---- all ---------------------------------------------------------------------------------------

double sedge_sparse_rows_bytes(const sedge_sparse_matrix *matrix)
{
    const bool wide = matrix->entries + matrix->shift > INT32_MAX;

    return (double)matrix->entries * (matrix->value_bytes + 4) +
           (double)matrix->rows * (wide ? 8 : 4);
}

sedge_status sedge_sparse_build_rows(sedge_sparse_store *store, sedge_context *context,
                                     const sedge_sparse_matrix *matrix)
{
    (void)context;
    store->stored = matrix->entries;
    store->bytes = (double)matrix->entries * (matrix->value_bytes + 4) +
                   (double)(matrix->rows + 1) * (store->wide ? 8 : 4);
    SEDGE_TRY(upload_offsets(store, matrix));
    return upload_entries(store, matrix);
}
