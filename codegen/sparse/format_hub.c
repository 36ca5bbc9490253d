// hub: for graphs in which few columns (hubs) have most entries. Rows are divided into pieces, the
// pieces sorted by length and stored in slices; blocks that stay for all of the product bring the
// numbers of x at the columns most used into block memory.
#include "base/memory.h"
#include "base/parallel.h"
#include "sparse/sparse_choose.h"
#include "sparse/sparse_order.h"
#include "sparse/sparse_store.h"

#include <string.h>

enum { HEIGHT = 32, GRAIN = 1 << 9, FEW_PIECES = 32, PIECE = 16, MULTIPROCESSOR_THREADS = 1024 };

typedef struct hub_job {
    const sedge_sparse_matrix *matrix;
    int width; // entries of a piece, at most
    int64_t count;
    int64_t *begins; // [count]: first entry
    int32_t *lengths, *targets;
    int64_t *starts; // [slices + 1]
    int32_t *codes;  // [columns]: what stands for each
    int64_t first;   // slice that `values` and `columns` begin with
    char *values;
    int32_t *columns;
} hub_job;

// ---- pieces ------------------------------------------------------------------------------------

static int64_t pieces_of(const hub_job *job, int64_t length)
{
    return length <= job->width ? 1 : (length + job->width - 1) / job->width;
}

// Sort all pieces by length; rows of several get places for their sums, in order.
static sedge_status sort_pieces(sedge_sparse_store *store, hub_job *job)
{
    const sedge_sparse_matrix *const matrix = job->matrix;
    int64_t *starts = NULL;
    int64_t cut = 0;

    for (int64_t r = 0; r < matrix->rows; r++) {
        const int64_t pieces = pieces_of(job, sedge_sparse_length(matrix, r));
        job->count += pieces;
        if (pieces > 1) cut += pieces;
    }
    if (cut > INT32_MAX)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "sparse matrix: more than 2^31 - 1 pieces of rows");
    SEDGE_TRY(sedge_allocate(&job->begins, job->count, sizeof *job->begins));
    SEDGE_TRY(sedge_allocate(&job->lengths, job->count, sizeof *job->lengths));
    SEDGE_TRY(sedge_allocate(&job->targets, job->count, sizeof *job->targets));
    SEDGE_TRY(sedge_allocate(&starts, job->width + 2, sizeof *starts));
    cut = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t r = 0; r < matrix->rows; r++) {
            const int64_t length = sedge_sparse_length(matrix, r);
            const int64_t pieces = pieces_of(job, length);
            for (int64_t p = 0; p < pieces; p++) {
                const int64_t begin = length * p / pieces;
                const int64_t own = length * (p + 1) / pieces - begin;
                int64_t *const start = &starts[job->width - own + (pass == 0)];
                const int64_t at = (*start)++;
                if (pass == 0) continue;
                job->begins[at] = sedge_sparse_begin(matrix, r) + begin;
                job->lengths[at] = (int32_t)own;
                job->targets[at] = (int32_t)(pieces == 1 ? r : -1 - cut++);
            }
        }
        for (int l = 0; pass == 0 && l <= job->width; l++) starts[l + 1] += starts[l];
    }
    sedge_release(starts);
    return sedge_buffer_create(&store->pieces, store->device, cut * store->real_bytes);
}

// Rows of several pieces, those of few first.
static sedge_status list_runs(sedge_sparse_store *store, const hub_job *job)
{
    const sedge_sparse_matrix *const matrix = job->matrix;
    int64_t *runs = NULL;
    int64_t count = 0;

    for (int64_t r = 0; r < matrix->rows; r++)
        count += pieces_of(job, sedge_sparse_length(matrix, r)) > 1;
    SEDGE_TRY(sedge_allocate(&runs, 3 * count, sizeof *runs));
    count = 0;
    for (int pass = 0; pass < 2; pass++) {
        int64_t first = 0;
        for (int64_t r = 0; r < matrix->rows; r++) {
            const int64_t pieces = pieces_of(job, sedge_sparse_length(matrix, r));
            if (pieces == 1) continue;
            if ((pieces > FEW_PIECES) == (pass == 1)) {
                const int64_t run[3] = {r, first, pieces};
                memcpy(runs + 3 * count++, run, sizeof run);
            }
            first += pieces;
        }
        if (pass == 0) store->few = count;
    }
    store->many = count - store->few;
    store->bytes += (double)count * (24.0 + store->real_bytes);
    const sedge_status status = sedge_sparse_upload(&store->runs, store->device, runs, 24 * count);
    sedge_release(runs);
    return status;
}

// ---- columns -----------------------------------------------------------------------------------

