// Sets of elements, or of corners of elements, that the faces of the mesh join over all ranks.
//
// Two elements are in one set where a chain of faces with neighbours leads from one to the other;
// two corners, where they lie at the same vertex of such a face (a periodic face joins both sides).
// On its own rank a set is known by its root, one of its members; a set that reaches over several
// ranks has a root on each, and may have several on one.
#pragma once

#include "base/error.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdint.h>

// What is joined. The number is how many members a face has on each side.
typedef enum elliptic_members {
    ELLIPTIC_ELEMENTS = 1, // member e: element e
    ELLIPTIC_CORNERS = 3   // member 4 e + v: vertex v of element e
} elliptic_members;

// root [members]: the least member of each set inside this rank. Not collective.
void elliptic_find_roots(int32_t *root, const sedge_mesh *mesh, elliptic_members members);

// value[root] becomes the largest value that any rank has for the set. Collective; a message to
// each neighbour for each rank that a set stretches over, at most.
SEDGE_MUST_USE
sedge_status elliptic_spread_largest(double *value, const int32_t *root, const sedge_comm *comm,
                                     const sedge_mesh *mesh, elliptic_members members);
