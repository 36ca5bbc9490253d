// A graph with levels of the time step in two sides, which moves of vertices make better: the
// method of Fiduccia and Mattheyses (Proc. 19th Design Automation Conference, 1982, 175-181).
//
// Better is less of the faces cut plus what imbalance costs. Imbalance is what the ranks lose by
// waiting for each other: in a tick the elements of the lowest levels take a step, and the ticks of
// elements up to level k are a part 2^-(k+1) of all (2^-k for the highest level). The critical path
// sums over the ticks the work of the side that has more of it for its share of the ranks.
#pragma once

#include "level_graph.h"

#include <stdbool.h>

typedef struct sedge_halves {
    const sedge_level_graph *graph;
    int levels;
    double share; // of the ranks that are to have side 0, between 0 and 1
    double price; // faces that an imbalance of 1 is worth
} sedge_halves;

// What balance is free: below these numbers fewer faces cut are all that counts.
#define SEDGE_HALVES_PATH  0.02 // excess of the critical path over its mean
#define SEDGE_HALVES_WHOLE 0.04 // excess of a step of all elements, and about that of memory

// What a bisection costs: faces cut, and the imbalance above what is free times its price.
// side [vertices]: 0 or 1.
double sedge_halves_cost(const sedge_halves *halves, const uint8_t *side);

// Change sides of vertices as long as that lowers the cost: those at the cut, or also all others
// (`anywhere`, which is slow in large graphs). At most `passes` times over the graph. The same in
// each run. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_halves_refine(uint8_t *side, const sedge_halves *halves, bool anywhere,
                                 int passes);
