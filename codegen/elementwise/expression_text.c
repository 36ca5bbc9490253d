// The C text of an analysed expression.
#include "elementwise/expression_text.h"
#include "elementwise/expression.h"

#include <string.h>

// How an operation is written in integers, floating-point and complex numbers; NULL: not at all.
// $a $b $c are the operands, $s the type's letters, $f C's suffix, $t the type of the result.
typedef struct operation_forms {
    const char *integer, *real, *complex;
} operation_forms;

#define FUNCTION_1(name) "sedge_" #name "_$s($a)"
#define FUNCTION_2(name) "sedge_" #name "_$s($a, $b)"

static const operation_forms forms[OPERATIONS] = {
    [OPERATION_add] = {FUNCTION_2(add), "($a + $b)", FUNCTION_2(add)},
    [OPERATION_subtract] = {FUNCTION_2(subtract), "($a - $b)", FUNCTION_2(subtract)},
    [OPERATION_multiply] = {FUNCTION_2(multiply), "($a * $b)", FUNCTION_2(multiply)},
    [OPERATION_divide] = {NULL, "($a / $b)", FUNCTION_2(divide)},
    [OPERATION_floor_divide] = {FUNCTION_2(floor_divide), FUNCTION_2(floor_divide), NULL},
    [OPERATION_remainder] = {FUNCTION_2(remainder), FUNCTION_2(remainder), NULL},
    [OPERATION_power] = {FUNCTION_2(power), "pow$f($a, $b)", FUNCTION_2(power)},
    [OPERATION_minimum] = {FUNCTION_2(minimum), FUNCTION_2(minimum), NULL},
    [OPERATION_maximum] = {FUNCTION_2(maximum), FUNCTION_2(maximum), NULL},
    [OPERATION_arctan2] = {NULL, "atan2$f($a, $b)", NULL},
    [OPERATION_hypot] = {NULL, "hypot$f($a, $b)", NULL},
    [OPERATION_bit_and] = {"($t)($a & $b)", NULL, NULL},
    [OPERATION_bit_or] = {"($t)($a | $b)", NULL, NULL},
    [OPERATION_bit_xor] = {"($t)($a ^ $b)", NULL, NULL},
    [OPERATION_shift_left] = {FUNCTION_2(shift_left), NULL, NULL},
    [OPERATION_shift_right] = {FUNCTION_2(shift_right), NULL, NULL},
    [OPERATION_less] = {"($t)($a < $b)", "($t)($a < $b)", NULL},
    [OPERATION_less_equal] = {"($t)($a <= $b)", "($t)($a <= $b)", NULL},
    [OPERATION_greater] = {"($t)($a > $b)", "($t)($a > $b)", NULL},
    [OPERATION_greater_equal] = {"($t)($a >= $b)", "($t)($a >= $b)", NULL},
    [OPERATION_equal] = {"($t)($a == $b)", "($t)($a == $b)", "($t)sedge_equal_$s($a, $b)"},
    [OPERATION_not_equal] = {"($t)($a != $b)", "($t)($a != $b)", "($t)!sedge_equal_$s($a, $b)"},
    [OPERATION_and] = {"($t)($a && $b)", "($t)($a && $b)", "($t)($a && $b)"},
    [OPERATION_or] = {"($t)($a || $b)", "($t)($a || $b)", "($t)($a || $b)"},
    [OPERATION_not] = {"($t)!$a", "($t)!$a", "($t)!$a"},
    [OPERATION_negative] = {FUNCTION_1(negative), "(-$a)", FUNCTION_1(negative)},
    [OPERATION_absolute] = {FUNCTION_1(absolute), "fabs$f($a)", FUNCTION_1(absolute)},
    [OPERATION_square_root] = {NULL, "sqrt$f($a)", FUNCTION_1(sqrt)},
    [OPERATION_exp] = {NULL, "exp$f($a)", FUNCTION_1(exp)},
    [OPERATION_log] = {NULL, "log$f($a)", FUNCTION_1(log)},
    [OPERATION_log10] = {NULL, "log10$f($a)", FUNCTION_1(log10)},
    [OPERATION_sin] = {NULL, "sin$f($a)", FUNCTION_1(sin)},
    [OPERATION_cos] = {NULL, "cos$f($a)", FUNCTION_1(cos)},
    [OPERATION_tan] = {NULL, "tan$f($a)", FUNCTION_1(tan)},
    [OPERATION_arcsin] = {NULL, "asin$f($a)", FUNCTION_1(arcsin)},
    [OPERATION_arccos] = {NULL, "acos$f($a)", FUNCTION_1(arccos)},
    [OPERATION_arctan] = {NULL, "atan$f($a)", FUNCTION_1(arctan)},
    [OPERATION_sinh] = {NULL, "sinh$f($a)", FUNCTION_1(sinh)},
    [OPERATION_cosh] = {NULL, "cosh$f($a)", FUNCTION_1(cosh)},
    [OPERATION_tanh] = {NULL, "tanh$f($a)", FUNCTION_1(tanh)},
    [OPERATION_floor] = {"$a", "floor$f($a)", NULL},
    [OPERATION_ceil] = {"$a", "ceil$f($a)", NULL},
    [OPERATION_conjugate] = {"$a", "$a", FUNCTION_1(conjugate)},
    [OPERATION_real_of] = {"$a", "$a", "$a.re"},
    [OPERATION_imaginary_of] = {"($t)0", "($t)0", "$a.im"},
    [OPERATION_square] = {FUNCTION_1(square), FUNCTION_1(square), FUNCTION_1(square)},
    [OPERATION_is_nan] = {"($t)0", "($t)sedge_is_nan_$s($a)", "($t)sedge_is_nan_$s($a)"},
    [OPERATION_WHERE] = {"($a ? $b : $c)", "($a ? $b : $c)", "sedge_where_$s($a, $b, $c)"},
};

