// The products of the stage in curved elements by covariant components
// (codegen/kernels/dg/curved/dg_covariant.h, dg_covariant_state.h): their matrices by sign
// patterns, and code that has these as constants. No function here is collective.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "dg/bernstein.h"
#include "dg/cubature.h"
#include "dg/element.h"
#include "dg/orbits.h"
#include "dg/problem.h"
#include "dg/quadrature.h"

#include <stdbool.h>

// Of quadrature points, nodes, coefficients of order N - 1, face points [face][face node].
typedef struct operator_orbits {
    sedge_orbits points, nodes, lower, faces;
} operator_orbits;

// Without `volume` there are no points. SEDGE_ERR_MEMORY, SEDGE_ERR_INTERNAL where a set is not
// symmetric. The caller clears them, after a failure, too.
SEDGE_MUST_USE
sedge_status operator_orbits_create(operator_orbits *sets, const sedge_element *element,
                                    const sedge_quadrature *volume);
void operator_orbits_clear(operator_orbits *sets);

// A product: a matrix [rows][columns] of each of `signs` sign patterns, or the same one for all
// (1), which has no orbits.
typedef struct operator_product {
    const char *name; // of its function in the code
    const double *matrix;
    int signs, rows, columns;
    const sedge_orbits *to;      // of the rows
    const sedge_orbits *from[2]; // of the columns, those of the second behind, if it is not NULL
} operator_product;

typedef sedge_status operator_product_visit(void *context, const operator_product *product);

// Do curved elements without terms and sources predict by dg_covariant_predict.h, for a state in
// the basis `state`? The same on all ranks.
bool operator_products_predict(const sedge_problem *problem, sedge_basis state);

// Q / f_1 of an ADER step's prediction (dg/predictor.h), [to][from] of coefficients,
// [nodes][nodes]; `work` has room for as many numbers.
void operator_damping_build(double *out, const sedge_element *element, const sedge_bernstein *basis,
                            double *work);

// Call `visit` with each product in the order of dg_covariant.h, for a state in the basis `state`;
// where the problem's state is covariant those of dg_covariant_state.h, and behind them those of
// dg_covariant_predict.h where that is used.
// What `visit` gets lives until it returns; its first failure ends the list. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status operator_products_list(const operator_orbits *sets, const sedge_cubature *cubature,
                                    const sedge_element *element, const sedge_bernstein *basis,
                                    const sedge_problem *problem, sedge_basis state,
                                    operator_product_visit *visit, void *context);

// Append the products as code: a function `name`(to, from, z) each, which finds the rows of one
// field of one value and of sign pattern z from its columns, by even and odd parts where orbits
// have images (dg/orbits.h). Rows and columns lie SEDGE_PRODUCT_STEP apart; `to` and `from` may be
// the same. SEDGE_ERR_MEMORY, SEDGE_ERR_INTERNAL.
SEDGE_MUST_USE
sedge_status operator_products_write(sedge_text *text, const sedge_problem *problem,
                                     const sedge_element *element, sedge_basis state);
