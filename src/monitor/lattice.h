// The nodes of VTK's Lagrange tetrahedra: an equispaced lattice, in VTK's numbering. Not
// collective.
#pragma once

#include "base/error.h"
#include "dg/element.h"

// The equispaced lattice of an element's order in VTK's numbering of Lagrange tetrahedra.
typedef struct sedge_lattice {
    int order;
    int nodes;
    int padded;      // nodes, rounded up to a multiple of 8
    int (*place)[3]; // [nodes] i, j, k: v0 + (i (v1 - v0) + j (v2 - v0) + k (v3 - v0)) / order
    double *weights; // [element node][padded]: of the element's node in the lattice node's value
} sedge_lattice;

SEDGE_MUST_USE
sedge_status sedge_lattice_create(sedge_lattice **out, const sedge_element *element);
void sedge_lattice_free(sedge_lattice *lattice);

// values[m * stride] = scale * (value at lattice node m) of the nodal values u [nodes].
void sedge_lattice_apply(const sedge_lattice *lattice, const double *u, double scale, float *values,
                         int stride);
