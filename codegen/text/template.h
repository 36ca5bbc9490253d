// A small template language, the second of the three ways to make program source.
//
//     $for i in 0..count$
//     sum += $weights[i]$ * x[n + $i * stride$];
//     $end$
//
// Directives stand between dollars in one line; `$$` is a dollar. A line that holds directives only
// (not `$expression$`) leaves nothing in the output.
//
//     $for i in A..B$ ... $end$             i = A, A + 1, ...; B is excluded
//     $for i in A..B step C$ ... $end$      i = A, A + C, ...; C may be negative
//     $if E$ ... $elif E$ ... $else$ ... $end$
//     $let name = E$                        valid to the end of its block; may be set again
//     $E$                                   the value of an expression
//
// Expressions: `or`, `and`, `not`, comparisons, `+ - * / %`, unary `-`, parentheses, integers,
// "text", names, `list[E]`, `len(list)`. Integers have 64 bits; `/` and `%` are C's, truth is 0 or
// 1. Texts have `+`, `==` and `!=`. Floats and doubles can be written, but not computed with.
//
// Names are checked even in branches that are not taken.
#pragma once

#include "text/pattern.h"
#include "text/template_limits.h"

// Append the output of the template. Fails with SEDGE_ERR_USAGE, and names pattern, line and
// directive, for an unknown or unused name, types that do not fit, a division by zero, an integer
// or index out of range, a block without its `$end$`, or a template beyond the limits of
// text/template_limits.h; `out` is then unchanged.
SEDGE_MUST_USE
sedge_status sedge_template_write(sedge_text *out, const sedge_pattern *pattern);
