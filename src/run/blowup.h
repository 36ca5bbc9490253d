// When a run blows up: messages for a field that is not a number, and for energy that grows
// although no source feeds it. They name the element where it began.
#pragma once

#include "base/error.h"
#include "session/session.h"

#include <stdint.h>

// SEDGE_ERR_COMPUTE on all ranks when an element's energy is not finite. By then the fault has
// spread. Of the bad elements the message names the one that had the highest energy density in
// `before` [elements], the previous sample (zeros: none). It gives the element's place, material,
// boundary conditions and local CFL number (the time step divided by the element's own stable one),
// and the last energies of `history` [samples]. Collective.
SEDGE_MUST_USE
sedge_status sedge_blowup_check(const sedge_session *session, const double *energy,
                                const double *before, double time, int64_t step,
                                const double *history, int samples);

// The time after which the energy cannot grow, as the equation tells; infinity: there is none. A
// problem that is not passive (dg/problem.h) has no such time: energy that memory stores without
// telling it returns to the fields later.
double sedge_blowup_quiet(const sedge_session *session);

// The largest energy possible after the quiet time, for a run that had `energy` at that time and at
// most `peak` before. The margin of a tenth is far above the effect of rounding and of the time
// steps. The energy is that of the mesh without absorbing layers; these can give back a part of
// what they took, and fields that stay at rest in them, which is never more than the peak.
static inline double sedge_blowup_limit(double energy, double peak, bool layers)
{
    return 1.1 * energy + (layers ? 1.0 : 1e-6) * peak;
}

// SEDGE_ERR_COMPUTE for a run whose energy exceeds this `limit`: the time step is too long, or the
// mesh is broken. The message begins with `how`, "the energy grows though ...", and names the
// element whose `energy` [elements] per volume has grown most since `before` [elements], with the
// same details as in sedge_blowup_check. Collective.
SEDGE_MUST_USE
sedge_status sedge_blowup_grown(const sedge_session *session, const char *how, const double *energy,
                                const double *before, double limit, double time, int64_t step,
                                const double *history, int samples);
