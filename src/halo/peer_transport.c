// By the devices alone: a rank's stream copies into memory of the other rank's device and sets a
// flag there; the other's stream waits for the flag, clears it, and copies to where it is wanted.
// Without the two copies if the caller's kernels store there, and read there: an exchange then
// costs two operations of the stream, whatever the number of peers.
//
// Each rank has two places for what comes, used by turns, and in each a flag for every peer. A flag
// is 0 or 1, no counter: so the values that a graph has recorded are right in each of its launches.
// Why nothing is overwritten that is still needed, and no flag is lost: let a and b be peers, k an
// exchange of both, in place k mod 2. In its stream
//
//   a waits for b's flag of k, clears it, copies what came out of the place   (finish of k)
//   a sets its flag of k + 1 at b                                             (start of k + 1)
//
// and b writes into the same place again, and sets the same flag, in its start of k + 2. That is in
// b's stream behind its finish of k + 1, which waited for the flag that a has set after it cleared
// and copied. So with two places nobody must ask whether a place is free. It needs that in every
// exchange each of the two sends to the other: where there are no bytes for a peer, the flag alone.
// With one place it fails: b's start of k + 1 follows b's finish of k only, which says nothing of
// a's. Where kernels read what came in its place, they do so in a's stream before its start of k +
// 1, too, and the kernel that stores at b runs behind b's finish of k + 1: the same holds. It holds
// for what peers write there. The rest of a place is a's own: kernels in other streams of a may
// read it until they end, as long as a's own next write to it, in k + 2, waits for them.
#include "halo/transport.h"

#include "base/file.h"
#include "base/memory.h"

#define PLACES    2
#define ALIGNMENT 256 // of places, bytes
#define PATIENCE  5.0 // seconds that a trial waits for the peers' flags

// What a rank tells a peer: where in its memory that one writes.
typedef struct invitation {
    sedge_peer_handle handle;
    int64_t places[PLACES]; // bytes from the beginning
    int64_t flags[PLACES];
} invitation;

typedef struct side {
    uint64_t memory; // the peer's, as it is opened here; 0: it is not
    uint64_t places[PLACES];
    uint64_t from; // the block in `packed`
    int64_t bytes; // of it
} side;

typedef struct peers {
    const sedge_transfer *transfer;
    const sedge_peer *peer;
    uint64_t memory; // flags [peers][PLACES], then the places; 0: none
    int64_t bytes;
    int64_t places[PLACES]; // bytes from its beginning
    int64_t first;          // byte of `target` that is a place's first
    side *sides;            // [transfer->peers]
    sedge_flag *told;       // [PLACES][peers]: of the others
    sedge_flag *awaited;    // [PLACES][2 peers]: of this rank, waited for, then cleared
    int64_t exchanges;      // so far
    int started;            // the place of the last one that began
} peers;

// ---- creation ----------------------------------------------------------------------------------

static sedge_status possible(const sedge_transfer *transfer)
{
    if (transfer->peer == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "transport 'peer' is not possible: device '%s': %s",
                          sedge_device_get_info(transfer->device)->kind_name, transfer->no_peer);
    }
    if (sedge_comm_node_size(transfer->comm) == sedge_comm_size(transfer->comm)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "transport 'peer' is not possible: of %d ranks only %d are on this node",
                      sedge_comm_size(transfer->comm), sedge_comm_node_size(transfer->comm));
}

