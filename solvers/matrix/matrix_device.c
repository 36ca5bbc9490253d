#include "matrix/matrix_device.h"

#include "base/file.h"
#include "base/memory.h"
#include "codegen/launch.h"

#include <stdlib.h>
#include <string.h>

static const char pack_text[] = "#define PACK_LIST(X)                                  \\\n"
                                "    X(const SEDGE_GLOBAL sedge_number *, x)           \\\n"
                                "    X(const SEDGE_GLOBAL int *, rows)                 \\\n"
                                "    X(SEDGE_GLOBAL sedge_number *, out)               \\\n"
                                "    X(sedge_int64, count)\n"
                                "\n"
                                "SEDGE_KERNEL(sedge_pack, 128, PACK_LIST)\n"
                                "{\n"
                                "    SEDGE_OUTER (b) {\n"
                                "        SEDGE_ITEMS (g, 1, i, 128, 128) {\n"
                                "            const sedge_int64 at = b * 128 + i + g;\n"
                                "            if (at < count) out[at] = x[rows[at]];\n"
                                "        }\n"
                                "    }\n"
                                "}\n";

struct sedge_matrix_device {
    sedge_context *context;
    const sedge_comm *comm;
    int real_bytes;
    int64_t rows;
    sedge_sparse *local, *halo; // halo NULL: one rank
    // The halo: sorted global columns, by owner. Peer p sends and gets [places[p], places[p + 1])
    // of the buffers, the longer of both directions.
    int peers;
    int *ranks;       // [peers]
    int64_t *gets;    // [peers]: rows
    int64_t *sends;   // [peers]
    int64_t *places;  // [peers + 1]
    int64_t *columns; // [halo_rows]
    int64_t halo_rows;
    int32_t *send_rows; // [places[peers]]; local rows, padding is 0
    const sedge_kernel *pack;
    sedge_buffer *rows_on_device, *outgoing, *incoming;
    char *pinned_out, *pinned_in;
    sedge_exchange *exchange;
    sedge_stream *copies;
    sedge_event *packed, *taken, *arrived;
    double waited;
    int64_t calls;
};

// ---- who needs what ----------------------------------------------------------------------------

static int compare_columns(const void *left, const void *right)
{
    int64_t a, b;

    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return (a > b) - (a < b);
}

static bool is_mine(const sedge_matrix *matrix, int64_t column)
{
    return column >= matrix->first && column < matrix->first + matrix->rows;
}

static sedge_status find_columns(sedge_matrix_device *device, const sedge_matrix *matrix)
{
    const int64_t count = matrix->offsets[matrix->rows];
    int64_t found = 0;

    for (int64_t k = 0; k < count; k++) found += !is_mine(matrix, matrix->columns[k]);
    SEDGE_TRY(sedge_allocate(&device->columns, found, sizeof *device->columns));
    found = 0;
    for (int64_t k = 0; k < count; k++)
        if (!is_mine(matrix, matrix->columns[k])) device->columns[found++] = matrix->columns[k];
    qsort(device->columns, (size_t)found, sizeof *device->columns, compare_columns);
    for (int64_t k = 0; k < found; k++) {
        if (k == 0 || device->columns[k] != device->columns[k - 1])
            device->columns[device->halo_rows++] = device->columns[k];
    }
    return SEDGE_OK;
}

// needs[rank][owner] of all ranks.
static sedge_status count_needs(const sedge_matrix_device *device, const sedge_matrix *matrix,
                                int64_t **out)
{
    const int ranks = sedge_comm_size(device->comm);
    sedge_status status;
    int64_t *ends = NULL;
    int64_t *mine = NULL;
    const int64_t end = matrix->first + matrix->rows;
    int owner = 0;

    status = sedge_allocate(&ends, ranks, sizeof *ends);
    if (status == SEDGE_OK) status = sedge_allocate(&mine, ranks, sizeof *mine);
    if (status == SEDGE_OK) status = sedge_allocate(out, (int64_t)ranks * ranks, sizeof **out);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(device->comm, status));
    sedge_comm_all_gather(device->comm, &end, ends, sizeof end);
    for (int64_t k = 0; k < device->halo_rows; k++) {
        while (device->columns[k] >= ends[owner]) owner++;
        mine[owner]++;
    }
    sedge_comm_all_gather(device->comm, mine, *out, (size_t)ranks * sizeof *mine);
done:
    sedge_release(ends);
    sedge_release(mine);
    return status;
}

