// Faces with two-sided conditions: their list, and the kernel that fills their trace slots.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"

// List the faces with two-sided conditions by the present layout. Nothing without such conditions.
SEDGE_MUST_USE
sedge_status operator_two_sided_upload(sedge_operator *op);

// Sides of two-sided conditions on boundary trace slots. Set the rows of those that are second
// sides in `row` [boundary slots], and the other side's material in `material` [trace slots] where
// the own element is curved.
void operator_two_sided_rows(const sedge_operator *op, int32_t *row);
void operator_two_sided_materials(const sedge_operator *op, int32_t *material);

// Fill the trace slots of faces whose other side is on this rank, or (`remote`) of those whose
// other side's trace has arrived from another, and take their memory through the stage.
SEDGE_MUST_USE
sedge_status operator_two_sided_run(sedge_operator *op, const operator_fields *fields,
                                    sedge_stream *stream, bool remote, const sedge_stage *stage);
