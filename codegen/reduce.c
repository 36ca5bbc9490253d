// Reductions: formulas, their kernels, and the numbers they give.
#include "codegen/reduce_internal.h"

#include "base/hash.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- types -------------------------------------------------------------------------------------

// Per type: the letters of functions in kernels/numbers.h, its real type, what sums are made in
// (wrapping), the least and the largest value.
typedef struct type_facts {
    const char *letters;
    sedge_type real, sum;
    const char *state, *least, *largest;
} type_facts;

#define INFINITE "(1.0 / 0.0)"

static const type_facts facts[SEDGE_TYPES] = {
    [SEDGE_INT8] = {"i8", SEDGE_FLOAT64, SEDGE_INT64, "sedge_uint64", "-128", "127"},
    [SEDGE_INT16] = {"i16", SEDGE_FLOAT64, SEDGE_INT64, "sedge_uint64", "-32768", "32767"},
    [SEDGE_INT32] = {"i32", SEDGE_FLOAT64, SEDGE_INT64, "sedge_uint64", "-0x7fffffff - 1",
                     "0x7fffffff"},
    [SEDGE_INT64] = {"i64", SEDGE_FLOAT64, SEDGE_INT64, "sedge_uint64", "-0x7fffffffffffffff - 1",
                     "0x7fffffffffffffff"},
    [SEDGE_UINT8] = {"u8", SEDGE_FLOAT64, SEDGE_UINT64, "sedge_uint64", "0", "255"},
    [SEDGE_UINT16] = {"u16", SEDGE_FLOAT64, SEDGE_UINT64, "sedge_uint64", "0", "65535"},
    [SEDGE_UINT32] = {"u32", SEDGE_FLOAT64, SEDGE_UINT64, "sedge_uint64", "0", "0xffffffff"},
    [SEDGE_UINT64] = {"u64", SEDGE_FLOAT64, SEDGE_UINT64, "sedge_uint64", "0",
                      "0xffffffffffffffff"},
    [SEDGE_FLOAT32] = {"f32", SEDGE_FLOAT32, SEDGE_FLOAT32, "float", "-" INFINITE, INFINITE},
    [SEDGE_FLOAT64] = {"f64", SEDGE_FLOAT64, SEDGE_FLOAT64, "double", "-" INFINITE, INFINITE},
    [SEDGE_COMPLEX64] = {"c64", SEDGE_FLOAT32, SEDGE_COMPLEX64, "sedge_complex64",
                         "sedge_make_c64(-" INFINITE ", -" INFINITE ")",
                         "sedge_make_c64(" INFINITE ", " INFINITE ")"},
    [SEDGE_COMPLEX128] = {"c128", SEDGE_FLOAT64, SEDGE_COMPLEX128, "sedge_complex128",
                          "sedge_make_c128(-" INFINITE ", -" INFINITE ")",
                          "sedge_make_c128(" INFINITE ", " INFINITE ")"},
};

static const char *const names[SEDGE_REDUCTIONS] = {"sum",    "product", "min",    "max",
                                                    "argmin", "argmax",  "any",    "all",
                                                    "count",  "norm 1",  "norm 2", "norm max"};

// ---- formulas ----------------------------------------------------------------------------------

enum { MAP, COMBINE, NEUTRAL, FINISH };

__attribute__((format(printf, 3, 4))) static void put(sedge_formula *formula, int place,
                                                      const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(formula->text[place], SEDGE_FORMULA_TEXT, format, arguments);
    va_end(arguments);
    assert(length >= 0 && length < SEDGE_FORMULA_TEXT);
    (void)length;
}

static void point_at_texts(sedge_formula *formula)
{
    formula->preamble = "";
    formula->map = formula->text[MAP];
    formula->combine = formula->text[COMBINE];
    formula->neutral = formula->text[NEUTRAL];
    formula->finish = formula->text[FINISH];
}

