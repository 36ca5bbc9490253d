#include "evolve/transfer.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/parts.h"
#include "operator/stage.h"

#include <string.h>

// A block goes to the device and back in pieces: while one is converted the other travels, and the
// host never holds a second copy of it all.
#define PIECE_BYTES ((int64_t)1 << 20)

enum { SHARED_ELEMENTS = 256 }; // fewer are not worth several threads

static int64_t row_values(const evolve_block *block)
{
    return (int64_t)block->shown.components * block->shown.nodes;
}

static int64_t slot_bytes(const sedge_operator *op, const evolve_block *block)
{
    return (int64_t)block->shown.components * op->layout.nodes_padded * op->layout.real_bytes;
}

sedge_status evolve_transfer_create(evolve_transfer *out, sedge_operator *op, sedge_stream *stream,
                                    const evolve_block *blocks, int count)
{
    int64_t numbers = 0;

    *out = (evolve_transfer){.op = op, .stream = stream, .bytes = PIECE_BYTES};
    for (int i = 0; i < count; i++) {
        const int64_t batch = slot_bytes(op, &blocks[i]) * op->layout.lanes;
        const int64_t row = row_values(&blocks[i]);

        if (batch > out->bytes) out->bytes = batch;
        if (row > numbers) numbers = row;
    }
    SEDGE_TRY(sedge_allocate(&out->values, 2 * numbers, sizeof *out->values));
    out->work = out->values + numbers;
    for (int i = 0; i < 2; i++) {
        SEDGE_TRY(sedge_pinned_allocate(&out->piece[i], op->device, out->bytes));
        SEDGE_TRY(sedge_event_create(&out->done[i], op->device));
    }
    return SEDGE_OK;
}

void evolve_transfer_clear(const evolve_transfer *transfer)
{
    if (transfer->op == NULL) return;
    // What failed before stays the message: a wait that fails too has nothing to add.
    if (transfer->stream != NULL) (void)!sedge_stream_wait(transfer->stream);
    for (int i = 0; i < 2; i++) {
        sedge_event_free(transfer->done[i]);
        sedge_pinned_release(transfer->op->device, transfer->piece[i]);
    }
    sedge_release(transfer->values);
}

// ---- pieces ------------------------------------------------------------------------------------

// The slots [begin, end) of a block, whole SIMD batches, in pieces.
typedef struct block_pieces {
    const evolve_transfer *transfer;
    const evolve_block *block;
    int64_t begin, end;
    int64_t slot_bytes;
    int64_t slots; // of a piece, whole SIMD batches
    int64_t count; // of pieces
} block_pieces;

static block_pieces cut_pieces(const evolve_transfer *transfer, const evolve_block *block,
                               int64_t begin, int64_t end)
{
    const int64_t lanes = transfer->op->layout.lanes;
    block_pieces pieces = {.transfer = transfer, .block = block};

    pieces.begin = begin / lanes * lanes;
    pieces.end = (end + lanes - 1) / lanes * lanes;
    pieces.slot_bytes = slot_bytes(transfer->op, block);
    pieces.slots = transfer->bytes / (pieces.slot_bytes * lanes) * lanes;
    pieces.count = (pieces.end - pieces.begin + pieces.slots - 1) / pieces.slots;
    return pieces;
}

static int64_t first_slot(const block_pieces *pieces, int64_t k)
{
    return pieces->begin + k * pieces->slots;
}

static int64_t end_slot(const block_pieces *pieces, int64_t k)
{
    const int64_t end = first_slot(pieces, k + 1);

    return end < pieces->end ? end : pieces->end;
}

static int64_t piece_bytes(const block_pieces *pieces, int64_t k)
{
    return (end_slot(pieces, k) - first_slot(pieces, k)) * pieces->slot_bytes;
}

static sedge_status send_piece(const block_pieces *pieces, sedge_buffer *buffer, int64_t k)
{
    const evolve_transfer *const transfer = pieces->transfer;

    SEDGE_TRY(sedge_buffer_upload(buffer, first_slot(pieces, k) * pieces->slot_bytes,
                                  transfer->piece[k % 2], piece_bytes(pieces, k),
                                  transfer->stream));
    return sedge_event_record(transfer->done[k % 2], transfer->stream);
}

static sedge_status fetch_piece(const block_pieces *pieces, const sedge_buffer *buffer, int64_t k)
{
    const evolve_transfer *const transfer = pieces->transfer;

    SEDGE_TRY(sedge_buffer_download(buffer, first_slot(pieces, k) * pieces->slot_bytes,
                                    transfer->piece[k % 2], piece_bytes(pieces, k),
                                    transfer->stream));
    return sedge_event_record(transfer->done[k % 2], transfer->stream);
}

