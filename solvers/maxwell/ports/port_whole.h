// A port's whole surface, where planes of symmetry cut it and the mesh has a part of it.
#pragma once

#include "dg/problem.h"

#include <stdbool.h>

// The axes across which there are planes of symmetry, bit d: axis d; and how many parts these make.
int port_whole_mask(const sedge_problem *problem);
int port_whole_parts(const sedge_problem *problem);

// SEDGE_ERR_USAGE: a port of so many parts is not cut by all planes of symmetry, so that there
// would be several such ports.
SEDGE_MUST_USE
sedge_status port_whole_check(const sedge_problem *problem, const char *surface, int parts);

typedef struct port_whole {
    sedge_surface_shape shape; // of the whole: the mesh's faces first, then their mirror images
    double (*triangles)[9];
    int (*volumes)[2];
    double (*middles)[9];
} port_whole;

// The mesh's part is `shape`; it is mirrored at all planes of symmetry. SEDGE_ERR_USAGE: it does
// not end on each of them. SEDGE_ERR_MEMORY. Clear it in any case.
SEDGE_MUST_USE
sedge_status port_whole_create(port_whole *out, const sedge_problem *problem, const char *surface,
                               const sedge_surface_shape *shape);
void port_whole_clear(const port_whole *whole);

// The mirror image of a place in the planes of symmetry across the axes of `mask`, bit d: axis d.
// A place in a plane is its own image, to the bit. `size` is that of the surface.
void port_whole_mirror(double out[3], const double x[3], const sedge_problem *problem, int mask,
                       double size);
