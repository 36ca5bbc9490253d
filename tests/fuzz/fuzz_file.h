// For fuzzers of readers that take names of files and use MPI.
#pragma once

#include "fuzz.h"

#include "par/comm.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

static sedge_comm *fuzz_world; // kept to the end: MPI can be started once only

static inline void fuzz_end_mpi(void)
{
    sedge_comm_free(fuzz_world);
}

// MPI, at the first call; was this it?
static inline bool fuzz_start_mpi(void)
{
    if (fuzz_world != NULL) return false;
    FUZZ_CHECK(sedge_comm_create(&fuzz_world, NULL) == SEDGE_OK);
    FUZZ_CHECK(atexit(fuzz_end_mpi) == 0);
    return true;
}

// A file without a place in which the bytes lie: /proc/self/fd/NUMBER.
static inline int fuzz_open(const uint8_t *data, size_t size)
{
    static int file = -1;

    if (file < 0) file = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(file >= 0 && ftruncate(file, 0) == 0);
    FUZZ_CHECK(pwrite(file, data, size, 0) == (ssize_t)size);
    return file;
}