static void put_state(sedge_formula *formula, int bytes, const char *word)
{
    formula->state_bytes = bytes;
    (void)snprintf(formula->state, sizeof formula->state, "typedef %s reduce_state;\n", word);
}

// Sums and products, in `type`.
static void put_fold(sedge_formula *formula, sedge_type type, bool product)
{
    const char *const letters = facts[type].letters;

    put_state(formula, sedge_type_bytes(type), facts[type].state);
    if (sedge_type_is_integer(type)) formula->state_bytes = 8;
    if (sedge_type_is_complex(type)) {
        put(formula, MAP, "x");
        put(formula, COMBINE, "sedge_%s_%s(a, b)", product ? "multiply" : "add", letters);
        put(formula, NEUTRAL, "sedge_make_%s(%d, 0)", letters, product);
    } else {
        put(formula, MAP, "(%s)x", facts[type].state);
        put(formula, COMBINE, product ? "a * b" : "a + b");
        put(formula, NEUTRAL, "%d", product);
    }
    put(formula, FINISH, "(%s)s", sedge_type_word(type));
    if (sedge_type_is_complex(type)) put(formula, FINISH, "s");
    formula->result = type;
}

// reduce_before(a, b): whether a is taken and not b. Not-a-number comes first; complex numbers are
// in the order of their real parts, then of their imaginary ones.
static void put_extreme(sedge_formula *formula, bool max, bool index)
{
    const sedge_type type = formula->element;
    const char *const word = sedge_type_word(type);
    const char *const sign = max ? ">" : "<";
    char before[SEDGE_FORMULA_TEXT];

    if (sedge_type_is_complex(type)) {
        const char *const letters = facts[type].letters;
        (void)snprintf(before, sizeof before,
                       "sedge_is_nan_%s(a) ? !sedge_is_nan_%s(b) : !sedge_is_nan_%s(b) && "
                       "(a.re %s b.re || (a.re == b.re && a.im %s b.im))",
                       letters, letters, letters, sign, sign);
    } else {
        (void)snprintf(before, sizeof before, "a %s b || (a != a && b == b)", sign);
    }
    const int length = snprintf(
        formula->state, sizeof formula->state,
        "typedef struct reduce_pair {\n    %s value;\n    sedge_int64 index;\n} reduce_pair;\n"
        "typedef %s reduce_state;\n"
        "SEDGE_FUNCTION int reduce_before(%s a, %s b)\n{\n    return %s;\n}\n",
        word, index ? "reduce_pair" : word, word, word, before);
    assert(length < (int)sizeof formula->state);
    (void)length;
    formula->state_bytes = sedge_type_bytes(type);
    put(formula, MAP, "x");
    put(formula, COMBINE, "reduce_before(b, a) ? b : a");
    put(formula, NEUTRAL, "%s", max ? facts[type].least : facts[type].largest);
    put(formula, FINISH, "s");
    formula->result = type;
}

// The state is a value and where it is; of equal ones the first is taken.
static void put_place(sedge_formula *formula, bool max)
{
    put_extreme(formula, max, true);
    const size_t used = strlen(formula->state);
    const int length =
        snprintf(formula->state + used, sizeof formula->state - used,
                 "SEDGE_FUNCTION reduce_pair reduce_make(%s value, sedge_int64 index)\n{\n"
                 "    reduce_pair pair;\n    pair.value = value;\n    pair.index = index;\n"
                 "    return pair;\n}\n",
                 sedge_type_word(formula->element));
    assert(length < (int)(sizeof formula->state - used));
    (void)length;
    formula->state_bytes = sedge_type_bytes(formula->element) <= 8 ? 16 : 32;
    put(formula, MAP, "reduce_make(x, i)");
    put(formula, COMBINE,
        "reduce_before(b.value, a.value) || (!reduce_before(a.value, b.value) && "
        "b.index < a.index) ? b : a");
    put(formula, NEUTRAL, "reduce_make(%s, 0x7fffffffffffffff)",
        max ? facts[formula->element].least : facts[formula->element].largest);
    put(formula, FINISH, "s.index");
    formula->result = SEDGE_INT64;
}

