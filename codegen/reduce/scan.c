// Scans of arrays.
#include "reduce/scan.h"

#include "array/shared.h"
#include "array/strided.h"
#include "elementwise/copy.h"

#include <assert.h>
#include <string.h>

// ---- layout ------------------------------------------------------------------------------------

// A GPU with the chained form: tiles of 104 KiB, a third of them in registers and the rest in the
// block's memory, three blocks a multiprocessor; where packs of elements do not have 16 bytes, 64
// KiB in registers, in segments half as much, for the marks, and two blocks. The best of those
// tried on an H200 (benchmarks/README.md).
// In phases: rows for the host's loops, or such that a tile and the sums of its rows fit into 8
// KiB.
static const sedge_scan_tuning staged = {256, 128, 18, 768, 0, 0, 0, 0};
static const sedge_scan_tuning chained = {256, 256, 0, 512, 0, 0, 0, 0};
static const sedge_scan_tuning host_phases = {16, 0, 0, 0, 0, 256, 8, 8};
static const sedge_scan_tuning phases = {64, 0, 0, 0, 0, 8, 32, 1};
enum { BLOCK_BYTES = 4096 };

static int64_t scratch_bytes(const sedge_scan_tuning *tuning)
{
    return (int64_t)tuning->threads * tuning->staged * 16;
}

void sedge_scan_shape_make(sedge_scan_shape *out, sedge_device_kind kind,
                           const sedge_formula *formula, bool exclusive, sedge_type start,
                           bool segmented, bool aligned, int64_t scratch,
                           const sedge_scan_tuning *tuning)
{
    const int bytes = sedge_type_bytes(formula->element);
    const int result = sedge_type_bytes(formula->result);
    const int item = segmented ? 2 * formula->state_bytes : formula->state_bytes;
    const int widest = result > bytes ? result : bytes;

    memset(out, 0, sizeof *out);
    out->exclusive = exclusive;
    out->segmented = segmented;
    out->start = segmented ? (int)start : -1;
    out->element = (int)formula->element;
    out->chained = kind == SEDGE_DEVICE_CUDA;
    assert(tuning == NULL || tuning->staged % 3 == 0 || tuning->staged % 4 == 0); // SCAN_CHUNK
    if (out->chained) {
        // Of smaller items more would lie in registers, one each.
        const bool fits = !segmented && aligned && item == bytes && result <= bytes && item >= 4;
        if (tuning == NULL) tuning = fits ? &staged : &chained;
        if (tuning->staged > 0 && (!fits || scratch_bytes(tuning) > scratch)) tuning = &chained;
        out->threads = tuning->threads;
        out->staged = tuning->staged;
        out->commutes = formula->number == SEDGE_SUM || formula->number == SEDGE_PRODUCT;
        out->scratch = scratch_bytes(tuning);
        out->pack = aligned ? 16 / widest : 1;
        const int held = item > 4 ? item : 4;
        out->packs = tuning->bytes / (held * out->pack);
        out->resident = tuning->resident;
        out->cached = tuning->cached;
        if (out->packs < 1) out->packs = 1;
        if (out->packs > 16) out->packs = 16;
        out->tile = (int64_t)out->threads * out->pack * (out->packs + out->staged);
    } else {
        const bool host = kind == SEDGE_DEVICE_HOST;
        if (tuning == NULL) tuning = host ? &host_phases : &phases;
        out->threads = tuning->threads;
        out->items = tuning->items;
        while (!host && out->items * out->threads * item > BLOCK_BYTES) out->items /= 2;
        out->tiles = tuning->tiles;
        out->chains = tuning->chains;
        out->tile = (int64_t)out->threads * out->items * out->tiles;
    }
}

const sedge_scan_tuning *sedge_scan_rule(sedge_device_kind kind, const sedge_scan_shape *shape)
{
    if (kind == SEDGE_DEVICE_HOST) return &host_phases;
    if (kind == SEDGE_DEVICE_OPENCL) return &phases;
    return shape->staged > 0 ? &staged : &chained;
}

// ---- programs ----------------------------------------------------------------------------------

static const char scan_map[] = "SEDGE_FUNCTION formula_state scan_map(const formula_value x, "
                               "sedge_int64 i)\n{\n    (void)i;\n    return (";

