// Inside the tuner: which candidates are tried, and in which order. A candidate is
// rejected if its resources do not fit or if its estimated occupancy is far below the best.
#pragma once

#include "base/error.h"
#include "tune/tune_run.h"

// The least seconds of a call: the candidate's own bound, if it has one. Else the time that the
// task's bytes and flops need by the measured ceilings; flops are left out if the candidate
// may do fewer. 0: not known.
double sedge_tune_bound(const sedge_tune_options *options, const sedge_tune_task *task,
                        const sedge_tune_candidate *candidate);

// The same bound with all flops; the table compares times with it.
double sedge_tune_floor(const sedge_tune_options *options, const sedge_tune_task *task,
                        const sedge_tune_candidate *candidate);

// Why a candidate cannot run on this device at all; false: it can, as far as is known. `record` may
// be NULL.
bool sedge_tune_is_refused(const sedge_device_info *info, const sedge_tune_candidate *candidate,
                           sedge_tune_record *record);

// Which candidates are tried in a layout, in order: `order` has room for all, and
// `*count` are chosen, the rule's first if it can run. The others' reasons are written.
SEDGE_MUST_USE
sedge_status sedge_tune_select(const sedge_tune_run *run, int layout, int *order, int *count);
