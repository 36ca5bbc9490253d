// Faces with two-sided conditions: their list, and the kernel that fills their trace slots.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

// List the faces with two-sided conditions by the present layout. Nothing without such conditions.
SEDGE_MUST_USE
sedge_status operator_two_sided_upload(sedge_operator *op);

// Fill the trace slots of faces whose other side is on this rank, or (`remote`) of those whose
// other side's trace has arrived from another, at the step's beginning plus `delay`.
SEDGE_MUST_USE
sedge_status operator_two_sided_run(sedge_operator *op, const operator_fields *fields,
                                    sedge_stream *stream, bool remote, double delay);
