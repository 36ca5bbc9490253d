// The continuous functions of order 1 on a mesh: one unknown a vertex, numbered over all ranks.
//
// Two corners are one vertex where a chain of faces with neighbours leads from one to the other
// (joined.h), so periodic sides are joined, and parts of the mesh that touch in a point or an edge
// only are not. Each vertex belongs to one rank. Numbers are contiguous by rank. A rank's list of
// vertices holds its own first, in the order of their numbers, then other ranks' that its elements
// have, in the same order.
#pragma once

#include "base/error.h"
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
    const int64_t *firsts; // [ranks + 1] the number of each rank's first vertex; last: size
    int32_t owned;         // of this rank
    int32_t count;         // in this rank's list: own and others
    const int64_t *number; // [count]
    const int32_t *corner; // [elements][4] the place of each corner's vertex in the list
} sedge_vertices_view;

// Borrowed from `vertices`.
sedge_vertices_view sedge_vertices_get(const sedge_vertices *vertices);

// values [count]: what this rank has for other ranks' vertices is added to theirs. Collective.
void sedge_vertices_sum(sedge_vertices *vertices, double *values);

// values [count]: other ranks' vertices get their owners' values. Collective.
void sedge_vertices_spread(sedge_vertices *vertices, double *values);
