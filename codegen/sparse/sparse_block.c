// Dense blocks: how many a matrix has of a size, and their arrays.
#include "base/memory.h"
#include "sparse/sparse_internal.h"

#include <string.h>

enum { GRAIN = 64 };

// The block columns of one row of blocks: `list` [..] ascending or not, `place` [block columns]
// where each is in the list, plus 1. Returns their number.
static int64_t list_blocks(int32_t *list, int32_t *place, const sedge_sparse_matrix *matrix,
                           int64_t block_row, int size)
{
    int64_t count = 0;

    for (int64_t r = block_row * size; r < (block_row + 1) * size; r++) {
        const int64_t begin = sedge_sparse_begin(matrix, r);
        for (int64_t k = begin; k < begin + sedge_sparse_length(matrix, r); k++) {
            const int32_t column = sedge_csr_column(&matrix->csr, k) / size;
            if (place[column] != 0) continue;
            list[count++] = column;
            place[column] = (int32_t)count;
        }
    }
    return count;
}

static void clear_places(int32_t *place, const int32_t *list, int64_t count)
{
    for (int64_t i = 0; i < count; i++) place[list[i]] = 0;
}

// Entries of one row of blocks that repeat; `seen` [size] is zero and stays so.
static int64_t count_repeats(const sedge_sparse_matrix *matrix, int64_t r, int32_t *last)
{
    const int64_t begin = sedge_sparse_begin(matrix, r);
    int64_t repeats = 0;

    for (int64_t k = begin; k < begin + sedge_sparse_length(matrix, r); k++) {
        int32_t *const mark = &last[sedge_csr_column(&matrix->csr, k)];
        repeats += *mark == (int32_t)(r + 1);
        *mark = (int32_t)(r + 1);
    }
    return repeats;
}

sedge_status sedge_sparse_count_blocks(int64_t *blocks, int64_t *entries, int64_t *repeats,
                                       const sedge_sparse_matrix *matrix, int size, int64_t step)
{
    const int64_t block_rows = matrix->rows / size, columns = matrix->csr.columns;
    int32_t *list = NULL, *place = NULL, *last = NULL;
    sedge_status status;

    *blocks = *entries = *repeats = 0;
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, columns / size + 1, sizeof *list));
    SEDGE_TRY_GOTO(status, sedge_allocate(&place, columns / size + 1, sizeof *place));
    SEDGE_TRY_GOTO(status, sedge_allocate(&last, columns, sizeof *last));
    for (int64_t b = 0; b < block_rows; b += step) {
        const int64_t count = list_blocks(list, place, matrix, b, size);
        clear_places(place, list, count);
        *blocks += count;
        for (int64_t r = b * size; r < (b + 1) * size; r++) {
            *entries += sedge_sparse_length(matrix, r);
            *repeats += count_repeats(matrix, r, last);
        }
    }
done:
    sedge_release(last);
    sedge_release(place);
    sedge_release(list);
    return status;
}

// ---- arrays ------------------------------------------------------------------------------------

typedef struct block_job {
    const sedge_sparse_matrix *matrix;
    int size, group;
    int32_t *list, *place;
    int64_t *starts; // [slices + 1]
    int32_t *columns;
    char *values;
} block_job;

// Slices first .. end - 1 into `columns` and `values`, which begin with slice `first`.
static void fill_slices(const block_job *job, int64_t first, int64_t end)
{
    const sedge_sparse_matrix *const matrix = job->matrix;
    const int size = job->size, group = job->group, height = size * group;
    const int64_t block_rows = matrix->rows / size;

    for (int64_t b = first * group; b < end * group && b < block_rows; b++) {
        const int64_t start = job->starts[b / group] - job->starts[first];
        const int64_t own = b % group;
        const int64_t count = list_blocks(job->list, job->place, matrix, b, size);
        for (int64_t i = 0; i < count; i++) job->columns[(start + i) * group + own] = job->list[i];
        for (int64_t r = b * size; r < (b + 1) * size; r++) {
            const int64_t begin = sedge_sparse_begin(matrix, r);
            for (int64_t k = begin; k < begin + sedge_sparse_length(matrix, r); k++) {
                const int32_t column = sedge_csr_column(&matrix->csr, k);
                const int64_t position = start + job->place[column / size] - 1;
                const int64_t at =
                    (position * size + column % size) * height + own * size + (r - b * size);
                sedge_sparse_set(job->values, at, sedge_csr_value(&matrix->csr, k),
                                 matrix->value_bytes);
            }
        }
        clear_places(job->place, job->list, count);
    }
}

