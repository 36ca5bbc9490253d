// Elements of slices, sent to the ranks of their parts.
#pragma once

#include "slice.h"

#include "base/error.h"
#include "mesh/local.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// Make the records of this rank's elements, by ascending number, from the slices of all ranks.
// part [slice->count] is the rank of each element of this rank's slice; `two_sided` as in
// mesh_parts_find, and `mesh` has the data of the whole mesh. The slice is released, once the
// records are made. The caller releases `*records` and `*middles`, the nodes of the curved
// elements' edges, with sedge_release. SEDGE_ERR_DATA: two elements have one number, or two
// neighbours do not agree on their common face; `path` is for the message. Collective.
SEDGE_MUST_USE
sedge_status mesh_deal(sedge_record **records, double (**middles)[SEDGE_EDGES][3], int32_t *count,
                       mesh_slice *slice, const int32_t *part, const bool *two_sided,
                       const sedge_mesh *mesh, const char *path, const sedge_comm *comm);
