// What a mesh file says of the whole mesh: counts, extents, groups, connected parts.
#pragma once

#include "base/error.h"
#include "io/h5.h"
#include "mesh/global.h"
#include "mesh/mesh.h"

// Write what `mesh` has of the whole mesh, with the groups of `global`. Two-sided surfaces are
// written as others.
SEDGE_MUST_USE
sedge_status mesh_head_write(sedge_h5 *file, const sedge_mesh *mesh, const sedge_global *global);

// Refuse a file that is none of `sedge mesh import`, or of another version: SEDGE_ERR_DATA.
SEDGE_MUST_USE
sedge_status mesh_head_check_format(sedge_h5 *file, const char *path);

// Read and check it, with the file's coordinates times `scale`. `file` is open on this rank alone.
SEDGE_MUST_USE
sedge_status mesh_head_read(sedge_mesh *mesh, sedge_h5 *file, const char *path, double scale);
