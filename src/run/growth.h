// What energy a run can have while its sources act. A run whose energy is far above that has blown
// up: the fields overflow only many steps later, and until then they would be written into
// snapshots and over good checkpoints. A limit that only compared with the energy before would stop
// runs that begin without fields.
//
// The scheme without sources gives no energy, so the sources' strength bounds what there is. With
// |u| = sqrt(2 energy), and b the sources' part of u_t,
//   d|u|/dt <= gain |u| + |b|,  so  |u|(t) <= exp(gain t) (|u|(0) + t max |b|).
// Of |b| there are upper bounds from inverse inequalities for polynomials of order N:
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

// Of an equation that says when its energy cannot grow (sedge_equation.quiet) the sources are all
// that feeds it: slack 10, for rounding and what the time steps add. Others, and all
// with terms, may have what nobody knows of: numbers of boundaries count as data there, and the
// slack is 1e30. Collective.
void sedge_growth_create(sedge_growth *out, const sedge_session *session);

// The bound on the energy `since` code units of time after it was at most `energy`; infinity if
// nothing is known to have any. Of bounds from one time to the next comes one for the whole.
double sedge_growth_bound(const sedge_growth *growth, double energy, double since);

// The same with the slack: the most energy that a run can have.
double sedge_growth_limit(const sedge_growth *growth, double energy, double since);
