// Shapes of surfaces for conditions that depend on them (sedge_boundary_kind.fit).
#pragma once

#include "dg/problem.h"

#include <stdbool.h>

// A flat surface. Messages begin with "boundaries.SURFACE:".
typedef struct shape_plane {
    double normal[3]; // unit
    double area;
    double size; // the greatest distance of two corners along an axis
} shape_plane;

// SEDGE_ERR_USAGE: the surface is not flat, or has no face.
sedge_status shape_fit_plane(shape_plane *out, const char *surface,
                             const sedge_surface_shape *shape);

// The rectangle that the surface fills, with one side along the unit vector `along` in the plane:
// origin, and lengths [2] of the sides along `along` and across it, which is normal x along.
// SEDGE_ERR_USAGE: the surface is no such rectangle.
sedge_status shape_fit_rectangle(double origin[3], double across[3], double lengths[2],
                                 const shape_plane *plane, const double along[3],
                                 const char *surface, const sedge_surface_shape *shape);

// A rectangle between two conductors, with a field from one to the other. Planes of symmetry may
// cut it: then the mesh has one of `parts` parts, and length and width are those of the whole.
typedef struct shape_gap {
    double along[3], normal[3]; // unit; the field's direction, and across the rectangle
    double origin[3];           // a corner of the mesh's part
    double length, width;       // along the field and across it
    int parts;
} shape_gap;

// The gap that the surface fills, with a field along `direction`, which is not 0. SEDGE_ERR_USAGE:
// it is no such rectangle, or the field is not its own mirror image in a plane of symmetry.
sedge_status shape_fit_gap(shape_gap *out, const sedge_problem *problem, const double direction[3],
                           const char *surface, const sedge_surface_shape *shape);

// The centre and the inner and outer radius of the ring that the surface fills. SEDGE_ERR_USAGE: it
// is no ring.
sedge_status shape_fit_ring(double centre[3], double radii[2], const shape_plane *plane,
                            const char *surface, const sedge_surface_shape *shape);

// Does the surface fill a disc? Then its centre and radius.
sedge_status shape_find_disc(bool *found, double centre[3], double *radius,
                             const shape_plane *plane, const sedge_surface_shape *shape);

// An edge of one face alone, a part of the surface's outline: its ends in ascending order of x, y
// and z.
typedef struct shape_edge {
    double ends[6];
} shape_edge;

// All such edges, in an order that shape_find_edge knows. SEDGE_ERR_MEMORY. The caller releases
// them.
sedge_status shape_find_outline(shape_edge **out, int64_t *count, const sedge_surface_shape *shape);

// The same of the edges of any number of faces, each once.
sedge_status shape_find_edges(shape_edge **out, int64_t *count, const sedge_surface_shape *shape);

// The number of the edge from a to b, or from b to a, among those that one of the functions above
// has found, or a part of them; -1: it is not there.
int64_t shape_find_edge(const shape_edge *edges, int64_t count, const double a[3],
                        const double b[3]);

// The least and the largest coordinate of all corners along a direction.
void shape_find_extent(const double direction[3], const sedge_surface_shape *shape, double out[2]);
