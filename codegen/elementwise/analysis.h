// An expression analysed: its type, shape, leaves, and what its kernel's text depends on.
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

// An expression analysed: type, broadcast shape, its leaves, and as C text in which leaf k is
// `leaf<k>` (its element, in the leaf's own type). `text` has the type of `type`.
typedef struct sedge_analysis {
    sedge_context *context;
    sedge_type type;
    int dimensions;
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    int leaves;
    sedge_leaf leaf[SEDGE_LEAVES];
    sedge_text *text; // owned; NULL before sedge_analysis_write
    // What type and text depend on: a part of the cached kernel's key, in place of the text.
    int key_bytes;
    unsigned char key[SEDGE_EXPRESSION_KEY];
    sedge_expression *expression; // owned
} sedge_analysis;

// Everything but the text, without allocating: it is on the path of every call. The analysis owns
// the expression, and the caller frees the analysis; on failure both are freed. A tree without
// arrays is SEDGE_ERR_USAGE, as are arrays of two contexts, shapes that do not broadcast,
// operations that a type does not have (bit_and of floats, less of complex numbers).
SEDGE_MUST_USE
sedge_status sedge_expression_prepare(sedge_analysis *out, sedge_expression *expression);
void sedge_analysis_free(sedge_analysis *analysis);

// The text, if it is not there yet.
SEDGE_MUST_USE
sedge_status sedge_analysis_write(sedge_analysis *analysis);

// Whether the expression is an array and nothing is done with it.
bool sedge_analysis_is_array(const sedge_analysis *analysis);
