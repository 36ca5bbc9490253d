// One product: the launches of a format's kernels, and the sums of its dot product.
#include "sparse/sparse_launch.h"

#include "sparse/sparse_format.h"

enum {
    VECTOR_THREADS = SEDGE_SPARSE_VECTOR_THREADS,
    FIX_THREADS = SEDGE_SPARSE_FIX_THREADS,
    SUMS_BLOCKS = 256,
    VECTOR_COUNT = 8
};

// ---- counts ------------------------------------------------------------------------------------

// A library has no blocks of its own: those of the kernel that follows it.
static int64_t main_blocks(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    const sedge_sparse_format *const format = store->layout.format;

    if (format->multiply != NULL) return sedge_sparse_divide_up(store->rows, VECTOR_THREADS);
    return format->blocks != NULL ? format->blocks(store, kernel) : store->parts;
}

static int64_t fix_blocks(const sedge_sparse_store *store)
{
    return sedge_sparse_divide_up(store->few, FIX_THREADS) + store->many;
}

int64_t sedge_sparse_parts(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel)
{
    const int64_t own = main_blocks(store, kernel) + fix_blocks(store);

    return store->rest == NULL ? own : own + sedge_sparse_parts(store->rest, &store->rest_kernel);
}

static int64_t sums_chunk(int64_t parts)
{
    return sedge_sparse_divide_up(parts, SUMS_BLOCKS);
}

int sedge_sparse_sums_of(int64_t parts)
{
    if (parts == 0) return 1;
    if (parts <= SEDGE_SPARSE_SUMS) return (int)parts;
    return (int)sedge_sparse_divide_up(parts, sums_chunk(parts));
}

// ---- arguments ---------------------------------------------------------------------------------

static sedge_argument real_argument(const sedge_sparse_store *store, double value)
{
    return store->real_bytes == 8 ? sedge_double_argument(value)
                                  : sedge_float_argument((float)value);
}

// SPARSE_VECTORS of kernels/sparse/sparse_common.h.
static void vector_arguments(sedge_argument to[VECTOR_COUNT], const sedge_sparse_store *store,
                             const sedge_sparse_call *call, double beta, const sedge_buffer *sums,
                             int64_t first_sum)
{
    to[0] = sedge_buffer_argument(store->listed);
    to[1] = sedge_buffer_argument(call->x);
    to[2] = sedge_buffer_argument(call->y);
    to[3] = sedge_buffer_argument(call->w);
    to[4] = sedge_buffer_argument(sums);
    to[5] = sedge_int64_argument(first_sum);
    to[6] = real_argument(store, call->alpha);
    to[7] = real_argument(store, beta);
}

// ---- launches ----------------------------------------------------------------------------------

static sedge_status run_fix(const sedge_sparse_store *store, const sedge_kernel *fix,
                            sedge_stream *stream, const sedge_sparse_call *call, double beta,
                            const sedge_buffer *sums, int64_t first_sum)
{
    sedge_argument arguments[3 + VECTOR_COUNT] = {sedge_buffer_argument(store->runs),
                                                  sedge_buffer_argument(store->pieces),
                                                  sedge_int64_argument(store->few)};

    vector_arguments(arguments + 3, store, call, beta, sums, first_sum);
    return sedge_launch(fix, stream, fix_blocks(store), arguments, 3 + VECTOR_COUNT);
}

// A library's product; with a dot product, into a vector of its own first.
static sedge_status run_library(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                                const sedge_sparse_programs *programs, sedge_stream *stream,
                                const sedge_sparse_call *call, const sedge_buffer *sums)
{
    const sedge_sparse_format *const format = store->layout.format;
    sedge_argument arguments[2 + VECTOR_COUNT];

    if (call->sums == NULL)
        return format->multiply(store, kernel, stream, call->alpha, call->x, call->beta, call->y);
    SEDGE_TRY(format->multiply(store, kernel, stream, 1.0, call->x, 0.0, call->product));
    arguments[0] = sedge_buffer_argument(call->product);
    arguments[1] = sedge_int64_argument(store->rows);
    vector_arguments(arguments + 2, store, call, call->beta, sums, 0);
    return sedge_launch(programs->combine, stream, main_blocks(store, kernel), arguments,
                        2 + VECTOR_COUNT);
}

