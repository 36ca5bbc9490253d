// Checkpoints: checkpoint-STEP.h5 in the output folder, all that a run needs to go on.
//
// A checkpoint holds the state exactly: the fields, and the memory of terms that have one (fp32
// runs store fp32, fp64 runs fp64, in the basis in which the operator keeps them: "basis" in the
// header and at /fields); where the time is; the monitors' memory, as of how long each file of the
// output folder is at this moment; and the facts about the problem that must be the same in the run
// that goes on. The Runge-Kutta residuals are not in it: a step's first stage multiplies them by
// a[0] = 0, so they have no effect after the end of a step.
//
// Elements are known by their numbers in the mesh file and carry a checksum each, so that any
// number of ranks reads what any other wrote, and a flipped bit is found on whichever rank reads
// it. A file has its name only when it is complete: it is written as checkpoint-STEP.h5.tmp,
// brought to the disk and renamed; only then older ones are removed.
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
#pragma once

#include "base/error.h"
#include "checkpoint/checkpoint_state.h"
#include "dg/bernstein.h"
#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_HISTORY 5 // energies that a failure shows

// What goes into the header: where the run is, and what its monitors remember.
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
                                                     // who reads releases it: json_decref
    char path[4096];  // where it was read from; "" of one to be written
    bool same_folder; // read from the output folder: its series go on
} sedge_checkpoint;

// Write checkpoint-STEP.h5 into `folder`, then remove the oldest so that `keep` remain. `state`, in
// checkpoint->basis, and `energy` [elements] are this rank's. The caller has flushed the output.
// Collective. A failure leaves the older ones alone.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_write(const sedge_session *session, const char *folder, int keep,
                                    const sedge_checkpoint *checkpoint,
                                    const sedge_checkpoint_state *state, const double *energy);

// Find, check and read the checkpoint that `wanted` names: "auto", the newest whole one in `folder`
// (of damaged ones a warning says that they are passed over), or a file. Fills `out`, the values of
// `state`, in out->basis, and `energy` of this rank. `*found` is false if there is none, which only
// "auto" allows.
//
// SEDGE_ERR_DATA: a file that is missing, cut off, damaged or no checkpoint. SEDGE_ERR_USAGE: it
// belongs to another problem, or has other blocks than `state`; the message says what differs.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_read(const sedge_session *session, const char *folder,
                                   const char *wanted, sedge_checkpoint *out, bool *found,
                                   const sedge_checkpoint_state *state, double *energy);

// Rename checkpoints of steps after `step` in `folder` to checkpoint-STEP.h5.old, where no restart
// finds them by itself: they belong to a run that is begun anew. step -1: all; those that were set
// aside before are removed then. Root does it. Collective.
SEDGE_MUST_USE
sedge_status sedge_checkpoint_set_aside(const sedge_session *session, const char *folder,
                                        int64_t step);

// Bytes of one checkpoint, about.
int64_t sedge_checkpoint_bytes(const sedge_session *session);
