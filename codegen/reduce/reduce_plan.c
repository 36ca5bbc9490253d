// How a reduction is laid over memory: which elements a block takes, and where they are.
#include "reduce/reduce_plan.h"
#include "array/strided.h"
#include "elementwise/analysis.h"
#include "text/template.h"

#include <stdio.h>
#include <string.h>

// ---- constants of devices ----------------------------------------------------------------------

// A GPU hides latency with 128 bytes in flight a thread; two blocks for each place, streamed
// loads and no second kernel were the fastest (benchmarks/README.md). On the host the items of a
// block are the lanes of a loop, and chunks are of a fixed size, so that sums do not depend on the
// number of threads.
static const sedge_reduce_tuning gpu_tuning = {256, 128, 32, 4,    2, 1, 0, 1,
                                               64,  64,  64, 2048, 0, 0, 0};
static const sedge_reduce_tuning host_tuning = {64, 1,   1, 0,     1, 0, 0, 0,
                                                32, 256, 4, 32768, 0, 0, 0};

enum { FINISH_MOST = 256, MANY_TILES = 4 };

const sedge_reduce_tuning *sedge_reduce_rule(sedge_device_kind kind)
{
    return sedge_traits_of(kind)->in_call ? &host_tuning : &gpu_tuning;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

// The largest power of `base` that is at most `value`, between 1 and `most`.
static int power_below(int64_t value, int most, int base)
{
    int power = 1;
    while (power <= most / base && power <= value / base) power *= base;
    return power;
}

// The least power of four that is at least `value`, or `most`, which is one too. By fours, because
// each number is a kernel of its own.
static int power_above(int64_t value, int most)
{
    int power = 1;
    while (power < most && power < value) power *= 4;
    return most > 0 && power > most ? most : power;
}

// ---- strides -----------------------------------------------------------------------------------

// The array of leaf k in the shape of the expression, without `axis`; `*step` is its stride there.
static void split_axis(sedge_array *kept, int64_t *step, const sedge_analysis *analysis,
                       const sedge_array *array, int axis)
{
    const int missing = analysis->dimensions - array->dimensions;

    *kept = *array;
    kept->dimensions = 0;
    *step = 0;
    for (int d = 0; d < analysis->dimensions; d++) {
        const bool here = d >= missing && array->shape[d - missing] != 1;
        const int64_t stride = here ? array->stride[d - missing] : 0;
        if (d == axis) {
            *step = stride;
        } else {
            kept->shape[kept->dimensions] = analysis->shape[d];
            kept->stride[kept->dimensions++] = stride;
        }
    }
}

// The iteration over rows and the steps along the axis.
static void plan_rows(sedge_reduce_plan *plan, const sedge_analysis *analysis, int axis)
{
    sedge_array kept[SEDGE_LEAVES];
    const sedge_array *arrays[SEDGE_LEAVES];
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    int count = 0, dimensions = 0;

    for (int k = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array == NULL) continue;
        split_axis(&kept[count], &plan->step[k], analysis, analysis->leaf[k].array, axis);
        arrays[count] = &kept[count];
        count++;
    }
    for (int d = 0; d < analysis->dimensions; d++)
        if (d != axis) shape[dimensions++] = analysis->shape[d];
    sedge_iteration_make(&plan->iteration, dimensions, shape, count, arrays);
    plan->rows = plan->iteration.count;
    plan->length = analysis->shape[axis];
}

// All elements: one row, straight where all arrays are merged into one dimension.
static void plan_all(sedge_reduce_plan *plan, const sedge_analysis *analysis)
{
    const sedge_array *arrays[SEDGE_LEAVES];
    int count = 0;

    for (int k = 0; k < analysis->leaves; k++)
        if (analysis->leaf[k].array != NULL) arrays[count++] = analysis->leaf[k].array;
    sedge_iteration_make(&plan->iteration, analysis->dimensions, analysis->shape, count, arrays);
    plan->rows = 1;
    plan->length = plan->iteration.count;
    if (plan->iteration.dimensions > 1) {
        plan->shape.elements = 1;
        return;
    }
    for (int k = 0, operand = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array == NULL) continue;
        plan->step[k] = plan->iteration.dimensions == 1 ? plan->iteration.stride[operand][0] : 0;
        operand++;
    }
    plan->iteration.dimensions = 0;
}

static signed char stride_kind(int64_t stride)
{
    return (signed char)(stride == 0 ? 0 : stride == 1 ? 1 : -1);
}