// The columns most used, as far as a block that brings their x into its memory saves reads with
// them: x comes there in pieces of 32 bytes, and outside one is read for each entry.
static sedge_status find_hot(sedge_sparse_store *store, hub_job *job)
{
    const int64_t columns = job->matrix->csr.columns;
    const int64_t blocks = sedge_device_get_info(store->device)->multiprocessors;
    const int whole = PIECE / store->real_bytes; // x is copied by 16 bytes
    int64_t most = columns < store->layout.capacity ? columns : store->layout.capacity;
    int64_t hot = 0;
    int32_t *order = NULL, *counts = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&order, columns, sizeof *order));
    SEDGE_TRY_GOTO(status, sedge_allocate(&counts, columns, sizeof *counts));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->codes, columns, sizeof *job->codes));
    SEDGE_TRY_GOTO(status, sedge_sparse_sort_columns(order, counts, job->matrix));
    most -= most % whole;
    while (hot < most && 32 * (int64_t)counts[order[hot]] > blocks * store->real_bytes) hot++;
    hot -= hot % whole;
    for (int64_t c = 0; c < columns; c++) job->codes[c] = (int32_t)c;
    for (int64_t h = 0; h < hot; h++) job->codes[order[h]] = (int32_t)(-2 - h);
    store->columns_count = hot;
    SEDGE_TRY_GOTO(status, sedge_sparse_upload(&store->gather, store->device, order, 4 * hot));
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_create(&store->gathered, store->device, hot * store->real_bytes));
    store->bytes += (double)hot * (4.0 + 2.0 * store->real_bytes);
done:
    sedge_release(counts);
    sedge_release(order);
    return status;
}

// ---- slices ------------------------------------------------------------------------------------

static void write_slices(void *context, int64_t first, int64_t end)
{
    const hub_job *const job = context;
    const sedge_sparse_matrix *const matrix = job->matrix;

    for (int64_t s = job->first + first; s < job->first + end; s++) {
        const int64_t start = job->starts[s] - job->starts[job->first];
        const int64_t stored = job->starts[s + 1] - job->starts[s];
        memset(job->values + start * matrix->value_bytes, 0,
               (size_t)(stored * matrix->value_bytes));
        memset(job->columns + start, 0xff, (size_t)stored * sizeof *job->columns);
        for (int64_t p = s * HEIGHT; p < (s + 1) * HEIGHT && p < job->count; p++) {
            for (int k = 0; k < job->lengths[p]; k++) {
                const int64_t at = start + (int64_t)k * HEIGHT + p % HEIGHT;
                job->columns[at] = job->codes[sedge_csr_column(&matrix->csr, job->begins[p] + k)];
                sedge_sparse_set(job->values, at, sedge_csr_value(&matrix->csr, job->begins[p] + k),
                                 matrix->value_bytes);
            }
        }
    }
}

// Fill and upload, some slices at a time. A slice is as wide as its first piece.
static sedge_status upload_slices(sedge_sparse_store *store, hub_job *job, int64_t slices)
{
    const int64_t size = store->value_bytes;
    const int64_t all = job->starts[slices];
    const int64_t room = all < SEDGE_SPARSE_CHUNK ? all : SEDGE_SPARSE_CHUNK + HEIGHT * job->width;
    int64_t end;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&job->values, room, (size_t)size));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job->columns, room, sizeof *job->columns));
    for (int64_t s = 0; s < slices; s = end) {
        for (end = s + 1; end < slices && job->starts[end + 1] - job->starts[s] <= room;) end++;
        const int64_t start = job->starts[s], stored = job->starts[end] - start;
        if (stored == 0) continue;
        job->first = s;
        sedge_parallel(job->matrix->threads, end - s, GRAIN, write_slices, job);
        SEDGE_TRY_GOTO(status, sedge_buffer_upload(store->values, size * start, job->values,
                                                   size * stored, NULL));
        SEDGE_TRY_GOTO(
            status, sedge_buffer_upload(store->columns, 4 * start, job->columns, 4 * stored, NULL));
    }
done:
    return status;
}

static sedge_status build_arrays(sedge_sparse_store *store, hub_job *job)
{
    sedge_device *const device = store->device;

    SEDGE_TRY(sort_pieces(store, job));
    SEDGE_TRY(list_runs(store, job));
    SEDGE_TRY(find_hot(store, job));
    const int64_t slices = (job->count + HEIGHT - 1) / HEIGHT;
    SEDGE_TRY(sedge_allocate(&job->starts, slices + 1, sizeof *job->starts));
    for (int64_t s = 0; s < slices; s++)
        job->starts[s + 1] = job->starts[s] + HEIGHT * (int64_t)job->lengths[s * HEIGHT];
    store->parts = slices;
    store->things = job->count;
    store->stored = job->starts[slices];
    store->bytes += (double)store->stored * (store->value_bytes + 4) + 4.0 * (double)job->count +
                    8.0 * (double)(slices + 1);
    SEDGE_TRY(sedge_buffer_create(&store->values, device, store->stored * store->value_bytes));
    SEDGE_TRY(sedge_buffer_create(&store->columns, device, store->stored * 4));
    SEDGE_TRY(upload_slices(store, job, slices));
    SEDGE_TRY(sedge_sparse_upload(&store->places, device, job->targets, 4 * job->count));
    for (int64_t s = 0; s <= slices; s++) job->starts[s] += store->shift;
    return sedge_sparse_upload(&store->offsets, device, job->starts, 8 * (slices + 1));
}

