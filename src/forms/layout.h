// How the fields lie in memory.
#pragma once

#include "dg/bernstein.h"

#include <stdint.h>

#define SEDGE_GEOMETRY_WORDS 28 // of an element, as in codegen/kernels/dg/dg_layout.h
#define SEDGE_JACOBIAN_WORDS 12 // of an element, as in codegen/kernels/dg/dg_tensor.h

// Fields, geometry and connectivity on the device depend on it. In the Bernstein-Bezier basis
// "node" means coefficient: the one of the same lattice point.
typedef struct operator_layout {
    sedge_basis basis; // the same on all ranks: they exchange what they keep
    int real_bytes;
    int lanes;        // elements of a SIMD batch
    int pack;         // words of a vector load
    int group;        // nodes or face points whose words fill whole packs
    int nodes_padded; // nodes of an element, filled up to whole groups at least
    int state_align;  // bytes
    char name[32];    // "36 nodes", "16 lanes", "bernstein, 16 lanes"
} operator_layout;
