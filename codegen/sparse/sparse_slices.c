// The arrays of slices, and the kernel that sell, ell and hybrid share.
#include "sparse/sparse_slices.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "sparse/sparse_choose.h"
#include "sparse/sparse_order.h"
#include "sparse/sparse_slice.h"

#include <string.h>

#define UNIFORM_MOST 1.02 // stored values of slices of one width, of those of slices of their own

enum { GRAIN = 1 << 9 };

// ---- slices ------------------------------------------------------------------------------------

typedef struct sell_job {
    const sedge_sparse_matrix *matrix;
    const sedge_sparse_layout *layout;
    const int32_t *order; // NULL: as they come
    int64_t *starts;      // [slices + 1], in values, from 0
    int64_t *words;       // [slices + 1], in words of indices; of a slice that shares them, none
    int64_t *places;      // [slices], in words of indices: its own or those that it shares
    int8_t *modes;        // [slices]
    sedge_hash *hashes;   // [slices], of diagonals; NULL: indices are not packed
    int64_t first;        // slice that `values` and `codes` begin with
    char *values;
    int32_t *codes;
} sell_job;

// `mode` as in sedge_sparse_slice_plan.
static void plan(const sell_job *job, sedge_sparse_slice *slice, int64_t s, int mode)
{
    const int height = job->layout->height;

    if (job->layout->packed) {
        sedge_sparse_slice_plan(slice, job->matrix, job->order, s * height, height, mode);
        if (job->layout->width > 0) sedge_sparse_slice_widen(slice, job->layout->width);
        return;
    }
    slice->first = s * height;
    slice->matrix = job->matrix;
    slice->height = height;
    slice->mode = 0;
    slice->width = 0;
    for (int r = 0; r < height; r++) {
        const int64_t place = s * height + r;
        slice->row[r] = place >= job->matrix->rows ? -1
                        : job->order != NULL       ? job->order[place]
                                                   : place;
        if (slice->row[r] < 0) continue;
        const int64_t length = sedge_sparse_length(job->matrix, slice->row[r]);
        if (length > slice->width) slice->width = (int)length;
    }
    if (job->layout->width > 0) slice->width = job->layout->width;
    slice->words = (int64_t)slice->width * height;
}

static void plan_slices(void *context, int64_t first, int64_t end)
{
    const sell_job *const job = context;
    sedge_sparse_slice slice;

    for (int64_t s = first; s < end; s++) {
        plan(job, &slice, s, -1);
        job->starts[s + 1] = (int64_t)slice.width * slice.height;
        job->words[s + 1] = slice.words;
        job->modes[s] = (int8_t)slice.mode;
        if (job->hashes == NULL || slice.mode != 3) continue;
        const void *const fields[] = {slice.offset, slice.mask};
        const size_t length = (size_t)slice.width * sizeof *slice.offset;
        job->hashes[s] = sedge_hash_fields(fields, (const size_t[]){length, length}, 2);
    }
}

// Slices of nearly one width get it: then no kernel has to look where they begin.
static void make_uniform(sedge_sparse_store *store, sell_job *job, int64_t slices)
{
    const int height = store->layout.height;
    int64_t stored = 0, widest = 0;

    if (!store->layout.packed || store->shift != 0) return;
    for (int64_t s = 0; s < slices; s++) {
        stored += job->starts[s + 1];
        if (job->starts[s + 1] > widest) widest = job->starts[s + 1];
    }
    if (stored == 0 || widest / height > SEDGE_SPARSE_DIAGONALS ||
        (double)(widest * slices) > UNIFORM_MOST * (double)stored)
        return;
    store->layout.width = (int)(widest / height);
    for (int64_t s = 0; s < slices; s++) {
        job->starts[s + 1] = widest;
        job->words[s + 1] =
            sedge_sparse_slice_words(job->modes[s], store->layout.width, store->layout.height);
    }
}

// The slice with the same diagonals as slice s, -1: there is none yet, and now s is in the table
// [room] of slices, -1 where it is empty.
static int64_t find_same(const sell_job *job, int64_t *table, int64_t room, int64_t s)
{
    uint64_t at;

    memcpy(&at, job->hashes[s].bytes, sizeof at);
    for (;; at++) {
        int64_t *const entry = &table[at & (uint64_t)(room - 1)];
        if (*entry < 0) {
            *entry = s;
            return -1;
        }
        if (memcmp(&job->hashes[*entry], &job->hashes[s], sizeof *job->hashes) == 0) return *entry;
    }
}

