// By MPI: staged through pinned memory of the host, or direct between the buffers.
#include "halo/halo_transport.h"

#include "base/memory.h"

#include <stdint.h>

typedef struct messages {
    const sedge_halo *halo;
    bool early;    // the host's work is done when its calls return: messages leave at start
    char *send;    // pinned, as `packed`; NULL: direct
    char *receive; // pinned, as `target`; NULL: direct
    sedge_exchange *exchange;
    sedge_event *packed; // what is sent is there
} messages;

static bool is_on_host(const sedge_halo *halo)
{
    return sedge_device_get_traits(halo->device)->in_call;
}

// ---- creation ----------------------------------------------------------------------------------

static void free_messages(void *state)
{
    messages *const m = state;

    if (m == NULL) return;
    sedge_exchange_free(m->exchange);
    sedge_pinned_release(m->halo->device, m->send);
    sedge_pinned_release(m->halo->device, m->receive);
    sedge_event_free(m->packed);
    sedge_release(m);
}

static sedge_status make_direct(messages *m)
{
    const sedge_halo *const halo = m->halo;
    uintptr_t from = 0;
    uintptr_t to = 0;

    if (halo->peers > 0) {
        from = (uintptr_t)sedge_buffer_address(halo->packed);
        to = (uintptr_t)sedge_buffer_address(halo->target);
    }
    return sedge_exchange_create(&m->exchange, halo->comm, halo->peers, halo->ranks,
                                 halo->send_offsets, halo->receive_offsets, (const char *)from,
                                 (char *)to);
}

static sedge_status make_staged(messages *m)
{
    const sedge_halo *const halo = m->halo;

    SEDGE_TRY(sedge_pinned_allocate(&m->send, halo->device, halo->send_offsets[halo->peers]));
    SEDGE_TRY(sedge_pinned_allocate(&m->receive, halo->device, halo->receive_offsets[halo->peers]));
    return sedge_exchange_create(&m->exchange, halo->comm, halo->peers, halo->ranks,
                                 halo->send_offsets, halo->receive_offsets, m->send, m->receive);
}

static sedge_status make(messages *m, bool staged)
{
    SEDGE_TRY(sedge_event_create(&m->packed, m->halo->device));
    return staged ? make_staged(m) : make_direct(m);
}

static sedge_status create(void **out, const sedge_halo *halo, bool staged)
{
    messages *m = NULL;
    sedge_status status = sedge_allocate(&m, 1, sizeof *m);

    *out = NULL;
    if (status == SEDGE_OK) {
        m->halo = halo;
        m->early = !staged && is_on_host(halo);
        status = make(m, staged);
    }
    status = sedge_comm_agree(halo->comm, status);
    if (status == SEDGE_OK) {
        *out = m;
    } else {
        free_messages(m);
    }
    return status;
}

static sedge_status create_staged(void **out, const sedge_halo *halo)
{
    return create(out, halo, true);
}

static sedge_status create_direct(void **out, const sedge_halo *halo)
{
    return create(out, halo, false);
}

static sedge_status staged_possible(const sedge_halo *halo)
{
    (void)halo;
    return SEDGE_OK;
}

static sedge_status direct_possible(const sedge_halo *halo)
{
    const sedge_device_info *const info = sedge_device_get_info(halo->device);

    if (sedge_traits_of(info->kind)->in_call) return SEDGE_OK;
    if (sedge_traits_of(info->kind)->mpi_memory) {
        if (sedge_comm_takes_device_memory()) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "transport 'direct' is not possible: this MPI does not "
                                           "take addresses of a GPU's memory");
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "transport 'direct' is not possible: no MPI takes memory of device '%s'",
                      info->kind_name);
}

// ---- an exchange -------------------------------------------------------------------------------

static void send(messages *m)
{
    sedge_exchange_post_receives(m->exchange);
    sedge_exchange_start_sends(m->exchange);
}

static sedge_status start(void *state, sedge_stream *stream)
{
    messages *const m = state;
    const sedge_halo *const halo = m->halo;

    if (m->early) {
        send(m);
        return SEDGE_OK;
    }
    if (m->send != NULL) {
        const int64_t first = halo->send_offsets[0];
        const int64_t bytes = halo->send_offsets[halo->peers] - first;
        SEDGE_TRY(sedge_buffer_download(halo->packed, first, m->send + first, bytes, stream));
    }
    return sedge_event_record(m->packed, stream);
}

static void progress(void *state)
{
    const messages *const m = state;

    if (m->early) (void)sedge_exchange_test(m->exchange);
}

static sedge_status finish(void *state, sedge_stream *stream)
{
    messages *const m = state;
    const sedge_halo *const halo = m->halo;

    if (!m->early) {
        // Here what the last exchange brought has left the pinned memory, too: it was copied before
        // in this stream.
        SEDGE_TRY(sedge_event_wait(m->packed));
        send(m);
    }
    sedge_exchange_wait(m->exchange);
    if (m->receive == NULL) return SEDGE_OK;
    const int64_t first = halo->receive_offsets[0];
    const int64_t bytes = halo->receive_offsets[halo->peers] - first;
    return sedge_buffer_upload(halo->target, first, m->receive + first, bytes, stream);
}

static sedge_status settle(void *state, sedge_stream *stream)
{
    (void)state;
    return sedge_stream_wait(stream);
}

const halo_transport halo_staged = {
    .name = "staged",
    .waits = true,
    .possible = staged_possible,
    .create = create_staged,
    .free = free_messages,
    .start = start,
    .progress = progress,
    .finish = finish,
    .settle = settle,
};

const halo_transport halo_direct = {
    .name = "direct",
    .waits = true,
    .possible = direct_possible,
    .create = create_direct,
    .free = free_messages,
    .start = start,
    .progress = progress,
    .finish = finish,
    .settle = settle,
};
