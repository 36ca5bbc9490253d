#include "comm.h"

#include "base/memory.h"

#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h> // behind mpi.h
#endif

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct sedge_comm {
    MPI_Comm world; // our own duplicate
    int rank, size;
    int node_rank, node_size;
    bool started_mpi; // and therefore finalises it
};

// Start MPI unless the program has. `*started` tells which.
static sedge_status start_mpi(bool *started)
{
    int was_started = 0, is_over = 0, provided;

    *started = false;
    MPI_Finalized(&is_over);
    if (is_over != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "MPI has been finalised and cannot start again: create ranks before "
                          "MPI_Finalize");
    }
    MPI_Initialized(&was_started);
    if (was_started != 0) return SEDGE_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "MPI_Init_thread failed");
    *started = true;
    return SEDGE_OK;
}

sedge_status sedge_comm_create(sedge_comm **out, const void *mpi_comm)
{
    sedge_comm here = {.node_size = 1};
    MPI_Comm given = MPI_COMM_WORLD;
    sedge_comm *comm = NULL;
    MPI_Comm node;

    *out = NULL;
    SEDGE_TRY(start_mpi(&here.started_mpi));
    if (mpi_comm != NULL) memcpy(&given, mpi_comm, sizeof(MPI_Comm));
    if (given == MPI_COMM_NULL)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the communicator is MPI_COMM_NULL");
    MPI_Comm_dup(given, &here.world);
    MPI_Comm_set_errhandler(here.world, MPI_ERRORS_ARE_FATAL); // not the caller's
    MPI_Comm_rank(here.world, &here.rank);
    MPI_Comm_size(here.world, &here.size);
    const sedge_status status =
        sedge_comm_agree(&here, sedge_allocate(&comm, 1, sizeof *comm)); // others would split alone
    if (status != SEDGE_OK) {
        sedge_release(comm);
        MPI_Comm_free(&here.world);
        if (here.started_mpi) MPI_Finalize();
        return status;
    }
    MPI_Comm_split_type(here.world, MPI_COMM_TYPE_SHARED, here.rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &here.node_rank);
    MPI_Comm_size(node, &here.node_size);
    MPI_Comm_free(&node);
    *comm = here;
    *out = comm;
    return SEDGE_OK;
}

void sedge_comm_free(sedge_comm *comm)
{
    if (comm == NULL) return;
    const bool started_mpi = comm->started_mpi;
    MPI_Comm_free(&comm->world);
    sedge_release(comm);
    if (started_mpi) MPI_Finalize();
}

_Noreturn void sedge_comm_abort(const sedge_comm *comm, int exit_code)
{
    (void)fflush(NULL);
    MPI_Abort(comm->world, exit_code);
    abort();
}

_Noreturn void sedge_comm_end_alone(const sedge_comm *comm, sedge_status status)
{
    (void)fprintf(stderr, "sedge: rank %d: %s\n", sedge_comm_rank(comm), sedge_error_message());
    sedge_comm_abort(comm, sedge_status_exit_code(status));
}

int sedge_comm_rank(const sedge_comm *comm)
{
    return comm != NULL ? comm->rank : 0;
}

int sedge_comm_size(const sedge_comm *comm)
{
    return comm != NULL ? comm->size : 1;
}

int sedge_comm_node_rank(const sedge_comm *comm)
{
    return comm != NULL ? comm->node_rank : 0;
}

int sedge_comm_node_size(const sedge_comm *comm)
{
    return comm != NULL ? comm->node_size : 1;
}

bool sedge_comm_is_root(const sedge_comm *comm)
{
    return comm == NULL || comm->rank == 0;
}

sedge_status sedge_comm_worst(const sedge_comm *comm, sedge_status status)
{
    struct {
        int status;
        int rank;
    } mine = {(int)status, sedge_comm_rank(comm)}, worst;
    char message[4096];

    if (sedge_comm_size(comm) == 1) return status;
    MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, comm->world);
    if (worst.status == SEDGE_OK) return SEDGE_OK;
    if (worst.status == SEDGE_ERR_MEMORY || worst.status == SEDGE_ERR_DEVICE) {
        (void)snprintf(message, sizeof message, "rank %d: %.4000s", comm->rank,
                       sedge_error_message());
    } else {
        (void)snprintf(message, sizeof message, "%s", sedge_error_message());
    }
    MPI_Bcast(message, (int)sizeof message, MPI_CHAR, worst.rank, comm->world);
    sedge_error_set(message);
    return (sedge_status)worst.status;
}

void sedge_comm_sum(const sedge_comm *comm, double *values, int count)
{
    if (comm == NULL) return;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, comm->world);
}

void sedge_comm_sum_int(const sedge_comm *comm, int64_t *values, int count)
{
    if (comm == NULL) return;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_SUM, comm->world);
}

void sedge_comm_min(const sedge_comm *comm, double *values, int count)
{
    if (comm == NULL) return;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MIN, comm->world);
}

void sedge_comm_max(const sedge_comm *comm, double *values, int count)
{
    if (comm == NULL) return;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, comm->world);
}

void sedge_comm_max_int(const sedge_comm *comm, int64_t *values, int count)
{
    if (comm == NULL) return;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, comm->world);
}

double sedge_comm_sum_exact(const sedge_comm *comm, double high, double low)
{
    double mine[2] = {high, low};
    double *all = NULL;

    if (sedge_comm_size(comm) == 1) return high + low;
    if (sedge_allocate(&all, 2 * (int64_t)comm->size, sizeof *all) != SEDGE_OK)
        MPI_Abort(comm->world, sedge_status_exit_code(SEDGE_ERR_MEMORY));
    MPI_Allgather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, comm->world);
    double sum = 0.0;
    double rest = 0.0;
    for (int i = 0; i < 2 * comm->size; i++) { // Knuth's two-sum: no addition's error is lost
        const double next = sum + all[i];
        const double part = next - sum;
        rest += (sum - (next - part)) + (all[i] - part);
        sum = next;
    }
    sedge_release(all);
    return sum + rest;
}