// Where each slice's indices are; from lengths, `words` become where each writes its own.
static sedge_status place_indices(sell_job *job, int64_t slices)
{
    int64_t *table = NULL;
    int64_t room = 1;
    int64_t end = 0;

    while (room < 2 * slices) room *= 2;
    if (job->hashes != NULL) {
        SEDGE_TRY(sedge_allocate(&table, room, sizeof *table));
        for (int64_t i = 0; i < room; i++) table[i] = -1;
    }
    for (int64_t s = 0; s < slices; s++) {
        const int64_t same =
            table != NULL && job->modes[s] == 3 ? find_same(job, table, room, s) : -1;
        job->places[s] = same < 0 ? end : job->places[same];
        if (same < 0) end += job->words[s + 1];
        job->words[s + 1] = end;
    }
    sedge_release(table);
    return SEDGE_OK;
}

static void write_slices(void *context, int64_t first, int64_t end)
{
    const sell_job *const job = context;
    const int64_t size = job->matrix->value_bytes;
    sedge_sparse_slice slice;

    for (int64_t s = job->first + first; s < job->first + end; s++) {
        char *const values = job->values + size * (job->starts[s] - job->starts[job->first]);
        int32_t *const codes = job->words[s + 1] > job->words[s]
                                   ? job->codes + (job->words[s] - job->words[job->first])
                                   : NULL;
        memset(values, 0, (size_t)(size * (job->starts[s + 1] - job->starts[s])));
        plan(job, &slice, s, job->modes[s]);
        sedge_sparse_slice_write(&slice, values, codes);
    }
}

// Fill and upload values and indices, some slices at a time.
static sedge_status upload_slices(sedge_sparse_store *store, sell_job *job, int64_t slices)
{
    const int64_t size = store->value_bytes;
    int64_t most = SEDGE_SPARSE_CHUNK;
    int64_t end;
    sedge_status status;

    for (int64_t s = 0; s < slices; s++) {
        if (job->starts[s + 1] - job->starts[s] > most) most = job->starts[s + 1] - job->starts[s];
        if (job->words[s + 1] - job->words[s] > most) most = job->words[s + 1] - job->words[s];
    }
    if (job->starts[slices] < most && job->words[slices] < most)
        most = job->starts[slices] > job->words[slices] ? job->starts[slices] : job->words[slices];
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->values, most, (size_t)size));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->codes, most, sizeof *job->codes));
    for (int64_t s = 0; s < slices; s = end) {
        for (end = s + 1; end < slices && job->starts[end + 1] - job->starts[s] <= most &&
                          job->words[end + 1] - job->words[s] <= most;)
            end++;
        job->first = s;
        sedge_parallel(job->matrix->threads, end - s, GRAIN, write_slices, job);
        SEDGE_TRY_GOTO(status,
                       sedge_buffer_upload(store->values, size * job->starts[s], job->values,
                                           size * (job->starts[end] - job->starts[s]), NULL));
        SEDGE_TRY_GOTO(status, sedge_buffer_upload(store->columns, 4 * job->words[s], job->codes,
                                                   4 * (job->words[end] - job->words[s]), NULL));
    }
done:
    sedge_release(job->codes);
    sedge_release(job->values);
    return status;
}

// Where slices begin, as the kernel takes it: starts, and with narrow indices their place and mode.
static sedge_status upload_places(sedge_sparse_store *store, sell_job *job, int64_t slices)
{
    for (int64_t s = 0; s < slices; s++) store->modes |= 1 << job->modes[s];
    for (int64_t s = 0; s <= slices; s++) job->starts[s] += store->shift;
    if (store->layout.width == 0) {
        SEDGE_TRY(
            sedge_sparse_upload(&store->offsets, store->device, job->starts, 8 * (slices + 1)));
        store->bytes += 8.0 * (double)(slices + 1);
    }
    if (!store->layout.packed) return SEDGE_OK;
    for (int64_t s = 0; s < slices; s++)
        job->places[s] = 4 * (job->places[s] + store->shift) + job->modes[s];
    store->bytes += 8.0 * (double)slices;
    return sedge_sparse_upload(&store->places, store->device, job->places, 8 * slices);
}

static void add_up(int64_t *lengths, int64_t count)
{
    for (int64_t s = 0; s < count; s++) lengths[s + 1] += lengths[s];
}

