// Generated code of codegen/kernels/dg/dg_series.h and terms/dg_predict.h, for one field of one
// element at a time: the sums of powers of L, whose degrees fall by one each, raised to the next
// higher degree and added; and the damping.
//
// With coefficients c of order M - 1, those of the same polynomial of order M are
// sum_j alpha_j / M c_{alpha - e_j} (forms/bernstein_products.h).
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

// Append a function series_sum(part, out, in, w) for elements of an order and `fields` fields:
//
//   out = in + R (w_1 + R (w_2 + R w_3)) + R Q w_1 / f_1,   as many powers as there are
//
// with the damping Q of dg/predictor.h, whose steps back to higher orders R does as well.
// Neighbouring coefficients of in and out, and of w_k, which begins at w + SEDGE_SERIES_AT_k, are
// `fields` words apart. The coefficients are shared by `parts` items, part 0 to parts - 1. out may
// be in; w is apart from both.
//
// With `folds`, for three powers, series_fold(part, w) comes before it, which takes a part of what
// is raised twice or more and writes it over w_2: all its parts end before series_sum begins. For
// this w_1 must be there lowered, too, once and twice: T w_1 at w + SEDGE_SERIES_LOWERED_2, T T w_1
// at w + SEDGE_SERIES_LOWERED_3; nothing where Q is 0.
SEDGE_MUST_USE
sedge_status operator_series_write(sedge_text *text, int order, int fields, int powers, int parts,
                                   bool folds);

// Append a function NAME(to, w) that damps one field of an element and adds it, to += (1 + Q / f_1)
// w, coefficients of order N - 1 that are `apart` words apart in `to` and `fields` in w. For orders
// N that have a damping.
SEDGE_MUST_USE
sedge_status operator_series_write_damping(sedge_text *text, const char *name, int order,
                                           int fields, int apart);

// The same damping as a matrix, 1 + Q / f_1 for coefficients of order N - 1: rows [from][width],
// where width is at least their number, filled up with zeros. For orders N that have a damping.
void operator_series_damping(double *rows, int order, int width);
