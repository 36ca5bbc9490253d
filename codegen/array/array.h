// Arrays on a device: typed, n-dimensional, with strides and views; expressions over them become
// one kernel each.
//
//     sedge_array *x, *y, *z = NULL;
//     ...
//     // z = 2 x + sin(y), one pass over memory
//     SEDGE_TRY(sedge_array_evaluate(&z, sedge_add(sedge_multiply(sedge_number(2.0), sedge_use(x)),
//                                                  sedge_sin(sedge_use(y)))));
//
// Shapes are listed slowest dimension first, as in numpy; sizes and strides count elements. Types
// of results follow numpy's promotion rules, and shapes its broadcasting rules. Work is put into
// the context's stream and this host does not wait, unless a comment says so. Nothing is
// collective. What does not fit (types, shapes, indices, overlap) is SEDGE_ERR_USAGE and names it;
// memory and the device have their own statuses.
//
// Ownership: the caller frees every array that a function gives it. An array owns its memory (of
// the context's pool) or is a view that borrows its base's; views are freed before their base. An
// array may be freed while work on it is still queued.
#pragma once

#include "array/context.h"
#include "base/error.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_ARRAY_DIMENSIONS 8

typedef struct sedge_array sedge_array;

// ---- types -------------------------------------------------------------------------------------

// Type, name as numpy's, bytes, type in kernels.
#define SEDGE_TYPE_LIST(X)                                \
    X(SEDGE_INT8, "int8", 1, "signed char")               \
    X(SEDGE_INT16, "int16", 2, "short")                   \
    X(SEDGE_INT32, "int32", 4, "int")                     \
    X(SEDGE_INT64, "int64", 8, "sedge_int64")             \
    X(SEDGE_UINT8, "uint8", 1, "unsigned char")           \
    X(SEDGE_UINT16, "uint16", 2, "unsigned short")        \
    X(SEDGE_UINT32, "uint32", 4, "unsigned")              \
    X(SEDGE_UINT64, "uint64", 8, "sedge_uint64")          \
    X(SEDGE_FLOAT32, "float32", 4, "float")               \
    X(SEDGE_FLOAT64, "float64", 8, "double")              \
    X(SEDGE_COMPLEX64, "complex64", 8, "sedge_complex64") \
    X(SEDGE_COMPLEX128, "complex128", 16, "sedge_complex128")

typedef enum sedge_type {
#define SEDGE_TYPE_ENUM(type, name, bytes, word) type,
    SEDGE_TYPE_LIST(SEDGE_TYPE_ENUM)
#undef SEDGE_TYPE_ENUM
        SEDGE_TYPES
} sedge_type;

const char *sedge_type_name(sedge_type type);
const char *sedge_type_word(sedge_type type); // in kernels
int sedge_type_bytes(sedge_type type);
bool sedge_type_is_complex(sedge_type type);
bool sedge_type_is_integer(sedge_type type);
sedge_type sedge_type_promote(sedge_type a, sedge_type b); // numpy.promote_types

// ---- arrays ------------------------------------------------------------------------------------

// An array with unspecified values. `dimensions` 0 makes a single number. A size may be 0: the
// array is then empty and takes no memory, and operations on it do nothing. SEDGE_ERR_USAGE: more
// than SEDGE_ARRAY_DIMENSIONS dimensions, or a negative size. SEDGE_ERR_MEMORY: out of memory, or
// the product of the sizes other than 0 exceeds an int64.
SEDGE_MUST_USE
sedge_status sedge_array_create(sedge_array **out, sedge_context *context, sedge_type type,
                                int dimensions, const int64_t *shape);
// One dimension.
SEDGE_MUST_USE
sedge_status sedge_array_vector(sedge_array **out, sedge_context *context, sedge_type type,
                                int64_t size);
// With the values of `host` (C order). Waits.
SEDGE_MUST_USE
sedge_status sedge_array_from(sedge_array **out, sedge_context *context, sedge_type type,
                              int dimensions, const int64_t *shape, const void *host);
// A view of `buffer`, which outlives it: e.g. a solver's own memory. C order, from byte `offset`.
SEDGE_MUST_USE
sedge_status sedge_array_wrap(sedge_array **out, sedge_context *context, sedge_type type,
                              int dimensions, const int64_t *shape, sedge_buffer *buffer,
                              int64_t offset);
void sedge_array_free(sedge_array *array);

sedge_type sedge_array_type(const sedge_array *array);
int sedge_array_dimensions(const sedge_array *array);
const int64_t *sedge_array_shape(const sedge_array *array);  // [dimensions], borrowed as the next
const int64_t *sedge_array_stride(const sedge_array *array); // [dimensions]; may be 0 or negative
int64_t sedge_array_size(const sedge_array *array);          // elements
bool sedge_array_is_contiguous(const sedge_array *array);    // in C order
sedge_context *sedge_array_context(const sedge_array *array);
// For own kernels: the address of the first element.
uint64_t sedge_array_address(const sedge_array *array);

// ---- copies ------------------------------------------------------------------------------------

// Between the array and host memory in C order, as many bytes as the array's elements have; any
// strides. They wait. The _async ones take contiguous arrays and pinned memory that stays until
// `stream`, or the context's stream for NULL, has come so far. Another stream than the context's is
// put in order with it by the caller, before the array is freed too: the pool does not know of it.
SEDGE_MUST_USE
sedge_status sedge_array_set(sedge_array *array, const void *host);
SEDGE_MUST_USE
sedge_status sedge_array_get(const sedge_array *array, void *host);
SEDGE_MUST_USE
sedge_status sedge_array_set_async(sedge_array *array, const void *pinned, sedge_stream *stream);
SEDGE_MUST_USE
sedge_status sedge_array_get_async(const sedge_array *array, void *pinned, sedge_stream *stream);

