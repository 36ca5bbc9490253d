// The exchange of traces with other ranks (halo/halo.h) in a stage: sent at its beginning, received
// while the interior elements are worked on.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

// What brings other ranks' traces to the trace buffer. Collective.
SEDGE_MUST_USE
sedge_status operator_exchange_create(sedge_operator *op);

// The address of the trace buffer in the stage that runs: the operator's own, or that in which the
// other ranks store. Within a stage it is the same from operator_exchange_send on.
uint64_t operator_trace_address(const sedge_operator *op);

// Threads of a block of the kernels that store at other ranks, and how many blocks' work one such
// block does, of `blocks` in all. Stores to another GPU hold up all that a multiprocessor has to
// store, so only half of the multiprocessors do them: four H200 with 356 thousand elements each
// take 1.4 to 3.5 % less time for a stage than with stores from all (benchmarks/MEASUREMENTS.md).
int operator_sent_threads(const sedge_device_info *info);
int operator_sent_turns(const sedge_operator *op, int64_t blocks);

// Collect the traces of halo faces and let them travel, in the side stream. `started` as in
// operator_levels (operator/stage.h).
SEDGE_MUST_USE
sedge_status operator_exchange_send(sedge_operator *op, const operator_fields *fields, int started);

// Later work in the side stream sees the other ranks' traces. `started` as above.
SEDGE_MUST_USE
sedge_status operator_exchange_receive(sedge_operator *op, int started);

// Behind the stage's work: times of the exchange, of a GPU only in a sampled step, which waits.
SEDGE_MUST_USE
sedge_status operator_exchange_note(sedge_operator *op);