// ---- blocks ------------------------------------------------------------------------------------

// How many neighbours along the axis, and across it, are neighbours in memory.
static void count_neighbours(const sedge_reduce_plan *plan, const sedge_analysis *analysis,
                             int *along, int *across)
{
    const int last = plan->iteration.dimensions - 1;

    *along = *across = 0;
    for (int k = 0, operand = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array == NULL) continue;
        if (plan->step[k] == 1) ++*along;
        if (last >= 0 && plan->iteration.stride[operand][last] == 1) ++*across;
        operand++;
    }
}

static void choose_form(sedge_reduce_plan *plan, const sedge_analysis *analysis,
                        const sedge_reduce_tuning *tuning)
{
    sedge_reduce_shape *const shape = &plan->shape;
    const int last = plan->iteration.dimensions - 1;
    int along, across;

    count_neighbours(plan, analysis, &along, &across);
    plan->columns = last >= 0 ? plan->iteration.shape[last] : 1;
    if (plan->rows <= 1 || along >= across) {
        // Two loads an item at least, where the row is so long.
        shape->lanes =
            plan->rows <= 1 ? tuning->items : power_above(plan->length / 2, tuning->items);
        shape->rows = tuning->items / shape->lanes;
        shape->form = shape->rows == 1 ? SEDGE_REDUCE_ONE : SEDGE_REDUCE_MANY;
        return;
    }
    shape->rows_fast = 1;
    if (plan->columns >= tuning->narrow) {
        shape->form = SEDGE_REDUCE_COLUMNS;
        shape->rows = power_below(plan->columns, tuning->width, 4);
    } else {
        shape->form = SEDGE_REDUCE_MANY;
        shape->rows = power_above(plan->rows, tuning->width);
    }
    shape->lanes = power_above(plan->length / 4, tuning->items / shape->rows);
}

// Elements that an item may load at once: 16 bytes of the widest array, if all arrays lie so that
// each pack is aligned.
static int choose_pack(const sedge_reduce_plan *plan, const sedge_analysis *analysis)
{
    int pack = 16;

    if (plan->shape.form != SEDGE_REDUCE_ONE || plan->shape.elements) return 1;
    for (int k = 0; k < analysis->leaves; k++) {
        const sedge_array *const array = analysis->leaf[k].array;
        if (array == NULL || plan->step[k] == 0) continue;
        const int most = 16 / sedge_type_bytes(array->type);
        if (plan->step[k] != 1) return 1;
        if (most < pack) pack = most;
    }
    for (int k = 0, operand = 0; k < analysis->leaves; k++) {
        const sedge_array *const array = analysis->leaf[k].array;
        if (array == NULL) continue;
        const uint64_t bytes = (uint64_t)pack * (uint64_t)sedge_type_bytes(array->type);
        if (plan->step[k] == 1) {
            if (sedge_array_address(array) % bytes != 0) return 1;
            for (int d = 0; d < plan->iteration.dimensions; d++)
                if (plan->iteration.stride[operand][d] % pack != 0) return 1;
        }
        operand++;
    }
    return pack;
}

// Loads of an item that are on their way at once, and how many blocks then have their registers:
// where the states are wide, half as many.
static void choose_unroll(sedge_reduce_plan *plan, const sedge_analysis *analysis,
                          const sedge_reduce_tuning *tuning, int state_bytes)
{
    sedge_reduce_shape *const shape = &plan->shape;
    int bytes = 0, most = 16;

    for (int k = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array == NULL || plan->step[k] == 0) continue;
        bytes += shape->pack * sedge_type_bytes(analysis->leaf[k].array->type);
        if (plan->step[k] != 1) most = 8; // each load has its own address
    }
    const int by_bytes = power_below(tuning->bytes / (bytes > 0 ? bytes : 1), most, 2);
    const int values = state_bytes > 8 ? tuning->values / 4 : tuning->values;
    const int by_values = power_below(values / shape->pack, most, 2);
    shape->unroll = by_bytes < by_values ? by_bytes : by_values;
    if (plan->rows > 1) { // no loads for what lies behind the end of a row
        const int64_t jump = (int64_t)shape->lanes * shape->pack;
        while (shape->unroll > 1 && jump * shape->unroll / 2 >= plan->length) shape->unroll /= 2;
    }
    const bool wide = state_bytes > 8 || shape->unroll * shape->pack * state_bytes > 128;
    plan->blocks = wide ? tuning->blocks / 2 : tuning->blocks;
    if (shape->form == SEDGE_REDUCE_MANY && plan->blocks > 2) plan->blocks--; // for the places
    shape->resident =
        (tuning->resident > 0 ? tuning->resident : plan->blocks) * shape->rows * shape->lanes;
}

