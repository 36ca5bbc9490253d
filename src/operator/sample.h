// The tuner's check of a candidate: one stage in a sample of elements must give what the slow
// reference (dg/reference.h) gives.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

// Known fields in a sample of elements and in their neighbours, and what the slow reference makes
// of them in a stage. Of one rank alone, whatever others do, and before the operator has its
// exchange: traces of other ranks are made up, in the operator's own memory.
typedef struct operator_sample operator_sample;

// Of straight elements or of curved ones, whose stages have different kernels; the latter only
// where the state is covariant.
SEDGE_MUST_USE
sedge_status operator_sample_create(operator_sample **out, sedge_operator *op, bool curved);
void operator_sample_free(operator_sample *sample);

// Whether it is of the present layout's basis: known fields are what the device keeps.
bool operator_sample_fits(const operator_sample *sample, const sedge_operator *op);

// Fill fields `on` the device, of the present layout, those of the sample with what is known.
SEDGE_MUST_USE
sedge_status operator_sample_fill(const operator_sample *sample, sedge_operator *op,
                                  const operator_fields *on);

// Put one stage of the present configuration into `stream`: what is timed.
SEDGE_MUST_USE
sedge_status operator_sample_launch(const operator_sample *sample, sedge_operator *op,
                                    const operator_fields *on, sedge_stream *stream);

// Run it from the known fields; SEDGE_ERR_COMPUTE says where it differs from the reference.
SEDGE_MUST_USE
sedge_status operator_sample_verify(const operator_sample *sample, sedge_operator *op,
                                    const operator_fields *on);
