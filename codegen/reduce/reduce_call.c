// Reductions of expressions: their programs, their launches, and the numbers they give.
#include "reduce/reduce_call.h"

#include "array/shared.h"
#include "array/strided.h"
#include "elementwise/analysis.h"
#include "elementwise/copy.h"
#include "text/template.h"

#include <assert.h>
#include <string.h>

// ---- the kernel's source -----------------------------------------------------------------------

// The leaves of the expression: arrays, then numbers.
typedef struct leaf_lists {
    int64_t array[SEDGE_LEAVES], array_bytes[SEDGE_LEAVES], number[SEDGE_LEAVES];
    const char *array_type[SEDGE_LEAVES], *number_type[SEDGE_LEAVES];
    int arrays, numbers;
} leaf_lists;

static void list_leaves(leaf_lists *out, const sedge_analysis *analysis)
{
    out->arrays = out->numbers = 0;
    for (int k = 0; k < analysis->leaves; k++) {
        const sedge_type type = analysis->leaf[k].type;
        if (analysis->leaf[k].array != NULL) {
            out->array_bytes[out->arrays] = sedge_type_bytes(type);
            out->array_type[out->arrays] = sedge_type_word(type);
            out->array[out->arrays++] = k;
        } else {
            out->number_type[out->numbers] = sedge_type_word(type);
            out->number[out->numbers++] = k;
        }
    }
}

// What stands before the preamble: constants and types.
static sedge_status write_types(sedge_text *out, const sedge_reduce_plan *plan,
                                const sedge_analysis *analysis, const sedge_formula *formula)
{
    const sedge_reduce_shape *const shape = &plan->shape;
    leaf_lists leaves;

    list_leaves(&leaves, analysis);
    const sedge_binding values[] = {
        SEDGE_BIND_INTEGER("form", shape->form),
        SEDGE_BIND_INTEGER("elements", shape->elements),
        SEDGE_BIND_INTEGER("rows_fast", shape->rows_fast),
        SEDGE_BIND_INTEGER("rows", shape->rows),
        SEDGE_BIND_INTEGER("lanes", shape->lanes),
        SEDGE_BIND_INTEGER("pack", shape->pack),
        SEDGE_BIND_INTEGER("unroll", shape->unroll),
        SEDGE_BIND_INTEGER("run", shape->run),
        SEDGE_BIND_INTEGER("resident", shape->resident),
        SEDGE_BIND_INTEGER("streamed", shape->streamed),
        SEDGE_BIND_INTEGER("striped", shape->striped),
        SEDGE_BIND_INTEGER("last", shape->last),
        SEDGE_BIND_INTEGER("tiles", shape->tiles),
        SEDGE_BIND_INTEGER("pieces", shape->pieces),
        SEDGE_BIND_INTEGER("finish_threads", shape->finish_threads),
        SEDGE_BIND_INTEGER("finish_many", shape->finish_many),
        SEDGE_BIND_TEXT("value", sedge_type_word(formula->element)),
        SEDGE_BIND_TEXT("result", sedge_type_word(formula->result)),
        SEDGE_BIND_TEXT("state", formula->state),
        SEDGE_BIND_INTEGERS("array", leaves.array, leaves.arrays),
        SEDGE_BIND_TEXTS("array_type", leaves.array_type, leaves.arrays),
        SEDGE_BIND_INTEGERS("array_bytes", leaves.array_bytes, leaves.arrays),
        SEDGE_BIND_INTEGERS("number", leaves.number, leaves.numbers),
        SEDGE_BIND_TEXTS("number_type", leaves.number_type, leaves.numbers),
    };
    const sedge_pattern pattern = {.name = "codegen/kernels/reduce/reduce_types.h",
                                   .bindings = values,
                                   .count = sizeof values / sizeof *values};
    SEDGE_TRY(sedge_template_write(out, &pattern));
    return sedge_reduce_places_write(out, plan, analysis);
}

