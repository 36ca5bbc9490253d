// block: dense blocks of a few rows and columns (block CSR), in slices of rows of blocks.
#include "base/memory.h"
#include "sparse/sparse_choose.h"
#include "sparse/sparse_store.h"

#include <math.h>
#include <string.h>

#define FILL_MOST 1.6 // stored values / entries, beyond which a size of blocks is not tried

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

// Blocks of `size` rows and columns in rows of blocks 0, step, 2 step, ...: their number, and the
// entries there. Entries that repeat are counted as such in `*repeats`.
static sedge_status count_filled(int64_t *blocks, int64_t *entries, int64_t *repeats,
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

static sedge_status build(sedge_sparse_store *store, sedge_context *context,
                          const sedge_sparse_matrix *matrix)
{
    block_job job = {
        .matrix = matrix, .size = store->layout.capacity, .group = store->layout.height};
    const int64_t slices = (matrix->rows / job.size + job.group - 1) / job.group;
    const int64_t block_columns = matrix->csr.columns / job.size;
    sedge_status status;

    (void)context;
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

// ---- the format
// ----------------------------------------------------------------------------------

static void add_block(sedge_sparse_chooser *c, int size, double fill)
{
    const sedge_sparse_matrix *const m = c->matrix;
    // Rows of a slice: a multiple of 32, about 128.
    static const int groups[] = {
        [2] = 64, [3] = 32, [4] = 32, [5] = 32, [6] = 16, [7] = 32, [8] = 16, [10] = 16, [20] = 8};
    sedge_sparse_layout *const layout =
        sedge_sparse_add_layout(c, &sedge_sparse_block, "block %d", size);
    const int height = groups[size] * size;

    layout->height = groups[size];
    layout->capacity = size;
    sedge_sparse_set_bytes(
        c, layout, (double)m->entries * fill * (m->value_bytes + 4.0 / size / size), false, 1.05);
    sedge_sparse_add_kernel(c, height, 0, 0, 1);
    sedge_sparse_add_kernel(c, height, 0, 0, 0);
    if (!c->is_host && 2 * height <= 512) sedge_sparse_add_kernel(c, 2 * height, 0, 0, 1);
}

static void add_candidates(sedge_sparse_chooser *c)
{
    static const int sizes[] = {20, 10, 8, 7, 6, 5, 4, 3, 2};
    const sedge_sparse_matrix *const m = c->matrix;
    double least = HUGE_VAL, filled[9];

    if (m->listed != NULL) return;
    for (int i = 0; i < 9; i++) {
        int64_t blocks, entries, repeats;
        filled[i] = 0.0;
        if (m->rows % sizes[i] != 0 || m->csr.columns % sizes[i] != 0) continue;
        const int64_t step = m->rows / sizes[i] / SEDGE_SPARSE_SAMPLE + 1;
        if (count_filled(&blocks, &entries, &repeats, m, sizes[i], step) != SEDGE_OK) continue;
        if (entries == 0 || repeats > 0) continue;
        filled[i] = (double)blocks * sizes[i] * sizes[i] / (double)entries;
        const double bytes = filled[i] * (m->value_bytes + 4.0 / sizes[i] / sizes[i]);
        if (filled[i] <= FILL_MOST && bytes < least) least = bytes;
    }
    for (int i = 0; i < 9; i++) {
        if (!(filled[i] > 0.0) || filled[i] > FILL_MOST) continue;
        const double bytes = filled[i] * (m->value_bytes + 4.0 / sizes[i] / sizes[i]);
        if (bytes <= 1.1 * least) add_block(c, sizes[i], filled[i]);
    }
}

static sedge_status write_constants(sedge_text *out, const sedge_sparse_store *store,
                                    const sedge_sparse_kernel *kernel)
{
    (void)kernel;
    return sedge_text_add(out, "#define SPARSE_BLOCK    %d\n#define SPARSE_GROUP    %d\n",
                          store->layout.capacity, store->layout.height);
}

static int64_t count_blocks(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    return sedge_sparse_divide_up(
        store->parts, kernel->threads / (store->layout.height * store->layout.capacity));
}

static int set_arguments(sedge_argument to[SEDGE_SPARSE_ARGUMENTS], const sedge_sparse_store *store,
                         const sedge_sparse_kernel *kernel)
{
    (void)kernel;
    to[0] = sedge_buffer_argument(store->offsets);
    to[1] = sedge_buffer_argument(store->columns);
    to[2] = sedge_buffer_argument(store->values);
    to[3] = sedge_int64_argument(store->rows);
    return 4;
}

const sedge_sparse_format sedge_sparse_block = {
    .name = "block",
    .source = "codegen/kernels/sparse/sparse_block.h",
    .is_sampled = true,
    .row_items = 1,
    .candidates = add_candidates,
    .build = build,
    .constants = write_constants,
    .blocks = count_blocks,
    .arguments = set_arguments,
};
