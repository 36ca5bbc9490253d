// One Runge-Kutta stage of the right-hand side without point sources: traces, exchange, straight
// and curved elements with their terms.
#pragma once

#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/operator.h"
#include "time/integrator.h"

// A stage of all elements, from u[0] to u[1].
SEDGE_MUST_USE
sedge_status operator_run_stage(sedge_operator *op, const operator_fields *fields,
                                const sedge_stage *stage);

// Count stages that ran as parts of a recorded step, not by operator_run_stage: the launches of
// each kernel in them, and the turns of the halo.
void operator_count_stages(sedge_operator *op, int stages, const int64_t launches[KERNELS]);

// Until all queued work is done.
SEDGE_MUST_USE
sedge_status operator_wait(sedge_operator *op);

// The stage in all straight elements of this rank alone, without terms: what the tuner measures.
SEDGE_MUST_USE
sedge_status operator_run_straight(sedge_operator *op, const operator_fields *fields,
                                   sedge_stream *stream, const sedge_stage *stage);
