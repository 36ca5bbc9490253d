// Which of a scan's numbers are tuned at run time.
//
// As with sums (reduce_tune.c), only those that leave the order of combination as it is. Chained, a
// tile's sum is made of rows of a pack a thread, one after the other, and so is what comes before
// each row: it follows from the threads, the pack and the number of a tile's rows. It does not from
//
//   bytes, staged   which rows lie in registers and which in the block's memory, while there are as
//                   many and some are staged; how many are looked at at once
//   resident        the registers
//   cached          what caches are told
//
// In phases it follows from the rows of a tile, their elements and the tiles of a block, and not
// from `chains`. With OpenCL all is fixed by that. Where any order gives the same bits, as with
// integers, tiles of other sizes are tried, too. Complex products and the user's formulas have the
// rule alone: the compiler may fuse products and sums in another way.
#include "array/shared.h"
#include "array/strided.h"
#include "base/memory.h"
#include "reduce/scan.h"

#include <stdio.h>

// ---- candidates --------------------------------------------------------------------------------

// 26 rows of 16 bytes a thread as the rule has them: the registers' and the others, the threads.
static const sedge_scan_tuning staged[] = {
    {256, 96, 20, 768, 0, 0, 0, 0},  {256, 176, 15, 768, 0, 0, 0, 0},
    {256, 80, 21, 512, 0, 0, 0, 0},  {256, 224, 12, 512, 0, 0, 0, 0},
    {256, 160, 16, 768, 0, 0, 0, 0}, {256, 128, 18, 512, 0, 0, 0, 0},
    {256, 128, 18, 768, 1, 0, 0, 0},
};
static const sedge_scan_tuning chained[] = {
    {256, 256, 0, 256, 0, 0, 0, 0}, {256, 256, 0, 512, 1, 0, 0, 0}, {256, 256, 0, 256, 1, 0, 0, 0}};
static const sedge_scan_tuning host_phases[] = {
    {16, 0, 0, 0, 0, 256, 8, 4}, {16, 0, 0, 0, 0, 256, 8, 16}, {16, 0, 0, 0, 0, 256, 8, 2}};

// Only where each order gives the same bits.
static const sedge_scan_tuning chained_any[] = {
    {128, 256, 0, 512, 0, 0, 0, 0}, {256, 128, 0, 768, 0, 0, 0, 0}, {512, 128, 0, 512, 0, 0, 0, 0}};
static const sedge_scan_tuning host_any[] = {
    {16, 0, 0, 0, 0, 512, 8, 8}, {16, 0, 0, 0, 0, 256, 32, 8}, {16, 0, 0, 0, 0, 128, 8, 8}};
static const sedge_scan_tuning opencl_any[] = {
    {64, 0, 0, 0, 0, 8, 8, 1}, {128, 0, 0, 0, 0, 4, 32, 1}, {32, 0, 0, 0, 0, 16, 32, 1}};

#define LENGTH(list) ((int)(sizeof(list) / sizeof(list)[0]))

static int add_all(sedge_scan_tuning *tunings, int count, const sedge_scan_tuning *list, int length)
{
    for (int k = 0; k < length; k++) tunings[count++] = list[k];
    return count;
}

int sedge_scan_tunings(sedge_scan_tuning tunings[SEDGE_SCAN_TUNINGS], sedge_device_kind kind,
                       const sedge_scan_shape *shape, const sedge_formula *formula)
{
    const bool any_order = sedge_formula_any_order(formula);
    int count = 0;

    tunings[count++] = *sedge_scan_rule(kind, shape);
    if (sedge_formula_may_fuse(formula)) return count;
    switch (kind) {
    case SEDGE_DEVICE_CUDA:
        count = shape->staged > 0 ? add_all(tunings, count, staged, LENGTH(staged))
                                  : add_all(tunings, count, chained, LENGTH(chained));
        if (any_order) count = add_all(tunings, count, chained_any, LENGTH(chained_any));
        break;
    case SEDGE_DEVICE_HOST:
        count = add_all(tunings, count, host_phases, LENGTH(host_phases));
        if (any_order) count = add_all(tunings, count, host_any, LENGTH(host_any));
        break;
    case SEDGE_DEVICE_OPENCL:
        if (any_order) count = add_all(tunings, count, opencl_any, LENGTH(opencl_any));
        break;
    }
    return count;
}

