// Reductions and scans of expressions, selection, gathering and scattering.
//
// An expression is mapped and reduced in one pass. Sums are made in a fixed tree order: the same
// array on the same device gives the same bits every time, however much is tuned. The types of
// results are numpy's: sum and product of integers narrower than 64 bits are (u)int64; comparisons
// count as uint8. Results are new arrays, which the caller frees. SEDGE_ERR_USAGE for types, axes
// and shapes that do not fit. Nothing is collective; to sum over ranks, add up the results of all
// ranks (par/comm.h).
#pragma once

#include "elementwise/expression.h"

typedef enum sedge_reduction {
    SEDGE_SUM,
    SEDGE_PRODUCT,
    SEDGE_MIN, // not-a-number wins, as in numpy
    SEDGE_MAX,
    SEDGE_ARGMIN, // int64, the first of equal ones; flattened index, or along the axis
    SEDGE_ARGMAX,
    SEDGE_ANY, // uint8
    SEDGE_ALL,
    SEDGE_COUNT,    // elements other than 0, int64
    SEDGE_NORM_1,   // sum |x|
    SEDGE_NORM_2,   // sqrt(sum |x|^2)
    SEDGE_NORM_MAX, // max |x|
    SEDGE_REDUCTIONS
} sedge_reduction;

#define SEDGE_ALL_AXES (-1)

// Reduce over one axis, or over all elements (a result of no dimensions). Frees the expression. The
// result is on the device; the function does not wait. Without elements the result is 0 for sums,
// counts and norms, 1 for products, false for any and true for all; the others are SEDGE_ERR_USAGE.
SEDGE_MUST_USE
sedge_status sedge_array_reduce(sedge_array **out, sedge_reduction reduction,
                                sedge_expression *expression, int axis);

// sum(a conj(b)): as numpy.vdot with the arguments exchanged; one pass. Frees both.
SEDGE_MUST_USE
sedge_status sedge_array_dot(sedge_array **out, sedge_expression *a, sedge_expression *b);

// The user's own reduction. `map` is a C expression of the element x and its index i, `combine` is
// one of two states a and b, and `neutral` is the value of an empty set: {"fabs(x)", "a > b ? a :
// b", "0"}.
typedef struct sedge_reduction_text {
    const char *name;     // for messages
    const char *preamble; // NULL: none
    const char *map;
    const char *combine; // associative; commutative too
    const char *neutral;
    sedge_type type; // of map's result, and of the whole
} sedge_reduction_text;

// Reduce over all elements with the user's own reduction. Frees the expression. A text that does
// not compile is SEDGE_ERR_DEVICE with the compiler's lines.
SEDGE_MUST_USE
sedge_status sedge_array_reduce_text(sedge_array **out, const sedge_reduction_text *text,
                                     sedge_expression *expression);

// The value of a result of no dimensions, converted; waits. SEDGE_ERR_USAGE for other shapes, and
// for what does not fit into an int64.
SEDGE_MUST_USE
sedge_status sedge_array_number(const sedge_array *array, double *value);
SEDGE_MUST_USE
sedge_status sedge_array_integer(const sedge_array *array, int64_t *value);

// ---- scans -------------------------------------------------------------------------------------

typedef enum sedge_scan_operation {
    SEDGE_SCAN_SUM,
    SEDGE_SCAN_PRODUCT,
    SEDGE_SCAN_MIN,
    SEDGE_SCAN_MAX
} sedge_scan_operation;

// Elements in C order. inclusive: out[i] = x[0] + .. + x[i]; exclusive: without x[i], out[0] is the
// neutral element. `starts` (NULL: none), an integer array of the same size: where it is not 0 a
// new segment begins, and the scan with it. `out` has the type of the sum (numpy.cumsum) and one
// dimension. Integers give the same result as a sequential scan. Floating-point numbers are
// combined in a fixed order, which is not the sequential one.
SEDGE_MUST_USE
sedge_status sedge_array_scan(sedge_array **out, const sedge_array *array,
                              sedge_scan_operation operation, bool exclusive,
                              const sedge_array *starts);

// A scan with the user's own `map` and `combine`, as in sedge_reduction_text; `combine` must be
// associative.
SEDGE_MUST_USE
sedge_status sedge_array_scan_text(sedge_array **out, const sedge_array *array,
                                   const sedge_reduction_text *text, bool exclusive,
                                   const sedge_array *starts);

// ---- selection ---------------------------------------------------------------------------------

// The elements of `array` whose mask (integer, same shape) is not 0, in C order; one dimension.
// Waits: the size of the result is known only then.
SEDGE_MUST_USE
sedge_status sedge_array_compress(sedge_array **out, const sedge_array *array,
                                  const sedge_array *mask);

// out[k] = array[indices[k]] in C order of `array`; out has the indices' shape. Negative indices
// count from the end. An index out of range is SEDGE_ERR_USAGE, with its place. The function waits
// to check this.
SEDGE_MUST_USE
sedge_status sedge_array_take(sedge_array **out, const sedge_array *array,
                              const sedge_array *indices);

// array[indices[k]] = values[k] (broadcast). An index that occurs twice gets one of its values. An
// index out of range is SEDGE_ERR_USAGE, and nothing is written. The function waits to check this.
SEDGE_MUST_USE
sedge_status sedge_array_put(sedge_array *array, const sedge_array *indices,
                             const sedge_array *values);