static sedge_status build_slices(sedge_sparse_store *store, sell_job *job)
{
    const int height = store->layout.height;
    const int64_t slices = (store->rows + height - 1) / height;
    sedge_status status;

    store->parts = slices;
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->starts, slices + 1, sizeof *job->starts));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->words, slices + 1, sizeof *job->words));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->places, slices + 1, sizeof *job->places));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->modes, slices + 1, sizeof *job->modes));
    if (store->layout.packed)
        SEDGE_TRY_GOTO(status, sedge_allocate(&job->hashes, slices + 1, sizeof *job->hashes));
    sedge_parallel(job->matrix->threads, slices, GRAIN, plan_slices, job);
    make_uniform(store, job, slices);
    add_up(job->starts, slices);
    SEDGE_TRY_GOTO(status, place_indices(job, slices));
    store->stored = job->starts[slices];
    store->bytes = (double)store->stored * store->value_bytes + 4.0 * (double)job->words[slices];
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&store->values, store->device,
                                               store->stored * store->value_bytes));
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_create(&store->columns, store->device, 4 * job->words[slices]));
    SEDGE_TRY_GOTO(status, upload_slices(store, job, slices));
    if (store->layout.packed || store->layout.width == 0)
        SEDGE_TRY_GOTO(status, upload_places(store, job, slices));
done:
    sedge_release(job->hashes);
    sedge_release(job->modes);
    sedge_release(job->places);
    sedge_release(job->words);
    sedge_release(job->starts);
    return status;
}

// ---- all ---------------------------------------------------------------------------------------

sedge_status sedge_sparse_build_slices(sedge_sparse_store *store, sedge_context *context,
                                       const sedge_sparse_matrix *matrix)
{
    sell_job job = {.matrix = matrix, .layout = &store->layout};
    int32_t *order = NULL;
    sedge_status status;

    (void)context;
    if (store->layout.window > 1) {
        SEDGE_TRY_GOTO(status, sedge_sparse_sort(&order, matrix, store->layout.window));
        job.order = order;
    }
    SEDGE_TRY_GOTO(status, build_slices(store, &job));
    if (order != NULL) {
        for (int64_t r = 0; r < matrix->rows; r++)
            order[r] = (int32_t)sedge_sparse_row(matrix, order[r]);
        SEDGE_TRY_GOTO(status,
                       sedge_sparse_upload(&store->listed, store->device, order, 4 * matrix->rows));
    }
done:
    sedge_release(order);
    return status;
}

// ---- the kernel --------------------------------------------------------------------------------

void sedge_sparse_slice_kernels(sedge_sparse_chooser *c, int height)
{
    if (c->is_host) {
        sedge_sparse_add_kernel(c, height * (256 / height), 0, 1, 0);
        sedge_sparse_add_kernel(c, height * (1024 / height), 0, 1, 0);
        return;
    }
    sedge_sparse_add_kernel(c, 256, 0, 8, 1);
    sedge_sparse_add_kernel(c, 128, 0, 8, 1);
    sedge_sparse_add_kernel(c, 256, 0, 4, 1);
    sedge_sparse_add_kernel(c, 256, 0, 16, 1);
    sedge_sparse_add_kernel(c, 256, 0, 8, 0);
}

sedge_status sedge_sparse_slice_constants(sedge_text *out, const sedge_sparse_store *store,
                                          const sedge_sparse_kernel *kernel)
{
    const sedge_sparse_layout *const layout = &store->layout;

    return sedge_text_add(out,
                          "#define SPARSE_HEIGHT   %d\n#define SPARSE_WIDTH    %d\n"
                          "#define SPARSE_PACKED   %d\n#define SPARSE_MODES    %d\n"
                          "#define SPARSE_UNROLL   %d\n",
                          layout->height, layout->width, layout->packed, store->modes,
                          kernel->unroll);
}

int64_t sedge_sparse_slice_blocks(const sedge_sparse_store *store,
                                  const sedge_sparse_kernel *kernel)
{
    return sedge_sparse_divide_up(store->parts, kernel->threads / store->layout.height);
}

int sedge_sparse_slice_arguments(sedge_argument to[SEDGE_SPARSE_ARGUMENTS],
                                 const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    const bool has_starts = store->layout.width == 0; // which count from the shift

    (void)kernel;
    to[0] = sedge_buffer_argument(store->offsets);
    to[1] = sedge_buffer_argument(store->places);
    to[2] = sedge_sparse_shifted(store, store->columns, has_starts ? 4 : 0);
    to[3] = sedge_sparse_shifted(store, store->values, has_starts ? store->value_bytes : 0);
    to[4] = sedge_int64_argument(store->rows);
    return 5;
}