static void put_truth(sedge_formula *formula, sedge_reduction reduction)
{
    const bool count = reduction == SEDGE_COUNT;

    put_state(formula, count ? 8 : 4, count ? "sedge_int64" : "int");
    if (sedge_type_is_complex(formula->element))
        put(formula, MAP, "sedge_true_%s(x)", facts[formula->element].letters);
    else
        put(formula, MAP, "x != 0");
    put(formula, COMBINE, count ? "a + b" : reduction == SEDGE_ANY ? "a | b" : "a & b");
    put(formula, NEUTRAL, reduction == SEDGE_ALL ? "1" : "0");
    put(formula, FINISH, count ? "s" : "(unsigned char)s");
    formula->result = count ? SEDGE_INT64 : SEDGE_UINT8;
}

static void put_norm(sedge_formula *formula, sedge_reduction reduction)
{
    const sedge_type real = facts[formula->element].real;
    const char *const letters = facts[real].letters;
    const char *const f = real == SEDGE_FLOAT32 ? "f" : "";
    const bool is_complex = sedge_type_is_complex(formula->element);

    put_state(formula, sedge_type_bytes(real), facts[real].state);
    if (reduction == SEDGE_NORM_2)
        put(formula, MAP, is_complex ? "x.re * x.re + x.im * x.im" : "sedge_square_%s(x)", letters);
    else if (is_complex)
        put(formula, MAP, "sedge_absolute_%s(x)", facts[formula->element].letters);
    else
        put(formula, MAP, "fabs%s((%s)x)", f, facts[real].state);
    put(formula, COMBINE, reduction == SEDGE_NORM_MAX ? "sedge_maximum_%s(a, b)" : "a + b",
        letters);
    put(formula, NEUTRAL, "0");
    put(formula, FINISH, reduction == SEDGE_NORM_2 ? "sqrt%s(s)" : "s", f);
    formula->result = real;
}

static void put_formula(sedge_formula *formula, sedge_reduction reduction, sedge_type element)
{
    *formula =
        (sedge_formula){.name = names[reduction], .number = (int)reduction, .element = element};
    point_at_texts(formula);
    switch (reduction) {
    case SEDGE_SUM:
    case SEDGE_PRODUCT:
        put_fold(formula, facts[element].sum, reduction == SEDGE_PRODUCT);
        break;
    case SEDGE_MIN:
    case SEDGE_MAX:
        put_extreme(formula, reduction == SEDGE_MAX, false);
        break;
    case SEDGE_ARGMIN:
    case SEDGE_ARGMAX:
        put_place(formula, reduction == SEDGE_ARGMAX);
        break;
    case SEDGE_ANY:
    case SEDGE_ALL:
    case SEDGE_COUNT:
        put_truth(formula, reduction);
        break;
    case SEDGE_NORM_1:
    case SEDGE_NORM_2:
    case SEDGE_NORM_MAX:
        put_norm(formula, reduction);
        break;
    case SEDGE_REDUCTIONS:
        assert(false);
        break;
    }
}

// ---- the kernel's text -------------------------------------------------------------------------

