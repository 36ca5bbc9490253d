// A writer: a thread that writes arrays into files while the caller goes on.
//
// The thread calls neither MPI nor HDF5, which would need locks: a file is made first, with its
// structure, and the thread fills in bytes at known places (sedge_h5_place). Therefore
// MPI_THREAD_FUNNELED suffices, and a rank never waits for another one's disk. What is collective,
// such as giving a file that all ranks have filled its name, is up to the caller, at a moment that
// all ranks know.
//
// Functions are not collective and are called by one thread, the one that created the writer.
#pragma once

#include "base/error.h"
#include "base/file.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_writer sedge_writer;

// Bytes that go into a file at a place.
typedef struct sedge_write_part {
    int64_t place;
    int64_t bytes;
    const void *from;
} sedge_write_part;

#define SEDGE_WRITE_PARTS 16

// What goes into one file. The caller fills in the first members and keeps the struct, and all that
// it points to, until the writer has done it. The functions are optional; the writer's thread calls
// them.
typedef struct sedge_write {
    char path[SEDGE_PATH_BYTES + 8]; // of a file that exists
    int count;                       // of parts
    sedge_write_part part[SEDGE_WRITE_PARTS];
    sedge_status (*wait)(void *of); // until the bytes are there
    sedge_status (*fill)(void *of,
                         const struct sedge_write *file); // write more, by sedge_write_put
    void *of;
    // The writer's.
    int file; // open while `fill` runs
    bool done;
    double seconds; // that the thread has spent on it
    sedge_status status;
    char message[1024];
    struct sedge_write *next;
} sedge_write;

// Start the thread. SEDGE_ERR_USAGE: the system allows no further one.
SEDGE_MUST_USE
sedge_status sedge_writer_create(sedge_writer **out);

// End the thread when it has done all. NULL does nothing.
void sedge_writer_free(sedge_writer *writer);

// Write `what` after all that was added before, and flush the file to disk.
void sedge_writer_add(sedge_writer *writer, sedge_write *what);

// Write `bytes` bytes at a place of the file that `fill` has been called for. SEDGE_ERR_USAGE: why
// not.
SEDGE_MUST_USE
sedge_status sedge_write_put(const sedge_write *what, int64_t place, const void *from,
                             int64_t bytes);

bool sedge_writer_is_done(sedge_writer *writer, const sedge_write *what);

// Wait until it is done. SEDGE_ERR_USAGE: the file could not be written; the message says why.
SEDGE_MUST_USE
sedge_status sedge_writer_finish(sedge_writer *writer, const sedge_write *what);
