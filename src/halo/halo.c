#include "halo/halo.h"

#include "base/memory.h"
#include "halo/choose.h"

#include <assert.h>
#include <string.h>

struct sedge_halo {
    sedge_transfer transfer;
    const sedge_transport *transport; // NULL: not chosen yet, or one rank
    void *state;
    bool is_under_way; // between start and finish
    int part;          // of the exchange that was started last
};

// ---- parts -------------------------------------------------------------------------------------

const int64_t *sedge_transfer_lengths(const sedge_transfer *transfer, int part)
{
    return part + 1 < transfer->parts ? transfer->lengths + (int64_t)part * transfer->peers : NULL;
}

int sedge_transfer_pieces(const sedge_transfer *transfer, int part)
{
    return sedge_transfer_lengths(transfer, part) == NULL ? 1 : transfer->peers;
}

sedge_piece sedge_transfer_piece(const sedge_transfer *transfer, int part, const int64_t *offsets,
                                 int i)
{
    const int64_t *const lengths = sedge_transfer_lengths(transfer, part);

    if (lengths != NULL) return (sedge_piece){offsets[i], lengths[i]};
    return (sedge_piece){offsets[0], offsets[transfer->peers] - offsets[0]};
}

// ---- creation ----------------------------------------------------------------------------------

static sedge_status check_range(const char *what, const sedge_buffer *buffer, const int64_t *from,
                                int peers)
{
    const int64_t bytes = buffer != NULL ? sedge_buffer_bytes(buffer) : 0;

    for (int i = 0; i < peers; i++) {
        if (from[i] >= 0 && from[i] <= from[i + 1] && from[i + 1] <= bytes) continue;
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "a halo's block from byte %lld to %lld is not in the %lld bytes that "
                          "are %s",
                          (long long)from[i], (long long)from[i + 1], (long long)bytes, what);
    }
    return SEDGE_OK;
}

static sedge_status copy_lengths(sedge_transfer *transfer, const sedge_halo_plan *plan)
{
    const int64_t count = (int64_t)plan->parts * plan->peers;

    transfer->parts = plan->parts + 1;
    SEDGE_TRY(sedge_allocate(&transfer->lengths, count, sizeof *transfer->lengths));
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = k % plan->peers;
        const int64_t sent = plan->send_offsets[i + 1] - plan->send_offsets[i];
        const int64_t received = plan->receive_offsets[i + 1] - plan->receive_offsets[i];
        const int64_t length = plan->lengths[k];
        transfer->lengths[k] = length;
        if (length >= 0 && length <= sent && length <= received) continue;
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "a part of %lld bytes of a halo's blocks, which have %lld and %lld",
                          (long long)length, (long long)sent, (long long)received);
    }
    return SEDGE_OK;
}

static sedge_status copy_plan(sedge_transfer *transfer, const sedge_halo_plan *plan)
{
    const int peers = plan->peers;

    SEDGE_TRY(check_range("sent", plan->packed, plan->send_offsets, peers));
    SEDGE_TRY(check_range("received", plan->target, plan->receive_offsets, peers));
    SEDGE_TRY(copy_lengths(transfer, plan));
    SEDGE_TRY(sedge_allocate(&transfer->ranks, peers, sizeof *transfer->ranks));
    SEDGE_TRY(sedge_allocate(&transfer->send_offsets, peers + 1LL, sizeof(int64_t)));
    SEDGE_TRY(sedge_allocate(&transfer->receive_offsets, peers + 1LL, sizeof(int64_t)));
    if (peers == 0) return SEDGE_OK;
    memcpy(transfer->ranks, plan->ranks, (size_t)peers * sizeof *transfer->ranks);
    memcpy(transfer->send_offsets, plan->send_offsets, ((size_t)peers + 1) * sizeof(int64_t));
    memcpy(transfer->receive_offsets, plan->receive_offsets, ((size_t)peers + 1) * sizeof(int64_t));
    transfer->peers = peers;
    return SEDGE_OK;
}

