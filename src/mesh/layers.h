// One side of the box around the mesh, or the surface around it, extruded: every triangle on it
// becomes a column of prisms, every prism three tetrahedra. Used by extrude.c, on rank 0.
//
// The copies of the vertices b0 b1 b2 of a triangle in the next layer are t0 t1 t2. With the
// vertices in the order of their numbers, the tetrahedra of the prism are
//   0: b0 b1 b2 t2    1: b0 b1 t1 t2    2: b0 t0 t1 t2.
// The quadrilateral over an edge bi bj, i < j, has the diagonal bi tj. This depends on the two
// numbers alone, so that the prisms on either side of the quadrilateral have the same one. Copies
// are numbered in the order of their originals.
#pragma once

#include "global.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// A face on the outside of the mesh, or a named one inside.
typedef struct sedge_layer_face {
    int32_t vertex[3];
    int32_t element; // that it is a face of, or another one of the same prism; -1: inside the mesh
    int32_t group;   // surface group
} sedge_layer_face;

typedef struct sedge_layer_build {
    sedge_global *mesh; // its cells, points and what elements have grow; faces and sides stay
    int layers;
    double thickness;    // of all layers together
    double box[2][3];    // around the mesh without layers
    double tolerance;    // a vertex that is nearer to a side of the box lies on it
    double centre[3];    // of the rays along which layers grow
    double radius;       // see sedge_mesh_extruded; 0: the layers are on a box
    bool is_sphere;      // see sedge_mesh_extruded
    double steepest;     // the same
    double *depth;       // [vertices] length of the layers along the ray, in thicknesses
    bool *is_requested;  // [surface groups] they get layers
    int64_t faces, room; // of `face`
    sedge_layer_face *face;
    int32_t *least; // [vertices] of those that periodic sides make one with this one, the least
    uint8_t *axes;  // [elements] bit d: it is in a layer along axis d
} sedge_layer_build;

// Add a face to the list.
SEDGE_MUST_USE
sedge_status sedge_layers_add_face(sedge_layer_build *build, sedge_layer_face face);

// Whether a vertex lies on this side of the box: `end` 0 is the low one of the axis, 1 the high.
bool sedge_layers_lies(const sedge_layer_build *build, int32_t vertex, int axis, int end);

// Add the layers on one side of the box: on those outer faces of requested groups that lie on it,
// of which there may be none. Rims of the layers continue the wall that reaches the side there. A
// named surface inside the mesh that ends on the side is continued as well.
SEDGE_MUST_USE
sedge_status sedge_layers_extrude_side(sedge_layer_build *build, int axis, int end);

// The same on all outer faces of requested groups, along the rays from the centre.
SEDGE_MUST_USE
sedge_status sedge_layers_extrude_radially(sedge_layer_build *build);
