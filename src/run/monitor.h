// Watching a run: energy sums that do not depend on the number of ranks; messages for a field that
// is not a number and for energy that grows although no source feeds it; the progress line.
#pragma once

#include "base/error.h"
#include "run/session.h"

#include <stdint.h>

// Sum of `energy` [elements] over all ranks; the same to the last bit on any number of ranks (but
// for rounding in the elements themselves). Collective.
double sedge_monitor_sum(const sedge_session *session, const double *energy);

// SEDGE_ERR_COMPUTE on all ranks when an element's energy is not finite. By then the fault has
// spread; the message names, of the bad elements, the one that had the highest energy density in
// `before` [elements], the sample before this one (zeros: none), with its place, material,
// boundaries with their conditions and local CFL number (the step over the element's own stable
// one), and the last energies of `history` [samples]. Collective.
SEDGE_MUST_USE
sedge_status sedge_monitor_check(const sedge_session *session, const double *energy,
                                 const double *before, double time, int64_t step,
                                 const double *history, int samples);

// The time from which on the energy cannot grow, as the equation says; infinity: none. A problem
// with terms has none: energy that a term stores in its memory, which the fields' energy does not
// count, returns to the fields, and of what a term without memory adds nothing is known.
double sedge_monitor_quiet(const sedge_session *session);

// The most energy that a run can have which had `energy` when it became quiet and `peak` at most
// until then: what rounding and the time steps do is far below a tenth of it.
static inline double sedge_monitor_limit(double energy, double peak)
{
    return 1.1 * energy + 1e-6 * peak;
}

// SEDGE_ERR_COMPUTE for a run whose energy exceeds this `limit`: the time step is too long, or the
// mesh is broken. Says `how` it grows, "the energy grows though ...", and names the element whose
// `energy` [elements] per volume has grown most since `before` [elements], with all that
// sedge_monitor_check tells. Collective.
SEDGE_MUST_USE
sedge_status sedge_monitor_growth(const sedge_session *session, const char *how,
                                  const double *energy, const double *before, double limit,
                                  double time, int64_t step, const double *history, int samples);

// The progress line: rewritten in place twice a second on a terminal; else a line every tenth of
// the run and every ten minutes.
typedef struct sedge_progress {
    bool on;
    bool terminal;
    bool shown;
    double start; // clock
    double last;  // when it was shown
    int tenths;
    int64_t first; // step before the first one of this run
} sedge_progress;

// `step` of `steps` are done.
sedge_progress sedge_progress_start(bool on, bool terminal, int64_t step, int64_t steps);

// Is it time to show? If so, wait for what is queued on the device, then show.
bool sedge_progress_due(const sedge_progress *progress, int64_t step, int64_t steps);
// `unit` and `energy_unit` are printed after the time and the energy: " s", " J".
void sedge_progress_show(sedge_progress *progress, int64_t step, int64_t steps, double time,
                         const char *unit, double energy, const char *energy_unit);
void sedge_progress_end(sedge_progress *progress);
