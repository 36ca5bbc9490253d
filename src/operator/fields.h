// The fields of a problem on a device: what a stage of the right-hand side reads and writes. They
// are not the operator's: an evolution has its own, and the tuner has some while it measures.
#pragma once

#include "base/error.h"
#include "device/device.h"
#include "operator/terms.h"

#include <stdint.h>

typedef struct operator_fields {
    sedge_buffer *u[2]; // u[0] is the current state; a stage writes the next one to u[1]
    sedge_buffer *residual;
    sedge_buffer *clock;                // the time at which the step began, one double
    const operator_term_memory *memory; // [the operator's terms], borrowed; NULL: no terms are run
    operator_term_memory faces; // that of boundary faces, borrowed; NULL: the problem has none
} operator_fields;

// Fields of `bytes` bytes each (operator_fields_bytes), zero. Clear them in any case.
SEDGE_MUST_USE
sedge_status operator_fields_create(operator_fields *fields, sedge_device *device, int64_t bytes);
void operator_fields_clear(operator_fields *fields);

// What a stage made becomes the current state.
void operator_fields_swap(operator_fields *fields);
