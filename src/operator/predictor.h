// The predictions of ADER steps on the device (dg/predictor.h): kernels of
// codegen/kernels/dg/dg_series.h, terms/dg_predict.h and dg_predictor.h. A step at a level of the
// time step is
//
//   operator_predict            means of the level's elements over their step, from the state
//   operator_run_stage          what neighbours of other levels and ranks see of them
//                               (step_traces.h), and the state at the step's end
//
// where several levels may begin or end their steps at once.
#pragma once

#include "base/error.h"
#include "device/device.h"
#include "operator/fields.h"
#include "operator/parts.h"

#include <stdbool.h>

// Traces on this rank: halo faces, boundary faces, faces between levels.
int64_t operator_traces(const sedge_operator *op);

// List faces between levels, and boundary faces by levels. SEDGE_ERR_MEMORY. Clear it in any case.
// Not collective.
SEDGE_MUST_USE
sedge_status operator_predictor_create(sedge_operator *op);
void operator_predictor_clear(operator_predictor *predictor);

// What depends on the layout and on the terms. Called once, when they are known. Not collective.
SEDGE_MUST_USE
sedge_status operator_predictor_place(sedge_operator *op);

// Make the materials of predictions for steps in which those of the finest level take `dt`, beside
// exponential terms. Nothing that reads those of another dt may run. Not collective.
SEDGE_MUST_USE
sedge_status operator_predictor_prepare(sedge_operator *op, double dt);

// The elements of a rank that this kernel predicts: straight ones with neither terms nor a source.
// Ranges have either such elements or others.
bool operator_series_predicts(const sedge_operator *op, const sedge_range *range);
int64_t operator_series_elements(const sedge_operator *op);

// Compulsory bytes of their prediction over a step.
double operator_series_bytes(const sedge_operator *op);

// What the tuner measures: their means over dt to fields->residual and, if `halves`, those over the
// first half of dt to fields->u[1].
SEDGE_MUST_USE
sedge_status operator_predict_all_series(sedge_operator *op, const operator_fields *fields,
                                         sedge_stream *stream, bool halves, double dt);

// The means of the elements of levels 0 to `started`, whose steps begin now; the finest's takes dt.
// From the state fields->u[0] to fields->residual, those of the first half of the step, where they
// are needed, to fields->u[1]. What terms do in straight elements over the step is added to the
// state, and their memory is that of the step's end: what is left to the stage is where they
// multiply du/dt. Later work in the main stream sees all this.
SEDGE_MUST_USE
sedge_status operator_predict(sedge_operator *op, const operator_fields *fields, int started,
                              double dt);