static int64_t round_up(int64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int64_t flag_at(int i, int place)
{
    return ((int64_t)i * PLACES + place) * (int64_t)sizeof(uint32_t);
}

// A place has what is received, or where kernels look for it there, all that `target` has.
static sedge_status allocate(peers *p)
{
    const sedge_transfer *const transfer = p->transfer;
    const int64_t count = transfer->peers;

    SEDGE_TRY(sedge_allocate(&p->sides, count, sizeof *p->sides));
    SEDGE_TRY(sedge_allocate(&p->told, PLACES * count, sizeof *p->told));
    SEDGE_TRY(sedge_allocate(&p->awaited, 2LL * PLACES * count, sizeof *p->awaited));
    if (count == 0) return SEDGE_OK;
    p->first = transfer->stores ? 0 : transfer->receive_offsets[0];
    const int64_t end =
        transfer->stores ? sedge_buffer_bytes(transfer->target) : transfer->receive_offsets[count];
    p->places[0] = round_up(flag_at(transfer->peers, 0));
    p->places[1] = p->places[0] + round_up(end - p->first);
    p->bytes = p->places[1] + round_up(end - p->first);
    return p->peer->allocate(transfer->device, &p->memory, p->bytes);
}

// Rows for all peers, in the order of ranks.
static sedge_status invite(const peers *p, invitation *rows, int64_t *counts)
{
    const sedge_transfer *const transfer = p->transfer;
    invitation mine = {.places = {0}};
    int64_t row = 0;

    if (transfer->peers > 0) SEDGE_TRY(p->peer->share(transfer->device, &mine.handle, p->memory));
    for (int rank = 0; rank < sedge_comm_size(transfer->comm); rank++) {
        for (int i = 0; i < transfer->peers; i++) {
            if (transfer->ranks[i] != rank) continue;
            for (int place = 0; place < PLACES; place++) {
                mine.places[place] = p->places[place] + transfer->receive_offsets[i] - p->first;
                mine.flags[place] = flag_at(i, place);
            }
            rows[row++] = mine;
            counts[rank] = 1;
        }
    }
    return SEDGE_OK;
}

static sedge_status open_side(peers *p, int i, const invitation *from)
{
    const sedge_transfer *const transfer = p->transfer;
    side *const s = &p->sides[i];

    SEDGE_TRY(p->peer->open(transfer->device, &s->memory, &from->handle));
    for (int place = 0; place < PLACES; place++) {
        const uint64_t theirs = s->memory + (uint64_t)from->flags[place];
        const uint64_t mine = p->memory + (uint64_t)flag_at(i, place);
        sedge_flag *const awaited = p->awaited + 2LL * place * transfer->peers;
        s->places[place] = s->memory + (uint64_t)from->places[place];
        p->told[(int64_t)place * transfer->peers + i] = (sedge_flag){theirs, 1, false};
        awaited[i] = (sedge_flag){mine, 1, true};
        awaited[transfer->peers + i] = (sedge_flag){mine, 0, false};
    }
    s->from = sedge_buffer_address(transfer->packed) + (uint64_t)transfer->send_offsets[i];
    s->bytes = transfer->send_offsets[i + 1] - transfer->send_offsets[i];
    return SEDGE_OK;
}

// `rows` are those of all peers in the order of ranks.
static sedge_status open_sides(peers *p, const invitation *rows)
{
    const sedge_transfer *const transfer = p->transfer;
    int64_t row = 0;

    for (int rank = 0; rank < sedge_comm_size(transfer->comm); rank++) {
        for (int i = 0; i < transfer->peers; i++)
            if (transfer->ranks[i] == rank) SEDGE_TRY(open_side(p, i, &rows[row++]));
    }
    return SEDGE_OK;
}

// Collective.
static sedge_status connect(peers *p)
{
    const sedge_comm *const comm = p->transfer->comm;
    const int ranks = sedge_comm_size(comm);
    invitation *sent = NULL;
    invitation *received = NULL;
    int64_t *counts = NULL; // of rows sent, then of rows received

    sedge_status status = sedge_allocate(&sent, p->transfer->peers, sizeof *sent);
    if (status == SEDGE_OK) status = sedge_allocate(&counts, 2LL * ranks, sizeof *counts);
    if (status == SEDGE_OK) status = invite(p, sent, counts);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(
        status, sedge_comm_all_to_all(comm, sent, counts, sizeof *sent, &received, counts + ranks));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, open_sides(p, received)));
done:
    sedge_release(sent);
    sedge_release(received);
    sedge_release(counts);
    return status;
}

// No rank's memory goes before all have closed it.
static void free_peers(void *state)
{
    peers *const p = state;

    if (p == NULL) return;
    const sedge_transfer *const transfer = p->transfer;
    for (int i = 0; i < transfer->peers && p->sides != NULL; i++)
        if (p->sides[i].memory != 0) p->peer->close(transfer->device, p->sides[i].memory);
    sedge_comm_barrier(transfer->comm);
    if (p->memory != 0) p->peer->release(transfer->device, p->memory, p->bytes);
    sedge_release(p->sides);
    sedge_release(p->told);
    sedge_release(p->awaited);
    sedge_release(p);
}

static sedge_status create(void **out, const sedge_transfer *transfer)
{
    peers *p = NULL;
    sedge_status status = sedge_comm_agree(transfer->comm, sedge_allocate(&p, 1, sizeof *p));

    *out = NULL;
    if (status != SEDGE_OK) {
        sedge_release(p);
        return status;
    }
    p->transfer = transfer;
    p->peer = transfer->peer;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(transfer->comm, allocate(p)));
    SEDGE_TRY_GOTO(status, connect(p));
    *out = p;
    p = NULL;
