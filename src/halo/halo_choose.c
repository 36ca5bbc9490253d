// Which transport: those that are possible are tried with known bytes and timed.
#include "halo/halo_transport.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define CHECKED_ROUNDS 2 // as many as the peer transport has places
#define TIMED_ROUNDS   3

typedef struct trial {
    const sedge_halo *halo;
    const halo_transport *transport;
    void *state;
    sedge_stream *stream;
    unsigned char *bytes; // room for all that is sent, or received
    uint32_t salt;        // of this round: other bytes in each
} trial;

// The bytes that `from` sends to `to`.
static void write_pattern(unsigned char *out, int64_t bytes, int from, int to, uint32_t salt)
{
    const uint64_t step = 0x9e3779b97f4a7c15u; // no two words of a block are the same
    const uint64_t start = ((uint64_t)from << 40 | (uint64_t)to << 16 | salt) * 0xd6e8feb86659fd93u;
    const int64_t words = bytes / (int64_t)sizeof step;
    const int64_t rest = bytes - words * (int64_t)sizeof step;

    for (int64_t i = 0; i < words; i++) {
        const uint64_t word = start + (uint64_t)i * step;
        memcpy(out + i * (int64_t)sizeof word, &word, sizeof word);
    }
    const uint64_t last = start + (uint64_t)words * step;
    memcpy(out + bytes - rest, &last, (size_t)rest);
}

static sedge_status fill(const trial *t)
{
    const sedge_halo *const halo = t->halo;
    const int64_t *const at = halo->send_offsets;

    for (int i = 0; i < halo->peers; i++) {
        write_pattern(t->bytes + at[i] - at[0], at[i + 1] - at[i], sedge_comm_rank(halo->comm),
                      halo->ranks[i], t->salt);
    }
    return sedge_buffer_upload(halo->packed, at[0], t->bytes, at[halo->peers] - at[0], NULL);
}

static sedge_status check(const trial *t)
{
    const sedge_halo *const halo = t->halo;
    const int64_t *const at = halo->receive_offsets;
    const int64_t bytes = at[halo->peers] - at[0];
    unsigned char *const right = t->bytes + bytes;

    SEDGE_TRY(sedge_buffer_download(halo->target, at[0], t->bytes, bytes, NULL));
    for (int i = 0; i < halo->peers; i++) {
        const int64_t length = at[i + 1] - at[i];
        write_pattern(right, length, halo->ranks[i], sedge_comm_rank(halo->comm), t->salt);
        if (memcmp(t->bytes + at[i] - at[0], right, (size_t)length) == 0) continue;
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "wrong bytes came from rank %d to rank %d",
                          halo->ranks[i], sedge_comm_rank(halo->comm));
    }
    return SEDGE_OK;
}

// A rank that fails where others wait for its messages ends the job, as in the time loop.
static sedge_status exchange(const trial *t)
{
    sedge_status status = t->transport->start(t->state, t->stream);

    if (status == SEDGE_OK) status = t->transport->finish(t->state, t->stream);
    if (status == SEDGE_OK) status = t->transport->settle(t->state, t->stream);
    if (status != SEDGE_OK && t->transport->waits) sedge_comm_end_alone(t->halo->comm, status);
    return status;
}

static sedge_status run_checked(trial *t)
{
    if (t->halo->peers == 0) return SEDGE_OK;
    SEDGE_TRY(fill(t));
    SEDGE_TRY(exchange(t));
    return check(t);
}

// `*seconds` of an exchange, of the slowest rank. Collective.
static sedge_status run_timed(double *seconds, const trial *t)
{
    const sedge_comm *const comm = t->halo->comm;
    sedge_status status = SEDGE_OK;

    sedge_comm_barrier(comm);
    const double began = sedge_clock();
    for (int i = 0; i < TIMED_ROUNDS && t->halo->peers > 0 && status == SEDGE_OK; i++)
        status = exchange(t);
    *seconds = (sedge_clock() - began) / TIMED_ROUNDS;
    sedge_comm_max(comm, seconds, 1);
    return sedge_comm_agree(comm, status);
}

static sedge_status make_room(trial *t)
{
    const sedge_halo *const halo = t->halo;
    const int64_t sent = halo->send_offsets[halo->peers] - halo->send_offsets[0];
    const int64_t received = halo->receive_offsets[halo->peers] - halo->receive_offsets[0];

    SEDGE_TRY(sedge_allocate(&t->bytes, sent > 2 * received ? sent : 2 * received, 1));
    return sedge_stream_create(&t->stream, halo->device, true);
}

