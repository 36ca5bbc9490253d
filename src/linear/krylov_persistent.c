// The form of one kernel, which keeps all of a small system in block memory.
#include "linear/krylov_solver.h"

#include "base/memory.h"

// Of a block's memory beside what is kept: sums, the state.
enum { STATIC_BYTES = 26 << 10 };

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

sedge_status sedge_krylov_plan_keep(sedge_krylov *krylov, bool *fits)
{
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(krylov->context));
    const int64_t bytes = sedge_traits_of(info->kind)->in_call
                              ? KRYLOV_KEEP_BYTES
                              : info->shared_bytes_block - STATIC_BYTES;
    const int64_t blocks = sedge_krylov_keep_blocks(info), real = krylov->real_bytes;
    const int64_t chunk = (krylov->rows + blocks - 1) / blocks;
    const int64_t vectors = krylov->kind == KRYLOV_DIAGONAL ? 7 : 5;
    const int64_t steps = krylov->options.check > 0 ? krylov->options.check : KRYLOV_KEEP_CHECK;
    int64_t needed = 24 * steps + chunk * vectors * real;
    int64_t *offsets = NULL;

    if (needed <= bytes) {
        SEDGE_TRY(sedge_allocate(&offsets, krylov->rows + 1, sizeof *offsets));
        const sedge_status status =
            sedge_buffer_download(krylov->op.offsets, 0, offsets, (krylov->rows + 1) * 8, NULL);
        const int64_t room = status == SEDGE_OK ? find_room(offsets, krylov->rows, chunk) : 0;
        sedge_release(offsets);
        SEDGE_TRY(status);
        needed += room * real + (room + chunk + 1) * 4;
        krylov->keep_room = (int)room;
    }
    *fits = needed <= bytes;
    krylov->keep_chunk = (int)chunk;
    krylov->keep_bytes = (needed + 15) / 16 * 16;
    return SEDGE_OK;
}

sedge_status sedge_krylov_step_persistent(const sedge_krylov *krylov, const sedge_buffer *x)
{
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(krylov->context));

    return SEDGE_LAUNCH(
        krylov->kernels.keep, sedge_context_stream(krylov->context), sedge_krylov_keep_blocks(info),
        sedge_buffer_argument(krylov->states), sedge_buffer_argument(krylov->ring),
        sedge_buffer_argument(krylov->op.offsets), sedge_buffer_argument(krylov->op.columns),
        sedge_buffer_argument(krylov->op.values), sedge_buffer_argument(x),
        sedge_buffer_argument(krylov->vector[VECTOR_R]),
        sedge_buffer_argument(krylov->vector[VECTOR_P]),
        sedge_buffer_argument(krylov->vector[VECTOR_S]),
        sedge_buffer_argument(krylov->preconditioner.diagonal),
        sedge_int32_argument((int32_t)krylov->rows), sedge_int32_argument(krylov->keep_chunk),
        sedge_int32_argument(krylov->keep_room), sedge_int32_argument(krylov->check));
}
