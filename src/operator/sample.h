// The tuner's check of a candidate: one stage or prediction in a sample of elements must give what
// the slow reference (dg/reference.h) gives.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

// Known fields in a sample of elements and in their neighbours, and what the slow reference makes
// of them. Of one rank alone, whatever others do, and before the operator has its
// exchange: traces of other ranks are made up, in the operator's own memory.
typedef struct operator_sample operator_sample;

// What is launched and compared.
typedef enum operator_sample_kind {
    OPERATOR_SAMPLE_STRAIGHT,   // the stage in straight elements
    OPERATOR_SAMPLE_CURVED,     // the stage in curved ones, only where the state is covariant; and
                                // their prediction where it shares the stage's configuration
    OPERATOR_SAMPLE_PREDICTION, // the prediction in straight elements without terms
} operator_sample_kind;

SEDGE_MUST_USE
sedge_status operator_sample_create(operator_sample **out, sedge_operator *op,
                                    operator_sample_kind kind);
void operator_sample_free(operator_sample *sample);

// Whether it is of the present layout's basis: known fields are what the device keeps.
bool operator_sample_fits(const operator_sample *sample, const sedge_operator *op);

// Fill fields `on` the device, of the present layout, those of the sample with what is known.
SEDGE_MUST_USE
sedge_status operator_sample_fill(const operator_sample *sample, sedge_operator *op,
                                  const operator_fields *on);

// Put one call of the present configuration into `stream`: what is timed.
SEDGE_MUST_USE
sedge_status operator_sample_launch(const operator_sample *sample, sedge_operator *op,
                                    const operator_fields *on, sedge_stream *stream);

// Run it from the known fields; SEDGE_ERR_COMPUTE says where it differs from the reference.
SEDGE_MUST_USE
sedge_status operator_sample_verify(const operator_sample *sample, sedge_operator *op,
                                    const operator_fields *on);