// Make a transport, see that it is right, and time it. On failure there is no `*state`. Collective.
static sedge_status examine(void **state, double *seconds, const sedge_halo *halo,
                            const halo_transport *transport)
{
    trial t = {.halo = halo, .transport = transport};
    sedge_status status;

    *state = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(halo->comm, make_room(&t)));
    SEDGE_TRY_GOTO(status, transport->create(&t.state, halo));
    for (int round = 0; round < CHECKED_ROUNDS; round++) {
        t.salt++;
        SEDGE_TRY_GOTO(status, sedge_comm_agree(halo->comm, run_checked(&t)));
    }
    SEDGE_TRY_GOTO(status, run_timed(seconds, &t));
    *state = t.state;
    t.state = NULL;
done:
    transport->free(t.state);
    sedge_stream_free(t.stream);
    sedge_release(t.bytes);
    return status;
}

// ---- the choice --------------------------------------------------------------------------------

enum { TRANSPORTS = 3 };

static const halo_transport *const transports[TRANSPORTS] = {&halo_staged, &halo_direct,
                                                             &halo_by_peer};

// In which order sedge_transport has them, behind auto.
static bool is_wanted(int which, sedge_transport wanted)
{
    return which == (int)wanted - (int)SEDGE_TRANSPORT_STAGED;
}

// The transports to try, [TRANSPORTS]: those that all ranks can use; on the host device none
// through other memory, unless it is wanted. Collective.
static sedge_status list(const halo_transport **out, int *count, const sedge_halo *halo,
                         sedge_transport wanted)
{
    const bool host = sedge_device_get_traits(halo->device)->in_call;

    *count = 0;
    for (int i = 0; i < TRANSPORTS; i++) {
        const halo_transport *const transport = transports[i];
        if (!is_wanted(i, wanted) && wanted != SEDGE_TRANSPORT_AUTO) continue;
        if (wanted == SEDGE_TRANSPORT_AUTO && host && transport == &halo_staged) continue;
        const sedge_status status = sedge_comm_agree(halo->comm, transport->possible(halo));
        if (status == SEDGE_OK) {
            out[(*count)++] = transport;
        } else if (is_wanted(i, wanted)) {
            return status;
        } else {
            sedge_error_clear();
        }
    }
    return SEDGE_OK;
}

// MPI between buffers of the host is what MPI is for.
static bool needs_trial(const sedge_halo *halo, const halo_transport *transport)
{
    if (transport == &halo_staged) return false;
    return transport != &halo_direct || !sedge_device_get_traits(halo->device)->in_call;
}

static void take(sedge_halo *halo, const halo_transport *transport, void *state)
{
    if (halo->transport != NULL) halo->transport->free(halo->state);
    halo->transport = transport;
    halo->state = state;
}

static void tell(const sedge_halo *halo, const halo_transport *transport)
{
    if (sedge_comm_is_root(halo->comm)) {
        (void)fprintf(stderr, "sedge: warning: transport '%s' is not used: %s\n", transport->name,
                      sedge_error_message());
    }
    sedge_error_clear();
}

sedge_status halo_choose(sedge_halo *halo, sedge_transport wanted)
{
    const halo_transport *candidate[TRANSPORTS];
    double best = 0.0;
    int count;

    SEDGE_TRY(list(candidate, &count, halo, wanted));
    if (count == 1 && !needs_trial(halo, candidate[0])) {
        SEDGE_TRY(candidate[0]->create(&halo->state, halo));
        halo->transport = candidate[0];
        return SEDGE_OK;
    }
    for (int i = 0; i < count; i++) {
        void *state;
        double seconds;
        const sedge_status status = examine(&state, &seconds, halo, candidate[i]);
        if (status != SEDGE_OK && wanted != SEDGE_TRANSPORT_AUTO) return status;
        if (status != SEDGE_OK) {
            tell(halo, candidate[i]);
        } else if (halo->transport == NULL || seconds < best) {
            best = seconds;
            take(halo, candidate[i], state);
        } else {
            candidate[i]->free(state);
        }
    }
    if (halo->transport != NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "no transport between the ranks works");
}