static sedge_status write_types(sedge_text *out, const sedge_scan_shape *shape,
                                const sedge_formula *formula)
{
    SEDGE_TRY(sedge_text_add(out,
                             "#define SCAN_EXCLUSIVE %d\n#define SCAN_SEGMENTED %d\n"
                             "#define SCAN_THREADS   %d\n",
                             shape->exclusive, shape->segmented, shape->threads));
    if (shape->chained) {
        SEDGE_TRY(sedge_text_add(out,
                                 "#define SCAN_PACK      %d\n#define SCAN_PACKS     %d\n"
                                 "#define SCAN_RESIDENT  %d\n#define SCAN_STAGED    %d\n"
                                 "#define SCAN_COMMUTES  %d\n"
                                 "#define SCAN_CACHED    %d\n#define SCAN_JOINT_ITEMS %d\n",
                                 shape->pack, shape->packs, shape->resident, shape->staged,
                                 shape->commutes, shape->cached,
                                 formula->state_bytes * (shape->segmented ? 2 : 1) <= 8));
    } else {
        SEDGE_TRY(sedge_text_add(out,
                                 "#define SCAN_ITEMS     %d\n#define SCAN_TILES     %d\n"
                                 "#define SCAN_CHAINS    %d\n",
                                 shape->items, shape->tiles, shape->chains));
    }
    if (shape->segmented) {
        SEDGE_TRY(sedge_text_add(out, "typedef %s scan_start;\n",
                                 sedge_type_word((sedge_type)shape->start)));
    }
    return sedge_formula_types_write(out, formula);
}

// Keeps `types`.
static void make_sources(sedge_formula_sources *out, const sedge_scan_shape *shape,
                         const sedge_formula *formula, const sedge_text *types)
{
    sedge_formula_sources_make(out, formula, "scan", sedge_text_get(types), scan_map,
                               "codegen/kernels/reduce/scan.h");
    out->source[out->options.count++] =
        (sedge_source){shape->chained ? "codegen/kernels/reduce/scan_chained.h"
                                      : "codegen/kernels/reduce/scan_phases.h",
                       NULL};
}

sedge_status sedge_scan_program_write(sedge_text *out, sedge_device_kind kind,
                                      const sedge_scan_shape *shape, const sedge_formula *formula)
{
    sedge_status status;
    sedge_text *types = NULL;
    sedge_formula_sources sources;

    SEDGE_TRY_GOTO(status, sedge_text_create(&types));
    SEDGE_TRY_GOTO(status, write_types(types, shape, formula));
    make_sources(&sources, shape, formula, types);
    SEDGE_TRY_GOTO(status, sedge_program_write(out, kind, &sources.options));
done:
    sedge_text_free(types);
    return status;
}

sedge_status sedge_scan_kernels(sedge_cached_kernel *out, const sedge_scan_call *call,
                                const sedge_scan_shape *shape, const sedge_program *program)
{
    sedge_status status;
    sedge_text *types = NULL;
    sedge_formula_sources sources;

    if (program == NULL) {
        SEDGE_TRY_GOTO(status, sedge_text_create(&types));
        SEDGE_TRY_GOTO(status, write_types(types, shape, call->formula));
        make_sources(&sources, shape, call->formula, types);
        SEDGE_TRY_GOTO(status,
                       sedge_context_program(call->array->context, &program, &sources.options));
    }
    SEDGE_TRY_GOTO(status, sedge_program_get(&out->kernel[0], program, "sedge_scan"));
    if (shape->chained) {
        SEDGE_TRY_GOTO(status, sedge_kernel_set_scratch(out->kernel[0], shape->scratch));
    } else {
        SEDGE_TRY_GOTO(status, sedge_program_get(&out->kernel[1], program, "sedge_scan_totals"));
        SEDGE_TRY_GOTO(status, sedge_program_get(&out->kernel[2], program, "sedge_scan_offsets"));
    }
    out->threads = shape->threads;
    out->items = shape->tile;
done:
    sedge_text_free(types);
    return status;
}

typedef struct scan_key {
    int bytes;
    unsigned char at[6 + sizeof(sedge_scan_shape) + SEDGE_FORMULA_KEY];
} scan_key;

static void make_key(scan_key *key, const char tag[6], const sedge_scan_shape *shape,
                     const sedge_formula *formula)
{
    memcpy(key->at, tag, 6);
    memcpy(key->at + 6, shape, sizeof *shape);
    key->bytes = (int)(6 + sizeof *shape);
    key->bytes += sedge_formula_key(key->at + key->bytes, formula);
}

static sedge_status get_kernel(const sedge_cached_kernel **out, const sedge_scan_call *call,
                               const sedge_scan_shape *shape)
{
    sedge_context *const context = call->array->context;
    scan_key key;

    make_key(&key, "scan  ", shape, call->formula);
    *out = sedge_cached_kernel_find(sedge_context_kernels(context), key.at, key.bytes);
    if (*out != NULL) return SEDGE_OK;

    sedge_cached_kernel cached = {.tuned = 0};
    SEDGE_TRY(sedge_scan_kernels(&cached, call, shape, NULL));
    return sedge_cached_kernel_keep(out, sedge_context_kernels(context), key.at, key.bytes,
                                    &cached);
}

