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
