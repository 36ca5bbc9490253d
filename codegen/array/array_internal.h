// Inside the arrays: for codegen/array, expression.c, elementwise.c, reduce*.c, scan.c,
// random.c.
#pragma once

#include "array/array.h"
#include "base/text.h"

struct sedge_array {
    sedge_context *context;
    sedge_buffer *buffer; // not owned; NULL: nothing in it
    void *block;          // the pool's, to give back; NULL: a view
    int64_t offset;       // bytes from the buffer's start to the first element
    sedge_type type;
    int dimensions;
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    int64_t stride[SEDGE_ARRAY_DIMENSIONS]; // elements
};

// Set sedge_context_choice.
void sedge_context_set_choice(sedge_context *context, const char *name);

// ---- shapes (array.c) --------------------------------------------------------------------------

// As numpy prints it: "(3, 4)", "(5,)", "()".
enum { SEDGE_SHAPE_TEXT = 24 * SEDGE_ARRAY_DIMENSIONS };
void sedge_shape_print(char text[SEDGE_SHAPE_TEXT], int dimensions, const int64_t *shape);

int64_t sedge_shape_count(int dimensions, const int64_t *shape); // elements

// SEDGE_ERR_USAGE for too many dimensions or a negative size, SEDGE_ERR_MEMORY where the bytes
// cannot be counted.
SEDGE_MUST_USE
sedge_status sedge_shape_check(int dimensions, const int64_t *shape, sedge_type type);

// ---- pool (pool.c) --------------------------------------------------------------------------

// Memory of at least `bytes` bytes for flags that are set once they equal `epoch`, which none of
// its 32-bit words does yet; the context's, for the work queued next.
SEDGE_MUST_USE
sedge_status sedge_context_records(sedge_context *context, int64_t bytes, sedge_buffer **out,
                                   int *epoch);

// A number that is 0 between launches: one in which a kernel counts its blocks, and which its last
// block sets to 0 again. All work of a context goes in one order.
SEDGE_MUST_USE
sedge_status sedge_context_count(sedge_context *context, sedge_buffer **out);

// A block of at least `bytes` bytes; its buffer is larger or equal. Values are not set.
SEDGE_MUST_USE
sedge_status sedge_pool_take(sedge_context *context, int64_t bytes, void **block,
                             sedge_buffer **buffer);
void sedge_pool_give(sedge_context *context, void *block);

// ---- kernels made so far (recipe.c) ------------------------------------------------------------

// What a context remembers under a key of `bytes` bytes: a kernel, and the numbers of its launch.
typedef struct sedge_recipe {
    const sedge_kernel *kernel[3];
    int threads;   // of a block
    int64_t items; // elements a block
    int blocks;    // at most, 0: no limit
    int tuned;     // 0: the tuner was not asked; else 1 + its choice
} sedge_recipe;

// NULL when there is none. The recipe is the context's, and stays.
const sedge_recipe *sedge_recipe_find(const sedge_context *context, const void *key, int bytes);

// Keep a copy, in place of what stood under the key. `*out` is that copy.
SEDGE_MUST_USE
sedge_status sedge_recipe_keep(const sedge_recipe **out, sedge_context *context, const void *key,
                               int bytes, const sedge_recipe *recipe);

// "expression-0123456789abcdef" of `what` "expression": a name that the same key always has.
enum { SEDGE_RECIPE_TITLE = 48 };
void sedge_recipe_title(char title[SEDGE_RECIPE_TITLE], const char *what, const void *key,
                        int bytes);

// ---- expressions (expression.c) ----------------------------------------------------------------

// One leaf array or number of an expression, in the order of the kernel's arguments.
typedef struct sedge_leaf {
    const sedge_array *array; // NULL: a number
    sedge_type type;
    double value[2]; // re, im
    int64_t integer; // the value where the type is an integer one
} sedge_leaf;

#define SEDGE_LEAVES           24
#define SEDGE_EXPRESSION_NODES 256
#define SEDGE_EXPRESSION_KEY   (3 * SEDGE_EXPRESSION_NODES)

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
    // What decides about type and text, given to sedge_recipe_find in place of the text.
    int key_bytes;
    unsigned char key[SEDGE_EXPRESSION_KEY];
    sedge_expression *expression; // owned
} sedge_analysis;

// Frees the expression in any case; the caller frees the analysis. A tree without arrays is
// SEDGE_ERR_USAGE, as are arrays of two contexts, shapes that do not broadcast, operations that a
// type does not have (bit_and of floats, less of complex numbers).
SEDGE_MUST_USE
sedge_status sedge_expression_analyse(sedge_analysis *out, sedge_expression *expression);
void sedge_analysis_free(sedge_analysis *analysis);

// The two halves of the above. The first makes all but the text, without allocating: it lies on the
// path of every call.
SEDGE_MUST_USE
sedge_status sedge_expression_prepare(sedge_analysis *out, sedge_expression *expression);
SEDGE_MUST_USE
sedge_status sedge_analysis_write(sedge_analysis *analysis);

// Whether the expression is an array and nothing is done with it.
bool sedge_analysis_is_array(const sedge_analysis *analysis);

// The C text that converts `value` (an expression of type `from`) to `to`, as numpy's astype.
SEDGE_MUST_USE
sedge_status sedge_conversion_write(sedge_text *out, const char *value, sedge_type from,
                                    sedge_type to);

// ---- addressing (walk.c) -----------------------------------------------------------------------

// How elements of several operands are visited together: dimensions merged where all operands allow
// it, so that contiguous operands of one shape become one dimension. Strides in elements, 0 where
// an operand is broadcast. Elements are counted in C order. No element: no dimension.
typedef struct sedge_walk {
    int64_t count; // elements
    int dimensions;
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    int64_t stride[SEDGE_LEAVES + 1][SEDGE_ARRAY_DIMENSIONS];
    bool contiguous; // all operands are contiguous or constant: no index arithmetic is needed
} sedge_walk;

// `arrays` [operands]; NULL is a number, whose strides are 0.
void sedge_walk_make(sedge_walk *walk, int dimensions, const int64_t *shape, int operands,
                     const sedge_array *const *arrays);

// The same elements in the order in which the first operand lies in memory, for operations that do
// not ask for the index: two transposed arrays become contiguous.
void sedge_walk_sort(sedge_walk *walk, int operands);

// ---- overlap (overlap.c) -----------------------------------------------------------------------

// Whether writing `to` may spoil what is still to be read from `from`, which has or is broadcast to
// its shape: some element of both lies in the same memory, and they are not the same element by
// element. Where it is not known it is taken to be so.
bool sedge_array_may_spoil(const sedge_array *to, const sedge_array *from);

// Whether two elements of the array are in one place, as in a broadcast view.
bool sedge_array_repeats(const sedge_array *array);