// The beginning of reduce_map, up to the formula.
static const char map_text[] =
    "SEDGE_FUNCTION formula_state reduce_map($for a in 0..len(array)$reduce_type$array[a]$ "
    "leaf$array[a]$, $end$sedge_int64 i$for n in 0..len(number)$, $number_type[n]$ "
    "leaf$number[n]$$end$)\n"
    "{\n"
    "    const formula_value x = $x$;\n"
    "    (void)i;\n"
    "    (void)x;\n"
    "    return (\n";

static sedge_status write_map(sedge_text *out, const sedge_analysis *analysis)
{
    leaf_lists leaves;

    list_leaves(&leaves, analysis);
    const sedge_binding values[] = {
        SEDGE_BIND_TEXT("x", sedge_text_get(analysis->text)),
        SEDGE_BIND_INTEGERS("array", leaves.array, leaves.arrays),
        SEDGE_BIND_INTEGERS("number", leaves.number, leaves.numbers),
        SEDGE_BIND_TEXTS("number_type", leaves.number_type, leaves.numbers),
    };
    const sedge_pattern pattern = {.name = "map",
                                   .text = map_text,
                                   .bindings = values,
                                   .count = sizeof values / sizeof *values};
    return sedge_template_write(out, &pattern);
}

typedef struct reduce_program {
    sedge_text *types, *map; // owned
    sedge_formula_sources sources;
} reduce_program;

static void program_free(reduce_program *program)
{
    sedge_text_free(program->map);
    sedge_text_free(program->types);
}

static sedge_status program_make(reduce_program *out, const sedge_reduce_call *call,
                                 const sedge_reduce_plan *plan)
{
    memset(out, 0, sizeof *out);
    SEDGE_TRY(sedge_analysis_write(call->analysis));
    SEDGE_TRY(sedge_text_create(&out->types));
    SEDGE_TRY(sedge_text_create(&out->map));
    SEDGE_TRY(write_types(out->types, plan, call->analysis, call->formula));
    SEDGE_TRY(write_map(out->map, call->analysis));
    sedge_formula_sources_make(&out->sources, call->formula, "reduce", sedge_text_get(out->types),
                               sedge_text_get(out->map), "codegen/kernels/reduce/reduce.h");
    return SEDGE_OK;
}

static sedge_status write_program(sedge_text *out, sedge_device_kind kind,
                                  const sedge_reduce_call *call, const sedge_reduce_plan *plan)
{
    sedge_status status;
    reduce_program text;

    SEDGE_TRY_GOTO(status, program_make(&text, call, plan));
    SEDGE_TRY_GOTO(status, sedge_program_write(out, kind, &text.sources.options));
done:
    program_free(&text);
    return status;
}

sedge_status sedge_reduce_write(sedge_text *out, const sedge_reduce_call *call,
                                const sedge_reduce_plan *plan)
{
    const sedge_device *const device = sedge_context_device(call->analysis->context);

    return write_program(out, sedge_device_get_info(device)->kind, call, plan);
}

sedge_status sedge_reduce_kernels(sedge_cached_kernel *out, const sedge_reduce_call *call,
                                  const sedge_reduce_plan *plan, const sedge_program *program)
{
    sedge_status status;
    reduce_program text = {0};

    if (program == NULL) {
        SEDGE_TRY_GOTO(status, program_make(&text, call, plan));
        SEDGE_TRY_GOTO(status, sedge_context_program(call->analysis->context, &program,
                                                     &text.sources.options));
    }
    SEDGE_TRY_GOTO(status, sedge_program_get(&out->kernel[0], program, "sedge_reduce"));
    SEDGE_TRY_GOTO(status, sedge_program_get(&out->kernel[1], program, "sedge_reduce_finish"));
    out->threads = plan->shape.rows * plan->shape.lanes;
done:
    program_free(&text);
    return status;
}

// ---- cached kernels ----------------------------------------------------------------------------

enum { KEY_MOST = 8 + SEDGE_FORMULA_KEY + (int)sizeof(sedge_reduce_shape) + SEDGE_EXPRESSION_KEY };

