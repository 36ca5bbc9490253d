// Fields at points, step by step. The solver records them on its device, and they are copied to the
// host in batches, so that no step waits for them. If a solver cannot record, they are interpolated
// on the host from the whole fields.
#pragma once

#include "dg/monitor_kind.h"
#include "monitor/output_context.h"
#include "monitor/sample.h"

#define SEDGE_POINT_BATCH 256 // samples kept at most before they are fetched

typedef struct sedge_point_recorder sedge_point_recorder;

// `points` [count] of this rank; what they point to may go after the call. Keeps `context` and the
// source of `sample`. Collective.
SEDGE_MUST_USE
sedge_status sedge_point_recorder_create(sedge_point_recorder **out,
                                         const sedge_output_context *context,
                                         const sedge_sample *sample,
                                         const sedge_monitor_point *points, int count);
void sedge_point_recorder_free(sedge_point_recorder *recorder);

// How many samples it keeps, the same on all ranks: SEDGE_POINT_BATCH, or fewer if the points are
// many.
int sedge_point_recorder_capacity(const sedge_point_recorder *recorder);

// Record the fields at the end of the sample's step; at most as many times until they are fetched.
// A failure is of this rank alone, unless the source cannot record: then collective.
SEDGE_MUST_USE
sedge_status sedge_point_recorder_record(sedge_point_recorder *recorder, sedge_sample *sample);

// The recorded fields, values [samples][points][fields] in code units, which are forgotten then;
// borrowed until the next record. Waits. Not collective.
SEDGE_MUST_USE
sedge_status sedge_point_recorder_fetch(sedge_point_recorder *recorder, const double **values);
