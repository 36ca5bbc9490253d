// A bound on the energy of a run while its sources act. A run whose energy is far above the bound
// has blown up. Without this check the fields would overflow only many steps later, and until then
// wrong fields would be written into snapshots and replace good checkpoints. The bound cannot be
// relative to earlier energies alone, because that would stop runs that begin without fields.
//
// Without sources the scheme adds no energy, so the strength of the sources bounds the energy. With
// |u| = sqrt(2 energy), and b the sources' part of u_t,
//   d|u|/dt <= gain |u| + |b|,  so  |u|(t) <= exp(gain t) (|u|(0) + t max |b|). Upper bounds of |b|
//   follow from inverse inequalities for polynomials of order N:
//   a point source  |d_h| <= int |d| K / sqrt(V), K = (N+1)(N+2)(N+3)/6, V the smallest volume of
//     an element, d the density of dg/point.h: the kernel of the L2 projection is largest in a
//     tetrahedron's corner;
//   data g on a surface  |b| <= 2 c |g| sqrt((N+1)(N+3) / r) with the L2 norm |g| over an area of
//     at most 3 V_all / r, r the smallest inscribed radius: the trace inequality of Warburton and
//     Hesthaven (2003) with a face area per volume of 3 / r;
//   a constant in the source term, S(0): its norm over the mesh.
// The bounds are orders of magnitude above the energies of real runs. In a blow-up each step
// multiplies the energy, so a few more steps exceed them. Smaller errors go unnoticed into
// checkpoints.
#pragma once

#include "base/error.h"
#include "session/session.h"

typedef struct sedge_growth {
    double gain;     // of |u|, 1/time: the fastest of a material's
    double strength; // most of |b|
    double slack;    // of the energy, over the bound
} sedge_growth;

// Compute the bound's numbers. If the equation has `quiet` (dg/equation.h) and the problem is
// passive (dg/problem.h), only sources add energy; the slack is then 10, for rounding and the time
// steps. All other problems may have unknown sources of energy: there the parameters of boundaries
// count as data, and the slack is 1e30. Collective.
void sedge_growth_create(sedge_growth *out, const sedge_session *session);

// The bound on the energy at `since` code units of time after it was at most `energy`. Infinity if
// no source of energy is known. Bounds for consecutive intervals can be chained.
double sedge_growth_bound(const sedge_growth *growth, double energy, double since);

// The bound with the slack added: the largest energy that a correct run can have.
double sedge_growth_limit(const sedge_growth *growth, double energy, double since);
