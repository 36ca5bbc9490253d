// The nodes of an expression's tree.
#pragma once

#include "elementwise/expression.h"

#define SEDGE_EXPRESSION_NODES 256

typedef enum sedge_operation {
#define OPERATION_NAME(name, operands, kind) OPERATION_##name,
    SEDGE_OPERATION_LIST(OPERATION_NAME)
#undef OPERATION_NAME
        OPERATION_WHERE,
    OPERATION_CONVERT,
    OPERATION_USE,
    OPERATION_NUMBER,
    OPERATION_TOO_LARGE,
    OPERATION_TWICE,
    OPERATIONS
} sedge_operation;

// A plain number takes the type of an array, as Python's numbers do in numpy; only its class
// (integer, real or complex) counts.
typedef enum sedge_weak { STRONG, WEAK_INTEGER, WEAK_REAL, WEAK_COMPLEX } sedge_weak;

struct sedge_expression {
    sedge_operation operation;
    sedge_expression *operand[3];
    int nodes;                // of the tree from here on
    bool taken;               // it is an operand of another
    const sedge_array *array; // OPERATION_USE
    double value[2];          // OPERATION_NUMBER: re, im
    int64_t integer;
    sedge_weak weak; // of the result
    sedge_type type; // of the result; of a conversion from the start
    // By the analysis:
    sedge_type operand_type[3]; // what the operands are converted to
    sedge_type compute;         // whose form is used
    int leaf;
};

// What an operation is: a row of SEDGE_OPERATION_LIST.
typedef struct sedge_operation_facts {
    const char *name;
    int operands;
    const char *kind; // P, F, C, R of the list
} sedge_operation_facts;

const sedge_operation_facts *sedge_operation_get_facts(sedge_operation operation);
