// The continuous functions of order 1 on a mesh: one unknown a vertex, numbered over all ranks.
//
// Two corners are one vertex where a chain of faces with neighbours leads from one to the other
// (so periodic sides are joined, and parts that touch in a point or an edge only are not). Each
// vertex belongs to one rank; numbers are contiguous by rank. Here come a rank's own vertices
// first, in the order of their numbers, then those that belong to others.
#pragma once

#include "base/error.h"
#include "dg/problem.h"
#include "linear/matrix.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdint.h>

typedef struct sedge_vertices sedge_vertices;

// Collective. The caller frees it; keeps comm and mesh.
SEDGE_MUST_USE
sedge_status sedge_vertices_create(sedge_vertices **out, const sedge_comm *comm,
                                   const sedge_mesh *mesh);
void sedge_vertices_free(sedge_vertices *vertices);

typedef struct sedge_vertices_view {
    int64_t size;          // of all ranks
    int64_t first;         // number of this rank's first
    int32_t owned;         // of this rank
    int32_t count;         // here: own and others
    const int64_t *number; // [count]
    const int32_t *corner; // [elements][4] the place of each corner's vertex among `count`
} sedge_vertices_view;

sedge_vertices_view sedge_vertices_get(const sedge_vertices *vertices);

// values [count]: what this rank has for other ranks' vertices is added to theirs. Collective.
void sedge_vertices_sum(sedge_vertices *vertices, double *values);

// values [count]: other ranks' vertices get their owners' values. Collective.
void sedge_vertices_spread(sedge_vertices *vertices, double *values);

// The elliptic form on continuous functions: Galerkin's matrix of order 1 (elliptic.h), in which
// jumps inside the mesh are zero. Collective. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_vertices_matrix(sedge_matrix **out, const sedge_vertices *vertices,
                                   const sedge_problem *problem);
