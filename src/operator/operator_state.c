// The state, into the device's layout, precision and basis, and out of it.
#include "operator/operator_internal.h"

#include <string.h>

sedge_status operator_bernstein_need(sedge_operator *op)
{
    return op->bernstein != NULL ? SEDGE_OK : sedge_bernstein_create(&op->bernstein, op->element);
}

void operator_convert(const sedge_operator *op, sedge_basis to, sedge_basis from, double *values,
                      double *work, int64_t rows)
{
    if (to == from) return;
    memcpy(work, values, (size_t)(rows * op->element->nodes) * sizeof *work);
    sedge_bernstein_convert(op->bernstein, to, values, work, rows);
}

// The state goes to the device and back in pieces: while one is converted the other travels, and
// the host never holds a second copy of it all.
#define PIECE_BYTES ((int64_t)1 << 20)

typedef struct state_pieces {
    int64_t slot_bytes, slots; // of a slot; of a piece, whole values
    int64_t count;
    void *piece[2];       // pinned
    sedge_event *done[2]; // has travelled
    double *values;       // [fields][nodes] of one element, twice: to convert them
    double *work;
} state_pieces;

static sedge_status make_pieces(state_pieces *pieces, sedge_operator *op, sedge_basis other)
{
    const operator_layout *const layout = &op->layout;
    const int64_t fields = op->problem->equation->fields;

    memset(pieces, 0, sizeof *pieces);
    if (other != layout->basis) SEDGE_TRY(operator_bernstein_need(op));
    SEDGE_TRY(sedge_allocate(&pieces->values, 2 * fields * op->element->nodes, sizeof(double)));
    pieces->work = pieces->values + fields * op->element->nodes;
    pieces->slot_bytes = fields * layout->nodes_padded * layout->real_bytes;
    const int64_t fitting = PIECE_BYTES / (pieces->slot_bytes * layout->lanes);
    pieces->slots = (fitting > 0 ? fitting : 1) * layout->lanes;
    if (pieces->slots > layout->slots) pieces->slots = layout->slots;
    if (pieces->slots == 0) return SEDGE_OK;
    pieces->count = (layout->slots + pieces->slots - 1) / pieces->slots;
    for (int i = 0; i < 2; i++) {
        SEDGE_TRY(sedge_pinned_allocate(&pieces->piece[i], op->device,
                                        pieces->slots * pieces->slot_bytes));
        SEDGE_TRY(sedge_event_create(&pieces->done[i], op->device));
    }
    return SEDGE_OK;
}

// Also after a failure: what travels is waited for first.
static void release_pieces(const state_pieces *pieces, const sedge_operator *op)
{
    (void)!sedge_stream_wait(op->side);
    for (int i = 0; i < 2; i++) {
        sedge_event_free(pieces->done[i]);
        sedge_pinned_release(op->device, pieces->piece[i]);
    }
    sedge_release(pieces->values);
}

static int64_t first_slot(const state_pieces *pieces, int64_t k)
{
    return k * pieces->slots;
}

static int64_t end_slot(const state_pieces *pieces, const sedge_operator *op, int64_t k)
{
    const int64_t end = first_slot(pieces, k + 1);

    return end < op->layout.slots ? end : op->layout.slots;
}

static int64_t piece_bytes(const state_pieces *pieces, const sedge_operator *op, int64_t k)
{
    return (end_slot(pieces, op, k) - first_slot(pieces, k)) * pieces->slot_bytes;
}

static sedge_status send_piece(state_pieces *pieces, sedge_operator *op, int64_t k)
{
    SEDGE_TRY(sedge_buffer_upload(op->data.u[0], first_slot(pieces, k) * pieces->slot_bytes,
                                  pieces->piece[k % 2], piece_bytes(pieces, op, k), op->side));
    return sedge_event_record(pieces->done[k % 2], op->side);
}