// to = from, with conversion and broadcasting. The two may not overlap unless they are the same.
SEDGE_MUST_USE
sedge_status sedge_array_copy(sedge_array *to, const sedge_array *from);
// A contiguous copy of another type.
SEDGE_MUST_USE
sedge_status sedge_array_convert(sedge_array **out, const sedge_array *from, sedge_type type);
SEDGE_MUST_USE
sedge_status sedge_array_fill(sedge_array *array, double value);
// start + step * index, indices counted in C order.
SEDGE_MUST_USE
sedge_status sedge_array_range(sedge_array *array, double start, double step);

// ---- views -------------------------------------------------------------------------------------

// As numpy's start:stop:step of one dimension. Negative numbers count from the end;
// SEDGE_SLICE_END stands for an omitted one; step may be negative, not 0.
#define SEDGE_SLICE_END INT64_MIN
typedef struct sedge_slice {
    int64_t start, stop, step;
} sedge_slice;

SEDGE_MUST_USE // slices [dimensions]
sedge_status sedge_array_slice(sedge_array **out, sedge_array *base, const sedge_slice *slices);
SEDGE_MUST_USE // the dimension disappears
sedge_status sedge_array_at(sedge_array **out, sedge_array *base, int dimension, int64_t index);
SEDGE_MUST_USE // order [dimensions]; NULL: reversed
sedge_status sedge_array_transpose(sedge_array **out, sedge_array *base, const int *order);
SEDGE_MUST_USE // one size may be -1; SEDGE_ERR_USAGE where it needs a copy
sedge_status sedge_array_reshape(sedge_array **out, sedge_array *base, int dimensions,
                                 const int64_t *shape);
SEDGE_MUST_USE
sedge_status sedge_array_broadcast(sedge_array **out, sedge_array *base, int dimensions,
                                   const int64_t *shape);
SEDGE_MUST_USE // of a complex array: float views of its parts
sedge_status sedge_array_real_part(sedge_array **out, sedge_array *base);
SEDGE_MUST_USE
sedge_status sedge_array_imaginary_part(sedge_array **out, sedge_array *base);

// ---- expressions -------------------------------------------------------------------------------

// A tree of operations on arrays and numbers. Building never fails in the caller's face: what went
// wrong (memory, types, no array) stays in the tree and is the status of evaluating it. A tree is
// used once, as an operand or to be evaluated, which frees it. Types: as numpy with arrays; a plain
// number (sedge_number, sedge_integer) takes part as Python's numbers do in numpy 2: it never makes
// float32 float64.
typedef struct sedge_expression sedge_expression;

sedge_expression *sedge_use(const sedge_array *array); // borrowed until evaluated
sedge_expression *sedge_number(double value);
sedge_expression *sedge_integer(int64_t value);
sedge_expression *sedge_complex(double re, double im);
sedge_expression *sedge_convert(sedge_expression *a, sedge_type type);

// C function suffix, number of operands, kind of result:
//   P promoted type of the operands      F the same, integers become floating point as in numpy
//   C comparison or logic: uint8 0 or 1  R real type of a complex operand, else as it is
// Where numpy leaves the choice or has types that are not here: functions of 8-bit integers are
// float32 (numpy: float16); integers wrap, division by 0 gives 0; a negative power of an integer is
// the integer part of the fraction (numpy refuses it); 64-bit integers of which one has no sign are
// compared by value; floor and ceil keep integers; minimum and maximum do not take complex numbers;
// a floating-point number beyond the integer type it is converted to becomes any number.
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

void sedge_expression_free(sedge_expression *expression); // one that is not evaluated

// A new contiguous array of the expression's type and shape / into `array` (any strides), which may
// appear in the expression element by element (x = x + y) but must not overlap otherwise.
SEDGE_MUST_USE
sedge_status sedge_array_evaluate(sedge_array **out, sedge_expression *expression);
SEDGE_MUST_USE
sedge_status sedge_array_assign(sedge_array *array, sedge_expression *expression);

// ---- own elementwise kernels -------------------------------------------------------------------

// One operand of a snippet of C: an array, by a name that stands for its element, or a number.
typedef struct sedge_operand {
    const char *name;
    sedge_array *array; // NULL if is_number, else required
    bool written;
    sedge_type type; // of the number
    double value;
    bool is_number;
} sedge_operand;

#define SEDGE_IN(name, array)           ((sedge_operand){name, array, false, SEDGE_FLOAT64, 0.0, false})
#define SEDGE_OUT(name, array)          ((sedge_operand){name, array, true, SEDGE_FLOAT64, 0.0, false})
#define SEDGE_NUMBER(name, type, value) ((sedge_operand){name, 0, false, type, value, true})

// Run `body`, C text such as "z = a * x + sin(y);", for each element of the written arrays' shape
// (all the same); read arrays are broadcast. In the body `i` is the index in C order. `preamble`
// (NULL: none) is C text before the kernel, e.g. functions of its own. Messages of the compiler
// name `name` and the line of the body. Compiled once a context for the same text, types and
// dimensions. Names are variables: the body does not return, and a written one that it leaves alone
// stays as it was. Complex operands are structures with `re` and `im`;
// codegen/kernels/array/numbers.h has functions of them.
SEDGE_MUST_USE
sedge_status sedge_elementwise(sedge_context *context, const char *name, const char *preamble,
                               const char *body, int count, const sedge_operand *operands);
