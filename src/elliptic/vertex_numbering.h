// The vertices of linear elements from inside: which ranks share them, for their numbering
// (vertex_numbering.c) and their matrix (vertices_matrix.c).
#pragma once

#include "vertices.h"

// What this rank and another share.
typedef struct elliptic_window {
    int rank;
    int32_t ghost, ghosts;            // the other's vertices here: the first, and how many
    int32_t shares;                   // own vertices there
    int64_t ghost_place, share_place; // in the buffers
} elliptic_window;

struct sedge_vertices {
    const sedge_comm *comm;
    const sedge_mesh *mesh;
    int64_t size, first;
    int32_t owned, count;
    int64_t *number;
    int32_t *corner;

    int peers;
    elliptic_window *window; // [peers]
    int32_t *share;          // at share_place: which own vertex
    double *send, *receive;
    sedge_exchange *exchange; // NULL: nothing is shared
};