// Pieces of a row: so many that the device is full, none shorter than is worth a block.
static void choose_cuts(sedge_reduce_plan *plan, int multiprocessors,
                        const sedge_reduce_tuning *tuning)
{
    sedge_reduce_shape *const shape = &plan->shape;
    const int64_t jump = (int64_t)shape->lanes * shape->pack;
    const int64_t tile = jump * shape->unroll;
    int64_t chunk = ceil_div(tuning->chunk, shape->rows);

    if (plan->blocks > 0 && plan->groups > 0) {
        const int64_t places = (int64_t)plan->blocks * tuning->waves * multiprocessors;
        const int64_t fair = ceil_div(plan->length, ceil_div(places, plan->groups));
        if (fair > chunk) chunk = fair;
        if (chunk >= MANY_TILES * tile) chunk = ceil_div(chunk, tile) * tile; // whole ones
        shape->striped = tuning->striped && chunk >= MANY_TILES * tile;
    } else if (plan->groups > 64) {
        chunk = plan->length; // enough rows for any number of threads
    }
    plan->chunk = ceil_div(chunk > 0 ? chunk : 1, jump) * jump;
    plan->cuts = plan->length > plan->chunk ? ceil_div(plan->length, plan->chunk) : 1;
}

// Of all arrays; what is broadcast counts as often as it is read.
static int64_t count_bytes(const sedge_analysis *analysis)
{
    const int64_t elements = sedge_shape_count(analysis->dimensions, analysis->shape);
    int64_t bytes = 0;

    for (int k = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array != NULL)
            bytes += elements * sedge_type_bytes(analysis->leaf[k].type);
    }
    return bytes;
}

void sedge_reduce_plan_make(sedge_reduce_plan *plan, const sedge_analysis *analysis,
                            const sedge_reduce_tuning *tuning, const sedge_device_info *info,
                            int axis, int state_bytes)
{
    sedge_reduce_shape *const shape = &plan->shape;

    memset(plan, 0, sizeof *plan);
    if (axis == SEDGE_ALL_AXES) {
        plan_all(plan, analysis);
    } else {
        plan_rows(plan, analysis, axis);
    }
    if (shape->elements) {
        shape->form = SEDGE_REDUCE_ONE;
        shape->rows = 1;
        shape->lanes = tuning->items;
        plan->columns = 1;
    } else {
        choose_form(plan, analysis, tuning);
    }
    shape->pack = tuning->bytes < 16 ? 1 : choose_pack(plan, analysis);
    choose_unroll(plan, analysis, tuning, state_bytes);
    shape->run = tuning->run;
    shape->tiles = 1 + tuning->ahead;
    shape->pieces = 1 + tuning->more;
    shape->streamed = tuning->streamed && count_bytes(analysis) > info->l2_bytes;
    shape->finish_threads = tuning->items < FINISH_MOST ? tuning->items : FINISH_MOST;
    shape->finish_many = plan->rows >= 1024;
    shape->dimensions = plan->iteration.dimensions;
    shape->narrow = plan->iteration.count <= INT32_MAX;
    for (int k = 0, operand = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array == NULL) continue;
        shape->step[k] = stride_kind(plan->step[k]);
        if (shape->form == SEDGE_REDUCE_COLUMNS)
            shape->side[k] = stride_kind(plan->iteration.stride[operand][shape->dimensions - 1]);
        operand++;
    }
    plan->groups = shape->form == SEDGE_REDUCE_COLUMNS
                       ? plan->rows / plan->columns * ceil_div(plan->columns, shape->rows)
                       : ceil_div(plan->rows, shape->rows);
    choose_cuts(plan, info->multiprocessors, tuning);
    shape->last = tuning->last && sedge_traits_of(info->kind)->blocks_meet && plan->rows == 1 &&
                  shape->rows == 1 && plan->cuts > 1;
}

// ---- places in the kernel's source -------------------------------------------------------------

