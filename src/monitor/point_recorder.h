// Fields at points, step by step. The solver records them on its device, and they are taken from
// there in batches, so that no step waits for them: copied to the host, or transformed where they
// are (monitor/spectrum.h).
#pragma once

#include "dg/monitor_kind.h"
#include "monitor/output_context.h"
#include "monitor/sample.h"

#define SEDGE_POINT_BATCH    256 // samples kept at most before they are taken
#define SEDGE_SLICES_WAITING 1   // of slices: each snapshot flushes them

typedef struct sedge_point_recorder sedge_point_recorder;

// `points` [count] of this rank; what they point to may go after the call. `most` samples are kept
// at most; 0: by rule. Keeps `context` and the source of `sample`. Collective.
SEDGE_MUST_USE
sedge_status sedge_point_recorder_create(sedge_point_recorder **out,
                                         const sedge_output_context *context,
                                         const sedge_sample *sample,
                                         const sedge_monitor_point *points, int count, int most);
void sedge_point_recorder_free(sedge_point_recorder *recorder);

// How many samples of `points` points, those of the rank that has most, are kept:
// SEDGE_POINT_BATCH, or fewer if the points are many.
int sedge_point_recorder_fit(double points, int fields);

// How many samples it keeps, the same on all ranks.
int sedge_point_recorder_capacity(const sedge_point_recorder *recorder);

// The source, and what it calls the points: for transforms. Borrowed.
const sedge_sample_source *sedge_point_recorder_source(const sedge_point_recorder *recorder,
                                                       void **points);

// Record the fields at the end of the queued work; at most as many times until they are forgotten.
// Not collective.
SEDGE_MUST_USE
sedge_status sedge_point_recorder_record(sedge_point_recorder *recorder);

// The recorded fields, values [samples][points][fields] in code units; borrowed until the next
// fetch. Waits. Not collective.
SEDGE_MUST_USE
sedge_status sedge_point_recorder_fetch(sedge_point_recorder *recorder, const double **values);

// Forget what is recorded.
void sedge_point_recorder_forget(sedge_point_recorder *recorder);
