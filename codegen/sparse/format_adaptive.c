// adaptive: compressed rows in blocks of about equal work; short rows side by side, long rows in
// pieces (as in CSR-Adaptive, Greathouse and Daga 2014).
#include "base/memory.h"
#include "sparse/sparse_choose.h"
#include "sparse/sparse_rows.h"

enum { PIECES_ROUND = 8, PIECES_LEAST = 256 };

// Of a block of the adaptive kernel, whose items share its rows evenly: how many there are, and
// how many entries one may have to add up alone. A row of a thousand among many short ones took
// longer than all the rest of a small matrix.
enum { BLOCK_ITEMS = 256, ITEM_ENTRIES = 64 };

static void add_capacity(sedge_sparse_chooser *c, int capacity, sedge_sparse_order order,
                         double slower)
{
    sedge_sparse_layout *const layout =
        sedge_sparse_add_layout(c, &sedge_sparse_adaptive, "adaptive %d%s", capacity,
                                order == SEDGE_SPARSE_BY_COUNT ? " counted" : "");

    layout->capacity = capacity;
    layout->order = order;
    sedge_sparse_set_bytes(c, layout, sedge_sparse_rows_bytes(c->matrix), false, slower);
    sedge_sparse_add_kernel(c, 256, 0, 0, 1);
    if (order == SEDGE_SPARSE_AS_THEY_COME) sedge_sparse_add_kernel(c, 256, 0, 0, 0);
    if (!c->is_host) sedge_sparse_add_kernel(c, 128, 0, 0, 1);
}

// Sorted by count of their entries, the few columns that most entries are in lie together.
static void add_candidates(sedge_sparse_chooser *c)
{
    const double slower = c->is_host ? 1.4 : 1.2;

    add_capacity(c, 1024, SEDGE_SPARSE_AS_THEY_COME, slower);
    add_capacity(c, 2048, SEDGE_SPARSE_AS_THEY_COME, slower + 0.01);
    if (!c->is_far || c->matrix->deviation < c->mean) return;
    add_capacity(c, 1024, SEDGE_SPARSE_BY_COUNT, 1.2);
    add_capacity(c, 2048, SEDGE_SPARSE_BY_COUNT, 1.2);
}

static sedge_status add_long_row(sedge_sparse_list *work, sedge_sparse_list *runs, int64_t row,
                                 int64_t begin, int64_t length, int64_t piece_size, int64_t *pieces)
{
    const int64_t count = (length + piece_size - 1) / piece_size;
    const int64_t run[3] = {row, *pieces, count};

    for (int64_t p = 0; p < count; p++) {
        const int64_t left = length - p * piece_size;
        const int64_t block[4] = {row, -1 - (*pieces)++, begin + p * piece_size,
                                  left < piece_size ? left : piece_size};
        SEDGE_TRY(sedge_sparse_list_add(work, block, 4));
    }
    return sedge_sparse_list_add(runs, run, 3);
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

static sedge_status divide_rows(sedge_sparse_list *work, sedge_sparse_list *runs, int64_t *pieces,
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
        SEDGE_TRY(sedge_sparse_list_add(work, block, 4));
        row = end;
    }
    return SEDGE_OK;
}

static sedge_status build(sedge_sparse_store *store, sedge_context *context,
                          const sedge_sparse_matrix *matrix)
{
    sedge_sparse_list work = {.at = NULL}, runs = {.at = NULL};
    int64_t pieces = 0;
    sedge_status status;

    SEDGE_TRY(sedge_sparse_build_rows(store, context, matrix));
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

static sedge_status write_constants(sedge_text *out, const sedge_sparse_store *store,
                                    const sedge_sparse_kernel *kernel)
{
    (void)kernel;
    return sedge_text_add(out, "#define SPARSE_CAPACITY %d\n", store->layout.capacity);
}

static int count_shared(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    return (store->layout.capacity + kernel->threads) * store->real_bytes;
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
    return 5;
}

const sedge_sparse_format sedge_sparse_adaptive = {
    .name = "adaptive",
    .source = "codegen/kernels/sparse/sparse_adaptive.h",
    .candidates = add_candidates,
    .build = build,
    .constants = write_constants,
    .shared_bytes = count_shared,
    .arguments = set_arguments,
};