// Which of the kernel's iteration numbers is what; -1: none.
typedef struct place_numbers {
    int count;
    int64_t value[SEDGE_REDUCE_NUMBERS_MOST];
    int step[SEDGE_LEAVES], side[SEDGE_LEAVES];
    int size[SEDGE_ARRAY_DIMENSIONS];
    int stride[SEDGE_LEAVES][SEDGE_ARRAY_DIMENSIONS];
} place_numbers;

static int add_number(place_numbers *numbers, int64_t value)
{
    numbers->value[numbers->count] = value;
    return numbers->count++;
}

// Dimensions in which a place is looked for: a block's columns are side by side in the last one.
static int decoded_dimensions(const sedge_reduce_plan *plan)
{
    return plan->shape.dimensions - (plan->shape.form == SEDGE_REDUCE_COLUMNS ? 1 : 0);
}

static void number_places(place_numbers *numbers, const sedge_reduce_plan *plan,
                          const sedge_analysis *analysis)
{
    const sedge_iteration *const iteration = &plan->iteration;
    const int dimensions = decoded_dimensions(plan);

    numbers->count = 0;
    for (int d = 0; d < dimensions; d++)
        numbers->size[d] = add_number(numbers, iteration->shape[d]);
    for (int k = 0, operand = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array == NULL) continue;
        numbers->step[k] = plan->shape.step[k] < 0 ? add_number(numbers, plan->step[k]) : -1;
        numbers->side[k] = plan->shape.side[k] < 0
                               ? add_number(numbers, iteration->stride[operand][dimensions])
                               : -1;
        for (int d = 0; d < dimensions; d++)
            numbers->stride[k][d] = add_number(numbers, iteration->stride[operand][d]);
        operand++;
    }
}

int sedge_reduce_places_values(int64_t values[SEDGE_REDUCE_NUMBERS_MOST],
                               const sedge_reduce_plan *plan, const sedge_analysis *analysis)
{
    place_numbers numbers;

    number_places(&numbers, plan, analysis);
    memcpy(values, numbers.value, (size_t)numbers.count * sizeof values[0]);
    return numbers.count;
}

static void name_stride(const char **out, char text[24], int kind, int number)
{
    (void)snprintf(text, 24, kind >= 0 ? "%d" : "reduce_w%d", kind >= 0 ? kind : number);
    *out = text;
}

sedge_status sedge_reduce_places_write(sedge_text *out, const sedge_reduce_plan *plan,
                                       const sedge_analysis *analysis)
{
    const int dimensions = decoded_dimensions(plan);
    const bool elements = plan->shape.elements;
    int64_t array[SEDGE_LEAVES], same[SEDGE_LEAVES], size[SEDGE_ARRAY_DIMENSIONS];
    int64_t stride[SEDGE_LEAVES * SEDGE_ARRAY_DIMENSIONS];
    const char *step[SEDGE_LEAVES], *side[SEDGE_LEAVES];
    char texts[SEDGE_LEAVES][2][24];
    place_numbers numbers;
    int count = 0;

    number_places(&numbers, plan, analysis);
    for (int d = 0; d < dimensions; d++) size[d] = numbers.size[d];
    for (int k = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array == NULL) continue;
        array[count] = k;
        same[count] = plan->shape.step[k] == 0 && !elements;
        name_stride(&step[count], texts[count][0], plan->shape.step[k], numbers.step[k]);
        name_stride(&side[count], texts[count][1], plan->shape.side[k], numbers.side[k]);
        for (int d = 0; d < dimensions; d++) stride[count * dimensions + d] = numbers.stride[k][d];
        count++;
    }
    const sedge_binding values[] = {
        SEDGE_BIND_INTEGER("arguments", numbers.count),
        SEDGE_BIND_INTEGER("elements", elements),
        SEDGE_BIND_INTEGER("dimensions", dimensions),
        SEDGE_BIND_TEXT("digit", plan->shape.narrow ? "unsigned" : "sedge_int64"),
        SEDGE_BIND_INTEGERS("array", array, count),
        SEDGE_BIND_TEXTS("along", step, count),
        SEDGE_BIND_TEXTS("across", side, count),
        SEDGE_BIND_INTEGERS("same", same, count),
        SEDGE_BIND_INTEGERS("size", size, dimensions),
        SEDGE_BIND_INTEGERS("stride", stride, count * dimensions),
    };
    const sedge_pattern pattern = {.name = "codegen/kernels/reduce/reduce_places.h",
                                   .bindings = values,
                                   .count = sizeof values / sizeof *values};
    return sedge_template_write(out, &pattern);
}