void sedge_scan_tuning_name(char *name, size_t size, const sedge_scan_tuning *tuning)
{
    (void)snprintf(name, size, "t%d b%d s%d r%d c%d i%d n%d h%d", tuning->threads, tuning->bytes,
                   tuning->staged, tuning->resident, tuning->cached, tuning->items, tuning->tiles,
                   tuning->chains);
}

// ---- the trial ---------------------------------------------------------------------------------

typedef struct trial {
    sedge_trial tuner;
    const sedge_scan_call *call;
    sedge_scan_shape shape[SEDGE_SCAN_TUNINGS];
    void *block; // of the pool: the result
    sedge_buffer *to;
} trial;

static sedge_status write_program(void *owner, int candidate, sedge_text *out)
{
    const trial *const t = owner;
    const sedge_device *const device = sedge_context_device(t->call->array->context);
    sedge_scan_shape shape = t->shape[candidate < 0 ? 0 : candidate];

    if (candidate < 0)
        shape.resident = shape.cached = shape.chains = shape.staged = shape.packs = 0;
    return sedge_scan_program_write(out, sedge_device_get_info(device)->kind, &shape,
                                    t->call->formula);
}

static sedge_status launch(void *owner, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    const trial *const t = owner;
    sedge_cached_kernel cached = {.tuned = 0};

    SEDGE_TRY(sedge_scan_kernels(&cached, t->call, &t->shape[candidate], program));
    return sedge_scan_launch(t->call, &t->shape[candidate], &cached, sedge_buffer_address(t->to),
                             stream);
}

static sedge_status run_rule(void *owner)
{
    return launch(owner, 0, NULL, NULL);
}

static void shape_all(trial *t, const sedge_scan_tuning *tunings, int count)
{
    t->tuner.count = count;
    for (int c = 0; c < count; c++) {
        sedge_scan_call_shape(&t->shape[c], t->call, &tunings[c]);
        sedge_scan_tuning_name(t->tuner.name[c], SEDGE_TRIAL_NAME, &tunings[c]);
        t->tuner.candidate[c].threads = t->shape[c].threads;
        t->tuner.candidate[c].shared_bytes = t->shape[c].scratch;
        if (t->shape[c].staged != tunings[c].staged)
            t->tuner.candidate[c].refused = "needs more of a block's memory";
    }
}

// A second result; and records for whoever needs most of them, for those that are there are given
// back only behind the work of the context's stream.
static sedge_status take_scratch(trial *t, int64_t bytes, bool *possible)
{
    sedge_context *const context = t->tuner.context;
    int64_t most = 0;
    sedge_buffer *records;
    int epoch;

    *possible = true;
    if (sedge_context_tuning(context) == SEDGE_TUNE_OFF) return SEDGE_OK;
    for (int c = 0; c < t->tuner.count && t->shape[c].chained; c++) {
        const int64_t needed = sedge_scan_records(&t->shape[c], t->tuner.elements);
        if (needed > most) most = needed;
    }
    if (most > 0) SEDGE_TRY(sedge_context_flags(context, 16 * most, &records, &epoch));
    SEDGE_TRY(sedge_trial_take(context, bytes, &t->block, &t->to, possible));
    t->tuner.outputs = 1;
    t->tuner.output[0] = (sedge_trial_output){.buffer = t->to, .bytes = bytes};
    return SEDGE_OK;
}

sedge_status sedge_scan_tune(int *choice, const sedge_scan_call *call,
                             const sedge_scan_tuning *tunings, int count, const char *title)
{
    sedge_context *const context = call->array->context;
    const int64_t size = sedge_array_size(call->array);
    const int64_t result = size * sedge_type_bytes(call->formula->result);
    sedge_status status;
    trial *t = NULL;
    bool possible;

    *choice = 0;
    SEDGE_TRY(sedge_allocate(&t, 1, sizeof *t));
    t->call = call;
    t->tuner =
        (sedge_trial){.context = context,
                      .title = title,
                      .operation = "scan",
                      .elements = size,
                      .bytes = (double)size * sedge_type_bytes(call->array->type) + (double)result,
                      .owner = t,
                      .write = write_program,
                      .launch = launch,
                      .run_rule = run_rule};
    shape_all(t, tunings, count);
    SEDGE_TRY_GOTO(status, take_scratch(t, result, &possible));
    if (possible) SEDGE_TRY_GOTO(status, sedge_trial_choose(choice, &t->tuner));
done:
    sedge_pool_give(sedge_context_memory(context), t->block);
    sedge_release(t);
    return status;
}