done:
    free_peers(p);
    return status;
}

// ---- an exchange -------------------------------------------------------------------------------

static int turn(const void *state)
{
    const peers *const p = state;

    return (int)(p->exchanges % PLACES);
}

static uint64_t outlet(const void *state, int i, int turn_of_it)
{
    const peers *const p = state;

    return p->sides[i].places[turn_of_it];
}

static uint64_t inlet(const void *state)
{
    const peers *const p = state;

    return p->memory + (uint64_t)p->places[p->started];
}

static uint64_t flag(const void *state, int i, int turn_of_it)
{
    const peers *const p = state;

    if (!p->peer->kernels_tell) return 0;
    return p->told[(int64_t)turn_of_it * p->transfer->peers + i].address;
}

static sedge_status set_flags(peers *p, sedge_stream *stream)
{
    p->started = turn(p);
    return p->peer->flags(p->transfer->device, stream,
                          p->told + (int64_t)p->started * p->transfer->peers, p->transfer->peers);
}

static sedge_status tell(void *state, sedge_stream *stream)
{
    peers *const p = state;

    if (!p->peer->kernels_tell) return set_flags(p, stream);
    p->started = turn(p);
    return SEDGE_OK;
}

static sedge_status await_peers(void *state, sedge_stream *stream)
{
    peers *const p = state;
    const int count = 2 * p->transfer->peers;

    p->exchanges++;
    return p->peer->flags(p->transfer->device, stream, p->awaited + (int64_t)p->started * count,
                          count);
}

static sedge_status start(void *state, int part, sedge_stream *stream)
{
    peers *const p = state;

    const int64_t *const lengths = sedge_transfer_lengths(p->transfer, part);

    for (int i = 0; i < p->transfer->peers; i++) {
        const side *const s = &p->sides[i];
        const int64_t bytes = lengths != NULL ? lengths[i] : s->bytes;
        if (bytes == 0) continue;
        SEDGE_TRY(p->peer->copy(p->transfer->device, stream, s->places[turn(p)], s->from, bytes));
    }
    return set_flags(p, stream);
}

static sedge_status finish(void *state, int part, sedge_stream *stream)
{
    peers *const p = state;
    const sedge_transfer *const t = p->transfer;

    SEDGE_TRY(await_peers(p, stream));
    for (int i = 0; i < sedge_transfer_pieces(t, part); i++) {
        const sedge_piece piece = sedge_transfer_piece(t, part, t->receive_offsets, i);
        if (piece.bytes == 0) continue;
        SEDGE_TRY(p->peer->copy(t->device, stream,
                                sedge_buffer_address(t->target) + (uint64_t)piece.first,
                                inlet(p) + (uint64_t)(piece.first - p->first), piece.bytes));
    }
    return SEDGE_OK;
}

static void skip(void *state, int64_t exchanges)
{
    peers *const p = state;

    p->exchanges += exchanges;
}

// Let the stream pass all flags that it may wait for, so that it comes to its end.
static sedge_status give_up(const peers *p)
{
    for (int i = 0; i < p->transfer->peers; i++) {
        for (int place = 0; place < PLACES; place++) {
            const sedge_flag passed = {p->memory + (uint64_t)flag_at(i, place), 1, false};
            SEDGE_TRY(p->peer->flags(p->transfer->device, NULL, &passed, 1));
        }
    }
    return SEDGE_OK;
}

static sedge_status settle(void *state, sedge_stream *stream)
{
    const peers *const p = state;
    const double began = sedge_clock();
    bool is_late = false;
    bool idle = false;

    while (!idle) {
        SEDGE_TRY(p->peer->idle(p->transfer->device, stream, &idle));
        if (idle || is_late || sedge_clock() - began < PATIENCE) continue;
        is_late = true;
        SEDGE_TRY(give_up(p));
    }
    if (!is_late) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "a peer's flag did not come within %g s", PATIENCE);
}

const sedge_transport sedge_transport_peer = {
    .name = "peer",
    .waits = false,
    .possible = possible,
    .create = create,
    .free = free_peers,
    .start = start,
    .finish = finish,
    .settle = settle,
    .outlet = outlet,
    .inlet = inlet,
    .flag = flag,
    .tell = tell,
    .await = await_peers,
    .turn = turn,
    .skip = skip,
};