static sedge_status find_peers(sedge_matrix_device *device, const int64_t *needs)
{
    const int ranks = sedge_comm_size(device->comm);
    const int me = sedge_comm_rank(device->comm);

    SEDGE_TRY(sedge_allocate(&device->ranks, ranks, sizeof *device->ranks));
    SEDGE_TRY(sedge_allocate(&device->gets, ranks, sizeof *device->gets));
    SEDGE_TRY(sedge_allocate(&device->sends, ranks, sizeof *device->sends));
    SEDGE_TRY(sedge_allocate(&device->places, ranks + 1LL, sizeof *device->places));
    for (int p = 0; p < ranks; p++) {
        const int64_t gets = needs[(int64_t)me * ranks + p];
        const int64_t sends = needs[(int64_t)p * ranks + me];
        const int64_t longer = gets > sends ? gets : sends;
        if (longer == 0) continue;
        device->ranks[device->peers] = p;
        device->gets[device->peers] = gets;
        device->sends[device->peers] = sends;
        device->places[device->peers + 1] = device->places[device->peers] + longer;
        device->peers++;
    }
    return sedge_allocate(&device->send_rows, device->places[device->peers],
                          sizeof *device->send_rows);
}

// Tell each owner the rows that this rank needs. Pairs meet in the order of (lower, higher) rank,
// so that no two wait for each other.
static sedge_status tell_needs(sedge_matrix_device *device, const sedge_matrix *matrix)
{
    const int me = sedge_comm_rank(device->comm);
    int64_t *wanted = NULL;
    int64_t at = 0;

    SEDGE_TRY(sedge_comm_agree(
        device->comm, sedge_allocate(&wanted, device->places[device->peers], sizeof *wanted)));
    for (int p = 0; p < device->peers; p++) {
        const int other = device->ranks[p];
        const size_t get_bytes = (size_t)device->gets[p] * sizeof *wanted;
        const size_t send_bytes = (size_t)device->sends[p] * sizeof *wanted;
        if (me < other) sedge_comm_send(device->comm, device->columns + at, get_bytes, other);
        sedge_comm_receive(device->comm, wanted, send_bytes, other);
        if (me > other) sedge_comm_send(device->comm, device->columns + at, get_bytes, other);
        for (int64_t k = 0; k < device->sends[p]; k++)
            device->send_rows[device->places[p] + k] = (int32_t)(wanted[k] - matrix->first);
        at += device->gets[p];
    }
    sedge_release(wanted);
    return SEDGE_OK;
}

static sedge_status plan(sedge_matrix_device *device, const sedge_matrix *matrix)
{
    sedge_status status;
    int64_t *needs = NULL;

    SEDGE_TRY(sedge_comm_agree(device->comm, find_columns(device, matrix)));
    SEDGE_TRY_GOTO(status, count_needs(device, matrix, &needs));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(device->comm, find_peers(device, needs)));
    status = tell_needs(device, matrix);
done:
    sedge_release(needs);
    return status;
}

// ---- the two matrices --------------------------------------------------------------------------

// Where a halo column lies in the buffer that receives it.
static int64_t halo_place(const sedge_matrix_device *device, int64_t column)
{
    const int64_t *const found = bsearch(&column, device->columns, (size_t)device->halo_rows,
                                         sizeof column, compare_columns);
    int64_t index = found - device->columns;

    for (int p = 0; p < device->peers; p++) {
        if (index < device->gets[p]) return device->places[p] + index;
        index -= device->gets[p];
    }
    return 0; // not reached: every column is one of a peer's
}

// The entries whose columns are this rank's, or are not.
static sedge_status make_sparse(sedge_sparse **out, const sedge_matrix_device *device,
                                const sedge_matrix *matrix, bool mine, sedge_tune_level tune)
{
    const int64_t count = matrix->offsets[matrix->rows];
    sedge_status status;
    int64_t *offsets = NULL;
    int64_t *columns = NULL;
    double *values = NULL;
    int64_t at = 0;

    status = sedge_allocate(&offsets, matrix->rows + 1, sizeof *offsets);
    if (status == SEDGE_OK) status = sedge_allocate(&columns, count, sizeof *columns);
    if (status == SEDGE_OK) status = sedge_allocate(&values, count, sizeof *values);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(device->comm, status));
    for (int64_t i = 0; i < matrix->rows; i++) {
        for (int64_t k = matrix->offsets[i]; k < matrix->offsets[i + 1]; k++) {
            const int64_t column = matrix->columns[k];
            if (is_mine(matrix, column) != mine) continue;
            columns[at] = mine ? column - matrix->first : halo_place(device, column);
            values[at++] = matrix->values[k];
        }
        offsets[i + 1] = at;
    }
    const sedge_csr csr = {.rows = matrix->rows,
                           .columns = mine ? matrix->rows : device->places[device->peers],
                           .offsets = offsets,
                           .columns64 = columns,
                           .values64 = values};
    const sedge_sparse_options options = {.real_bytes = device->real_bytes,
                                          .dot = sedge_comm_size(device->comm) == 1,
                                          .has_tune = true,
                                          .tune = tune,
                                          .comm = device->comm};
    status = sedge_sparse_create(out, device->context, &csr, &options);
