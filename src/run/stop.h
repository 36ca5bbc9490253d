// Ending before the last step: signals, and the wall-clock time that the job has.
//
// A signal only raises a flag. After each step the run asks sedge_stop_due, which brings the ranks
// to one answer at one step: now and then they start a vote that travels while they work, and its
// result is looked at when the next one starts. Two votes are about SEDGE_STOP_INTERVAL apart (or a
// step, if that is longer), so a signal to any rank is heard by all after two intervals at most. No
// device waits for it, and no field depends on it.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_STOP_INTERVAL 0.25 // seconds between votes

// Block SIGTERM, SIGUSR1, SIGUSR2, SIGHUP and, with `interrupts`, SIGINT until the next
// sedge_stop_listen. They stay pending, also if this program executes itself again in between.
// Other programs that are started meanwhile inherit the block. main calls this first of all, with
// `interrupts`. It is called without `interrupts` before a library starts that may install signal
// handlers: LLVM's handler, which PoCL brings into MPI_Init, loses a SIGUSR1.
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

// Signals end the process again, as before sedge_stop_listen; one that came meanwhile does at once.
void sedge_stop_ignore(void);

typedef struct sedge_stop sedge_stop;

// `start`: when the run began, on sedge_clock. `wall`: seconds that it may take from there; 0: as
// long as it likes; negative: until Slurm's limit of the job (SLURM_JOB_END_TIME, which rank 0
// reads) if this is one. SEDGE_ERR_USAGE if that variable is no time. Collective. Keeps `comm`.
SEDGE_MUST_USE
sedge_status sedge_stop_create(sedge_stop **out, const sedge_comm *comm, double start, double wall);

// Waits for a vote that is on its way. Collective.
void sedge_stop_free(sedge_stop *stop);

// Shall the run end at `step`, which is done? The same answer on all ranks. To be called with every
// step from 0 on, in order, until it says yes. Collective.
bool sedge_stop_due(sedge_stop *stop, int64_t step);

// A checkpoint or a snapshot took so long: the run ends so early that twice the longest of these,
// two votes, and a tenth of the whole time, at most ten seconds, are left before the limit.
void sedge_stop_spent(sedge_stop *stop, double seconds);

// Has a signal come to this rank, or is the time up? Not collective, to be agreed on.
bool sedge_stop_pending(const sedge_stop *stop);

// Why sedge_stop_due said yes: "SIGUSR1", "the limit of 60 s (time.wall)", "the limit of Slurm's
// job 17"; "" before.
const char *sedge_stop_reason(const sedge_stop *stop);

// Seconds until the limit; infinity if there is none. For printing, on the root.
double sedge_stop_left(const sedge_stop *stop);
