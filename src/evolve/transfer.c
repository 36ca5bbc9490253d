#include "evolve/transfer.h"

#include "base/memory.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/fields.h"
#include "operator/parts.h"
#include "operator/stage.h"

#include <string.h>

// ---- pieces ------------------------------------------------------------------------------------

// A block goes to the device and back in pieces: while one is converted the other travels, and the
// host never holds a second copy of it all.
#define PIECE_BYTES ((int64_t)1 << 20)

typedef struct block_pieces {
    sedge_operator *op;
    const evolve_block *block;
    sedge_buffer *buffer;
    int components;            // of the block
    int64_t numbers;           // of one element's values
    int64_t slot_bytes, slots; // of a slot; of a piece, whole SIMD batches
    int64_t count;             // of pieces
    void *piece[2];            // pinned
    sedge_event *done[2];      // has travelled
    double *values;            // [components][nodes] of one element, twice: to convert them
    double *work;
} block_pieces;

static sedge_status make_pieces(block_pieces *pieces, sedge_operator *op,
                                const operator_fields *fields, const evolve_block *block,
                                sedge_basis basis)
{
    const operator_layout *const layout = &op->layout;

    memset(pieces, 0, sizeof *pieces);
    pieces->op = op;
    pieces->block = block;
    pieces->buffer = block->buffer != NULL ? block->buffer : fields->u[0];
    pieces->components = pieces->block->shown.components;
    pieces->numbers = (int64_t)pieces->components * op->element->nodes;
    if (basis != layout->basis) SEDGE_TRY(operator_bernstein_need(op));
    SEDGE_TRY(sedge_allocate(&pieces->values, 2 * pieces->numbers, sizeof(double)));
    pieces->work = pieces->values + pieces->numbers;
    pieces->slot_bytes = (int64_t)pieces->components * layout->nodes_padded * layout->real_bytes;
    const int64_t fitting = PIECE_BYTES / (pieces->slot_bytes * layout->lanes);
    pieces->slots = (fitting > 0 ? fitting : 1) * layout->lanes;
    if (pieces->slots > pieces->block->slots) pieces->slots = pieces->block->slots;
    if (pieces->slots == 0) return SEDGE_OK;
    pieces->count = (pieces->block->slots + pieces->slots - 1) / pieces->slots;
    for (int i = 0; i < 2; i++) {
        SEDGE_TRY(sedge_pinned_allocate(&pieces->piece[i], op->device,
                                        pieces->slots * pieces->slot_bytes));
        SEDGE_TRY(sedge_event_create(&pieces->done[i], op->device));
    }
    return SEDGE_OK;
}

// Also after a failure: what travels is waited for first.
static void release_pieces(const block_pieces *pieces)
{
    (void)!sedge_stream_wait(pieces->op->side);
    for (int i = 0; i < 2; i++) {
        sedge_event_free(pieces->done[i]);
        sedge_pinned_release(pieces->op->device, pieces->piece[i]);
    }
    sedge_release(pieces->values);
}

static int64_t first_slot(const block_pieces *pieces, int64_t k)
{
    return k * pieces->slots;
}

static int64_t end_slot(const block_pieces *pieces, int64_t k)
{
    const int64_t end = first_slot(pieces, k + 1);

    return end < pieces->block->slots ? end : pieces->block->slots;
}

static int64_t piece_bytes(const block_pieces *pieces, int64_t k)
{
    return (end_slot(pieces, k) - first_slot(pieces, k)) * pieces->slot_bytes;
}

static sedge_status send_piece(block_pieces *pieces, int64_t k)
{
    SEDGE_TRY(sedge_buffer_upload(pieces->buffer, first_slot(pieces, k) * pieces->slot_bytes,
                                  pieces->piece[k % 2], piece_bytes(pieces, k), pieces->op->side));
    return sedge_event_record(pieces->done[k % 2], pieces->op->side);
}

static sedge_status fetch_piece(block_pieces *pieces, int64_t k)
{
    SEDGE_TRY(sedge_buffer_download(pieces->buffer, first_slot(pieces, k) * pieces->slot_bytes,
                                    pieces->piece[k % 2], piece_bytes(pieces, k),
                                    pieces->op->side));
    return sedge_event_record(pieces->done[k % 2], pieces->op->side);
}

// Where the block's element number `i` lies.
static int64_t slot_of(const block_pieces *pieces, int32_t i)
{
    return pieces->block->slot != NULL ? pieces->block->slot[i]
                                       : sedge_slot(&pieces->op->data.slots, i);
}

