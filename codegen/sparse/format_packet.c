// packet: slices of rows that use few columns together. One block works on a packet: it brings the
// numbers of x at these columns (its tile) into block memory first, and indices of 16 bits count
// inside the tile.
#include "base/memory.h"
#include "sparse/sparse_choose.h"
#include "sparse/sparse_order.h"
#include "sparse/sparse_store.h"

#include <stdio.h>
#include <string.h>

enum { HEIGHT = 32 };

// Work of one build; arrays grow with what is found.
typedef struct packet_job {
    const sedge_sparse_matrix *matrix;
    int capacity;
    int32_t *order;  // [rows]; NULL: as they come
    int32_t *place;  // [columns]: in the packet's tile plus 1; 0: not there
    int64_t *work;   // [packets][4]
    int32_t *tile;   // columns of all packets
    int64_t *starts; // [slices + 1]
    int64_t packets, tiles, tile_room;
    void *values;
    uint16_t *codes;
} packet_job;

static int64_t row_at(const packet_job *job, int64_t r)
{
    return job->order != NULL ? job->order[r] : r;
}

static sedge_status make_room(packet_job *job)
{
    int32_t *more = NULL;
    const int64_t room = 2 * job->tile_room + 4 * (int64_t)job->capacity;

    SEDGE_TRY(sedge_allocate(&more, room, sizeof *more));
    if (job->tiles > 0) memcpy(more, job->tile, (size_t)job->tiles * sizeof *more);
    sedge_release(job->tile);
    job->tile = more;
    job->tile_room = room;
    return SEDGE_OK;
}

// Add the columns of one slice to the tile that begins at `first`. False: they do not fit, and
// nothing was added.
static bool add_slice(packet_job *job, int64_t slice, int64_t first, int64_t *width)
{
    const sedge_sparse_matrix *const matrix = job->matrix;
    const int64_t before = job->tiles;

    *width = 0;
    for (int64_t r = slice * HEIGHT; r < (slice + 1) * HEIGHT && r < matrix->rows; r++) {
        const int64_t row = row_at(job, r);
        const int64_t begin = sedge_sparse_begin(matrix, row);
        const int64_t length = sedge_sparse_length(matrix, row);
        if (length > *width) *width = length;
        for (int64_t k = begin; k < begin + length; k++) {
            const int32_t c = sedge_csr_column(&matrix->csr, k);
            if (job->place[c] != 0) continue;
            if (job->tiles - first == job->capacity) {
                while (job->tiles > before) job->place[job->tile[--job->tiles]] = 0;
                return false;
            }
            job->tile[job->tiles++] = c;
            job->place[c] = (int32_t)(job->tiles - first);
        }
    }
    return true;
}

// Packets of as many slices as have their columns in one tile.
static sedge_status find_packets(packet_job *job, int64_t slices)
{
    int64_t slice = 0;

    while (slice < slices) {
        int64_t *const work = job->work + 4 * job->packets;
        const int64_t first = job->tiles, first_slice = slice;
        int64_t width;
        if (job->tiles + job->capacity > job->tile_room) SEDGE_TRY(make_room(job));
        while (slice < slices && add_slice(job, slice, first, &width)) {
            job->starts[slice + 1] = job->starts[slice] + width * HEIGHT;
            slice++;
        }
        if (slice == first_slice) {
            return SEDGE_FAIL(
                SEDGE_ERR_USAGE,
                "sparse matrix: rows %lld to %lld use more than the %d columns that a "
                "packet takes",
                (long long)slice * HEIGHT, (long long)slice * HEIGHT + HEIGHT - 1, job->capacity);
        }
        for (int64_t t = first; t < job->tiles; t++) job->place[job->tile[t]] = 0;
        work[0] = first;
        work[1] = job->tiles - first;
        work[2] = first_slice;
        work[3] = slice - first_slice;
        job->packets++;
    }
    return SEDGE_OK;
}

static void fill_packet(const packet_job *job, const int64_t *work)
{
    const sedge_sparse_matrix *const matrix = job->matrix;

    for (int64_t t = 0; t < work[1]; t++) job->place[job->tile[work[0] + t]] = (int32_t)t + 1;
    for (int64_t s = work[2]; s < work[2] + work[3]; s++) {
        for (int64_t r = s * HEIGHT; r < (s + 1) * HEIGHT && r < matrix->rows; r++) {
            const int64_t row = row_at(job, r);
            const int64_t begin = sedge_sparse_begin(matrix, row);
            for (int64_t k = 0; k < sedge_sparse_length(matrix, row); k++) {
                const int64_t at = job->starts[s] + k * HEIGHT + r % HEIGHT;
                job->codes[at] =
                    (uint16_t)(job->place[sedge_csr_column(&matrix->csr, begin + k)] - 1);
                sedge_sparse_set(job->values, at, sedge_csr_value(&matrix->csr, begin + k),
                                 matrix->value_bytes);
            }
        }
    }
    for (int64_t t = 0; t < work[1]; t++) job->place[job->tile[work[0] + t]] = 0;
}

