// Datasets of a mesh file: how a damaged one is told, and small ones that every rank reads whole.
#pragma once

#include "base/error.h"
#include "io/h5.h"

#include <stdint.h>

// SEDGE_ERR_DATA: the file is damaged in the way that `format` says.
SEDGE_MUST_USE
__attribute__((format(printf, 2, 3))) sedge_status mesh_whole_fail(const char *path,
                                                                   const char *format, ...);

// Refuse a dataset of another type or shape: SEDGE_ERR_DATA.
SEDGE_MUST_USE
sedge_status mesh_whole_check(sedge_h5 *file, const char *path, const char *name,
                              sedge_h5_type type, int rank, const int64_t *expected);

// Read all of a dataset, which must have this shape. `file` is open on this rank alone.
SEDGE_MUST_USE
sedge_status mesh_whole_read(sedge_h5 *file, const char *path, const char *name, sedge_h5_type type,
                             int rank, const int64_t *expected, void *data);