// Where the block's element number `i` lies.
static int64_t slot_of(const evolve_transfer *transfer, const evolve_block *block, int64_t i)
{
    return block->slot != NULL ? block->slot[i] : sedge_slot(&transfer->op->data.slots, (int32_t)i);
}

// One element's values into piece k, or out of it; without the divisions that each of them
// would need.
static void move_rows(const block_pieces *pieces, int64_t k, int64_t slot, double *values, bool in)
{
    const sedge_operator *const op = pieces->transfer->op;
    const int64_t lanes = op->layout.lanes;
    const int64_t within = slot - first_slot(pieces, k);
    const int nodes = op->element->nodes;
    const int components = pieces->block->shown.components;
    const int64_t first =
        within / lanes * op->layout.nodes_padded * components * lanes + within % lanes;
    const bool is_memory = pieces->block->buffer != NULL;
    const int64_t of_node = is_memory ? lanes : components * lanes;
    const int64_t of_component = is_memory ? op->layout.nodes_padded * lanes : lanes;
    void *const piece = pieces->transfer->piece[k % 2];

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

// ---- faces -------------------------------------------------------------------------------------

// The memory of faces has the same order on both sides and is nodal whatever the layout's basis:
// numbers [begin, end) of the block, of one piece at most.
static int64_t next_numbers(const evolve_transfer *transfer, int64_t begin, int64_t end)
{
    const int64_t most = transfer->bytes / transfer->op->layout.real_bytes;

    return end - begin < most ? end - begin : most;
}

static sedge_status set_faces(const evolve_transfer *transfer, const evolve_block *block,
                              const double *from)
{
    const int64_t all = block->shown.elements * row_values(block);
    const int real = transfer->op->layout.real_bytes;

    for (int64_t at = 0, count; at < all; at += count) {
        count = next_numbers(transfer, at, all);
        for (int64_t i = 0; i < count; i++)
            sedge_real_put(transfer->piece[0], real, i, from[at + i]);
        SEDGE_TRY(sedge_buffer_upload(block->buffer, at * real, transfer->piece[0], count * real,
                                      transfer->stream));
        SEDGE_TRY(sedge_stream_wait(transfer->stream));
    }
    return SEDGE_OK;
}

static sedge_status get_faces(const evolve_transfer *transfer, const evolve_block *block,
                              const sedge_buffer *buffer, int64_t first, int64_t rows, double *to)
{
    const int64_t begin = first * row_values(block);
    const int64_t all = rows * row_values(block);
    const int real = transfer->op->layout.real_bytes;

    for (int64_t at = 0, count; at < all; at += count) {
        count = next_numbers(transfer, at, all);
        SEDGE_TRY(sedge_buffer_download(buffer, (begin + at) * real, transfer->piece[0],
                                        count * real, transfer->stream));
        SEDGE_TRY(sedge_stream_wait(transfer->stream));
        for (int64_t i = 0; i < count; i++)
            to[at + i] = sedge_real_get(transfer->piece[0], real, i);
    }
    return SEDGE_OK;
}

// ---- blocks ------------------------------------------------------------------------------------

// Element i of a block, from one basis to another. The memory of terms that differ from node to
// node is nodal whatever the basis.
static void convert(const evolve_transfer *transfer, const evolve_block *block, int64_t i,
                    sedge_basis to, sedge_basis from, double *values, double *work)
{
    const sedge_block *const shown = &block->shown;

    if (shown->term != NULL && sedge_term_varies(shown->term)) return;
    operator_view_convert(transfer->op, sedge_block_element(shown, (int32_t)i), to, from, values,
                          work, shown->components);
}

// Elements of a block that go into piece k, in slices for several threads.
typedef struct fill_job {
    const block_pieces *pieces;
    int64_t k;
    int64_t first, end; // elements
    int64_t slices;
    sedge_basis basis;
    const double *values; // of the block, in that basis
    double *scratch;      // [slices][2][values of an element]
} fill_job;

static void fill_slices(void *context, int64_t first, int64_t end)
{
    const fill_job *const job = context;
    const evolve_transfer *const transfer = job->pieces->transfer;
    const evolve_block *const block = job->pieces->block;
    const int64_t numbers = row_values(block);
    const int64_t count = job->end - job->first;

    for (int64_t s = first; s < end; s++) {
        double *const own = job->scratch + 2 * s * numbers;
        const int64_t last = job->first + count * (s + 1) / job->slices;
        for (int64_t e = job->first + count * s / job->slices; e < last; e++) {
            memcpy(own, job->values + e * numbers, (size_t)numbers * sizeof *own);
            convert(transfer, block, e, operator_view_basis(transfer->op), job->basis, own,
                    own + numbers);
            move_rows(job->pieces, job->k, slot_of(transfer, block, e), own, true);
        }
    }
}

static sedge_status set_pieces(fill_job *job, sedge_buffer *buffer)
{
    const block_pieces *const pieces = job->pieces;
    const evolve_transfer *const transfer = pieces->transfer;
    const evolve_block *const block = pieces->block;

    for (int64_t k = 0; k < pieces->count; k++) {
        job->k = k;
        job->first = job->end;
        while (job->end < block->shown.elements &&
               slot_of(transfer, block, job->end) < end_slot(pieces, k))
            job->end++;
        SEDGE_TRY(sedge_event_wait(transfer->done[k % 2]));
        memset(transfer->piece[k % 2], 0, (size_t)piece_bytes(pieces, k));
        const int threads = job->end - job->first < SHARED_ELEMENTS ? 1 : (int)job->slices;
        sedge_parallel(threads, job->slices, 1, fill_slices, job);
        SEDGE_TRY(send_piece(pieces, buffer, k));
    }
    return sedge_stream_wait(transfer->stream);
}

// A block's elements lie in the order of their slots.
static sedge_status set_elements(const evolve_transfer *transfer, const evolve_block *block,
                                 sedge_buffer *buffer, sedge_basis basis, const double *values)
{
    const block_pieces pieces = cut_pieces(transfer, block, 0, block->slots);
    fill_job job = {
        .pieces = &pieces, .slices = transfer->op->threads, .basis = basis, .values = values};

    SEDGE_TRY(sedge_allocate(&job.scratch, 2 * job.slices * row_values(block), sizeof(double)));
    const sedge_status status = set_pieces(&job, buffer);
    sedge_release(job.scratch);
    return status;
}

static sedge_status get_elements(const evolve_transfer *transfer, const evolve_block *block,
                                 const sedge_buffer *buffer, sedge_basis basis, int64_t first,
                                 int64_t count, double *values)
{
    const block_pieces pieces = cut_pieces(transfer, block, slot_of(transfer, block, first),
                                           slot_of(transfer, block, first + count - 1) + 1);
    int64_t e = 0;

    SEDGE_TRY(fetch_piece(&pieces, buffer, 0));
    for (int64_t k = 0; k < pieces.count; k++) {
        if (k + 1 < pieces.count) SEDGE_TRY(fetch_piece(&pieces, buffer, k + 1));
        SEDGE_TRY(sedge_event_wait(transfer->done[k % 2]));
        for (; e < count; e++) {
            const int64_t slot = slot_of(transfer, block, first + e);
            double *const own = values + e * row_values(block);
            if (slot >= end_slot(&pieces, k)) break;
            move_rows(&pieces, k, slot, own, false);
            convert(transfer, block, first + e, basis, operator_view_basis(transfer->op), own,
                    transfer->work);
        }
    }
    return SEDGE_OK;
}

sedge_status evolve_transfer_get(evolve_transfer *transfer, const evolve_block *block,
                                 const sedge_buffer *buffer, sedge_basis basis, int64_t first,
                                 int64_t count, double *values)
{
    if (count == 0) return SEDGE_OK;
    if (block->shown.slot != NULL) return get_faces(transfer, block, buffer, first, count, values);
    return get_elements(transfer, block, buffer, basis, first, count, values);
}

// What both directions begin with.
static sedge_status prepare(evolve_transfer *transfer, sedge_operator *op,
                            const evolve_block *block, sedge_basis basis)
{
    SEDGE_TRY(evolve_transfer_create(transfer, op, op->side, block, 1));
    if (basis != operator_view_basis(op)) SEDGE_TRY(operator_bernstein_need(op));
    return operator_wait(op);
}

sedge_status evolve_block_set(sedge_operator *op, const operator_fields *fields,
                              const evolve_block *block, sedge_basis basis, const double *values)
{
    evolve_transfer transfer;
    sedge_status status = prepare(&transfer, op, block, basis);

    if (status == SEDGE_OK) {
        status =
            block->shown.slot != NULL
                ? set_faces(&transfer, block, values)
                : set_elements(&transfer, block, evolve_block_buffer(block, fields), basis, values);
    }
    if (status == SEDGE_OK && block->other != NULL) { // what no stage writes is in both
        status =
            sedge_buffer_copy(block->other, block->buffer, sedge_buffer_bytes(block->buffer), NULL);
    }
    evolve_transfer_clear(&transfer);
    return status;
}

sedge_status evolve_block_get(sedge_operator *op, const operator_fields *fields,
                              const evolve_block *block, sedge_basis basis, double *values)
{
    evolve_transfer transfer;
    sedge_status status = prepare(&transfer, op, block, basis);

    if (status == SEDGE_OK) {
        status = evolve_transfer_get(&transfer, block, evolve_block_buffer(block, fields), basis, 0,
                                     block->shown.elements, values);
    }
    evolve_transfer_clear(&transfer);
    return status;
}
