// The commands that work on a deck.
#pragma once

#include "base/error.h"
#include "par/comm.h"
#include "run/session.h"

// `sedge run`: from the deck to the output folder. Collective. A rank that fails alone inside the
// time loop prints its message and ends the job; every other failure is returned on all ranks.
SEDGE_MUST_USE
sedge_status sedge_run(sedge_comm *comm, const sedge_run_options *options);

// `sedge check`: the resolved deck, memory, time step, wavelengths, worst elements, boundary
// groups. Nothing is computed, no output is written. Collective.
SEDGE_MUST_USE
sedge_status sedge_check(sedge_comm *comm, const sedge_run_options *options);

// `sedge build`: every program that a run of the deck would compile, for the devices that --device
// and --arch name, is in the cache afterwards. Collective.
SEDGE_MUST_USE
sedge_status sedge_build(sedge_comm *comm, const sedge_run_options *options);
