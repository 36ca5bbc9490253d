// Ranks: the only place, with its .c, that sees mpi.h. Reductions, agreement on errors, exchange.
//
// A sedge_comm is a duplicate of a communicator, so that messages are not confused with those of
// another library. A NULL sedge_comm means this process alone; functions that do not accept NULL
// say so (messages between two ranks, exchanges, and whatever needs MPI itself). Every function
// marked "Collective." must be called by all ranks in the same order, on the thread that
// initialised MPI. MPI errors other than failed messages abort the job.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sedge_comm sedge_comm;

// Duplicate the caller's communicator. `mpi_comm` points to an MPI_Comm (declared void, so that
// this header needs no mpi.h), which is not kept; NULL means MPI_COMM_WORLD. If MPI is not
// initialised yet, this function initialises it (MPI_THREAD_FUNNELED), and sedge_comm_free of this
// object finalises it. Such an object must be freed last, and no other can be created afterwards,
// because MPI cannot be started again. Collective. SEDGE_ERR_DEVICE: MPI cannot start or is
// finalised already. SEDGE_ERR_USAGE: MPI_COMM_NULL. SEDGE_ERR_MEMORY on all ranks.
//
//     MPI_Comm half;
//     MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
//     sedge_comm_create(&comm, &half);
SEDGE_MUST_USE
sedge_status sedge_comm_create(sedge_comm **out, const void *mpi_comm);

// Free the duplicate; finalise MPI if `create` initialised it. NULL does nothing. Collective.
void sedge_comm_free(sedge_comm *comm);

// End all ranks at once with `exit_code`, e.g. when a rank fails inside the time loop. Any rank may
// call it alone. `comm` is not NULL.
_Noreturn void sedge_comm_abort(const sedge_comm *comm, int exit_code);

// End all ranks because this rank failed with `status`, perhaps alone, while other ranks may
// already wait in a collective call. Prints the message with the rank's number.
_Noreturn void sedge_comm_end_alone(const sedge_comm *comm, sedge_status status);

// Not collective.
int sedge_comm_rank(const sedge_comm *comm);
int sedge_comm_size(const sedge_comm *comm);
int sedge_comm_node_rank(const sedge_comm *comm); // rank among the ranks of this node
int sedge_comm_node_size(const sedge_comm *comm); // ranks on this node
bool sedge_comm_is_root(const sedge_comm *comm);

// Agree on the worst status of all ranks. Every rank gets the message of a rank that failed; a
// message about memory or a device is prefixed with that rank's number. Every phase in which one
// rank can fail alone ends with this call. Collective.
SEDGE_MUST_USE
static inline sedge_status sedge_comm_agree(const sedge_comm *comm, sedge_status status);

// Called by sedge_comm_agree: the worst status of all ranks, with its message.
SEDGE_MUST_USE
sedge_status sedge_comm_worst(const sedge_comm *comm, sedge_status status);

// Defined in the header so that static analysers see that a rank that failed does not go on.
static inline sedge_status sedge_comm_agree(const sedge_comm *comm, sedge_status status)
{
    const sedge_status worst = sedge_comm_worst(comm, status);

    return worst == SEDGE_OK ? status : worst;
}

// Elementwise reductions of `count` values over the ranks, in place; every rank gets the result.
// `count` is the same on all ranks. Collective.
void sedge_comm_sum(const sedge_comm *comm, double *values, int count);
void sedge_comm_sum_int(const sedge_comm *comm, int64_t *values, int count);
void sedge_comm_min(const sedge_comm *comm, double *values, int count);
void sedge_comm_max(const sedge_comm *comm, double *values, int count);
void sedge_comm_max_int(const sedge_comm *comm, int64_t *values, int count);

// Sum of double-double numbers (high, low), one from each rank. The result is the same to the last
// bit however the terms are distributed over the ranks, except after cancellation of more than 30
// digits. Collective.
double sedge_comm_sum_exact(const sedge_comm *comm, double high, double low);

// Sum of the counts of all lower ranks. Collective.
int64_t sedge_comm_scan(const sedge_comm *comm, int64_t count);

// Send `bytes` bytes from `root` to all ranks. Collective. More than 2 GiB is fine.
void sedge_comm_broadcast(const sedge_comm *comm, void *data, size_t bytes, int root);

// Concatenate `bytes` bytes of each rank (at most 2 GiB) in the order of ranks, on every rank:
// `all` [ranks][bytes]. Collective.
void sedge_comm_all_gather(const sedge_comm *comm, const void *mine, void *all, size_t bytes);