// Comparisons of 64-bit integers of which only one has a sign, by value: signed first, or second.
// As everywhere in the forms an operand stands once: its text may be long.
static const char *const mixed_forms[OPERATIONS][2] = {
    [OPERATION_less] = {"($t)sedge_less_iu($a, $b)", "($t)!sedge_less_equal_iu($b, $a)"},
    [OPERATION_less_equal] = {"($t)sedge_less_equal_iu($a, $b)", "($t)!sedge_less_iu($b, $a)"},
    [OPERATION_greater] = {"($t)!sedge_less_equal_iu($a, $b)", "($t)sedge_less_iu($b, $a)"},
    [OPERATION_greater_equal] = {"($t)!sedge_less_iu($a, $b)", "($t)sedge_less_equal_iu($b, $a)"},
    [OPERATION_equal] = {"($t)sedge_equal_iu($a, $b)", "($t)sedge_equal_iu($b, $a)"},
    [OPERATION_not_equal] = {"($t)!sedge_equal_iu($a, $b)", "($t)!sedge_equal_iu($b, $a)"},
};

static const char *const type_letters[SEDGE_TYPES] = {
    [SEDGE_INT8] = "i8",     [SEDGE_INT16] = "i16",     [SEDGE_INT32] = "i32",
    [SEDGE_INT64] = "i64",   [SEDGE_UINT8] = "u8",      [SEDGE_UINT16] = "u16",
    [SEDGE_UINT32] = "u32",  [SEDGE_UINT64] = "u64",    [SEDGE_FLOAT32] = "f32",
    [SEDGE_FLOAT64] = "f64", [SEDGE_COMPLEX64] = "c64", [SEDGE_COMPLEX128] = "c128",
};

static const char *form_of(sedge_operation operation, sedge_type type)
{
    if (sedge_type_is_integer(type)) return forms[operation].integer;
    return sedge_type_is_complex(type) ? forms[operation].complex : forms[operation].real;
}

bool sedge_expression_has_form(sedge_operation operation, sedge_type type)
{
    return form_of(operation, type) != NULL;
}

// ---- conversions -------------------------------------------------------------------------------

static sedge_status write_to_complex(sedge_text *out, const char *value, sedge_type from,
                                     sedge_type to)
{
    const char *const letters = type_letters[to];
    const char *const part = to == SEDGE_COMPLEX64 ? "float" : "double";

    if (sedge_type_is_complex(from))
        return sedge_text_add(out, "sedge_%s_from_%s(%s)", letters, type_letters[from], value);
    return sedge_text_add(out, "sedge_make_%s((%s)%s, 0)", letters, part, value);
}

// Through a type that holds more, so that numbers beyond the narrow one wrap on every machine.
static sedge_status write_to_integer(sedge_text *out, const char *value, sedge_type to)
{
    if (to == SEDGE_UINT64) return sedge_text_add(out, "sedge_u64_from_f64(%s)", value);
    if (to == SEDGE_UINT32) return sedge_text_add(out, "(unsigned)(sedge_int64)%s", value);
    if (sedge_type_bytes(to) < 4)
        return sedge_text_add(out, "(%s)(int)%s", sedge_type_word(to), value);
    return sedge_text_add(out, "(%s)%s", sedge_type_word(to), value);
}