static sedge_status build(sedge_sparse_store *store, sedge_context *context,
                          const sedge_sparse_matrix *matrix)
{
    hub_job job = {.matrix = matrix, .width = store->layout.width};
    const sedge_status status = build_arrays(store, &job);

    (void)context;
    sedge_release(job.columns);
    sedge_release(job.values);
    sedge_release(job.codes);
    sedge_release(job.starts);
    sedge_release(job.targets);
    sedge_release(job.lengths);
    sedge_release(job.begins);
    return status;
}

// ---- the format
// ----------------------------------------------------------------------------------

static int64_t count_scratch(const sedge_sparse_store *store)
{
    return (int64_t)store->layout.capacity * store->real_bytes;
}

static int64_t count_blocks(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    const int side_by_side =
        kernel->threads < MULTIPROCESSOR_THREADS ? MULTIPROCESSOR_THREADS / kernel->threads : 1;
    const int64_t most =
        (int64_t)sedge_device_get_info(store->device)->multiprocessors * side_by_side;
    const int64_t slices = kernel->threads / HEIGHT;
    const int64_t needed = (store->parts + slices - 1) / slices;

    return needed < most || most == 0 ? needed : most;
}

// `kib` of block memory for the columns most used, `width` entries a piece at most.
static void add_hub(sedge_sparse_chooser *c, int kib, int width)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const bool is_gpu = sedge_traits_of(c->info->kind)->gpu_rules;
    const bool is_fit = c->is_far && m->deviation >= c->mean;
    sedge_sparse_layout *const layout =
        sedge_sparse_add_layout(c, &sedge_sparse_hub, "hub %d %d", kib, width);

    layout->capacity = kib * 1024 / m->real_bytes;
    layout->width = width;
    sedge_sparse_set_bytes(c, layout,
                           (double)m->entries * (m->value_bytes + 4) + 4.25 * (double)m->rows,
                           false, (is_fit ? 1.0 : 1.7) * (c->is_host ? 2.0 : 1.0));
    const int threads = is_gpu ? 1024 : 256;
    sedge_sparse_add_kernel(c, threads, 0, 4, 1);
    if (m->real_bytes == 4) sedge_sparse_add_kernel(c, threads, 0, 8, 1);
}

// A multiprocessor's memory is divided between blocks and the cache in a few ways (CUDA C++
// Programming Guide, compute capabilities); all for the block is 1.2 times slower than the next of
// them (benchmarks/README.md): x outside the block's memory wants the cache.
static int find_hub(int64_t shared_bytes_block)
{
    static const int kib[] = {196, 132, 64, 32};
    const int own = 16; // a dot product's, and some

    for (size_t i = 0; i < sizeof kib / sizeof *kib; i++)
        if (kib[i] < shared_bytes_block / 1024) return kib[i] - own;
    return 0;
}

static void add_candidates(sedge_sparse_chooser *c)
{
    const int kib = find_hub(c->info->shared_bytes_block);

    if (!sedge_traits_of(c->info->kind)->gpu_rules) {
        add_hub(c, 16, 64);
    } else if (kib > 0) {
        add_hub(c, kib, 64);
    }
}

// The columns outside block memory leave as much as a good order does.
static double count_scattered(const sedge_sparse_chooser *c)
{
    (void)c;
    return SEDGE_SPARSE_GATHERED;
}

static sedge_status write_constants(sedge_text *out, const sedge_sparse_store *store,
                                    const sedge_sparse_kernel *kernel)
{
    return sedge_text_add(out, "#define SPARSE_HOT      %d\n#define SPARSE_UNROLL   %d\n",
                          store->layout.capacity, kernel->unroll);
}

static int set_arguments(sedge_argument to[SEDGE_SPARSE_ARGUMENTS], const sedge_sparse_store *store,
                         const sedge_sparse_kernel *kernel)
{
    to[0] = sedge_buffer_argument(store->gathered);
    to[1] = sedge_int32_argument((int32_t)store->columns_count);
    to[2] = sedge_buffer_argument(store->offsets);
    to[3] = sedge_sparse_shifted(store, store->columns, 4);
    to[4] = sedge_sparse_shifted(store, store->values, store->value_bytes);
    to[5] = sedge_buffer_argument(store->places);
    to[6] = sedge_buffer_argument(store->pieces);
    to[7] = sedge_int64_argument(store->things);
    to[8] = sedge_int64_argument(count_blocks(store, kernel));
    return 9;
}

const sedge_sparse_format sedge_sparse_hub = {
    .name = "hub",
    .source = "codegen/kernels/sparse/sparse_hub.h",
    .scattered = count_scattered,
    .candidates = add_candidates,
    .build = build,
    .constants = write_constants,
    .scratch_bytes = count_scratch,
    .blocks = count_blocks,
    .arguments = set_arguments,
};
