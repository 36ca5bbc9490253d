// Closed surfaces inside the mesh, and which elements they enclose: see sedge_mesh_enclosure in
// mesh.h. Used on rank 0 while the mesh is built.
#pragma once

#include "global.h"

#include "base/error.h"

// Append the surface groups of the options' enclosures that have a shape, and look up those that
// are named. Before the faces are matched. SEDGE_ERR_USAGE for a name that the mesh has already, a
// volume group that it does not have, and too many enclosures.
SEDGE_MUST_USE
sedge_status sedge_global_add_enclosures(sedge_global *mesh, const sedge_mesh_options *options);

// Mark in `mesh->inside` which elements lie in enclosures with a shape. Elements of layers lie in
// none. sedge_global_connect then puts the faces between marked and other elements into the
// enclosures' surface groups.
SEDGE_MUST_USE
sedge_status sedge_global_mark_enclosures(sedge_global *mesh, const sedge_mesh_options *options);

// Check that the enclosures' surfaces are closed, or end on outer surfaces where they are those of
// shapes, find the elements in those that are named, make the side of the enclosed element the
// first side of each face, and fill `mesh->enclosed`. Then do the same with all other surface
// groups that are closed and have a face with the same volume group on both sides. After
// sedge_global_sort_sides. SEDGE_ERR_USAGE names the surface and the place where it is not closed.
SEDGE_MUST_USE
sedge_status sedge_global_close_enclosures(sedge_global *mesh, const sedge_mesh_options *options);
