// HDF5 files: the only place, with its .c, that sees hdf5.h.
//
// A sedge_h5 is one open file. One rank writes its structure (groups, attributes, links, the
// datasets' shapes). Then all ranks may open the file through MPI-IO and fill its datasets; every
// call on it is then collective, with the same arguments except for the data and their position.
// Objects are named by their paths in the file ("/VTKHDF/Points"). Numbers are stored little
// endian, texts as UTF-8 strings of variable length.
//
// A failure of writing is SEDGE_ERR_USAGE, a failure of reading SEDGE_ERR_DATA. The message has the
// file's path, HDF5's innermost reason, and the space left on the file system; HDF5 itself prints
// nothing. A failure is that of one rank, so callers agree (par/comm.h) before they go on. HDF5
// does not survive a disk that fills up while it writes (ranks hang, and closed files are closed
// again at exit). Therefore space is reserved first, and the functions that create or open a file
// for writing take the number of bytes that will be written.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_h5 sedge_h5;

typedef enum sedge_h5_type {
    SEDGE_H5_F32,
    SEDGE_H5_F64,
    SEDGE_H5_I32,
    SEDGE_H5_I64,
    SEDGE_H5_U8,
    SEDGE_H5_COMPLEX, // two F64: the compound {r, i}, as h5py and others have it
    SEDGE_H5_NUMBERS  // only to read, from files of others: whole or real numbers of any kind, or
                      // what h5py makes of true and false, which become F32
} sedge_h5_type;

#define SEDGE_H5_DIMENSIONS 4

// Create a file on this rank; an old file at `path` is truncated. `bytes`: how much will be written
// before it is closed, without the contents of datasets.
SEDGE_MUST_USE
sedge_status sedge_h5_create(sedge_h5 **out, const char *path, int64_t bytes);

// Create a file for series, to which sedge_h5_extend appends.
SEDGE_MUST_USE
sedge_status sedge_h5_create_series(sedge_h5 **out, const char *path, int64_t bytes);

// Reserve the disk space of the closed file at `path`, all its datasets included. Of one rank.
SEDGE_MUST_USE
sedge_status sedge_h5_reserve(const char *path);

// Open a file whose space is reserved, to fill its datasets by sedge_h5_write. Collective. A file
// that vanishes between two ranks' opens ends the job within some 20 s (par/watch.h).
SEDGE_MUST_USE
sedge_status sedge_h5_open_shared(sedge_h5 **out, const char *path, const sedge_comm *comm);

// Open a file of series to append about `bytes` bytes in `datasets` datasets. Writing is ordered
// (HDF5's SWMR mode: single writer, multiple readers) and takes no lock, so readers and the writer
// do not block each other. If the process is killed between two writes, the file can still be
// opened with swmr=True.
SEDGE_MUST_USE
sedge_status sedge_h5_open_series(sedge_h5 **out, const char *path, int64_t bytes, int datasets);

// Open a file of series or a checkpoint to read it: of this rank, or by all for
// sedge_h5_read; then collective. SEDGE_ERR_DATA: missing, a pipe, cut off, damaged, no HDF5
// file.
SEDGE_MUST_USE
sedge_status sedge_h5_open_read(sedge_h5 **out, const char *path);
SEDGE_MUST_USE
sedge_status sedge_h5_open_read_shared(sedge_h5 **out, const char *path, const sedge_comm *comm);

// Flush and close `file`, and free it. Returns `status`, with its message, if that is a failure,
// else the status of closing. NULL is fine.
SEDGE_MUST_USE
sedge_status sedge_h5_close(sedge_h5 *file, sedge_status status);

// True if a file that was written could not be closed: HDF5 would try again when MPI ends, and
// crash. The process must then end with `_exit`, or all ranks with sedge_comm_abort.
bool sedge_h5_is_left_open(void);

// Make a group; its parent must exist.
SEDGE_MUST_USE
sedge_status sedge_h5_group(sedge_h5 *file, const char *path);

// Attributes of the group or dataset `object`: a text, several texts, numbers.
SEDGE_MUST_USE
sedge_status sedge_h5_text(sedge_h5 *file, const char *object, const char *name, const char *text);
SEDGE_MUST_USE
sedge_status sedge_h5_texts(sedge_h5 *file, const char *object, const char *name,
                            const char *const *texts, int count);