static sedge_status write_arrays(sedge_text *out, const sedge_reduce_plan *plan,
                                 const sedge_analysis *analysis)
{
    const int pack = plan->shape.pack;

    for (int k = 0; k < analysis->leaves; k++) {
        const sedge_type type = analysis->leaf[k].type;
        if (analysis->leaf[k].array == NULL) continue;
        SEDGE_TRY(sedge_text_add(out,
                                 "typedef %s reduce_type%d;\n"
                                 "typedef struct SEDGE_ALIGN(%d) reduce_pack%d {\n"
                                 "    reduce_type%d w[%d];\n} reduce_pack%d;\n",
                                 sedge_type_word(type), k, pack * sedge_type_bytes(type), k, k,
                                 pack, k));
    }
    SEDGE_TRY(sedge_text_add(out, "#define REDUCE_ARRAYS(X)"));
    for (int k = 0; k < analysis->leaves; k++)
        if (analysis->leaf[k].array != NULL) SEDGE_TRY(sedge_text_add(out, " X(%d)", k));
    SEDGE_TRY(sedge_text_add(out, "\n#define REDUCE_POINTERS(X)"));
    for (int k = 0; k < analysis->leaves; k++)
        if (analysis->leaf[k].array != NULL)
            SEDGE_TRY(sedge_text_add(
                out, " X(const SEDGE_GLOBAL reduce_type%d *SEDGE_RESTRICT, array%d)", k, k));
    SEDGE_TRY(sedge_text_add(out, "\n#define REDUCE_NUMBERS(X)"));
    for (int k = 0; k < analysis->leaves; k++)
        if (analysis->leaf[k].array == NULL)
            SEDGE_TRY(
                sedge_text_add(out, " X(%s, leaf%d)", sedge_type_word(analysis->leaf[k].type), k));
    return sedge_text_add(out, "\n");
}

// What stands before the preamble: constants and types.
static sedge_status write_types(sedge_text *out, const sedge_reduce_plan *plan,
                                const sedge_analysis *analysis, const sedge_formula *formula)
{
    const sedge_reduce_shape *const shape = &plan->shape;

    SEDGE_TRY(sedge_text_add(out,
                             "#define REDUCE_FORM      %d\n#define REDUCE_ELEMENTS  %d\n"
                             "#define REDUCE_ROWS_FAST %d\n#define REDUCE_ROWS      %d\n"
                             "#define REDUCE_LANES     %d\n#define REDUCE_PACK      %d\n"
                             "#define REDUCE_UNROLL    %d\n#define REDUCE_RUN       %d\n"
                             "#define REDUCE_RESIDENT  %d\n",
                             shape->form, shape->elements, shape->rows_fast, shape->rows,
                             shape->lanes, shape->pack, shape->unroll, shape->run,
                             shape->resident));
    SEDGE_TRY(sedge_text_add(out, "typedef %s reduce_value;\ntypedef %s reduce_result;\n%s",
                             sedge_type_word(formula->element), sedge_type_word(formula->result),
                             formula->state));
    SEDGE_TRY(write_arrays(out, plan, analysis));
    return sedge_reduce_places_write(out, plan, analysis);
}

// The beginning of reduce_map, up to the formula.
static sedge_status write_map(sedge_text *out, const sedge_analysis *analysis)
{
    SEDGE_TRY(sedge_text_add(out, "SEDGE_FUNCTION reduce_state reduce_map("));
    for (int k = 0; k < analysis->leaves; k++)
        if (analysis->leaf[k].array != NULL)
            SEDGE_TRY(sedge_text_add(out, "reduce_type%d leaf%d, ", k, k));
    SEDGE_TRY(sedge_text_add(out, "sedge_int64 i"));
    for (int k = 0; k < analysis->leaves; k++)
        if (analysis->leaf[k].array == NULL)
            SEDGE_TRY(
                sedge_text_add(out, ", %s leaf%d", sedge_type_word(analysis->leaf[k].type), k));
    return sedge_text_add(out,
                          ")\n{\n    const reduce_value x = %s;\n    (void)i;\n    (void)x;\n"
                          "    return (\n",
                          sedge_text_get(analysis->text));
}

// A program's sources: between the user's pieces stands what makes functions of them.
typedef struct reduce_sources {
    sedge_text *types, *map; // owned
    char program[128], places[5][128];
    sedge_source source[13];
    sedge_program_options options;
} reduce_sources;

static void sources_free(reduce_sources *sources)
{
    sedge_text_free(sources->map);
    sedge_text_free(sources->types);
}