// Point to point between two ranks that differ, blocking, for set-up phases; more than 2 GiB is
// fine. `comm` is not NULL.
void sedge_comm_send(const sedge_comm *comm, const void *data, size_t bytes, int to);
void sedge_comm_receive(const sedge_comm *comm, void *data, size_t bytes, int from);

// Send rows of `bytes` bytes: counts[r] rows go to rank r. In `rows` the rows for rank 0 come
// first. `*received` gets the rows that arrived, in the order of their senders, and
// `received_counts` [ranks] the number from each rank; release `*received` with sedge_release.
// Collective. If one rank is out of memory, the call fails on all ranks.
SEDGE_MUST_USE
sedge_status sedge_comm_all_to_all(const sedge_comm *comm, const void *rows, const int64_t *counts,
                                   size_t bytes, void *received, int64_t *received_counts);

// A non-blocking sum over the ranks. Only one may be in progress at a time. Start and wait are
// collective; between them `values` must stay valid and must not be read or written.
typedef struct sedge_sum sedge_sum;

SEDGE_MUST_USE
sedge_status sedge_sum_create(sedge_sum **out, const sedge_comm *comm); // not collective
void sedge_sum_free(sedge_sum *sum);
void sedge_sum_start(sedge_sum *sum, double *values, int count); // in place, result on every rank
void sedge_sum_wait(sedge_sum *sum);

// Whether this MPI reports that it accepts addresses of CUDA device memory. An MPI that does not
// accept them crashes when it gets one. Not collective.
bool sedge_comm_takes_device_memory(void);

// Wait until all ranks have called this. Collective.
void sedge_comm_barrier(const sedge_comm *comm);

// Copy the MPI_Comm to `*mpi_comm`, for libraries that need one (PETSc, HDF5). `mpi_comm` must
// point to an MPI_Comm; the communicator still belongs to `comm`, which is not NULL.
void sedge_comm_native(const sedge_comm *comm, void *mpi_comm);

// ---- neighbour exchange in the time loop -------------------------------------------------------

// A plan for repeated exchanges of contiguous blocks with a fixed set of peers (persistent
// requests). Bytes [send_offsets[i], send_offsets[i+1]) of the send buffer go to peer i; what peer
// i sends is written to bytes [receive_offsets[i], receive_offsets[i+1]) of the receive buffer.
typedef struct sedge_exchange sedge_exchange;

// With `lengths` [peers] (NULL: all) only so many bytes of each block, its first, go both ways.
// `ranks` [peers], the offsets [peers + 1] and `lengths` are not kept. `send` and `receive` must
// outlive the plan and be memory that this MPI accepts: host memory, or device memory if
// sedge_comm_takes_device_memory. Both ranks of a pair give the same sizes; an empty block is not
// sent. SEDGE_ERR_USAGE for more than 2 GiB with a peer. Not collective, but both ranks of each
// pair must create their plan. `comm` is not NULL. The caller frees the plan when no exchange is in
// progress.
SEDGE_MUST_USE
sedge_status sedge_exchange_create(sedge_exchange **out, const sedge_comm *comm, int peers,
                                   const int *ranks, const int64_t *send_offsets,
                                   const int64_t *receive_offsets, const int64_t *lengths,
                                   const void *send, void *receive);
void sedge_exchange_free(sedge_exchange *exchange);

// One exchange: post the receives, start the sends, wait; each once, in this order, on every rank
// that has peers.
void sedge_exchange_post_receives(sedge_exchange *exchange); // may come before the data is ready
void sedge_exchange_start_sends(sedge_exchange *exchange);   // the send buffer is ready
bool sedge_exchange_test(sedge_exchange *exchange);          // let MPI make progress; all done?
void sedge_exchange_wait(sedge_exchange *exchange);          // until all is sent and received

// ---- a non-blocking vote -----------------------------------------------------------------------

// A non-blocking elementwise maximum of a few numbers over the ranks. Only one may be in progress
// at a time.
typedef struct sedge_vote sedge_vote;
#define SEDGE_VOTE_VALUES 4

// Not collective. `comm` is not NULL.
SEDGE_MUST_USE
sedge_status sedge_vote_create(sedge_vote **out, const sedge_comm *comm);

// Wait for a vote in progress, if there is one, and free it. Collective if there is one.
void sedge_vote_free(sedge_vote *vote);

// Start a vote on at most SEDGE_VOTE_VALUES values. Collective, but does not wait for other ranks.
void sedge_vote_start(sedge_vote *vote, const double *values, int count);

// Wait for the vote that was started and get the maxima. Collective.
void sedge_vote_finish(sedge_vote *vote, double *values);
