// When a run blows up: messages for a field that is not a number, and for energy that grows
// although no source feeds it. They name the element where it began.
#pragma once

#include "base/error.h"
#include "session/session.h"

#include <stdint.h>

// SEDGE_ERR_COMPUTE on all ranks when an element's energy is not finite. By then the fault has
// spread; the message names, of the bad elements, the one that had the highest energy density in
// `before` [elements], the sample before this one (zeros: none), with its place, material,
// boundaries with their conditions and local CFL number (the step over the element's own stable
// one), and the last energies of `history` [samples]. Collective.
SEDGE_MUST_USE
sedge_status sedge_blowup_check(const sedge_session *session, const double *energy,
                                const double *before, double time, int64_t step,
                                const double *history, int samples);

// The time from which on the energy cannot grow, as the equation says; infinity: none. A problem
// with terms has none: energy that a term stores in its memory, which the fields' energy does not
// count, returns to the fields, and of what a term without memory adds nothing is known.
double sedge_blowup_quiet(const sedge_session *session);

// The most energy that a run can have which had `energy` when it became quiet and `peak` at most
// until then: what rounding and the time steps do is far below a tenth of it.
static inline double sedge_blowup_limit(double energy, double peak)
{
    return 1.1 * energy + 1e-6 * peak;
}

// SEDGE_ERR_COMPUTE for a run whose energy exceeds this `limit`: the time step is too long, or the
// mesh is broken. Says `how` it grows, "the energy grows though ...", and names the element whose
// `energy` [elements] per volume has grown most since `before` [elements], with all that
// sedge_blowup_check tells. Collective.
SEDGE_MUST_USE
sedge_status sedge_blowup_grown(const sedge_session *session, const char *how, const double *energy,
                                const double *before, double limit, double time, int64_t step,
                                const double *history, int samples);