static sedge_status sources_make(reduce_sources *out, const sedge_reduce_plan *plan,
                                 sedge_analysis *analysis, const sedge_formula *formula)
{
    static const char *const pieces[5] = {"preamble", "map", "combine", "neutral", "result"};
    static const char *const between[4] = {
        ");\n}\nSEDGE_FUNCTION reduce_state reduce_combine(const reduce_state a, "
        "const reduce_state b)\n{\n    return (",
        ");\n}\nSEDGE_FUNCTION reduce_state reduce_neutral(void)\n{\n    return (",
        ");\n}\nSEDGE_FUNCTION reduce_result reduce_finish(const reduce_state s)\n{\n    return (",
        ");\n}"};
    const char *const texts[5] = {formula->preamble, formula->map, formula->combine,
                                  formula->neutral, formula->finish};
    int count = 0;

    memset(out, 0, sizeof *out);
    SEDGE_TRY(sedge_analysis_write(analysis));
    SEDGE_TRY(sedge_text_create(&out->types));
    SEDGE_TRY(sedge_text_create(&out->map));
    SEDGE_TRY(write_types(out->types, plan, analysis, formula));
    SEDGE_TRY(write_map(out->map, analysis));
    out->source[count++] = (sedge_source){"codegen/kernels/numbers.h", NULL};
    out->source[count++] = (sedge_source){"reduction, types", sedge_text_get(out->types)};
    for (int k = 0; k < 5; k++) {
        (void)snprintf(out->places[k], sizeof out->places[k], "%s, %s", formula->name, pieces[k]);
        if (k == 1)
            out->source[count++] =
                (sedge_source){"reduction, expression", sedge_text_get(out->map)};
        out->source[count++] = (sedge_source){out->places[k], texts[k]};
        if (k >= 1) out->source[count++] = (sedge_source){"reduction", between[k - 1]};
    }
    out->source[count++] = (sedge_source){"codegen/kernels/reduce.h", NULL};
    (void)snprintf(out->program, sizeof out->program, "reduce-%s", formula->name);
    out->options = (sedge_program_options){
        .name = out->program, .constants = "", .sources = out->source, .count = count};
    return SEDGE_OK;
}

static sedge_status make_recipe(sedge_recipe *recipe, const sedge_reduce_plan *plan,
                                sedge_analysis *analysis, const sedge_formula *formula)
{
    sedge_status status;
    reduce_sources sources;
    const sedge_program *program;

    SEDGE_TRY_GOTO(status, sources_make(&sources, plan, analysis, formula));
    SEDGE_TRY_GOTO(status, sedge_context_program(analysis->context, &program, &sources.options));
    SEDGE_TRY_GOTO(status, sedge_program_get(&recipe->kernel[0], program, "sedge_reduce"));
    SEDGE_TRY_GOTO(status, sedge_program_get(&recipe->kernel[1], program, "sedge_reduce_finish"));
done:
    sources_free(&sources);
    return status;
}

// ---- recipes -----------------------------------------------------------------------------------

enum { KEY_MOST = 64 + SEDGE_HASH_BYTES + (int)sizeof(sedge_reduce_shape) + SEDGE_EXPRESSION_KEY };

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

// Everything that the kernel's text is made from: the formula by its number, the user's by a hash.
static void make_key(reduce_key *key, const sedge_reduce_plan *plan, const sedge_analysis *analysis,
                     const sedge_formula *formula)
{
    key->bytes = 0;
    add_key(key, "reduce", 6);
    add_key(key, &formula->number, (int)sizeof formula->number);
    add_key(key, &plan->shape, (int)sizeof plan->shape);
    add_key(key, analysis->key, analysis->key_bytes);
    if (formula->number < SEDGE_FORMULA_OWN) return;

    const char *const texts[] = {formula->name,    formula->preamble, formula->map,
                                 formula->combine, formula->neutral,  formula->state};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    size_t lengths[TEXTS];
    for (int k = 0; k < TEXTS; k++) lengths[k] = strlen(texts[k]);
    const sedge_hash hash = sedge_hash_fields((const void *const *)texts, lengths, TEXTS);
    add_key(key, &hash, (int)sizeof hash);
}