sedge_status sedge_conversion_write(sedge_text *out, const char *value, sedge_type from,
                                    sedge_type to)
{
    sedge_status status;
    sedge_text *part = NULL;

    if (from == to) return sedge_text_add(out, "%s", value);
    if (sedge_type_is_complex(to)) return write_to_complex(out, value, from, to);
    if (sedge_type_is_complex(from)) {
        SEDGE_TRY(sedge_text_create(&part));
        SEDGE_TRY_GOTO(status, sedge_text_add(part, "%s.re", value));
        SEDGE_TRY_GOTO(status, sedge_conversion_write(
                                   out, sedge_text_get(part),
                                   from == SEDGE_COMPLEX64 ? SEDGE_FLOAT32 : SEDGE_FLOAT64, to));
        goto done;
    }
    if (sedge_type_is_integer(to) && !sedge_type_is_integer(from))
        return write_to_integer(out, value, to);
    return sedge_text_add(out, "(%s)%s", sedge_type_word(to), value);
done:
    sedge_text_free(part);
    return status;
}

// ---- trees -------------------------------------------------------------------------------------

static bool is_logic(const sedge_expression *node, int k)
{
    return node->operation == OPERATION_and || node->operation == OPERATION_or ||
           node->operation == OPERATION_not || (node->operation == OPERATION_WHERE && k == 0);
}

// Operand `k`, as the operation wants it: one word, one call, or in parentheses.
static sedge_status write_operand(sedge_text *out, const sedge_expression *node, int k)
{
    const sedge_expression *const operand = node->operand[k];
    const sedge_type required = node->operand_type[k];
    const bool truth = is_logic(node, k) && sedge_type_is_complex(required);
    sedge_status status;
    sedge_text *plain = NULL;
    sedge_text *converted = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&plain));
    SEDGE_TRY_GOTO(status, sedge_text_create(&converted));
    SEDGE_TRY_GOTO(status, sedge_expression_write(plain, operand));
    SEDGE_TRY_GOTO(
        status, sedge_conversion_write(converted, sedge_text_get(plain), operand->type, required));
    const char *const text = sedge_text_get(converted);
    if (truth) {
        SEDGE_TRY_GOTO(status,
                       sedge_text_add(out, "sedge_true_%s(%s)", type_letters[required], text));
    } else {
        const bool cast = operand->type != required && text[0] == '(';
        SEDGE_TRY_GOTO(status, sedge_text_add(out, cast ? "(%s)" : "%s", text));
    }
done:
    sedge_text_free(plain);
    sedge_text_free(converted);
    return status;
}

static const char *choose_form(const sedge_expression *node)
{
    const bool mixed =
        mixed_forms[node->operation][0] != NULL && node->operand_type[0] != node->operand_type[1];

    if (mixed) return mixed_forms[node->operation][node->operand_type[0] == SEDGE_INT64 ? 0 : 1];
    return form_of(node->operation, node->compute);
}

static bool is_single(sedge_type type)
{
    return type == SEDGE_FLOAT32;
}

static sedge_status write_token(sedge_text *out, const sedge_expression *node, char token)
{
    switch (token) {
    case 's':
        return sedge_text_add(out, "%s", type_letters[node->compute]);
    case 'f':
        return sedge_text_add(out, "%s", is_single(node->compute) ? "f" : "");
    case 't':
        return sedge_text_add(out, "%s", sedge_type_word(node->type));
    default:
        return write_operand(out, node, token - 'a');
    }
}

// The forms are this file's own: a $ is always followed by a token.
static sedge_status write_form(sedge_text *out, const sedge_expression *node, const char *form)
{
    while (*form != '\0') {
        const size_t plain = strcspn(form, "$");
        SEDGE_TRY(sedge_text_add_bytes(out, form, plain));
        form += plain;
        if (*form == '\0') break;
        SEDGE_TRY(write_token(out, node, form[1]));
        form += 2;
    }
    return SEDGE_OK;
}

static sedge_status write_convert(sedge_text *out, const sedge_expression *node)
{
    sedge_status status;
    sedge_text *plain = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&plain));
    SEDGE_TRY_GOTO(status, sedge_expression_write(plain, node->operand[0]));
    SEDGE_TRY_GOTO(status, sedge_conversion_write(out, sedge_text_get(plain),
                                                  node->operand[0]->type, node->type));
done:
    sedge_text_free(plain);
    return status;
}

sedge_status sedge_expression_write(sedge_text *out, const sedge_expression *expression)
{
    if (expression->operation == OPERATION_USE || expression->operation == OPERATION_NUMBER)
        return sedge_text_add(out, "leaf%d", expression->leaf);
    if (expression->operation == OPERATION_CONVERT) return write_convert(out, expression);
    return write_form(out, expression, choose_form(expression));
}
