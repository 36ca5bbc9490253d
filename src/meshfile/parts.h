// Parts of a mesh in slices, found by all ranks together.
#pragma once

#include "slice.h"

#include "base/error.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// part [slice->count]: the rank that gets each element of this rank's slice; no rank is left
// without elements. Elements on the two sides of a surface in `two_sided` [surface groups] are not
// neighbours. `partitioner` as in sedge_mesh_options; if ptscotch leaves a rank without elements,
// each keeps its slice. SEDGE_ERR_USAGE: more ranks than elements, or the partitioner fails.
// Collective.
SEDGE_MUST_USE
sedge_status mesh_parts_find(int32_t *part, const mesh_slice *slice, const bool *two_sided,
                             int64_t elements, const char *partitioner, const sedge_comm *comm);
