// All that a run records: the monitors that its deck asks for, of all kinds that the program has
// (dg/monitor_kind.h). Only a kind's own file knows its name.
//
// After each step the run calls sedge_monitors_record, which keeps fields at points on the device;
// where it knows the energy it passes it on by sedge_monitors_energy; then it calls
// sedge_monitors_sample, which lets the monitors that are due write. Functions are collective and
// agree on their status unless they say otherwise.
#pragma once

#include "base/text.h"
#include "dg/monitor_kind.h"
#include "monitor/output_context.h"
#include "monitor/sample.h"

typedef struct sedge_monitors sedge_monitors;

// Make the monitors, whose files begin or, where the context says so, go on. `memory` is what
// sedge_monitors_save told then; NULL: nothing. Keeps `context`, and gives it a writer until the
// monitors are freed, which waits for all that was added; the source of `sample` learns the points
// of all monitors. The folder is ready (sedge_output_prepare_folder).
//
// Files that go on are cut to what `memory` tells. SEDGE_ERR_DATA: one is missing, damaged or
// shorter. SEDGE_ERR_USAGE: a place outside the mesh (names deck, line, place), a name that HDF5
// cannot take or that comes twice, a file that cannot be written.
SEDGE_MUST_USE
sedge_status sedge_monitors_create(sedge_monitors **out, sedge_output_context *context,
                                   const sedge_sample *sample, struct json_t *memory);

// Create and free the monitors of the kinds that are `checked`: fails as sedge_monitors_create
// would, but for files. `context` needs no folder. Collective.
SEDGE_MUST_USE
sedge_status sedge_monitors_check(const sedge_output_context *context);
void sedge_monitors_free(sedge_monitors *monitors);

// Record the fields at the points of the monitors that are due at the end of the sample's step. It
// waits for no device. A failure is of this rank alone.
SEDGE_MUST_USE
sedge_status sedge_monitors_record(sedge_monitors *monitors, sedge_sample *sample);

// Has sedge_monitors_sample something to do at the end of `step`? The same on all ranks, not
// collective.
bool sedge_monitors_due(const sedge_monitors *monitors, int64_t step);

// Let the monitors that are due sample the state.
SEDGE_MUST_USE
sedge_status sedge_monitors_sample(sedge_monitors *monitors, sedge_sample *sample);

// How far are the Fourier transforms of all monitors from their final values (`compare` in
// dg/monitor_kind.h)? `*remains` is the largest of all monitors' answers.
SEDGE_MUST_USE
sedge_status sedge_monitors_compare(sedge_monitors *monitors, int64_t window, bool measure,
                                    double *remains);

// Give the energy at the end of `step`, code units, to the monitors that are due then. The run
// calls it in order for each step at which it checks the energy, before a later
// sedge_monitors_sample.
SEDGE_MUST_USE
sedge_status sedge_monitors_energy(sedge_monitors *monitors, int64_t step, double time,
                                   double energy);

// Flush all, then record the state in which the run has failed, where that is not done yet.
SEDGE_MUST_USE
sedge_status sedge_monitors_last(sedge_monitors *monitors, sedge_sample *sample);

// Write what the monitors keep in memory.
SEDGE_MUST_USE
sedge_status sedge_monitors_flush(sedge_monitors *monitors);

// Complete the files that are written while the run goes on: those of samples up to `step`, or
// SEDGE_SETTLE_WRITTEN, SEDGE_SETTLE_ALL (dg/monitor_kind.h).
SEDGE_MUST_USE
sedge_status sedge_monitors_settle(sedge_monitors *monitors, int64_t step);

// Flush all, and tell what the monitors need to go on: {NAME: {...}, ...}, for a checkpoint. Of a
// monitor that the deck has no more that is what it told before. The caller releases it by
// json_decref.
//
// The files that it tells of may still be on their way. Before the checkpoint gets its name
// sedge_monitors_sync must have succeeded on the root, and sedge_monitors_settle with the step of
// the checkpoint on all ranks.
SEDGE_MUST_USE
sedge_status sedge_monitors_save(sedge_monitors *monitors, struct json_t **out);

// Bring the files NAME.h5 to the disk; of others their monitors do so (dg/monitor_kind.h). Called
// by the root; any thread may do so.
SEDGE_MUST_USE
sedge_status sedge_monitors_sync(const sedge_monitors *monitors);

// The run has come to its end: flush all, and let them write what is known only then.
SEDGE_MUST_USE
sedge_status sedge_monitors_finish(sedge_monitors *monitors);

// Root, after sedge_monitors_finish: what the monitors have to say of their results: lines for the
// user, and {NAME: {...}, ...} for report.json.
SEDGE_MUST_USE
sedge_status sedge_monitors_report(const sedge_monitors *monitors, sedge_text *text,
                                   struct json_t *json);

// The seconds that each monitor took of this rank since its creation, {NAME: ...}, for report.json:
// samples, files, what is found at the end. The caller releases it by json_decref; NULL: out of
// memory. Not collective.
struct json_t *sedge_monitors_seconds(const sedge_monitors *monitors);

// The arrays of all monitors that have some, [count] pairs of a kind's name and an array. Borrowed
// from the monitors. Not collective; may fail on one rank alone. The caller releases `*out`.
typedef struct sedge_named_array {
    const char *monitor;
    const sedge_monitor_array *array;
} sedge_named_array;
SEDGE_MUST_USE
sedge_status sedge_monitors_arrays(const sedge_monitors *monitors, sedge_named_array **out,
                                   int *count);