SEDGE_MUST_USE
sedge_status sedge_h5_ascii(sedge_h5 *file, const char *object, const char *name, const char *text);
SEDGE_MUST_USE
sedge_status sedge_h5_real(sedge_h5 *file, const char *object, const char *name, double value);
SEDGE_MUST_USE
sedge_status sedge_h5_reals(sedge_h5 *file, const char *object, const char *name,
                            const double *values, int count);
SEDGE_MUST_USE
sedge_status sedge_h5_integer(sedge_h5 *file, const char *object, const char *name, int64_t value);
SEDGE_MUST_USE
sedge_status sedge_h5_integers(sedge_h5 *file, const char *object, const char *name,
                               const int64_t *values, int count);

// A link at `path` to the object `target_path` of the file `target_file`, which is looked for
// beside this one.
SEDGE_MUST_USE
sedge_status sedge_h5_link(sedge_h5 *file, const char *path, const char *target_file,
                           const char *target_path);

// Create a dataset of `rank` dimensions (at most SEDGE_H5_DIMENSIONS). Its values are undefined,
// and its place in the file is fixed.
SEDGE_MUST_USE
sedge_status sedge_h5_dataset(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                              const int64_t *shape);

// Where in its file the values of a dataset begin that sedge_h5_dataset has made: packed, little
// endian, row by row. Whoever knows the place can write them without HDF5 when the file is closed.
SEDGE_MUST_USE
sedge_status sedge_h5_place(sedge_h5 *file, const char *path, int64_t *place);

// Write rows [first, first + rows) along the first dimension, whole in the others, from `data`,
// which is packed and of the dataset's type. Ranks without data pass rows 0.
SEDGE_MUST_USE
sedge_status sedge_h5_write(sedge_h5 *file, const char *path, sedge_h5_type type, int64_t first,
                            int64_t rows, const void *data);

// Make and fill a dataset, in a file of one rank.
SEDGE_MUST_USE
sedge_status sedge_h5_put(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                          const int64_t *shape, const void *data);

// Make an empty dataset that grows along its first dimension; `shape` is that of one row, with
// `rank` dimensions (0: a number). `chunk_rows` rows are stored together; chunks of more than 64
// KiB must be whole appends.
SEDGE_MUST_USE
sedge_status sedge_h5_series(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                             const int64_t *shape, int64_t chunk_rows);

// Append `rows` rows.
SEDGE_MUST_USE
sedge_status sedge_h5_extend(sedge_h5 *file, const char *path, sedge_h5_type type, int64_t rows,
                             const void *data);

// ---- reading (h5_read.c); failures are SEDGE_ERR_DATA ------------------------------------------

// The dataset's lengths in its first `rank` dimensions; it must have this type and rank.
SEDGE_MUST_USE
sedge_status sedge_h5_shape(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                            int64_t *shape);

// Read rows [first, first + rows) into `data`, as sedge_h5_write writes them.
SEDGE_MUST_USE
sedge_status sedge_h5_read(sedge_h5 *file, const char *path, sedge_h5_type type, int64_t first,
                           int64_t rows, void *data);

// A text attribute into `text` [size]; one that is longer is a failure.
SEDGE_MUST_USE
sedge_status sedge_h5_read_text(sedge_h5 *file, const char *object, const char *name, char *text,
                                size_t size);

// The numbers of an attribute of any numeric type, as many as it must have. False: the object has
// no attribute of this name.
SEDGE_MUST_USE
sedge_status sedge_h5_read_reals(sedge_h5 *file, const char *object, const char *name,
                                 double *values, int count, bool *found);

// Append to every series of `to` the first `rows` rows of the series with the same path in `from`.
// If there is no such series with rows of the same shape, not-a-number (-1 for integers) is
// appended. `*left` is the number of series of `from` that are not in `to`. A series of `from` with
// fewer than `rows` rows is a failure. Called by one rank.
SEDGE_MUST_USE
sedge_status sedge_h5_copy_series(sedge_h5 *to, sedge_h5 *from, int64_t rows, int *left);
