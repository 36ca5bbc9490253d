#include "comm.h"

#include "base/memory.h"

#include <mpi.h>

#include <limits.h>

struct sedge_exchange {
    int count; // requests of each direction
    MPI_Request *receives;
    MPI_Request *sends;
};

static sedge_status fill(sedge_exchange *exchange, MPI_Comm world, int peers, const int *ranks,
                         const int64_t *offsets, const char *send, char *receive)
{
    for (int i = 0; i < peers; i++) {
        const int64_t bytes = offsets[i + 1] - offsets[i];
        if (bytes > INT_MAX) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%lld bytes of traces for rank %d in one message: use more ranks",
                              (long long)bytes, ranks[i]);
        }
        MPI_Recv_init(receive + offsets[i], (int)bytes, MPI_BYTE, ranks[i], 2, world,
                      &exchange->receives[i]);
        MPI_Send_init(send + offsets[i], (int)bytes, MPI_BYTE, ranks[i], 2, world,
                      &exchange->sends[i]);
        exchange->count++;
    }
    return SEDGE_OK;
}

sedge_status sedge_exchange_create(sedge_exchange **out, const sedge_comm *comm, int peers,
                                   const int *ranks, const int64_t *offsets, const void *send,
                                   void *receive)
{
    sedge_status status;
    sedge_exchange *exchange = NULL;
    MPI_Comm world;

    *out = NULL;
    sedge_comm_native(comm, &world);
    SEDGE_TRY_GOTO(status, sedge_allocate(&exchange, 1, sizeof *exchange));
    SEDGE_TRY_GOTO(status, sedge_allocate(&exchange->receives, peers, sizeof(MPI_Request)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&exchange->sends, peers, sizeof(MPI_Request)));
    SEDGE_TRY_GOTO(status, fill(exchange, world, peers, ranks, offsets, send, receive));
    *out = exchange;
    exchange = NULL;
done:
    sedge_exchange_free(exchange);
    return status;
}

void sedge_exchange_free(sedge_exchange *exchange)
{
    if (exchange == NULL) return;
    for (int i = 0; i < exchange->count; i++) {
        MPI_Request_free(&exchange->receives[i]);
        MPI_Request_free(&exchange->sends[i]);
    }
    sedge_release(exchange->receives);
    sedge_release(exchange->sends);
    sedge_release(exchange);
}

void sedge_exchange_post_receives(sedge_exchange *exchange)
{
    if (exchange->count > 0) MPI_Startall(exchange->count, exchange->receives);
}

void sedge_exchange_start_sends(sedge_exchange *exchange)
{
    if (exchange->count > 0) MPI_Startall(exchange->count, exchange->sends);
}

bool sedge_exchange_test(sedge_exchange *exchange)
{
    int received = 1;
    int sent = 1;

    MPI_Testall(exchange->count, exchange->receives, &received, MPI_STATUSES_IGNORE);
    MPI_Testall(exchange->count, exchange->sends, &sent, MPI_STATUSES_IGNORE);
    return received && sent;
}

void sedge_exchange_wait(sedge_exchange *exchange)
{
    MPI_Waitall(exchange->count, exchange->receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(exchange->count, exchange->sends, MPI_STATUSES_IGNORE);
}
