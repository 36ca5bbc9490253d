// The commands that work on a deck. All are collective, and all ranks give the same options. Their
// statuses are those of the command line (base/error.h), with the message on every rank.
#pragma once

#include "base/error.h"
#include "par/comm.h"
#include "session/session.h"

#include <stdint.h>

// `sedge run`: from the deck to the output folder. SEDGE_ERR_STOPPED: a signal or a time limit
// ended the run with a checkpoint. SEDGE_ERR_COMPUTE: the run blew up. A rank that fails alone
// inside the time loop prints its message and ends the job; every other failure is returned on all
// ranks.
SEDGE_MUST_USE
sedge_status sedge_run(sedge_comm *comm, const sedge_run_options *options);

// `sedge tune`: choose the kernels for a run of the deck on this device and these ranks, store the
// choice for later runs, and print how it was made.
SEDGE_MUST_USE
sedge_status sedge_tune_deck(sedge_comm *comm, const sedge_run_options *options);

// What runs take, over all ranks.
typedef struct sedge_check_work {
    int64_t steps;
    double flops, bytes; // bytes: memory traffic
} sedge_check_work;

// `sedge check`: the resolved deck, memory, time step, wavelengths, worst elements, boundary
// groups. Nothing is computed, no output is written. Adds to `work` what a run of the deck takes.
SEDGE_MUST_USE
sedge_status sedge_check(sedge_comm *comm, const sedge_run_options *options,
                         sedge_check_work *work);

// `sedge build`: compile every program that a run of the deck would need, for the devices that
// --device and --arch name, and store them in the cache.
SEDGE_MUST_USE
sedge_status sedge_build(sedge_comm *comm, const sedge_run_options *options);
