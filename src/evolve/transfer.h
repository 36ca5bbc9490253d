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
    sedge_buffer *other;  // the second buffer of a term's memory; NULL: none
    int64_t slots;        // lanes of all batches
    int64_t *slot;        // [elements] ascending; NULL: those of the operator's layout
} evolve_block;

static inline sedge_buffer *evolve_block_buffer(const evolve_block *block,
                                                const operator_fields *fields)
{
    return block->buffer != NULL ? block->buffer : fields->u[0];
}

// Replace a block, or get it: `values` [elements][components][nodes] in a basis. Wait for all work.
SEDGE_MUST_USE
sedge_status evolve_block_set(sedge_operator *op, const operator_fields *fields,
                              const evolve_block *block, sedge_basis basis, const double *values);
SEDGE_MUST_USE
sedge_status evolve_block_get(sedge_operator *op, const operator_fields *fields,
                              const evolve_block *block, sedge_basis basis, double *values);

// Pinned memory for rows that travel in pieces, in a stream.
typedef struct evolve_transfer {
    sedge_operator *op;
    sedge_stream *stream; // borrowed
    int64_t bytes;        // of a piece
    void *piece[2];
    sedge_event *done[2]; // the last copy of a piece has ended
    double *values;       // of one element, twice: to convert them
    double *work;
} evolve_transfer;

// For rows of these `count` blocks. Clear it in any case, also after a failure: that waits for what
// travels.
SEDGE_MUST_USE
sedge_status evolve_transfer_create(evolve_transfer *out, sedge_operator *op, sedge_stream *stream,
                                    const evolve_block *blocks, int count);
void evolve_transfer_clear(const evolve_transfer *transfer);

// Get rows [first, first + count) of a block from `buffer`, which holds it or a copy of it:
// `values` [count][components][nodes] in a basis. Waits for the transfer's stream alone, so that
// another thread than that of the time steps may call it.
SEDGE_MUST_USE
sedge_status evolve_transfer_get(evolve_transfer *transfer, const evolve_block *block,
                                 const sedge_buffer *buffer, sedge_basis basis, int64_t first,
                                 int64_t count, double *values);