// One store's kernels; `*first_sum` moves on by its parts.
static sedge_status run_store(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                              const sedge_kernel *main, const sedge_kernel *fix,
                              sedge_stream *stream, const sedge_sparse_call *call, double beta,
                              const sedge_buffer *sums, int64_t *first_sum)
{
    sedge_argument arguments[SEDGE_SPARSE_ARGUMENTS + VECTOR_COUNT];
    const int own = store->layout.format->arguments(arguments, store, kernel);

    vector_arguments(arguments + own, store, call, beta, sums, *first_sum);
    SEDGE_TRY(
        sedge_launch(main, stream, main_blocks(store, kernel), arguments, own + VECTOR_COUNT));
    *first_sum += main_blocks(store, kernel);
    if (fix == NULL) return SEDGE_OK;
    SEDGE_TRY(run_fix(store, fix, stream, call, beta, sums, *first_sum));
    *first_sum += fix_blocks(store);
    return SEDGE_OK;
}

static sedge_status run_all(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                            const sedge_sparse_programs *programs, sedge_stream *stream,
                            const sedge_sparse_call *call, const sedge_buffer *sums)
{
    double beta = call->beta;
    int64_t first_sum = 0;

    if (!store->visits_all && beta != 1.0) {
        SEDGE_TRY(SEDGE_LAUNCH(programs->scale, stream,
                               sedge_sparse_divide_up(store->all_rows, VECTOR_THREADS),
                               sedge_buffer_argument(call->y),
                               sedge_int64_argument(store->all_rows), real_argument(store, beta)));
        beta = 1.0;
    }
    if (store->rows == 0) return SEDGE_OK;
    if (store->layout.format->multiply != NULL)
        return run_library(store, kernel, programs, stream, call, sums);
    SEDGE_TRY(run_store(store, kernel, programs->main, programs->fix, stream, call, beta, sums,
                        &first_sum));
    if (store->rest == NULL || store->rest->rows == 0) return SEDGE_OK;
    return run_store(store->rest, &store->rest_kernel, programs->rest, programs->rest_fix, stream,
                     call, 1.0, sums, &first_sum);
}

static sedge_status run_gather(const sedge_sparse_store *store,
                               const sedge_sparse_programs *programs, sedge_stream *stream,
                               const sedge_buffer *x)
{
    return SEDGE_LAUNCH(
        programs->gather, stream, sedge_sparse_divide_up(store->columns_count, VECTOR_THREADS),
        sedge_buffer_argument(store->gather), sedge_buffer_argument(x),
        sedge_buffer_argument(store->gathered), sedge_int64_argument(store->columns_count));
}

sedge_status sedge_sparse_run(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                              const sedge_sparse_programs *programs, sedge_stream *stream,
                              const sedge_sparse_call *caller)
{
    sedge_sparse_call gathered = *caller;
    const sedge_sparse_call *const call = &gathered;

    if (store->columns_count > 0 && store->rows > 0) {
        SEDGE_TRY(run_gather(store, programs, stream, caller->x));
        if (store->layout.order != SEDGE_SPARSE_AS_THEY_COME) gathered.x = store->gathered;
    }
    if (call->sums == NULL) return run_all(store, kernel, programs, stream, call, NULL);
    const int64_t parts = store->rows > 0 ? sedge_sparse_parts(store, kernel) : 0;
    const bool direct = parts > 0 && parts <= SEDGE_SPARSE_SUMS;
    SEDGE_TRY(run_all(store, kernel, programs, stream, call, direct ? call->sums : call->parts));
    if (direct) return SEDGE_OK;
    return SEDGE_LAUNCH(programs->sums, stream, sedge_sparse_sums_of(parts),
                        sedge_buffer_argument(call->parts), sedge_buffer_argument(call->sums),
                        sedge_int64_argument(parts), sedge_int64_argument(sums_chunk(parts)));
}
