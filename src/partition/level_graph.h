// Graphs whose vertices have levels of the time step, and coarser graphs made of them.
//
// A vertex stands for one or more elements of one level, with the work of a step of them, an edge
// for the faces between two vertices. Coarsening joins neighbours of the same level in pairs, along
// edges of many faces, so that a part of the coarse graph is a part of the fine one with the same
// faces cut and the same work in each level.
#pragma once

#include "base/error.h"

#include <stdint.h>

enum { SEDGE_GRAPH_LEVELS = 16 };

typedef struct sedge_level_graph {
    int32_t vertices;
    int32_t *offsets;    // [vertices + 1] into the two arrays of edges
    int32_t *neighbours; // without the vertex itself and without repetitions, both ways
    int32_t *faces;      // of each edge; the same both ways
    int32_t *work;       // [vertices] of a step, in any unit
    uint8_t *level;      // [vertices] below SEDGE_GRAPH_LEVELS
} sedge_level_graph;

void sedge_level_graph_clear(sedge_level_graph *graph);

// Allocate a graph, zeroed. SEDGE_ERR_MEMORY. The caller clears it in any case.
SEDGE_MUST_USE
sedge_status sedge_level_graph_start(sedge_level_graph *out, int32_t vertices, int64_t edges);

// Join neighbours in pairs. parent [vertices] gets the vertex of `out` that each vertex is in. Both
// of a pair have the same level, and together at most the work heaviest[level]. The same in each
// run. SEDGE_ERR_MEMORY. The caller clears `out` in any case.
SEDGE_MUST_USE
sedge_status sedge_level_graph_coarsen(sedge_level_graph *out, int32_t *parent,
                                       const sedge_level_graph *graph,
                                       const int32_t heaviest[SEDGE_GRAPH_LEVELS]);

// The vertices whose `side` is `which`, in their order, and the edges between them. vertex
// [vertices of `graph`] gets for each vertex of `out` that of `graph`. SEDGE_ERR_MEMORY. The caller
// clears `out` in any case.
SEDGE_MUST_USE
sedge_status sedge_level_graph_extract(sedge_level_graph *out, int32_t *vertex,
                                       const sedge_level_graph *graph, const uint8_t *side,
                                       int which);

// Pseudo-random numbers, the same in each run: the next one of `*state`, below `limit`.
int32_t sedge_level_graph_random(uint64_t *state, int32_t limit);