typedef struct reduce_key {
    int bytes;
    unsigned char at[KEY_MOST];
} reduce_key;

static void add_key(reduce_key *key, const void *at, int bytes)
{
    assert(key->bytes + bytes <= KEY_MOST);
    memcpy(key->at + key->bytes, at, (size_t)bytes);
    key->bytes += bytes;
}

// Everything that the kernel's source is made from, for what `tag` says of it.
static void make_key(reduce_key *key, const char tag[6], const sedge_reduce_call *call,
                     const sedge_reduce_plan *plan)
{
    unsigned char formula_key[SEDGE_FORMULA_KEY];

    key->bytes = 0;
    add_key(key, tag, 6);
    add_key(key, formula_key, sedge_formula_key(formula_key, call->formula));
    add_key(key, &plan->shape, (int)sizeof plan->shape);
    add_key(key, call->analysis->key, call->analysis->key_bytes);
}

static sedge_status get_kernel(const sedge_cached_kernel **out, const sedge_reduce_call *call,
                               const sedge_reduce_plan *plan)
{
    sedge_context *const context = call->analysis->context;
    reduce_key key;

    make_key(&key, "reduce", call, plan);
    *out = sedge_cached_kernel_find(sedge_context_kernels(context), key.at, key.bytes);
    if (*out != NULL) return SEDGE_OK;

    sedge_cached_kernel cached = {.tuned = 0};
    SEDGE_TRY(sedge_reduce_kernels(&cached, call, plan, NULL));
    return sedge_cached_kernel_keep(out, sedge_context_kernels(context), key.at, key.bytes,
                                    &cached);
}

// The plan by the rule or, where arrays are large, by what the tuner chooses at their first use.
static sedge_status make_plan(sedge_reduce_plan *plan, const sedge_reduce_call *call)
{
    sedge_context *const context = call->analysis->context;
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(context));
    sedge_reduce_tuning tunings[SEDGE_REDUCE_TUNINGS];
    char title[SEDGE_KERNEL_TITLE];
    reduce_key key;
    int choice;

    sedge_reduce_plan_make(plan, call->analysis, sedge_reduce_rule(info->kind), info, call->axis,
                           call->formula->state_bytes);
    if (plan->rows * plan->length < SEDGE_TUNED_ELEMENTS) return SEDGE_OK;
    const int count = sedge_reduce_tunings(tunings, info->kind, plan, call);
    if (count < 2) return SEDGE_OK;
    make_key(&key, "choice", call, plan);
    const sedge_cached_kernel *found =
        sedge_cached_kernel_find(sedge_context_kernels(context), key.at, key.bytes);
    if (found != NULL && found->tuned == 1) return SEDGE_OK;
    if (found == NULL) {
        sedge_cached_kernel_title(title, "reduction", key.at, key.bytes);
        SEDGE_TRY(sedge_reduce_tune(&choice, call, tunings, count, title));
        const sedge_cached_kernel chosen = {.tuned = 1 + choice};
        SEDGE_TRY(sedge_cached_kernel_keep(&found, sedge_context_kernels(context), key.at,
                                           key.bytes, &chosen));
    }
    if (found->tuned > 1) {
        sedge_reduce_plan_make(plan, call->analysis, &tunings[found->tuned - 1], info, call->axis,
                               call->formula->state_bytes);
    }
    return SEDGE_OK;
}

// ---- launching ---------------------------------------------------------------------------------

// A number of an expression as the kernel takes it.
static sedge_argument number_argument(const sedge_leaf *leaf)
{
    const float single[2] = {(float)leaf->value[0], (float)leaf->value[1]};

    switch (leaf->type) {
    case SEDGE_FLOAT32:
        return sedge_float_argument(single[0]);
    case SEDGE_FLOAT64:
        return sedge_double_argument(leaf->value[0]);
    case SEDGE_COMPLEX64:
        return sedge_bytes_argument(single, 8);
    case SEDGE_COMPLEX128:
        return sedge_bytes_argument(leaf->value, 16);
    case SEDGE_INT8:
    case SEDGE_UINT8:
        return sedge_bytes_argument(&(int8_t){(int8_t)leaf->integer}, 1);
    case SEDGE_INT16:
    case SEDGE_UINT16:
        return sedge_bytes_argument(&(int16_t){(int16_t)leaf->integer}, 2);
    case SEDGE_INT32:
    case SEDGE_UINT32:
        return sedge_int32_argument((int32_t)leaf->integer);
    case SEDGE_INT64:
    case SEDGE_UINT64:
    case SEDGE_TYPES:
        break;
    }
    return sedge_int64_argument(leaf->integer);
}