// Positions of each slice: as many as its longest row of blocks has.
static void find_starts(const block_job *job, int64_t slices)
{
    const int64_t block_rows = job->matrix->rows / job->size;

    for (int64_t s = 0; s < slices; s++) {
        int64_t longest = 0;
        for (int64_t b = s * job->group; b < (s + 1) * job->group && b < block_rows; b++) {
            const int64_t count = list_blocks(job->list, job->place, job->matrix, b, job->size);
            clear_places(job->place, job->list, count);
            if (count > longest) longest = count;
        }
        job->starts[s + 1] = job->starts[s] + longest;
    }
}

static sedge_status upload_blocks(sedge_sparse_store *store, block_job *job, int64_t slices)
{
    const int64_t each = (int64_t)job->size * job->size * job->group; // values of a position
    const int64_t bytes = each * store->value_bytes;
    int64_t most = SEDGE_SPARSE_CHUNK / each + 1;
    int64_t end;
    sedge_status status;

    for (int64_t s = 0; s < slices; s++)
        if (job->starts[s + 1] - job->starts[s] > most) most = job->starts[s + 1] - job->starts[s];
    if (job->starts[slices] < most) most = job->starts[slices];
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->values, most, (size_t)bytes));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->columns, most * job->group, 4));
    for (int64_t s = 0; s < slices; s = end) {
        for (end = s + 1; end < slices && job->starts[end + 1] - job->starts[s] <= most;) end++;
        const int64_t positions = job->starts[end] - job->starts[s];
        memset(job->values, 0, (size_t)(positions * bytes));
        memset(job->columns, 0xff, (size_t)(positions * job->group * 4));
        fill_slices(job, s, end);
        SEDGE_TRY_GOTO(status, sedge_buffer_upload(store->values, job->starts[s] * bytes,
                                                   job->values, positions * bytes, NULL));
        SEDGE_TRY_GOTO(status, sedge_buffer_upload(store->columns, job->starts[s] * job->group * 4,
                                                   job->columns, positions * job->group * 4, NULL));
    }
done:
    sedge_release(job->columns);
    sedge_release(job->values);
    return status;
}

sedge_status sedge_sparse_build_block(sedge_sparse_store *store, const sedge_sparse_matrix *matrix)
{
    block_job job = {
        .matrix = matrix, .size = store->layout.capacity, .group = store->layout.height};
    const int64_t slices = (matrix->rows / job.size + job.group - 1) / job.group;
    const int64_t block_columns = matrix->csr.columns / job.size;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&job.list, block_columns + 1, sizeof *job.list));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.place, block_columns + 1, sizeof *job.place));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.starts, slices + 1, sizeof *job.starts));
    find_starts(&job, slices);
    const int64_t positions = job.starts[slices];
    store->parts = slices;
    store->stored = positions * job.size * job.size * job.group;
    store->bytes = (double)store->stored * store->value_bytes +
                   4.0 * (double)positions * job.group + 8.0 * (double)(slices + 1);
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&store->values, store->device,
                                               store->stored * store->value_bytes));
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_create(&store->columns, store->device, 4 * positions * job.group));
    SEDGE_TRY_GOTO(status, upload_blocks(store, &job, slices));
    SEDGE_TRY_GOTO(
        status, sedge_sparse_upload(&store->offsets, store->device, job.starts, 8 * (slices + 1)));
done:
    sedge_release(job.starts);
    sedge_release(job.place);
    sedge_release(job.list);
    return status;
}
