// Checkpoints: files checkpoint-STEP.h5 in the output folder with everything that a run needs to
// continue.
//
// A checkpoint contains the exact state: the fields, and the memory of terms that have one, in the
// run's precision and in the basis that the operator uses ("basis" in the header and at /fields).
// It also contains the step and the time; the monitors' memory, such as the present length of each
// output file; and the facts about the problem that must be the same in the continued run. The
// Runge-Kutta residuals are not in it: a step's first stage multiplies them by a[0] = 0, so they
// have no effect after the end of a step.
//
// Elements are identified by their numbers in the mesh file, so the number of ranks may differ
// between writing and reading. Each element has a checksum, so the rank that reads it detects a
// flipped bit. A file is written as checkpoint-STEP.h5.tmp, by a thread while the run goes on. When
// all ranks have written their parts and flushed them to the disk it is renamed; only then older
// checkpoints are removed.
//
//   /header    u8 [bytes]: JSON, everything but the arrays; attribute "checksum": its SHA-256
//   /elements  i64 [elements]: number in the mesh file
//   /fields    f32 or f64 [elements][fields][nodes or coefficients], code units
//   /energy    f64 [elements]: of the last regular check, code units
//   /checksums i64 [elements]: sedge_hash_quick of an element's number, energy and fields
//
// For each term with memory, TERM being the name of its kind, on the elements that have it:
//
//   /blocks/TERM/elements  i64 [elements]
//   /blocks/TERM/values    f32 or f64 [elements][components][nodes or coefficients], code units
//   /blocks/TERM/checksums i64 [elements]: of an element's number, 0.0 and values
//
// For each array of a monitor (dg/monitor_kind.h), on the rows of all ranks:
//
//   /monitors/MONITOR/ARRAY/ids       i64 [rows]
//   /monitors/MONITOR/ARRAY/values    f64 [rows][width]
//   /monitors/MONITOR/ARRAY/checksums i64 [rows]: of a row's id, 0.0 and values
#pragma once

#include "base/error.h"
#include "checkpoint/checkpoint_state.h"
#include "dg/bernstein.h"
#include "io/writer.h"
#include "monitor/monitors.h"
#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_HISTORY 5 // energies that a failure shows

// The content of the header: the progress of the run, and the memory of its monitors.
typedef struct sedge_checkpoint {
    int64_t step;           // done
    double time;            // code units, as all times here
    double origin_time, dt; // time(s) = origin_time + (s - origin_step) dt, as session.h
    int64_t origin_step;
    double energy_initial, energy_last, energy_peak; // code units
    double energy_limit;                             // of a run that is quiet; infinity: none yet
    double energy_bound;                             // growth.h, now; infinity: none
    int samples;                                     // of `history`
    double history[SEDGE_HISTORY];                   // deck's units, newest last
    double wall_seconds;                             // of the run and of those that it goes on from
    sedge_basis basis;                               // of the state below
    struct json_t *monitors;                         // what they need to go on, {NAME: {...}, ...};
                                                     // the reader releases it with json_decref
    const sedge_named_array *arrays;                 // of one to be written: those of its monitors
    int array_count;
    char path[4096];  // where it was read from; "" of one to be written
    bool same_folder; // read from the output folder: its series go on
} sedge_checkpoint;

// Where the values of a checkpoint come from, while the run goes on. A thread of each rank calls
// the functions between sedge_checkpoint_begin and the end of sedge_checkpoint_wait.
typedef struct sedge_checkpoint_source {
    void *of;
    // Rows [first, first + count) of a block of the state, [count][components][nodes], in the
    // checkpoint's basis. Rows are asked for in ascending order, block after block.
    sedge_status (*rows)(void *of, int block, int64_t first, int64_t count, double *values);
    // Optional; on the root alone: bring to the disk what the checkpoint tells of.
    sedge_status (*sync)(void *of);
} sedge_checkpoint_source;

typedef struct sedge_checkpoint_writer sedge_checkpoint_writer;

// Make a writer of checkpoints into `folder`; the newest `keep` of them remain there. It reads the
// blocks of `state`, not the values. Keeps all arguments, but copies `source`. Collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_writer_create(sedge_checkpoint_writer **out,
                                            const sedge_session *session, sedge_writer *thread,
                                            const char *folder, int keep,
                                            const sedge_checkpoint_state *state,
                                            const sedge_checkpoint_source *source);
// The thread must not write any more (sedge_writer_free). A checkpoint that has no name yet is
// removed.
void sedge_checkpoint_writer_free(sedge_checkpoint_writer *writer);

// Begin to write checkpoint-STEP.h5: the root makes the file, and the thread fills it in, after all
// that was given to it before. `energy` [elements] is this rank's; it and the arrays are copied.
// Only one checkpoint is on its way at a time: wait for it, and publish it if that succeeds, before
// the next one begins. Collective. A failure of these functions leaves the older checkpoints
// alone and removes this one.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_begin(sedge_checkpoint_writer *writer,
                                    const sedge_checkpoint *checkpoint, const double *energy);

// Is a checkpoint on its way? The same on all ranks.
bool sedge_checkpoint_is_begun(const sedge_checkpoint_writer *writer);

// Has this rank's thread written all of it? Not collective.
bool sedge_checkpoint_is_written(const sedge_checkpoint_writer *writer);

// Wait until all ranks have written it. `*seconds`: what the slowest thread spent on it.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_wait(sedge_checkpoint_writer *writer, double *seconds);

// Give the file its name, then remove the oldest checkpoints. Collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_publish(sedge_checkpoint_writer *writer);

// Find, check and read the checkpoint `requested`: a file, or "auto" for the newest undamaged one
// in `folder` (damaged ones are skipped with a warning). Fills `out`, the values of `state`, in
// out->basis, and `energy` of this rank. `*found` is false if there is none, which only "auto"
// allows.
//
// SEDGE_ERR_DATA: a file that is missing, cut off, damaged or no checkpoint. SEDGE_ERR_USAGE: it
// belongs to another problem, or has other blocks than `state`; the message says what differs.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_read(const sedge_session *session, const char *folder,
                                   const char *requested, sedge_checkpoint *out, bool *found,
                                   const sedge_checkpoint_state *state, double *energy);

// Find the integrator with which the run was made that this one goes on from (options->restart):
// that of the named checkpoint, or of the newest in the output folder whose header can be read.
// `*out` stays NULL without such a checkpoint, for reading it tells of the fault, or if this
// program has no such integrator. Fits sedge_session_open. Collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_integrator(const sedge_session *session,
                                         const sedge_integrator **out);

// Fill in the arrays of the monitors of a run, those that have `restore`, from the checkpoint at
// `path`, which sedge_checkpoint_read has read. SEDGE_ERR_DATA: one is missing or damaged.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_read_arrays(const sedge_session *session, const char *path,
                                          const sedge_named_array *arrays, int count);

// Rename checkpoints of steps after `step` in `folder` to checkpoint-STEP.h5.old, so that `auto`
// does not find them, because the run is repeated from `step`. With step -1 all checkpoints are
// renamed, and files renamed by earlier calls are removed. The root does the work. Collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_set_aside(const sedge_session *session, const char *folder,
                                        int64_t step);

// Does the deck request checkpoints at intervals?
bool sedge_checkpoint_is_requested(const sedge_deck *deck);

// The approximate size of one checkpoint in bytes, without the monitors' arrays.
int64_t sedge_checkpoint_bytes(const sedge_session *session);
