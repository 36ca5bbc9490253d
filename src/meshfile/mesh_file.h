// Mesh files: what `sedge mesh import` makes of a Gmsh file once, so that no rank of a later run
// holds the whole mesh.
//
// The file is HDF5. Its elements are checked and connected, and lie in the order of a Hilbert
// curve: consecutive ones are near each other. A run gives each rank an equal slice of them,
// partitions their graph on all ranks together, and sends each element to the rank of its part. The
// memory of a rank grows with its elements, except for names and counts of groups.
//
// The mesh of a run is the same as from the Gmsh file: the elements keep their numbers and the
// order of their corners. On one rank everything is equal to the bit. On more ranks the parts
// differ, because another partitioner makes them.
#pragma once

#include "base/error.h"
#include "mesh/mesh.h"
#include "par/comm.h"

// Make the file at `path` from the Gmsh file of the options. If these have absorbing layers,
// periodic surfaces, closed surfaces (sedge_mesh_enclosure) or media by images (image/image.h),
// the file has them, too, and only serves runs with the same ones, the same scale and the same
// two-sided surfaces. Otherwise the coordinates stay those of the Gmsh file, and the file serves
// all options without such things. The file is written whole or not at all, by rank 0, which holds
// the whole mesh. Fails as sedge_mesh_create does, and with SEDGE_ERR_USAGE if the file cannot be
// written. Collective.
SEDGE_MUST_USE
sedge_status sedge_mesh_import(const sedge_comm *comm, const char *path,
                               const sedge_mesh_options *options);

// As sedge_mesh_create, where the options' `file` may also be one of sedge_mesh_import.
// SEDGE_ERR_USAGE: it was made for other options. SEDGE_ERR_DATA: a damaged file, one of another
// version, and another HDF5 file. `keep_whole` has no effect: sedge_mesh_balance leaves the parts
// as they are. Collective.
SEDGE_MUST_USE
sedge_status sedge_mesh_open(sedge_mesh **out, const sedge_comm *comm,
                             const sedge_mesh_options *options);
