// The memory of boundary faces (sedge_boundary_kind.memory) as the kernels that make their outer
// traces get it.
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"
#include "operator/scalar.h"

#define OPERATOR_MEMORY_ARGUMENTS 7 // SEDGE_FACE_MEMORY_LIST of dg_face_memory.h

// What the arguments point to.
typedef struct operator_memory_arguments {
    uint64_t rows, now, residual, normals;
    operator_real a, b, dt;
} operator_memory_arguments;

// List the further arguments of a kernel whose boundary faces begin at `first`; returns their
// number, 0 in a problem whose faces have no memory.
int operator_memory_list(void **arguments, operator_memory_arguments *values,
                         const sedge_operator *op, const operator_fields *fields,
                         const sedge_stage *stage, int64_t first);