// The shape by the rule or, where arrays are large, by what the tuner chooses at their first use.
static sedge_status make_shape(sedge_scan_shape *shape, const sedge_scan_call *call)
{
    sedge_context *const context = call->array->context;
    const sedge_device *const device = sedge_context_device(context);
    sedge_scan_tuning tunings[SEDGE_SCAN_TUNINGS];
    char title[SEDGE_KERNEL_TITLE];
    scan_key key;
    int choice;

    sedge_scan_call_shape(shape, call, NULL);
    if (sedge_array_size(call->array) < SEDGE_TUNED_ELEMENTS) return SEDGE_OK;
    make_key(&key, "choice", shape, call->formula);
    const sedge_cached_kernel *found =
        sedge_cached_kernel_find(sedge_context_kernels(context), key.at, key.bytes);
    if (found != NULL && found->tuned == 1) return SEDGE_OK;
    const int count =
        sedge_scan_tunings(tunings, sedge_device_get_info(device)->kind, shape, call->formula);
    if (found == NULL) {
        sedge_cached_kernel_title(title, "scan", key.at, key.bytes);
        SEDGE_TRY(sedge_scan_tune(&choice, call, tunings, count, title));
        const sedge_cached_kernel chosen = {.tuned = 1 + choice};
        SEDGE_TRY(sedge_cached_kernel_keep(&found, sedge_context_kernels(context), key.at,
                                           key.bytes, &chosen));
    }
    if (found->tuned > 1) sedge_scan_call_shape(shape, call, &tunings[found->tuned - 1]);
    return SEDGE_OK;
}

// ---- launching ---------------------------------------------------------------------------------

typedef struct scan_launch {
    sedge_context *context;
    const sedge_cached_kernel *cached;
    const sedge_scan_shape *shape;
    sedge_argument arguments[8]; // of the kernel that scans
    int count;
    int64_t blocks;
    int64_t item_bytes; // of what is combined, in the kernel
    sedge_stream *stream;
} scan_launch;

int64_t sedge_scan_records(const sedge_scan_shape *shape, int64_t size)
{
    const int64_t blocks = (size + shape->tile - 1) / shape->tile;

    return blocks + (blocks + shape->threads - 1) / shape->threads;
}

// Records and sums of tiles and groups (codegen/kernels/reduce/scan_chained.h).
static sedge_status launch_chained(scan_launch *call, int64_t records)
{
    void *block;
    int epoch;
    sedge_buffer *ready, *sums;
    sedge_status status;

    SEDGE_TRY(sedge_context_flags(call->context, 16 * records, &ready, &epoch));
    SEDGE_TRY(sedge_pool_take(sedge_context_memory(call->context), records * call->item_bytes,
                              &block, &sums));
    call->arguments[call->count++] = sedge_buffer_argument(ready);
    call->arguments[call->count++] = sedge_buffer_argument(sums);
    call->arguments[call->count++] = sedge_int64_argument(call->blocks);
    call->arguments[call->count++] = sedge_int32_argument(epoch);
    status = sedge_launch(call->cached->kernel[0], call->stream, call->blocks, call->arguments,
                          call->count);
    sedge_pool_give(sedge_context_memory(call->context), block);
    return status;
}

static sedge_status launch_phases(scan_launch *call)
{
    void *block;
    sedge_buffer *totals;
    sedge_status status;

    SEDGE_TRY(sedge_pool_take(sedge_context_memory(call->context), call->blocks * call->item_bytes,
                              &block, &totals));
    call->arguments[call->count++] = sedge_buffer_argument(totals);
    SEDGE_TRY_GOTO(status, sedge_launch(call->cached->kernel[1], call->stream, call->blocks,
                                        call->arguments, call->count));
    SEDGE_TRY_GOTO(status,
                   SEDGE_LAUNCH(call->cached->kernel[2], call->stream, 1,
                                sedge_buffer_argument(totals), sedge_int64_argument(call->blocks)));
    SEDGE_TRY_GOTO(status, sedge_launch(call->cached->kernel[0], call->stream, call->blocks,
                                        call->arguments, call->count));
done:
    sedge_pool_give(sedge_context_memory(call->context), block);
    return status;
}

sedge_status sedge_scan_launch(const sedge_scan_call *call, const sedge_scan_shape *shape,
                               const sedge_cached_kernel *cached, uint64_t to, sedge_stream *stream)
{
    const int64_t size = sedge_array_size(call->array);
    const int state_bytes = call->formula->state_bytes;
    scan_launch now = {.context = call->array->context,
                       .cached = cached,
                       .shape = shape,
                       .blocks = (size + shape->tile - 1) / shape->tile,
                       .stream = stream};

    // With its mark and padding, at most twice the state, and 8 bytes where that is small.
    now.item_bytes = (int64_t)2 * (state_bytes > 4 ? state_bytes : 4);
    now.arguments[now.count++] = sedge_address_argument(sedge_array_address(call->array));
    now.arguments[now.count++] = sedge_address_argument(to);
    now.arguments[now.count++] = sedge_int64_argument(size);
    if (call->starts != NULL)
        now.arguments[now.count++] = sedge_address_argument(sedge_array_address(call->starts));
    return shape->chained ? launch_chained(&now, sedge_scan_records(shape, size))
                          : launch_phases(&now);
}

