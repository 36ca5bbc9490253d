#include "linear/matrix_device.h"

#include "base/file.h"
#include "base/memory.h"
#include "halo/halo.h"
#include "linear/matrix_internal.h"
#include "program/launch.h"

#include <stdlib.h>
#include <string.h>

#define PLAIN_ROWS 65536 // more are not for one block of a GPU

struct sedge_matrix_device {
    sedge_context *context;
    const sedge_comm *comm;
    int real_bytes;
    int64_t rows;
    sedge_sparse *local, *halo; // halo NULL: one rank
    sedge_buffer *plain[3];     // offsets, columns, values of a small matrix on one rank; else NULL
    // The halo: sorted global columns, by owner. Peer p gets entries [sends[p], sends[p + 1]) of
    // what is sent, and columns [gets[p], gets[p + 1]) are what it sends.
    int peers;
    int *ranks;       // [peers]
    int64_t *gets;    // [peers + 1]
    int64_t *sends;   // [peers + 1]
    int64_t *columns; // [halo_rows]
    int64_t halo_rows;
    int32_t *send_rows; // [sends[peers]]; local rows
    const sedge_kernel *pack;
    sedge_buffer *rows_on_device, *outgoing, *incoming;
    sedge_halo *exchange;
    sedge_stream *copies;
    sedge_event *packed, *arrived;
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
    SEDGE_TRY(sedge_allocate(&device->gets, ranks + 1LL, sizeof *device->gets));
    SEDGE_TRY(sedge_allocate(&device->sends, ranks + 1LL, sizeof *device->sends));
    for (int p = 0; p < ranks; p++) {
        const int64_t gets = needs[(int64_t)me * ranks + p];
        const int64_t sends = needs[(int64_t)p * ranks + me];
        const int at = device->peers;
        if (gets == 0 && sends == 0) continue;
        device->ranks[at] = p;
        device->gets[at + 1] = device->gets[at] + gets;
        device->sends[at + 1] = device->sends[at] + sends;
        device->peers++;
    }
    return sedge_allocate(&device->send_rows, device->sends[device->peers],
                          sizeof *device->send_rows);
}

// Tell each owner the rows that this rank needs. Pairs meet in the order of (lower, higher) rank,
// so that no two wait for each other.
static sedge_status tell_needs(sedge_matrix_device *device, const sedge_matrix *matrix)
{
    const int me = sedge_comm_rank(device->comm);
    int64_t *requested = NULL;

    SEDGE_TRY(sedge_comm_agree(
        device->comm, sedge_allocate(&requested, device->sends[device->peers], sizeof *requested)));
    for (int p = 0; p < device->peers; p++) {
        const int other = device->ranks[p];
        const int64_t got = device->gets[p + 1] - device->gets[p];
        const int64_t sent = device->sends[p + 1] - device->sends[p];
        const int64_t *const columns = device->columns + device->gets[p];
        int64_t *const rows = requested + device->sends[p];
        if (me < other) sedge_comm_send(device->comm, columns, (size_t)got * 8, other);
        sedge_comm_receive(device->comm, rows, (size_t)sent * 8, other);
        if (me > other) sedge_comm_send(device->comm, columns, (size_t)got * 8, other);
    }
    for (int64_t k = 0; k < device->sends[device->peers]; k++)
        device->send_rows[k] = (int32_t)(requested[k] - matrix->first);
    sedge_release(requested);
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
    return found - device->columns;
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
                           .columns = mine ? matrix->rows : device->halo_rows,
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

static sedge_status make_exchange_buffers(sedge_matrix_device *device)
{
    sedge_device *const on = sedge_context_device(device->context);
    const int64_t sent = device->sends[device->peers];

    SEDGE_TRY(
        sedge_matrix_kernel(&device->pack, device->context, "matrix_pack", device->real_bytes, 1));
    SEDGE_TRY(sedge_buffer_create(&device->rows_on_device, on, sent * 4));
    SEDGE_TRY(sedge_buffer_upload(device->rows_on_device, 0, device->send_rows, sent * 4, NULL));
    SEDGE_TRY(sedge_buffer_create(&device->outgoing, on, sent * device->real_bytes));
    SEDGE_TRY(sedge_buffer_create(&device->incoming, on, device->halo_rows * device->real_bytes));
    SEDGE_TRY(sedge_stream_create(&device->copies, on, true));
    SEDGE_TRY(sedge_event_create(&device->packed, on));
    return sedge_event_create(&device->arrived, on);
}

// Entries to bytes.
static sedge_status make_offsets(int64_t **out, const sedge_matrix_device *device,
                                 const int64_t *entries)
{
    SEDGE_TRY(sedge_allocate(out, device->peers + 1LL, sizeof **out));
    for (int p = 0; p <= device->peers; p++) (*out)[p] = entries[p] * device->real_bytes;
    return SEDGE_OK;
}

// Collective.
static sedge_status make_exchange(sedge_matrix_device *device)
{
    int64_t *send_offsets = NULL;
    int64_t *receive_offsets = NULL;

    sedge_status status = make_exchange_buffers(device);
    if (status == SEDGE_OK) status = make_offsets(&send_offsets, device, device->sends);
    if (status == SEDGE_OK) status = make_offsets(&receive_offsets, device, device->gets);
    status = sedge_comm_agree(device->comm, status);
    if (status == SEDGE_OK) {
        const sedge_halo_plan plan = {.peers = device->peers,
                                      .ranks = device->ranks,
                                      .send_offsets = send_offsets,
                                      .receive_offsets = receive_offsets,
                                      .packed = device->outgoing,
                                      .target = device->incoming};
        status = sedge_halo_create(&device->exchange, device->comm,
                                   sedge_context_device(device->context), &plan);
    }
    sedge_release(send_offsets);
    sedge_release(receive_offsets);
    return status;
}

// The matrix by rows, for the solver's form of one kernel.
static sedge_status make_plain(sedge_matrix_device *device, const sedge_matrix *matrix)
{
    const int64_t count = matrix->offsets[matrix->rows];
    const int64_t bytes[3] = {(matrix->rows + 1) * 8, count * 4, count * device->real_bytes};
    sedge_status status;
    int32_t *columns = NULL;
    float *narrow = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&columns, count, sizeof *columns));
    SEDGE_TRY_GOTO(status, sedge_allocate(&narrow, count, sizeof *narrow));
    for (int64_t k = 0; k < count; k++) {
        columns[k] = (int32_t)matrix->columns[k];
        narrow[k] = (float)matrix->values[k];
    }
    const void *const arrays[3] = {matrix->offsets, columns,
                                   device->real_bytes == 8 ? (const void *)matrix->values : narrow};
    for (int i = 0; i < 3; i++) {
        SEDGE_TRY_GOTO(status,
                       sedge_buffer_create(&device->plain[i], sedge_context_device(device->context),
                                           bytes[i]));
        SEDGE_TRY_GOTO(status, sedge_buffer_upload(device->plain[i], 0, arrays[i], bytes[i], NULL));
    }
