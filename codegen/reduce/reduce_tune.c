// Which of the numbers of a sum over columns are tuned at run time. Only these are: of all other
// reductions the rule's numbers won wherever they were compared (benchmarks/MEASUREMENTS.md).
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
//
// so that these may be tuned.
//
// A compiler fuses products with sums. Of x y + s there is one way, of a b + c d there are two, and
// of complex products a host compiler was seen to choose another one where more rows were handled
// side by side: they and the user's formulas have the rule alone. Of real expressions nothing like
// that is known; a candidate that gives other bits of the real input is refused, as everywhere.
#include "array/strided.h"
#include "base/memory.h"
#include "reduce/reduce_call.h"

// ---- candidates --------------------------------------------------------------------------------

// The three numbers; the first of a list are the likeliest to win. `resident` 0 is the rule's, and
// counts with CUDA only.
typedef struct change {
    int ahead, more, resident;
} change;

enum { CHANGES_MOST = 5 };
static const change changes[][CHANGES_MOST] = {
    [SEDGE_DEVICE_HOST] = {{1, 0, 0}, {3, 0, 0}, {7, 0, 0}, {0, 3, 0}, {3, 3, 0}},
    [SEDGE_DEVICE_CUDA] = {{1, 0, 2}, {0, 1, 0}, {1, 1, 2}, {0, 3, 0}, {1, 0, 3}},
    [SEDGE_DEVICE_OPENCL] = {{1, 0, 0}, {3, 0, 0}, {0, 1, 0}, {0, 3, 0}, {1, 3, 0}},
};

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
    const sedge_reduce_tuning *const rule = sedge_reduce_rule(kind);
    int count = 0;

    tunings[count++] = *rule;
    if (plan->shape.form != SEDGE_REDUCE_COLUMNS || may_fuse(call)) return count;
    for (int k = 0; k < CHANGES_MOST; k++) {
        const change *const c = &changes[kind][k];
        sedge_reduce_tuning *const tuning = &tunings[count++];
        *tuning = *rule;
        tuning->ahead = c->ahead;
        tuning->more = c->more;
        if (c->resident > 0) // fewer where the rule has fewer
            tuning->resident = (c->resident * plan->blocks + rule->blocks - 1) / rule->blocks;
    }
    return count;
}

// ---- the family --------------------------------------------------------------------------------

typedef struct trial {
    sedge_tuned_call tuned;
    const sedge_reduce_call *call;
    sedge_reduce_plan plan[SEDGE_REDUCE_TUNINGS];
    sedge_buffer *parts, *to; // scratch
} trial;

static sedge_status write_program(const void *owner, int candidate, sedge_text *out)
{
    const trial *const t = owner;
    sedge_reduce_plan plan = t->plan[candidate < 0 ? 0 : candidate];

    if (candidate < 0) plan.shape.tiles = plan.shape.pieces = plan.shape.resident = 0;
    return sedge_reduce_write(out, t->call, &plan);
}

static sedge_status launch(const void *owner, int candidate, const sedge_program *program,
                           sedge_stream *stream)
{
    const trial *const t = owner;
    sedge_cached_kernel cached = {.tuned = 0};

    SEDGE_TRY(sedge_reduce_kernels(&cached, t->call, &t->plan[candidate], program));
    return sedge_reduce_launch(t->call, &t->plan[candidate], &cached, t->parts,
                               sedge_buffer_address(t->to), stream);
}

static const sedge_tuned_family family = {
    .operation = "reduction", .letters = "amr", .write = write_program, .launch = launch};

// ---- one call ----------------------------------------------------------------------------------

static void plan_all(trial *t, const sedge_reduce_tuning *tunings)
{
    const sedge_analysis *const analysis = t->call->analysis;
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(analysis->context));

    for (int c = 0; c < t->tuned.count; c++) {
        sedge_reduce_plan *const plan = &t->plan[c];
        sedge_reduce_plan_make(plan, analysis, &tunings[c], info, t->call->axis,
                               t->call->formula->state_bytes);
        t->tuned.candidate[c] = (sedge_tuned_candidate){
            .number = {tunings[c].ahead, tunings[c].more, tunings[c].resident},
            .threads = plan->shape.rows * plan->shape.lanes};
    }
    t->tuned.elements = t->plan[0].rows * t->plan[0].length;
}

// A result, and parts for the candidate that has most of them.
static sedge_status add_scratch(trial *t)
{
    const int64_t bytes = t->plan[0].rows * sedge_type_bytes(t->call->formula->result);
    int64_t most = 0;

    for (int c = 0; c < t->tuned.count; c++) {
        const int64_t parts = sedge_reduce_parts_bytes(t->call, &t->plan[c]);
        if (parts > most) most = parts;
    }
    if (most > 0) SEDGE_TRY(sedge_tuned_add(&t->tuned, most, &t->parts));
    return sedge_tuned_add_output(&t->tuned, bytes, 0, &t->to);
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
    sedge_status status;
    trial *t = NULL;

    *choice = 0;
    SEDGE_TRY(sedge_allocate(&t, 1, sizeof *t));
    t->call = call;
    t->tuned = (sedge_tuned_call){.family = &family,
                                  .context = call->analysis->context,
                                  .title = title,
                                  .bytes = count_bytes(call->analysis),
                                  .count = count,
                                  .owner = t};
    plan_all(t, tunings);
    SEDGE_TRY_GOTO(status, add_scratch(t));
    SEDGE_TRY_GOTO(status, sedge_tuned_choose(choice, &t->tuned));
done:
    sedge_tuned_clear(&t->tuned);
    sedge_release(t);
    return status;
}
