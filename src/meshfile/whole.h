// Small datasets of a mesh file that every rank reads whole.
#pragma once

#include "base/error.h"
#include "io/h5.h"

#include <stdint.h>

// SEDGE_ERR_DATA: the file is damaged in the way that `what` says.
SEDGE_MUST_USE
sedge_status mesh_whole_fail(const char *path, const char *what);

// Read all of a dataset, which must have this shape. If the file is open on all ranks, all call
// this.
SEDGE_MUST_USE
sedge_status mesh_whole_read(sedge_h5 *file, const char *path, const char *name, sedge_h5_type type,
                             int rank, const int64_t *expected, void *data);
