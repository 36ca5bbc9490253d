// Inside the reductions: how one is laid over memory and blocks (reduce_axis.c).
#pragma once

#include "array/array_tune.h"
#include "program/launch.h"
#include "reduce/formula.h"

// ---- layout (reduce_axis.c) --------------------------------------------------------------------

typedef enum sedge_reduce_form {
    SEDGE_REDUCE_ONE, // as REDUCE_ONE, _COLUMNS, _MANY of kernels/reduce.h
    SEDGE_REDUCE_COLUMNS,
    SEDGE_REDUCE_MANY
} sedge_reduce_form;

// What a device wants. The rule stands in reduce_axis.c, and which of these numbers are tuned at
// run time, without a bit of a sum depending on it, in reduce_tune.c.
typedef struct sedge_reduce_tuning {
    int items;         // a block: a power of four
    int bytes, values; // loads of an item that are on their way at once, in bytes; states at most
    int blocks;        // a multiprocessor, for which registers are kept free; 0: on the host
    int waves;         // blocks for each of those places: as some end, others begin
    int streamed;      // 1: loads tell caches that they are the only ones, where arrays are large
    int striped;       // 1: blocks take tiles by turns, where there are many for each
    int last;          // 1: of one row the last block makes the end; cuda
    int run;           // tiles that an item adds to one sum
    int width;         // columns a block
    int narrow;        // least number of columns that are taken side by side
    int64_t chunk;     // elements that are worth a block
    int resident;      // blocks for which registers are kept free indeed; 0: as `blocks` has it
    int ahead;         // further tiles whose loads stand together with those of one
    int more;          // pieces of rows that a block takes after its first
} sedge_reduce_tuning;

const sedge_reduce_tuning *sedge_reduce_rule(sedge_device_kind kind);

// What the kernel's text depends on; the recipe's key, with the formula and the expression.
typedef struct sedge_reduce_shape {
    int form, elements, rows_fast;
    int rows, lanes; // of a block
    int pack, unroll, run, resident, streamed, striped, last;
    int tiles, pieces; // at once, of an item; one after the other, of a block
    int finish_threads, finish_many;
    int dimensions;                 // of the walk, at most 8
    int narrow;                     // indices fit into 32 bits
    signed char step[SEDGE_LEAVES]; // 0, 1; -1: a parameter
    signed char side[SEDGE_LEAVES];
} sedge_reduce_shape;

// A reduction over an axis, or over all: sizes and strides of one call.
typedef struct sedge_reduce_plan {
    sedge_reduce_shape shape;
    int64_t rows, columns, length, chunk, cuts;
    int64_t groups;  // of rows; a piece is one cut of one group
    int blocks;      // a multiprocessor; 0: on the host
    sedge_walk walk; // of rows, or of elements
    int64_t step[SEDGE_LEAVES];
} sedge_reduce_plan;

// Lay out the reduction of the analysed expression over `axis` (0 .. dimensions - 1, or
// SEDGE_ALL_AXES).
void sedge_reduce_plan_make(sedge_reduce_plan *plan, const sedge_analysis *analysis,
                            const sedge_reduce_tuning *tuning, const sedge_device_info *info,
                            int axis, int state_bytes);

// Numbers on which the places of elements depend: further arguments of the kernel, in which they
// are called reduce_w0, reduce_w1, ... Returns how many there are.
enum { SEDGE_REDUCE_NUMBERS_MOST = (SEDGE_LEAVES + 1) * (SEDGE_ARRAY_DIMENSIONS + 2) };
int sedge_reduce_places_values(int64_t values[SEDGE_REDUCE_NUMBERS_MOST],
                               const sedge_reduce_plan *plan, const sedge_analysis *analysis);

// Append what the kernel needs of them.
SEDGE_MUST_USE
sedge_status sedge_reduce_places_write(sedge_text *out, const sedge_reduce_plan *plan,
                                       const sedge_analysis *analysis);

// The whole program for a device of that kind, e.g. to compile it for a chip that is not here.
// `tuning` NULL: the rule's. Frees the expression.
SEDGE_MUST_USE
sedge_status sedge_reduce_program_write(sedge_text *out, sedge_device_kind kind,
                                        sedge_reduction reduction, sedge_expression *expression,
                                        int axis, const sedge_reduce_tuning *tuning);

// As sedge_array_reduce, with these numbers (NULL: with those that it takes, the rule's or tuned
// ones). `formula` is a sedge_reduction, or SEDGE_FORMULA_DOT of a product.
SEDGE_MUST_USE
sedge_status sedge_array_reduce_as(sedge_array **out, int formula, sedge_expression *expression,
                                   int axis, const sedge_reduce_tuning *tuning);

// ---- one call (reduce.c) -----------------------------------------------------------------------

typedef struct sedge_reduce_call {
    sedge_analysis *analysis;
    const sedge_formula *formula;
    int axis;
} sedge_reduce_call;

// Append the program of a plan.
SEDGE_MUST_USE
sedge_status sedge_reduce_write(sedge_text *out, const sedge_reduce_call *call,
                                const sedge_reduce_plan *plan);

// The kernels of a plan: those of a program, or with NULL those that the context keeps or makes.
SEDGE_MUST_USE
sedge_status sedge_reduce_kernels(sedge_recipe *out, const sedge_reduce_call *call,
                                  const sedge_reduce_plan *plan, const sedge_program *program);

// Bytes that `parts` of a launch needs; 0: it may be NULL.
int64_t sedge_reduce_parts_bytes(const sedge_reduce_call *call, const sedge_reduce_plan *plan);

// Put the kernels into the stream. `to` is the address of the result's first element.
SEDGE_MUST_USE
sedge_status sedge_reduce_launch(const sedge_reduce_call *call, const sedge_reduce_plan *plan,
                                 const sedge_recipe *recipe, const sedge_buffer *parts, uint64_t to,
                                 sedge_stream *stream);

// ---- tuning (reduce_tune.c) --------------------------------------------------------------------

// The tunings to choose from on a device of that kind, whose rule gives `plan`; the first is the
// rule's, and where the call may fuse products otherwise, the only one.
enum { SEDGE_REDUCE_TUNINGS = SEDGE_TRIAL_CANDIDATES };
int sedge_reduce_tunings(sedge_reduce_tuning tunings[SEDGE_REDUCE_TUNINGS], sedge_device_kind kind,
                         const sedge_reduce_plan *plan, const sedge_reduce_call *call);

// "a1 m2 r4 ...": a tuning's numbers in words, `size` bytes of `name` at most.
void sedge_reduce_tuning_name(char *name, size_t size, const sedge_reduce_tuning *tuning);

// Which of `count` tunings, the first of which is the rule's: from wisdom, or measured if the
// context's level allows it and there is memory, else the rule's. `title` is the kernel's in the
// wisdom.
SEDGE_MUST_USE
sedge_status sedge_reduce_tune(int *choice, const sedge_reduce_call *call,
                               const sedge_reduce_tuning *tunings, int count, const char *title);
