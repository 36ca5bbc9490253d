// Copies blocks of the state (dg/state_blocks.h) between host and device. The host has fp64 values
// in mesh order; the device's order, precision and basis differ, so the values are converted here.
#pragma once

#include "dg/state_blocks.h"
#include "operator/fields.h"
#include "operator/operator.h"

// A block and where it is on the device: fields [SIMD batches][nodes_padded][components][lanes],
// a term's memory [SIMD batches][components][nodes_padded][lanes], that of faces
// [faces][components][face nodes], always nodal.
typedef struct evolve_block {
    sedge_block shown;
    sedge_buffer *buffer; // NULL: the fields, whose two buffers change places
    int64_t slots;        // lanes of all batches
    int64_t *slot;        // [elements] ascending; NULL: those of the operator's layout
} evolve_block;

// Replace a block, or get it: `values` [elements][components][nodes] in a basis. Wait for all work.
SEDGE_MUST_USE
sedge_status evolve_block_set(sedge_operator *op, const operator_fields *fields,
                              const evolve_block *block, sedge_basis basis, const double *values);
SEDGE_MUST_USE
sedge_status evolve_block_get(sedge_operator *op, const operator_fields *fields,
                              const evolve_block *block, sedge_basis basis, double *values);
