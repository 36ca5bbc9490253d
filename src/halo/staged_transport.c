// By MPI through pinned memory of the host: downloaded at start, sent and uploaded at finish.
#include "halo/transport.h"

#include "base/memory.h"

typedef struct stage {
    const sedge_transfer *transfer;
    char *send;                // pinned, as `packed`
    char *receive;             // pinned, as `target`
    sedge_exchange **exchange; // [parts]
    sedge_event *packed;       // what is sent is in `send`
} stage;

static sedge_status possible(const sedge_transfer *transfer)
{
    (void)transfer;
    return SEDGE_OK;
}

// On the host device a copy in the same memory is work for nothing.
static bool on_request(const sedge_transfer *transfer)
{
    return sedge_device_get_traits(transfer->device)->in_call;
}

static bool certain(const sedge_transfer *transfer)
{
    (void)transfer;
    return true;
}

static void free_stage(void *state)
{
    stage *const s = state;

    if (s == NULL) return;
    for (int part = 0; part < s->transfer->parts && s->exchange != NULL; part++)
        sedge_exchange_free(s->exchange[part]);
    sedge_release(s->exchange);
    sedge_pinned_release(s->transfer->device, s->send);
    sedge_pinned_release(s->transfer->device, s->receive);
    sedge_event_free(s->packed);
    sedge_release(s);
}

static sedge_status make(stage *s)
{
    const sedge_transfer *const t = s->transfer;

    SEDGE_TRY(sedge_event_create(&s->packed, t->device));
    SEDGE_TRY(sedge_pinned_allocate(&s->send, t->device, t->send_offsets[t->peers]));
    SEDGE_TRY(sedge_pinned_allocate(&s->receive, t->device, t->receive_offsets[t->peers]));
    SEDGE_TRY(sedge_allocate(&s->exchange, t->parts, sizeof(sedge_exchange *)));
    for (int part = 0; part < t->parts; part++) {
        SEDGE_TRY(sedge_exchange_create(&s->exchange[part], t->comm, t->peers, t->ranks,
                                        t->send_offsets, t->receive_offsets,
                                        sedge_transfer_lengths(t, part), s->send, s->receive));
    }
    return SEDGE_OK;
}

static sedge_status create(void **out, const sedge_transfer *transfer)
{
    stage *s = NULL;
    sedge_status status = sedge_allocate(&s, 1, sizeof *s);

    if (status == SEDGE_OK) {
        s->transfer = transfer;
        status = make(s);
    }
    status = sedge_comm_agree(transfer->comm, status);
    if (status != SEDGE_OK) {
        free_stage(s);
        s = NULL;
    }
    *out = s;
    return status;
}

static sedge_status start(void *state, int part, sedge_stream *stream)
{
    stage *const s = state;
    const sedge_transfer *const t = s->transfer;

    for (int i = 0; i < sedge_transfer_pieces(t, part); i++) {
        const sedge_piece piece = sedge_transfer_piece(t, part, t->send_offsets, i);
        if (piece.bytes == 0) continue;
        SEDGE_TRY(sedge_buffer_download(t->packed, piece.first, s->send + piece.first, piece.bytes,
                                        stream));
    }
    return sedge_event_record(s->packed, stream);
}

static sedge_status finish(void *state, int part, sedge_stream *stream)
{
    stage *const s = state;
    const sedge_transfer *const t = s->transfer;

    // `receive` is free, too: the last exchange's upload is before the event in this stream.
    SEDGE_TRY(sedge_event_wait(s->packed));
    sedge_exchange_post_receives(s->exchange[part]);
    sedge_exchange_start_sends(s->exchange[part]);
    sedge_exchange_wait(s->exchange[part]);
    for (int i = 0; i < sedge_transfer_pieces(t, part); i++) {
        const sedge_piece piece = sedge_transfer_piece(t, part, t->receive_offsets, i);
        if (piece.bytes == 0) continue;
        SEDGE_TRY(sedge_buffer_upload(t->target, piece.first, s->receive + piece.first, piece.bytes,
                                      stream));
    }
    return SEDGE_OK;
}

static sedge_status settle(void *state, sedge_stream *stream)
{
    (void)state;
    return sedge_stream_wait(stream);
}

const sedge_transport sedge_transport_staged = {
    .name = "staged",
    .waits = true,
    .possible = possible,
    .on_request = on_request,
    .certain = certain,
    .create = create,
    .free = free_stage,
    .start = start,
    .finish = finish,
    .settle = settle,
};
