// Where point sources act: each is spread over a ball of about the local mesh size.
//
// A delta in one element excites what no element next to it resolves: within two edges its field is
// wrong by up to fifty times. Instead a source at x0 has the density
//
//   d(x) = (1 - |x - x0|^2 / R^2)^2 q(x)   for |x - x0| < R,
//
// R half the longest edge of the elements that hold x0, q the polynomial of degree p with
//   int d(x) f(x) dx = f(x0)   for all polynomials f of degree p,   p = N or N + 1, odd, at most 7.
// So the total moment is right, and far away the field is that of a point but for a relative error
// of order (R / wavelength)^(p+1). The integrals are sums over points of quadrature in the
// elements, q is found for just these sums: what is said of them holds to rounding, whatever is cut
// off the ball. An element counts only if its middle is seen from x0: boundaries, surfaces with a
// condition inside the mesh and interfaces between materials hide what is behind them. So a source
// stays on its side of a conductor and in its material, however near these are; on a surface
// between two, it is on both sides.
//
// Which elements are on which rank changes no bit of the result.
#pragma once

#include "base/error.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdint.h>

// What a source does in an element of this rank.
typedef struct sedge_point_share {
    int source;
    int32_t element;
} sedge_point_share;

typedef struct sedge_points {
    int count;
    sedge_point_share *share; // [count], those of a source one after the other
    double *modes;            // [count][nodes] int d(x) psi_j(x) dx over the element
    // Of all sources, the same on all ranks: the balls' radii R, and int |d(x)| dx.
    double *radius; // [point_source_count]
    double *weight; // [point_source_count]
} sedge_points;

// From this distance on, in radii of the ball, the field is that of a point to some percent: 11, 4,
// 3 and 1 at orders 2 to 5, as far as the mesh resolves the waves (input/README.md).
#define SEDGE_POINT_NEAR 2.4

// Collective. SEDGE_ERR_USAGE for a source outside the mesh. The caller clears it.
SEDGE_MUST_USE
sedge_status sedge_points_create(sedge_points *out, const sedge_comm *comm,
                                 const sedge_element *element, const sedge_mesh *mesh,
                                 const sedge_problem *problem);
void sedge_points_clear(sedge_points *points);
