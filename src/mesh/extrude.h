// Layers of elements outside of a mesh that is a box or a ball: see sedge_mesh_extrusion in mesh.h.
#pragma once

#include "global.h"

#include "base/error.h"

// Add the layers that `options->extrude` asks for. The mesh is connected and its periodic sides are
// paired before. Afterwards it is as if it had just been read and oriented, without faces, sides
// and periods: connect and pair it again.
//
// Layers grow along x at first, then along y on the mesh with these, then along z: edges and
// corners of the box come by themselves. Around a ball they grow along its radii. The new elements
// follow those of the mesh. They depend on the mesh's numbers alone, so they are the same on any
// number of ranks.
SEDGE_MUST_USE
sedge_status sedge_global_extrude(sedge_global *mesh, const sedge_mesh_options *options);
