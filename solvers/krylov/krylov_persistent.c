// The forms of one kernel: all of a small system in block memory, or its matrix in the device's.
#include "krylov/krylov_internal.h"

#include "base/memory.h"

#include <limits.h>

// Of a block's memory beside what is kept: sums, the state.
enum { STATIC_BYTES = 26 << 10, VECTORS_KEPT = 5 };

// Entries of the block of `chunk` rows that has most.
static int64_t find_room(const int64_t *offsets, int64_t rows, int64_t chunk)
{
    int64_t most = 0;

    for (int64_t first = 0; first < rows; first += chunk) {
        const int64_t end = first + chunk < rows ? first + chunk : rows;
        if (offsets[end] - offsets[first] > most) most = offsets[end] - offsets[first];
    }
    return most;
}

sedge_status sedge_krylov_plan_keep(sedge_krylov *krylov)
{
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(krylov->context));
    const bool is_cuda = info->kind == SEDGE_DEVICE_CUDA;
    const int64_t bytes = is_cuda ? info->shared_bytes_block - STATIC_BYTES : KRYLOV_KEEP_BYTES;
    const int64_t blocks = sedge_krylov_solve_blocks(info), real = krylov->real_bytes;
    const int64_t chunk = (krylov->rows + blocks - 1) / blocks;
    const int64_t vectors = VECTORS_KEPT + (krylov->kind == KRYLOV_DIAGONAL);
    sedge_status status;
    int64_t *offsets = NULL;

    if (krylov->rows == 0 || chunk * vectors * real > bytes) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&offsets, krylov->rows + 1, sizeof *offsets));
    SEDGE_TRY_GOTO(status, sedge_buffer_download(krylov->op.offsets, 0, offsets,
                                                 (krylov->rows + 1) * 8, NULL));
    const int64_t room = find_room(offsets, krylov->rows, chunk);
    const int64_t needed = (room + chunk * vectors) * real + (room + chunk + 1) * 4;
    if (needed <= bytes) {
        krylov->keeps = true;
        krylov->keep_chunk = (int)chunk;
        krylov->keep_room = (int)room;
        krylov->keep_bytes = (needed + 15) / 16 * 16;
    }
done:
    sedge_release(offsets);
    return status;
}

static sedge_status step_kept(const sedge_krylov *krylov, sedge_stream *stream, int blocks,
                              const sedge_buffer *x)
{
    return SEDGE_LAUNCH(
        krylov->kernels.keep, stream, blocks, sedge_buffer_argument(krylov->states),
        sedge_buffer_argument(krylov->ring), sedge_buffer_argument(krylov->op.offsets),
        sedge_buffer_argument(krylov->op.columns), sedge_buffer_argument(krylov->op.values),
        sedge_buffer_argument(x), sedge_buffer_argument(krylov->vector[VECTOR_R]),
        sedge_buffer_argument(krylov->vector[VECTOR_P]),
        sedge_buffer_argument(krylov->vector[VECTOR_S]),
        sedge_buffer_argument(krylov->vector[VECTOR_Q]),
        sedge_buffer_argument(krylov->preconditioner.diagonal), sedge_buffer_argument(krylov->dots),
        sedge_int32_argument((int32_t)krylov->rows), sedge_int32_argument(krylov->keep_chunk),
        sedge_int32_argument(krylov->keep_room), sedge_int32_argument(krylov->check));
}

sedge_status sedge_krylov_step_persistent(sedge_krylov *krylov, const sedge_buffer *x)
{
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(krylov->context));
    const int blocks = sedge_krylov_solve_blocks(info);
    sedge_stream *const stream = sedge_context_stream(krylov->context);

    if (krylov->keeps) return step_kept(krylov, stream, blocks, x);
    return SEDGE_LAUNCH(
        krylov->kernels.solve, stream, blocks, sedge_buffer_argument(krylov->states),
        sedge_buffer_argument(krylov->ring), sedge_buffer_argument(krylov->op.offsets),
        sedge_buffer_argument(krylov->op.columns), sedge_buffer_argument(krylov->op.values),
        sedge_buffer_argument(x), sedge_buffer_argument(krylov->vector[VECTOR_R]),
        sedge_buffer_argument(krylov->vector[VECTOR_P]),
        sedge_buffer_argument(krylov->vector[VECTOR_Q]),
        sedge_buffer_argument(krylov->preconditioner.diagonal), sedge_buffer_argument(krylov->dots),
        sedge_int32_argument((int32_t)krylov->rows), sedge_int32_argument(krylov->check));
}