done:
    sedge_release(offsets);
    sedge_release(columns);
    sedge_release(values);
    return status;
}

static sedge_status make_exchange(sedge_matrix_device *device)
{
    sedge_device *const on = sedge_context_device(device->context);
    const int64_t entries = device->places[device->peers];
    const int64_t bytes = entries * device->real_bytes;
    char text[sizeof pack_text + 64];
    sedge_status status;
    int64_t *places = NULL;

    (void)snprintf(text, sizeof text, "typedef %s sedge_number;\n%s",
                   device->real_bytes == 8 ? "double" : "float", pack_text);
    SEDGE_TRY(sedge_context_kernel(device->context, &device->pack, "sedge_pack",
                                   "solvers/matrix/matrix_device.c", text));
    SEDGE_TRY(sedge_buffer_create(&device->rows_on_device, on, entries * 4));
    SEDGE_TRY(sedge_buffer_upload(device->rows_on_device, 0, device->send_rows, entries * 4, NULL));
    SEDGE_TRY(sedge_buffer_create(&device->outgoing, on, bytes));
    SEDGE_TRY(sedge_buffer_create(&device->incoming, on, bytes));
    SEDGE_TRY(sedge_pinned_allocate(&device->pinned_out, on, bytes));
    SEDGE_TRY(sedge_pinned_allocate(&device->pinned_in, on, bytes));
    SEDGE_TRY(sedge_stream_create(&device->copies, on, true));
    SEDGE_TRY(sedge_event_create(&device->packed, on));
    SEDGE_TRY(sedge_event_create(&device->taken, on));
    SEDGE_TRY(sedge_event_create(&device->arrived, on));
    SEDGE_TRY(sedge_allocate(&places, device->peers + 1LL, sizeof *places));
    for (int p = 0; p <= device->peers; p++) places[p] = device->places[p] * device->real_bytes;
    status = sedge_exchange_create(&device->exchange, device->comm, device->peers, device->ranks,
                                   places, device->pinned_out, device->pinned_in);
    sedge_release(places);
    return status;
}

sedge_status sedge_matrix_device_create(sedge_matrix_device **out, sedge_context *context,
                                        const sedge_comm *comm, const sedge_matrix *matrix,
                                        int real_bytes, sedge_tune_level tune)
{
    sedge_status status;
    sedge_matrix_device *device = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&device, 1, sizeof *device)));
    device->context = context;
    device->comm = comm;
    device->real_bytes = real_bytes;
    device->rows = matrix->rows;
    if (sedge_comm_size(comm) > 1) SEDGE_TRY_GOTO(status, plan(device, matrix));
    SEDGE_TRY_GOTO(status, make_sparse(&device->local, device, matrix, true, tune));
    if (sedge_comm_size(comm) > 1) {
        SEDGE_TRY_GOTO(status, make_sparse(&device->halo, device, matrix, false, tune));
        SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_exchange(device)));
    }
    *out = device;
    device = NULL;
done:
    sedge_matrix_device_free(device);
    return status;
}

void sedge_matrix_device_free(sedge_matrix_device *device)
{
    if (device == NULL) return;
    sedge_device *const on = sedge_context_device(device->context);
    sedge_exchange_free(device->exchange);
    sedge_event_free(device->arrived);
    sedge_event_free(device->taken);
    sedge_event_free(device->packed);
    sedge_stream_free(device->copies);
    sedge_pinned_release(on, device->pinned_in);
    sedge_pinned_release(on, device->pinned_out);
    sedge_buffer_free(device->incoming);
    sedge_buffer_free(device->outgoing);
    sedge_buffer_free(device->rows_on_device);
    sedge_sparse_free(device->halo);
    sedge_sparse_free(device->local);
    sedge_release(device->ranks);
    sedge_release(device->gets);
    sedge_release(device->sends);
    sedge_release(device->places);
    sedge_release(device->columns);
    sedge_release(device->send_rows);
    sedge_release(device);
}