// What the others send and expect, [ranks][2] of sent and expected bytes; -1: no peer.
static sedge_status compare_sizes(const sedge_transfer *transfer, int64_t (*mine)[2],
                                  int64_t *counts)
{
    const int ranks = sedge_comm_size(transfer->comm);
    int64_t(*theirs)[2] = NULL;
    int64_t received = 0;
    sedge_status status;

    for (int r = 0; r < ranks; r++) {
        mine[r][0] = mine[r][1] = -1;
        counts[r] = 1;
    }
    for (int i = 0; i < transfer->peers; i++) {
        mine[transfer->ranks[i]][0] = transfer->send_offsets[i + 1] - transfer->send_offsets[i];
        mine[transfer->ranks[i]][1] =
            transfer->receive_offsets[i + 1] - transfer->receive_offsets[i];
    }
    status =
        sedge_comm_all_to_all(transfer->comm, mine, counts, sizeof *mine, &theirs, counts + ranks);
    for (int r = 0; r < ranks && status == SEDGE_OK; r++) {
        received = theirs[r][0];
        if (received == mine[r][1]) continue;
        status =
            SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                       "rank %d sends %lld bytes to rank %d, which expects %lld (-1: none)", r,
                       (long long)received, sedge_comm_rank(transfer->comm), (long long)mine[r][1]);
    }
    sedge_release(theirs);
    return status;
}

// Each pair means the same sizes. Collective.
static sedge_status check_pairs(const sedge_transfer *transfer)
{
    const int ranks = sedge_comm_size(transfer->comm);
    int64_t(*mine)[2] = NULL;
    int64_t *counts = NULL; // of rows sent, then of rows received

    sedge_status status = sedge_allocate(&mine, ranks, sizeof *mine);
    if (status == SEDGE_OK) status = sedge_allocate(&counts, 2LL * ranks, sizeof *counts);
    status = sedge_comm_agree(transfer->comm, status);
    if (status == SEDGE_OK) {
        status = compare_sizes(transfer, mine, counts);
        status = sedge_comm_agree(transfer->comm, status);
    }
    sedge_release(mine);
    sedge_release(counts);
    return status;
}

sedge_status sedge_halo_create_with(sedge_halo **out, const sedge_comm *comm, sedge_device *device,
                                    const sedge_halo_plan *plan, const sedge_transport *requested,
                                    const sedge_peer *peer, const char *no_peer)
{
    sedge_status status;
    sedge_halo *halo = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&halo, 1, sizeof *halo)));
    halo->transfer = (sedge_transfer){.comm = comm,
                                      .device = device,
                                      .peer = peer,
                                      .no_peer = no_peer,
                                      .packed = plan->packed,
                                      .target = plan->target,
                                      .stores = plan->stores};
    if (sedge_comm_size(comm) > 1) {
        SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, copy_plan(&halo->transfer, plan)));
        SEDGE_TRY_GOTO(status, check_pairs(&halo->transfer));
        SEDGE_TRY_GOTO(status, sedge_transport_choose(&halo->transport, &halo->state,
                                                      &halo->transfer, requested));
    }
    *out = halo;
    halo = NULL;
done:
    sedge_halo_free(halo);
    return status;
}

sedge_status sedge_halo_create(sedge_halo **out, const sedge_comm *comm, sedge_device *device,
                               const sedge_halo_plan *plan)
{
    const sedge_transport *requested;
    const char *why;
    int row = 0; // of sedge_transports; SEDGE_TRANSPORTS: none

    *out = NULL;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_transport_requested(&requested)));
    while (row < SEDGE_TRANSPORTS && sedge_transports[row] != requested) row++;
    sedge_comm_broadcast(comm, &row, sizeof row, 0);
    requested = row < SEDGE_TRANSPORTS ? sedge_transports[row] : NULL;
    const sedge_peer *const peer = sedge_device_peer(device, &why);
    return sedge_halo_create_with(out, comm, device, plan, requested, peer, why);
}