// One element's values into piece k, or out of it; without the divisions that each of them
// would need.
static void move_rows(const block_pieces *pieces, int64_t k, int64_t slot, double *values, bool in)
{
    const sedge_operator *const op = pieces->op;
    const int64_t lanes = op->layout.lanes;
    const int64_t within = slot - first_slot(pieces, k);
    const int nodes = op->element->nodes;
    const int components = pieces->components;
    const int64_t first =
        within / lanes * op->layout.nodes_padded * components * lanes + within % lanes;
    const bool is_memory = pieces->block->buffer != NULL;
    const int64_t of_node = is_memory ? lanes : components * lanes;
    const int64_t of_component = is_memory ? op->layout.nodes_padded * lanes : lanes;
    void *const piece = pieces->piece[k % 2];

    for (int n = 0; n < nodes; n++) {
        for (int f = 0; f < components; f++) {
            const int64_t at = first + n * of_node + f * of_component;
            double *const value = &values[f * nodes + n];
            if (in) {
                sedge_real_put(piece, op->layout.real_bytes, at, *value);
            } else {
                *value = sedge_real_get(piece, op->layout.real_bytes, at);
            }
        }
    }
}

// ---- blocks ------------------------------------------------------------------------------------

// The memory of faces has the same order on both sides and is nodal whatever the layout's basis.
static sedge_status move_faces(sedge_operator *op, const evolve_block *block, double *to,
                               const double *from)
{
    const int64_t count =
        (int64_t)block->shown.elements * block->shown.components * block->shown.nodes;
    const int real = op->layout.real_bytes;
    void *values = NULL;
    sedge_status status;

    SEDGE_TRY(operator_wait(op));
    if (count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&values, count, (size_t)real));
    if (from != NULL) {
        for (int64_t i = 0; i < count; i++) sedge_real_put(values, real, i, from[i]);
        status = sedge_buffer_upload(block->buffer, 0, values, count * real, NULL);
    } else {
        status = sedge_buffer_download(block->buffer, 0, values, count * real, NULL);
        for (int64_t i = 0; i < count && status == SEDGE_OK; i++)
            to[i] = sedge_real_get(values, real, i);
    }
    sedge_release(values);
    return status;
}

// A block's elements lie in the order of their slots.
sedge_status evolve_block_set(sedge_operator *op, const operator_fields *fields,
                              const evolve_block *block, sedge_basis basis, const double *values)
{
    block_pieces pieces;
    sedge_status status;
    int32_t e = 0;

    if (block->shown.slot != NULL) return move_faces(op, block, NULL, values);
    SEDGE_TRY_GOTO(status, make_pieces(&pieces, op, fields, block, basis));
    SEDGE_TRY_GOTO(status, operator_wait(op));
    for (int64_t k = 0; k < pieces.count; k++) {
        SEDGE_TRY_GOTO(status, sedge_event_wait(pieces.done[k % 2]));
        memset(pieces.piece[k % 2], 0, (size_t)piece_bytes(&pieces, k));
        for (; e < pieces.block->shown.elements; e++) {
            const int64_t slot = slot_of(&pieces, e);
            if (slot >= end_slot(&pieces, k)) break;
            memcpy(pieces.values, values + e * pieces.numbers,
                   (size_t)pieces.numbers * sizeof *pieces.values);
            operator_convert(op, op->layout.basis, basis, pieces.values, pieces.work,
                             pieces.components);
            move_rows(&pieces, k, slot, pieces.values, true);
        }
        SEDGE_TRY_GOTO(status, send_piece(&pieces, k));
    }
    status = sedge_stream_wait(op->side);
done:
    release_pieces(&pieces);
    return status;
}

sedge_status evolve_block_get(sedge_operator *op, const operator_fields *fields,
                              const evolve_block *block, sedge_basis basis, double *values)
{
    block_pieces pieces;
    sedge_status status;
    int32_t e = 0;

    if (block->shown.slot != NULL) return move_faces(op, block, values, NULL);
    SEDGE_TRY_GOTO(status, make_pieces(&pieces, op, fields, block, basis));
    SEDGE_TRY_GOTO(status, operator_wait(op));
    if (pieces.count > 0) SEDGE_TRY_GOTO(status, fetch_piece(&pieces, 0));
    for (int64_t k = 0; k < pieces.count; k++) {
        if (k + 1 < pieces.count) SEDGE_TRY_GOTO(status, fetch_piece(&pieces, k + 1));
        SEDGE_TRY_GOTO(status, sedge_event_wait(pieces.done[k % 2]));
        for (; e < pieces.block->shown.elements; e++) {
            const int64_t slot = slot_of(&pieces, e);
            double *const own = values + e * pieces.numbers;
            if (slot >= end_slot(&pieces, k)) break;
            move_rows(&pieces, k, slot, own, false);
            operator_convert(op, basis, op->layout.basis, own, pieces.work, pieces.components);
        }
    }
done:
    release_pieces(&pieces);
    return status;
}