// ---- the product -------------------------------------------------------------------------------

// Pack what others need, and bring it to the host: the packing in `stream`, the copy beside it.
static sedge_status start_packing(sedge_matrix_device *device, sedge_stream *stream,
                                  const sedge_buffer *x)
{
    const int64_t entries = device->places[device->peers];

    sedge_exchange_post_receives(device->exchange);
    SEDGE_TRY(SEDGE_LAUNCH(device->pack, stream, (entries + 127) / 128, sedge_buffer_argument(x),
                           sedge_buffer_argument(device->rows_on_device),
                           sedge_buffer_argument(device->outgoing), sedge_int64_argument(entries)));
    SEDGE_TRY(sedge_event_record(device->packed, stream));
    SEDGE_TRY(sedge_stream_wait_event(device->copies, device->packed));
    SEDGE_TRY(sedge_buffer_download(device->outgoing, 0, device->pinned_out,
                                    entries * device->real_bytes, device->copies));
    return sedge_event_record(device->taken, device->copies);
}

static sedge_status apply_many(sedge_matrix_device *device, sedge_stream *stream,
                               const sedge_buffer *x, sedge_buffer *y)
{
    const int64_t bytes = device->places[device->peers] * device->real_bytes;
    bool is_taken = false;

    SEDGE_TRY(start_packing(device, stream, x));
    // On the host all is done by now, and messages travel while the product is made.
    SEDGE_TRY(sedge_event_query(device->taken, &is_taken));
    if (is_taken) sedge_exchange_start_sends(device->exchange);
    SEDGE_TRY(sedge_sparse_apply(device->local, stream, 1.0, x, 0.0, y));
    if (!is_taken) {
        SEDGE_TRY(sedge_event_wait(device->taken));
        sedge_exchange_start_sends(device->exchange);
    }
    const double began = sedge_clock();
    sedge_exchange_wait(device->exchange);
    device->waited += sedge_clock() - began;
    SEDGE_TRY(sedge_buffer_upload(device->incoming, 0, device->pinned_in, bytes, device->copies));
    SEDGE_TRY(sedge_event_record(device->arrived, device->copies));
    SEDGE_TRY(sedge_stream_wait_event(stream, device->arrived));
    return sedge_sparse_apply(device->halo, stream, 1.0, device->incoming, 1.0, y);
}

static sedge_status apply(void *context, sedge_stream *stream, const sedge_buffer *x,
                          sedge_buffer *y)
{
    sedge_matrix_device *const device = context;

    device->calls++;
    if (device->halo != NULL) return apply_many(device, stream, x, y);
    return sedge_sparse_apply(device->local, stream, 1.0, x, 0.0, y);
}

static sedge_status apply_dot(void *context, sedge_stream *stream, const sedge_buffer *x,
                              sedge_buffer *y, sedge_buffer *sums)
{
    sedge_matrix_device *const device = context;

    device->calls++;
    return sedge_sparse_apply_dot(device->local, stream, 1.0, x, 0.0, y, x, sums);
}

sedge_krylov_operator sedge_matrix_device_operator(sedge_matrix_device *device)
{
    const bool alone = device->halo == NULL;
    sedge_krylov_operator op = {
        .context = device,
        .apply = apply,
        .waits = !alone,
        .bytes = sedge_sparse_get_info(device->local)->compulsory_bytes +
                 (alone ? 0.0 : sedge_sparse_get_info(device->halo)->compulsory_bytes),
    };

    if (alone) {
        op.apply_dot = apply_dot;
        op.sums_count = sedge_sparse_sums(device->local);
    }
    return op;
}

sedge_matrix_device_info sedge_matrix_device_get_info(const sedge_matrix_device *device)
{
    sedge_matrix_device_info info = {.local = sedge_sparse_get_info(device->local),
                                     .peers = device->peers,
                                     .halo_rows = device->halo_rows,
                                     .seconds_waited = device->waited,
                                     .calls = device->calls};

    if (device->halo == NULL) return info;
    info.halo = sedge_sparse_get_info(device->halo);
    info.bytes_exchanged = 2.0 * (double)device->places[device->peers] * device->real_bytes;
    return info;
}
