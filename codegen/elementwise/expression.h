// Expressions of arrays. A tree of operations becomes one kernel, which makes one pass over memory.
//
//     sedge_array *x, *y, *z = NULL;
//     ...
//     // z = 2 x + sin(y)
//     SEDGE_TRY(sedge_array_evaluate(&z, sedge_add(sedge_multiply(sedge_number(2.0), sedge_use(x)),
//                                                  sedge_sin(sedge_use(y)))));
//
// The functions that build a tree report no errors. An error (memory, types, no array) is stored in
// the tree, and evaluating the tree returns it. A tree is used once: as an operand of another tree,
// or by evaluating it, which frees it. Types of results follow numpy's promotion rules, and shapes
// its broadcasting rules; a plain number (sedge_number, sedge_integer) is treated as Python's
// numbers are in numpy 2: it never turns float32 into float64.
#pragma once

#include "array/array.h"

typedef struct sedge_expression sedge_expression;

sedge_expression *sedge_use(const sedge_array *array); // borrowed until evaluated
sedge_expression *sedge_number(double value);
sedge_expression *sedge_integer(int64_t value);
sedge_expression *sedge_complex(double re, double im);
sedge_expression *sedge_convert(sedge_expression *a, sedge_type type);

// C function suffix, number of operands, kind of result:
//   P promoted type of the operands      F the same, integers become floating point as in numpy
//   C comparison or logic: uint8 0 or 1  R real type of a complex operand, else as it is
// Where numpy leaves the result open, or has types that do not exist here: functions of 8-bit
// integers are float32 (numpy: float16); integers wrap, division by 0 gives 0; a negative power of
// an integer is the integer part of the fraction (numpy refuses it); a signed and an unsigned
// 64-bit integer are compared by value; floor and ceil keep integers; minimum and maximum do not
// take complex numbers; a floating-point number beyond the integer type it is converted to is
// unspecified.
#define SEDGE_OPERATION_LIST(X) \
    X(add, 2, P)                \
    X(subtract, 2, P)           \
    X(multiply, 2, P)           \
    X(divide, 2, F)             \
    X(floor_divide, 2, P)       \
    X(remainder, 2, P)          \
    X(power, 2, P)              \
    X(minimum, 2, P)            \
    X(maximum, 2, P)            \
    X(arctan2, 2, F)            \
    X(hypot, 2, F)              \
    X(bit_and, 2, P)            \
    X(bit_or, 2, P)             \
    X(bit_xor, 2, P)            \
    X(shift_left, 2, P)         \
    X(shift_right, 2, P)        \
    X(less, 2, C)               \
    X(less_equal, 2, C)         \
    X(greater, 2, C)            \
    X(greater_equal, 2, C)      \
    X(equal, 2, C)              \
    X(not_equal, 2, C)          \
    X(and, 2, C)                \
    X(or, 2, C)                 \
    X(not, 1, C)                \
    X(negative, 1, P)           \
    X(absolute, 1, R)           \
    X(square_root, 1, F)        \
    X(exp, 1, F)                \
    X(log, 1, F)                \
    X(log10, 1, F)              \
    X(sin, 1, F)                \
    X(cos, 1, F)                \
    X(tan, 1, F)                \
    X(arcsin, 1, F)             \
    X(arccos, 1, F)             \
    X(arctan, 1, F)             \
    X(sinh, 1, F)               \
    X(cosh, 1, F)               \
    X(tanh, 1, F)               \
    X(floor, 1, P)              \
    X(ceil, 1, P)               \
    X(conjugate, 1, P)          \
    X(real_of, 1, R)            \
    X(imaginary_of, 1, R)       \
    X(square, 1, P)             \
    X(is_nan, 1, C)

#define SEDGE_OPERANDS_1 sedge_expression *a
#define SEDGE_OPERANDS_2 sedge_expression *a, sedge_expression *b
#define SEDGE_OPERATION_DECLARE(name, operands, kind) \
    sedge_expression *sedge_##name(SEDGE_OPERANDS_##operands);
SEDGE_OPERATION_LIST(SEDGE_OPERATION_DECLARE)
#undef SEDGE_OPERATION_DECLARE

// a where condition is not 0, else b.
sedge_expression *sedge_where(sedge_expression *condition, sedge_expression *a,
                              sedge_expression *b);

void sedge_expression_free(sedge_expression *expression); // if it is not evaluated

// Evaluate an expression. The first function makes a new contiguous array of the expression's type
// and shape. The second writes into `array`, which may have any strides. `array` may be an operand
// of the expression if each element depends on the same element only (x = x + y); otherwise it must
// not overlap an operand.
SEDGE_MUST_USE
sedge_status sedge_array_evaluate(sedge_array **out, sedge_expression *expression);
SEDGE_MUST_USE
sedge_status sedge_array_assign(sedge_array *array, sedge_expression *expression);
