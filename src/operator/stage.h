// One Runge-Kutta stage of the right-hand side without point sources: traces, exchange, straight
// and curved elements with their terms.
#pragma once

#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/operator.h"
#include "time/integrator.h"

// Which levels of the time step (sedge_mesh.levels) a stage is for. `stage` is that of level 0; a
// step of level l is 2^l times as long and ends with it.
typedef struct operator_levels {
    int ended;    // levels 0 to this one go through the stage
    int started;  // of integrators with `predictor`: the last prediction was for levels 0 to this
                  // one
    bool follows; // the stage before made u[0], and nothing has changed it since: the traces of the
                  // halo elements then leave as soon as these are through it, while the interior
                  // may still be on its way
} operator_levels;

// A stage of all elements of these levels, from u[0] to u[1].
SEDGE_MUST_USE
sedge_status operator_run_stage(sedge_operator *op, const operator_fields *fields,
                                const sedge_stage *stage, operator_levels levels);

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
