// Ranks: the only place, with its .c, that sees mpi.h. Reductions, agreement on errors, exchange.
//
// A sedge_comm is a duplicate of a communicator, so that no message meets another library's. NULL
// stands for this process alone in everything but messages between two ranks, exchanges, and what
// needs MPI itself. Every function marked "Collective." must be called by all ranks in the same
// order, on the thread that initialised MPI. MPI errors other than failed messages abort the job.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sedge_comm sedge_comm;

// The ranks of `*mpi_comm`, a communicator of the caller: `mpi_comm` points to an MPI_Comm (void,
// so that this header needs no mpi.h), which is duplicated and not kept. NULL: MPI_COMM_WORLD. If
// nobody has initialised MPI, this does (MPI_THREAD_FUNNELED), and sedge_comm_free of this object
// finalises it: then free it last, and create no other afterwards, since MPI does not start again.
// Collective. SEDGE_ERR_DEVICE where MPI cannot start or is finalised already; SEDGE_ERR_USAGE for
// MPI_COMM_NULL; SEDGE_ERR_MEMORY, on all ranks.
//
//     MPI_Comm half;
//     MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
//     sedge_comm_create(&comm, &half);
SEDGE_MUST_USE
sedge_status sedge_comm_create(sedge_comm **out, const void *mpi_comm);

// Free the duplicate; finalise MPI if `create` initialised it. Of NULL nothing. Collective.
void sedge_comm_free(sedge_comm *comm);

// End all ranks at once with `exit_code`, e.g. when a rank fails inside the time loop. Any rank may
// call it alone. `comm` is not NULL.
_Noreturn void sedge_comm_abort(const sedge_comm *comm, int exit_code);

// The same where this rank fails with `status`, perhaps alone, while others go on into what is
// collective: prints its message with the rank's number.
_Noreturn void sedge_comm_end_alone(const sedge_comm *comm, sedge_status status);

// Not collective.
int sedge_comm_rank(const sedge_comm *comm);
int sedge_comm_size(const sedge_comm *comm);
int sedge_comm_node_rank(const sedge_comm *comm); // rank among those of this node
int sedge_comm_node_size(const sedge_comm *comm); // ranks on this node
bool sedge_comm_is_root(const sedge_comm *comm);

// All ranks take the worst status; a failing rank's message becomes everyone's, prefixed by its
// rank when it speaks of memory or a device. Collective. Ends every phase in which one rank can
// fail alone.
SEDGE_MUST_USE
static inline sedge_status sedge_comm_agree(const sedge_comm *comm, sedge_status status);

// Behind sedge_comm_agree: the worst status of all ranks, with its message.
SEDGE_MUST_USE
sedge_status sedge_comm_worst(const sedge_comm *comm, sedge_status status);

// Here and not in the .c, so that analysers see that a rank which failed never goes on.
static inline sedge_status sedge_comm_agree(const sedge_comm *comm, sedge_status status)
{
    const sedge_status worst = sedge_comm_worst(comm, status);

    return worst == SEDGE_OK ? status : worst;
}

// Elementwise reductions over ranks of `count` values, the same on all, in place; the result is on
// every rank. Collective.
void sedge_comm_sum(const sedge_comm *comm, double *values, int count);
void sedge_comm_sum_int(const sedge_comm *comm, int64_t *values, int count);
void sedge_comm_min(const sedge_comm *comm, double *values, int count);
void sedge_comm_max(const sedge_comm *comm, double *values, int count);
void sedge_comm_max_int(const sedge_comm *comm, int64_t *values, int count);

// Sum that does not depend on how the terms are spread over ranks (to the last bit, but for
// cancellation beyond 30 digits): each rank brings a double-double (high, low). Collective.
double sedge_comm_sum_exact(const sedge_comm *comm, double high, double low);

// Sum of the counts of all lower ranks. Collective.
int64_t sedge_comm_scan(const sedge_comm *comm, int64_t count);

// `bytes` bytes from `root` to all. Collective. More than 2 GiB is fine.
void sedge_comm_broadcast(const sedge_comm *comm, void *data, size_t bytes, int root);

// `bytes` bytes of each rank, at most 2 GiB, concatenated by rank, on every rank: `all`
// [ranks][bytes]. Collective.
void sedge_comm_all_gather(const sedge_comm *comm, const void *mine, void *all, size_t bytes);