void sedge_scan_call_shape(sedge_scan_shape *out, const sedge_scan_call *call,
                           const sedge_scan_tuning *tuning)
{
    const sedge_device *const device = sedge_context_device(call->array->context);
    const sedge_device_info *const info = sedge_device_get_info(device);
    const bool segmented = call->starts != NULL;

    sedge_scan_shape_make(out, info->kind, call->formula, call->exclusive,
                          segmented ? call->starts->type : SEDGE_INT8, segmented,
                          sedge_array_address(call->array) % 16 == 0, info->shared_bytes_block,
                          tuning);
}

static sedge_status scan(sedge_array *to, const sedge_scan_call *call,
                         const sedge_scan_tuning *tuning)
{
    sedge_scan_shape shape;
    const sedge_cached_kernel *cached;

    if (sedge_array_size(call->array) == 0) return SEDGE_OK;
    if (tuning != NULL) {
        sedge_scan_call_shape(&shape, call, tuning);
    } else {
        SEDGE_TRY(make_shape(&shape, call));
    }
    SEDGE_TRY(get_kernel(&cached, call, &shape));
    return sedge_scan_launch(call, &shape, cached, sedge_array_address(to),
                             sedge_context_stream(to->context));
}

// ---- calls -------------------------------------------------------------------------------------

static sedge_status check_starts(const sedge_array *array, const sedge_array *starts)
{
    if (starts == NULL) return SEDGE_OK;
    if (starts->context != array->context)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "a scan of an array and starts of another context");
    if (!sedge_type_is_integer(starts->type)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "starts of segments are %s: an integer type is needed",
                          sedge_type_name(starts->type));
    }
    if (sedge_array_size(starts) != sedge_array_size(array)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%lld starts of segments for %lld elements",
                          (long long)sedge_array_size(starts), (long long)sedge_array_size(array));
    }
    return SEDGE_OK;
}

static sedge_status scan_any(sedge_array **out, const sedge_array *array,
                             const sedge_formula *formula, bool exclusive,
                             const sedge_array *starts, const sedge_scan_tuning *tuning)
{
    sedge_status status;
    sedge_array *to = NULL, *straight = NULL, *straight_starts = NULL;

    SEDGE_TRY(check_starts(array, starts));
    if (!sedge_array_is_contiguous(array)) {
        SEDGE_TRY_GOTO(status, sedge_array_convert(&straight, array, array->type));
        array = straight;
    }
    if (starts != NULL && !sedge_array_is_contiguous(starts)) {
        SEDGE_TRY_GOTO(status, sedge_array_convert(&straight_starts, starts, starts->type));
        starts = straight_starts;
    }
    SEDGE_TRY_GOTO(
        status, sedge_array_vector(&to, array->context, formula->result, sedge_array_size(array)));
    const sedge_scan_call call = {array, starts, formula, exclusive};
    SEDGE_TRY_GOTO(status, scan(to, &call, tuning));
    *out = to;
    to = NULL;
done:
    sedge_array_free(to);
    sedge_array_free(straight_starts);
    sedge_array_free(straight);
    return status;
}

sedge_status sedge_array_scan_as(sedge_array **out, const sedge_array *array,
                                 sedge_scan_operation operation, bool exclusive,
                                 const sedge_array *starts, const sedge_scan_tuning *tuning)
{
    static const sedge_reduction reductions[] = {SEDGE_SUM, SEDGE_PRODUCT, SEDGE_MIN, SEDGE_MAX};
    sedge_formula formula;

    *out = NULL;
    assert(operation >= SEDGE_SCAN_SUM && operation <= SEDGE_SCAN_MAX);
    sedge_formula_make(&formula, reductions[operation], array->type);
    return scan_any(out, array, &formula, exclusive, starts, tuning);
}

sedge_status sedge_array_scan(sedge_array **out, const sedge_array *array,
                              sedge_scan_operation operation, bool exclusive,
                              const sedge_array *starts)
{
    return sedge_array_scan_as(out, array, operation, exclusive, starts, NULL);
}

sedge_status sedge_array_scan_text(sedge_array **out, const sedge_array *array,
                                   const sedge_reduction_text *text, bool exclusive,
                                   const sedge_array *starts)
{
    sedge_formula formula;

    *out = NULL;
    sedge_formula_own(&formula, text, array->type);
    return scan_any(out, array, &formula, exclusive, starts, NULL);
}
