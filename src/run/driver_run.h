// The parts of `sedge run`, one file each: set-up and time loop (driver_run.c), energies
// (driver_energy.c), ends by itself (driver_end.c), monitors (driver_sample.c), report
// (driver_report.c), checkpoints (driver_checkpoint.c), early ends (driver_stop.c). Only driver*.c
// include this. Functions are collective.
#pragma once

#include "base/stopwatch.h"
#include "checkpoint/checkpoint.h"
#include "dg/reference.h"
#include "evolve/evolution.h"
#include "evolve/state_copy.h"
#include "io/folder_lock.h"
#include "io/writer.h"
#include "monitor/monitors.h"
#include "program/program.h"
#include "run/driver.h"
#include "run/ending.h"
#include "run/growth.h"
#include "run/stop.h"

#include <stdint.h>

#define DRIVER_POLL_SECONDS 0.25 // between reads of the root's clock, and between device syncs

// Everything a run owns, beside its session.
typedef struct driver_run {
    sedge_session session;
    sedge_device *device;
    sedge_cache *cache;
    sedge_evolution *evolution;
    sedge_reference *reference; // for initial and exact solutions only
    sedge_folder_lock *lock;    // of the output folder
    sedge_output_context output;
    sedge_sample_source source;
    sedge_sample *sample; // of `step`
    sedge_monitors *monitors;
    sedge_stop *stop;
    sedge_checkpoint_state state;  // its blocks on the host
    double *u;                     // [elements][fields][nodes], the values of its first block
    double *energies;              // [elements], room
    double *energy_before;         // [elements], at the last regular check, of a run before this
    double history[SEDGE_HISTORY]; // the energies of the last checks, newest last
    int samples;
    double energy_initial, energy_last, energy_peak;
    double quiet;         // the time after which the energy cannot grow
    sedge_ending ending;  // when it may end by itself
    const char *ended_by; // the deck's key by which it has ended by itself; NULL: it has not
    double remains; // what the last comparison of spectra has found (dg/monitor_kind.h, `compare`)
    double energy_limit;  // the largest energy allowed after that time; infinity: not quiet yet
    sedge_growth growth;  // bounds the energy that sources can add
    double energy_bound;  // the bound at the end of earlier runs; infinity: not known
    double energy_base;   // energy at the start, capped by the bound; set by the first check
    double energy_origin; // the time of energy_base
    bool energy_begun;
    int64_t energy_step; // of the last measurement
    bool energy_pending; // it is one of the regular check, whose result is not known yet
    bool energy_kept;    // the device keeps the elements' energies of a regular check
    sedge_stopwatch watch;
    double start; // clock, of the process: for the limit of time
    int64_t step; // done

    char restarted_from[4096];                  // path; "": from the beginning
    int64_t steps_before;                       // steps of the runs that this one continues
    double wall_before;                         // seconds of the runs that this one continues
    sedge_state_copy *copy;                     // for checkpoints; NULL: none was needed yet
    sedge_checkpoint_writer *checkpoint_writer; // NULL: none was needed yet
    sedge_writer *checkpoint_thread;            // its own, so that no snapshot waits behind it
    bool checkpoint_beside;                     // steps go on while a checkpoint is written
    int checkpoints;                            // number written
    double checkpoint_seconds;                  // that threads have spent on them
    double checkpoint_waited;                   // to begin the last one
    double checkpoint_clock; // clock when the last one was complete, or when the loop began
    int64_t last_checkpoint; // step of the last one; -1: none
    int64_t poll_step;       // step at which the root's clock is read next
    int64_t polled_step;     // step at which it was read last
    double poll_clock;       // the clock at polled_step
    int64_t next_sync_step;  // step at which the host waits for the device next
    int64_t last_sync_step;  // step at which it waited last
    double sync_clock;       // the clock at last_sync_step
} driver_run;

// Create the sample and the monitors. `memory` is the monitors' memory in the checkpoint from which
// the run continues; NULL: none. `continues`: the run continues in the same folder.
SEDGE_MUST_USE
sedge_status driver_create_monitors(driver_run *run, struct json_t *memory, bool continues);

// Make the sample that of run->step, and record what monitors record on the device.
void driver_begin_sample(driver_run *run);

