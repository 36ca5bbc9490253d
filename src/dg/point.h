// Where point sources act: each is spread over a ball of about the local mesh size.
//
// A delta function in one element excites modes that the neighbouring elements cannot resolve:
// within two edge lengths the field is wrong by up to a factor of fifty. Instead a source at x0 has
// the density
//
//   d(x) = (1 - |x - x0|^2 / R^2)^2 q(x)   for |x - x0| < R,
//
// where R is half the longest edge of the elements that contain x0, and q is the polynomial of
// degree p with
//   int d(x) f(x) dx = f(x0)   for all polynomials f of degree p,   p = N or N + 1, odd, at most 7.
// So the total moment is right. Far away the field is that of a point source with a relative error
// of order (R / wavelength)^(p+1). The integrals are sums over quadrature points in the elements,
// and q is computed for these sums. Therefore the condition on d holds to rounding even if a part
// of the ball is cut off.
//
// An element belongs to the ball only if its centre is visible from x0. Boundaries, surfaces with a
// condition inside the mesh, and interfaces between materials block the view. So a source stays on
// its side of a conductor and inside its material, however near the surface is. A source on such a
// surface acts on both sides.
//
// A plane of symmetry through x0 cuts the ball, and q is that of the whole ball: the mesh has its
// part of the source, and the images have the others.
//
// The result does not depend on the partition, to the last bit.
#pragma once

#include "base/error.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdint.h>

// A source, and one element of this rank on which it acts.
typedef struct sedge_point_share {
    int source;
    int32_t element;
} sedge_point_share;

typedef struct sedge_points {
    int count;
    sedge_point_share *share; // [count], grouped by source
    double *modes;            // [count][nodes] int d(x) psi_j(x) dx over the element
    // Of every source, the same on all ranks:
    double *radius; // [point_source_count] R of the ball
    double *weight; // [point_source_count] int |d(x)| dx
} sedge_points;

// At this distance, in radii of the ball, and beyond, the field is that of a point source to within
// 11, 4, 3 and 1 percent at orders 2, 3, 4 and 5, if the mesh resolves the waves
// (input/sources.md).
#define SEDGE_POINT_NEAR 2.4

// Is a point in element e, or on its surface? To rounding.
bool sedge_point_is_in(const sedge_mesh *mesh, int32_t e, const double *point);

// Collective. SEDGE_ERR_USAGE for a source outside the mesh. The caller clears it.
SEDGE_MUST_USE
sedge_status sedge_points_create(sedge_points *out, const sedge_comm *comm,
                                 const sedge_element *element, const sedge_mesh *mesh,
                                 const sedge_problem *problem);
void sedge_points_clear(sedge_points *points);
