// Scans of arrays.
#include "reduce/scan.h"

#include "array/shared.h"
#include "array/strided.h"
#include "elementwise/copy.h"
#include "program/launch.h"
#include "text/template.h"

#include <assert.h>
#include <string.h>

// ---- layout ------------------------------------------------------------------------------------

// A GPU with the chained form: tiles of 104 KiB, a third of them in registers and the rest in the
// block's memory, three blocks a multiprocessor; where packs of elements do not have 16 bytes, 64
// KiB in registers, in segments half as much, for the marks, and two blocks. The best of those
// tried on an H200 (benchmarks/MEASUREMENTS.md).
// In phases: rows for the host's loops, or such that a tile and the sums of its rows fit into 8
// KiB. No number is tuned at run time, and so the bits of a sum never depend on a measurement.
typedef struct scan_rule {
    int threads;  // of a block: a multiple of 32; in phases rows of a tile
    int bytes;    // that a thread holds in registers, and
    int staged;   // 16 bytes each, in the block's memory, where elements fit: a multiple of 3 or 4
    int resident; // threads that fit into a multiprocessor
    int items;    // in phases: elements of a row,
    int tiles;    // tiles of a block,
    int chains;   // rows that the host scans at once
} scan_rule;

static const scan_rule staged = {256, 128, 18, 768, 0, 0, 0};
static const scan_rule chained = {256, 256, 0, 512, 0, 0, 0};
static const scan_rule host_phases = {16, 0, 0, 0, 256, 8, 8};
static const scan_rule phases = {64, 0, 0, 0, 8, 32, 1};
enum { BLOCK_BYTES = 4096 };

static int64_t scratch_bytes(const scan_rule *rule)
{
    return (int64_t)rule->threads * rule->staged * 16;
}

void sedge_scan_shape_make(sedge_scan_shape *out, sedge_device_kind kind,
                           const sedge_formula *formula, bool exclusive, sedge_type start,
                           bool segmented, bool aligned, int64_t scratch)
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
    out->chained = sedge_traits_of(kind)->blocks_meet;
    if (out->chained) {
        // Of smaller items more would lie in registers, one each.
        const bool fits = !segmented && aligned && item == bytes && result <= bytes && item >= 4;
        const scan_rule *const rule =
            fits && scratch_bytes(&staged) <= scratch ? &staged : &chained;
        out->threads = rule->threads;
        out->staged = rule->staged;
        out->commutes = formula->number == SEDGE_SUM || formula->number == SEDGE_PRODUCT;
        out->scratch = scratch_bytes(rule);
        out->pack = aligned ? 16 / widest : 1;
        const int held = item > 4 ? item : 4;
        out->packs = rule->bytes / (held * out->pack);
        out->resident = rule->resident;
        if (out->packs < 1) out->packs = 1;
        if (out->packs > 16) out->packs = 16;
        out->tile = (int64_t)out->threads * out->pack * (out->packs + out->staged);
    } else {
        const bool host = sedge_traits_of(kind)->in_call;
        const scan_rule *const rule = host ? &host_phases : &phases;
        out->threads = rule->threads;
        out->items = rule->items;
        while (!host && out->items * out->threads * item > BLOCK_BYTES) out->items /= 2;
        out->tiles = rule->tiles;
        out->chains = rule->chains;
        out->tile = (int64_t)out->threads * out->items * out->tiles;
    }
}

// ---- programs ----------------------------------------------------------------------------------

static const char scan_map[] = "SEDGE_FUNCTION formula_state scan_map(const formula_value x, "
                               "sedge_int64 i)\n{\n    (void)i;\n    return (";

