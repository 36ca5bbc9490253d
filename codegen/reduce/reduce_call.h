// One call of a reduction: its program, its kernels, its launch, its tuning.
#pragma once

#include "array/array_tune.h"
#include "array/cached_kernel.h"
#include "program/launch.h"
#include "reduce/reduce_plan.h"

// The whole program for a device of that kind, e.g. to compile it for a chip that is not here.
// `tuning` NULL: the rule's. Frees the expression.
SEDGE_MUST_USE
sedge_status sedge_reduce_program_write(sedge_text *out, sedge_device_kind kind,
                                        sedge_reduction reduction, sedge_expression *expression,
                                        int axis, const sedge_reduce_tuning *tuning);

// As sedge_array_reduce, with a given tuning (NULL: the one that sedge_array_reduce takes, which is
// the rule's or the tuner's). `formula` is a sedge_reduction, or SEDGE_FORMULA_DOT of a product.
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

// Get the kernels of a plan from `program`. With `program` NULL they are found in the context, or
// made.
SEDGE_MUST_USE
sedge_status sedge_reduce_kernels(sedge_cached_kernel *out, const sedge_reduce_call *call,
                                  const sedge_reduce_plan *plan, const sedge_program *program);

// The bytes that the buffer `parts` of sedge_reduce_launch needs; 0: it may be NULL.
int64_t sedge_reduce_parts_bytes(const sedge_reduce_call *call, const sedge_reduce_plan *plan);

// Queue the kernels in the stream. `to` is the address of the result's first element.
SEDGE_MUST_USE
sedge_status sedge_reduce_launch(const sedge_reduce_call *call, const sedge_reduce_plan *plan,
                                 const sedge_cached_kernel *cached, const sedge_buffer *parts,
                                 uint64_t to, sedge_stream *stream);

// ---- tuning (reduce_tune.c) --------------------------------------------------------------------

// List the tunings to choose from on a device of that kind, and return their number. `plan` is the
// plan of the rule's tuning. The first tuning is the rule's; only sums over columns have others.
enum { SEDGE_REDUCE_TUNINGS = SEDGE_TUNED_CANDIDATES };
int sedge_reduce_tunings(sedge_reduce_tuning tunings[SEDGE_REDUCE_TUNINGS], sedge_device_kind kind,
                         const sedge_reduce_plan *plan, const sedge_reduce_call *call);

// Choose one of `count` tunings: from wisdom, or by measuring if the context's level allows it and
// there is memory, else the first, which is the rule's. `title` is the kernel's in the wisdom.
SEDGE_MUST_USE
sedge_status sedge_reduce_tune(int *choice, const sedge_reduce_call *call,
                               const sedge_reduce_tuning *tunings, int count, const char *title);
