// Layers that grow along rays from a centre: around a sphere, or around another surface each point
// of which is seen from the centre. Used by extrude.c, on rank 0.
#pragma once

#include "layers.h"

#include "base/error.h"

// Find the centre of the outer faces of requested groups: that of the sphere through their vertices
// if there is one; else the middle of the box around them, moved onto the planes of walls that
// reach them. Sets `centre`, `radius`, `is_sphere`, `steepest` and `depth`, and makes the edges
// between these vertices straight: they bound the mesh where nothing is to be seen. `edge` gets the
// mean length of the faces' edges. SEDGE_ERR_DATA where rays meet the faces at too large an angle
// to their normals (so, too, where the mesh lies outside of them), where the faces are too large,
// and where a wall that reaches them is not along the rays.
SEDGE_MUST_USE
sedge_status sedge_layers_find_centre(sedge_layer_build *build, double *edge);