done:
    sedge_release(columns);
    sedge_release(narrow);
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
        SEDGE_TRY_GOTO(status, make_exchange(device));
    } else if (matrix->rows <= PLAIN_ROWS) {
        SEDGE_TRY_GOTO(status, make_plain(device, matrix));
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
    // What failed before stays the message: a wait that fails too has nothing to add.
    if (device->copies != NULL) (void)!sedge_stream_wait(device->copies);
    sedge_halo_free(device->exchange);
    sedge_event_free(device->arrived);
    sedge_event_free(device->packed);
    sedge_stream_free(device->copies);
    sedge_buffer_free(device->incoming);
    sedge_buffer_free(device->outgoing);
    sedge_buffer_free(device->rows_on_device);
    for (int i = 0; i < 3; i++) sedge_buffer_free(device->plain[i]);
    sedge_sparse_free(device->halo);
    sedge_sparse_free(device->local);
    sedge_release(device->ranks);
    sedge_release(device->gets);
    sedge_release(device->sends);
    sedge_release(device->columns);
    sedge_release(device->send_rows);
    sedge_release(device);
}

// ---- the product -------------------------------------------------------------------------------

// Pack what others need: in `stream`; it travels beside that.
static sedge_status start_exchange(sedge_matrix_device *device, sedge_stream *stream,
                                   const sedge_buffer *x)
{
    const int64_t entries = device->sends[device->peers];

    SEDGE_TRY(SEDGE_LAUNCH(device->pack, stream, (entries + 127) / 128, sedge_buffer_argument(x),
                           sedge_buffer_argument(device->rows_on_device),
                           sedge_buffer_argument(device->outgoing), sedge_int64_argument(entries)));
    SEDGE_TRY(sedge_event_record(device->packed, stream));
    SEDGE_TRY(sedge_stream_wait_event(device->copies, device->packed));
    return sedge_halo_start(device->exchange, device->copies);
}

static sedge_status apply_many(sedge_matrix_device *device, sedge_stream *stream,
                               const sedge_buffer *x, sedge_buffer *y)
{
    const bool has_peers = device->peers > 0;

    if (has_peers) SEDGE_TRY(start_exchange(device, stream, x));
    SEDGE_TRY(sedge_sparse_apply(device->local, stream, 1.0, x, 0.0, y));
    if (!has_peers) return SEDGE_OK;
    const double began = sedge_clock();
    SEDGE_TRY(sedge_halo_finish(device->exchange, device->copies));
    device->waited += sedge_clock() - began;
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
        op.offsets = device->plain[0];
        op.columns = device->plain[1];
        op.values = device->plain[2];
    }
    return op;
}

sedge_matrix_device_info sedge_matrix_device_get_info(const sedge_matrix_device *device)
{
    sedge_matrix_device_info info = {.local = sedge_sparse_get_info(device->local),
                                     .peers = device->peers,
                                     .halo_rows = device->halo_rows,
                                     .transport = sedge_halo_transport(device->exchange),
                                     .seconds_waited = device->waited,
                                     .calls = device->calls};

    if (device->halo == NULL) return info;
    info.halo = sedge_sparse_get_info(device->halo);
    info.bytes_exchanged =
        (double)(device->sends[device->peers] + device->halo_rows) * device->real_bytes;
    return info;
}