static sedge_status fetch_piece(state_pieces *pieces, sedge_operator *op, int64_t k)
{
    SEDGE_TRY(sedge_buffer_download(op->data.u[0], first_slot(pieces, k) * pieces->slot_bytes,
                                    pieces->piece[k % 2], piece_bytes(pieces, op, k), op->side));
    return sedge_event_record(pieces->done[k % 2], op->side);
}

// One element's values into a piece, or out of it; as operator_index says, without its divisions
// for each of them.
static void move_rows(const sedge_operator *op, void *piece, int64_t slot, double *values, bool in)
{
    const int64_t lanes = op->layout.lanes;
    const int fields = op->problem->equation->fields;
    const int nodes = op->element->nodes;
    const int64_t first = operator_index(op, slot, 0, 0);

    for (int n = 0; n < nodes; n++) {
        for (int f = 0; f < fields; f++) {
            const int64_t at = first + (int64_t)(n * fields + f) * lanes;
            double *const value = &values[f * nodes + n];
            if (in) {
                operator_put(op, piece, at, *value);
            } else {
                *value = operator_fetch(op, piece, at);
            }
        }
    }
}

// Elements lie in the order of their slots.
sedge_status operator_set_state(sedge_operator *op, sedge_basis basis, const double *u)
{
    const int fields = op->problem->equation->fields;
    const int nodes = op->element->nodes;
    state_pieces pieces;
    sedge_status status;
    int32_t e = 0;

    SEDGE_TRY_GOTO(status, make_pieces(&pieces, op, basis));
    SEDGE_TRY_GOTO(status, operator_wait(op));
    for (int64_t k = 0; k < pieces.count; k++) {
        void *const piece = pieces.piece[k % 2];
        SEDGE_TRY_GOTO(status, sedge_event_wait(pieces.done[k % 2]));
        memset(piece, 0, (size_t)piece_bytes(&pieces, op, k));
        for (; e < op->mesh->elements; e++) {
            const int64_t slot = operator_slot(op, e);
            if (slot >= end_slot(&pieces, op, k)) break;
            memcpy(pieces.values, u + (int64_t)e * fields * nodes,
                   (size_t)(fields * nodes) * sizeof *pieces.values);
            operator_convert(op, op->layout.basis, basis, pieces.values, pieces.work, fields);
            move_rows(op, piece, slot - first_slot(&pieces, k), pieces.values, true);
        }
        SEDGE_TRY_GOTO(status, send_piece(&pieces, op, k));
    }
    status = sedge_stream_wait(op->side);
done:
    release_pieces(&pieces, op);
    return status;
}

sedge_status operator_get_state(sedge_operator *op, sedge_basis basis, double *u)
{
    const int fields = op->problem->equation->fields;
    const int nodes = op->element->nodes;
    state_pieces pieces;
    sedge_status status;
    int32_t e = 0;

    SEDGE_TRY_GOTO(status, make_pieces(&pieces, op, basis));
    SEDGE_TRY_GOTO(status, operator_wait(op));
    if (pieces.count > 0) SEDGE_TRY_GOTO(status, fetch_piece(&pieces, op, 0));
    for (int64_t k = 0; k < pieces.count; k++) {
        void *const piece = pieces.piece[k % 2];
        if (k + 1 < pieces.count) SEDGE_TRY_GOTO(status, fetch_piece(&pieces, op, k + 1));
        SEDGE_TRY_GOTO(status, sedge_event_wait(pieces.done[k % 2]));
        for (; e < op->mesh->elements; e++) {
            const int64_t slot = operator_slot(op, e);
            double *const values = u + (int64_t)e * fields * nodes;
            if (slot >= end_slot(&pieces, op, k)) break;
            move_rows(op, piece, slot - first_slot(&pieces, k), values, false);
            operator_convert(op, basis, op->layout.basis, values, pieces.work, fields);
        }
    }
done:
    release_pieces(&pieces, op);
    return status;
}
