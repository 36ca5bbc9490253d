// What type and shape an expression has, by numpy's rules, and which arrays and numbers are in it.
#include "elementwise/analysis.h"

#include "array/strided.h"
#include "elementwise/expression_text.h"

#include <string.h>

// ---- types -------------------------------------------------------------------------------------

static sedge_type natural_type(sedge_weak class)
{
    return class == WEAK_INTEGER ? SEDGE_INT64
           : class == WEAK_REAL  ? SEDGE_FLOAT64
                                 : SEDGE_COMPLEX128;
}

// A strong type with a plain number of a class.
static sedge_type promote_weak(sedge_type type, sedge_weak class)
{
    if (class == WEAK_INTEGER || sedge_type_is_complex(type)) return type;
    if (class == WEAK_REAL) return sedge_type_is_integer(type) ? SEDGE_FLOAT64 : type;
    return type == SEDGE_FLOAT32 ? SEDGE_COMPLEX64 : SEDGE_COMPLEX128;
}

// The smallest floating-point type that numpy's functions take an integer to; numpy has a float16
// for 8 bits, here it is float32.
static sedge_type floating_type(sedge_type type)
{
    if (!sedge_type_is_integer(type)) return type;
    return sedge_type_bytes(type) <= 2 ? SEDGE_FLOAT32 : SEDGE_FLOAT64;
}

static sedge_type real_type(sedge_type type)
{
    return type == SEDGE_COMPLEX64    ? SEDGE_FLOAT32
           : type == SEDGE_COMPLEX128 ? SEDGE_FLOAT64
                                      : type;
}

static bool is_signed(sedge_type type)
{
    return type <= SEDGE_INT64;
}

static bool fits(int64_t value, sedge_type type)
{
    if (!sedge_type_is_integer(type)) return true;
    if (!is_signed(type) && value < 0) return false;
    const int bits = 8 * sedge_type_bytes(type) - (is_signed(type) ? 1 : 0);
    if (bits >= 63) return true;
    return value < (int64_t)1 << bits && value >= -((int64_t)1 << bits);
}

// The common type of two operands; `*weak` tells whether both are plain numbers.
static sedge_type combine(const sedge_expression *a, const sedge_expression *b, sedge_weak *weak)
{
    *weak = STRONG;
    if (a->weak != STRONG && b->weak != STRONG) {
        *weak = a->weak > b->weak ? a->weak : b->weak;
        return natural_type(*weak);
    }
    if (a->weak != STRONG) return promote_weak(b->type, a->weak);
    if (b->weak != STRONG) return promote_weak(a->type, b->weak);
    return sedge_type_promote(a->type, b->type);
}

// Append to the key of the expression.
static void add_key(sedge_analysis *analysis, int byte)
{
    analysis->key[analysis->key_bytes++] = (unsigned char)byte;
}

static sedge_status need_form(sedge_operation operation, sedge_type type)
{
    if (sedge_expression_has_form(operation, type)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "the operation '%s' does not exist for %s",
                      sedge_operation_get_facts(operation)->name, sedge_type_name(type));
}

static bool is_logic(sedge_operation operation)
{
    return operation == OPERATION_and || operation == OPERATION_or || operation == OPERATION_not;
}

static bool is_whole(const sedge_expression *node)
{
    return node->weak == WEAK_INTEGER ||
           (node->weak == STRONG && sedge_type_is_integer(node->type));
}

// A number outside of the array's type is no error where it is only compared.
static sedge_type widen_for_number(const sedge_expression *number, const sedge_expression *other,
                                   sedge_type common)
{
    if (number->operation != OPERATION_NUMBER || number->weak != WEAK_INTEGER) return common;
    if (other->weak != STRONG || fits(number->integer, common)) return common;
    return sedge_type_promote(other->type, SEDGE_INT64);
}

static sedge_type whole_type(const sedge_expression *node)
{
    return node->weak == STRONG && !is_signed(node->type) ? SEDGE_UINT64 : SEDGE_INT64;
}

// Integers that no integer type holds together are compared by value, as 64 bits with a sign and
// without.
static void choose_comparison(sedge_expression *node, sedge_type common)
{
    sedge_expression *const *const x = node->operand;

    common = widen_for_number(x[0], x[1], common);
    common = widen_for_number(x[1], x[0], common);
    node->compute = node->operand_type[0] = node->operand_type[1] = common;
    if (common == SEDGE_FLOAT64 && is_whole(x[0]) && is_whole(x[1])) {
        node->compute = SEDGE_INT64;
        for (int k = 0; k < 2; k++) node->operand_type[k] = whole_type(x[k]);
    }
    if (node->weak != STRONG) node->weak = WEAK_INTEGER;
    node->type = node->weak != STRONG ? SEDGE_INT64 : SEDGE_UINT8;
}