static sedge_status upload_packets(sedge_sparse_store *store, packet_job *job, int64_t slices)
{
    sedge_device *const device = store->device;

    SEDGE_TRY(sedge_allocate(&job->values, store->stored, (size_t)store->value_bytes));
    SEDGE_TRY(sedge_allocate(&job->codes, store->stored, sizeof *job->codes));
    memset(job->codes, 0xff, (size_t)store->stored * sizeof *job->codes);
    for (int64_t p = 0; p < job->packets; p++) fill_packet(job, job->work + 4 * p);
    for (int64_t s = 0; s <= slices; s++) job->starts[s] += store->shift;
    SEDGE_TRY(sedge_sparse_upload(&store->values, device, job->values,
                                  store->stored * store->value_bytes));
    SEDGE_TRY(sedge_sparse_upload(&store->columns, device, job->codes, store->stored * 2));
    SEDGE_TRY(sedge_sparse_upload(&store->work, device, job->work, job->packets * 32));
    SEDGE_TRY(sedge_sparse_upload(&store->places, device, job->tile, job->tiles * 4));
    SEDGE_TRY(sedge_sparse_upload(&store->offsets, device, job->starts, (slices + 1) * 8));
    if (job->order == NULL) return SEDGE_OK;
    for (int64_t r = 0; r < store->rows; r++)
        job->order[r] = (int32_t)sedge_sparse_row(job->matrix, job->order[r]);
    return sedge_sparse_upload(&store->listed, device, job->order, store->rows * 4);
}

static sedge_status build(sedge_sparse_store *store, sedge_context *context,
                          const sedge_sparse_matrix *matrix)
{
    const int64_t slices = (matrix->rows + HEIGHT - 1) / HEIGHT;
    packet_job job = {.matrix = matrix, .capacity = store->layout.capacity};
    sedge_status status;

    (void)context;
    if (store->layout.window > 1)
        SEDGE_TRY_GOTO(status, sedge_sparse_sort(&job.order, matrix, store->layout.window));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.place, matrix->csr.columns, sizeof *job.place));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.work, 4 * slices, sizeof *job.work));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.starts, slices + 1, sizeof *job.starts));
    SEDGE_TRY_GOTO(status, find_packets(&job, slices));
    store->parts = job.packets;
    store->stored = job.starts[slices];
    store->bytes = (double)store->stored * (store->value_bytes + 2) + 32.0 * (double)job.packets +
                   4.0 * (double)job.tiles + 8.0 * (double)(slices + 1);
    SEDGE_TRY_GOTO(status, upload_packets(store, &job, slices));
done:
    sedge_release(job.codes);
    sedge_release(job.values);
    sedge_release(job.starts);
    sedge_release(job.tile);
    sedge_release(job.work);
    sedge_release(job.place);
    sedge_release(job.order);
    return status;
}

// ---- the format
// ----------------------------------------------------------------------------------

static void add_packet(sedge_sparse_chooser *c, const char *more, sedge_sparse_order order,
                       int64_t window)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const int capacity = 32768 / m->real_bytes;
    const bool is_sorted = order != SEDGE_SPARSE_AS_THEY_COME || window > 1;
    sedge_sparse_layout *const layout =
        sedge_sparse_add_layout(c, &sedge_sparse_packet, "packet%s", more);
    const double stored =
        is_sorted ? 1.05 * (double)m->entries : (double)sedge_sparse_padded(m, 32, 1);

    layout->capacity = capacity;
    layout->order = order;
    layout->window = window;
    // Some slice of 32 rows could overflow a tile: sorted ones, which has the longest rows
    // together, sooner than others.
    if (32 * m->longest > (is_sorted ? 1 : 16) * (int64_t)capacity ||
        stored > SEDGE_SPARSE_PADDING * (double)m->entries) {
        (void)snprintf(layout->reason, sizeof layout->reason,
                       "rows of up to %lld entries are too long for packets of %d columns",
                       (long long)m->longest, capacity);
    }
    sedge_sparse_set_bytes(c, layout, stored * (m->value_bytes + 2) + 8.0 * (double)m->rows,
                           is_sorted, 1.3);
    sedge_sparse_add_kernel(c, 256, 0, 4, 1);
    sedge_sparse_add_kernel(c, 512, 0, 4, 1);
    sedge_sparse_add_kernel(c, 256, 0, 8, 1);
}

static void add_candidates(sedge_sparse_chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;

    add_packet(c, "", SEDGE_SPARSE_AS_THEY_COME, 1);
    if (m->deviation > SEDGE_SPARSE_UNEVEN * c->mean)
        add_packet(c, " sorted 256", SEDGE_SPARSE_AS_THEY_COME, 256);
    if (c->is_far && m->csr.rows == m->csr.columns && m->listed == NULL && m->deviation < c->mean)
        add_packet(c, " ordered", SEDGE_SPARSE_BY_BREADTH, 1);
}

// Near columns of a tile are read once, without waste.
static double count_scattered(const sedge_sparse_chooser *c)
{
    return c->is_far ? 1.0 : 0.0;
}

static sedge_status write_constants(sedge_text *out, const sedge_sparse_store *store,
                                    const sedge_sparse_kernel *kernel)
{
    return sedge_text_add(out, "#define SPARSE_TILE     %d\n#define SPARSE_UNROLL   %d\n",
                          store->layout.capacity, kernel->unroll);
}

static int count_shared(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    (void)kernel;
    return store->layout.capacity * store->real_bytes;
}

static int set_arguments(sedge_argument to[SEDGE_SPARSE_ARGUMENTS], const sedge_sparse_store *store,
                         const sedge_sparse_kernel *kernel)
{
    (void)kernel;
    to[0] = sedge_buffer_argument(store->work);
    to[1] = sedge_buffer_argument(store->places);
    to[2] = sedge_buffer_argument(store->offsets);
    to[3] = sedge_sparse_shifted(store, store->columns, 2);
    to[4] = sedge_sparse_shifted(store, store->values, store->value_bytes);
    to[5] = sedge_int64_argument(store->rows);
    return 6;
}

const sedge_sparse_format sedge_sparse_packet = {
    .name = "packet",
    .source = "codegen/kernels/sparse/sparse_packet.h",
    .is_sampled = true,
    .row_items = 1,
    .scattered = count_scattered,
    .candidates = add_candidates,
    .build = build,
    .constants = write_constants,
    .shared_bytes = count_shared,
    .arguments = set_arguments,
};
