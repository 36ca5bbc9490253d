// Declarations shared by h5_file.c (files), h5_write.c, h5_read.c and h5_error.c. Only these files
// include this header and hdf5.h.
#pragma once

#include "h5.h"

#include <hdf5.h>

#include <stdbool.h>

struct sedge_h5 {
    hid_t id;
    hid_t access;   // property list of opening
    hid_t transfer; // property list of reads and writes
    bool reads;     // opened to be read
    char *path;
};

// Stop HDF5 from printing errors. From now on the reason of a failure is stored for h5_failure and
// h5_damage.
void h5_note_failures(void);
// Store a reason that HDF5 does not know.
void h5_keep_reason(const char *words);

// The status of a failed HDF5 call; `what` is "write", "open", ... Reading: h5_damage.
sedge_status h5_failure(const char *what, const char *path);
sedge_status h5_damage(const char *path);

hid_t h5_stored_type(sedge_h5_type type);
hid_t h5_memory_type(sedge_h5_type type);

// Select rows [first, first + rows) of the dataset whose shape `count` is in `space`, and make the
// matching space of packed memory; < 0: failed. Sets count[0] to `rows`.
hid_t h5_select_rows(hid_t space, int rank, hsize_t *count, int64_t first, int64_t rows);
