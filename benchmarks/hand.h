// A stage of Maxwell's equations as one writes it by hand, for the host: vacuum, conducting walls,
// upwind flux, one order and precision a function. sedge-bench --beside loop sets the generated
// kernels against it. OpenMP over blocks of elements, a SIMD lane an element.
#pragma once

#include "dg/element.h"
#include "mesh/mesh.h"

#include <stdint.h>

// Bytes of a register: a block is as many elements as it holds numbers. Files that use it are
// compiled for this machine, as hand_stage.c is.
#ifdef __AVX512F__
#define HAND_BYTES 64
#else
#define HAND_BYTES 32
#endif

// One rank's mesh and state, in the precision of the functions that read them. A block holds
// `lanes` elements; the last one is filled up with elements that nothing reaches.
typedef struct hand_mesh {
    int order;
    int real_bytes;
    int lanes;
    int64_t blocks;
    void *metric;        // [blocks][3][3][lanes] d r_j / d x_d
    void *normal;        // [blocks][4][4][lanes] of nx, ny, nz, scale
    int32_t *neighbour;  // [blocks][4][lanes] element; a wall: the element itself
    int16_t *code;       // [blocks][4][lanes] neighbour's face * 6 + orientation; a wall: -1
    void *derivative[3]; // [node m][node n] of D[n][m]
    void *lift;          // [face point k][node n]
    int16_t *own;        // [4 face nodes] volume node
    int16_t *other;      // [24][face nodes] volume node of the neighbour, by code
    void *u, *next;      // [blocks][6][nodes][lanes]
    void *residual;      // the same
} hand_mesh;

// Copies what it needs; `real_bytes` 4 or 8, `lanes` elements a block: 0 as many as hand_stage
// wants, 1 for xsmm_stage (xsmm.h). One rank, one material. Free with hand_mesh_free.
SEDGE_MUST_USE
sedge_status hand_mesh_create(hand_mesh **out, const sedge_mesh *mesh, const sedge_element *element,
                              int real_bytes, int lanes);
void hand_mesh_free(hand_mesh *hand);

// The state from and to [elements][6][nodes] of the mesh.
void hand_set(hand_mesh *hand, const sedge_mesh *mesh, const sedge_element *element,
              const double *u);
void hand_get(const hand_mesh *hand, const sedge_mesh *mesh, const sedge_element *element,
              double *u);