static sedge_status get_recipe(const sedge_recipe **out, const sedge_reduce_plan *plan,
                               sedge_analysis *analysis, const sedge_formula *formula)
{
    reduce_key key;

    make_key(&key, plan, analysis, formula);
    *out = sedge_recipe_find(analysis->context, key.at, key.bytes);
    if (*out != NULL) return SEDGE_OK;

    sedge_recipe recipe = {.threads = plan->shape.rows * plan->shape.lanes};
    SEDGE_TRY(make_recipe(&recipe, plan, analysis, formula));
    SEDGE_TRY(sedge_recipe_keep(analysis->context, key.at, key.bytes, &recipe));
    *out = sedge_recipe_find(analysis->context, key.at, key.bytes);
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

enum { ARGUMENTS_MOST = 7 + SEDGE_LEAVES + SEDGE_REDUCE_NUMBERS_MOST };

static sedge_status launch(const sedge_reduce_plan *plan, const sedge_analysis *analysis,
                           const sedge_recipe *recipe, const sedge_buffer *parts,
                           const sedge_array *to)
{
    sedge_argument arguments[ARGUMENTS_MOST] = {
        sedge_buffer_argument(parts),       sedge_address_argument(sedge_array_address(to)),
        sedge_int64_argument(plan->rows),   sedge_int64_argument(plan->columns),
        sedge_int64_argument(plan->length), sedge_int64_argument(plan->chunk),
        sedge_int64_argument(plan->cuts),
    };
    int64_t numbers[SEDGE_REDUCE_NUMBERS_MOST];
    int count = 7;
    sedge_stream *const stream = sedge_context_stream(analysis->context);

    for (int k = 0; k < analysis->leaves; k++)
        if (analysis->leaf[k].array != NULL)
            arguments[count++] =
                sedge_address_argument(sedge_array_address(analysis->leaf[k].array));
    for (int k = 0; k < analysis->leaves; k++)
        if (analysis->leaf[k].array == NULL)
            arguments[count++] = number_argument(&analysis->leaf[k]);
    const int places = sedge_reduce_places_values(numbers, plan, analysis);
    for (int n = 0; n < places; n++) arguments[count++] = sedge_int64_argument(numbers[n]);
    SEDGE_TRY(sedge_launch(recipe->kernel[0], stream, plan->groups * plan->cuts, arguments, count));
    if (plan->cuts == 1) return SEDGE_OK;
    return SEDGE_LAUNCH(recipe->kernel[1], stream, plan->rows, arguments[0], arguments[1],
                        arguments[6]);
}

static sedge_status run(sedge_array *to, sedge_analysis *analysis, const sedge_formula *formula,
                        int axis)
{
    sedge_status status;
    sedge_reduce_plan plan;
    const sedge_recipe *recipe;
    void *block = NULL;
    sedge_buffer *parts = NULL;

    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(analysis->context));

    sedge_reduce_plan_make(&plan, analysis, info->kind, info->multiprocessors, axis,
                           formula->state_bytes);
    if (plan.rows == 0) return SEDGE_OK;
    SEDGE_TRY(get_recipe(&recipe, &plan, analysis, formula));
    if (plan.cuts > 1)
        SEDGE_TRY(sedge_pool_take(analysis->context, plan.rows * plan.cuts * formula->state_bytes,
                                  &block, &parts));
    status = launch(&plan, analysis, recipe, parts, to);
    if (block != NULL) sedge_pool_give(analysis->context, block);
    return status;
}

