// Ending a run before its last step, because of a signal or the limit of wall-clock time.
//
// A signal only sets a flag. After each step the run calls sedge_stop_due, which gives the same
// answer on all ranks. The ranks agree by non-blocking votes; the result of a vote is read when the
// next one starts. Two votes are about SEDGE_STOP_INTERVAL apart (or a step, if that is longer), so
// all ranks know of a signal to any rank after two intervals at most. The votes do not make the
// device wait and have no effect on the fields.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_STOP_INTERVAL 0.25 // seconds between votes

// Block SIGTERM, SIGUSR1, SIGUSR2, SIGHUP and, with `interrupts`, SIGINT until the next
// sedge_stop_listen. Signals that arrive stay pending, even if this program executes itself again
// in between. Other programs that are started meanwhile inherit the block. main calls this first of
// all, with `interrupts`. It is called without `interrupts` before a library starts that may
// install signal handlers: LLVM's handler, which PoCL brings into MPI_Init, loses a SIGUSR1.
void sedge_stop_hold(bool interrupts);

// From now on SIGTERM, SIGUSR1 and SIGUSR2 raise the flag. SIGHUP and the first SIGINT do, too,
// unless they were ignored when the process began; a second SIGINT ends the process. Pending
// signals arrive now. All of these signals are unblocked, even if the parent process had blocked
// them. Call this before MPI starts, after it has started, and when the set-up is done: MPI and its
// network libraries install handlers of their own.
void sedge_stop_listen(void);

// The run's set-up begins (true) or is over (false). During set-up a signal also ends the wait for
// a running compiler, with SEDGE_ERR_STOPPED (sedge_device_stop_compilers).
void sedge_stop_set_up(bool begins);

// Let signals end the process again, as before sedge_stop_listen. A signal that has arrived in the
// meantime ends it at once.
void sedge_stop_ignore(void);

typedef struct sedge_stop sedge_stop;

// `start`: when the run began, on sedge_clock. `wall`: the time limit in seconds from then on; 0:
// no limit; negative: the limit of the Slurm job, if there is one (SLURM_JOB_END_TIME, which rank 0
// reads). SEDGE_ERR_USAGE if that variable is not a time. Collective. Keeps `comm`.
SEDGE_MUST_USE
sedge_status sedge_stop_create(sedge_stop **out, const sedge_comm *comm, double start, double wall);

// Wait for a vote in progress, and free. Collective.
void sedge_stop_free(sedge_stop *stop);

// True if the run is to end after `step`, which is completed; the same answer on all ranks. Call
// this with every step from 0 on, in order, until it returns true. Collective.
bool sedge_stop_due(sedge_stop *stop, int64_t step);

// Record how long a checkpoint or a snapshot took. The run ends early enough to leave this time
// before the limit: twice the longest of these, two votes, and a tenth of the whole time (at most
// ten seconds).
void sedge_stop_spent(sedge_stop *stop, double seconds);

// True if this rank has received a signal or the time is up. Not collective; ranks may differ.
bool sedge_stop_pending(const sedge_stop *stop);

// Why sedge_stop_due said yes: "SIGUSR1", "the limit of 60 s (time.wall)", "the limit of Slurm's
// job 17"; "" before.
const char *sedge_stop_reason(const sedge_stop *stop);

// Seconds until the limit; infinity if there is none. For printing, on the root.
double sedge_stop_left(const sedge_stop *stop);