static sedge_status write_types(sedge_text *out, const sedge_scan_shape *shape,
                                const sedge_formula *formula)
{
    const int state_bytes = formula->state_bytes * (shape->segmented ? 2 : 1);
    const sedge_binding values[] = {
        SEDGE_BIND_INTEGER("exclusive", shape->exclusive),
        SEDGE_BIND_INTEGER("segmented", shape->segmented),
        SEDGE_BIND_INTEGER("threads", shape->threads),
        SEDGE_BIND_INTEGER("chained", shape->chained),
        SEDGE_BIND_INTEGER("pack", shape->pack),
        SEDGE_BIND_INTEGER("packs", shape->packs),
        SEDGE_BIND_INTEGER("resident", shape->resident),
        SEDGE_BIND_INTEGER("staged", shape->staged),
        SEDGE_BIND_INTEGER("commutes", shape->commutes),
        SEDGE_BIND_INTEGER("joint_items", state_bytes <= 8),
        SEDGE_BIND_INTEGER("items", shape->items),
        SEDGE_BIND_INTEGER("tiles", shape->tiles),
        SEDGE_BIND_INTEGER("chains", shape->chains),
        SEDGE_BIND_TEXT("start", shape->segmented ? sedge_type_word((sedge_type)shape->start) : ""),
        SEDGE_BIND_TEXT("value", sedge_type_word(formula->element)),
        SEDGE_BIND_TEXT("result", sedge_type_word(formula->result)),
        SEDGE_BIND_TEXT("state", formula->state),
    };
    const sedge_pattern pattern = {.name = "codegen/kernels/reduce/scan_types.h",
                                   .bindings = values,
                                   .count = sizeof values / sizeof *values};

    return sedge_template_write(out, &pattern);
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

// ---- cached kernels ----------------------------------------------------------------------------

// Contiguous arrays of one size.
typedef struct scan_call {
    const sedge_array *array, *starts; // starts NULL: none
    const sedge_formula *formula;
    bool exclusive;
} scan_call;

static sedge_status make_kernels(sedge_cached_kernel *out, const scan_call *call,
                                 const sedge_scan_shape *shape)
{
    const sedge_program *program;
    sedge_status status;
    sedge_text *types = NULL;
    sedge_formula_sources sources;

    SEDGE_TRY_GOTO(status, sedge_text_create(&types));
    SEDGE_TRY_GOTO(status, write_types(types, shape, call->formula));
    make_sources(&sources, shape, call->formula, types);
    SEDGE_TRY_GOTO(status, sedge_context_program(call->array->context, &program, &sources.options));
    SEDGE_TRY_GOTO(status, sedge_program_get(&out->kernel[0], program, "sedge_scan"));
    if (shape->chained) {
        SEDGE_TRY_GOTO(status, sedge_kernel_set_scratch(out->kernel[0], shape->scratch));
    } else {
        SEDGE_TRY_GOTO(status, sedge_program_get(&out->kernel[1], program, "sedge_scan_totals"));
        SEDGE_TRY_GOTO(status, sedge_program_get(&out->kernel[2], program, "sedge_scan_offsets"));
    }
done:
    sedge_text_free(types);
    return status;
}

static sedge_status get_kernels(const sedge_cached_kernel **out, const scan_call *call,
                                const sedge_scan_shape *shape)
{
    sedge_kernel_table *const table = sedge_context_kernels(call->array->context);
    static const char tag[4] = {'s', 'c', 'a', 'n'};
    unsigned char key[sizeof tag + sizeof *shape + SEDGE_FORMULA_KEY];
    sedge_cached_kernel made = {.tuned = 0};

    memcpy(key, tag, sizeof tag);
    memcpy(key + sizeof tag, shape, sizeof *shape);
    int bytes = (int)(sizeof tag + sizeof *shape);
    bytes += sedge_formula_key(key + bytes, call->formula);
    *out = sedge_cached_kernel_find(table, key, bytes);
    if (*out != NULL) return SEDGE_OK;
    SEDGE_TRY(make_kernels(&made, call, shape));
    return sedge_cached_kernel_keep(out, table, key, bytes, &made);
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
} scan_launch;

// A flag and a sum for each tile and each group of tiles (codegen/kernels/reduce/scan_chained.h).
static sedge_status launch_chained(scan_launch *call)
{
    const int threads = call->shape->threads;
    const int64_t places = call->blocks + (call->blocks + threads - 1) / threads;
    void *block;
    int epoch;
    sedge_buffer *flags, *sums;
    sedge_status status;

    SEDGE_TRY(sedge_context_flags(call->context, 16 * places, &flags, &epoch));
    SEDGE_TRY(sedge_pool_take(sedge_context_memory(call->context), places * call->item_bytes,
                              &block, &sums));
    call->arguments[call->count++] = sedge_buffer_argument(flags);
    call->arguments[call->count++] = sedge_buffer_argument(sums);
    call->arguments[call->count++] = sedge_int64_argument(call->blocks);
    call->arguments[call->count++] = sedge_int32_argument(epoch);
    status = sedge_launch(call->cached->kernel[0], sedge_context_stream(call->context),
                          call->blocks, call->arguments, call->count);
    sedge_pool_give(sedge_context_memory(call->context), block);
    return status;
}

static sedge_status launch_phases(scan_launch *call)
{
    sedge_stream *const stream = sedge_context_stream(call->context);
    void *block;
    sedge_buffer *totals;
    sedge_status status;

    SEDGE_TRY(sedge_pool_take(sedge_context_memory(call->context), call->blocks * call->item_bytes,
                              &block, &totals));
    call->arguments[call->count++] = sedge_buffer_argument(totals);
    SEDGE_TRY_GOTO(status, sedge_launch(call->cached->kernel[1], stream, call->blocks,
                                        call->arguments, call->count));
    SEDGE_TRY_GOTO(status,
                   SEDGE_LAUNCH(call->cached->kernel[2], stream, 1, sedge_buffer_argument(totals),
                                sedge_int64_argument(call->blocks)));
    SEDGE_TRY_GOTO(status, sedge_launch(call->cached->kernel[0], stream, call->blocks,
                                        call->arguments, call->count));
done:
    sedge_pool_give(sedge_context_memory(call->context), block);
    return status;
}

static sedge_status scan(sedge_array *to, const scan_call *call)
{
    sedge_context *const context = to->context;
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(context));
    const bool segmented = call->starts != NULL;
    const int64_t size = sedge_array_size(call->array);
    const int state_bytes = call->formula->state_bytes;
    sedge_scan_shape shape;
    scan_launch now = {.context = context, .shape = &shape};

    if (size == 0) return SEDGE_OK;
    sedge_scan_shape_make(&shape, info->kind, call->formula, call->exclusive,
                          segmented ? call->starts->type : SEDGE_INT8, segmented,
                          sedge_array_address(call->array) % 16 == 0, info->shared_bytes_block);
    SEDGE_TRY(get_kernels(&now.cached, call, &shape));
    now.blocks = (size + shape.tile - 1) / shape.tile;
    // With its mark and padding, at most twice the state, and 8 bytes where that is small.
    now.item_bytes = (int64_t)2 * (state_bytes > 4 ? state_bytes : 4);
    now.arguments[now.count++] = sedge_address_argument(sedge_array_address(call->array));
    now.arguments[now.count++] = sedge_address_argument(sedge_array_address(to));
    now.arguments[now.count++] = sedge_int64_argument(size);
    if (segmented)
        now.arguments[now.count++] = sedge_address_argument(sedge_array_address(call->starts));
    return shape.chained ? launch_chained(&now) : launch_phases(&now);
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
                             const sedge_array *starts)
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
    const scan_call call = {array, starts, formula, exclusive};
    SEDGE_TRY_GOTO(status, scan(to, &call));
    *out = to;
    to = NULL;
done:
    sedge_array_free(to);
    sedge_array_free(straight_starts);
    sedge_array_free(straight);
    return status;
}

sedge_status sedge_array_scan(sedge_array **out, const sedge_array *array,
                              sedge_scan_operation operation, bool exclusive,
                              const sedge_array *starts)
{
    static const sedge_reduction reductions[] = {SEDGE_SUM, SEDGE_PRODUCT, SEDGE_MIN, SEDGE_MAX};
    sedge_formula formula;

    *out = NULL;
    assert(operation >= SEDGE_SCAN_SUM && operation <= SEDGE_SCAN_MAX);
    sedge_formula_make(&formula, reductions[operation], array->type);
    return scan_any(out, array, &formula, exclusive, starts);
}

sedge_status sedge_array_scan_text(sedge_array **out, const sedge_array *array,
                                   const sedge_reduction_text *text, bool exclusive,
                                   const sedge_array *starts)
{
    sedge_formula formula;

    *out = NULL;
    sedge_formula_own(&formula, text, array->type);
    return scan_any(out, array, &formula, exclusive, starts);
}
