// Arrays of compressed rows: csr, adaptive, merge, and the vendor's.
#include "base/memory.h"
#include "sparse/sparse_internal.h"

#include <string.h>

enum { GRAIN = 1 << 14, FEW_PIECES = 32, PIECES_ROUND = 8, PIECES_LEAST = 256 };

// Of a block of the adaptive kernel, whose items share its rows evenly: how many there are, and
// how many entries one may have to add up alone. A row of a thousand among many short ones took
// longer than all the rest of a small matrix.
enum { BLOCK_ITEMS = 256, ITEM_ENTRIES = 64 };

sedge_status sedge_sparse_upload(sedge_buffer **out, sedge_device *device, const void *host,
                                 int64_t bytes)
{
    SEDGE_TRY(sedge_buffer_create(out, device, bytes));
    return bytes > 0 ? sedge_buffer_upload(*out, 0, host, bytes, NULL) : SEDGE_OK;
}

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
            sedge_sparse_parallel(matrix->threads, count, GRAIN, copy_entries, &job);
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
    sedge_sparse_parallel(matrix->threads, count, GRAIN, copy_offsets, &job);
    const sedge_status status = sedge_sparse_upload(
        &store->offsets, store->device, job.wide != NULL ? (const void *)job.wide : job.narrow,
        count * (job.wide != NULL ? 8 : 4));
    sedge_release(job.wide);
    sedge_release(job.narrow);
    return status;
}

// ---- adaptive ----------------------------------------------------------------------------------

// Work of blocks, and the runs of pieces; both grow.
typedef struct work_list {
    int64_t *at;
    int64_t count, room; // in numbers
} work_list;

static sedge_status add_work(work_list *list, const int64_t *numbers, int count)
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

static sedge_status add_long_row(work_list *work, work_list *runs, int64_t row, int64_t begin,
                                 int64_t length, int64_t piece_size, int64_t *pieces)
{
    const int64_t count = (length + piece_size - 1) / piece_size;
    const int64_t run[3] = {row, *pieces, count};

    for (int64_t p = 0; p < count; p++) {
        const int64_t left = length - p * piece_size;
        const int64_t block[4] = {row, -1 - (*pieces)++, begin + p * piece_size,
                                  left < piece_size ? left : piece_size};
        SEDGE_TRY(add_work(work, block, 4));
    }
    return add_work(runs, run, 3);
}

// Entries of a piece: long ones where the row has enough of them for the whole device.
static int64_t find_piece(int64_t length, int64_t capacity)
{
    const int64_t rounds = length / (PIECES_LEAST * capacity);

    return capacity * (rounds < 1 ? 1 : rounds < PIECES_ROUND ? rounds : PIECES_ROUND);
}

// May rows of which the longest has so many entries be one block's?
static bool is_even(int64_t rows, int64_t longest)
{
    const int64_t items = BLOCK_ITEMS / rows; // of a row

    return longest <= ITEM_ENTRIES * (items < 1 ? 1 : items);
}

static sedge_status divide_rows(work_list *work, work_list *runs, int64_t *pieces,
                                const sedge_sparse_matrix *matrix, int64_t capacity)
{
    int64_t row = 0;

    while (row < matrix->rows) {
        const int64_t base = matrix->csr.offsets[0] - matrix->shift;
        const int64_t begin = sedge_sparse_begin(matrix, row) - base;
        int64_t count = sedge_sparse_length(matrix, row);
        if (count > capacity) {
            SEDGE_TRY(
                add_long_row(work, runs, row++, begin, count, find_piece(count, capacity), pieces));
            continue;
        }
        int64_t end = row + 1;
        int64_t longest = count;
        while (end < matrix->rows && end - row < capacity) {
            const int64_t length = sedge_sparse_length(matrix, end);
            if (length > longest) longest = length;
            if (count + length > capacity || !is_even(end + 1 - row, longest)) break;
            count += length;
            end++;
        }
        const int64_t block[4] = {row, end - row, begin, count};
        SEDGE_TRY(add_work(work, block, 4));
        row = end;
    }
    return SEDGE_OK;
}

static sedge_status build_adaptive(sedge_sparse_store *store, const sedge_sparse_matrix *matrix)
{
    work_list work = {.at = NULL}, runs = {.at = NULL};
    int64_t pieces = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, divide_rows(&work, &runs, &pieces, matrix, store->layout.capacity));
    SEDGE_TRY_GOTO(status,
                   sedge_sparse_upload(&store->work, store->device, work.at, 8 * work.count));
    SEDGE_TRY_GOTO(status,
                   sedge_sparse_upload(&store->runs, store->device, runs.at, 8 * runs.count));
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_create(&store->pieces, store->device, pieces * store->real_bytes));
    store->parts = work.count / 4;
    store->many = runs.count / 3;
    store->bytes += 8.0 * (double)work.count + 2.0 * (double)pieces * store->real_bytes;
done:
    sedge_release(runs.at);
    sedge_release(work.at);
    return status;
}

// ---- merge -------------------------------------------------------------------------------------

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
static sedge_status find_runs(work_list *runs, int64_t *few, const sedge_sparse_matrix *matrix,
                              const int64_t *starts, int64_t blocks)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t b = 0, end; b < blocks; b = end) {
            for (end = b + 1; end < blocks && starts[end + 1] == starts[b + 1];) end++;
            if (starts[b + 1] >= matrix->rows || (end - b > FEW_PIECES) != (pass == 1)) continue;
            const int64_t run[3] = {starts[b + 1], b, end - b};
            SEDGE_TRY(add_work(runs, run, 3));
        }
        if (pass == 0) *few = runs->count / 3;
    }
    return SEDGE_OK;
}

static sedge_status build_merge(sedge_sparse_store *store, const sedge_sparse_matrix *matrix)
{
    const int64_t things = store->layout.capacity;
    work_list runs = {.at = NULL};
    int64_t *starts = NULL;
    sedge_status status;

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

sedge_status sedge_sparse_build_rows(sedge_sparse_store *store, const sedge_sparse_matrix *matrix)
{
    store->stored = matrix->entries;
    store->bytes = (double)matrix->entries * (matrix->value_bytes + 4) +
                   (double)(matrix->rows + 1) * (store->wide ? 8 : 4);
    SEDGE_TRY(upload_offsets(store, matrix));
    SEDGE_TRY(upload_entries(store, matrix));
    if (store->layout.kind == SEDGE_SPARSE_ADAPTIVE) return build_adaptive(store, matrix);
    if (store->layout.kind == SEDGE_SPARSE_MERGE) return build_merge(store, matrix);
    return SEDGE_OK;
}
