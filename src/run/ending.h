// When a run may end by itself, as the deck's time.stop asks.
#pragma once

#include "base/error.h"
#include "session/session.h"

#include <stdint.h>

typedef struct sedge_ending {
    double earliest; // the time before which the run does not end by itself; infinity: never
    int64_t window;  // steps between comparisons of spectra, of time.stop.spectra; else 0
} sedge_ending;

// Find `ending`. SEDGE_ERR_USAGE: the deck asks for such an end, and its sources have none, or it
// has no spectra that could settle. Not collective; the same on all ranks.
SEDGE_MUST_USE
sedge_status sedge_ending_find(sedge_ending *ending, const sedge_session *session);
