// The plan of a reduction: which elements each block reduces, and where these elements are in
// memory.
#pragma once

#include "array/iteration.h"
#include "elementwise/analysis.h"
#include "reduce/formula.h"

typedef enum sedge_reduce_form {
    SEDGE_REDUCE_ONE, // as REDUCE_ONE, _COLUMNS, _MANY of kernels/reduce/reduce.h
    SEDGE_REDUCE_COLUMNS,
    SEDGE_REDUCE_MANY
} sedge_reduce_form;

// The numbers of a kernel. The rule for each kind of device is in reduce_plan.c; `ahead`, `more`
// and `resident` may be tuned at run time (reduce_tune.c), because no bit of a sum depends on them.
typedef struct sedge_reduce_tuning {
    int items;         // work items per block, a power of four
    int bytes, values; // per item: bytes of loads in flight; most states
    int blocks;        // per multiprocessor, for which registers are kept free; 0: on the host
    int waves;         // blocks launched for each of `blocks`: as some end, others begin
    int streamed;      // 1: loads of large arrays tell the caches that data are read once
    int striped;       // 1: blocks take tiles in turns, if there are many for each
    int last;          // 1: the last block of a single row adds up the parts (cuda)
    int run;           // tiles that an item adds to one sum
    int width;         // columns a block
    int narrow;        // least number of columns for SEDGE_REDUCE_COLUMNS
    int64_t chunk;     // least number of elements for a block
    int resident; // blocks for which registers are kept free, if other than `blocks`; 0: `blocks`
    int ahead;    // further tiles that are loaded together with one
    int more;     // pieces of rows that a block takes after its first
} sedge_reduce_tuning;

const sedge_reduce_tuning *sedge_reduce_rule(sedge_device_kind kind);

// What the kernel's source depends on; the cached kernel's key, with the formula and the
// expression.
typedef struct sedge_reduce_shape {
    int form, elements, rows_fast;
    int rows, lanes; // of a block
    int pack, unroll, run, resident, streamed, striped, last;
    int tiles, pieces; // tiles that an item loads together; pieces that a block takes in sequence
    int finish_threads, finish_many;
    int dimensions;                 // of the iteration, at most 8
    int narrow;                     // indices fit into 32 bits
    signed char step[SEDGE_LEAVES]; // 0, 1; -1: a parameter
    signed char side[SEDGE_LEAVES];
} sedge_reduce_shape;

// A reduction over an axis, or over all: sizes and strides of one call.
typedef struct sedge_reduce_plan {
    sedge_reduce_shape shape;
    int64_t rows, columns, length, chunk, cuts;
    int64_t groups;            // of rows; a piece is one cut of one group
    int blocks;                // a multiprocessor; 0: on the host
    sedge_iteration iteration; // of rows, or of elements
    int64_t step[SEDGE_LEAVES];
} sedge_reduce_plan;

// Lay out the reduction of the analysed expression over `axis` (0 .. dimensions - 1, or
// SEDGE_ALL_AXES).
void sedge_reduce_plan_make(sedge_reduce_plan *plan, const sedge_analysis *analysis,
                            const sedge_reduce_tuning *tuning, const sedge_device_info *info,
                            int axis, int state_bytes);

// Sizes and strides that the kernel gets as further arguments, reduce_w0, reduce_w1, ..., to find
// the places of elements. Returns how many there are.
enum { SEDGE_REDUCE_NUMBERS_MOST = (SEDGE_LEAVES + 1) * (SEDGE_ARRAY_DIMENSIONS + 2) };
int sedge_reduce_places_values(int64_t values[SEDGE_REDUCE_NUMBERS_MOST],
                               const sedge_reduce_plan *plan, const sedge_analysis *analysis);

// Append the functions of the kernel that use these numbers.
SEDGE_MUST_USE
sedge_status sedge_reduce_places_write(sedge_text *out, const sedge_reduce_plan *plan,
                                       const sedge_analysis *analysis);
