// The Bernstein-Bezier basis of order N on the reference tetrahedron, beside the nodal one.
//
//   p = sum_alpha c_alpha B_alpha,  B_alpha = N!/(alpha!) lambda^alpha,  |alpha| = N
//
// lambda_v is 1 at vertex v: lambda_1 = (1 + r)/2, lambda_2 = (1 + s)/2, lambda_3 = (1 + t)/2, and
// lambda_0 is the rest of 1. Coefficient k belongs to the lattice point of node k of
// dg/nodes.h, so that the tables of a face's nodes and of orientations hold for coefficients, too:
// p on a face is the polynomial of the face's coefficients alone, in the basis of the triangle.
//
// In this basis a derivative matrix has at most a few non-zero entries in a row, and the lift of a
// face is a product of sparse matrices (Chan & Warburton, SIAM J. Sci. Comput. 39 (2017) A628).
// Here all matrices are stored dense and row-major. Derivative, lift and mass matrices are computed
// by formulas without cancellation, each entry to a few units of rounding.
#pragma once

#include "base/error.h"

#include "dg/element.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum sedge_basis {
    SEDGE_NODAL,     // values at the nodes of dg/nodes.h
    SEDGE_BERNSTEIN, // coefficients
    // Of a whole state: these, but in curved elements of the fields' covariant components
    // (operator/basis.h). What has one row of numbers does not know these two.
    SEDGE_NODAL_COVARIANT,
    SEDGE_BERNSTEIN_COVARIANT
} sedge_basis;

static inline bool sedge_basis_is_covariant(sedge_basis basis)
{
    return basis == SEDGE_NODAL_COVARIANT || basis == SEDGE_BERNSTEIN_COVARIANT;
}

// The basis of one row of numbers.
static inline sedge_basis sedge_basis_of_row(sedge_basis basis)
{
    return basis == SEDGE_NODAL || basis == SEDGE_NODAL_COVARIANT ? SEDGE_NODAL : SEDGE_BERNSTEIN;
}

// The same of a state that is covariant in curved elements.
static inline sedge_basis sedge_basis_covariant(sedge_basis row)
{
    return row == SEDGE_NODAL ? SEDGE_NODAL_COVARIANT : SEDGE_BERNSTEIN_COVARIANT;
}

// The name of a basis, "nodal", "bernstein", "nodal-covariant" or "bernstein-covariant"; and the
// basis of a name, false if there is none.
const char *sedge_basis_name(sedge_basis basis);
SEDGE_MUST_USE
bool sedge_basis_parse(sedge_basis *out, const char *name);

typedef struct sedge_bernstein {
    int order;               // N, 1..10
    int nodes;               // Np
    int face_nodes;          // Nfp
    int (*index)[4];         // [nodes] alpha
    int (*face_index)[3];    // [face_nodes] alpha on a face, of its vertices 0, 1, 2 (mesh/mesh.h)
    double *to_nodal;        // T [nodes][nodes]: B_beta at node i; nodal = T c
    double *from_nodal;      // T^-1 [nodes][nodes]
    double *face_to_nodal;   // the same for a face (all faces are alike) [face_nodes][face_nodes]
    double *face_from_nodal; // its inverse
    double *derivative[3];   // T^-1 D T [nodes][nodes], d/dr, d/ds, d/dt
    double *lift;            // T^-1 LIFT Tf [nodes][4 face_nodes]
    double *mass;            // T^t M T [nodes][nodes]
    int stride;              // Np filled up, for vectors
    double *columns[2];      // T^t and (T^-1)^t [nodes][stride], for sedge_bernstein_convert
    double norm;             // largest sum of |T^-1| over a row: how much larger than the nodal
                             // values coefficients may be
} sedge_bernstein;

// The number of the node or coefficient of order N with the exponents i, j, k of vertices 1, 2, 3.
// i, j, k >= 0 and i + j + k <= N.
int sedge_bernstein_number(int order, int i, int j, int k);

// SEDGE_ERR_MEMORY. The caller frees the result; `element` is not kept. No function here is
// collective.
SEDGE_MUST_USE
sedge_status sedge_bernstein_create(sedge_bernstein **out, const sedge_element *element);
void sedge_bernstein_free(sedge_bernstein *basis);

// Convert `rows` rows of `nodes` numbers to the basis `to` from the other basis. `out` and `in`
// must differ.
void sedge_bernstein_convert(const sedge_bernstein *basis, sedge_basis to, double *out,
                             const double *in, int64_t rows);
