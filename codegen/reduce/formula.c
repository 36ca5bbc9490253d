// Formulas of reductions and scans.
#include "reduce/formula.h"

#include "array/type.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- types -------------------------------------------------------------------------------------

// Per type: the letters of functions in kernels/array/numbers.h, its real type, what sums are made
// in (wrapping), the least and the largest value.
typedef struct type_facts {
    const char *letters;
    sedge_type real, sum;
    const char *state, *least, *largest;
} type_facts;

// Not a division by 0, which NVRTC does not understand as infinity.
#define INFINITE "formula_infinity()"

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

// A formula whose texts are its own.
static void begin(sedge_formula *out, const char *name, int number, sedge_type element)
{
    *out = (sedge_formula){.name = name, .number = number, .preamble = "", .element = element};
    out->map = out->text[MAP];
    out->combine = out->text[COMBINE];
    out->neutral = out->text[NEUTRAL];
    out->finish = out->text[FINISH];
}

static void put_state(sedge_formula *formula, int bytes, const char *word)
{
    formula->state_bytes = bytes;
    (void)snprintf(formula->state, sizeof formula->state, "typedef %s formula_state;\n", word);
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

// formula_before(a, b): whether a is taken and not b. Not-a-number comes first; complex numbers are
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
                       "(sedge_is_nan_%s(a) & !sedge_is_nan_%s(b)) | (!sedge_is_nan_%s(b) & "
                       "((a.re %s b.re) | ((a.re == b.re) & (a.im %s b.im))))",
                       letters, letters, letters, sign, sign);
    } else {
        (void)snprintf(before, sizeof before, "(a %s b) | ((a != a) & (b == b))", sign);
    }
    const int length = snprintf(
        formula->state, sizeof formula->state,
        "typedef struct formula_pair {\n    %s value;\n    sedge_int64 index;\n} formula_pair;\n"
        "typedef %s formula_state;\n"
        "SEDGE_FUNCTION int formula_before(%s a, %s b)\n{\n    return %s;\n}\n",
        word, index ? "formula_pair" : word, word, word, before);
    assert(length < (int)sizeof formula->state);
    (void)length;
    formula->state_bytes = sedge_type_bytes(type);
    put(formula, MAP, "x");
    put(formula, COMBINE, "formula_before(b, a) ? b : a");
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
                 "SEDGE_FUNCTION formula_pair formula_make(%s value, sedge_int64 index)\n{\n"
                 "    formula_pair pair;\n    pair.value = value;\n    pair.index = index;\n"
                 "    return pair;\n}\n",
                 sedge_type_word(formula->element));
    assert(length < (int)(sizeof formula->state - used));
    (void)length;
    formula->state_bytes = sedge_type_bytes(formula->element) <= 8 ? 16 : 32;
    put(formula, MAP, "formula_make(x, i)");
    put(formula, COMBINE,
        "formula_before(b.value, a.value) || (!formula_before(a.value, b.value) && "
        "b.index < a.index) ? b : a");
    put(formula, NEUTRAL, "formula_make(%s, 0x7fffffffffffffff)",
        max ? facts[formula->element].least : facts[formula->element].largest);
    put(formula, FINISH, "s.index");
    formula->result = SEDGE_INT64;
}

static void put_truth(sedge_formula *formula, sedge_reduction reduction)
{
    const bool count = reduction == SEDGE_COUNT;

    put_state(formula, count ? 8 : 4, count ? "sedge_int64" : "int");
    if (sedge_type_is_complex(formula->element)) {
        put(formula, MAP, "sedge_true_%s(x)", facts[formula->element].letters);
    } else {
        put(formula, MAP, "x != 0");
    }
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
    if (reduction == SEDGE_NORM_2) {
        put(formula, MAP, is_complex ? "x.re * x.re + x.im * x.im" : "sedge_square_%s(x)", letters);
    } else if (is_complex) {
        put(formula, MAP, "sedge_absolute_%s(x)", facts[formula->element].letters);
    } else {
        put(formula, MAP, "fabs%s((%s)x)", f, facts[real].state);
    }
    put(formula, COMBINE, reduction == SEDGE_NORM_MAX ? "sedge_maximum_%s(a, b)" : "a + b",
        letters);
    put(formula, NEUTRAL, "0");
    put(formula, FINISH, reduction == SEDGE_NORM_2 ? "sqrt%s(s)" : "s", f);
    formula->result = real;
}