void sedge_halo_free(sedge_halo *halo)
{
    if (halo == NULL) return;
    if (halo->transport != NULL) halo->transport->free(halo->state);
    sedge_release(halo->transfer.ranks);
    sedge_release(halo->transfer.lengths);
    sedge_release(halo->transfer.send_offsets);
    sedge_release(halo->transfer.receive_offsets);
    sedge_release(halo);
}

// ---- what it is --------------------------------------------------------------------------------

const char *sedge_halo_transport(const sedge_halo *halo)
{
    return halo != NULL && halo->transport != NULL ? halo->transport->name : "none";
}

bool sedge_halo_has_peers(const sedge_halo *halo)
{
    return halo != NULL && halo->transfer.peers > 0;
}

bool sedge_halo_waits(const sedge_halo *halo)
{
    return sedge_halo_has_peers(halo) && halo->transport->waits;
}

int sedge_halo_turn(const sedge_halo *halo)
{
    if (!sedge_halo_has_peers(halo) || halo->transport->turn == NULL) return 0;
    return halo->transport->turn(halo->state);
}

// ---- an exchange -------------------------------------------------------------------------------

sedge_status sedge_halo_start(sedge_halo *halo, sedge_stream *stream)
{
    return sedge_halo_start_part(halo, halo->transfer.parts - 1, stream);
}

sedge_status sedge_halo_start_part(sedge_halo *halo, int part, sedge_stream *stream)
{
    assert(halo->transfer.peers > 0 && !halo->is_under_way);
    assert(part >= 0 && part < halo->transfer.parts);
    halo->is_under_way = true;
    halo->part = part;
    return halo->transport->start(halo->state, part, stream);
}

void sedge_halo_progress(sedge_halo *halo)
{
    assert(halo->is_under_way);
    if (halo->transport->progress != NULL) halo->transport->progress(halo->state, halo->part);
}

sedge_status sedge_halo_finish(sedge_halo *halo, sedge_stream *stream)
{
    assert(halo->is_under_way);
    halo->is_under_way = false;
    return halo->transport->finish(halo->state, halo->part, stream);
}

bool sedge_halo_stores(const sedge_halo *halo)
{
    return sedge_halo_has_peers(halo) && halo->transfer.stores && halo->transport->outlet != NULL;
}

uint64_t sedge_halo_outlet(const sedge_halo *halo, int i, int turn)
{
    assert(sedge_halo_stores(halo) && i >= 0 && i < halo->transfer.peers);
    return halo->transport->outlet(halo->state, i, turn);
}

uint64_t sedge_halo_flag(const sedge_halo *halo, int i, int turn)
{
    assert(sedge_halo_stores(halo) && i >= 0 && i < halo->transfer.peers);
    return halo->transport->flag(halo->state, i, turn);
}

uint64_t sedge_halo_inlet(const sedge_halo *halo)
{
    assert(sedge_halo_stores(halo));
    return halo->transport->inlet(halo->state);
}

sedge_status sedge_halo_tell(sedge_halo *halo, sedge_stream *stream)
{
    assert(sedge_halo_stores(halo) && !halo->is_under_way);
    halo->is_under_way = true;
    return halo->transport->tell(halo->state, stream);
}

sedge_status sedge_halo_await(sedge_halo *halo, sedge_stream *stream)
{
    assert(sedge_halo_stores(halo) && halo->is_under_way);
    halo->is_under_way = false;
    return halo->transport->await(halo->state, stream);
}

void sedge_halo_skip(sedge_halo *halo, int64_t exchanges)
{
    assert(halo->transfer.peers > 0 && !halo->is_under_way && halo->transport->skip != NULL);
    halo->transport->skip(halo->state, exchanges);
}
