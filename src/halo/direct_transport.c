// MPI between the devices' buffers. On the host device messages leave at start, as all packing is
// done when its call returns; else at finish, when the event behind the packing has come.
#include "halo/transport.h"

#include "base/memory.h"

#include <stdint.h>

typedef struct messages {
    const sedge_transfer *transfer;
    sedge_exchange **exchange; // [parts]
    sedge_event *packed;       // what is sent is there; NULL: at once
} messages;

static bool is_on_host(const sedge_transfer *transfer)
{
    return sedge_device_get_traits(transfer->device)->in_call;
}

static sedge_status possible(const sedge_transfer *transfer)
{
    const sedge_device_info *const info = sedge_device_get_info(transfer->device);

    if (is_on_host(transfer)) return SEDGE_OK;
    if (sedge_traits_of(info->kind)->mpi_memory) {
        if (sedge_comm_takes_device_memory()) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "transport 'direct' is not possible: this MPI does not "
                                           "take addresses of a GPU's memory");
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "transport 'direct' is not possible: no MPI takes memory of device '%s'",
                      info->kind_name);
}

static void free_messages(void *state)
{
    messages *const m = state;

    if (m == NULL) return;
    for (int part = 0; part < m->transfer->parts && m->exchange != NULL; part++)
        sedge_exchange_free(m->exchange[part]);
    sedge_release(m->exchange);
    sedge_event_free(m->packed);
    sedge_release(m);
}

static sedge_status make(messages *m, const sedge_transfer *t)
{
    uintptr_t from = 0;
    uintptr_t to = 0;

    if (!is_on_host(t)) SEDGE_TRY(sedge_event_create(&m->packed, t->device));
    if (t->peers > 0) {
        from = (uintptr_t)sedge_buffer_address(t->packed);
        to = (uintptr_t)sedge_buffer_address(t->target);
    }
    SEDGE_TRY(sedge_allocate(&m->exchange, t->parts, sizeof(sedge_exchange *)));
    for (int part = 0; part < t->parts; part++) {
        SEDGE_TRY(sedge_exchange_create(
            &m->exchange[part], t->comm, t->peers, t->ranks, t->send_offsets, t->receive_offsets,
            sedge_transfer_lengths(t, part), (const char *)from, (char *)to));
    }
    return SEDGE_OK;
}

static sedge_status create(void **out, const sedge_transfer *transfer)
{
    messages *m = NULL;
    sedge_status status = sedge_allocate(&m, 1, sizeof *m);

    if (status == SEDGE_OK) {
        m->transfer = transfer;
        status = make(m, transfer);
    }
    status = sedge_comm_agree(transfer->comm, status);
    if (status != SEDGE_OK) {
        free_messages(m);
        m = NULL;
    }
    *out = m;
    return status;
}

static void send(const messages *m, int part)
{
    sedge_exchange_post_receives(m->exchange[part]);
    sedge_exchange_start_sends(m->exchange[part]);
}

static sedge_status start(void *state, int part, sedge_stream *stream)
{
    messages *const m = state;

    if (m->packed != NULL) return sedge_event_record(m->packed, stream);
    send(m, part);
    return SEDGE_OK;
}

static void progress(void *state, int part)
{
    const messages *const m = state;

    if (m->packed == NULL) (void)sedge_exchange_test(m->exchange[part]);
}

static sedge_status finish(void *state, int part, sedge_stream *stream)
{
    messages *const m = state;

    (void)stream;
    if (m->packed != NULL) {
        SEDGE_TRY(sedge_event_wait(m->packed));
        send(m, part);
    }
    sedge_exchange_wait(m->exchange[part]);
    return SEDGE_OK;
}

static sedge_status settle(void *state, sedge_stream *stream)
{
    (void)state;
    return sedge_stream_wait(stream);
}

const sedge_transport sedge_transport_direct = {
    .name = "direct",
    .waits = true,
    .possible = possible,
    .certain = is_on_host, // MPI between buffers of the host is what MPI is for
    .create = create,
    .free = free_messages,
    .start = start,
    .progress = progress,
    .finish = finish,
    .settle = settle,
};