// Sets `*out`, and takes over the analysis.
static sedge_status reduce(sedge_array **out, sedge_analysis *analysis,
                           const sedge_formula *formula, int axis, bool needs_elements)
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
    if (is_empty && needs_elements) {
        SEDGE_TRY_GOTO(status, SEDGE_FAIL(SEDGE_ERR_USAGE,
                                          "%s of no elements: the shape is %s, and there is no "
                                          "%s of an empty set",
                                          formula->name, text, formula->name));
    }
    SEDGE_TRY_GOTO(status,
                   sedge_array_create(&to, analysis->context, formula->result, dimensions, shape));
    SEDGE_TRY_GOTO(status, run(to, analysis, formula, axis));
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

sedge_status sedge_array_reduce(sedge_array **out, sedge_reduction reduction,
                                sedge_expression *expression, int axis)
{
    sedge_analysis analysis;
    sedge_formula formula;

    *out = NULL;
    assert(reduction >= 0 && reduction < SEDGE_REDUCTIONS);
    SEDGE_TRY(prepare(&analysis, expression, axis, names[reduction]));
    put_formula(&formula, reduction, analysis.type);
    const bool needs_elements = reduction >= SEDGE_MIN && reduction <= SEDGE_ARGMAX;
    return reduce(out, &analysis, &formula, axis, needs_elements);
}

sedge_status sedge_reduce_program_write(sedge_text *out, sedge_device_kind kind,
                                        sedge_reduction reduction, sedge_expression *expression,
                                        int axis)
{
    sedge_status status;
    sedge_analysis analysis;
    sedge_formula formula;
    sedge_reduce_plan plan;
    reduce_sources sources = {0};

    SEDGE_TRY(prepare(&analysis, expression, axis, names[reduction]));
    put_formula(&formula, reduction, analysis.type);
    sedge_reduce_plan_make(&plan, &analysis, kind, 1, axis, formula.state_bytes);
    SEDGE_TRY_GOTO(status, sources_make(&sources, &plan, &analysis, &formula));
    SEDGE_TRY_GOTO(status, sedge_program_write(out, kind, &sources.options));
done:
    sources_free(&sources);
    sedge_analysis_free(&analysis);
    return status;
}

sedge_status sedge_array_dot(sedge_array **out, sedge_expression *a, sedge_expression *b)
{
    sedge_analysis analysis;
    sedge_formula formula = {.name = "dot", .number = SEDGE_FORMULA_DOT};

    *out = NULL;
    SEDGE_TRY(prepare(&analysis, sedge_multiply(a, sedge_conjugate(b)), SEDGE_ALL_AXES, "dot"));
    formula.element = analysis.type;
    point_at_texts(&formula);
    put_fold(&formula, analysis.type, false);
    return reduce(out, &analysis, &formula, SEDGE_ALL_AXES, false);
}

sedge_status sedge_array_reduce_text(sedge_array **out, const sedge_reduction_text *text,
                                     sedge_expression *expression)
{
    sedge_analysis analysis;
    sedge_formula formula = {.name = text->name,
                             .number = SEDGE_FORMULA_OWN,
                             .preamble = text->preamble != NULL ? text->preamble : "",
                             .result = text->type,
                             .map = text->map,
                             .combine = text->combine,
                             .neutral = text->neutral,
                             .finish = "s"};

    *out = NULL;
    SEDGE_TRY(prepare(&analysis, expression, SEDGE_ALL_AXES, text->name));
    formula.element = analysis.type;
    put_state(&formula, sedge_type_bytes(text->type), sedge_type_word(text->type));
    return reduce(out, &analysis, &formula, SEDGE_ALL_AXES, false);
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
        out->integer = value.i8;
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
        if (number.is_unsigned && number.integer < 0)
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "%llu does not fit into an int64",
                              (unsigned long long)number.integer);
        *value = number.integer;
        return SEDGE_OK;
    }
    if (!(number.real >= -0x1p63 && number.real < 0x1p63))
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%g does not fit into an int64", number.real);
    *value = (int64_t)number.real;
    return SEDGE_OK;
}