enum { ARGUMENTS_MOST = 9 + SEDGE_LEAVES + SEDGE_REDUCE_NUMBERS_MOST };

int64_t sedge_reduce_parts_bytes(const sedge_reduce_call *call, const sedge_reduce_plan *plan)
{
    return plan->cuts > 1 ? plan->rows * plan->cuts * call->formula->state_bytes : 0;
}

sedge_status sedge_reduce_launch(const sedge_reduce_call *call, const sedge_reduce_plan *plan,
                                 const sedge_cached_kernel *cached, const sedge_buffer *parts,
                                 uint64_t to, sedge_stream *stream)
{
    const sedge_analysis *const analysis = call->analysis;
    const int64_t pieces = plan->groups * plan->cuts;
    sedge_buffer *ended = NULL;

    if (plan->shape.last) SEDGE_TRY(sedge_context_counter(analysis->context, &ended));
    sedge_argument arguments[ARGUMENTS_MOST] = {
        sedge_buffer_argument(parts),        sedge_address_argument(to),
        sedge_buffer_argument(ended),        sedge_int64_argument(plan->rows),
        sedge_int64_argument(plan->columns), sedge_int64_argument(plan->length),
        sedge_int64_argument(plan->chunk),   sedge_int64_argument(plan->cuts),
        sedge_int64_argument(pieces),
    };
    int64_t numbers[SEDGE_REDUCE_NUMBERS_MOST];
    int count = 9;

    for (int k = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array != NULL) {
            arguments[count++] =
                sedge_address_argument(sedge_array_address(analysis->leaf[k].array));
        }
    }
    for (int k = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array == NULL)
            arguments[count++] = number_argument(&analysis->leaf[k]);
    }
    const int places = sedge_reduce_places_values(numbers, plan, analysis);
    for (int n = 0; n < places; n++) arguments[count++] = sedge_int64_argument(numbers[n]);
    const int64_t blocks = (pieces + plan->shape.pieces - 1) / plan->shape.pieces;
    SEDGE_TRY(sedge_launch(cached->kernel[0], stream, blocks, arguments, count));
    if (plan->cuts == 1 || plan->shape.last) return SEDGE_OK;
    const int64_t per_block = plan->shape.finish_many ? plan->shape.finish_threads : 1;
    return SEDGE_LAUNCH(cached->kernel[1], stream, (plan->rows + per_block - 1) / per_block,
                        arguments[0], arguments[1], arguments[3], arguments[7]);
}

static sedge_status run(sedge_array *to, const sedge_reduce_call *call,
                        const sedge_reduce_tuning *tuning)
{
    sedge_context *const context = call->analysis->context;
    sedge_status status;
    sedge_reduce_plan plan;
    const sedge_cached_kernel *cached;
    void *block = NULL;
    sedge_buffer *parts = NULL;

    if (sedge_array_size(to) == 0) return SEDGE_OK;
    if (tuning != NULL) {
        sedge_reduce_plan_make(&plan, call->analysis, tuning,
                               sedge_device_get_info(sedge_context_device(context)), call->axis,
                               call->formula->state_bytes);
    } else {
        SEDGE_TRY(make_plan(&plan, call));
    }
    SEDGE_TRY(get_kernel(&cached, call, &plan));
    const int64_t bytes = sedge_reduce_parts_bytes(call, &plan);
    if (bytes > 0) SEDGE_TRY(sedge_pool_take(sedge_context_memory(context), bytes, &block, &parts));
    status = sedge_reduce_launch(call, &plan, cached, parts, sedge_array_address(to),
                                 sedge_context_stream(context));
    if (block != NULL) sedge_pool_give(sedge_context_memory(context), block);
    return status;
}

