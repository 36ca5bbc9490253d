// What the options request of the whole mesh beyond the Gmsh file, as texts in the mesh file. A run
// must request the same.
#pragma once

#include "base/error.h"
#include "io/h5.h"
#include "mesh/mesh.h"

// What an import makes for the options: their own if they have absorbing layers, periodic surfaces
// or closed surfaces, else those of a mesh that serves all decks without these, in the coordinates
// of the Gmsh file. Borrows from `options`.
sedge_mesh_options mesh_request_choose(const sedge_mesh_options *options);

SEDGE_MUST_USE
sedge_status mesh_request_write(sedge_h5 *file, const sedge_mesh_options *options);

// Refuse options that the file was not made for: SEDGE_ERR_USAGE. `*factor`: by what the file's
// coordinates are multiplied. `file` is open on this rank alone.
SEDGE_MUST_USE
sedge_status mesh_request_compare(double *factor, sedge_h5 *file,
                                  const sedge_mesh_options *options);
