// Trees of operations: made and freed.
#include "elementwise/expression_tree.h"

#include "elementwise/expression.h"

#include <stdlib.h>

static const sedge_operation_facts facts[OPERATIONS] = {
#define OPERATION_FACTS(name, operands, kind) [OPERATION_##name] = {#name, operands, #kind},
    SEDGE_OPERATION_LIST(OPERATION_FACTS)
#undef OPERATION_FACTS
        [OPERATION_WHERE] = {"where", 3, "P"},
    [OPERATION_CONVERT] = {"convert", 1, "P"},
    [OPERATION_USE] = {"array", 0, "P"},
    [OPERATION_NUMBER] = {"number", 0, "P"},
    [OPERATION_TOO_LARGE] = {"too large", 0, "P"},
    [OPERATION_TWICE] = {"twice", 0, "P"},
};

const sedge_operation_facts *sedge_operation_get_facts(sedge_operation operation)
{
    return &facts[operation];
}

// ---- building ----------------------------------------------------------------------------------

void sedge_expression_free(sedge_expression *expression)
{
    if (expression == NULL) return;
    for (int k = 0; k < 3; k++) sedge_expression_free(expression->operand[k]);
    free(expression);
}

// One that cannot be, in the place of a tree; NULL: memory ran out.
static sedge_expression *make_failure(sedge_operation why)
{
    sedge_expression *const node = calloc(1, sizeof *node);

    if (node == NULL) return NULL;
    node->operation = why;
    node->nodes = 1;
    return node;
}

// NULL stands for a tree for which memory ran out. Takes the operands, whatever happens; one that
// is another's operand already stays there.
static sedge_expression *make(sedge_operation operation, sedge_expression *a, sedge_expression *b,
                              sedge_expression *c)
{
    sedge_expression *operands[3] = {a, b, c};
    sedge_expression *node = NULL;
    bool whole = true;
    bool twice = false;
    int nodes = 1;

    for (int k = 0; k < 3; k++) {
        if (operands[k] == NULL && k < facts[operation].operands) whole = false;
        if (operands[k] == NULL) continue;
        nodes += operands[k]->nodes;
        if (operands[k]->taken) {
            twice = true;
            operands[k] = NULL;
        } else {
            operands[k]->taken = true;
        }
    }
    if (whole && !twice && nodes <= SEDGE_EXPRESSION_NODES) node = calloc(1, sizeof *node);
    if (node != NULL) {
        node->operation = operation;
        node->nodes = nodes;
        for (int k = 0; k < 3; k++) node->operand[k] = operands[k];
        return node;
    }
    for (int k = 0; k < 3; k++) sedge_expression_free(operands[k]);
    if (twice) return make_failure(OPERATION_TWICE);
    return whole && nodes > SEDGE_EXPRESSION_NODES ? make_failure(OPERATION_TOO_LARGE) : NULL;
}

sedge_expression *sedge_use(const sedge_array *array)
{
    sedge_expression *const node = make(OPERATION_USE, NULL, NULL, NULL);

    if (node != NULL) node->array = array;
    return node;
}

static sedge_expression *make_number(sedge_weak class, double re, double im, int64_t integer)
{
    sedge_expression *const node = make(OPERATION_NUMBER, NULL, NULL, NULL);

    if (node == NULL) return NULL;
    node->weak = class;
    node->value[0] = re;
    node->value[1] = im;
    node->integer = integer;
    return node;
}

sedge_expression *sedge_number(double value)
{
    return make_number(WEAK_REAL, value, 0.0, 0);
}

sedge_expression *sedge_integer(int64_t value)
{
    return make_number(WEAK_INTEGER, (double)value, 0.0, value);
}

sedge_expression *sedge_complex(double re, double im)
{
    return make_number(WEAK_COMPLEX, re, im, 0);
}

sedge_expression *sedge_convert(sedge_expression *a, sedge_type type)
{
    sedge_expression *const node = make(OPERATION_CONVERT, a, NULL, NULL);

    if (node != NULL) node->type = type;
    return node;
}

#define MAKE_1(name) make(OPERATION_##name, a, NULL, NULL)
#define MAKE_2(name) make(OPERATION_##name, a, b, NULL)
#define OPERATION_DEFINE(name, operands, kind)                \
    sedge_expression *sedge_##name(SEDGE_OPERANDS_##operands) \
    {                                                         \
        return MAKE_##operands(name);                         \
    }
SEDGE_OPERATION_LIST(OPERATION_DEFINE)

sedge_expression *sedge_where(sedge_expression *condition, sedge_expression *a, sedge_expression *b)
{
    return make(OPERATION_WHERE, condition, a, b);
}
