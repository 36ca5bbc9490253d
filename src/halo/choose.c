#include "halo/choose.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define CHECKED_ROUNDS 2 // as many as the peer transport has places
#define TIMED_ROUNDS   3

typedef struct trial {
    const sedge_transfer *transfer;
    const sedge_transport *transport;
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
    const sedge_transfer *const transfer = t->transfer;
    const int64_t *const at = transfer->send_offsets;

    for (int i = 0; i < transfer->peers; i++) {
        write_pattern(t->bytes + at[i] - at[0], at[i + 1] - at[i], sedge_comm_rank(transfer->comm),
                      transfer->ranks[i], t->salt);
    }
    return sedge_buffer_upload(transfer->packed, at[0], t->bytes, at[transfer->peers] - at[0],
                               NULL);
}

static sedge_status check(const trial *t)
{
    const sedge_transfer *const transfer = t->transfer;
    const int64_t *const at = transfer->receive_offsets;
    const int64_t bytes = at[transfer->peers] - at[0];
    unsigned char *const right = t->bytes + bytes;

    SEDGE_TRY(sedge_buffer_download(transfer->target, at[0], t->bytes, bytes, NULL));
    for (int i = 0; i < transfer->peers; i++) {
        const int64_t length = at[i + 1] - at[i];
        write_pattern(right, length, transfer->ranks[i], sedge_comm_rank(transfer->comm), t->salt);
        if (memcmp(t->bytes + at[i] - at[0], right, (size_t)length) == 0) continue;
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "wrong bytes came from rank %d to rank %d",
                          transfer->ranks[i], sedge_comm_rank(transfer->comm));
    }
    return SEDGE_OK;
}

// A rank that fails where others wait for its messages ends the job, as in the time loop.
static sedge_status exchange(const trial *t)
{
    const int all = t->transfer->parts - 1;
    sedge_status status = t->transport->start(t->state, all, t->stream);

    if (status == SEDGE_OK) status = t->transport->finish(t->state, all, t->stream);
    if (status == SEDGE_OK) status = t->transport->settle(t->state, t->stream);
    if (status != SEDGE_OK && t->transport->waits) sedge_comm_end_alone(t->transfer->comm, status);
    return status;
}

static sedge_status run_checked(trial *t)
{
    if (t->transfer->peers == 0) return SEDGE_OK;
    SEDGE_TRY(fill(t));
    SEDGE_TRY(exchange(t));
    return check(t);
}

// The time of an exchange on the slowest rank, the least of TIMED_ROUNDS: other programs only add
// to it. Collective.
static sedge_status run_timed(double *seconds, const trial *t)
{
    const sedge_comm *const comm = t->transfer->comm;
    double each[TIMED_ROUNDS] = {0};
    sedge_status status = SEDGE_OK;

    sedge_comm_barrier(comm);
    for (int i = 0; i < TIMED_ROUNDS && t->transfer->peers > 0 && status == SEDGE_OK; i++) {
        const double began = sedge_clock();
        status = exchange(t);
        each[i] = sedge_clock() - began;
    }
    sedge_comm_max(comm, each, TIMED_ROUNDS);
    *seconds = each[0];
    for (int i = 1; i < TIMED_ROUNDS; i++)
        if (each[i] < *seconds) *seconds = each[i];
    return sedge_comm_agree(comm, status);
}

static sedge_status make_room(trial *t)
{
    const sedge_transfer *const transfer = t->transfer;
    const int64_t sent = transfer->send_offsets[transfer->peers] - transfer->send_offsets[0];
    const int64_t received =
        transfer->receive_offsets[transfer->peers] - transfer->receive_offsets[0];

    SEDGE_TRY(sedge_allocate(&t->bytes, sent > 2 * received ? sent : 2 * received, 1));
    return sedge_stream_create(&t->stream, transfer->device, true);
}

// Make a transport, see that it is right, and time it. On failure there is no `*state`. Collective.
static sedge_status examine(void **state, double *seconds, const sedge_transfer *transfer,
                            const sedge_transport *transport)
{
    trial t = {.transfer = transfer, .transport = transport};
    sedge_status status;

    *state = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(transfer->comm, make_room(&t)));
    SEDGE_TRY_GOTO(status, transport->create(&t.state, transfer));
    for (int round = 0; round < CHECKED_ROUNDS; round++) {
        t.salt++;
        SEDGE_TRY_GOTO(status, sedge_comm_agree(transfer->comm, run_checked(&t)));
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

// The transports to try: those that all ranks can use. Collective.
static sedge_status list(const sedge_transport **out, int *count, const sedge_transfer *transfer,
                         const sedge_transport *requested)
{
    *count = 0;
    for (int i = 0; i < SEDGE_TRANSPORTS; i++) {
        const sedge_transport *const transport = sedge_transports[i];
        const bool on_request = transport->on_request != NULL && transport->on_request(transfer);
        if (requested != NULL ? transport != requested : on_request) continue;
        const sedge_status status = sedge_comm_agree(transfer->comm, transport->possible(transfer));
        if (status == SEDGE_OK) {
            out[(*count)++] = transport;
        } else if (transport == requested) {
            return status;
        } else {
            sedge_error_clear();
        }
    }
    return SEDGE_OK;
}

static void warn(const sedge_transfer *transfer, const sedge_transport *transport)
{
    if (sedge_comm_is_root(transfer->comm)) {
        (void)fprintf(stderr, "sedge: warning: transport '%s' is not used: %s\n", transport->name,
                      sedge_error_message());
    }
    sedge_error_clear();
}

sedge_status sedge_transport_choose(const sedge_transport **transport, void **state,
                                    const sedge_transfer *transfer,
                                    const sedge_transport *requested)
{
    const sedge_transport *candidate[SEDGE_TRANSPORTS];
    const sedge_transport *best = NULL;
    void *best_state = NULL;
    double best_seconds = 0.0;
    int count;

    *transport = NULL;
    *state = NULL;
    SEDGE_TRY(list(candidate, &count, transfer, requested));
    if (count == 1 && candidate[0]->certain != NULL && candidate[0]->certain(transfer)) {
        SEDGE_TRY(candidate[0]->create(state, transfer));
        *transport = candidate[0];
        return SEDGE_OK;
    }
    for (int i = 0; i < count; i++) {
        void *tried;
        double seconds;
        const sedge_status status = examine(&tried, &seconds, transfer, candidate[i]);
        if (status != SEDGE_OK && requested != NULL) return status;
        if (status != SEDGE_OK) {
            warn(transfer, candidate[i]);
        } else if (best == NULL || seconds < best_seconds) {
            if (best != NULL) best->free(best_state);
            best = candidate[i];
            best_state = tried;
            best_seconds = seconds;
        } else {
            candidate[i]->free(tried);
        }
    }
    *transport = best;
    *state = best_state;
    if (best != NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "no transport between the ranks works");
}
