// The deck's schedule of snapshots: the steps at whose end whole fields and slices are recorded.
#pragma once

#include "monitor/output_context.h"

// Is one of the deck's snapshots due at the end of `step`? Ask once for each step. In a run that
// begins new files the first snapshot is due at once; snapshot k of n is due at the first step at
// or after k/n of the run.
static inline bool sedge_schedule_snapshot(const sedge_output_context *context, int64_t step)
{
    const int64_t snapshots = context->deck->snapshots;

    if (snapshots == 0) return false;
    if (step == context->first_step) return !context->continues;
    return step * snapshots / context->steps > (step - 1) * snapshots / context->steps;
}
