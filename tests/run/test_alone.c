// One rank alone fails where others go on into what is collective: all ranks get its status, and
// none waits.
//
//   test_alone         what comes before a shared file is opened; a file that one does not see
//   test_alone start   what comes before ranks look who is on their node
#define _GNU_SOURCE // RTLD_NEXT
#include "check.h"

#include "io/h5.h"
#include "par/comm.h"

#include <hdf5.h>
#include <mpi.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static const char path[] = SEDGE_TEST_DIR "/alone.h5";

static int allocation_fails; // the one of so many from here on; 0: none
static bool start_fails;     // the first one after MPI has begun
static bool properties_fail;

// ---- what stands before the libraries' own -----------------------------------------------------

// What the program's own code calls (CMakeLists.txt), such as sedge_allocate; not the libraries.
void *take_zeroed(size_t count, size_t size) __asm__("__wrap_calloc");
void *real_calloc(size_t count, size_t size) __asm__("__real_calloc");

void *take_zeroed(size_t count, size_t size)
{
    if (allocation_fails > 0 && --allocation_fails == 0) return NULL;
    return real_calloc(count, size);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int status = PMPI_Init_thread(argc, argv, required, provided);
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    allocation_fails = start_fails && rank == 1;
    return status;
}

herr_t H5Pset_dxpl_mpio(hid_t dxpl_id, H5FD_mpio_xfer_t xfer_mode)
{
    herr_t (*real)(hid_t, H5FD_mpio_xfer_t) = NULL;
    void *const found = dlsym(RTLD_NEXT, "H5Pset_dxpl_mpio");

    if (properties_fail) return -1;
    memcpy(&real, &found, sizeof found);
    return real(dxpl_id, xfer_mode);
}

// ---- tests -------------------------------------------------------------------------------------

static void test_open(const sedge_comm *comm)
{
    const bool chosen = sedge_comm_rank(comm) == 1;
    sedge_h5 *file = NULL;

    if (sedge_comm_is_root(comm)) {
        CHECK_OK(sedge_h5_create(&file, path, 0));
        CHECK_OK(sedge_h5_close(file, SEDGE_OK));
    }
    sedge_comm_barrier(comm);
    // The file's two allocations, behind the watch's one, without which the file is opened, too.
    for (int i = 2; i <= 3; i++) {
        allocation_fails = chosen ? i : 0;
        CHECK_FAILS(sedge_h5_open_shared(&file, path, comm), SEDGE_ERR_MEMORY,
                    "rank 1: out of host memory");
        CHECK(file == NULL && allocation_fails == 0);
        allocation_fails = chosen ? i : 0;
        CHECK_FAILS(sedge_h5_open_read_shared(&file, path, comm), SEDGE_ERR_MEMORY,
                    "rank 1: out of host memory");
        CHECK(file == NULL);
    }
    properties_fail = chosen;
    CHECK_FAILS(sedge_h5_open_shared(&file, path, comm), SEDGE_ERR_USAGE, "cannot open '");
    CHECK_FAILS(sedge_h5_open_read_shared(&file, path, comm), SEDGE_ERR_DATA, "cannot read '");
    CHECK(file == NULL);
    properties_fail = false;
    CHECK_OK(sedge_h5_open_shared(&file, path, comm));
    CHECK_OK(sedge_h5_close(file, SEDGE_OK));
    if (sedge_comm_is_root(comm)) CHECK(unlink(path) == 0);
}

// A folder of the same name on each node: rank 1 does not find the file that rank 0 made.
static void test_unseen(const sedge_comm *comm)
{
    static const char name[] = "alone-unseen.h5";
    const bool is_root = sedge_comm_is_root(comm);
    sedge_h5 *file = NULL;

    CHECK(chdir(is_root ? SEDGE_TEST_DIR : "/") == 0);
    if (is_root) {
        CHECK_OK(sedge_h5_create(&file, name, 0));
        CHECK_OK(sedge_h5_close(file, SEDGE_OK));
    }
    sedge_comm_barrier(comm);
    CHECK_FAILS(sedge_h5_open_shared(&file, name, comm), SEDGE_ERR_USAGE,
                "rank 1 does not see 'alone-unseen.h5', which others do");
    CHECK_FAILS(sedge_h5_open_read_shared(&file, name, comm), SEDGE_ERR_DATA,
                "rank 1 does not see 'alone-unseen.h5', which others do");
    CHECK(file == NULL);
    sedge_comm_barrier(comm);
    if (is_root) CHECK(unlink(name) == 0);
}

int main(int argc, char **argv)
{
    sedge_comm *comm = NULL;

    start_fails = argc > 1 && strcmp(argv[1], "start") == 0;
    if (start_fails) {
        CHECK_FAILS(sedge_comm_create(&comm, NULL), SEDGE_ERR_MEMORY, "rank 1: out of host memory");
        CHECK(comm == NULL);
    } else {
        CHECK_OK(sedge_comm_create(&comm, NULL));
        test_open(comm);
        test_unseen(comm);
        sedge_comm_free(comm);
    }
    return CHECK_END();
}
