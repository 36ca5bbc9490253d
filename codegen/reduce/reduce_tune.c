// Which of a reduction's numbers are tuned at run time.
//
// A sum in floating point has the bits of its order, and they must not depend on what was measured.
// The order is this: items of `items` lanes; of each the packs of `unroll` loads, each by pairs,
// one after the other to a tile's sum; these one after the other, `run` of them to a sum, and such
// sums likewise; a tree over the lanes; the cuts of a row by a stride of `items` and a tree. It
// follows from items, pack, unroll, run, chunk and the rows of a block, which the rule chooses. It
// does not from
//
//   ahead     the tiles whose loads stand together: they are still added one after the other
//   more      the cuts that a block takes one after the other: each has a part of its own
//   resident  the registers, unlike `blocks`, by which the rule cuts rows
//   streamed  what caches are told
//   last      who adds up the cuts of a single row: both do it by the same stride and tree, as long
//             as that of the finishing kernel is as wide (the rule's 256 items)
//
// so that these may be tuned. Where any order gives the same bits, the others may be, too: wrapping
// integers, truth, and places, of which the first counts.
//
// A compiler fuses products with sums. Of x y + s there is one way, of a b + c d there are two, and
// of complex products a host compiler was seen to choose another one where more rows were scanned
// side by side: they and the user's formulas have the rule alone. Of real expressions nothing like
// that is known; a candidate that gives other bits of the real input is refused, as everywhere.
#include "array/shared.h"
#include "array/strided.h"
#include "base/memory.h"
#include "elementwise/analysis.h"
#include "reduce/reduce_call.h"

#include <stdio.h>
#include <string.h>

// ---- candidates --------------------------------------------------------------------------------

// What a candidate has beside the rule's: 0 of `resident` and -1 are the same. The first are the
// likeliest to win; on the host and with OpenCL only the first two numbers count.
typedef struct change {
    int ahead, more, resident, streamed, last;
} change;

static const change gpu_changes[] = {
    {1, 0, 2, -1, -1}, {0, 1, 0, -1, -1}, {0, 0, 0, 0, -1},  {0, 0, 0, -1, 0},
    {1, 1, 2, -1, -1}, {0, 3, 0, -1, -1}, {1, 0, 3, -1, -1},
};
static const change opencl_changes[] = {
    {1, 0, 0, -1, -1}, {3, 0, 0, -1, -1}, {0, 1, 0, -1, -1}, {0, 3, 0, -1, -1}, {1, 3, 0, -1, -1}};
static const change host_changes[] = {
    {1, 0, 0, -1, -1}, {3, 0, 0, -1, -1}, {7, 0, 0, -1, -1}, {0, 3, 0, -1, -1}, {3, 3, 0, -1, -1}};

#define LENGTH(list) ((int)(sizeof(list) / sizeof(list)[0]))

static int list_changes(const change **changes, sedge_device_kind kind)
{
    switch (kind) {
    case SEDGE_DEVICE_CUDA:
        *changes = gpu_changes;
        return LENGTH(gpu_changes);
    case SEDGE_DEVICE_OPENCL:
        *changes = opencl_changes;
        return LENGTH(opencl_changes);
    case SEDGE_DEVICE_HOST:
        break;
    }
    *changes = host_changes;
    return LENGTH(host_changes);
}

// The same for formulas of any order: other blocks, pieces and loads.
static void list_any_order(sedge_reduce_tuning others[3], sedge_device_kind kind,
                           const sedge_reduce_tuning *rule)
{
    for (int k = 0; k < 3; k++) others[k] = *rule;
    if (kind == SEDGE_DEVICE_HOST) {
        others[0].items = 4 * rule->items;
        others[1].chunk = 4 * rule->chunk;
        others[2].chunk = rule->chunk / 4;
    } else {
        others[0].striped = 1;
        others[1].waves = 1;
        others[2].bytes = rule->bytes / 2;
        others[2].values = rule->values / 2;
        others[2].resident = 5;
    }
}

// In all numbers that candidates change.
static bool is_same(const sedge_reduce_tuning *a, const sedge_reduce_tuning *b)
{
    return a->ahead == b->ahead && a->more == b->more && a->resident == b->resident &&
           a->streamed == b->streamed && a->last == b->last && a->items == b->items &&
           a->bytes == b->bytes && a->values == b->values && a->waves == b->waves &&
           a->striped == b->striped && a->chunk == b->chunk;
}

static bool is_listed(const sedge_reduce_tuning *tunings, int count,
                      const sedge_reduce_tuning *tuning)
{
    for (int k = 0; k < count; k++)
        if (is_same(&tunings[k], tuning)) return true;
    return false;
}

// Also an expression with complex numbers in it that is more than an array.
static bool may_fuse(const sedge_reduce_call *call)
{
    const sedge_analysis *const analysis = call->analysis;
    bool has_complex = false;

    for (int k = 0; k < analysis->leaves; k++)
        if (sedge_type_is_complex(analysis->leaf[k].type)) has_complex = true;
    return sedge_formula_may_fuse(call->formula) ||
           (has_complex && !sedge_analysis_is_array(analysis));
}