void sedge_formula_make(sedge_formula *out, sedge_reduction reduction, sedge_type element)
{
    begin(out, names[reduction], (int)reduction, element);
    switch (reduction) {
    case SEDGE_SUM:
    case SEDGE_PRODUCT:
        put_fold(out, facts[element].sum, reduction == SEDGE_PRODUCT);
        break;
    case SEDGE_MIN:
    case SEDGE_MAX:
        put_extreme(out, reduction == SEDGE_MAX, false);
        break;
    case SEDGE_ARGMIN:
    case SEDGE_ARGMAX:
        put_place(out, reduction == SEDGE_ARGMAX);
        break;
    case SEDGE_ANY:
    case SEDGE_ALL:
    case SEDGE_COUNT:
        put_truth(out, reduction);
        break;
    case SEDGE_NORM_1:
    case SEDGE_NORM_2:
    case SEDGE_NORM_MAX:
        put_norm(out, reduction);
        break;
    case SEDGE_REDUCTIONS:
        assert(false);
        break;
    }
}

const char *sedge_reduction_name(sedge_reduction reduction)
{
    return names[reduction];
}

void sedge_formula_dot(sedge_formula *out, sedge_type element)
{
    begin(out, "dot", SEDGE_FORMULA_DOT, element);
    put_fold(out, element, false);
}

void sedge_formula_own(sedge_formula *out, const sedge_reduction_text *text, sedge_type element)
{
    begin(out, text->name, SEDGE_FORMULA_OWN, element);
    if (text->preamble != NULL) out->preamble = text->preamble;
    out->map = text->map;
    out->combine = text->combine;
    out->neutral = text->neutral;
    out->result = text->type;
    put(out, FINISH, "s");
    put_state(out, sedge_type_bytes(text->type), sedge_type_word(text->type));
}

bool sedge_formula_may_fuse(const sedge_formula *formula)
{
    if (formula->number == SEDGE_FORMULA_OWN) return true;
    return sedge_type_is_complex(formula->element) &&
           (formula->number == SEDGE_PRODUCT || formula->number == SEDGE_FORMULA_DOT ||
            formula->number == SEDGE_NORM_1 || formula->number == SEDGE_NORM_2 ||
            formula->number == SEDGE_NORM_MAX);
}

// ---- in programs -------------------------------------------------------------------------------

int sedge_formula_key(unsigned char key[SEDGE_FORMULA_KEY], const sedge_formula *formula)
{
    const char *const texts[] = {formula->name,    formula->preamble, formula->map,
                                 formula->combine, formula->neutral,  formula->state};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    size_t lengths[TEXTS];

    memcpy(key, &formula->number, sizeof formula->number);
    if (formula->number < SEDGE_FORMULA_OWN) return (int)sizeof formula->number;
    for (int k = 0; k < TEXTS; k++) lengths[k] = strlen(texts[k]);
    const sedge_hash hash = sedge_hash_fields((const void *const *)texts, lengths, TEXTS);
    memcpy(key + sizeof formula->number, hash.bytes, SEDGE_HASH_BYTES);
    return SEDGE_FORMULA_KEY;
}

void sedge_formula_sources_make(sedge_formula_sources *out, const sedge_formula *formula,
                                const char *kind, const char *types, const char *map,
                                const char *kernels)
{
    static const char *const pieces[5] = {"preamble", "map", "combine", "neutral", "result"};
    static const char *const between[5] = {
        "",
        ");\n}\nSEDGE_FUNCTION formula_state formula_combine(const formula_state a, "
        "const formula_state b)\n{\n    return (",
        ");\n}\nSEDGE_FUNCTION formula_state formula_neutral(void)\n{\n    return (",
        ");\n}\nSEDGE_FUNCTION formula_result formula_finish(const formula_state s)\n{\n"
        "    return (",
        ");\n}"};
    const char *const texts[5] = {formula->preamble, formula->map, formula->combine,
                                  formula->neutral, formula->finish};
    int count = 0;

    out->source[count++] = (sedge_source){"codegen/kernels/array/numbers.h", NULL};
    out->source[count++] = (sedge_source){"codegen/kernels/reduce/formula.h", NULL};
    out->source[count++] = (sedge_source){"types", types};
    for (int k = 0; k < 5; k++) {
        (void)snprintf(out->places[k], sizeof out->places[k], "%s, %s", formula->name, pieces[k]);
        out->source[count++] = (sedge_source){out->places[k], texts[k]};
        out->source[count++] = (sedge_source){"functions", k == 0 ? map : between[k]};
    }
    out->source[count++] = (sedge_source){kernels, NULL};
    (void)snprintf(out->program, sizeof out->program, "%s-%s", kind, formula->name);
    out->options = (sedge_program_options){
        .name = out->program, .constants = "", .sources = out->source, .count = count};
}