// Let the monitors that are due write what they sample.
SEDGE_MUST_USE
sedge_status driver_sample_monitors(driver_run *run);

// The regular check of the energy, in two parts: it is measured at run->step, and its result is
// needed later, when a further step is queued, so that the device never waits for the check. The
// second part does nothing if nothing was begun. It fails if a field is not a number, or if the
// energy is more than a correct run can have; else the energy is stored for comparison in later
// checks, and goes to the monitors.
void driver_begin_energy(driver_run *run);
SEDGE_MUST_USE
sedge_status driver_end_energy(driver_run *run);

// Is the energy of the regular check at run->step needed now: by the end of the run, which it may
// bring about (time.stop), or by monitors whose files describe the same time? The same on all
// ranks.
bool driver_needs_energy(const driver_run *run);

// Bring the elements' energies at the last regular check into run->energy_before.
SEDGE_MUST_USE
sedge_status driver_fetch_energy_before(driver_run *run);

// The bound on the energy at `step` that follows from the sources (growth.h). Call it after the
// first driver_end_energy.
double driver_energy_bound(const driver_run *run, int64_t step);

// Does the last regular check of the energy end the run (time.stop.energy)? If so, the run's last
// step is the current one from now on. The same on all ranks, and in a run that goes on from a
// checkpoint.
void driver_end_decayed(driver_run *run);

// The same for spectra (time.stop.spectra), at the end of a window. `measure`: compare them now;
// else the checkpoint from which the run goes on knows the outcome.
SEDGE_MUST_USE
sedge_status driver_end_settled(driver_run *run, bool measure);

// Check now for the same failures, without storing the energy of a step that has no regular check
// unless this one fails.
SEDGE_MUST_USE
sedge_status driver_check_energy(driver_run *run);

// Give back all but the session, the lock of its folder and the reaction to signals: `of` is a
// driver_run. A second call does nothing. Collective.
void driver_release(void *of);

// Write the report of a finished or failed run; the run's own failure wins.
SEDGE_MUST_USE
sedge_status driver_finish(driver_run *run, sedge_status outcome);

// Fill in the monitors' arrays from the checkpoint that the run goes on from.
SEDGE_MUST_USE
sedge_status driver_restart_monitors(const driver_run *run, const sedge_checkpoint *from);

// Read the checkpoint that --restart names and go on from it: run->state, time and monitors.
// `*found` is false without --restart and where `auto` finds none.
SEDGE_MUST_USE
sedge_status driver_restart(driver_run *run, sedge_checkpoint *from, bool *found);

// Give the evolution the values in run->state: what driver_restart read, in the basis of `from`, or
// nodal values where that is NULL. Collective.
SEDGE_MUST_USE
sedge_status driver_set_state(driver_run *run, const sedge_checkpoint *from);

// True if the deck requests a checkpoint at the end of `step`. Call this after each step, in order.
bool driver_checkpoint_due(driver_run *run, int64_t step);

// Where the deck requests checkpoints, find memory for a copy of the state. Call this after the
// first output, which needs device memory more.
SEDGE_MUST_USE
sedge_status driver_prepare_checkpoints(driver_run *run);

// Begin a checkpoint of the state at the end of `step`, the last one done, unless
// driver_check_energy fails. One that is still being written is completed first. A thread writes it
// while the run goes on; without memory for a copy of the state it is complete on return.
SEDGE_MUST_USE
sedge_status driver_write_checkpoint(driver_run *run, int64_t step);

// Complete the checkpoint that is being written, if there is one and, without `wait`, if all ranks
// have written it: from then on it is a file from which a run can go on.
SEDGE_MUST_USE
sedge_status driver_complete_checkpoint(driver_run *run, bool wait);

// Set up the run's time limit and its reaction to signals. Call this when the deck is known.
SEDGE_MUST_USE
sedge_status driver_listen(driver_run *run);

// True if, during set-up, any rank has a reason to end the run early.
bool driver_is_pressed(const driver_run *run);

// End the run after the last completed step: flush all output to disk, write a checkpoint, and
// return SEDGE_ERR_STOPPED.
SEDGE_MUST_USE
sedge_status driver_stop(driver_run *run);