static void choose_logic(sedge_expression *node)
{
    node->compute = SEDGE_INT32;
    node->weak = WEAK_INTEGER;
    for (int k = 0; k < sedge_operation_get_facts(node->operation)->operands; k++) {
        const sedge_expression *const operand = node->operand[k];
        node->operand_type[k] =
            operand->weak != STRONG ? natural_type(operand->weak) : operand->type;
        if (operand->weak == STRONG) node->weak = STRONG;
    }
    node->type = node->weak != STRONG ? SEDGE_INT64 : SEDGE_UINT8;
}

static void choose_unary(sedge_expression *node)
{
    const sedge_expression *const a = node->operand[0];
    const char kind = sedge_operation_get_facts(node->operation)->kind[0];
    sedge_type type = a->weak != STRONG ? natural_type(a->weak) : a->type;

    if (kind == 'F') type = floating_type(type);
    node->operand_type[0] = type;
    node->compute = type;
    node->weak = a->weak;
    if (kind == 'F' && a->weak == WEAK_INTEGER) node->weak = WEAK_REAL;
    if (kind == 'R' && a->weak == WEAK_COMPLEX) node->weak = WEAK_REAL;
    if (kind == 'C' && a->weak != STRONG) node->weak = WEAK_INTEGER;
    node->type = kind == 'R' ? real_type(type) : type;
    if (kind == 'C') node->type = node->weak != STRONG ? SEDGE_INT64 : SEDGE_UINT8;
}

static void choose_binary(sedge_expression *node)
{
    const sedge_expression *const a = node->operand[0];
    const sedge_expression *const b = node->operand[1];
    const char kind = sedge_operation_get_facts(node->operation)->kind[0];
    sedge_type type = combine(a, b, &node->weak);

    if (kind == 'C') {
        choose_comparison(node, type);
        return;
    }
    if (kind == 'F') {
        if (node->operation == OPERATION_divide) {
            if (sedge_type_is_integer(type)) type = SEDGE_FLOAT64;
        } else if (a->weak == STRONG && b->weak == STRONG) {
            type = sedge_type_promote(floating_type(a->type), floating_type(b->type));
        } else {
            type = floating_type(type);
        }
        if (node->weak == WEAK_INTEGER) node->weak = WEAK_REAL;
    }
    node->operand_type[0] = node->operand_type[1] = type;
    node->compute = node->type = type;
}

static void choose_where(sedge_expression *node)
{
    sedge_expression *const *const x = node->operand;

    node->operand_type[0] = x[0]->weak != STRONG ? natural_type(x[0]->weak) : x[0]->type;
    node->type = combine(x[1], x[2], &node->weak);
    node->operand_type[1] = node->operand_type[2] = node->compute = node->type;
}

// ---- analysis ----------------------------------------------------------------------------------

static const char *device_name(const sedge_context *context)
{
    return sedge_device_get_info(sedge_context_device(context))->name;
}

static sedge_status broadcast_shape(sedge_analysis *analysis, const sedge_array *array)
{
    const int more = array->dimensions - analysis->dimensions;
    const int dimensions = more > 0 ? array->dimensions : analysis->dimensions;
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];

    for (int d = 0; d < dimensions; d++) { // aligned at the last dimension
        const int a = d + analysis->dimensions - dimensions;
        const int b = d + array->dimensions - dimensions;
        const int64_t mine = a >= 0 ? analysis->shape[a] : 1;
        const int64_t other = b >= 0 ? array->shape[b] : 1;
        if (mine != other && mine != 1 && other != 1) {
            char left[SEDGE_SHAPE_TEXT];
            char right[SEDGE_SHAPE_TEXT];
            sedge_shape_print(left, analysis->dimensions, analysis->shape);
            sedge_shape_print(right, array->dimensions, array->shape);
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "shapes %s and %s do not broadcast", left, right);
        }
        shape[d] = mine == 1 ? other : mine;
    }
    // Views that repeat a few numbers may have any sizes.
    SEDGE_TRY(sedge_shape_check(dimensions, shape, SEDGE_INT8));
    analysis->dimensions = dimensions;
    memcpy(analysis->shape, shape, (size_t)dimensions * sizeof *shape);
    return SEDGE_OK;
}

static sedge_status add_leaf(sedge_analysis *analysis, int *leaf, const sedge_array *array,
                             sedge_type type)
{
    if (analysis->leaves == SEDGE_LEAVES) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "an expression of more than %d arrays and numbers; evaluate parts of it",
                          SEDGE_LEAVES);
    }
    *leaf = analysis->leaves++;
    analysis->leaf[*leaf] = (sedge_leaf){.array = array, .type = type};
    return SEDGE_OK;
}

