// The analysis of an expression: its type, shape, leaves, and what its kernel's source depends on.
#pragma once

#include "array/iteration.h"
#include "base/text.h"
#include "elementwise/expression_tree.h"

// One leaf array or number of an expression, in the order of the kernel's arguments.
typedef struct sedge_leaf {
    const sedge_array *array; // NULL: a number
    sedge_type type;
    double value[2]; // re, im
    int64_t integer; // the value where the type is an integer one
} sedge_leaf;

enum {
    SEDGE_LEAVES = SEDGE_ITERATION_OPERANDS - 1, // beside the result
    SEDGE_EXPRESSION_KEY = 3 * SEDGE_EXPRESSION_NODES
};

// The analysis of an expression: its type, its broadcast shape, its leaves, and its C text. In the
// text `leaf<k>` stands for the element of leaf k, in the leaf's own type; the value of the text
// has the type `type`.
typedef struct sedge_analysis {
    sedge_context *context;
    sedge_type type;
    int dimensions;
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    int leaves;
    sedge_leaf leaf[SEDGE_LEAVES];
    sedge_text *text; // owned; NULL before sedge_analysis_write
    // What type and source depend on: a part of the cached kernel's key, in place of the source.
    int key_bytes;
    unsigned char key[SEDGE_EXPRESSION_KEY];
    sedge_expression *expression; // owned
} sedge_analysis;

// Find everything but the text. Nothing is allocated, because every call does this. The analysis
// owns the expression, and the caller frees the analysis; on failure both are freed. A tree without
// arrays is SEDGE_ERR_USAGE, as are arrays of two contexts, shapes that do not broadcast,
// operations that a type does not have (bit_and of floats, less of complex numbers).
SEDGE_MUST_USE
sedge_status sedge_expression_prepare(sedge_analysis *out, sedge_expression *expression);
void sedge_analysis_free(sedge_analysis *analysis);

// Write the text, if it has not been written yet.
SEDGE_MUST_USE
sedge_status sedge_analysis_write(sedge_analysis *analysis);

// Whether the expression is an array and nothing is done with it.
bool sedge_analysis_is_array(const sedge_analysis *analysis);
