#include "comm.h"

#include "base/memory.h"

#include <mpi.h>

#include <string.h>

struct sedge_vote {
    MPI_Comm world;
    MPI_Request request; // MPI_REQUEST_NULL: none on its way
    int count;
    double mine[SEDGE_VOTE_VALUES];
    double all[SEDGE_VOTE_VALUES];
};

// Started in one function and waited for in others, which the analyser cannot follow.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)

sedge_status sedge_vote_create(sedge_vote **out, const sedge_comm *comm)
{
    sedge_vote *vote = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&vote, 1, sizeof *vote));
    sedge_comm_native(comm, &vote->world);
    vote->request = MPI_REQUEST_NULL;
    *out = vote;
    return SEDGE_OK;
}

void sedge_vote_free(sedge_vote *vote)
{
    if (vote == NULL) return;
    MPI_Wait(&vote->request, MPI_STATUS_IGNORE);
    sedge_release(vote);
}

void sedge_vote_start(sedge_vote *vote, const double *values, int count)
{
    vote->count = count;
    memcpy(vote->mine, values, (size_t)count * sizeof *values);
    MPI_Iallreduce(vote->mine, vote->all, count, MPI_DOUBLE, MPI_MAX, vote->world, &vote->request);
}

void sedge_vote_finish(sedge_vote *vote, double *values)
{
    MPI_Wait(&vote->request, MPI_STATUS_IGNORE);
    memcpy(values, vote->all, (size_t)vote->count * sizeof *values);
}

// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