// Point to point between two ranks that differ, blocking, for set-up phases; more than 2 GiB is
// fine. `comm` is not NULL.
void sedge_comm_send(const sedge_comm *comm, const void *data, size_t bytes, int to);
void sedge_comm_receive(const sedge_comm *comm, void *data, size_t bytes, int from);

// Rows of `bytes` bytes for each rank: counts[r] of them go to rank r, those for rank 0 first in
// `rows`. `*received` is what came, by rank, and `received_counts` [ranks] how many from each;
// release with sedge_release. Collective; a rank that has no room fails on all.
SEDGE_MUST_USE
sedge_status sedge_comm_all_to_all(const sedge_comm *comm, const void *rows, const int64_t *counts,
                                   size_t bytes, void *received, int64_t *received_counts);

// A sum over ranks that goes on while this rank does something else. One at a time is under way;
// start and wait are collective, and `values` must stay and not be looked at between them.
typedef struct sedge_sum sedge_sum;

SEDGE_MUST_USE
sedge_status sedge_sum_create(sedge_sum **out, const sedge_comm *comm); // not collective
void sedge_sum_free(sedge_sum *sum);
void sedge_sum_start(sedge_sum *sum, double *values, int count); // in place, result on every rank
void sedge_sum_wait(sedge_sum *sum);

// Whether this MPI says that it takes addresses of CUDA's device memory; one that cannot crashes
// when it is given some. Not collective.
bool sedge_comm_takes_device_memory(void);

// Until all ranks are here. Collective.
void sedge_comm_barrier(const sedge_comm *comm);

// The MPI_Comm, for libraries that take one (PETSc, HDF5): copied to `*mpi_comm`, which must be an
// MPI_Comm. It stays the comm's; `comm` is not NULL.
void sedge_comm_native(const sedge_comm *comm, void *mpi_comm);

// ---- neighbour exchange in the time loop -------------------------------------------------------

// A plan for repeated exchanges of contiguous blocks with a fixed set of peers (persistent
// requests). Peer i is sent bytes [send_offsets[i], send_offsets[i+1]) of one buffer, and bytes
// [receive_offsets[i], receive_offsets[i+1]) of another come from it.
typedef struct sedge_exchange sedge_exchange;

// `ranks` [peers] and the offsets [peers + 1] are not kept; `send` and `receive` are what this MPI
// takes (host memory; see sedge_comm_takes_device_memory) and outlive the plan. Where nothing is
// sent there is no message: both sides have the same sizes. SEDGE_ERR_USAGE for more than 2 GiB
// with a peer. Not collective, but both sides of each pair must create theirs. `comm` is not NULL.
// The caller frees it, when nothing is under way.
SEDGE_MUST_USE
sedge_status sedge_exchange_create(sedge_exchange **out, const sedge_comm *comm, int peers,
                                   const int *ranks, const int64_t *send_offsets,
                                   const int64_t *receive_offsets, const void *send, void *receive);
void sedge_exchange_free(sedge_exchange *exchange);

// Each exchange: receives, sends, wait, once each and in this order on every rank with peers.
void sedge_exchange_post_receives(sedge_exchange *exchange); // may come before the data is ready
void sedge_exchange_start_sends(sedge_exchange *exchange);   // the send buffer is ready
bool sedge_exchange_test(sedge_exchange *exchange);          // let MPI make progress; all done?
void sedge_exchange_wait(sedge_exchange *exchange);          // until all is sent and received

// ---- a vote while the ranks work ---------------------------------------------------------------

// The elementwise maximum over ranks of a few numbers, which travels while the ranks do other work.
// One at a time.
typedef struct sedge_vote sedge_vote;
#define SEDGE_VOTE_VALUES 4

// Not collective. `comm` is not NULL.
SEDGE_MUST_USE
sedge_status sedge_vote_create(sedge_vote **out, const sedge_comm *comm);

// Waits for what is on its way: collective then.
void sedge_vote_free(sedge_vote *vote);

// At most SEDGE_VOTE_VALUES values. Collective; waits for nobody.
void sedge_vote_start(sedge_vote *vote, const double *values, int count);

// The maxima of the vote that was started. Collective.
void sedge_vote_finish(sedge_vote *vote, double *values);
