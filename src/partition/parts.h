// Parts of a mesh that are balanced in every level of the time step.
//
// With local time steps the elements of a level take their steps together, so a rank that has few
// of them waits. Parts of equal elements, or of equal steps, do not prevent that. These parts have
// about their share of the work of every level: multilevel recursive bisection with a
// constraint a level, after Karypis and Kumar, "Multilevel algorithms for multi-constraint graph
// partitioning" (Proc. Supercomputing 1998). A part may consist of several pieces.
#pragma once

#include "level_graph.h"

// part [vertices]: the part of every vertex, 0 <= part < parts, of a graph in which every vertex is
// one element and has some work; a part may be empty in a graph of few vertices. The same in each
// run and with any number of threads. Not collective. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_parts_by_levels(int32_t *part, const sedge_level_graph *graph, int parts,
                                   int threads);

// What the parts lose by waiting for each other: the work of the fullest part of each tick, summed
// over the ticks, over the same of the mean part. work [parts][SEDGE_GRAPH_LEVELS].
double sedge_parts_path(const int64_t (*work)[SEDGE_GRAPH_LEVELS], int parts);
