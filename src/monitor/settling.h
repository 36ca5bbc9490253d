// Decides whether the sums of a running Fourier transform have settled, by their changes from the
// end of one window of time to the next (time.stop.spectra).
//
// X is the sum at a frequency, d the greatest change of X in the last window over all points and
// components, q the ratio of d to that of the window before. All that comes after the window
// changes X by at most
//
//   e = d max(1, q / (1 - q)),
//
// if it is one decaying resonance of any frequency: what is still to come is multiplied by a
// complex z with |z| = q in each window, and d is |1 - z| >= 1 - q times what was to come a window
// ago. Changes alone would end a run much too early where fields decay slowly. q counts as at most
// SEDGE_SETTLING_SLOWEST, so that noise, which does not decay, can still be small enough.
//
// e is relative to the greatest |X| of the frequency, but to no less than `floor` of that of all
// frequencies.
#pragma once

#include "monitor/output_context.h"

#define SEDGE_SETTLING_SLOWEST 0.99

struct json_t;

typedef struct sedge_settling {
    int64_t values;    // of this rank: points and components
    int frequencies;   // at each of which there is a sum of each value
    int64_t window;    // steps; 0: no window has begun
    double *before;    // [values][frequencies][real, imaginary] sums at the end of the last window
    double *change;    // [frequencies] d of the last window; negative: there was none
    double remains[2]; // the largest e of all frequencies at the ends of the last two windows,
                       // newest first; infinity: not known
    bool restored;     // `before` comes from a checkpoint
} sedge_settling;

// Begin before the first window. Where the sums were `restored`, and `memory` has one of this name,
// it goes on, and the caller fills in `before`. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_settling_create(sedge_settling *out, const sedge_output_context *context,
                                   int64_t values, int frequencies, bool restored,
                                   const struct json_t *memory, const char *name);
void sedge_settling_clear(const sedge_settling *settling);

// A window of `window` steps has ended; `sums` are as `before`. With another length than that of
// the windows before it all begins anew. Collective.
SEDGE_MUST_USE
sedge_status sedge_settling_measure(sedge_settling *settling, const sedge_output_context *context,
                                    const double *sums, int64_t window);

// Add what sedge_settling_create needs to go on to the object `memory`. Not collective.
SEDGE_MUST_USE
sedge_status sedge_settling_save(const sedge_settling *settling, struct json_t *memory,
                                 const char *name);
