#include "comm.h"

#include "base/memory.h"

#include <mpi.h>

#include <limits.h>

struct sedge_exchange {
    int receive_count, send_count; // requests
    MPI_Request *receives;
    MPI_Request *sends;
};

static sedge_status check_size(int64_t bytes, int rank)
{
    if (bytes <= INT_MAX) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%lld bytes of traces for rank %d in one message: use more ranks",
                      (long long)bytes, rank);
}

// `length`: bytes both ways, the first of the ranges; negative: all of them.
static sedge_status add_peer(sedge_exchange *exchange, MPI_Comm world, int rank,
                             const int64_t send_range[2], const int64_t receive_range[2],
                             int64_t length, const char *send, char *receive)
{
    const int64_t sent = length < 0 ? send_range[1] - send_range[0] : length;
    const int64_t received = length < 0 ? receive_range[1] - receive_range[0] : length;

    SEDGE_TRY(check_size(sent, rank));
    SEDGE_TRY(check_size(received, rank));
    if (received > 0) {
        MPI_Recv_init(receive + receive_range[0], (int)received, MPI_BYTE, rank, 2, world,
                      &exchange->receives[exchange->receive_count++]);
    }
    if (sent > 0) {
        MPI_Send_init(send + send_range[0], (int)sent, MPI_BYTE, rank, 2, world,
                      &exchange->sends[exchange->send_count++]);
    }
    return SEDGE_OK;
}

sedge_status sedge_exchange_create(sedge_exchange **out, const sedge_comm *comm, int peers,
                                   const int *ranks, const int64_t *send_offsets,
                                   const int64_t *receive_offsets, const int64_t *lengths,
                                   const void *send, void *receive)
{
    sedge_status status;
    sedge_exchange *exchange = NULL;
    MPI_Comm world;

    *out = NULL;
    sedge_comm_native(comm, &world);
    SEDGE_TRY_GOTO(status, sedge_allocate(&exchange, 1, sizeof *exchange));
    SEDGE_TRY_GOTO(status, sedge_allocate(&exchange->receives, peers, sizeof(MPI_Request)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&exchange->sends, peers, sizeof(MPI_Request)));
    for (int i = 0; i < peers; i++) {
        SEDGE_TRY_GOTO(status,
                       add_peer(exchange, world, ranks[i], &send_offsets[i], &receive_offsets[i],
                                lengths != NULL ? lengths[i] : -1, send, receive));
    }
    *out = exchange;
    exchange = NULL;
done:
    sedge_exchange_free(exchange);
    return status;
}

void sedge_exchange_free(sedge_exchange *exchange)
{
    if (exchange == NULL) return;
    for (int i = 0; i < exchange->receive_count; i++) MPI_Request_free(&exchange->receives[i]);
    for (int i = 0; i < exchange->send_count; i++) MPI_Request_free(&exchange->sends[i]);
    sedge_release(exchange->receives);
    sedge_release(exchange->sends);
    sedge_release(exchange);
}

void sedge_exchange_post_receives(sedge_exchange *exchange)
{
    if (exchange->receive_count > 0) MPI_Startall(exchange->receive_count, exchange->receives);
}

void sedge_exchange_start_sends(sedge_exchange *exchange)
{
    if (exchange->send_count > 0) MPI_Startall(exchange->send_count, exchange->sends);
}

bool sedge_exchange_test(sedge_exchange *exchange)
{
    int received = 1;
    int sent = 1;

    MPI_Testall(exchange->receive_count, exchange->receives, &received, MPI_STATUSES_IGNORE);
    MPI_Testall(exchange->send_count, exchange->sends, &sent, MPI_STATUSES_IGNORE);
    return received && sent;
}

void sedge_exchange_wait(sedge_exchange *exchange)
{
    MPI_Waitall(exchange->receive_count, exchange->receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(exchange->send_count, exchange->sends, MPI_STATUSES_IGNORE);
}
