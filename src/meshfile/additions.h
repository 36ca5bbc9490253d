// What a deck adds to the mesh of a Gmsh file: periodic surfaces, absorbing layers, closed
// surfaces.
#pragma once

#include "base/error.h"
#include "io/h5.h"
#include "mesh/global.h"
#include "mesh/mesh.h"

SEDGE_MUST_USE
sedge_status mesh_additions_write(sedge_h5 *file, const sedge_global *global);

// After the groups. `file` is open on this rank alone.
SEDGE_MUST_USE
sedge_status mesh_additions_read(sedge_mesh *mesh, sedge_h5 *file, const char *path);
