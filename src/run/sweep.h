// Sweeps: commands for decks with the key `sweep` (deck/deck_sweep.h), which asks for several runs.
// For a deck without that key they are the commands of driver.h. All are collective, and return
// what those return; a message says which run it is about.
//
// Run i goes into the folder OUTPUT/00i of the deck's output folder, OUTPUT/sweep.json tells of all
// runs: their values, and what their report.json say. A sweep that ended early goes on where it
// stopped: a run whose folder has the report of a success, of the same deck, is not repeated unless
// the mesh file is newer than its deck.yaml, and one that was interrupted goes on from its newest
// checkpoint.
#pragma once

#include "run/driver.h"

// `sedge run`. After the first run that fails, or is stopped, no other begins.
SEDGE_MUST_USE
sedge_status sedge_sweep_run(sedge_comm *comm, const sedge_run_options *options);

// `sedge check`: all that it says of the first run, and what all runs take together.
SEDGE_MUST_USE
sedge_status sedge_sweep_check(sedge_comm *comm, const sedge_run_options *options);

// Another command of driver.h, for each run.
typedef sedge_status sedge_sweep_command(sedge_comm *comm, const sedge_run_options *options);
SEDGE_MUST_USE
sedge_status sedge_sweep_each(sedge_comm *comm, const sedge_run_options *options,
                              sedge_sweep_command *command);