// Sets `*out`, and takes over the analysis.
static sedge_status reduce(sedge_array **out, sedge_analysis *analysis,
                           const sedge_formula *formula, int axis,
                           const sedge_reduce_tuning *tuning)
{
    sedge_status status;
    sedge_array *to = NULL;
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    char text[SEDGE_SHAPE_TEXT];
    int dimensions = 0;

    sedge_shape_print(text, analysis->dimensions, analysis->shape);
    for (int d = 0; d < analysis->dimensions; d++)
        if (axis != SEDGE_ALL_AXES && d != axis) shape[dimensions++] = analysis->shape[d];
    const bool is_empty = sedge_shape_count(analysis->dimensions, analysis->shape) == 0 &&
                          sedge_shape_count(dimensions, shape) > 0;
    if (is_empty && formula->number >= SEDGE_MIN && formula->number <= SEDGE_ARGMAX) {
        SEDGE_TRY_GOTO(status, SEDGE_FAIL(SEDGE_ERR_USAGE,
                                          "%s of no elements: the shape is %s, and there is no "
                                          "%s of an empty set",
                                          formula->name, text, formula->name));
    }
    SEDGE_TRY_GOTO(status,
                   sedge_array_create(&to, analysis->context, formula->result, dimensions, shape));
    const sedge_reduce_call call = {analysis, formula, axis};
    SEDGE_TRY_GOTO(status, run(to, &call, tuning));
    *out = to;
    to = NULL;
done:
    sedge_array_free(to);
    sedge_analysis_free(analysis);
    return status;
}

static sedge_status prepare(sedge_analysis *analysis, sedge_expression *expression, int axis,
                            const char *name)
{
    SEDGE_TRY(sedge_expression_prepare(analysis, expression));
    if (axis == SEDGE_ALL_AXES || (axis >= 0 && axis < analysis->dimensions)) return SEDGE_OK;
    const int dimensions = analysis->dimensions;
    sedge_analysis_free(analysis);
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s over axis %d of %d dimensions: 0 to %d, or SEDGE_ALL_AXES (-1)", name,
                      axis, dimensions, dimensions - 1);
}

sedge_status sedge_array_reduce_as(sedge_array **out, int number, sedge_expression *expression,
                                   int axis, const sedge_reduce_tuning *tuning)
{
    const bool is_dot = number == SEDGE_FORMULA_DOT;
    sedge_analysis analysis;
    sedge_formula formula;

    *out = NULL;
    assert(number >= 0 && number <= SEDGE_FORMULA_DOT);
    SEDGE_TRY(prepare(&analysis, expression, axis,
                      is_dot ? "dot" : sedge_reduction_name((sedge_reduction)number)));
    if (is_dot) {
        sedge_formula_dot(&formula, analysis.type);
    } else {
        sedge_formula_make(&formula, (sedge_reduction)number, analysis.type);
    }
    return reduce(out, &analysis, &formula, axis, tuning);
}

sedge_status sedge_array_reduce(sedge_array **out, sedge_reduction reduction,
                                sedge_expression *expression, int axis)
{
    return sedge_array_reduce_as(out, (int)reduction, expression, axis, NULL);
}

sedge_status sedge_array_dot(sedge_array **out, sedge_expression *a, sedge_expression *b)
{
    return sedge_array_reduce_as(out, SEDGE_FORMULA_DOT, sedge_multiply(a, sedge_conjugate(b)),
                                 SEDGE_ALL_AXES, NULL);
}

