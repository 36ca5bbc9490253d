// What elements see of neighbours whose steps of time differ from theirs, or who are on other
// ranks: the mean of their trace over the own step (dg/predictor.h), from the means as u[0] and
// those over the first half of the step as u[1]. Levels 0 to `started` begin a step.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

// Where a kernel that packs stores at other ranks (codegen/kernels/dg/dg_sent.h).
typedef struct operator_parcels {
    uint64_t list;  // address of the parcels
    uint64_t ended; // of the counter of blocks; 0: the kernel sets no flags
    int count;      // 0: it stores nothing there
} operator_parcels;

// Fill the traces of faces between local elements of levels up to `started` and neighbours of other
// levels.
SEDGE_MUST_USE
sedge_status operator_make_step_traces(sedge_operator *op, const operator_fields *means,
                                       sedge_stream *stream, int started);

// Pack the traces for other ranks, and store those that change in the `parcels`. What no step began
// for stays packed as it is.
SEDGE_MUST_USE
sedge_status operator_pack_step_traces(sedge_operator *op, const operator_fields *means,
                                       sedge_stream *stream, int started,
                                       const operator_parcels *parcels);

// Copy what other ranks have stored in this exchange to where the stage reads it: the traces of
// faces where a step begins on either side. The other faces keep the traces that they have.
SEDGE_MUST_USE
sedge_status operator_take_step_traces(sedge_operator *op, sedge_stream *stream, int started);

// Threads of a block of the kernels that store at other ranks, and how many blocks' work one such
// block does, of `blocks` in all. Where ranks store, there are at most half as many blocks as
// multiprocessors: so stores to other GPUs hold up less of the work beside them
// (benchmarks/MEASUREMENTS.md, one to eight GPUs).
int operator_sent_threads(const sedge_device_info *info);
int operator_sent_turns(const sedge_operator *op, int64_t blocks);