// An array that occurs twice is one leaf.
static sedge_status add_array(sedge_analysis *analysis, sedge_expression *node)
{
    const sedge_array *const array = node->array;

    if (array == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "an expression uses an array that was not created: NULL");
    }
    node->type = array->type;
    if (analysis->context == NULL) analysis->context = array->context;
    if (analysis->context != array->context) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "an expression of arrays of two contexts (%s and %s)",
                          device_name(analysis->context), device_name(array->context));
    }
    for (int k = 0; k < analysis->leaves; k++) {
        if (analysis->leaf[k].array != array) continue;
        node->leaf = k;
        add_key(analysis, k);
        return SEDGE_OK;
    }
    SEDGE_TRY(add_leaf(analysis, &node->leaf, array, array->type));
    add_key(analysis, node->leaf);
    add_key(analysis, (int)array->type);
    return broadcast_shape(analysis, array);
}

// The operand is converted to `type`: a plain number becomes a leaf of that type.
static sedge_status demand(sedge_analysis *analysis, sedge_expression *operand, sedge_type type)
{
    if (operand->operation != OPERATION_NUMBER) return SEDGE_OK;
    if (operand->weak == WEAK_INTEGER && !fits(operand->integer, type)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the number %lld does not fit into %s",
                          (long long)operand->integer, sedge_type_name(type));
    }
    SEDGE_TRY(add_leaf(analysis, &operand->leaf, NULL, type));
    operand->type = type;
    analysis->leaf[operand->leaf].value[0] = operand->value[0];
    analysis->leaf[operand->leaf].value[1] = operand->value[1];
    analysis->leaf[operand->leaf].integer = operand->integer;
    add_key(analysis, (int)type);
    return SEDGE_OK;
}

static sedge_status choose_types(sedge_expression *node)
{
    const int operands = sedge_operation_get_facts(node->operation)->operands;

    if (node->operation == OPERATION_CONVERT) {
        const sedge_expression *const a = node->operand[0];
        node->operand_type[0] = a->weak != STRONG ? natural_type(a->weak) : a->type;
        return SEDGE_OK;
    }
    if (node->operation == OPERATION_WHERE) {
        choose_where(node);
    } else if (is_logic(node->operation)) {
        choose_logic(node);
    } else if (operands == 1) {
        choose_unary(node);
    } else {
        choose_binary(node);
    }
    return need_form(node->operation, node->compute);
}

static sedge_status resolve(sedge_analysis *analysis, sedge_expression *node)
{
    const int operands = sedge_operation_get_facts(node->operation)->operands;

    if (node->operation == OPERATION_TOO_LARGE) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "an expression of more than %d operations; evaluate parts of it",
                          SEDGE_EXPRESSION_NODES);
    }
    if (node->operation == OPERATION_TWICE)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "an expression is used twice: build it once a use");
    add_key(analysis, (int)node->operation);
    if (node->operation == OPERATION_USE) return add_array(analysis, node);
    if (node->operation == OPERATION_NUMBER) {
        add_key(analysis, (int)node->weak);
        return SEDGE_OK;
    }
    for (int k = 0; k < operands; k++) SEDGE_TRY(resolve(analysis, node->operand[k]));
    SEDGE_TRY(choose_types(node));
    if (node->operation == OPERATION_CONVERT) add_key(analysis, (int)node->type);
    for (int k = 0; k < operands; k++)
        SEDGE_TRY(demand(analysis, node->operand[k], node->operand_type[k]));
    return SEDGE_OK;
}

sedge_status sedge_expression_prepare(sedge_analysis *out, sedge_expression *expression)
{
    sedge_status status;

    out->context = NULL;
    out->dimensions = 0;
    out->leaves = 0;
    out->text = NULL;
    out->key_bytes = 0;
    out->expression = expression;
    if (expression == NULL) {
        status =
            SEDGE_FAIL(SEDGE_ERR_MEMORY,
                       "an expression or an operand is NULL: memory ran out, or none was given");
        goto done;
    }
    if (expression->taken) {
        out->expression = NULL; // its parent's
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "an expression is evaluated that is a part of another: build it again");
        goto done;
    }
    SEDGE_TRY_GOTO(status, resolve(out, expression));
    out->type = expression->type;
    if (out->context == NULL)
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "an expression without an array");
done:
    if (status != SEDGE_OK) sedge_analysis_free(out);
    return status;
}

bool sedge_analysis_is_array(const sedge_analysis *analysis)
{
    return analysis->expression->operation == OPERATION_USE;
}

sedge_status sedge_analysis_write(sedge_analysis *analysis)
{
    if (analysis->text != NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_text_create(&analysis->text));
    return sedge_expression_write(analysis->text, analysis->expression);
}

void sedge_analysis_free(sedge_analysis *analysis)
{
    sedge_expression_free(analysis->expression);
    sedge_text_free(analysis->text);
    analysis->expression = NULL;
    analysis->text = NULL;
}
