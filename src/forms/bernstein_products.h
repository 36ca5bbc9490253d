// Generated code of the sparse operators of codegen/kernels/dg/dg_bernstein.h: derivatives' last
// step and lift.
//
// With coefficients c of order N - 1, those of the same polynomial of order N are
// sum_j alpha_j / N c_{alpha - e_j}. The lift of jumps f on the face lambda_l = 0 is, at a
// coefficient alpha with alpha_l = j and gamma the rest of it,
//
//   (-1)^j / ((j + 1)! gamma!) h_j[gamma],
//   h_0[gamma] = gamma! (N + 1)^2 / 2 (E^t E f)[gamma],  h_j[gamma] = sum_i h_{j-1}[gamma + e_i],
//
// gamma! = gamma_0! gamma_1! gamma_2!, E raising a triangle's coefficients from N to N + 1 (Chan &
// Warburton, SIAM J. Sci. Comput. 39 (2017) A628, sections 3 and 4; h_j is their layer times gamma!
// N! / (N - j)!, so that their means become sums). tests/solver/test_operator_bernstein.c compares
// what comes of it with the slow reference.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "dg/element.h"

#include <stdbool.h>
#include <stdint.h>

// A slice of an element's coefficients has those of a range of alpha_3, whose numbers follow one
// another. Its lift needs h_j of the same and of larger alpha_3 only: slices share nothing but what
// they read, and compute an h_j that two of them need twice.

// Append the text for an element of `fields` fields in `slices` slices, 1 to N + 1.
SEDGE_MUST_USE
sedge_status operator_bernstein_write(sedge_text *text, const sedge_element *element, int fields,
                                      int slices);

// Cut into slices whose largest is as small as can be: slice p takes end[p - 1] <= alpha_3 <
// end[p], from 0 the first; end [slices]. Returns the largest one's number of coefficients.
int operator_bernstein_cut(int *end, int order, int slices);

// The nodes of order N of each simplex of order N - 1: out [nodes of order N - 1][4]; nothing for
// orders below 1.
void operator_bernstein_simplices(int16_t *out, int order);

// Of each coefficient alpha of order N: the coefficients alpha - e_d of order N - 1 where alpha_d
// is not 0, in four places, then those alpha_d in four. out [nodes of order N][8] is zero before,
// and stays so in places that are left over.
void operator_bernstein_raised(int16_t *out, int order);

// Of each coefficient alpha of order N: alpha_d + 1, d = 0 to 3. If the order of a polynomial is
// lowered to N by T (dg/predictor.h), this over N + 4 weighs the coefficients alpha + e_d of order
// N + 1. out [nodes of order N][4]; nothing for orders below 0.
void operator_bernstein_lowered(int16_t *out, int order);