int sedge_reduce_tunings(sedge_reduce_tuning tunings[SEDGE_REDUCE_TUNINGS], sedge_device_kind kind,
                         const sedge_reduce_plan *plan, const sedge_reduce_call *call)
{
    const bool any_order = sedge_formula_any_order(call->formula);
    const sedge_reduce_tuning *const rule = sedge_reduce_rule(kind);
    const change *changes;
    const int changed = list_changes(&changes, kind);
    sedge_reduce_tuning others[3];
    int count = 0;

    tunings[count++] = *rule;
    if (may_fuse(call)) return count;
    if (any_order) {
        list_any_order(others, kind, rule);
        for (int k = 0; k < 3; k++) tunings[count++] = others[k];
    }
    for (int k = 0; k < changed; k++) {
        sedge_reduce_tuning tuning = *rule;
        tuning.ahead = changes[k].ahead;
        tuning.more = changes[k].more;
        if (changes[k].resident > 0) { // fewer where the rule has fewer
            tuning.resident =
                (changes[k].resident * plan->blocks + rule->blocks - 1) / rule->blocks;
        }
        if (changes[k].streamed == 0 && plan->shape.streamed) tuning.streamed = 0;
        if (changes[k].last == 0 && plan->shape.last) tuning.last = 0;
        if (!is_listed(tunings, count, &tuning)) tunings[count++] = tuning;
    }
    return count;
}

void sedge_reduce_tuning_name(char *name, size_t size, const sedge_reduce_tuning *tuning)
{
    (void)snprintf(name, size, "a%d m%d r%d s%d l%d i%d b%d w%d t%d c%d", tuning->ahead,
                   tuning->more, tuning->resident, tuning->streamed, tuning->last, tuning->items,
                   tuning->bytes, tuning->waves, tuning->striped, (int)tuning->chunk);
}

// ---- the trial ---------------------------------------------------------------------------------

typedef struct trial {
    sedge_trial tuner;
    const sedge_reduce_call *call;
    sedge_reduce_plan plan[SEDGE_REDUCE_TUNINGS];
    void *block[2]; // of the pool: the parts, the result
    sedge_buffer *parts, *to;
} trial;

static sedge_status write_program(void *owner, int candidate, sedge_text *out)
{
    const trial *const t = owner;
    sedge_reduce_plan plan = t->plan[candidate < 0 ? 0 : candidate];

    if (candidate < 0) {
        plan.shape.tiles = plan.shape.pieces = plan.shape.resident = 0;
        plan.shape.streamed = plan.shape.last = plan.shape.striped = 0;
    }
    return sedge_reduce_write(out, t->call, &plan);
}

static sedge_status launch(void *owner, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    const trial *const t = owner;
    sedge_cached_kernel cached = {.tuned = 0};

    SEDGE_TRY(sedge_reduce_kernels(&cached, t->call, &t->plan[candidate], program));
    return sedge_reduce_launch(t->call, &t->plan[candidate], &cached, t->parts,
                               sedge_buffer_address(t->to), stream);
}

static sedge_status run_rule(void *owner)
{
    return launch(owner, 0, NULL, NULL);
}

static void plan_all(trial *t, const sedge_reduce_tuning *tunings, int count)
{
    const sedge_analysis *const analysis = t->call->analysis;
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(analysis->context));

    t->tuner.count = count;
    for (int c = 0; c < count; c++) {
        sedge_reduce_plan_make(&t->plan[c], analysis, &tunings[c], info, t->call->axis,
                               t->call->formula->state_bytes);
        sedge_reduce_tuning_name(t->tuner.name[c], SEDGE_TRIAL_NAME, &tunings[c]);
        t->tuner.candidate[c].threads = t->plan[c].shape.rows * t->plan[c].shape.lanes;
    }
}

// A result, and parts for whoever has most of them.
static sedge_status take_scratch(trial *t, bool *possible)
{
    sedge_context *const context = t->tuner.context;
    const int64_t bytes = t->plan[0].rows * sedge_type_bytes(t->call->formula->result);
    int64_t most = 0;

    *possible = true;
    if (sedge_context_tuning(context) == SEDGE_TUNE_OFF) return SEDGE_OK;
    for (int c = 0; c < t->tuner.count; c++) {
        const int64_t parts = sedge_reduce_parts_bytes(t->call, &t->plan[c]);
        if (parts > most) most = parts;
    }
    if (most > 0) SEDGE_TRY(sedge_trial_take(context, most, &t->block[0], &t->parts, possible));
    SEDGE_TRY(sedge_trial_take(context, bytes, &t->block[1], &t->to, possible));
    t->tuner.outputs = 1;
    t->tuner.output[0] = (sedge_trial_output){.buffer = t->to, .bytes = bytes};
    return SEDGE_OK;
}

static double count_bytes(const sedge_analysis *analysis)
{
    double bytes = 0.0;

    for (int k = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array == NULL) continue;
        bytes += (double)sedge_array_size(analysis->leaf[k].array) *
                 sedge_type_bytes(analysis->leaf[k].type);
    }
    return bytes;
}

sedge_status sedge_reduce_tune(int *choice, const sedge_reduce_call *call,
                               const sedge_reduce_tuning *tunings, int count, const char *title)
{
    sedge_context *const context = call->analysis->context;
    sedge_status status;
    trial *t = NULL;
    bool possible;

    *choice = 0;
    SEDGE_TRY(sedge_allocate(&t, 1, sizeof *t));
    t->call = call;
    t->tuner = (sedge_trial){.context = context,
                             .title = title,
                             .operation = "reduction",
                             .bytes = count_bytes(call->analysis),
                             .owner = t,
                             .write = write_program,
                             .launch = launch,
                             .run_rule = run_rule};
    plan_all(t, tunings, count);
    t->tuner.elements = t->plan[0].rows * t->plan[0].length;
    SEDGE_TRY_GOTO(status, take_scratch(t, &possible));
    if (possible) SEDGE_TRY_GOTO(status, sedge_trial_choose(choice, &t->tuner));
done:
    for (int k = 0; k < 2; k++) sedge_pool_give(sedge_context_memory(context), t->block[k]);
    sedge_release(t);
    return status;
}