sedge_status sedge_reduce_program_write(sedge_text *out, sedge_device_kind kind,
                                        sedge_reduction reduction, sedge_expression *expression,
                                        int axis, const sedge_reduce_tuning *tuning)
{
    sedge_status status;
    sedge_analysis analysis;
    sedge_formula formula;
    const sedge_device_info one = {.kind = kind, .multiprocessors = 1}; // and no cache
    sedge_reduce_plan plan;

    SEDGE_TRY(prepare(&analysis, expression, axis, sedge_reduction_name(reduction)));
    sedge_formula_make(&formula, reduction, analysis.type);
    sedge_reduce_plan_make(&plan, &analysis, tuning != NULL ? tuning : sedge_reduce_rule(kind),
                           &one, axis, formula.state_bytes);
    const sedge_reduce_call call = {&analysis, &formula, axis};
    status = write_program(out, kind, &call, &plan);
    sedge_analysis_free(&analysis);
    return status;
}

sedge_status sedge_array_reduce_text(sedge_array **out, const sedge_reduction_text *text,
                                     sedge_expression *expression)
{
    sedge_analysis analysis;
    sedge_formula formula;

    *out = NULL;
    SEDGE_TRY(prepare(&analysis, expression, SEDGE_ALL_AXES, text->name));
    sedge_formula_own(&formula, text, analysis.type);
    return reduce(out, &analysis, &formula, SEDGE_ALL_AXES, NULL);
}

// ---- the number of a result --------------------------------------------------------------------

// Either as an integer or, where the type has none, as a float64.
typedef struct any_number {
    bool is_integer, is_unsigned;
    int64_t integer;
    double real;
} any_number;

static sedge_status get_number(any_number *out, const sedge_array *array)
{
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        float f32;
        double f64;
        unsigned char bytes[16];
    } value;
    char shape[SEDGE_SHAPE_TEXT];
    const sedge_type type = sedge_array_type(array);

    *out = (any_number){.is_integer = sedge_type_is_integer(type)};
    if (sedge_array_dimensions(array) != 0) {
        sedge_shape_print(shape, array->dimensions, array->shape);
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "the number of an array of shape %s: only one of no dimensions has one",
                          shape);
    }
    SEDGE_TRY(sedge_array_get(array, &value));
    switch (type) {
    case SEDGE_INT8:
        out->integer = value.i8; // NOLINT(bugprone-signed-char-misuse): a number
        break;
    case SEDGE_INT16:
        out->integer = value.i16;
        break;
    case SEDGE_INT32:
        out->integer = value.i32;
        break;
    case SEDGE_UINT8:
        out->integer = value.u8;
        break;
    case SEDGE_UINT16:
        out->integer = value.u16;
        break;
    case SEDGE_UINT32:
        out->integer = value.u32;
        break;
    case SEDGE_UINT64:
        out->is_unsigned = true; // fall through
    case SEDGE_INT64:
        out->integer = value.i64;
        break;
    case SEDGE_FLOAT32:
        out->real = (double)value.f32;
        break;
    case SEDGE_FLOAT64:
        out->real = value.f64;
        break;
    case SEDGE_COMPLEX64:
    case SEDGE_COMPLEX128:
    case SEDGE_TYPES:
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "a %s is not one number: take its parts, or sedge_array_get",
                          sedge_type_name(type));
    }
    return SEDGE_OK;
}

sedge_status sedge_array_number(const sedge_array *array, double *value)
{
    any_number number;

    *value = 0.0;
    SEDGE_TRY(get_number(&number, array));
    *value = !number.is_integer   ? number.real
             : number.is_unsigned ? (double)(uint64_t)number.integer
                                  : (double)number.integer;
    return SEDGE_OK;
}

sedge_status sedge_array_integer(const sedge_array *array, int64_t *value)
{
    any_number number;

    *value = 0;
    SEDGE_TRY(get_number(&number, array));
    if (number.is_integer) {
        if (number.is_unsigned && number.integer < 0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "%llu does not fit into an int64",
                              (unsigned long long)number.integer);
        }
        *value = number.integer;
        return SEDGE_OK;
    }
    if (!(number.real >= -0x1p63 && number.real < 0x1p63))
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%g does not fit into an int64", number.real);
    *value = (int64_t)number.real;
    return SEDGE_OK;
}