int64_t sedge_comm_scan(const sedge_comm *comm, int64_t count)
{
    int64_t before = 0;

    if (comm == NULL) return 0;
    MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, comm->world);
    return comm->rank == 0 ? 0 : before;
}

// MPI counts are int: longer messages go in pieces of 1 GiB.
static const size_t piece = (size_t)1 << 30;

void sedge_comm_broadcast(const sedge_comm *comm, void *data, size_t bytes, int root)
{
    if (comm == NULL) return;
    for (size_t at = 0; at < bytes; at += piece) {
        const size_t length = bytes - at < piece ? bytes - at : piece;
        MPI_Bcast((char *)data + at, (int)length, MPI_BYTE, root, comm->world);
    }
}

void sedge_comm_all_gather(const sedge_comm *comm, const void *mine, void *all, size_t bytes)
{
    if (comm == NULL) {
        memcpy(all, mine, bytes);
        return;
    }
    MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm->world);
}

void sedge_comm_send(const sedge_comm *comm, const void *data, size_t bytes, int to)
{
    for (size_t at = 0; at < bytes; at += piece) {
        const size_t length = bytes - at < piece ? bytes - at : piece;
        MPI_Send((const char *)data + at, (int)length, MPI_BYTE, to, 1, comm->world);
    }
}

void sedge_comm_receive(const sedge_comm *comm, void *data, size_t bytes, int from)
{
    for (size_t at = 0; at < bytes; at += piece) {
        const size_t length = bytes - at < piece ? bytes - at : piece;
        MPI_Recv((char *)data + at, (int)length, MPI_BYTE, from, 1, comm->world, MPI_STATUS_IGNORE);
    }
}

// MPI wants counts and places as int.
typedef struct int_windows {
    int *counts; // [ranks]
    int *starts; // [ranks]
} int_windows;

static sedge_status make_windows(int_windows *out, const int64_t *counts, int ranks)
{
    int64_t start = 0;

    SEDGE_TRY(sedge_allocate(&out->counts, ranks, sizeof *out->counts));
    SEDGE_TRY(sedge_allocate(&out->starts, ranks, sizeof *out->starts));
    for (int r = 0; r < ranks; r++) {
        if (start + counts[r] > INT_MAX) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "more than %d rows for one rank in one exchange: use more ranks",
                              INT_MAX);
        }
        out->counts[r] = (int)counts[r];
        out->starts[r] = (int)start;
        start += counts[r];
    }
    return SEDGE_OK;
}

static void release_windows(const int_windows *windows)
{
    sedge_release(windows->counts);
    sedge_release(windows->starts);
}

sedge_status sedge_comm_all_to_all(const sedge_comm *comm, const void *rows, const int64_t *counts,
                                   size_t bytes, void *received, int64_t *received_counts)
{
    const int ranks = sedge_comm_size(comm);
    int_windows sent = {0};
    int_windows got = {0};
    void *space = NULL;
    MPI_Datatype row;
    int64_t total = 0;

    memcpy(received, &space, sizeof space);
    if (comm == NULL) {
        received_counts[0] = counts[0];
    } else {
        MPI_Alltoall(counts, 1, MPI_INT64_T, received_counts, 1, MPI_INT64_T, comm->world);
    }
    for (int r = 0; r < ranks; r++) total += received_counts[r];
    sedge_status status = sedge_allocate(&space, total, bytes);
    if (status == SEDGE_OK) status = make_windows(&sent, counts, ranks);
    if (status == SEDGE_OK) status = make_windows(&got, received_counts, ranks);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (comm == NULL) {
        memcpy(space, rows, (size_t)total * bytes);
    } else {
        MPI_Type_contiguous((int)bytes, MPI_BYTE, &row);
        MPI_Type_commit(&row);
        MPI_Alltoallv(rows, sent.counts, sent.starts, row, space, got.counts, got.starts, row,
                      comm->world);
        MPI_Type_free(&row);
    }
    memcpy(received, &space, sizeof space);
    space = NULL;
done:
    release_windows(&sent);
    release_windows(&got);
    sedge_release(space);
    return status;
}

struct sedge_sum {
    const sedge_comm *comm;
    MPI_Request request;
};

sedge_status sedge_sum_create(sedge_sum **out, const sedge_comm *comm)
{
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    (*out)->comm = comm;
    (*out)->request = MPI_REQUEST_NULL;
    return SEDGE_OK;
}

void sedge_sum_free(sedge_sum *sum)
{
    sedge_release(sum);
}

// The checker looks for both in one function.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
void sedge_sum_start(sedge_sum *sum, double *values, int count)
{
    if (sum->comm == NULL) return;
    MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, sum->comm->world,
                   &sum->request);
}

void sedge_sum_wait(sedge_sum *sum)
{
    MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

// Open MPI asks its libraries at run time; MPICH has the function since 4.0.
#if defined(MPIX_CUDA_AWARE_SUPPORT) || (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000)
bool sedge_comm_takes_device_memory(void)
{
    return MPIX_Query_cuda_support() == 1;
}
#else
bool sedge_comm_takes_device_memory(void)
{
    return false;
}
#endif

void sedge_comm_barrier(const sedge_comm *comm)
{
    if (comm != NULL) MPI_Barrier(comm->world);
}

void sedge_comm_native(const sedge_comm *comm, void *mpi_comm)
{
    memcpy(mpi_comm, &comm->world, sizeof(MPI_Comm));
}
