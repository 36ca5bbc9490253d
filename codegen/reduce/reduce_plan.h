// How a reduction is laid over memory and blocks: which elements a block takes, and where they are.
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
// and `resident` may be tuned at run time (reduce_tune.c), for no bit of a sum depends on them.
typedef struct sedge_reduce_tuning {
    int items;         // a block: a power of four
    int bytes, values; // of an item: loads in flight, in bytes; states at most
    int blocks;        // a multiprocessor, for which registers are kept free; 0: on the host
    int waves;         // blocks for each of those places: as some end, others begin
    int streamed;      // 1: loads tell caches that they are the only ones, where arrays are large
    int striped;       // 1: blocks take tiles by turns, where there are many for each
    int last;          // 1: of a single row the last block adds up the parts; cuda
    int run;           // tiles that an item adds to one sum
    int width;         // columns a block
    int narrow;        // least number of columns that are taken side by side
    int64_t chunk;     // elements that are worth a block
    int resident;      // as `blocks`, for the registers alone; 0: the same number
    int ahead;         // further tiles whose loads stand together with those of one
    int more;          // pieces of rows that a block takes after its first
} sedge_reduce_tuning;

const sedge_reduce_tuning *sedge_reduce_rule(sedge_device_kind kind);

// What the kernel's text depends on; the cached kernel's key, with the formula and the expression.
typedef struct sedge_reduce_shape {
    int form, elements, rows_fast;
    int rows, lanes; // of a block
    int pack, unroll, run, resident, streamed, striped, last;
    int tiles, pieces; // at once, of an item; one after the other, of a block
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

// Append the functions of the kernel that use them.
SEDGE_MUST_USE
sedge_status sedge_reduce_places_write(sedge_text *out, const sedge_reduce_plan *plan,
                                       const sedge_analysis *analysis);
