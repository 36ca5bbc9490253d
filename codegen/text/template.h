// A small template language, the second of the three ways to make program text.
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
//     $let name = E$                        to the end of its block; again: another value
//     $E$                                   the value of an expression
//
// Expressions: `or`, `and`, `not`, comparisons, `+ - * / %`, unary `-`, parentheses, integers,
// "text", names, `list[E]`, `len(list)`. Integers have 64 bits; `/` and `%` are C's, truth is 0 or
// 1. Of text there is `+`, `==` and `!=`; floats and doubles are only written.
//
// Names in parts that are not taken are checked, too.
#pragma once

#include "text/pattern.h"
#include "text/template_limits.h"

// Append what the pattern makes. SEDGE_ERR_USAGE, with pattern, line and directive: an unknown or
// unused name, types that do not fit, a division by zero, an integer or index out of range, a block
// without its `$end$`, one of the bounds above. `out` is then as it was.
SEDGE_MUST_USE
sedge_status sedge_template_write(sedge_text *out, const sedge_pattern *pattern);
