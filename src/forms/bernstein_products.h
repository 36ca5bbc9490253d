// Generated code of the sparse operators of codegen/kernels/dg/dg_bernstein.h: derivatives' last
// step and lift.
//
// With coefficients c of order N - 1, those of the same polynomial of order N are
// sum_j alpha_j / N c_{alpha - e_j}. The lift of jumps f on the face lambda_l = 0 is, at a
// coefficient alpha with alpha_l = j and gamma the rest of it,
//
//   (-1)^j binomial(N, j) / (1 + j) g_j[gamma],
//   g_0 = (N + 1)^2 / 2 E^t E f,  g_j[gamma] = sum_i (gamma_i + 1) / (N - j + 1) g_{j-1}[gamma +
//   e_i],
//
// E raising a triangle's coefficients from N to N + 1 (Chan & Warburton, SIAM J. Sci. Comput. 39
// (2017) A628, sections 3 and 4). tests/solver/test_operator_bernstein.c compares
// what comes of it with the slow reference.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "dg/element.h"

#include <stdbool.h>
#include <stdint.h>

// Append the text for an element of `fields` fields; `shared_sums`: sums lie in the block's memory
// instead of registers.
SEDGE_MUST_USE
sedge_status operator_bernstein_write(sedge_text *text, const sedge_element *element, int fields,
                                      bool shared_sums);

// The nodes of order N of each simplex of order N - 1: out [nodes of order N - 1][4]; nothing for
// orders below 1.
void operator_bernstein_simplices(int16_t *out, int order);

// Of each coefficient alpha of order N: the coefficients alpha - e_0, .., alpha - e_3 of order N -
// 1 (0 where there is none), then alpha: out [nodes of order N][8].
void operator_bernstein_raised(int16_t *out, int order);
